//! From a name to one file, and every way to end without one.

use camino::Utf8PathBuf;

use super::fixture::{GO_ON, Home, LATER, ONE, THREAD, TWO, base, child, rollout, user, zst};
use super::resolve::Unresolved;
use super::{Catalogue, Entry};
use crate::base::ids::{BoundaryId, Harness};
use crate::base::rules::Code;

fn native(catalogue: &Catalogue, id: &str) -> Result<Utf8PathBuf, &'static str> {
    told(catalogue.native(id, None, &GO_ON))
}

fn told(found: Result<&Entry, Unresolved<'_>>) -> Result<Utf8PathBuf, &'static str> {
    found.map(|entry| entry.path.clone()).map_err(|unresolved| match unresolved {
        Unresolved::NotFound(why) => why.unwrap_or("not found"),
        Unresolved::Ambiguous { why, .. } => why,
        Unresolved::Refused(refusal) => refusal.code().as_str(),
    })
}

#[test]
fn a_session_is_found_by_each_of_its_names() {
    let home = Home::new();
    let main = home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    let agent = home.claude(&format!("{ONE}/subagents/agent-a1.jsonl"), &[child(ONE, "a1")]);
    let thread = home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    let catalogue = home.catalogue();
    assert_eq!(native(&catalogue, ONE), Ok(main.clone()));
    assert_eq!(native(&catalogue, "agent-a1"), Ok(agent.clone()));
    assert_eq!(native(&catalogue, THREAD), Ok(thread));
    let id = BoundaryId::derive(Harness::Claude, ONE, None, None);
    assert_eq!(told(catalogue.boundary(id, &GO_ON)), Ok(main.clone()));
    assert_eq!(told(catalogue.digits(&id.hex(), &GO_ON)), Ok(main));
    let id = BoundaryId::derive(Harness::Claude, ONE, Some("a1"), None);
    assert_eq!(told(catalogue.boundary(id, &GO_ON)), Ok(agent));
    // No beginning of an id, and no other harness.
    assert_eq!(native(&catalogue, "11111111"), Err("not found"));
    assert_eq!(told(catalogue.native(ONE, Some(Harness::Codex), &GO_ON)), Err("not found"));
}

#[test]
fn a_thread_is_the_file_that_no_other_of_it_builds_on() {
    let home = Home::new();
    let first = home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    let later = home.codex(&format!("{THREAD}_{LATER}.jsonl"), rollout(THREAD, &base(THREAD)));
    // A fork of another thread builds on the first file, too, and supersedes nothing.
    home.codex(&format!("{TWO}.jsonl"), rollout(TWO, &base(LATER)));
    let catalogue = home.catalogue();
    assert_eq!(native(&catalogue, THREAD), Ok(later.clone()));
    assert_eq!(native(&catalogue, LATER), Ok(later));
    // The boundary id names one file of the thread, also an older one.
    let id = BoundaryId::derive(Harness::Codex, THREAD, None, None);
    assert_eq!(told(catalogue.boundary(id, &GO_ON)), Ok(first));
}

#[test]
fn two_heads_or_a_circle_are_no_head() {
    let home = Home::new();
    home.codex(&format!("{THREAD}_{LATER}.jsonl"), rollout(THREAD, &base("elsewhere")));
    home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    assert_eq!(native(&home.catalogue(), THREAD), Err("several files of one thread that no other builds on"));
    let home = Home::new();
    home.codex(&format!("{THREAD}_{LATER}.jsonl"), rollout(THREAD, &base(THREAD)));
    home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, &base(LATER)));
    assert_eq!(native(&home.catalogue(), THREAD), Err("files of one thread that build on one another"));
    // A file that names itself is one file all the same.
    let home = Home::new();
    let own = home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, &base(THREAD)));
    assert_eq!(native(&home.catalogue(), THREAD), Ok(own));
}

#[test]
fn a_plain_file_beats_what_it_was_compressed_to() {
    let text = rollout(THREAD, "");
    let grown = format!("{text}{{\"type\":\"event_msg\",\"payload\":{{\"type\":\"task_started\"}}}}\n");
    let twins = |plain: &str, packed: &[u8]| {
        let home = Home::new();
        let plain = home.codex(&format!("{THREAD}.jsonl"), plain);
        home.codex(&format!("{THREAD}.jsonl.zst"), packed);
        native(&home.catalogue(), THREAD).map(|found| found == plain)
    };
    assert_eq!(twins(&text, &zst(&text)), Ok(true));
    assert_eq!(twins(&grown, &zst(&text)), Ok(true));
    assert_eq!(twins(&text, &zst(&grown)), Err("a plain file that is shorter than the compressed one"));
    assert_eq!(twins(&text, &zst(&rollout(THREAD, ",\"x\":1"))), Err("copies that differ"));
    // What does not decode says nothing against the plain file, wherever the damage lies.
    let long = format!("{text}{}", noise(400_000));
    for cut in [100, zst(&long).len() - 1] {
        assert_eq!(twins(&long, &zst(&long)[..cut]), Ok(true), "cut at {cut}");
    }
    let home = Home::new();
    let alone = home.codex(&format!("{THREAD}.jsonl.zst"), zst(&text));
    assert_eq!(native(&home.catalogue(), THREAD), Ok(alone));
}

#[test]
fn a_thread_both_live_and_archived_is_refused_even_if_equal() {
    let home = Home::new();
    let live = home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    let archived = home.archived(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    let catalogue = home.catalogue();
    assert_eq!(native(&catalogue, THREAD), Err("one both live and archived"));
    let id = BoundaryId::derive(Harness::Codex, THREAD, None, None);
    assert_eq!(told(catalogue.boundary(id, &GO_ON)), Err("one both live and archived"));
    std::fs::remove_file(live).unwrap();
    assert_eq!(native(&home.catalogue(), THREAD), Ok(archived));
}

#[test]
fn of_copies_the_one_that_holds_all_others_is_meant() {
    let rows = [user(ONE, ""), user(ONE, ",\"x\":1"), user(ONE, ",\"x\":2")];
    let copies = |own: &[String], other: &[String]| {
        let home = Home::new();
        home.claude(&format!("{ONE}.jsonl"), own);
        home.claude(&format!("{ONE}.sync-conflict-20261130.jsonl"), &rows[..1]);
        home.put(&format!(".claude/projects/-v/{ONE}.jsonl"), other.concat());
        let found = native(&home.catalogue(), ONE);
        found.map(|path| std::fs::read_to_string(path).unwrap())
    };
    assert_eq!(copies(&rows[..2], &rows[..2]), Ok(rows[..2].concat()));
    assert_eq!(copies(&rows[..2], &rows), Ok(rows.concat()));
    assert_eq!(copies(&rows, &rows[..2]), Ok(rows.concat()));
    assert_eq!(copies(&rows, &[rows[0].clone(), rows[2].clone()]), Err("copies that differ"));
}

#[test]
fn a_child_id_of_two_sessions_and_an_id_of_two_harnesses_are_ambiguous() {
    let home = Home::new();
    home.claude(&format!("{ONE}/subagents/agent-a1.jsonl"), &[child(ONE, "a1")]);
    home.claude(&format!("{TWO}/subagents/agent-a1.jsonl"), &[child(TWO, "a1")]);
    home.claude(&format!("{THREAD}.jsonl"), &[user(THREAD, "")]);
    home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    let catalogue = home.catalogue();
    assert_eq!(native(&catalogue, "agent-a1"), Err("several sessions"));
    assert_eq!(native(&catalogue, THREAD), Err("sessions of two harnesses"));
    let unresolved = catalogue.native("agent-a1", None, &GO_ON).unwrap_err();
    let candidates = [ONE, TWO].map(|session| BoundaryId::derive(Harness::Claude, session, Some("a1"), None));
    let refusal = unresolved.refusal(false);
    assert_eq!(refusal.code(), Code::SessionAmbiguous);
    assert!(candidates.iter().all(|id| refusal.remedy().contains(&id.to_string())), "{}", refusal.remedy());
    assert!(!refusal.remedy().contains("bytes"));
    let detailed = catalogue.native("agent-a1", None, &GO_ON).unwrap_err().refusal(true);
    assert!(detailed.remedy().contains(" bytes, changed 2"), "{}", detailed.remedy());
}

#[test]
fn files_that_are_no_session_are_never_candidates_and_say_why() {
    let home = Home::new();
    let title = format!("{{\"type\":\"ai-title\",\"aiTitle\":\"t\",\"sessionId\":\"{ONE}\"}}\n");
    home.put(&format!(".claude/projects/-v/{ONE}.jsonl"), &title);
    assert_eq!(native(&home.catalogue(), ONE), Err("only titles, modes and the like, no conversation"));
    let main = home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    assert_eq!(native(&home.catalogue(), ONE), Ok(main));
}

/// Records that hardly compress, so that they fill several blocks.
fn noise(bytes: usize) -> String {
    let mut digest = blake3::Hasher::new();
    let mut text = String::new();
    while text.len() < bytes {
        digest.update(b"x");
        text.push_str(&format!(
            "{{\"type\":\"event_msg\",\"payload\":{{\"x\":\"{}\"}}}}\n",
            digest.finalize().to_hex()
        ));
    }
    text
}
