//! All kinds, table by table: the one list that the spotter and the tests go through.

use super::kind::Kind;
use super::{clouds, hosting, places, services};

/// All kinds, in the order in which they are documented.
pub const TABLES: [&[Kind]; 4] = [hosting::KINDS, clouds::KINDS, services::KINDS, places::KINDS];
