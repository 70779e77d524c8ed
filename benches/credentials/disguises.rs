//! What transcripts do to text: escaping, gutters, colours, wrapping, pieces.

use data_encoding::BASE64;

use super::dice::Dice;
use super::labelled::{Label, Labelled};

/// One disguise; nothing where it does not fit the text.
pub type Disguise = fn(&Labelled, &mut Dice) -> Option<Labelled>;

/// Disguises of any text.
pub const WHOLE: &[(&str, Disguise)] = &[
    ("json", |text, _| Some(json(text, 1))),
    ("json-2", |text, _| Some(json(text, 2))),
    ("json-3", |text, _| Some(json(text, 3))),
    ("ascii-json", |text, _| Some(text.rewritten(slash_escape))),
    ("cat-n", |text, dice| Some(numbered(text, dice, |n| format!("{n:6}\t")))),
    ("arrow", |text, dice| Some(numbered(text, dice, |n| format!("{n:6}→")))),
    ("grep-n", |text, dice| Some(numbered(text, dice, |n| format!("src/app.env:{n}:")))),
    ("diff", |text, _| Some(text.lines(|_| "+".to_owned(), ""))),
    ("diff-removed", |text, _| Some(text.lines(|_| "-".to_owned(), ""))),
    ("quote", |text, _| Some(text.lines(|_| "> ".to_owned(), ""))),
    ("pipe", |text, _| Some(text.lines(|_| "| ".to_owned(), ""))),
    ("log", |text, _| Some(text.lines(|n| format!("2026-03-01T10:00:{:02}.123Z INFO ", n % 60), ""))),
    ("indent", |text, _| Some(text.lines(|_| "\t\t".to_owned(), ""))),
    ("crlf", |text, _| Some(text.lines(|_| String::new(), "\r"))),
    ("tool-result", |text, _| {
        Some(framed(json(text, 1), "{\"type\":\"tool_result\",\"content\":\"", "\",\"is_error\":false}\n"))
    }),
    ("heredoc", |text, _| Some(framed(text.clone(), "cat > /tmp/x <<'EOF'\n", "EOF\n"))),
    ("utf-16", |text, _| Some(framed(two_bytes(text, false), "\u{feff}", ""))),
    ("utf-16-big", |text, _| Some(two_bytes(text, true))),
    ("html", |text, _| Some(text.rewritten(html))),
    ("base64", base64),
    ("cat-n json", |text, dice| Some(json(&numbered(text, dice, |n| format!("{n:6}\t")), 1))),
    ("diff json", |text, _| Some(json(&text.lines(|_| "+".to_owned(), ""), 1))),
];

/// Disguises inside of a secret.
pub const INSIDE: &[(&str, Disguise)] = &[
    ("zero-width", |text, dice| inside(text, dice, |_| "\u{200b}".to_owned())),
    ("soft-hyphen", |text, dice| inside(text, dice, |_| "\u{ad}".to_owned())),
    ("direction", |text, dice| inside(text, dice, |_| "\u{2066}".to_owned())),
    ("word-joiner", |text, dice| inside(text, dice, |_| "\u{2060}".to_owned())),
    ("colour", |text, dice| inside(text, dice, |_| "\u{1b}[m\u{1b}[K".to_owned())),
    ("colour-as-text", |text, dice| inside(text, dice, |_| "\\u001b[0m".to_owned())),
    ("colour-as-octal", |text, dice| inside(text, dice, |_| "\\033[0m".to_owned())),
    ("grep-colour", |text, _| {
        let mut text = text.clone();
        let first = *text.of(0).first()?;
        text.insert(first + 7, "\u{1b}[m\u{1b}[K");
        if first > 0 {
            text.insert(first - 1, "\u{1b}[01;31m\u{1b}[K");
        }
        Some(text)
    }),
    ("unicode-escape", |text, dice| {
        one_rewritten(text, dice, |letter| format!("\\u{:04x}", u32::from(letter)))
    }),
    ("unicode-escape-2", |text, dice| {
        one_rewritten(text, dice, |letter| format!("\\\\u{:04x}", u32::from(letter)))
    }),
    ("entity", |text, dice| one_rewritten(text, dice, |letter| format!("&#{};", u32::from(letter)))),
    ("hex-entity", |text, dice| one_rewritten(text, dice, |letter| format!("&#x{:x};", u32::from(letter)))),
    ("percent", |text, _| {
        secrets_rewritten(text, |letter, out| {
            if letter.is_ascii_alphanumeric() { out.push(letter) } else { out.push_str(&percent(letter)) }
        })
    }),
    ("wrapped", |text, dice| inside(text, dice, |_| "\n".to_owned())),
    ("wrapped-indented", |text, dice| inside(text, dice, |_| "\n    ".to_owned())),
    ("wrapped-backslash", |text, dice| inside(text, dice, |_| "\\\n".to_owned())),
    ("wrapped-crlf", |text, dice| inside(text, dice, |_| "\r\n".to_owned())),
    ("wrapped-box", |text, dice| inside(text, dice, |_| " │\n│ ".to_owned())),
    ("sum", |text, dice| literals(text, dice, " + ")),
    ("sum-lines", |text, dice| literals(text, dice, " +\n    ")),
    ("literals-lines", |text, dice| literals(text, dice, " \\\n  ")),
    ("array", |text, dice| if text.text().starts_with('[') { literals(text, dice, ",") } else { None }),
    ("deltas", |text, dice| {
        let head =
            "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"";
        let mut text = json(text, 1);
        let at = middle(&text, dice)?;
        text.insert(at, &format!("\"}}}}\n{head}"));
        Some(framed(text, head, "\"}}\n"))
    }),
];

fn json(text: &Labelled, levels: usize) -> Labelled {
    (0..levels).fold(text.clone(), |text, _| {
        text.rewritten(|letter, out| match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            letter if u32::from(letter) < 32 => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        })
    })
}

/// Two bytes a letter, read as one: what stands between the letters is no secret.
fn two_bytes(text: &Labelled, big: bool) -> Labelled {
    let mut out = Labelled { letters: Vec::new(), secrets: text.secrets };
    for (letter, label) in &text.letters {
        let empty = ('\0', if *label == Label::Ordinary { Label::Ordinary } else { Label::Through });
        out.letters.extend(if big { [empty, (*letter, *label)] } else { [(*letter, *label), empty] });
    }
    out
}

/// As a writer that escapes slashes and what is special in HTML.
fn slash_escape(letter: char, out: &mut String) {
    match letter {
        '/' => out.push_str("\\/"),
        '\n' => out.push_str("\\n"),
        '"' => out.push_str("\\\""),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\\' => out.push_str("\\\\"),
        '=' | '<' | '>' | '&' | '\'' | '+' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
        letter => out.push(letter),
    }
}

fn html(letter: char, out: &mut String) {
    match letter {
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '/' => out.push_str("&#x2F;"),
        '=' => out.push_str("&#x3D;"),
        letter => out.push(letter),
    }
}

fn percent(letter: char) -> String {
    letter.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn numbered(text: &Labelled, dice: &mut Dice, head: impl Fn(usize) -> String) -> Labelled {
    let first = 1 + dice.below(300);
    text.lines(|number| head(first + number), "")
}

fn framed(text: Labelled, head: &str, tail: &str) -> Labelled {
    let mut framed = Labelled::plain(head);
    framed.append(text);
    framed.append(Labelled::plain(tail));
    framed
}

fn base64(text: &Labelled, _: &mut Dice) -> Option<Labelled> {
    if text.secrets == 0 {
        return None;
    }
    let encoded = BASE64.encode(text.text().as_bytes());
    Some(Labelled::marked(&format!("echo «{encoded}» | base64 -d >> .env\n")))
}

/// A place inside of the first secret, far enough from both ends.
fn middle(text: &Labelled, dice: &mut Dice) -> Option<usize> {
    let places = text.of(0);
    let least = places.len() / 3;
    (places.len() >= 20).then(|| places.get(least + dice.below(places.len() / 3)).copied())?
}

fn inside(text: &Labelled, dice: &mut Dice, what: impl Fn(usize) -> String) -> Option<Labelled> {
    let at = middle(text, dice)?;
    let mut text = text.clone();
    text.insert(at, &what(at));
    Some(text)
}

/// Two literals in place of one, where the secret stands in quotes alone.
fn literals(text: &Labelled, dice: &mut Dice, between: &str) -> Option<Labelled> {
    let places = text.of(0);
    let quote = text.letters.get(places.first()?.checked_sub(1)?)?.0;
    let closes = text.letters.get(places.last()? + 1)?.0 == quote;
    let is_quoted = closes && matches!(quote, '"' | '\'');
    is_quoted.then(|| inside(text, dice, |_| format!("{quote}{between}{quote}")))?
}

fn one_rewritten(text: &Labelled, dice: &mut Dice, rewrite: impl Fn(char) -> String) -> Option<Labelled> {
    let places = text.of(0);
    let at = *places.get(dice.below(places.len()))?;
    let mut text = text.clone();
    let (letter, label) = *text.letters.get(at)?;
    let written: Vec<_> = rewrite(letter).chars().map(|letter| (letter, label)).collect();
    text.letters.splice(at..=at, written);
    Some(text)
}

fn secrets_rewritten(text: &Labelled, rewrite: impl Fn(char, &mut String)) -> Option<Labelled> {
    let mut out = Labelled { letters: Vec::new(), secrets: text.secrets };
    for (letter, label) in &text.letters {
        let mut written = String::new();
        match label {
            Label::Ordinary => written.push(*letter),
            _ => rewrite(*letter, &mut written),
        }
        out.letters.extend(written.chars().map(|letter| (letter, *label)));
    }
    (out.letters.len() > text.letters.len()).then_some(out)
}
