//! All kinds and all places, table by table: the lists that the spotter and the tests go through.

use super::kind::{Kind, Place};
use super::{bodies, clouds, files, hosting, places, sent, services};

/// All kinds, in the order in which they are documented.
pub const TABLES: [&[Kind]; 4] = [hosting::KINDS, clouds::KINDS, services::KINDS, places::KINDS];

/// All places.
pub const PLACES: [&[Place]; 3] = [sent::PLACES, files::PLACES, bodies::PLACES];
