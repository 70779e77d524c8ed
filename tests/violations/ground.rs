//! What cases stand on: a few sessions, each collected once, with documents that break no rule. Documents are judged by
//! the same functions that the stages call.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use recap::base::digest::Digest;
use recap::base::ids::BoundaryId;
use recap::base::json::read::strict;
use recap::base::violations::Violations;
use recap::evidence::ledger::open::OpenLedger;
use recap::evidence::table::Table;
use recap::meaning::accounting::{Older, Sealed, seal, seal_extending, skeleton, skeleton_extending};
use recap::meaning::handoff::check::{Basis, check as check_edges};
use recap::meaning::synthesis::basis::Evidence;
use recap::meaning::synthesis::check;
use recap::meaning::synthesis::document::Synthesis;
use recap::meaning::synthesis::skeleton::{carry_over, skeleton as synthesis_skeleton};
use recap::stage::bound::{self, Bound};
use recap::stage::collect::{Collect, collect};
use recap::stage::demo::bundled_session;
use recap::stage::draft_accounting::older;
use recap::stage::place;
use recap::stage::validate_set::{ValidSet, open as open_set, open_member};
use serde_json::Value;

use crate::homes::{Home, MAIN};
use crate::program::{Room, patiently};

/// A kind of document; its name is that of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Document {
    /// What `seal-accounting` reads.
    AccountingDraft,
    /// What it writes.
    Accounting,
    /// What it reads on top of an older accounting.
    TailDraft,
    /// What `validate-synthesis` reads.
    SynthesisDraft,
    /// What `render-set` reads.
    EdgesDraft,
}

impl Document {
    pub const ALL: [Self; 5] =
        [Self::AccountingDraft, Self::Accounting, Self::TailDraft, Self::SynthesisDraft, Self::EdgesDraft];

    pub const fn name(self) -> &'static str {
        match self {
            Self::AccountingDraft => "accounting-draft",
            Self::Accounting => "accounting",
            Self::TailDraft => "tail-draft",
            Self::SynthesisDraft => "synthesis-draft",
            Self::EdgesDraft => "edges-draft",
        }
    }
}

/// What was found in a document, and whether it counts as a failed attempt; edges and sealed accountings never do.
pub struct Judged {
    pub violations: Violations,
    pub counted: bool,
}

/// A session, or a set of them, with its documents.
pub struct Ground {
    pub name: &'static str,
    pub room: Room,
    pub manifest: Utf8PathBuf,
    documents: BTreeMap<Document, String>,
    words: Vec<(String, String)>,
    bound: Option<Bound>,
    table: Option<Table>,
    older: Option<Older>,
    set: Option<(ValidSet, BTreeMap<BoundaryId, Table>)>,
}

/// Every ground, ready.
pub fn all() -> Vec<Ground> {
    vec![case("claude-fix"), case("codex-rename"), case("damaged"), kiln(), empty(), family()]
}

/// The made-up session in a folder of its own.
pub fn fresh() -> Ground {
    kiln()
}

/// A credential of nobody, which stands nowhere as a whole so that no scanner mistakes it.
pub fn secret() -> String {
    ["gh", "p_", "x9Kq2mZ7Lw4Rt8Yv3Bn6", "Cd1Fg5Hj0Pq2Sa7E"].concat()
}

impl Ground {
    /// The documents that it has.
    pub fn documents(&self) -> impl Iterator<Item = Document> {
        self.documents.keys().copied()
    }

    /// A document as its author would write it here.
    pub fn document(&self, document: Document) -> &str {
        self.documents.get(&document).unwrap_or_else(|| panic!("{} has no {}", self.name, document.name()))
    }

    /// Puts in what only a run knows: digests, ids, `@e12@` for the id of event 12, a secret.
    pub fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, word) in self.words.iter().filter(|(name, _)| text.contains(name.as_str())) {
            filled = filled.replace(name, word);
        }
        filled
    }

    /// Holds a document against every rule, as the stage does that reads it.
    pub fn judge(&self, document: Document, bytes: &[u8]) -> Judged {
        let plain = |judged: Result<(), Violations>| Judged {
            violations: judged.err().unwrap_or_default(),
            counted: false,
        };
        let table = || self.bound.as_ref().map(|bound| &bound.table).or(self.table.as_ref()).unwrap();
        match document {
            Document::AccountingDraft | Document::TailDraft => {
                let sealed = match (&self.older, document) {
                    (Some(older), Document::TailDraft) => seal_extending(bytes, table(), older),
                    _ => seal(bytes, table()),
                };
                sealed.err().map_or_else(
                    || plain(Ok(())),
                    |rejected| Judged {
                        counted: rejected.counts_as_attempt,
                        violations: rejected.violations,
                    },
                )
            }
            Document::Accounting => plain(Sealed::open(bytes, table()).map(drop)),
            Document::SynthesisDraft => {
                let bound = self.bound.as_ref().unwrap();
                let checked = check(bytes, &bound.evidence(), &|synthesis, _| {
                    bound.recap(synthesis, false, false).word_count()
                });
                checked.err().map_or_else(
                    || plain(Ok(())),
                    |rejected| Judged {
                        counted: rejected.counts_as_attempt,
                        violations: rejected.violations,
                    },
                )
            }
            Document::EdgesDraft => {
                let (valid, tables) = self.set.as_ref().unwrap();
                let basis = Basis { set: &valid.set, set_sha256: valid.sha256, tables };
                plain(check_edges(bytes, &basis).map(drop))
            }
        }
    }

    /// Every skeleton that is written here, and the draft carried over with two of its claims renamed.
    pub fn skeletons(&self) -> Vec<(&'static str, String)> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let mut written = Vec::new();
        if let Some(table) = &self.table {
            written.push(("accounting-draft", text(skeleton(table))));
        }
        let Some(bound) = &self.bound else { return written };
        written.push(("accounting-draft", text(skeleton(&bound.table))));
        if let Some(older) = &self.older {
            written.push(("accounting-draft --extends", text(skeleton_extending(&bound.table, older))));
        }
        let measure =
            |synthesis: &Synthesis, _: &Evidence<'_>| bound.recap(synthesis, false, false).word_count();
        let evidence = bound.evidence();
        written.push(("synthesis-draft", text(synthesis_skeleton(&evidence, &measure).unwrap())));
        let older =
            self.document(Document::SynthesisDraft).replace("goal-1", "goal-9").replace("change-1", "gone-1");
        let carried = carry_over(older.as_bytes(), &evidence, &measure).unwrap();
        written.push(("synthesis-draft --from", text(carried.draft)));
        let left = carried.left_behind.sorted().into_iter().chain(carried.violations.sorted());
        let left =
            left.map(|one| format!("{} {}: {}\n", one.code.as_str(), one.pointer, one.detail)).collect();
        written.push(("left behind", left));
        written
    }

    fn bare(name: &'static str, room: Room) -> Self {
        let manifest = room.path("out/manifest.json");
        let (documents, words) = (BTreeMap::new(), vec![("@secret@".to_owned(), secret())]);
        Self { name, room, manifest, documents, words, bound: None, table: None, older: None, set: None }
    }

    fn collect(&self, session: &Utf8Path, repositories: &[Utf8PathBuf]) {
        let order = Collect {
            session: session.to_owned(),
            output: Some(self.manifest.clone()),
            repositories: repositories.to_vec(),
            policy: None,
            refresh_git: false,
            fresh: false,
        };
        patiently(|| collect(&self.room.world(), &order)).unwrap();
    }

    /// Takes the bundled drafts, and seals the accounting.
    fn bind(&mut self, folder: &Utf8Path) {
        let ledger = self.ledger();
        let table = ledger.table().unwrap();
        self.words.push(("@manifest@".to_owned(), ledger.sha256().to_string()));
        self.words.push(("@root@".to_owned(), ledger.manifest().ledger.state.root.to_string()));
        if let Some(head) = ledger.manifest().git.verified_now.first().and_then(|found| found.head.clone()) {
            self.words.push(("@head@".to_owned(), head));
        }
        self.know("", &table);
        drop(ledger);
        let draft = self.take(Document::AccountingDraft, folder, "accounting-draft.json");
        let sealed = seal(draft.as_bytes(), &table).map_err(|rejected| rejected.violations).unwrap();
        let path = self.room.file("out/accounting.json", sealed.to_bytes().unwrap());
        self.documents.insert(Document::Accounting, fs::read_to_string(&path).unwrap());
        let bound = bound::open(&self.room.world(), &self.manifest, &path, "validate-synthesis").unwrap();
        let Ok(bound) = bound else { panic!("{}: the sealed accounting opens", self.name) };
        self.words.push(("@accounting@".to_owned(), bound.accounting_sha256.to_string()));
        self.bound = Some(bound);
        self.take(Document::SynthesisDraft, folder, "synthesis-draft.json");
    }

    fn ledger(&self) -> OpenLedger {
        let world = self.room.world();
        OpenLedger::open(&place::input(&world, &self.manifest).unwrap(), &world.interrupted).unwrap()
    }

    /// Learns the ids of all events.
    fn know(&mut self, member: &str, table: &Table) {
        for row in table.rows() {
            self.words.push((format!("@{member}e{}@", row.event.ordinal()), row.event.to_string()));
        }
    }

    fn take(&mut self, document: Document, folder: &Utf8Path, file: &str) -> String {
        let text = self.filled(&fs::read_to_string(folder.join(file)).unwrap());
        self.documents.insert(document, text.clone());
        text
    }
}

fn project(path: &str) -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The transcript in a folder, its secrets put in.
fn transcript(folder: &Utf8Path) -> (String, String) {
    let files = folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    let file = files.into_iter().find(|file| file.extension() == Some("jsonl")).unwrap();
    let text = bundled_session(&fs::read_to_string(&file).unwrap()).replace("@TOKEN@", &secret());
    (file.file_name().unwrap().to_owned(), text)
}

/// A whole case of `golden/cases`.
fn case(name: &'static str) -> Ground {
    let folder = project("golden/cases").join(name);
    let mut ground = Ground::bare(name, Room::in_memory());
    let (file, text) = transcript(&folder);
    let session = ground.room.file(&file, text);
    ground.collect(&session, &[]);
    // The cases have their drafts under the names that an author gives them.
    let drafts = ground.room.folder("drafts");
    for (from, to) in
        [("accounting.draft.json", "accounting-draft.json"), ("synthesis.json", "synthesis-draft.json")]
    {
        fs::copy(folder.join(from), drafts.join(to)).unwrap();
    }
    ground.bind(&drafts);
    ground
}

/// A made-up session with something of everything, its repository as it is now, and the accounting of its first half.
fn kiln() -> Ground {
    let folder = project("golden/accepted/documents/kiln");
    let mut ground = Ground::bare("kiln", Room::in_memory());
    let repository = repository(&ground.room);
    let (file, text) = transcript(&folder);
    let half: usize = text.split_inclusive('\n').take(22).map(str::len).sum();
    let session = ground.room.file(&file, &text[..half]);
    ground.collect(&session, std::slice::from_ref(&repository));
    let ledger = ground.ledger();
    let draft = fs::read(folder.join("older-draft.json")).unwrap();
    let sealed = seal(&draft, &ledger.table().unwrap()).map_err(|rejected| rejected.violations).unwrap();
    let path = ground.room.file("out/older.json", sealed.to_bytes().unwrap());
    drop(ledger);

    ground.room.file(&file, text);
    ground.collect(&session, &[repository]);
    ground.bind(&folder);
    let world = ground.room.world();
    let bound = ground.bound.as_ref().unwrap();
    let older = older(&world, &bound.ledger, &bound.table, Some(&path)).unwrap();
    let Ok(Some(older)) = older else { panic!("the older accounting fits") };
    drop(world);
    ground.older = Some(older);
    ground.take(Document::TailDraft, &folder, "tail-draft.json");
    ground
}

/// One commit, always the same, and one file that was changed since.
fn repository(room: &Room) -> Utf8PathBuf {
    let folder = room.folder("repository");
    let git = |arguments: &[&str]| {
        let dates =
            [("GIT_AUTHOR_DATE", "2026-09-01T00:00:00Z"), ("GIT_COMMITTER_DATE", "2026-09-01T00:00:00Z")];
        let ran = Command::new("git")
            .args(["-c", "user.name=Kiln", "-c", "user.email=kiln@example.com"])
            .args(arguments)
            .envs(dates)
            .env("HOME", &folder)
            .current_dir(&folder)
            .output();
        assert!(ran.unwrap().status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    fs::write(folder.join("kiln.txt"), "cold\n").unwrap();
    git(&["add", "kiln.txt"]);
    git(&["commit", "--quiet", "--message=first"]);
    fs::write(folder.join("kiln.txt"), "hot\n").unwrap();
    folder
}

/// A session in which nothing happened.
fn empty() -> Ground {
    let mut ground = Ground::bare("empty", Room::in_memory());
    let name = "0c1d2e3f-ffff-4bbb-8ccc-000000000006";
    let row = format!("{{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"{name}\"}}\n");
    let session = ground.room.file(&format!("{name}.jsonl"), row);
    ground.collect(&session, &[]);
    let draft = "{\"schema_version\": \"recap.accounting.v1\", \"claims\": [], \"low_signal_groups\": []}";
    ground.documents.insert(Document::AccountingDraft, draft.to_owned());
    ground.table = Some(ground.ledger().table().unwrap());
    ground
}

/// A session with two children.
fn family() -> Ground {
    let home = Home::with_two_children();
    home.collect(MAIN, &["--include-children"]).receipt();
    let document = home.document();
    let (set, names) = (home.set(), ["main", "a1", "a2"].map(|name| (name, home.boundary(name))));
    let mut ground = Ground::bare("family", home.room);
    let valid = open_set(&ground.room.world(), &set).unwrap();
    let mut tables = BTreeMap::new();
    for member in &valid.set.members {
        let table = open_member(&ground.room.world(), &valid.path, member).unwrap().table().unwrap();
        let name = names.iter().find(|(_, boundary)| *boundary == member.boundary).unwrap().0;
        ground.know(&format!("{name}."), &table);
        tables.insert(member.boundary, table);
    }
    let digest = Digest::of(&fs::read(&set).unwrap());
    ground.words.push(("@set@".to_owned(), digest.to_string()));
    for (place, edge) in document["edges"].as_array().unwrap().iter().enumerate() {
        ground.words.push((format!("@edge{place}@"), edge["id"].as_str().unwrap().to_owned()));
    }
    ground.take(Document::EdgesDraft, &project("golden/accepted/documents/family"), "edges-draft.json");
    ground.set = Some((valid, tables));
    ground
}

/// A document as a value.
pub fn value_of(text: &str) -> Value {
    strict(text.as_bytes()).unwrap_or_else(|fault| panic!("{}", fault.reason()))
}
