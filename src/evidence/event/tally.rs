//! Counting records and events: the same arithmetic when a ledger is made and when it is checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage::{Calls, Coverage, listed};
use super::line::{Event, Pairing};
use super::record_line::{Disposition, Grade, RecordLine, SPLIT_SECRET};
use crate::base::rules::Code;
use crate::evidence::transcript::item::Surface;

/// Names of unknown types that are listed.
const UNKNOWN_NAMES: usize = 64;

/// Running counts.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Tally {
    coverage: Coverage,
    limitations: BTreeMap<Code, u64>,
}

impl Tally {
    /// Counts a records line.
    pub fn record(&mut self, line: &RecordLine) {
        let coverage = &mut self.coverage;
        coverage.record_bytes += line.length;
        count(&mut coverage.records, line.disposition.name());
        if let Some(mirror) = line.mirror_of {
            let grade = if mirror.grade == Grade::Id { "id" } else { "order" };
            count(&mut coverage.mirrors, grade);
        }
        for part in &line.withheld {
            change(&mut coverage.withheld, &part.kind, |hidden| {
                hidden.parts += 1;
                hidden.bytes += part.bytes;
            });
        }
        for flag in &line.flags {
            count(&mut coverage.flags, flag);
        }
        for code in line.flags.iter().filter_map(|flag| flag_code(flag)) {
            self.limit(code, 1);
        }
        if line.disposition == Disposition::Malformed {
            self.limit(Code::MalformedRecords, 1);
        }
        if line.flags.iter().any(|flag| flag == "unknown_type")
            && let Some(name) = &line.native_type
        {
            let coverage = &mut self.coverage;
            let name = listed(name);
            if coverage.unknown_types.len() < UNKNOWN_NAMES || coverage.unknown_types.contains_key(&*name) {
                count(&mut coverage.unknown_types, &name);
            }
        }
    }

    /// Counts an event.
    pub fn event(&mut self, event: &Event) {
        count(&mut self.coverage.events, event.surface.name());
        let calls = &mut self.coverage.calls;
        match event.surface {
            Surface::ToolCall => calls.total += 1,
            Surface::ToolResult if event.tool.as_ref().is_none_or(|tool| tool.pairing == Pairing::None) => {
                calls.orphan_results += 1;
            }
            _ => {}
        }
    }

    /// Counts a limitation.
    pub fn limit(&mut self, code: Code, count: u64) {
        if count > 0 {
            *self.limitations.entry(code).or_default() += count;
        }
    }

    /// The coverage with what only the whole shows: how many calls have an outcome, and how many of these stand
    /// behind their result, which was counted as an orphan.
    pub fn finish(
        mut self,
        calls_paired: u64,
        calls_late: u64,
        framing_bytes: u64,
    ) -> (Coverage, BTreeMap<Code, u64>) {
        let Calls { total, .. } = self.coverage.calls;
        self.coverage.calls.paired = calls_paired;
        self.coverage.calls.orphan_results = self.coverage.calls.orphan_results.saturating_sub(calls_late);
        self.coverage.calls.open = total.saturating_sub(calls_paired);
        self.coverage.framing_bytes = framing_bytes;
        (self.coverage, self.limitations)
    }
}

fn count(counters: &mut BTreeMap<String, u64>, name: &str) {
    change(counters, name, |counter| *counter += 1);
}

/// Changes the entry of a name. The name is copied only when it is new: this runs for every record and event.
fn change<C: Default>(counters: &mut BTreeMap<String, C>, name: &str, change: impl FnOnce(&mut C)) {
    match counters.get_mut(name) {
        Some(counter) => change(counter),
        None => change(counters.entry(name.to_owned()).or_default()),
    }
}

fn flag_code(flag: &str) -> Option<Code> {
    Some(match flag {
        "repaired" => Code::RepairedRecords,
        "duplicate_keys" => Code::DuplicateKeys,
        "too_long" => Code::RecordTooLong,
        "unknown_type" => Code::UnknownRecordType,
        "foreign_session" => Code::ForeignIds,
        SPLIT_SECRET => Code::SecretSplitOverRecords,
        _ => return None,
    })
}
