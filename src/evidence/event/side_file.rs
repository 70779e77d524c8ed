//! Side files: outputs too large for their record, which an event names. What the event lines say, and what the
//! look beside the transcript found, one row for each name in the order of the events.

use serde::{Deserialize, Serialize};

use super::line::Event;
use crate::base::digest::Digest;
use crate::base::ids::EventId;
use crate::base::limits::{SIDE_FILE_NAME_BYTES, SIDE_FILES};
use crate::base::rules::Code;

/// The kind of entity that names one.
pub const ENTITY: &str = "side_file";

/// A name that an event gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The event.
    pub event: EventId,
    /// The name as on its line.
    pub name: String,
}

/// The names of a ledger, in order; those beyond the bound are counted only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// The names.
    pub listed: Vec<Named>,
    /// How many more there are.
    pub beyond: u64,
}

impl Names {
    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        for entity in event.entities.iter().filter(|entity| entity.kind == ENTITY) {
            if self.listed.len() < SIDE_FILES {
                let name = entity.value.as_str().to_owned();
                self.listed.push(Named { event: event.event_id, name });
            } else {
                self.beyond += 1;
            }
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// It lies in the session's folder.
    Present,
    /// There is no such file there, or it cannot be read.
    Missing,
    /// The name leads elsewhere, or what has it is no plain file: not read.
    Refused,
    /// Beyond the bound of bytes: not read.
    Omitted,
}

/// One row. The content is never kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideFile {
    /// The event that names it.
    pub event: EventId,
    /// Its name, scrubbed.
    pub name: String,
    /// What was found.
    pub found: Found,
    /// Its size, where it was read.
    pub bytes: Option<u64>,
    /// The digest of its content, where it was read.
    pub sha256: Option<Digest>,
}

impl SideFile {
    /// What can be known from the line alone: whose row it is, that a name which leads elsewhere was refused, and
    /// that exactly what was read has a size and a digest.
    pub fn follows_from(&self, named: &Named) -> bool {
        let read = self.found == Found::Present;
        (self.event, &self.name) == (named.event, &named.name)
            && (is_plain(&self.name) || self.found == Found::Refused)
            && (self.bytes.is_some(), self.sha256.is_some()) == (read, read)
    }

    /// The gap that the row is, if it is one.
    pub const fn limitation(&self) -> Option<Code> {
        match self.found {
            Found::Present => None,
            Found::Missing => Some(Code::SideFileMissing),
            Found::Refused => Some(Code::SideFileRefused),
            Found::Omitted => Some(Code::SideFilesOmitted),
        }
    }
}

/// True for the name of a file in the folder at hand, which no other folder has a part in.
pub fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= SIDE_FILE_NAME_BYTES
        && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::{Digest, EventId, Found, Named, SideFile, is_plain};

    #[test]
    fn only_one_component_is_a_plain_name() {
        for name in ["b1.txt", "..txt", "a b", "toolu_01.txt"] {
            assert!(is_plain(name), "{name}");
        }
        let long = "x".repeat(256);
        for name in ["", ".", "..", "../x", "a/b", "a\\b", "etc/passwd", "a\0", &long] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn a_row_follows_from_its_line() {
        let event = EventId::new(3, [0; 6]);
        let named = |name: &str| Named { event, name: name.to_owned() };
        let row = |name: &str, found: Found, bytes: Option<u64>| {
            let sha256 = bytes.map(|_| Digest::of(b"x"));
            SideFile { event, name: name.to_owned(), found, bytes, sha256 }
        };
        assert!(row("a", Found::Present, Some(1)).follows_from(&named("a")));
        assert!(row("a", Found::Missing, None).follows_from(&named("a")));
        assert!(row("../a", Found::Refused, None).follows_from(&named("../a")));
        for (broken, name) in [
            (row("a", Found::Present, Some(1)), "b"),
            (row("a", Found::Present, None), "a"),
            (row("a", Found::Missing, Some(1)), "a"),
            (row("../a", Found::Present, Some(1)), "../a"),
            (row("../a", Found::Missing, None), "../a"),
            (SideFile { event: EventId::new(4, [0; 6]), ..row("a", Found::Missing, None) }, "a"),
        ] {
            assert!(!broken.follows_from(&named(name)), "{broken:?}");
        }
    }
}
