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
