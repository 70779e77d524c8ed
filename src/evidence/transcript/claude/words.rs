//! Cuts the text of a prompt into pieces with one voice each: reminders at its ends, slash-command envelopes
//! with the words a person typed behind the command, and the words themselves. The text inside a piece is as
//! written.

use super::voice::{Voice, by_opening, is_silent};
use crate::evidence::transcript::item::{Actor, ActorGrade, Surface};

/// What the marks of a row say about the text in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// All of it was put in by this voice.
    PutIn(Voice),
    /// A person wrote it: with a mark (then openings prove nothing, people paste), or assumed for want of
    /// one.
    Person(ActorGrade),
    /// Rows of a child, where the other side is an agent unless the opening says otherwise.
    Child(Voice),
}

const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");
const ARGUMENTS: (&str, &str) = ("<command-args>", "</command-args>");

/// What a person typed in front of the words, as the harness writes it: `!` and `#`.
const TYPED: &[(&str, &str)] = &[("<bash-input>", "bash_input"), ("<user-memory-input>", "memory_input")];

impl Speaker {
    /// The voice of parts without words, such as a pasted image.
    pub fn voice(&self) -> Voice {
        match self {
            Self::PutIn(voice) | Self::Child(voice) => voice.clone(),
            Self::Person(grade) => Voice::person(*grade),
        }
    }

    /// The pieces of a text, silent ones left out.
    pub fn pieces(&self, text: &str) -> Vec<(Voice, String)> {
        if let Self::PutIn(voice) = self {
            let whole = (!is_silent(text)).then(|| (voice.clone(), text.to_owned()));
            return whole.into_iter().collect();
        }
        let (before, words, after) = peel(text);
        let reminder =
            |text: &&str| (Voice::put_in(Actor::Harness, &["injected:reminder"]), (*text).to_owned());
        let mut pieces: Vec<_> = before.iter().map(reminder).collect();
        if !is_silent(words) {
            self.middle(words, &mut pieces);
        }
        pieces.extend(after.iter().map(reminder));
        pieces
    }

    fn middle(&self, words: &str, pieces: &mut Vec<(Voice, String)>) {
        let marked = *self == Self::Person(ActorGrade::Proven);
        if let Some(voice) = by_opening(words).filter(|_| !marked) {
            pieces.push((voice, words.to_owned()));
            return;
        }
        let voice = self.voice();
        // With a mark only a text that is nothing but an envelope is one: people write about tags, too.
        if !is_envelope(words) || (marked && !is_all_tags(words)) {
            let typed = TYPED.iter().find(|(opening, _)| words.trim_start().starts_with(opening));
            let voice = typed.map_or_else(|| voice.clone(), |(_, facet)| voice.clone().with(facet));
            pieces.push((voice, words.to_owned()));
            return;
        }
        // The tags are the harness's, the arguments are what the person wrote.
        let command = Voice::put_in(Actor::Harness, &["injected:command"]);
        match arguments(words).filter(|_| voice.surface == Surface::User) {
            Some((head, typed)) => {
                pieces.push((command, head.to_owned()));
                pieces.push((voice.with("command_arguments"), typed.to_owned()));
            }
            None => pieces.push((command, words.to_owned())),
        }
    }
}

/// True when a text is the envelope of a slash command.
pub fn is_envelope(text: &str) -> bool {
    let text = text.trim_start();
    (text.starts_with("<command-name>") || text.starts_with("<command-message>"))
        && text.contains("</command-name>")
}

/// True when a text is a row of elements `<name>…</name>` and nothing else.
fn is_all_tags(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some((name, behind)) = rest.strip_prefix('<').and_then(|tag| tag.split_once('>')) {
        let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let element = if plain { behind.split_once(&format!("</{name}>")) } else { None };
        let Some((_, after)) = element else { return false };
        rest = after.trim_start();
    }
    rest.is_empty()
}

/// What was typed to get an envelope: the command and its arguments.
pub fn typed_command(envelope: &str) -> Option<String> {
    let name = between(envelope, ("<command-name>", "</command-name>"))?.trim();
    let typed = arguments(envelope).map(|(_, typed)| typed.trim());
    Some(typed.map_or_else(|| name.to_owned(), |typed| format!("{name} {typed}")))
}

/// The text between two tags, at their first places.
pub fn between<'t>(text: &'t str, (open, close): (&str, &str)) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inner, _)| inner)
}

/// The envelope before its arguments, and the arguments, if there are any.
fn arguments(envelope: &str) -> Option<(&str, &str)> {
    let (head, rest) = envelope.split_once(ARGUMENTS.0)?;
    let (typed, _) = rest.rsplit_once(ARGUMENTS.1)?;
    (!is_silent(typed)).then(|| (head.trim_end(), typed))
}

/// Whole reminders at the two ends of a text. One in the middle stays: there it may be a quotation.
fn peel(text: &str) -> (Vec<&str>, &str, Vec<&str>) {
    let (mut before, mut after, mut words) = (Vec::new(), Vec::new(), text);
    while let Some((reminder, rest)) = leading(words) {
        before.push(reminder);
        words = rest;
    }
    while let Some((rest, reminder)) = trailing(words) {
        after.push(reminder);
        words = rest;
    }
    after.reverse();
    (before, words, after)
}

fn leading(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let inner = text.strip_prefix(REMINDER.0)?;
    let end = REMINDER.0.len() + inner.find(REMINDER.1)? + REMINDER.1.len();
    text.split_at_checked(end).map(|(reminder, rest)| (reminder, rest.trim_start_matches('\n')))
}

fn trailing(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let inner = text.strip_suffix(REMINDER.1)?;
    let (rest, reminder) = text.split_at_checked(inner.rfind(REMINDER.0)?)?;
    Some((rest.trim_end_matches('\n'), reminder))
}

#[cfg(test)]
mod tests {
    use super::{ActorGrade, Speaker, Surface, Voice, typed_command};

    fn cut(speaker: &Speaker, text: &str) -> Vec<(Surface, String)> {
        speaker.pieces(text).into_iter().map(|(voice, text)| (voice.surface, text)).collect()
    }

    #[test]
    fn reminders_at_the_ends_are_split_from_the_words() {
        let text = "<system-reminder>\na\n</system-reminder>\nFix <system-reminder>q</system-reminder> it\n<system-reminder>b</system-reminder>";
        assert_eq!(
            cut(&Speaker::Person(ActorGrade::Proven), text),
            [
                (Surface::System, "<system-reminder>\na\n</system-reminder>".into()),
                (Surface::User, "Fix <system-reminder>q</system-reminder> it".into()),
                (Surface::System, "<system-reminder>b</system-reminder>".into()),
            ]
        );
    }

    #[test]
    fn an_unclosed_reminder_is_put_in_unless_a_person_is_proven() {
        let text = "<system-reminder> is what tag?";
        assert_eq!(cut(&Speaker::Person(ActorGrade::Assumed), text), [(Surface::System, text.to_owned())]);
        assert_eq!(cut(&Speaker::Person(ActorGrade::Proven), text), [(Surface::User, text.to_owned())]);
    }

    #[test]
    fn words_behind_a_command_are_the_persons() {
        let text = "<command-name>/plan</command-name>\n<command-args>keep it small</command-args>";
        assert_eq!(
            cut(&Speaker::Person(ActorGrade::Assumed), text),
            [
                (Surface::System, "<command-name>/plan</command-name>".into()),
                (Surface::User, "keep it small".into())
            ]
        );
        assert_eq!(typed_command(text).as_deref(), Some("/plan keep it small"));
    }

    #[test]
    fn words_about_an_envelope_are_a_persons_where_a_mark_says_so() {
        let question = "<command-name>/plan</command-name> is shown twice, why?";
        let (proven, assumed) = (Speaker::Person(ActorGrade::Proven), Speaker::Person(ActorGrade::Assumed));
        assert_eq!(cut(&proven, question), [(Surface::User, question.to_owned())]);
        assert_eq!(cut(&assumed, question)[0].0, Surface::System);
        let typed = "<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>small</command-args>";
        for speaker in [proven, assumed] {
            assert_eq!(cut(&speaker, typed)[1], (Surface::User, "small".to_owned()));
        }
    }

    #[test]
    fn what_is_typed_behind_a_sign_is_a_persons() {
        for (text, facet) in [
            ("<bash-input>ls</bash-input>", "bash_input"),
            ("<user-memory-input>use tabs</user-memory-input>", "memory_input"),
        ] {
            let pieces = Speaker::Person(ActorGrade::Assumed).pieces(text);
            assert_eq!((pieces[0].0.surface, pieces[0].0.facets[0]), (Surface::User, facet));
        }
    }

    #[test]
    fn a_child_hears_an_agent() {
        let agent = Voice::put_in(super::Actor::Agent, &["task"]);
        assert_eq!(Speaker::Child(agent.clone()).pieces("Do it")[0].0, agent);
        assert_eq!(
            Speaker::Child(agent).pieces("[Request interrupted by user]")[0].0.facets[0],
            "injected:interrupt"
        );
    }
}
