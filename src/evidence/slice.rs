//! Where packets, episodes and repeat groups end: one pure function of the event sequence, fed event by
//! event. Collecting cuts segments with it, packetizing writes packets with it, so that both agree.

use serde::{Deserialize, Serialize};

use crate::base::ids::Ordinal;
use crate::base::limits::{
    EPISODE_GAP_MS, PACKET_EVENT_BYTES, PACKET_EVENTS, PACKET_TEXT_BYTES, REPEAT_EVENTS,
};
use crate::evidence::event::Event;
use crate::evidence::transcript::item::Surface;
use crate::evidence::transcript::reading::Key;

/// First and last ordinal, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// First.
    pub first: Ordinal,
    /// Last.
    pub last: Ordinal,
}

/// What an event begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The event is the first of a packet.
    pub packet: bool,
    /// The event is the first of an episode.
    pub episode: bool,
    /// It has the surface and the text of the event before it.
    pub repeats: bool,
    /// The event before it was the last of this repeat group.
    pub repeat_ended: Option<Run>,
}

/// Longest text that is kept to be compared with the next one, in bytes; of longer ones a fingerprint is.
const KEPT_TEXT_BYTES: usize = 64 * 1024;

/// The slicer's state: of bounded size, whatever the ledger's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Slicer {
    events: u64,
    packet_events: u64,
    packet_bytes: u64,
    last_time_ms: Option<i64>,
    last: Option<(Surface, Seen)>,
    repeat_first: Ordinal,
}

/// A text that the next one may repeat. To copy one is much faster than to hash it.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Seen {
    Text(String),
    Key(Key),
}

impl Seen {
    /// Remembers a text, in the room of an older one.
    fn of(text: &str, room: Option<Self>) -> Self {
        if text.len() > KEPT_TEXT_BYTES {
            return Self::Key(Key::of(&[text]));
        }
        let mut kept = if let Some(Self::Text(room)) = room { room } else { String::new() };
        kept.clear();
        kept.push_str(text);
        Self::Text(kept)
    }

    fn is(&self, text: &str) -> bool {
        match self {
            Self::Text(own) => own == text,
            Self::Key(key) => text.len() > KEPT_TEXT_BYTES && *key == Key::of(&[text]),
        }
    }
}

impl Slicer {
    /// Takes the next event and says what it begins.
    ///
    /// A packet holds at most 1,000 events and 128 KiB of text, each event counted with at most 8 KiB. An episode
    /// opens with a person's message or after a gap of over 30 minutes; an event without a timestamp has
    /// the last one seen, and a step backwards opens none.
    pub fn push(&mut self, event: &Event) -> Cut {
        let ordinal = self.events;
        let bytes = (event.text.as_str().len() as u64).min(PACKET_EVENT_BYTES);
        let full = self.packet_events >= PACKET_EVENTS || self.packet_bytes + bytes > PACKET_TEXT_BYTES;
        let packet = ordinal == 0 || full;
        if packet {
            self.packet_events = 0;
            self.packet_bytes = 0;
        }
        self.packet_events += 1;
        self.packet_bytes += bytes;

        let time_ms = event.time_ms().or(self.last_time_ms);
        let gap = match (self.last_time_ms, time_ms) {
            (Some(before), Some(now)) => now.saturating_sub(before) > EPISODE_GAP_MS,
            _ => false,
        };
        self.last_time_ms = time_ms;
        let episode = ordinal == 0 || gap || event.surface == Surface::User;

        let text = event.text.as_str();
        let repeats =
            self.last.as_ref().is_some_and(|(surface, seen)| *surface == event.surface && seen.is(text));
        let repeat_ended = if repeats {
            None
        } else {
            let ended = self.open_repeat();
            let room = self.last.take().map(|(_, seen)| seen);
            self.last = Some((event.surface, Seen::of(text, room)));
            self.repeat_first = ordinal;
            ended
        };
        self.events += 1;
        Cut { packet, episode, repeats, repeat_ended }
    }

    /// The repeat group that the end of the ledger closes, if one is open.
    pub fn open_repeat(&self) -> Option<Run> {
        let run = self.events.saturating_sub(self.repeat_first);
        (self.last.is_some() && run >= REPEAT_EVENTS)
            .then(|| Run { first: self.repeat_first, last: self.events.saturating_sub(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT_TEXT_BYTES, Seen};

    #[test]
    fn a_text_of_any_length_is_known_again_and_no_other() {
        let lengths = [0, 5, KEPT_TEXT_BYTES, KEPT_TEXT_BYTES + 1];
        let texts = lengths.map(|length| "a".repeat(length));
        let mut room = None;
        for text in &texts {
            let seen = Seen::of(text, room.take());
            let known: Vec<bool> = texts.iter().map(|other| seen.is(other)).collect();
            assert_eq!(known, texts.each_ref().map(|other| other == text));
            room = Some(seen);
        }
    }
}
