//! What single files prove of themselves and of others.

use super::fixture::{GO_ON, Home, LATER, ONE, THREAD, TWO, answer, base, child, rollout, user, zst};
use super::{Catalogue, Entry, Kind, Link, NoSession, Proof, Relation, Target};
use crate::evidence::transcript::compressed::Trouble;

fn link(relation: Relation, to: Target, proof: Proof) -> Link {
    Link { relation, to, proof }
}

fn claude(relation: Relation, session: &str, proof: Proof) -> Link {
    link(relation, Target::claude(session, None), proof)
}

fn said(home: &Home, name: &str, rows: &[String]) -> Vec<Link> {
    let path = home.claude(name, rows);
    home.catalogue().at_path(&path).links.clone()
}

#[test]
fn copies_of_claude_name_their_origin_and_a_plain_session_nobody() {
    let home = Home::new();
    let name = format!("{ONE}.jsonl");
    assert_eq!(said(&home, &name, &[user(ONE, ""), answer(ONE, "")]), []);
    let forked = format!(",\"forkedFrom\":{{\"sessionId\":\"{TWO}\",\"messageUuid\":\"u\"}}");
    assert_eq!(
        said(&home, &name, &[user(ONE, &forked), answer(ONE, &forked), answer(ONE, "")]),
        [claude(Relation::ForkOf, TWO, Proof::ForkedFrom)]
    );
    let asked = format!(",\"requestSessionId\":\"{TWO}\"");
    assert_eq!(
        said(&home, &name, &[user(ONE, ""), answer(ONE, &asked)]),
        [claude(Relation::ForkOf, TWO, Proof::RequestSessionId)]
    );
    assert_eq!(
        said(&home, &name, &[user(TWO, ""), answer(TWO, ""), user(ONE, "")]),
        [claude(Relation::ForkOf, TWO, Proof::RowSessionId)]
    );
    // A file that was put under another name: its rows say so, and it is a copy of nobody.
    assert_eq!(said(&home, &name, &[user(TWO, "")]), [claude(Relation::Names, TWO, Proof::RowSessionId)]);
    let inherited =
        format!("{{\"type\":\"history-suppression\",\"sessionId\":\"{ONE}\",\"cause\":\"fork_inherit\"}}\n");
    assert_eq!(
        said(&home, &name, &[inherited, user(ONE, "")]),
        [link(Relation::ForkOf, Target::Unnamed, Proof::HistorySuppression)]
    );
}

#[test]
fn the_end_of_a_long_file_says_where_it_went() {
    let home = Home::new();
    let filler = user(ONE, &format!(",\"x\":\"{}\"", "y".repeat(1000)));
    let mut rows = vec![filler; 400];
    rows.push(format!("{{\"type\":\"relocated\",\"sessionId\":\"{ONE}\",\"relocatedCwd\":\"/v\"}}\n"));
    rows.push(format!(
        "{{\"type\":\"continued-in\",\"sessionId\":\"{ONE}\",\"continuedInSessionId\":\"{TWO}\"}}\n"
    ));
    rows.push("{\"type\":\"mode\",\"sess".to_owned());
    let path = home.claude(&format!("{ONE}.jsonl"), &rows);
    let catalogue = home.catalogue();
    let entry = catalogue.at_path(&path);
    assert_eq!(entry.links, [claude(Relation::ContinuedIn, TWO, Proof::ContinuedInRow)]);
    assert!(entry.marks.relocated && entry.marks.cut && !entry.marks.damaged);
    let directories: Vec<&str> = entry.work_directories.iter().map(|raw| raw.expose()).collect();
    assert_eq!(directories, ["/w", "/v"]);
}

#[test]
fn children_of_claude_in_old_new_and_nested_layout_name_their_parent() {
    let home = Home::new();
    let main = home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    let old = home.claude("agent-a1.jsonl", &[child(ONE, "a1")]);
    let new = home.claude(&format!("{ONE}/subagents/agent-a2.jsonl"), &[child(ONE, "a2")]);
    home.put(
        &format!(".claude/projects/-w/{ONE}/subagents/agent-a2.meta.json"),
        "{\"toolUseId\":\"toolu_1\",\"spawnDepth\":1}",
    );
    let nested = home.claude(&format!("{ONE}/subagents/agent-a3.jsonl"), &[child(ONE, "a3")]);
    home.put(
        &format!(".claude/projects/-w/{ONE}/subagents/agent-a3.meta.json"),
        "{\"parentAgentId\":\"a2\",\"spawnDepth\":2}",
    );
    let side = home.claude(&format!("{ONE}/subagents/agent-acompact-f.jsonl"), &[child(ONE, "acompact-f")]);
    let flow = home.claude(&format!("{ONE}/subagents/workflows/wf_1/agent-a4.jsonl"), &[child(ONE, "a4")]);
    let catalogue = home.catalogue();
    let of_session = [claude(Relation::ChildOf, ONE, Proof::RowsOfChild)];
    for (path, kind) in
        [(&old, Kind::Child), (&new, Kind::Child), (&side, Kind::SideRun), (&flow, Kind::WorkflowAgent)]
    {
        let entry = catalogue.at_path(path);
        assert_eq!((entry.kind, entry.links.as_slice()), (kind, of_session.as_slice()), "{path}");
        assert!(!catalogue.is_orphan(entry) && !entry.marks.name_disagrees);
    }
    let entry = catalogue.at_path(&nested);
    let parent = Target::claude(ONE, Some("a2"));
    assert_eq!(entry.links.first(), Some(&link(Relation::ChildOf, parent, Proof::SidecarParentAgent)));
    let to = &entry.links.first().unwrap().to;
    assert_eq!(catalogue.targets(to).first().map(|found| &found.path), Some(&new));
    let sidecar = catalogue.at_path(&new).sidecar.as_ref().unwrap();
    assert_eq!((sidecar.tool_use_id.as_deref(), sidecar.spawn_depth), (Some("toolu_1"), Some(1)));
    assert_eq!(catalogue.at_path(&main).kind, Kind::Session);
}

#[test]
fn neither_name_nor_folder_makes_a_child_of_a_session() {
    let home = Home::new();
    home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    let foreign = home.claude(&format!("{ONE}/subagents/agent-a1.jsonl"), &[child(TWO, "a1")]);
    let renamed = home.claude(&format!("{ONE}/subagents/agent-a2.jsonl"), &[child(ONE, "a9")]);
    let bare = home.claude("agent-a3.jsonl", &[user(ONE, "")]);
    let catalogue = home.catalogue();
    let entry = catalogue.at_path(&foreign);
    assert_eq!(entry.links, [claude(Relation::ChildOf, TWO, Proof::RowsOfChild)]);
    assert!(entry.marks.name_disagrees && catalogue.is_orphan(entry));
    let entry = catalogue.at_path(&renamed);
    assert!(entry.links.is_empty() && entry.marks.name_disagrees);
    assert_eq!(catalogue.at_path(&bare).links, []);
}

#[test]
fn a_forked_child_names_the_session_of_its_context() {
    let home = Home::new();
    let first = "{\"type\":\"fork-context-ref\",\"agentId\":\"a1\",\"parentSessionId\":\"".to_owned()
        + ONE
        + "\",\"contextLength\":3}\n";
    let path = home.claude(&format!("{ONE}/subagents/agent-a1.jsonl"), &[first, child(ONE, "a1")]);
    let catalogue = home.catalogue();
    assert_eq!(
        catalogue.at_path(&path).links,
        [
            claude(Relation::ChildOf, ONE, Proof::ForkContextRef),
            claude(Relation::ChildOf, ONE, Proof::RowsOfChild)
        ]
    );
}

#[test]
fn identity_lines_of_codex_name_parent_origin_base_and_root() {
    let home = Home::new();
    let more = format!(
        ",\"session_id\":\"{THREAD}\",\"parent_thread_id\":\"{THREAD}\",\"forked_from_id\":\"{THREAD}\",\
         \"source\":{{\"subagent\":{{\"thread_spawn\":{{\"parent_thread_id\":\"{THREAD}\",\"depth\":1}}}}}}{}",
        base(THREAD)
    );
    let path = home.codex(&format!("{LATER}.jsonl"), rollout(LATER, &more));
    let catalogue = home.catalogue();
    let entry = catalogue.at_path(&path);
    let thread = |relation, proof| link(relation, Target::codex(THREAD), proof);
    let rollout = Target::Rollout { rollout: THREAD.to_owned(), end_bytes: Some(99) };
    assert_eq!(
        entry.links,
        [
            thread(Relation::ChildOf, Proof::ParentThreadId),
            thread(Relation::ChildOf, Proof::ThreadSpawn),
            thread(Relation::ForkOf, Proof::ForkedFromId),
            thread(Relation::InTreeOf, Proof::RootSessionId),
            link(Relation::ForkOf, rollout, Proof::HistoryBase),
        ]
    );
    assert!(entry.kind == Kind::Child && catalogue.is_orphan(entry));
    let compact =
        home.codex(&format!("{LATER}.jsonl"), self::rollout(LATER, ",\"source\":{\"subagent\":\"compact\"}"));
    assert_eq!(home.catalogue().at_path(&compact).kind, Kind::SideRun);
}

#[test]
fn a_compressed_rollout_is_known_by_its_content_and_its_name() {
    let home = Home::new();
    let plain = home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    let packed = home.codex(&format!("{THREAD}_{LATER}.jsonl.zst"), zst(&rollout(THREAD, &base(THREAD))));
    let catalogue = home.catalogue();
    let entry = catalogue.at_path(&packed);
    assert_eq!((entry.identity.session.as_str(), entry.rollout()), (THREAD, LATER));
    assert!(entry.marks.compressed && !entry.marks.cut);
    assert!(catalogue.is_superseded(catalogue.at_path(&plain)) && !catalogue.is_superseded(entry));
}

#[test]
fn a_bare_rollout_of_2025_lies_flat_and_is_one() {
    let home = Home::new();
    let header = format!(
        "{{\"id\":\"{THREAD}\",\"timestamp\":\"2025-08-01T10:00:00.000Z\",\"git\":{{\"branch\":\"b\"}}}}\n"
    );
    let path = home.put(&format!(".codex/sessions/rollout-2025-08-01-{THREAD}.jsonl"), header);
    let catalogue = home.catalogue();
    let entry = catalogue.at_path(&path);
    assert_eq!((entry.identity.form, entry.identity.session.as_str()), ("codex-bare", THREAD));
    assert_eq!(entry.branches.iter().map(|raw| raw.expose()).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn the_one_document_of_the_first_cli_is_a_session_and_its_lines_are_no_damage() {
    let home = Home::new();
    let document = |items: &str| {
        format!(
            "{{\n  \"session\": {{\n    \"timestamp\": \"2025-06-01T10:00:00.000Z\",\n    \"id\": \"{THREAD}\",\n    \
             \"instructions\": \"\"\n  }},\n  \"{items}\": [\n    {{\n      \"type\": \"message\", \"role\": \"user\", \
             \"content\": []\n    }}\n  ]\n}}"
        )
    };
    let path = home.put(&format!(".codex/sessions/rollout-2025-06-01-{THREAD}.json"), document("items"));
    let other = home.put(&format!(".codex/sessions/rollout-2025-06-02-{LATER}.json"), document("notes"));
    let catalogue = home.catalogue();
    let entry = catalogue.at_path(&path);
    assert_eq!((entry.identity.form, entry.identity.session.as_str()), ("codex-document", THREAD));
    assert!(!entry.marks.damaged && !entry.marks.cut);
    let rejected: Vec<_> = catalogue.rejected().iter().map(|file| (&file.path, file.why)).collect();
    assert_eq!(rejected, [(&other, NoSession::Other("one JSON document"))]);
}

#[test]
fn why_a_file_is_no_session_is_said() {
    let home = Home::new();
    let mut expected = vec![
        (home.claude(&format!("{ONE}.jsonl"), &[]), NoSession::Empty),
        (
            home.claude(
                &format!("{TWO}.jsonl"),
                &[format!("{{\"type\":\"ai-title\",\"aiTitle\":\"t\",\"sessionId\":\"{TWO}\"}}\n")],
            ),
            NoSession::SideRowsOnly,
        ),
        (
            home.claude(
                &format!("{ONE}/subagents/workflows/wf_1/journal.jsonl"),
                &["{\"type\":\"started\",\"key\":\"k\",\"agentId\":\"a\"}\n".to_owned()],
            ),
            NoSession::Journal,
        ),
        (
            home.put(
                &format!(".claude/projects/-w/{ONE}/subagents/agent-a9.meta.json"),
                "{\"stoppedByUser\":true}",
            ),
            NoSession::SidecarAlone,
        ),
        (
            home.claude("other.jsonl", &["{\"role\":\"user\"}\n".to_owned()]),
            NoSession::Other("JSON lines of another program"),
        ),
        (home.claude("text.jsonl", &["hello\n".to_owned()]), NoSession::Other("plain text")),
        (home.codex("x.jsonl.zst", "hello"), NoSession::Compressed(Trouble::Damaged)),
        (
            home.codex("y.jsonl.zst", zst(&"{}\n".repeat(9))),
            NoSession::Other("JSON lines of another program"),
        ),
    ];
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    let catalogue = home.catalogue();
    let found: Vec<_> = catalogue.rejected().iter().map(|file| (file.path.clone(), file.why)).collect();
    assert_eq!(found, expected);
    assert!(catalogue.entries().is_empty());
    assert_eq!(catalogue.why_not(TWO), Some(NoSession::SideRowsOnly));
}

#[test]
fn damage_is_seen_at_both_ends_and_leaves_the_session_known() {
    let home = Home::new();
    let path = home.claude(&format!("{ONE}.jsonl"), &["\0\0\0\0\n".to_owned(), user(ONE, "")]);
    let catalogue = home.catalogue();
    assert!(catalogue.at_path(&path).marks.damaged);
    let mut rows = vec![user(ONE, &format!(",\"x\":\"{}\"", "y".repeat(2000))); 400];
    rows.push("{\"type\":\"user\"}}{\n".to_owned());
    home.claude(&format!("{ONE}.jsonl"), &rows);
    let catalogue = home.catalogue();
    let entry: &Entry = catalogue.at_path(&path);
    assert!(entry.marks.damaged && !entry.marks.cut);
}

#[test]
fn open_sessions_are_told_by_what_lies_beside_the_roots() {
    let home = Home::new();
    let one = home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    let two = home.claude(&format!("{TWO}.jsonl"), &[user(TWO, "")]);
    let thread = home.codex(&format!("{THREAD}.jsonl"), rollout(THREAD, ""));
    home.put(".claude/sessions/4711.json", format!("{{\"pid\":4711,\"sessionId\":\"{ONE}\"}}"));
    home.put(&format!(".codex/thread-writer-locks/{THREAD}.lock"), "");
    let catalogue = Catalogue::read(&home.roots(), &GO_ON).unwrap();
    let open = |path| catalogue.is_running(catalogue.at_path(path));
    assert_eq!([open(&one), open(&two), open(&thread)], [true, false, true]);
}
