//! Small transcripts and what is heard of them, behind the head, too.

use std::sync::atomic::AtomicBool;

use camino::Utf8PathBuf;

use super::{Question, ends, whole};
use crate::evidence::kinship::said::{By, Heard, Native, Relation};
use crate::evidence::transcript::detect::identify;
use crate::evidence::transcript::input::Input;

const MAIN: &str = "5e551011-0000-4000-8000-000000000001";
const OTHER: &str = "5e551011-0000-4000-8000-000000000002";
const THREAD: &str = "0199aa00-1111-7222-8333-000000000001";
const CHILD: &str = "0199aa00-2222-7222-8333-000000000002";

struct File {
    input: Input,
    _keep: tempfile::TempDir,
}

impl File {
    fn new(name: &str, lines: &[String]) -> Self {
        let keep = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(keep.path().join(name)).unwrap();
        std::fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        Self { input: Input::open(&path).unwrap(), _keep: keep }
    }

    fn ends(&self) -> Heard {
        ends(self.input.source().path(), &identify(&self.input).unwrap()).unwrap()
    }

    fn whole(&self, question: &Question) -> Heard {
        let size = self.input.size_bytes_at_open();
        let identity = identify(&self.input).unwrap();
        whole(&self.input, size, &identity, question, &AtomicBool::new(false)).unwrap()
    }
}

fn row(uuid: &str, more: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{uuid}","sessionId":"{MAIN}","message":{{"role":"user","content":"x"}}{more}}}"#
    )
}

/// So many rows that what follows lies behind the head.
fn filler() -> Vec<String> {
    (0..100).map(|number| row(&format!("f{number}"), "")).collect()
}

fn agent(session: &str, agent: &str) -> Native {
    Native::Agent { session: session.to_owned(), agent: agent.to_owned() }
}

fn told(heard: &Heard) -> Vec<(By, Relation)> {
    heard.said.iter().map(|said| (said.by, said.relation.clone())).collect()
}

#[test]
fn a_child_is_heard_behind_the_head_with_the_place_of_its_first_record() {
    let result = row("r", r#","toolUseResult":{"status":"completed","agentId":"a1"}"#);
    let lines = [filler(), vec![format!("{}{result}", row("q", "")), result.clone()]].concat();
    let file = File::new(&format!("{MAIN}.jsonl"), &lines);
    assert_eq!(told(&file.ends()), []);
    let heard = file.whole(&Question::default());
    assert_eq!(told(&heard), [(By::ResultAgentId, Relation::Began(agent(MAIN, "a1")))]);
    let before: usize = filler().iter().map(|line| line.len() + 1).sum::<usize>() + row("q", "").len();
    let record = heard.said[0].record.unwrap();
    assert_eq!(
        (record.offset, record.length),
        (before as u64, result.len() as u64),
        "the second object of its line"
    );
}

#[test]
fn only_a_spawning_calls_output_names_a_child() {
    let meta =
        format!(r#"{{"type":"session_meta","payload":{{"id":"{THREAD}","history_mode":"paginated"}}}}"#);
    let call = |name: &str| {
        format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call","name":"{name}","call_id":"{name}","arguments":"{{}}"}}}}"#
        )
    };
    let output = |name: &str| {
        format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"{name}","output":"{{\"agent_id\":\"{CHILD}\"}}"}}}}"#
        )
    };
    let hear = |name: &str| {
        told(
            &File::new("rollout-x.jsonl", &[meta.clone(), call(name), output(name)])
                .whole(&Question::default()),
        )
    };
    let child = Relation::Began(Native::Session(CHILD.to_owned()));
    assert_eq!(hear("spawn_agent"), [(By::SpawnOutput, child)]);
    assert_eq!(hear("exec_command"), []);
}

#[test]
fn a_prompt_that_only_looks_like_a_result_names_nobody() {
    let quoted = format!(
        r#"{{"type":"user","uuid":"u","sessionId":"{MAIN}","message":{{"role":"user","content":"{{\"toolUseResult\":{{\"agentId\":\"a1\"}}}}"}}}}"#
    );
    assert_eq!(told(&File::new(&format!("{MAIN}.jsonl"), &[quoted]).whole(&Question::default())), []);
}

#[test]
fn what_copied_rows_name_is_not_this_sessions() {
    let origin = format!(r#","forkedFrom":{{"sessionId":"{OTHER}","messageUuid":"m"}}"#);
    let copied = row("c", &format!(r#"{origin},"toolUseResult":{{"agentId":"a1"}}"#));
    let heard = File::new(&format!("{MAIN}.jsonl"), &[copied, row("o", "")]).whole(&Question::default());
    let expected = Relation::Continues(Native::Session(OTHER.to_owned()));
    assert_eq!(told(&heard), [(By::ForkedFrom, expected)]);
}

#[test]
fn rows_that_are_asked_for_are_held_only_as_own_ones() {
    let copied = row("c", &format!(r#","forkedFrom":{{"sessionId":"{OTHER}","messageUuid":"m"}}"#));
    let file = File::new(&format!("{MAIN}.jsonl"), &[vec![copied], filler(), vec![row("mine", "")]].concat());
    let question =
        Question { rows: ["c", "mine", "absent"].map(str::to_owned).into(), ..Question::default() };
    assert_eq!(file.whole(&question).holds, ["mine".to_owned()].into());
}

#[test]
fn the_parent_of_the_first_row_counts_only_where_the_file_does_not_hold_it() {
    let state = r#"{"type":"mode","mode":"normal","sessionId":"s"}"#.to_owned();
    let late = |parent: &str| {
        let first = row("first", &format!(r#","parentUuid":"{parent}""#));
        [vec![state.clone(); 80], vec![first], filler(), vec![row("late", "")]].concat()
    };
    let hear =
        |parent: &str| told(&File::new(&format!("{MAIN}.jsonl"), &late(parent)).whole(&Question::default()));
    assert_eq!(hear("late"), []);
    let elsewhere = Relation::Continues(Native::HolderOf("elsewhere".to_owned()));
    assert_eq!(hear("elsewhere"), [(By::ParentUuid, elsewhere)]);
}

#[test]
fn the_end_says_where_a_conversation_goes_on() {
    let goes_on = format!(
        r#"{{"type":"continued-in","sessionId":"{MAIN}","continuedInSessionId":"{OTHER}","timestamp":"t"}}"#
    );
    let file = File::new(&format!("{MAIN}.jsonl"), &[filler(), vec![goes_on]].concat());
    let expected = (By::ContinuedIn, Relation::ContinuedIn(Native::Session(OTHER.to_owned())));
    assert_eq!(told(&file.ends()), std::slice::from_ref(&expected));
    assert_eq!(told(&file.whole(&Question::default())), [expected]);
}

#[test]
fn a_call_that_a_sidecar_names_is_found_in_the_session_that_made_it() {
    let call = |session: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"u","sessionId":"{session}","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_1","name":"Agent","input":{{}}}}]}}}}"#
        )
    };
    let calls = [("toolu_1".to_owned(), agent(MAIN, "a1"))];
    let question = Question { calls: calls.into(), ..Question::default() };
    let lines = [filler(), vec![call(MAIN)]].concat();
    let heard = File::new(&format!("{MAIN}.jsonl"), &lines).whole(&question);
    assert_eq!(told(&heard), [(By::MetaToolUse, Relation::Began(agent(MAIN, "a1")))]);
    let heard = File::new(&format!("{OTHER}.jsonl"), &[call(OTHER)]).whole(&question);
    assert_eq!(told(&heard), []);
}

#[test]
fn a_childs_rows_name_its_tree_and_a_forked_one_the_context_that_it_took() {
    let own = row("u", r#","isSidechain":true,"agentId":"a1""#);
    let context = format!(
        r#"{{"type":"fork-context-ref","agentId":"a1","parentSessionId":"{OTHER}","parentLastUuid":"x","sessionId":"{MAIN}"}}"#
    );
    let within = |session: &str| Relation::Within(Native::Session(session.to_owned()));
    let heard = File::new("agent-a1.jsonl", &[context, own.clone()]).whole(&Question::default());
    let expected = [(By::ForkContextRef, within(OTHER)), (By::RowSessionId, within(MAIN))];
    assert_eq!(told(&heard), expected);
    // Another agent's rows in the file say nothing of this one.
    let foreign = row("v", r#","isSidechain":true,"agentId":"a2""#);
    assert_eq!(told(&File::new("agent-a1.jsonl", &[foreign]).whole(&Question::default())), []);
}

#[test]
fn a_started_agent_was_begun_and_any_other_is_only_known() {
    let meta = |more: &str| {
        format!(r#"{{"type":"session_meta","payload":{{"id":"{THREAD}"{more},"history_mode":"paginated"}}}}"#)
    };
    let event = |payload: &str| format!(r#"{{"type":"event_msg","payload":{payload}}}"#);
    let hear = |lines: &[String]| told(&File::new("rollout-x.jsonl", lines).whole(&Question::default()));
    let activity = |kind: &str| {
        event(&format!(r#"{{"type":"sub_agent_activity","kind":"{kind}","agent_thread_id":"{CHILD}"}}"#))
    };
    let child = || Native::Session(CHILD.to_owned());
    assert_eq!(hear(&[meta(""), activity("started")]), [(By::AgentActivity, Relation::Began(child()))]);
    assert_eq!(hear(&[meta(""), activity("interacted")]), [(By::AgentActivity, Relation::Knows(child()))]);
    let spawned = event(&format!(r#"{{"type":"collab_agent_spawn_end","new_thread_id":"{CHILD}"}}"#));
    assert_eq!(hear(&[meta(""), spawned]), [(By::CollabCall, Relation::Began(child()))]);
    let collab = |tool: &str| {
        event(&format!(
            r#"{{"type":"item_completed","thread_id":"{THREAD}","item":{{"type":"CollabAgentToolCall","id":"c","tool":"{tool}","receiver_thread_ids":["{CHILD}"]}}}}"#
        ))
    };
    assert_eq!(hear(&[meta(""), collab("spawn_agent")]), [(By::CollabCall, Relation::Began(child()))]);
    assert_eq!(hear(&[meta(""), collab("wait")]), []);
    let foreign = event(&format!(
        r#"{{"type":"item_completed","thread_id":"{CHILD}","item":{{"type":"AgentMessage","id":"m","content":[]}}}}"#
    ));
    assert_eq!(hear(&[meta(""), foreign.clone()]), [(By::ForeignItem, Relation::Knows(child()))]);
    // In a copied history the other thread is the origin.
    let forked = meta(&format!(r#","forked_from_id":"{CHILD}""#));
    assert_eq!(hear(&[forked, foreign]), [(By::ForkedFromId, Relation::Continues(child()))]);
}
