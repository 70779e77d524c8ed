//! The one test binary: what the program promises, seen through its public surface.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test that cannot go on ends by panicking, and says when it was skipped"
)]

/// Whole texts compared with the files below `golden/`.
mod golden_file;
/// A private folder, the built program in it, and the stages as library calls on it.
mod program;
/// The sample transcripts that lie beside the project, where they are there.
mod samples;
/// What a collected folder holds, read with nothing but a JSON parser.
mod evidence;
/// Every document and row fits its schema.
mod schemas;
/// Every sample transcript goes through collect, packetize and validate.
mod corpus;
/// Skeletons of every sample lack only words.
mod skeletons;
/// What became of every record of the real programs' files, as tables.
mod tables;
/// The bundled transcripts: each tells a small story whose facts are known.
mod bundled;
/// Small Codex threads, put together line by line.
mod threads;
/// Made-up credentials of every family, which come out nowhere.
mod canaries;
/// A policy of a team goes with the ledger.
mod policies;
/// Made-up credentials in every place, through every command.
mod everywhere;
/// Facts that Codex writes several times are told once.
mod copies;
/// What goes wrong in a Codex turn, and what goes on behind it.
mod turns;
/// The small samples, one trap each.
mod traps;
/// What `render` writes in each format, whatever the words of a draft are.
mod rendering;
/// Whole cases, transcript to recap, byte for byte.
mod golden;
/// What repositories hold now, and how a synthesis cites it.
mod verified;
/// Who may aim a probe, and at what.
mod aiming;
/// The ledger of a cut transcript is the beginning of the ledger of the whole one.
mod prefix;
/// Files and places that are refused, with status, code and nothing written.
mod hostile;
/// What lies below the harness roots is listed, and a name leads to one file or to a refusal.
mod sessions;
/// Homes of both harnesses, made up file by file.
mod homes;
/// Boundary sets: which transcripts belong together, what refuses, what growing keeps.
mod sets;
/// A set that anyone touched does not validate.
mod set_tampered;
/// Every edit of the samples, counted a second time.
mod mutations;
/// Which sets the real programs' sessions make.
mod set_tables;
/// A collection of a set that is killed.
mod set_crashes;
/// The handoff of a set.
mod handoff;
/// A ledger only grows: what an older state refuses, and what growing keeps.
mod growth;
/// A transcript that grew is read where it is new, and comes to the same bytes.
mod resume;
/// A compressed transcript is the transcript that it decodes to.
mod compressed;
/// Every rule that a document can break, with the smallest change that it refuses and what it lets pass.
mod violations;
/// One try and two repairs, counted before the verdict.
mod attempts;
/// A sealed accounting goes on when its session does.
mod carried;
/// One message over several rows, and results that stand before their calls.
mod messages;
/// Outputs in files of their own: found beside the transcript, and read nowhere else.
mod side_files;
/// What any reader of a harness must keep to.
mod conformance;
/// Transcripts that are cut, doubled, shuffled, spliced and grown.
mod mangled;
/// A program that is ended at any moment leaves artifacts absent, old or new, each whole.
mod crashes;
/// The end of a session: what its own git commands state.
mod ending;
/// What is stated of the end is what a real git then says.
mod said_by_git;
/// A ledger that anyone touched does not validate.
mod tampered;
/// Strings of a transcript that must not come out where no text belongs.
mod leaks;
/// What a refused author is told, and what not.
mod voice;
/// What a recap costs its author, and that the first try passes.
mod effort;
/// The skill for agents runs as it is written, and its plugins keep to the published layouts.
mod skill;
/// What is published, checked without private files.
mod check;
/// The action of GitHub and the hooks of pre-commit, run.
mod ci_files;
/// Every help text is as written down.
mod help;
/// What the references say of codes, commands, schemas and one another is so.
mod references;
/// The workflow of the README runs.
mod readme;
/// What the shell's rules prove of a command, against the shell.
mod shell;
/// Every accepted document and every evidence file, changed a little.
mod mutants;
/// Bodies of the fuzz targets, which the programs below `fuzz` call, too.
#[path = "../fuzz/targets/lib.rs"]
mod targets;
/// What fuzzing found holds.
mod fuzzed;
/// The layout rules hold: layers, lengths, dependencies, words.
mod tidy;
