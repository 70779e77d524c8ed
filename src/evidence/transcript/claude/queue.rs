//! `queue-operation` rows, and how a prompt that waited is one event and no more.
//!
//! What the versions write for a prompt sent to a busy (or, in `-p`, to any) session:
//!
//! - 2.1.8x and later: `enqueue` with the text; then either `dequeue` (which never names what it took) and a
//!   `user` row, or, taken into the running turn, a `queued_command` attachment and a `remove` with the text, in
//!   either order.
//! - Up to 2.1.42: `enqueue` with the text; then `dequeue` and a `user` row, or a bare `remove` and no other row.
//!   `-p` of these versions enqueues without text, so there the `user` row is the first carrier.
//!
//! So the `enqueue` row with a text is the event, and the later carrier with the same text its mirror, oldest
//! first (there is no shared id). A text that never comes back (absorbed, blocked by a hook) keeps its event.
//! A bare `remove` takes something unnamed that no other row will carry: pairing ends there, so that a later
//! prompt with the same words is never swallowed; at worst something is told twice. `popAll` gives prompts
//! back to the input box, one row for each; other reasons of `remove` than absorption end the pairing of
//! their text. A prompt with a picture is enqueued without its text: its `user` row is the event.

use super::envelope::{push_pieces, text};
use super::notification::learn_all;
use super::voice::{Voice, is_silent};
use super::words::Speaker;
use crate::evidence::transcript::item::{Actor, ActorGrade, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading, WindowMark};

/// The name of the pairing.
pub const CLASS: &str = "queue";

/// The two kinds of carriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The row that put the text into the queue.
    Put,
    /// The row that shows it was taken out.
    Taken,
}

/// The claim of a carrier of `text`.
pub fn claim(lane: Lane, text: &str) -> MirrorClaim {
    MirrorClaim::Order { class: CLASS, second_lane: lane == Lane::Taken, content: content(text) }
}

/// The versions differ in blank space at the ends.
fn content(text: &str) -> Key {
    Key::of(&[text.trim()])
}

/// `enqueue`.
pub fn enqueue(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let Some(queued) = text(row, "content").filter(|text| !is_silent(text)) else { return };
    let pieces = Speaker::Person(ActorGrade::Assumed).pieces(queued).into_iter().map(|(voice, text)| {
        let person = voice.surface == Surface::User;
        (if person { voice.with(facet::QUEUED) } else { voice }, text)
    });
    push_pieces(pieces.collect(), &mut reading.items);
    learn_all(reading);
    reading.mirrors.push(claim(Lane::Put, queued));
}

/// `remove`.
pub fn remove(row: &Json<'_>, reading: &mut Reading<Raw>) {
    reading.marks.extend(match (text(row, "content"), text(row, "reason")) {
        (None, None) => Some(WindowMark::Clear(CLASS)),
        (Some(removed), Some(reason)) if reason != "absorbed_mid_turn" => {
            Some(WindowMark::Withdraw(CLASS, content(removed)))
        }
        // Absorbed: the attachment beside this row is the second carrier.
        _ => None,
    });
}

/// `popAll`.
pub fn pop_all(row: &Json<'_>, reading: &mut Reading<Raw>) {
    let voice = Voice::put_in(Actor::Person, &[facet::WITHDRAWN]);
    if let Some(withdrawn) = text(row, "content") {
        reading.marks.push(WindowMark::Withdraw(CLASS, content(withdrawn)));
        reading.items.push(voice.says(withdrawn));
    } else {
        reading.marks.push(WindowMark::Clear(CLASS));
        reading.items.push(voice.says("Everything that waited in the queue was taken back."));
    }
}

#[cfg(test)]
mod tests {
    use super::{
        CLASS, Json, Lane, Raw, Reading, Surface, WindowMark, claim, enqueue, facet, pop_all, remove,
    };

    fn read(fill: fn(&Json<'_>, &mut Reading<Raw>), row: &str) -> Reading<Raw> {
        let mut reading = Reading::structural("queue-operation");
        fill(&Json::parse(row, &[]).unwrap().value, &mut reading);
        reading
    }

    #[test]
    fn an_enqueued_prompt_is_a_persons_and_waits_for_its_second_carrier() {
        let reading = read(enqueue, r#"{"content":"go on\n"}"#);
        assert_eq!(reading.items[0].surface, Surface::User);
        assert_eq!(reading.items[0].facets, [facet::QUEUED]);
        assert_eq!(reading.mirrors, [claim(Lane::Put, "go on")]);
        assert!(read(enqueue, "{}").items.is_empty());
    }

    #[test]
    fn an_enqueued_notification_is_put_in() {
        let reading =
            read(enqueue, r#"{"content":"<task-notification><task-id>b</task-id></task-notification>"}"#);
        assert_eq!(reading.items[0].facets, ["injected:notification"]);
        assert_eq!(reading.items[0].entities[0].kind, "task");
    }

    #[test]
    fn a_bare_remove_ends_all_pairing_and_an_absorbing_one_none() {
        assert_eq!(read(remove, "{}").marks, [WindowMark::Clear(CLASS)]);
        assert!(read(remove, r#"{"content":"a","reason":"absorbed_mid_turn"}"#).marks.is_empty());
        assert!(read(remove, r#"{"content":"a"}"#).marks.is_empty());
        let marks = read(remove, r#"{"content":"a","reason":"cancelled"}"#).marks;
        assert!(matches!(marks.as_slice(), [WindowMark::Withdraw(CLASS, _)]));
    }

    #[test]
    fn what_is_popped_is_withdrawn() {
        let reading = read(pop_all, r#"{"content":"I think"}"#);
        assert_eq!(
            (reading.items[0].text.expose(), reading.items[0].facets.as_slice()),
            ("I think", [facet::WITHDRAWN].as_slice())
        );
        assert!(matches!(reading.marks.as_slice(), [WindowMark::Withdraw(CLASS, _)]));
    }
}
