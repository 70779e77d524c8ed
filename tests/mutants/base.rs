//! The accepted documents that mutants are made of, and the judging of mutants by the functions that the stages call.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use recap::base::digest::Digest;
use recap::base::ids::BoundaryId;
use recap::base::violations::Violations;
use recap::evidence::table::Table;
use recap::meaning::accounting::{Older, Sealed, seal, seal_extending};
use recap::meaning::handoff::Handoff;
use recap::meaning::handoff::check::{Basis, check as check_edges};
use recap::meaning::synthesis::check;
use recap::meaning::synthesis::validated::expanded_bytes;
use recap::stage::bound::{self, Bound};
use recap::stage::draft_accounting::older;
use recap::stage::validate_set::{ValidSet, open as open_set, open_member};
use serde_json::{Value, json};

use crate::program::patiently;
use crate::violations::case::all as cases;
use crate::violations::ground::{Document, Ground, all};

/// Everything of one ground that documents are judged by.
pub struct Judge {
    ground: Ground,
    bound: Option<Bound>,
    older: Option<Older>,
    set: Option<(ValidSet, BTreeMap<BoundaryId, Table>)>,
}

/// One accepted document.
pub struct Base<'j> {
    /// `ground/document`.
    pub name: String,
    /// What it is.
    pub document: Document,
    /// As a value.
    pub value: Value,
    /// What it comes to when it is accepted.
    pub meaning: Value,
    judge: &'j Judge,
}

/// What comes of a document.
pub enum Answer {
    /// The codes that refuse it.
    Refused(BTreeSet<&'static str>),
    /// What it means: its expanded or sealed form.
    Accepted(Value),
}

/// Every ground with accepted documents.
pub fn judges() -> Vec<Judge> {
    all().into_iter().filter(|ground| ground.name != "empty").map(Judge::of).collect()
}

impl Judge {
    fn of(ground: Ground) -> Self {
        let mut judge = Self { ground, bound: None, older: None, set: None };
        let (room, manifest) = (&judge.ground.room, &judge.ground.manifest);
        let world = room.world();
        if manifest.exists() {
            let accounting = room.path("out/accounting.json");
            let bound = patiently(|| bound::open(&world, manifest, &accounting, "validate-synthesis"));
            judge.bound = bound.unwrap().ok();
            let path = room.path("out/older.json");
            if let (Some(bound), true) = (&judge.bound, path.exists()) {
                judge.older = older(&world, &bound.ledger, &bound.table, Some(&path)).unwrap().ok().flatten();
            }
        }
        let set = room.path("sets/set.json");
        if set.exists() {
            let valid = patiently(|| open_set(&world, &set)).unwrap();
            let table =
                |member| patiently(|| open_member(&world, &valid.path, member)).unwrap().table().unwrap();
            let tables = valid.set.members.iter().map(|member| (member.boundary, table(member))).collect();
            judge.set = Some((valid, tables));
        }
        drop(world);
        judge
    }

    /// Its documents.
    pub fn bases(&self) -> Vec<Base<'_>> {
        let made = |document: Document| {
            let text = self.ground.document(document);
            let name = format!("{}/{}", self.ground.name, document.name());
            let Answer::Accepted(meaning) = self.answer(document, text.as_bytes()) else {
                panic!("{name} is not accepted");
            };
            Base { name, document, value: serde_json::from_str(text).unwrap(), meaning, judge: self }
        };
        self.ground.documents().map(made).collect()
    }

    /// The documents of the near misses that break no rule at all.
    pub fn near_misses(&self) -> Vec<Base<'_>> {
        let all = cases("accepted").into_iter();
        let own = all.filter(|(_, _, case)| case.base().0 == self.ground.name && case.before.is_empty());
        own.filter_map(|(_, file, case)| {
            let (document, bytes) = (case.base().1, case.bytes(&self.ground));
            let Answer::Accepted(meaning) = self.answer(document, &bytes) else { return None };
            let name = format!("{}/{}", self.ground.name, file.file_stem().unwrap_or_default());
            let value = serde_json::from_slice(&bytes).unwrap();
            Some(Base { name, document, value, meaning, judge: self })
        })
        .collect()
    }

    /// Every event id of its ledgers.
    pub fn event_ids(&self) -> Vec<String> {
        let tables = self.bound.iter().map(|bound| &bound.table);
        let tables = tables.chain(self.set.iter().flat_map(|(_, tables)| tables.values()));
        tables.flat_map(|table| table.rows()).map(|row| row.event.to_string()).collect()
    }

    /// The digests that its documents are bound to.
    pub fn digests(&self) -> Vec<String> {
        let bound = self.bound.iter().flat_map(|bound| {
            let state = &bound.ledger.manifest().ledger.state;
            [bound.ledger.sha256(), bound.accounting_sha256, state.root, state.records_root]
        });
        let set = self.set.iter().map(|(valid, _)| valid.sha256);
        bound.chain(set).map(|digest: Digest| digest.to_string()).collect()
    }

    /// Holds a document against every rule.
    fn answer(&self, document: Document, bytes: &[u8]) -> Answer {
        let value = |bytes: Vec<u8>| serde_json::from_slice(&bytes).unwrap();
        let table = || &self.bound.as_ref().unwrap().table;
        let sealed = |sealed: &Sealed| value(sealed.to_bytes().unwrap());
        let judged: Result<Value, Violations> = match document {
            Document::AccountingDraft => {
                seal(bytes, table()).map(|one| sealed(&one)).map_err(|rejected| rejected.violations)
            }
            Document::TailDraft => seal_extending(bytes, table(), self.older.as_ref().unwrap())
                .map(|one| sealed(&one))
                .map_err(|rejected| rejected.violations),
            Document::Accounting => Sealed::open(bytes, table()).map(|one| sealed(&one)),
            Document::SynthesisDraft => {
                let bound = self.bound.as_ref().unwrap();
                check(bytes, &bound.evidence(), &|synthesis, _| {
                    bound.recap(synthesis, false, false).word_count()
                })
                .map(|validated| value(expanded_bytes(&validated)))
                .map_err(|rejected| rejected.violations)
            }
            Document::EdgesDraft => {
                let (valid, tables) = self.set.as_ref().unwrap();
                let basis = Basis { set: &valid.set, set_sha256: valid.sha256, tables };
                check_edges(bytes, &basis).map(|handoff| told(&handoff))
            }
        };
        match judged {
            Ok(meaning) => Answer::Accepted(meaning),
            Err(violations) => {
                Answer::Refused(violations.counts().keys().map(|code| code.as_str()).collect())
            }
        }
    }
}

/// What a handoff says of its edges.
fn told(handoff: &Handoff) -> Value {
    let item = |item: &recap::meaning::handoff::edges::EdgeItem| {
        let evidence: Vec<String> = item.evidence_ids.iter().map(ToString::to_string).collect();
        json!({"edge_id": item.edge_id, "summary": item.summary, "caveat": item.caveat,
            "source_label": format!("{:?}", item.source_label), "evidence_ids": evidence})
    };
    handoff.items().iter().map(item).collect()
}

impl Base<'_> {
    /// Judges other bytes in its place.
    pub fn answer(&self, bytes: &[u8]) -> Answer {
        self.judge.answer(self.document, bytes)
    }

    /// True when its documents are judged by that.
    pub fn is_of(&self, judge: &Judge) -> bool {
        std::ptr::eq(self.judge, judge)
    }

    /// The ids of its own events.
    pub fn event_ids(&self) -> Vec<String> {
        self.judge.event_ids()
    }

    /// Writes bytes in its place and gives the arguments of the command that reads them.
    pub fn command(&self, bytes: &[u8]) -> Option<Vec<String>> {
        let room = &self.judge.ground.room;
        let manifest = self.judge.ground.manifest.to_string();
        let file = room.file("out/mutant.json", bytes).to_string();
        let (accounting, output) = (room.path("out/accounting.json"), room.path("out/sealed-mutant.json"));
        let words = match self.document {
            Document::AccountingDraft => {
                vec!["seal-accounting", &manifest, &file, "--output", output.as_str()]
            }
            Document::Accounting => vec!["validate-accounting", &manifest, &file],
            Document::SynthesisDraft => vec!["validate-synthesis", &manifest, accounting.as_str(), &file],
            Document::TailDraft | Document::EdgesDraft => return None,
        };
        Some(words.into_iter().map(str::to_owned).collect())
    }

    /// Runs the built program on bytes in its place; gives the codes of its receipt. Attempts are forgotten before.
    pub fn run(&self, bytes: &[u8]) -> Option<BTreeSet<String>> {
        let arguments = self.command(bytes)?;
        let room = &self.judge.ground.room;
        let attempts = room.path("out/manifest.json.ledger/attempts");
        if attempts.exists() {
            fs::remove_file(attempts).unwrap();
        }
        let ran = room.run(&arguments);
        let receipt: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        let codes = receipt["violations"].as_object();
        Some(codes.into_iter().flatten().map(|(code, _)| code.clone()).collect())
    }
}
