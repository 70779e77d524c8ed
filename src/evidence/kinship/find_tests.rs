//! What transcripts say, and which set follows from it: one refused case and one neighbour that is right for each rule.

use super::{Found, Kin, find};
use crate::base::ids::Harness;
use crate::base::rules::Code;
use crate::evidence::event::line::RecordSpan;
use crate::evidence::kinship::said::{By, Heard, Native, Relation};
use crate::evidence::kinship::search::Wanted;
use crate::evidence::kinship::set::{EdgeType, Follows, Side};
use crate::evidence::transcript::reading::Identity;

fn heard(harness: Harness, session: &str, agent: Option<&str>, rollout: Option<&str>) -> Heard {
    let mut heard = Heard::of(Identity {
        harness,
        session: session.to_owned(),
        agent: agent.map(str::to_owned),
        rollout: rollout.map(str::to_owned),
        form: "claude-jsonl",
        own_from: None,
        forked: false,
        child: agent.is_some(),
    });
    heard.whole = true;
    heard
}

fn claude(session: &str) -> Heard {
    heard(Harness::Claude, session, None, None)
}

/// A child that says of which session it is.
fn agent(session: &str, agent: &str) -> Heard {
    let mut child = heard(Harness::Claude, session, Some(agent), None);
    say(&mut child, Relation::Within(Native::Session(session.to_owned())), By::RowSessionId);
    child
}

fn codex(thread: &str) -> Heard {
    heard(Harness::Codex, thread, None, None)
}

fn say(heard: &mut Heard, relation: Relation, by: By) {
    let offset = heard.said.len() as u64 * 10;
    heard.add(relation, by, Some(RecordSpan { offset, length: 5 }));
}

fn session(id: &str) -> Native {
    Native::Session(id.to_owned())
}

fn of(session: &str, agent: &str) -> Native {
    Native::Agent { session: session.to_owned(), agent: agent.to_owned() }
}

fn saying(mut heard: Heard, relation: Relation, by: By) -> Heard {
    say(&mut heard, relation, by);
    heard
}

const CHILDREN: Follows = Follows { children: true, chain: false };
const CHAIN: Follows = Follows { children: false, chain: true };
const BOTH: Follows = Follows { children: true, chain: true };

fn look(all: &[Heard], follows: Follows, without: &[&str]) -> Result<Kin, Code> {
    let without: Vec<String> = without.iter().map(|id| (*id).to_owned()).collect();
    match find(all, &Wanted { selected: 0, follows, without: &without }) {
        Ok(Found::Kin(kin)) => Ok(kin),
        Ok(Found::NeedsWhole(needs)) => panic!("needs {needs:?}"),
        Err(refusal) => Err(refusal.code()),
    }
}

/// Edges as `from>to` with places of what was heard, `~` for a continuation.
fn edges(all: &[Heard], follows: Follows, without: &[&str]) -> Result<Vec<String>, Code> {
    let kin = look(all, follows, without)?;
    let place = |id| all.iter().position(|heard| heard.boundary() == id).unwrap();
    let sign = |kind| if kind == EdgeType::Child { '>' } else { '~' };
    Ok(kin
        .edges
        .iter()
        .map(|edge| format!("{}{}{}", place(edge.from), sign(edge.kind), place(edge.to)))
        .collect())
}

fn refused(all: &[Heard], follows: Follows) -> Option<Code> {
    look(all, follows, &[]).err()
}

#[test]
fn a_session_alone_is_a_set() {
    for follows in [CHILDREN, CHAIN, BOTH] {
        let kin = look(&[claude("s"), claude("t"), agent("t", "x")], follows, &[]).unwrap();
        assert_eq!((kin.members, kin.edges.len(), kin.left_out.len()), (vec![0], 0, 0));
    }
}

#[test]
fn children_hang_on_the_session_that_their_rows_name_or_on_the_agent_that_began_them() {
    let mut main = claude("s");
    say(&mut main, Relation::Began(of("s", "a")), By::ResultAgentId);
    say(&mut main, Relation::Knows(of("s", "a")), By::NotificationAgentId);
    let nested = saying(agent("s", "b"), Relation::BegunBy(of("s", "a")), By::MetaFile);
    let warm = agent("s", "w");
    let all = [main, agent("s", "a"), nested, warm, agent("t", "y")];
    assert_eq!(edges(&all, CHILDREN, &[]).unwrap(), ["0>1", "1>2", "0>3"]);
    let kin = look(&all, CHILDREN, &[]).unwrap();
    let proofs: Vec<(By, Side)> = kin.edges[0].proof.iter().map(|proof| (proof.by, proof.side)).collect();
    let expected = [
        (By::ResultAgentId, Side::From),
        (By::NotificationAgentId, Side::From),
        (By::RowSessionId, Side::To),
    ];
    assert_eq!(proofs, expected);
    assert_eq!(kin.edges[1].proof[0].side, Side::Beside);
    assert_eq!(edges(&all, CHAIN, &[]).unwrap(), [""; 0]);
}

#[test]
fn an_expected_agent_must_be_there_or_be_left_out_by_name() {
    for (relation, by) in [
        (Relation::Began(of("s", "a")), By::ResultAgentId),
        (Relation::Began(of("s", "a")), By::ProgressAgentId),
        (Relation::Knows(of("s", "a")), By::NotificationAgentId),
        (Relation::Knows(of("s", "a")), By::MetaFile),
    ] {
        let main = saying(claude("s"), relation, by);
        let missing = agent("s", "a").boundary();
        assert_eq!(refused(std::slice::from_ref(&main), CHILDREN), Some(Code::SetRelationMissing));
        assert!(edges(&[main.clone(), agent("s", "a")], CHILDREN, &[]).is_ok());
        for name in [missing.to_string(), missing.hex(), "a".to_owned()] {
            let kin = look(std::slice::from_ref(&main), CHILDREN, &[&name]).unwrap();
            assert_eq!(kin.left_out.len(), 1, "{name}");
            assert!(kin.left_out[0].missing && kin.left_out[0].boundary == missing);
        }
        // A chain asks for no children.
        assert_eq!(refused(&[main], CHAIN), None);
    }
}

#[test]
fn what_is_left_out_by_name_is_there_or_named_and_its_children_stay_out_with_it() {
    let nested = saying(agent("s", "b"), Relation::BegunBy(of("s", "a")), By::MetaFile);
    let all = [claude("s"), agent("s", "a"), nested, agent("s", "c")];
    let kin = look(&all, CHILDREN, &["a"]).unwrap();
    assert_eq!(kin.members, [0, 3]);
    assert!(!kin.left_out[0].missing);
    assert_eq!(look(&all, CHILDREN, &["nobody"]).unwrap_err(), Code::SetWithoutUnknown);
    // The selected session cannot be left out: nothing names it.
    assert_eq!(look(&all, CHILDREN, &["s"]).unwrap_err(), Code::SetWithoutUnknown);
}

#[test]
fn a_copied_history_expects_nobody_elses_children() {
    let fork = saying(claude("f"), Relation::Continues(session("s")), By::ForkedFrom);
    let fork = saying(fork, Relation::Knows(of("f", "a")), By::NotificationAgentId);
    assert_eq!(edges(&[fork.clone(), claude("s"), agent("s", "a")], CHILDREN, &[]).unwrap(), [""; 0]);
    assert_eq!(refused(&[fork, claude("s"), agent("t", "a")], CHILDREN), Some(Code::SetRelationMissing));
}

#[test]
fn two_parents_are_ambiguous_and_one_named_twice_is_one() {
    let began = |heard, agent| saying(heard, Relation::Began(of("s", agent)), By::ResultAgentId);
    let all = [began(began(claude("s"), "a"), "b"), began(agent("s", "a"), "b"), agent("s", "b")];
    assert_eq!(refused(&all, CHILDREN), Some(Code::SetRelationAmbiguous));
    assert_eq!(edges(&all, CHILDREN, &["b"]).unwrap(), ["0>1"]);
    let named = saying(agent("s", "b"), Relation::BegunBy(of("s", "a")), By::MetaFile);
    let all = [began(claude("s"), "a"), began(agent("s", "a"), "b"), named];
    assert_eq!(edges(&all, CHILDREN, &[]).unwrap(), ["0>1", "1>2"]);
    // The row that forked a child with the context of another session.
    let torn = saying(agent("s", "a"), Relation::Within(session("t")), By::ForkContextRef);
    assert_eq!(refused(&[claude("s"), torn], CHILDREN), Some(Code::SetRelationAmbiguous));
    let whole = saying(agent("s", "a"), Relation::Within(session("s")), By::ForkContextRef);
    assert_eq!(edges(&[claude("s"), whole], CHILDREN, &[]).unwrap(), ["0>1"]);
}

#[test]
fn a_session_that_lies_twice_is_a_duplicate() {
    let all = [claude("s"), agent("s", "a"), agent("s", "a")];
    assert_eq!(refused(&all, CHILDREN), Some(Code::SetRelationDuplicate));
    let fork = saying(claude("f"), Relation::Continues(session("s")), By::ForkedFrom);
    assert_eq!(refused(&[fork, claude("s"), claude("s")], CHAIN), Some(Code::SetRelationDuplicate));
}

#[test]
fn nobody_begins_itself() {
    let own = saying(agent("s", "a"), Relation::Began(of("s", "a")), By::ResultAgentId);
    assert_eq!(refused(&[own, claude("s")], CHILDREN), None, "the child itself asks for no parent");
    let own = saying(codex("t"), Relation::BegunBy(session("t")), By::ParentThreadId);
    assert_eq!(refused(&[own], CHILDREN), None);
    let own = saying(codex("t"), Relation::Began(session("t")), By::CollabCall);
    assert_eq!(refused(&[own], CHILDREN), Some(Code::SetRelationSelf));
    let own = saying(codex("t"), Relation::Continues(session("t")), By::ForkedFromId);
    assert_eq!(refused(&[own], CHAIN), Some(Code::SetRelationSelf));
    let own = saying(codex("t"), Relation::Continues(Native::Rollout("t".to_owned())), By::HistoryBase);
    assert_eq!(refused(&[own], CHAIN), Some(Code::SetRelationSelf));
}

#[test]
fn relations_that_lead_back_are_a_loop() {
    let one = saying(codex("a"), Relation::Continues(session("b")), By::ForkedFromId);
    let other = saying(codex("b"), Relation::Continues(session("a")), By::ForkedFromId);
    assert_eq!(refused(&[one.clone(), other], CHAIN), Some(Code::SetRelationLoop));
    assert_eq!(edges(&[one, codex("b")], CHAIN, &[]).unwrap(), ["1~0"]);
    let a = saying(agent("s", "a"), Relation::BegunBy(of("s", "b")), By::MetaFile);
    let b = saying(agent("s", "b"), Relation::BegunBy(of("s", "a")), By::MetaFile);
    assert_eq!(refused(&[a, b, claude("s")], CHILDREN), Some(Code::SetRelationLoop));
}

#[test]
fn an_id_that_is_no_plain_id_is_unsafe() {
    for id in ["../../etc/passwd", "a b", "a\u{202e}b", ""] {
        let main = saying(claude("s"), Relation::Began(of("s", id)), By::ResultAgentId);
        assert_eq!(refused(&[main], CHILDREN), Some(Code::SetRelationUnsafe), "{id:?}");
    }
}

#[test]
fn threads_follow_the_identity_line_of_the_child() {
    let begun = |id, parent| saying(codex(id), Relation::BegunBy(session(parent)), By::ParentThreadId);
    let silent = [codex("t"), begun("c", "t"), begun("g", "c"), begun("x", "y")];
    assert_eq!(edges(&silent, CHILDREN, &[]).unwrap(), ["0>1", "1>2"]);
    // Only the parent tells, in versions whose children do not.
    let spawned = saying(codex("t"), Relation::Began(session("c")), By::SpawnOutput);
    assert_eq!(edges(&[spawned.clone(), codex("c")], CHILDREN, &[]).unwrap(), ["0>1"]);
    assert_eq!(refused(std::slice::from_ref(&spawned), CHILDREN), Some(Code::SetRelationMissing));
    assert_eq!(refused(&[spawned, begun("c", "y")], CHILDREN), Some(Code::SetRelationAmbiguous));
    // To be named is not to be begun.
    let named = saying(codex("t"), Relation::Knows(session("c")), By::AgentActivity);
    assert_eq!(edges(&[named, begun("c", "y")], CHILDREN, &[]).unwrap(), [""; 0]);
}

#[test]
fn a_copied_spawn_is_the_origins() {
    let fork = saying(codex("f"), Relation::Continues(session("t")), By::ForkedFromId);
    let fork = saying(fork, Relation::Began(session("c")), By::AgentActivity);
    let child = saying(codex("c"), Relation::BegunBy(session("t")), By::ParentThreadId);
    assert_eq!(edges(&[fork, child, codex("t")], CHILDREN, &[]).unwrap(), [""; 0]);
}

#[test]
fn the_file_of_a_reverted_thread_that_names_the_child_is_its_parent() {
    let segment = || heard(Harness::Codex, "t", None, Some("r"));
    let child = || saying(codex("c"), Relation::BegunBy(session("t")), By::ParentThreadId);
    let names = |heard| saying(heard, Relation::Knows(session("c")), By::ForeignItem);
    assert_eq!(edges(&[names(codex("t")), segment(), child()], CHILDREN, &[]).unwrap(), ["0>2"]);
    assert_eq!(edges(&[codex("t"), names(segment()), child()], CHILDREN, &[]).unwrap(), [""; 0]);
    assert_eq!(refused(&[codex("t"), segment(), child()], CHILDREN), Some(Code::SetRelationAmbiguous));
    let both = [names(codex("t")), names(segment()), child()];
    assert_eq!(refused(&both, CHILDREN), Some(Code::SetRelationAmbiguous));
    assert_eq!(edges(&both, CHILDREN, &["c"]).unwrap(), [""; 0]);
}

#[test]
fn chains_go_both_ways_through_forks_references_and_reverts() {
    let base = |heard, rollout: &str| {
        saying(heard, Relation::Continues(Native::Rollout(rollout.to_owned())), By::HistoryBase)
    };
    let fork = |id, origin| saying(codex(id), Relation::Continues(session(origin)), By::ForkedFromId);
    let revert = base(heard(Harness::Codex, "t", None, Some("r")), "t");
    let by_reference = base(fork("f", "t"), "r");
    let all = [codex("t"), revert, by_reference, fork("g", "f"), fork("x", "y"), codex("y")];
    assert_eq!(edges(&all, CHAIN, &[]).unwrap(), ["0~1", "1~2", "2~3"]);
    let mut from_the_end = all.to_vec();
    from_the_end.swap(0, 3);
    assert_eq!(edges(&from_the_end, CHAIN, &[]).unwrap(), ["3~1", "1~2", "2~0"]);
    assert_eq!(edges(&all, CHAIN, &["f"]).unwrap(), ["0~1"]);
    // Without a base it is not said which of two files was copied.
    let unclear = [fork("f", "t"), codex("t"), heard(Harness::Codex, "t", None, Some("r"))];
    assert_eq!(refused(&unclear, CHAIN), Some(Code::SetRelationAmbiguous));
    assert_eq!(refused(&[fork("f", "t")], CHAIN), Some(Code::SetRelationMissing));
    assert_eq!(refused(&[base(codex("f"), "gone")], CHAIN), Some(Code::SetRelationMissing));
}

#[test]
fn a_copy_of_a_copy_continues_the_nearer_one() {
    let copy = |id, origin| saying(claude(id), Relation::Continues(session(origin)), By::RequestSessionId);
    let second = saying(copy("c", "a"), Relation::Continues(session("b")), By::ForkedFrom);
    let all = [second.clone(), copy("b", "a"), claude("a")];
    assert_eq!(edges(&all, CHAIN, &[]).unwrap(), ["2~1", "1~0"]);
    assert_eq!(refused(&[second, claude("b"), claude("a")], CHAIN), Some(Code::SetRelationAmbiguous));
}

#[test]
fn a_conversation_that_goes_on_elsewhere_is_followed_both_ways() {
    let old = saying(claude("a"), Relation::ContinuedIn(session("b")), By::ContinuedIn);
    assert_eq!(edges(&[old.clone(), claude("b")], CHAIN, &[]).unwrap(), ["0~1"]);
    assert_eq!(edges(&[claude("b"), old.clone()], CHAIN, &[]).unwrap(), ["1~0"]);
    assert_eq!(refused(std::slice::from_ref(&old), CHAIN), Some(Code::SetRelationMissing));
    let kin = look(&[old], CHAIN, &["b"]).unwrap();
    assert_eq!(kin.left_out[0].kind, EdgeType::Continuation);
}

#[test]
fn rows_join_files_only_where_one_file_holds_them_as_its_own() {
    let mut newer = claude("n");
    newer.follows = Some("row".to_owned());
    say(&mut newer, Relation::Continues(Native::HolderOf("row".to_owned())), By::ParentUuid);
    let holder = |id| {
        let mut holder = claude(id);
        holder.holds.insert("row".to_owned());
        holder
    };
    assert_eq!(edges(&[newer.clone(), holder("o"), claude("x")], CHAIN, &[]).unwrap(), ["1~0"]);
    assert_eq!(edges(&[holder("o"), newer.clone(), claude("x")], CHAIN, &[]).unwrap(), ["0~1"]);
    assert_eq!(edges(&[newer.clone(), claude("x")], CHAIN, &[]).unwrap(), [""; 0]);
    let two = [newer, holder("o"), holder("p")];
    assert_eq!(refused(&two, CHAIN), Some(Code::SetRelationAmbiguous));
}

#[test]
fn a_marked_copy_continues_the_one_session_with_its_first_row() {
    let rooted = |id, copy| {
        let mut heard = claude(id);
        (heard.root, heard.copy) = (Some("row".to_owned()), copy);
        heard
    };
    assert_eq!(edges(&[rooted("a", false), rooted("b", true)], CHAIN, &[]).unwrap(), ["0~1"]);
    assert_eq!(edges(&[rooted("b", true), rooted("a", false)], CHAIN, &[]).unwrap(), ["1~0"]);
    // Nothing tells which of two is the copy.
    assert_eq!(edges(&[rooted("a", false), rooted("b", false)], CHAIN, &[]).unwrap(), [""; 0]);
    let two = [rooted("b", true), rooted("a", false), rooted("c", false)];
    assert_eq!(refused(&two, CHAIN), Some(Code::SetRelationAmbiguous));
}

#[test]
fn what_was_heard_in_part_is_asked_for_whole() {
    let mut part = agent("s", "a");
    part.whole = false;
    let found =
        find(&[claude("s"), part, claude("t")], &Wanted { selected: 0, follows: CHILDREN, without: &[] });
    let Ok(Found::NeedsWhole(needs)) = found else { panic!("{found:?}") };
    assert_eq!(needs, [1].into());
}

#[test]
fn a_hostile_number_of_relatives_is_refused() {
    let mut main = claude("s");
    for number in 0..=crate::base::limits::SET_MEMBERS {
        say(&mut main, Relation::Knows(of("s", &format!("a{number}"))), By::NotificationAgentId);
    }
    assert_eq!(refused(&[main], CHILDREN), Some(Code::SetTooLarge));
}
