//! A session as its commands and outputs, with everything by rule: observed by the analyzer, accounted for and drafted
//! by the skeletons. A test changes what the draft says and states what must follow.

use serde_json::Value;

use super::case::{Case, found};
use super::draft::fill;
use crate::base::ids::Ordinal;
use crate::evidence::transcribed::Transcribed;
use crate::meaning::accounting::{seal, skeleton as accounting_skeleton};
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::Synthesis;
use crate::meaning::synthesis::skeleton::skeleton;

/// The session and the draft that every rule accepts on it.
pub struct Acted {
    pub case: Case,
    pub draft: Value,
}

impl Acted {
    /// A person asks, something is done, the model says that it is.
    pub fn new(act: impl FnOnce(&mut Transcribed)) -> Self {
        let mut session = Transcribed::default();
        session.says("user", "Please do it.");
        act(&mut session);
        session.says("assistant", "Done.");
        let case = case(&session);
        let draft = case.with(|evidence| skeleton(evidence, &|_: &Synthesis, _: &Evidence<'_>| case.words));
        let mut draft = serde_json::from_slice(&draft.unwrap()).unwrap();
        fill(&mut draft);
        Self { case, draft }
    }

    /// Commands with their outputs and exit statuses.
    pub fn commands(list: &[(&str, &str, u32)]) -> Self {
        Self::new(|session| {
            for (command, output, status) in list {
                session.bash(command, output, *status);
            }
        })
    }

    /// Everything that is found of the draft after a change, as `code pointer`.
    pub fn found(&self, change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut draft = self.draft.clone();
        change(&mut draft);
        self.case.check(&draft).map_or_else(|rejected| found(&rejected), |_| Vec::new())
    }

    /// The same as codes, each once.
    pub fn codes(&self, change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut codes: Vec<String> =
            self.found(change).iter().filter_map(|one| one.split(' ').next().map(str::to_owned)).collect();
        codes.sort();
        codes.dedup();
        codes
    }

    /// The claim that owns an event.
    pub fn owner(&self, ordinal: Ordinal) -> String {
        let mut claims = self.case.claims.iter();
        claims.find(|(_, _, events)| events.contains(&ordinal)).map(|(id, ..)| id.clone()).unwrap()
    }
}

fn case(session: &Transcribed) -> Case {
    let (observations, observed) = session.observed();
    let mut case = Case::empty();
    case.events = session.lines.clone();
    case.observations = observations;
    case.manifest.git.session_observed.last_mutation = observed.last_mutation;
    case.manifest.git.session_end = observed.session_end;
    let table = case.table();
    let mut accounting: Value = serde_json::from_slice(&accounting_skeleton(&table)).unwrap();
    fill(&mut accounting);
    let sealed = seal(&serde_json::to_vec(&accounting).unwrap(), &table).unwrap();
    for claim in sealed.claims() {
        case.claim(&claim.id, claim.kind, &claim.events);
    }
    for (number, run) in sealed.groups().iter().flat_map(|group| &group.ranges).enumerate() {
        case.group(&format!("aside-{number}"), run.first, run.last);
    }
    case
}
