//! Which events are words of an agent: what is said of them, and what they cannot show. Syntheses and edges ask the same.

use crate::evidence::table::Row;
use crate::evidence::transcript::item::Surface;

/// True for an assistant's message, and for a result or notice that carries what another agent reported.
pub fn is_said(row: &Row) -> bool {
    row.surface == Surface::Assistant || row.report
}
