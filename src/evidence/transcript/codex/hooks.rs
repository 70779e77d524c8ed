//! A hook's words, which the harness wraps in XML for the model and tells once more, plain, in a `HookPrompt`.

use super::line::system;
use crate::evidence::transcript::item::Actor;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading};

/// The opening of a hook's words in a message.
const OPENING: &str = "<hook_prompt";

/// The plain words of `<hook_prompt hook_run_id="…">…</hook_prompt>`; `None` for any other text.
pub fn words(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix(OPENING)?.strip_suffix("</hook_prompt>")?.split_once('>')?.1;
    let mut plain = inner.to_owned();
    // The ampersand last, so that `&amp;lt;` stays `&lt;`.
    for (entity, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
    {
        plain = plain.replace(entity, letter);
    }
    Some(plain)
}

/// Joins a message and the item that repeats it; both have the message's id.
pub fn claim(id: &str, words: &str) -> MirrorClaim {
    MirrorClaim::Id { class: "item", id: Key::of(&[id]), content: Key::of(&["hook_prompt", words]) }
}

/// The `HookPrompt` item.
pub fn prompt(item: &Json<'_>, reading: &mut Reading<Raw>) {
    let fragments: Vec<&str> =
        item.get("fragments").items().iter().filter_map(|fragment| fragment.get("text").as_str()).collect();
    if fragments.is_empty() {
        return;
    }
    if let Some(id) = item.get("id").as_str() {
        reading.mirrors.push(claim(id, &fragments.concat()));
    }
    reading.items.push(system(Actor::Hook, vec!["injected:hook_prompt"], fragments.join("\n")));
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_wrapping_and_its_escapes_are_taken_off() {
        let text =
            "<hook_prompt hook_run_id=\"1\">Retry with &quot;waves&quot; &amp; &lt;tides&gt;</hook_prompt>";
        assert_eq!(words(text).as_deref(), Some("Retry with \"waves\" & <tides>"));
        assert_eq!(words("<hook_prompt"), None);
    }
}
