//! A draft that owns every event and passes every rule but `label-empty`: where an author begins. Written to be read and
//! edited by hand: one claim a line, ranges in short rows. All of it is our own words and numbers.

use std::fmt::Write as _;

use super::claim::ACCOUNTING_SCHEMA;
use super::older::Older;
use super::plan::{Plan, PlannedClaim, PlannedGroup, plan};
use crate::evidence::slice::Run;
use crate::evidence::table::Table;

/// Ranges in one row of a group.
const RANGES_A_ROW: usize = 12;

/// A skeleton for a ledger.
pub fn skeleton(table: &Table) -> Vec<u8> {
    write(&plan(table, None))
}

/// A skeleton for the events behind an accounting of an earlier state. Where a claim of that accounting no longer
/// holds the final state, it is restated as an action.
pub fn skeleton_extending(table: &Table, older: &Older) -> Vec<u8> {
    write(&plan(table, Some(older)))
}

fn write(plan: &Plan) -> Vec<u8> {
    let claims: Vec<String> = plan.claims.iter().map(claim).collect();
    let groups: Vec<String> = plan.groups.iter().map(group).collect();
    let text = format!(
        "{{\n  \"schema_version\": \"{ACCOUNTING_SCHEMA}\",\n  \"claims\": {},\n  \"low_signal_groups\": {}\n}}\n",
        list(&claims),
        list(&groups),
    );
    text.into_bytes()
}

fn list(lines: &[String]) -> String {
    if lines.is_empty() { "[]".to_owned() } else { format!("[\n    {}\n  ]", lines.join(",\n    ")) }
}

fn claim(claim: &PlannedClaim) -> String {
    let mut line = format!(r#"{{"claim_id": "{}", "kind": "{}", "label": """#, claim.id, claim.kind.name());
    if let Some((class, bounds)) = claim.select {
        let ranges = pairs(&[bounds]);
        // Writing into a string cannot fail.
        let _ = write!(line, r#", "select": {{"class": "{}", "ranges": [{ranges}]}}"#, class.name());
    }
    if !claim.ranges.is_empty() {
        let _ = write!(line, r#", "ranges": [{}]"#, pairs(&claim.ranges));
    }
    line.push('}');
    line
}

fn group(group: &PlannedGroup) -> String {
    let rows: Vec<String> = group.ranges.chunks(RANGES_A_ROW).map(pairs).collect();
    let ranges = match rows.as_slice() {
        [row] => row.clone(),
        rows => format!("\n      {}\n    ", rows.join(",\n      ")),
    };
    format!(r#"{{"group_id": "{}", "label": "", "ranges": [{ranges}]}}"#, group.id)
}

fn pairs(runs: &[Run]) -> String {
    let pairs: Vec<String> = runs.iter().map(|run| format!("[{}, {}]", run.first, run.last)).collect();
    pairs.join(", ")
}
