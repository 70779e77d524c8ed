//! The rows that packetizing writes, as one pure function of the event lines; checking runs it again.

use serde::{Deserialize, Serialize};

use super::show::{first_words, name};
use crate::base::digest::{Digest, Hasher};
use crate::base::ids::{EventId, Ordinal};
use crate::base::limits::PART_BYTES;
use crate::evidence::event::Event;
use crate::evidence::slice::Slicer;
use crate::evidence::transcript::item::{Status, Surface};

/// Characters of an event's text in the outline.
const OUTLINE_CHARACTERS: usize = 80;
/// Bytes of a part that its header may take.
const HEADER_BYTES: usize = 600;

/// A bounded slice for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketRow {
    /// `p<number>-<12 hex>`.
    pub packet_id: String,
    /// First event.
    pub first_ordinal: Ordinal,
    /// Last event.
    pub last_ordinal: Ordinal,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Digest of its ledger lines, each with its LF.
    pub sha256: Digest,
}

/// A run of events opened by a person's message or a long gap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeRow {
    /// From 0.
    pub episode: u64,
    /// First event.
    pub first_ordinal: Ordinal,
    /// Last event.
    pub last_ordinal: Ordinal,
    /// As written on the first event that has one.
    pub first_timestamp: Option<String>,
    /// As written on the last event that has one.
    pub last_timestamp: Option<String>,
    /// Digest of its event ids, each with an LF.
    pub event_ids_sha256: Digest,
}

/// Three or more events in a row with the same surface and text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatRow {
    /// First event.
    pub first_ordinal: Ordinal,
    /// Last event.
    pub last_ordinal: Ordinal,
    /// Their surface.
    pub surface: Surface,
    /// Digest of their text.
    pub text_sha256: Digest,
}

/// One row and the stream that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Of the packets.
    Packet(PacketRow),
    /// Of the episodes.
    Episode(EpisodeRow),
    /// Of the repeat groups.
    Repeat(RepeatRow),
    /// One line of the outline; with `true` it begins a part.
    Outline(String, bool),
}

/// Cuts events into rows.
#[derive(Default)]
pub struct Cutter {
    slicer: Slicer,
    packets: u64,
    packet: Option<OpenPacket>,
    episode: Option<(EpisodeRow, Hasher)>,
    episodes: u64,
    part_bytes: usize,
    lines: u64,
    run: Option<OpenRun>,
}

/// Events in a row with equal surface and text.
struct OpenRun {
    surface: Surface,
    first: EventId,
    count: u64,
    /// Made when the run has a second event: most have none, and it costs a pass over the text.
    text_sha256: Option<Digest>,
}

struct OpenPacket {
    first: Ordinal,
    last: Ordinal,
    text_bytes: u64,
    hasher: Hasher,
}

impl Cutter {
    /// Takes the next event and its line.
    pub fn push(&mut self, event: &Event, line: &[u8], row: &mut dyn FnMut(Row)) {
        let cut = self.slicer.push(event);
        if cut.packet {
            self.close_packet(row);
        }
        if cut.episode {
            self.close_episode(row);
        }
        let packet = self.packet.get_or_insert_with(|| OpenPacket {
            first: event.ordinal,
            last: event.ordinal,
            text_bytes: 0,
            hasher: Hasher::default(),
        });
        packet.last = event.ordinal;
        packet.text_bytes += event.text.as_str().len() as u64;
        packet.hasher.update(line);
        packet.hasher.update(b"\n");
        self.episode_event(event);
        self.run_event(event, cut.repeats, row);
    }

    /// Closes what is open.
    pub fn finish(mut self, row: &mut dyn FnMut(Row)) {
        self.close_run(row);
        self.close_packet(row);
        self.close_episode(row);
    }

    fn close_packet(&mut self, row: &mut dyn FnMut(Row)) {
        let Some(mut packet) = self.packet.take() else { return };
        let sha256 = std::mem::take(&mut packet.hasher).finish();
        let tag: String = sha256.to_string().chars().take(12).collect();
        let packet_id = format!("p{}-{tag}", self.packets);
        let OpenPacket { first: first_ordinal, last: last_ordinal, text_bytes, .. } = packet;
        // The id follows from the packet's lines, so the outline can name it only behind them.
        self.outline(format!("= packet {packet_id} holds events {first_ordinal} to {last_ordinal}"), row);
        row(Row::Packet(PacketRow { packet_id, first_ordinal, last_ordinal, text_bytes, sha256 }));
        self.packets += 1;
    }

    fn episode_event(&mut self, event: &Event) {
        let number = self.episodes;
        let (episode, ids) = self.episode.get_or_insert_with(|| {
            let episode = EpisodeRow {
                episode: number,
                first_ordinal: event.ordinal,
                last_ordinal: event.ordinal,
                first_timestamp: None,
                last_timestamp: None,
                event_ids_sha256: Digest::of(&[]),
            };
            (episode, Hasher::default())
        });
        episode.last_ordinal = event.ordinal;
        ids.update(format!("{}\n", event.event_id).as_bytes());
        if let Some(timestamp) = event.timestamp.as_ref().filter(|_| event.time_ms().is_some()) {
            let text = timestamp.as_str().to_owned();
            episode.first_timestamp.get_or_insert_with(|| text.clone());
            episode.last_timestamp = Some(text);
        }
    }

    fn close_episode(&mut self, row: &mut dyn FnMut(Row)) {
        let Some((mut episode, ids)) = self.episode.take() else { return };
        episode.event_ids_sha256 = ids.finish();
        self.episodes += 1;
        row(Row::Episode(episode));
    }

    /// Follows runs of equal events: the outline shows the first and folds the others.
    fn run_event(&mut self, event: &Event, repeats: bool, row: &mut dyn FnMut(Row)) {
        if let Some(run) = self.run.as_mut().filter(|_| repeats) {
            run.count += 1;
            run.text_sha256.get_or_insert_with(|| Digest::of(event.text.as_str().as_bytes()));
            return;
        }
        self.close_run(row);
        self.run =
            Some(OpenRun { surface: event.surface, first: event.event_id, count: 1, text_sha256: None });
        self.outline(outline_line(event), row);
    }

    fn close_run(&mut self, row: &mut dyn FnMut(Row)) {
        let Some(OpenRun { surface, first, count, text_sha256 }) = self.run.take() else { return };
        let first_ordinal = first.ordinal();
        let last_ordinal = first_ordinal + count - 1;
        if count > 1 {
            let times = if count == 2 { "once more".to_owned() } else { format!("{} more times", count - 1) };
            self.outline(format!("… the same {times}, to event {last_ordinal}"), row);
        }
        if let Some(text_sha256) = text_sha256.filter(|_| count >= crate::base::limits::REPEAT_EVENTS) {
            row(Row::Repeat(RepeatRow { first_ordinal, last_ordinal, surface, text_sha256 }));
        }
    }

    fn outline(&mut self, line: String, row: &mut dyn FnMut(Row)) {
        let bytes = line.len() + 1;
        let begins = self.lines == 0 || self.part_bytes + bytes > PART_BYTES - HEADER_BYTES;
        self.part_bytes = if begins { bytes } else { self.part_bytes + bytes };
        self.lines += 1;
        row(Row::Outline(line, begins));
    }
}

/// `e12-… tool_result Bash error 1 · first words`.
fn outline_line(event: &Event) -> String {
    let mut line = format!("{} {}", event.event_id, event.surface.name());
    if let Some(tool) = &event.tool {
        if let Some(tool_name) = &tool.name {
            line.push(' ');
            line.push_str(&name(tool_name.as_str(), 40));
        }
        if let Some(status) = tool.status {
            line.push(' ');
            line.push_str(status_name(status));
        }
        if let Some(code) = tool.exit_code.filter(|code| *code != 0) {
            line.push_str(&format!(" exit {code}"));
        }
    }
    for facet in event.facets.iter().take(3) {
        line.push_str(" [");
        line.push_str(facet);
        line.push(']');
    }
    line.push_str(" | ");
    line.push_str(&first_words(event.text.as_str(), OUTLINE_CHARACTERS));
    line
}

/// The name of a status in documents.
pub const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Error => "error",
        Status::Interrupted => "interrupted",
        Status::Rejected => "rejected",
        Status::Unknown => "unknown",
    }
}
