//! `response_item/message` and `response_item/agent_message`: who speaks, judged part by part, because one
//! message may hold injected context and a person's words side by side.

use super::hooks;
use super::line::{Line, name, spoken, system, withhold};
use super::parts::{Part, joined, listed, part};
use super::plans;
use super::shell;
use super::wrappers::{self, Wrapper};
use crate::evidence::transcript::item::{Actor, ActorGrade, Item, Surface, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading, WindowMark};
use crate::evidence::transcript::wiped;

/// Who says a part, and how that is known.
#[derive(Clone, PartialEq, Eq)]
struct Voice {
    surface: Surface,
    actor: Actor,
    grade: ActorGrade,
    facets: &'static [&'static str],
}

impl Voice {
    const fn person(grade: ActorGrade) -> Self {
        Self { surface: Surface::User, actor: Actor::Person, grade, facets: &[] }
    }

    const fn injected(wrapper: &'static Wrapper) -> Self {
        Self {
            surface: Surface::System,
            actor: wrapper.actor,
            grade: ActorGrade::Proven,
            facets: wrapper.facets,
        }
    }
}

/// What version 0.171 says about a part: its kind and where it came from.
struct Mark<'j> {
    kind: Option<&'j str>,
    provenance: Option<&'j str>,
    hook: bool,
}

impl<'j> Mark<'j> {
    fn of(line: &Line<'j, '_>, place: usize) -> Self {
        // The first builds that marked parts called the member `metadata`.
        let marks = match line.body.get("internal_chat_message_metadata_passthrough") {
            Json::Null => line.body.get("metadata"),
            marks => marks,
        };
        let kind = marks.get("content_item_kinds").items().get(place).and_then(Json::as_str);
        let provenance =
            marks.get("content_item_metadata").items().get(place).map(|entry| entry.get("provenance"));
        Self {
            kind: kind.filter(|kind| *kind != "unknown"),
            provenance: provenance.and_then(|provenance| provenance.get("type").as_str()),
            hook: provenance.is_some_and(|provenance| provenance.get("hook").as_bool() == Some(true)),
        }
    }

    fn is_person(&self) -> bool {
        self.provenance == Some("user")
            || (self.provenance.is_none() && self.kind.is_some_and(|kind| kind.starts_with("user.")))
    }

    const fn is_there(&self) -> bool {
        self.kind.is_some() || self.provenance.is_some()
    }

    fn voice(&self, developer: bool, text: &str) -> Voice {
        if self.is_person() && !developer {
            return Voice::person(ActorGrade::Proven);
        }
        let known = wrappers::by_text(text).or_else(|| wrappers::by_mark(self.kind?));
        match known {
            Some(wrapper) => Voice::injected(wrapper),
            None if self.hook => Voice::injected(&wrappers::HOOK),
            None if developer => Voice::injected(&wrappers::DEVELOPER),
            None if self.is_there() => Voice::injected(&wrappers::OTHER),
            None => Voice::person(ActorGrade::Assumed),
        }
    }
}

/// A message of any role.
pub fn message(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    match line.text("role") {
        Some("assistant") => assistant(line, reading),
        Some("user") => told(line, reading, false),
        _ => told(line, reading, true),
    }
}

/// The model's words; a compaction's summary is the model's, too, but speaks to its successor.
fn assistant(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = joined(line.body.get("content"), reading);
    if text.is_empty() {
        return;
    }
    let metadata = line.record.get("metadata");
    if metadata.get("compaction_output").as_bool() == Some(true) {
        reading.mirrors.push(summary_claim(false, &text));
        reading.items.push(system(Actor::Model, vec![facet::COMPACTION], text));
        return;
    }
    if let Some(id) = line.text("id") {
        reading.mirrors.push(answer_id_claim(id, &text));
    }
    reading.mirrors.push(answer_order_claim(false, &text));
    reading.mirrors.extend(plans::lone(&text).map(|plan| plans::claim(false, plan)));
    reading.marks.push(WindowMark::Clear("prompt"));
    let mut item = answer(line.text("phase"), text);
    if !metadata.get("delivered_assistant_message").is_null() {
        item.facets.push("delivered_from_code");
    }
    reading.items.push(item);
}

/// An assistant item.
pub fn answer(phase: Option<&str>, text: String) -> Item<Raw> {
    let facets = match phase {
        Some("commentary") => vec!["commentary"],
        Some("final_answer") => vec!["final_answer"],
        Some("partial_answer") => vec!["partial_answer"],
        _ => Vec::new(),
    };
    spoken(Surface::Assistant, Actor::Model, ActorGrade::Proven, facets, text)
}

/// The claim of carriers that share the message's id.
pub fn answer_id_claim(id: &str, text: &str) -> MirrorClaim {
    MirrorClaim::Id { class: "item", id: Key::of(&[id]), content: answer_key(text) }
}

/// The claim of carriers without a common id (legacy mode, migrated files).
pub fn answer_order_claim(second_lane: bool, text: &str) -> MirrorClaim {
    MirrorClaim::Order { class: "answer", second_lane, content: answer_key(text) }
}

/// Memory citations are a footnote for the program, and a plan is told by an item of its own: the raw message has
/// both, its copies do not.
fn answer_key(text: &str) -> Key {
    let shown = plans::without_plans(&plans::without(text, "<oai-mem-citation>", "</oai-mem-citation>"));
    Key::of(&[Surface::Assistant.name(), shown.trim()])
}

/// The claim that joins a compaction's summary message and its `compacted` line.
pub fn summary_claim(second_lane: bool, text: &str) -> MirrorClaim {
    let summary = match text.strip_prefix(wrappers::SUMMARY_PREFIX) {
        Some(rest) => rest.split_once(":\n").map_or(rest, |(_, summary)| summary),
        None => text,
    };
    MirrorClaim::Order { class: "compaction", second_lane, content: Key::of(&["compaction", summary]) }
}

/// The claim that joins the two carriers of a prompt.
pub fn prompt_claim(second_lane: bool, words: &str) -> MirrorClaim {
    MirrorClaim::Order { class: "prompt", second_lane, content: Key::of(&[Surface::User.name(), words]) }
}

/// A message of role user, developer or system.
fn told(line: &Line<'_, '_>, reading: &mut Reading<Raw>, developer: bool) {
    let mut told = Told::default();
    for (place, value) in listed(line.body.get("content")).iter().enumerate() {
        let mark = Mark::of(line, place);
        match part(value) {
            Part::Encrypted => withhold(reading, "encrypted", value.get("encrypted_content")),
            Part::Shown(text) => told.show(mark.voice(developer, ""), &text),
            Part::Text("") => {}
            Part::Text(text) if wrappers::is_media_label(text) => told.show(mark.voice(developer, ""), text),
            // The command alone is the person's; what came of it is not.
            Part::Text(text)
                if !mark.is_person() && wrappers::is_user_shell(text) && shell::ran(text, reading) => {}
            Part::Text(text) => told.say(mark.voice(developer, text), text),
        }
    }
    if let Some(id) = line.text("id").filter(|_| !told.hook_words.is_empty()) {
        reading.mirrors.push(hooks::claim(id, &told.hook_words));
    }
    let person = told.spans.iter().any(|(voice, _)| voice.surface == Surface::User);
    if !developer && !told.spans.is_empty() {
        // Older versions copied injected messages, too; then all of the text is what the copy has.
        reading.mirrors.push(prompt_claim(false, if person { &told.words } else { &told.all }));
    }
    if person {
        reading.marks.push(WindowMark::Clear("answer"));
    }
    for (voice, text) in told.spans {
        reading.items.push(item_of(&voice, text));
    }
}

/// The parts of a message so far.
#[derive(Default)]
struct Told {
    /// Neighbours of one voice are one span, joined by LF.
    spans: Vec<(Voice, String)>,
    /// The person's words alone, for the pairing with their copy.
    words: String,
    /// All words.
    all: String,
    /// A hook's words without their wrapping.
    hook_words: String,
}

impl Told {
    /// Words.
    fn say(&mut self, voice: Voice, text: &str) {
        self.all.push_str(text);
        self.hook_words.push_str(&hooks::words(text).unwrap_or_default());
        if voice.surface == Surface::User {
            self.words.push_str(text);
        }
        self.show(voice, text);
    }

    /// Words, or a line that stands for something else.
    fn show(&mut self, voice: Voice, text: &str) {
        match self.spans.last_mut() {
            Some((last, so_far)) if *last == voice => {
                so_far.push('\n');
                so_far.push_str(text);
            }
            _ => self.spans.push((voice, text.to_owned())),
        }
    }
}

fn item_of(voice: &Voice, text: String) -> Item<Raw> {
    let agent = notified(voice, &text);
    let mut item = spoken(voice.surface, voice.actor, voice.grade, voice.facets.to_vec(), text);
    name(&mut item, "agent", agent.as_deref());
    item
}

/// The child that a `<subagent_notification>` is about.
fn notified(voice: &Voice, text: &str) -> Option<String> {
    if voice.actor != Actor::Agent {
        return None;
    }
    let inner = text.split_once('>')?.1.rsplit_once('<')?.0;
    let parsed = Json::parse(inner.trim(), &[]).ok()?.value;
    ["agent_id", "agent_path"].iter().find_map(|key| parsed.get(key).as_str()).map(str::to_owned)
}

/// The person's words as a copy has them (`user_message`, `UserMessage`), or injected text that was copied, too.
pub fn copied_prompt(text: &str, media: &[String]) -> Item<Raw> {
    let voice = wrappers::by_text(text).map_or(Voice::person(ActorGrade::Assumed), Voice::injected);
    let lines = std::iter::once(text.to_owned()).filter(|text| !text.is_empty()).chain(media.iter().cloned());
    item_of(&voice, wiped::joined(lines.collect(), "\n"))
}

/// A message from one agent to another. The head of its text says what it is.
pub fn agent_message(line: &Line<'_, '_>, reading: &mut Reading<Raw>) {
    let text = joined(line.body.get("content"), reading);
    let mut facets = vec!["injected:agent_message"];
    match text.lines().next().and_then(|head| head.strip_prefix("Message Type: ")) {
        Some("NEW_TASK") => facets.push(facet::TASK),
        Some("FINAL_ANSWER") => facets.push(facet::AGENT_REPORT),
        _ => {}
    }
    let mut item = system(Actor::Agent, facets, text);
    name(&mut item, "agent", line.text("author"));
    name(&mut item, "agent", line.text("recipient"));
    reading.items.push(item);
}

#[cfg(test)]
#[path = "messages_tests.rs"]
mod tests;
