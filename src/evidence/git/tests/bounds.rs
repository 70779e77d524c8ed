//! Slow and talkative repositories: a probe ends, says why, and claims nothing.

use camino::Utf8Path;

use super::super::deadline::Deadline;
use super::super::survey::survey_until;
use super::super::{Candidates, Git, Outcome, Snapshot};
use super::Fixture;
use crate::base::limits;
use crate::base::rules::Code;

/// Stands in for git on a file system that does not answer: one question never ends. All are written down.
fn slow(fixture: &Fixture, question: &str) -> Git {
    let (git, asked) = (fixture.git.path().display(), fixture.home.join("asked"));
    let _absent = std::fs::remove_file(&asked);
    let script = format!(
        "echo \"$*\" >> '{asked}'\n\
         case \" $* \" in *\" {question} \"*) exec sleep 600;; esac\n\
         exec '{git}' \"$@\""
    );
    Git::stand_in(fixture.script("slow", &script).into_std_path_buf())
}

/// A machine that is slower than the bound from the first question on claims nothing either.
pub(super) fn if_begun(result: Result<Snapshot, Code>) -> Option<Snapshot> {
    match result {
        Err(Code::ProbeTimeout) => None,
        other => Some(other.expect("probed")),
    }
}

#[test]
fn a_status_that_does_not_come_is_not_a_clean_one() {
    let fixture = Fixture::new();
    let Some(snapshot) = if_begun(fixture.probe_patiently(&slow(&fixture, "status"), 3_000)) else { return };
    assert_eq!(snapshot.status, None);
    assert!(snapshot.limitations.contains(&Code::ProbeTimeout));
}

#[test]
fn after_a_question_without_an_answer_nothing_is_asked_or_claimed() {
    let fixture = Fixture::new();
    for question in ["symbolic-ref", "for-each-ref"] {
        let Some(snapshot) = if_begun(fixture.probe_patiently(&slow(&fixture, question), 3_000)) else {
            return;
        };
        assert_eq!((&snapshot.head, &snapshot.refs, &snapshot.reflog), (&None, &None, &None), "{question}");
        assert_eq!((snapshot.worktrees, snapshot.stashes), (None, None), "{question}");
        assert!(snapshot.limitations.contains(&Code::ProbeTimeout));
        assert!(!snapshot.limitations.contains(&Code::NoCommits));
        let asked = std::fs::read_to_string(fixture.home.join("asked")).expect("read");
        for further in [" log ", " reflog ", " worktree "] {
            assert!(!asked.contains(further), "{further} after {question}");
        }
    }
    for question in ["config", "rev-parse"] {
        let result = fixture.probe_patiently(&slow(&fixture, question), 1_000);
        assert_eq!(result, Err(Code::ProbeTimeout), "{question}");
    }
}

#[test]
fn all_repositories_together_have_a_bound() {
    let fixture = Fixture::new();
    fixture.other();
    let candidates =
        Candidates { named: vec![fixture.root.clone(), fixture.home.join("other")], ..Candidates::default() };
    let git = Ok(slow(&fixture, "config"));
    // The first one takes all the time there is; the second is not begun.
    let deadline = Deadline::within(1_500, 20_000);
    let outcomes = survey_until(&candidates, jiff::Timestamp::UNIX_EPOCH, &git, deadline);
    assert_eq!(outcomes.len(), 2);
    for outcome in outcomes {
        assert!(matches!(outcome, Outcome::NotProbed { reason: Code::ProbeTimeout, .. }), "{outcome:?}");
    }
    const { assert!(limits::PROBE_MS < limits::REPOSITORY_MS && limits::REPOSITORY_MS < limits::SURVEY_MS) }
}

/// More than a probe may print, in rows of this text.
fn too_much(row: impl Fn(usize) -> String) -> String {
    (0..limits::PROBE_BYTES / row(0).len() + 1).map(row).collect()
}

#[test]
fn a_status_that_is_too_long_is_not_a_clean_one() {
    let fixture = Fixture::new();
    let blob = fixture.plain(["rev-parse", "HEAD:a.txt"]);
    let name = "n".repeat(150);
    // Files of the index that are not in the work tree.
    fixture
        .feed(&["update-index", "--index-info"], &too_much(|row| format!("100644 {blob}\t{name}{row:06}\n")));
    let snapshot = fixture.probe();
    assert_eq!(snapshot.status, None);
    assert!(snapshot.limitations.contains(&Code::ProbeTruncated));
    assert!(snapshot.head.is_some());
}

#[test]
fn references_and_movements_that_are_too_long_are_not_empty() {
    let fixture = Fixture::new();
    let head = fixture.plain(["rev-parse", "HEAD"]);
    let name = "n".repeat(150);
    let sorted = too_much(|row| format!("{head} refs/tags/{name}{row:06}\n"));
    fixture.write(".git/packed-refs", &format!("# pack-refs with: peeled fully-peeled sorted \n{sorted}"));
    let reason = "r".repeat(limits::PROBE_BYTES / limits::PROBED_COMMITS);
    let movement = format!("{head} {head} A <a@example.org> 1700000000 +0000\t{reason}\n");
    fixture.write(".git/logs/HEAD", &movement.repeat(limits::PROBED_COMMITS));
    let snapshot = fixture.probe();
    assert_eq!((snapshot.refs, snapshot.reflog), (None, None));
    assert_eq!(snapshot.limitations, [Code::ProbeTruncated, Code::NoUpstream]);
    assert_eq!((snapshot.head, snapshot.branch.as_deref()), (Some(head), Some("main")));
    assert!(snapshot.status.expect("status").clean);
}

/// The flags of more files than one answer of git could list are still known.
#[test]
fn many_files_are_no_reason_to_say_less() {
    let fixture = Fixture::new();
    let blob = fixture.plain(["rev-parse", "HEAD:a.txt"]);
    let name = "n".repeat(100);
    let rows = too_much(|row| format!("100644 {blob}\t{name}{row:06}\n"));
    fixture.feed(&["update-index", "--index-info"], &rows);
    let names: Vec<&str> = rows.lines().filter_map(|row| row.split('\t').nth(1)).collect();
    for name in &names {
        std::fs::write(fixture.root.join(Utf8Path::new(name)), "one\n").expect("write");
    }
    fixture.plain(["commit", "--quiet", "-m", "many"]);
    let listed = fixture.plain(["ls-files", "-v", "--stage"]).len();
    assert!(listed > limits::PROBE_BYTES, "git lists them in {listed} bytes, so this shows nothing");
    assert!(fixture.probe().status.expect("status").clean);
}

/// A commit of a few bytes that says that it is four gigabytes long.
#[test]
fn an_object_that_unpacks_to_more_than_there_is_ends_as_a_limitation() {
    let fixture = Fixture::new();
    let id = "1234567890123456789012345678901234567890";
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let begin = b"commit 4294967296\0tree ";
    std::io::Write::write_all(&mut packed, begin).expect("packed");
    let path = fixture.object(id);
    std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    std::fs::write(path, packed.finish().expect("packed")).expect("write");
    fixture.write(".git/refs/heads/main", &format!("{id}\n"));
    let snapshot = fixture.probe();
    assert_eq!((snapshot.recent_commits, snapshot.status), (None, None));
    assert!(snapshot.limitations.contains(&Code::ProbeFailed));
}
