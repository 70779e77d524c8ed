//! A list of sessions as text. For a person's terminal one line each, with what the transcript itself says scrubbed and
//! made visible; for anybody else boundary ids and flags, and nothing that comes from a transcript or tells where it lies.

use std::fmt::Write as _;

use super::sessions::{Listing, RootRow, Row};
use crate::base::Result;
use crate::base::json::canonical;
use crate::base::refusal::{is_unsafe, visible};
use crate::evidence::scrub::Scrubbed;

/// Longest work directory or branch of a line, in characters; what is left out stands in the middle.
const SHOWN_CHARS: usize = 48;

/// For a terminal.
pub fn for_a_person(listing: &Listing) -> String {
    let mut text = String::new();
    for row in &listing.sessions {
        let shown = |text: &Option<Scrubbed>| {
            text.as_ref().map_or_else(|| "-".to_owned(), |text| field(text.as_str()))
        };
        let _ = writeln!(
            text,
            "{}  {}  {:>8}  {}  {}{}",
            row.boundary,
            minute(row.changed.as_deref()),
            size(row.size_bytes),
            shown(&row.work_directory),
            shown(&row.branch),
            flags(row)
        );
    }
    for file in &listing.no_session_files {
        let (changed, size) = (minute(file.changed.as_deref()), size(file.size_bytes));
        let _ = writeln!(
            text,
            "no session: {}  {changed}  {size:>8}  {}",
            file.why.sentence(),
            visible(file.path.as_str())
        );
    }
    text.push_str(&summary(listing));
    for root in &listing.roots {
        let _ = writeln!(text, "searched {}: {}", visible(root.path.as_str()), seen(root));
    }
    text
}

/// For a pipe, a file, an agent's shell.
pub fn for_anybody(listing: &Listing) -> String {
    let mut text = String::new();
    for row in &listing.sessions {
        let _ = writeln!(text, "{}{}", row.boundary, flags(row));
    }
    text.push_str(&summary(listing));
    for root in &listing.roots {
        let _ = writeln!(text, "searched {} {}: {}", root.harness.name(), root.name, seen(root));
    }
    text
}

/// The document on one line. What could speak to a terminal is escaped, which JSON reads as the same text.
///
/// # Errors
/// As [`canonical::to_bytes`].
pub fn for_a_program(listing: &Listing) -> Result<String> {
    let bytes = canonical::to_bytes(listing)?;
    let mut text = String::with_capacity(bytes.len());
    for letter in String::from_utf8_lossy(&bytes).chars() {
        if is_unsafe(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(letter);
        }
    }
    text.push('\n');
    Ok(text)
}

fn summary(listing: &Listing) -> String {
    let mut text = format!("{} of {} sessions", listing.sessions.len(), listing.matched);
    if !listing.hidden.is_empty() {
        let each = listing.hidden.iter().map(|(kind, count)| format!("{count} {kind}"));
        let _ = write!(text, "; with --all also {}", each.collect::<Vec<_>>().join(", "));
    }
    text.push('\n');
    for (why, count) in &listing.not_sessions {
        let _ = writeln!(text, "no session: {count} × {}", why.sentence());
    }
    text
}

fn seen(root: &RootRow) -> String {
    if !root.exists && root.skipped.is_empty() {
        return "not there".to_owned();
    }
    let mut text = format!("{} files in {} folders", root.files, root.folders);
    for (why, count) in &root.skipped {
        let _ = write!(text, "; passed over {count} {}", why.sentence());
    }
    text
}

/// Text of a transcript as one field of a line: two blanks, which part fields, cannot stand in it.
fn field(text: &str) -> String {
    shortened(&visible(text).replace("  ", " \\u{20}"))
}

fn flags(row: &Row) -> String {
    if row.flags.is_empty() { String::new() } else { format!("  {}", row.flags.join(",")) }
}

/// The minute of a time as printed by `jiff`, UTC.
fn minute(time: Option<&str>) -> String {
    let minute = time.and_then(|time| time.get(..16)).map(|minute| minute.replace('T', " "));
    minute.map_or_else(|| "no time          ".to_owned(), |minute| minute + "Z")
}

fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    let mut tenths = bytes / 100;
    if tenths < 10 {
        return format!("{bytes} B");
    }
    let mut unit = UNITS.iter();
    let mut name = unit.next();
    while tenths >= 10_000 {
        let Some(next) = unit.next() else { break };
        name = Some(next);
        tenths /= 1_000;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, name.unwrap_or(&"KB"))
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN_CHARS {
        return text.to_owned();
    }
    let half = SHOWN_CHARS / 2;
    let head: String = text.chars().take(half - 1).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::{field, minute, shortened, size};

    #[test]
    fn sizes_times_and_long_names_are_short() {
        let sizes = [0, 999, 1_000, 1_234_567, 999_949, 999_999, 98_000_000_000].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 KB", "1.2 MB", "999.9 KB", "999.9 KB", "98.0 GB"]);
        assert_eq!(minute(Some("2026-11-30T00:03:10.123Z")), "2026-11-30 00:03Z");
        assert_eq!(minute(None).len(), "2026-11-30 00:03Z".len());
        assert_eq!(field("/w   main\n"), "/w \\u{20} main\\u{a}");
        let long = shortened(&format!("/home/{}/end", "d".repeat(99)));
        assert_eq!(
            (long.chars().count(), long.starts_with("/home/"), long.ends_with("/end")),
            (48, true, true)
        );
    }
}
