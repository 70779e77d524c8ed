//! What is known of the end of a session, in its own words: what an event states and which one, and which
//! verification came after the last mutation. Nothing here is a state now.

use super::plain::{Span, push_list, push_more};
use crate::base::ids::EventId;
use crate::evidence::command::fact::{EndFact, FactKind};
use crate::evidence::command::observation::{Observation, Outcome};
use crate::evidence::manifest::{Git, LastMutation};
use crate::evidence::table::Table;

/// Events whose facts a line shows.
const SHOWN: usize = 3;

/// The facts by the events that state them, the last one first.
pub fn session_end(git: &Git) -> Vec<Span> {
    let mut spans = vec![Span::Own("Git session_end: ")];
    let by_event: Vec<&[EndFact]> =
        git.session_end.facts().chunk_by(|one, other| one.event == other.event).collect();
    if by_event.is_empty() {
        spans.push(Span::Own("unknown"));
        return spans;
    }
    for (place, facts) in by_event.iter().rev().take(SHOWN).enumerate() {
        if place > 0 {
            spans.push(Span::Own("; "));
        }
        push_list(&mut spans, facts.iter().map(fact));
        if let Some(first) = facts.first() {
            if let Some(workdir) = &first.workdir {
                spans.extend([Span::Own(" in "), Span::code(workdir)]);
            }
            spans.extend([Span::Own(" as said by event "), Span::text(first.result.ordinal())]);
        }
    }
    push_more(&mut spans, by_event.len().saturating_sub(SHOWN) as u64, [" event", " events"]);
    spans.push(Span::Own("; no later event is known to change it"));
    spans
}

fn fact(fact: &EndFact) -> Vec<Span> {
    match (fact.kind, fact.value.as_str()) {
        (FactKind::Clean, "true") => vec![Span::Own("clean")],
        (FactKind::Clean, _) => vec![Span::Own("not clean")],
        (kind, value) => vec![Span::Own(kind.name()), Span::Own(" "), Span::code(value)],
    }
}

/// The last mutation, and what was verified after it.
pub fn last_mutation(last: Option<LastMutation>, table: &Table) -> Vec<Span> {
    let Some(last) = last else { return vec![Span::Own("Last mutation: none observed")] };
    let mut spans = vec![
        Span::Own("Last mutation: event "),
        Span::text(last.event.ordinal()),
        Span::Own(" ("),
        Span::text(last.kind.name()),
        Span::Own("); verification runs after it: "),
    ];
    let count = |outcome| runs_after(last.event, table).filter(|own| *own == outcome).count();
    let counted = [(Outcome::Passed, "passed"), (Outcome::Failed, "failed"), (Outcome::Unknown, "unknown")];
    let counted = counted.map(|(outcome, name)| (count(outcome), name));
    let shown: Vec<_> = counted.into_iter().filter(|(count, _)| *count > 0).collect();
    if shown.is_empty() {
        spans.push(Span::Own("none"));
    }
    push_list(
        &mut spans,
        shown.into_iter().map(|(count, name)| vec![Span::text(count), Span::Own(" "), Span::Own(name)]),
    );
    spans
}

/// Outcomes of the runs that no mutation followed. One in the same call may stand beside it or behind it.
fn runs_after(last: EventId, table: &Table) -> impl Iterator<Item = Outcome> {
    table.observations().iter().filter_map(move |row| match row {
        Observation::VerificationRun { attempt, outcome, stale: false, .. } if attempt.call >= last => {
            Some(*outcome)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{id, session};
    use super::{FactKind, session_end};
    use crate::evidence::command::fact::{EndFact, SessionEnd};

    fn told(facts: &[(FactKind, &str, Option<&str>, u64)]) -> String {
        let mut git = session().manifest.git;
        let fact = |(kind, value, workdir, call): &(FactKind, &str, Option<&str>, u64)| EndFact {
            kind: *kind,
            value: (*value).to_owned(),
            workdir: workdir.map(str::to_owned),
            event: id(*call),
            result: id(*call + 1),
        };
        git.session_end = SessionEnd::of(facts.iter().map(fact).collect());
        session_end(&git).iter().map(|span| span.as_str().to_owned()).collect()
    }

    #[test]
    fn facts_stand_with_the_event_that_says_them_the_last_first() {
        let tail = "; no later event is known to change it";
        let (head, clean) = (FactKind::Head, FactKind::Clean);
        assert_eq!(told(&[]), "Git session_end: unknown");
        assert_eq!(
            told(&[
                (head, "abc1234", None, 3),
                (FactKind::Branch, "main", Some("/w"), 5),
                (clean, "false", Some("/w"), 5)
            ]),
            format!(
                "Git session_end: branch main, not clean in /w as said by event 6; head abc1234 as said by event 4{tail}"
            )
        );
        let many: Vec<_> = (0..5).map(|number| (clean, "true", None, 2 * number + 1)).collect();
        assert_eq!(
            told(&many),
            format!(
                "Git session_end: clean as said by event 10; clean as said by event 8; clean as said by event 6 +2 events{tail}"
            )
        );
    }
}
