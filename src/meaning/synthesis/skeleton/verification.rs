//! The verification of a skeleton: the runs that must be told, those of one command with the same outcome
//! and basis in one item. Claims whose runs need not be told stand with the last run of their command.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::setting::{Coarseness, Setting};
use crate::base::ids::EventId;
use crate::meaning::accounting::{Claim, ClaimKind};
use crate::meaning::synthesis::document::{StatedOutcome, Verification};
use crate::meaning::synthesis::draft::DraftItem;
use crate::meaning::synthesis::runs::{IndexedRun, Statement};

/// The items, by command or, coarser, by what is said.
pub(super) fn items(setting: &Setting<'_>, coarseness: Coarseness) -> Vec<DraftItem<Verification>> {
    let mut groups = Groups { setting, joins_commands: coarseness.joins_commands(), groups: BTreeMap::new() };
    groups.fill();
    let mut told: Vec<Group<'_>> = groups.groups.into_values().collect();
    told.sort_by_key(|group| group.runs.first().map(|run| run.call));
    let named: HashSet<&str> =
        told.iter().flat_map(|group| &group.claims).map(|claim| claim.id.as_str()).collect();
    let unrun: Vec<_> = setting
        .of_kinds(&[ClaimKind::Verification])
        .into_iter()
        .filter(|claim| !named.contains(claim.id.as_str()))
        .collect();
    let mut items: Vec<_> = told.iter().filter_map(|group| group.item(setting)).collect();
    if !unrun.is_empty() {
        let section = Verification {
            outcome: StatedOutcome::UnverifiableNow,
            basis: None,
            command_event_id: None,
            result_event_id: None,
            further_runs: Vec::new(),
        };
        items.push(setting.about(String::new(), &unrun, section));
    }
    for (index, item) in items.iter_mut().enumerate() {
        item.id = format!("check-{}", index + 1);
    }
    items
}

/// Runs that one item tells, and the claims that it names.
#[derive(Default)]
struct Group<'a> {
    runs: Vec<IndexedRun<'a>>,
    claims: Vec<&'a Claim>,
    named: HashSet<&'a str>,
}

impl<'a> Group<'a> {
    fn item(&self, setting: &Setting<'_>) -> Option<DraftItem<Verification>> {
        let last = self.runs.last()?;
        let Statement { outcome, basis } = last.statement();
        // One call can hold several runs; it is named once.
        let mut named = HashSet::from([last.call]);
        let calls = self.runs.iter().map(|run| run.call);
        let further_runs: Vec<EventId> = calls.filter(|call| named.insert(*call)).collect();
        let section = Verification {
            outcome,
            basis,
            command_event_id: Some(last.call),
            result_event_id: last.result,
            further_runs,
        };
        Some(setting.about(String::new(), &self.claims, section))
    }

    fn claim(&mut self, claim: &'a Claim) {
        if self.named.insert(&claim.id) {
            self.claims.push(claim);
        }
    }
}

struct Groups<'s, 'a> {
    setting: &'s Setting<'a>,
    joins_commands: bool,
    groups: BTreeMap<(&'a str, Statement), Group<'a>>,
}

impl<'a> Groups<'_, 'a> {
    fn fill(&mut self) {
        let runs = self.setting.runs.runs();
        let last: HashMap<&str, Statement> =
            runs.iter().map(|run| (run.command_key, run.statement())).collect();
        for run in runs {
            let own = run.statement();
            let statement = if run.must_be_told { own } else { *last.get(run.command_key).unwrap_or(&own) };
            let command = if self.joins_commands { "" } else { run.command_key };
            let group = self.groups.entry((command, statement)).or_default();
            if run.must_be_told {
                group.runs.push(*run);
            }
            if let Some(claim) = self.setting.evidence.accounting.owner(run.call.ordinal()) {
                group.claim(claim);
            }
        }
    }
}
