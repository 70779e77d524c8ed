//! Where packets, episodes and repeat groups end: one pure function of the event sequence, fed event by
//! event. Collecting cuts segments with it, packetizing writes packets with it, so that both agree.

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

/// The slicer's state: constant size, whatever the ledger's.
#[derive(Debug, Clone, Default)]
pub struct Slicer {
    events: u64,
    packet_events: u64,
    packet_bytes: u64,
    last_time_ms: Option<i64>,
    repeat_key: Option<(Surface, Key)>,
    repeat_first: Ordinal,
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

        let key = (event.surface, Key::of(&[event.text.as_str()]));
        let repeats = self.repeat_key == Some(key);
        let repeat_ended = if repeats {
            None
        } else {
            let ended = self.open_repeat();
            self.repeat_key = Some(key);
            self.repeat_first = ordinal;
            ended
        };
        self.events += 1;
        Cut { packet, episode, repeats, repeat_ended }
    }

    /// The repeat group that the end of the ledger closes, if one is open.
    pub fn open_repeat(&self) -> Option<Run> {
        let run = self.events.saturating_sub(self.repeat_first);
        (self.repeat_key.is_some() && run >= REPEAT_EVENTS)
            .then(|| Run { first: self.repeat_first, last: self.events.saturating_sub(1) })
    }
}
