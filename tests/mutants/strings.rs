//! What stands in place of a text: by what the text is, a word of a list, an id, a digest, a path or prose.

use serde_json::Value;

use super::operator::Lenders;
use crate::violations::ground::secret;

/// Operator, variant and the other text.
type Other = (&'static str, String, String);

/// Members whose texts are one of a list, and the list.
const WORDS: [(&str, &[&str]); 8] = [
    ("source_label", &["session_observed", "agent_report", "inference", "verified_now"]),
    (
        "kind",
        &[
            "goal",
            "decision",
            "action",
            "change",
            "verification",
            "failure",
            "recovery",
            "external_effect",
            "final_state",
            "open_work",
            "head",
            "branch",
            "changed_path",
            "clean",
            "available",
        ],
    ),
    ("narrative_role", &["setup", "approach", "turning_point", "outcome", "remaining"]),
    ("outcome", &["passed", "failed", "retried", "unknown", "discussed_only", "unverifiable_now"]),
    ("basis", &["reported_by_output"]),
    (
        "class",
        &[
            "user_message",
            "mutation",
            "shell_write",
            "git_mutation",
            "external_effect",
            "verification_run",
            "error_result",
            "no_match",
            "notice",
            "last_message",
        ],
    ),
    (
        "schema_version",
        &["recap.accounting.v1", "recap.synthesis-draft.v1", "recap.edges-draft.v1", "recap.accounting.v2"],
    ),
    ("repository", &["repo-1", "repo-2"]),
];
/// Members that hold prose.
pub const PROSE: [&str; 4] = ["label", "title", "summary", "caveat"];
/// Members that an author names something by, and those that name it again.
pub const NAMES: [&str; 3] = ["claim_id", "group_id", "id"];
const AGAIN: [&str; 3] = ["accounting_claim_ids", "low_signal_group_ids", "edge_id"];

/// Everything that could stand at a place instead of its text.
pub fn others(document: &Value, name: &str, place: &str, text: &str, lenders: &Lenders) -> Vec<Other> {
    let mut others = spelled(text, PROSE.contains(&name));
    let mut add = |operator, variant: &str, other: String| others.push((operator, variant.to_owned(), other));
    if let Some((_, words)) = WORDS.iter().find(|(member, _)| *member == name) {
        words.iter().for_each(|word| add("another-word", word, (*word).to_owned()));
        add("another-word", "no word of it", "something_else".to_owned());
        add("another-word", "capitals", text.to_uppercase());
    } else if PROSE.contains(&name) {
        add("prose", "other words", "Other words.".to_owned());
        add("prose", "blank", " ".to_owned());
        add("prose", "empty", String::new());
        add("prose", "too long", "x".repeat(1_201));
        add("prose", "a secret", secret());
        add("prose", "line break", "one\ntwo".to_owned());
        add("prose", "markup", "# [x](https://a.bc) <b> @octocat".to_owned());
    } else if is_event_id(text) {
        event_ids(text, lenders, &mut add);
    } else if is_digest(text) {
        lenders.other_digests.iter().take(6).for_each(|other| add("borrow", "another digest", other.clone()));
        let flipped = if text.starts_with('0') { "1" } else { "0" };
        add("digest", "one digit", format!("{flipped}{}", &text[1..]));
        add("digest", "short", text[..63].to_owned());
        add("digest", "capitals", text.to_uppercase());
    } else if NAMES.contains(&name) || AGAIN.contains(&name) {
        names(document, place, text, &mut add);
    } else {
        add("another-text", "unknown", "something-else".to_owned());
        add("another-text", "less", text[..text.len() - 1].to_owned());
        add("another-text", "more", format!("{text}0"));
        add("another-text", "way round", format!("./{text}"));
    }
    others
}

/// Blanks, invisible characters and look-alikes, in any text.
fn spelled(text: &str, prose: bool) -> Vec<Other> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let inside = |piece: &str| format!("{}{piece}{}", &text[..middle], &text[middle..]);
    let operator = if prose { "prose" } else { "spelled" };
    let mut others: Vec<Other> = vec![
        (operator, "blank before".to_owned(), format!(" {text}")),
        (operator, "blank behind".to_owned(), format!("{text} ")),
        (operator, "look-alike".to_owned(), look_alike(text)),
        (operator, "no-break space".to_owned(), inside("\u{a0}")),
        (operator, "combining mark".to_owned(), inside("\u{301}")),
    ];
    for (variant, piece) in [
        ("NUL", "\0"),
        ("tab", "\t"),
        ("escape", "\u{1b}"),
        ("override", "\u{202e}"),
        ("isolate", "\u{2066}"),
        ("zero width", "\u{200b}"),
        ("word joiner", "\u{2060}"),
        ("byte order mark", "\u{feff}"),
        ("tag", "\u{e0041}"),
        ("lone joiner", "\u{200d}"),
        ("delete", "\u{7f}"),
        ("C1", "\u{85}"),
    ] {
        others.push(("unsafe", variant.to_owned(), inside(piece)));
    }
    others
}

/// The text with one letter replaced by one that looks like it.
pub fn look_alike(text: &str) -> String {
    for (own, other) in
        [('a', 'а'), ('e', 'е'), ('o', 'о'), ('i', 'і'), ('c', 'с'), ('-', '‐'), ('1', 'l'), ('0', 'O')]
    {
        if text.contains(own) {
            return text.replacen(own, &other.to_string(), 1);
        }
    }
    format!("{text}\u{391}")
}

fn event_ids(text: &str, lenders: &Lenders, add: &mut impl FnMut(&'static str, &str, String)) {
    let (ordinal, hex) = text[1..].split_once('-').unwrap();
    let ordinal: u64 = ordinal.parse().unwrap();
    let number = |id: &str| id[1..].split('-').next().unwrap().parse::<u64>().unwrap();
    for (variant, other) in [("next event", ordinal + 1), ("event before", ordinal.wrapping_sub(1))] {
        if let Some(id) = lenders.own_events.iter().find(|id| number(id) == other) {
            add("another-event", variant, id.clone());
        }
    }
    if let Some(id) = lenders.other_events.iter().find(|id| number(id) == ordinal) {
        add("borrow", "the same ordinal", id.clone());
    }
    add("event-id", "ordinal", format!("e{}-{hex}", ordinal + 1));
    let flipped = if hex.starts_with('0') { "1" } else { "0" };
    add("event-id", "one digit", format!("e{ordinal}-{flipped}{}", &hex[1..]));
    add("event-id", "capitals", text.to_uppercase());
    add("event-id", "leading zero", format!("e0{ordinal}-{hex}"));
    add("event-id", "short", text[..text.len() - 1].to_owned());
}

/// Names of an author: of nothing, of a neighbour, ill-formed.
fn names(document: &Value, place: &str, text: &str, add: &mut impl FnMut(&'static str, &str, String)) {
    add("name", "of nothing", "never-named".to_owned());
    add("name", "capital", text[..1].to_uppercase() + &text[1..]);
    add("name", "underscore", format!("{text}_x"));
    add("name", "two hyphens", format!("{text}--x"));
    add("name", "too long", format!("{text}-{}", "x".repeat(48)));
    add("name", "empty", String::new());
    let mut named = Vec::new();
    list_names(document, "", &mut named);
    let at = named.iter().position(|(other, _)| other == place).unwrap_or_default();
    let mut near: Vec<(usize, String)> = named
        .into_iter()
        .enumerate()
        .filter(|(_, (_, name))| name != text)
        .map(|(number, (_, name))| (number, name))
        .collect();
    near.sort_by_key(|(number, _)| number.abs_diff(at));
    near.into_iter().take(3).for_each(|(_, name)| add("name", "of another", name));
}

fn list_names(value: &Value, place: &str, into: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let below = format!("{place}/{name}");
                match member {
                    Value::String(text) if NAMES.contains(&name.as_str()) => into.push((below, text.clone())),
                    _ => list_names(member, &below, into),
                }
            }
        }
        Value::Array(items) => {
            let below = place.rsplit('/').next().unwrap_or_default().to_owned();
            for (index, item) in items.iter().enumerate() {
                match item {
                    Value::String(text) if AGAIN.contains(&below.as_str()) => {
                        into.push((format!("{place}/{index}"), text.clone()));
                    }
                    _ => list_names(item, &format!("{place}/{index}"), into),
                }
            }
        }
        _ => {}
    }
}

fn is_event_id(text: &str) -> bool {
    let parts = text.strip_prefix('e').and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(ordinal, hex)| ordinal.parse::<u64>().is_ok() && hex.len() == 12)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
