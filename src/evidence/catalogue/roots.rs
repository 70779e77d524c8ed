//! Where the harnesses keep their sessions, and what was seen there.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Serialize, Serializer};

use crate::base::ids::Harness;

/// Which part of a harness's home a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootKind {
    /// Claude: project folders.
    Projects,
    /// Codex: live rollouts.
    Sessions,
    /// Codex: archived rollouts.
    ArchivedSessions,
}

impl RootKind {
    /// Its folder below the harness's home.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Projects => "projects",
            Self::Sessions => "sessions",
            Self::ArchivedSessions => "archived_sessions",
        }
    }

    /// Whose it is.
    pub const fn harness(self) -> Harness {
        match self {
            Self::Projects => Harness::Claude,
            Self::Sessions | Self::ArchivedSessions => Harness::Codex,
        }
    }
}

/// Why something below a root was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// A symbolic link: what it leads to is found in its own place or lies elsewhere.
    Link,
    /// A pipe, socket or device.
    NotRegular,
    /// The system did not let us read it.
    Unreadable,
    /// Its name is not UTF-8.
    NameNotUtf8,
    /// It lies deeper than any harness writes.
    TooDeep,
    /// More files than one search takes.
    TooMany,
}

impl Skip {
    /// The reason in our own words, for a number of them.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Link => "symbolic links",
            Self::NotRegular => "pipes, sockets or devices",
            Self::Unreadable => "that cannot be read",
            Self::NameNotUtf8 => "with a name that is not UTF-8",
            Self::TooDeep => "deeper than any harness writes",
            Self::TooMany => "beyond the bound of one search",
        }
    }

    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::NotRegular => "not-regular",
            Self::Unreadable => "unreadable",
            Self::NameNotUtf8 => "name-not-utf8",
            Self::TooDeep => "too-deep",
            Self::TooMany => "too-many",
        }
    }
}

impl Serialize for Skip {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One root and what was seen below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Which one.
    pub kind: RootKind,
    /// Where.
    pub path: Utf8PathBuf,
    /// It is a folder that could be listed.
    pub exists: bool,
    /// Folders below it, itself not counted.
    pub folders: u64,
    /// Regular files below it, whatever they are.
    pub files: u64,
    /// What was not looked at, and why.
    pub skipped: BTreeMap<Skip, u64>,
}

/// Where to search: the homes of the harnesses, and perhaps a folder that a person named.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    roots: Vec<(RootKind, Utf8PathBuf)>,
}

impl Roots {
    /// The roots below these homes of harnesses (`~/.claude`, `~/.codex` or what stands for them).
    pub fn of_homes(homes: &[(Harness, Utf8PathBuf)]) -> Self {
        let kinds = [RootKind::Projects, RootKind::Sessions, RootKind::ArchivedSessions];
        let below = |(harness, home): &(Harness, Utf8PathBuf)| {
            let home = home.clone();
            let kinds = kinds.into_iter().filter(move |kind| kind.harness() == *harness);
            kinds.map(|kind| (kind, home.join(kind.folder()))).collect::<Vec<_>>()
        };
        Self { roots: homes.iter().flat_map(below).collect() }
    }

    /// Also this folder, as if it were such a root: the surroundings of a transcript that lies elsewhere. Nothing
    /// is added where a root already covers it.
    #[must_use]
    pub fn with(mut self, kind: RootKind, folder: Utf8PathBuf) -> Self {
        if !self.roots.iter().any(|(known, path)| *known == kind && folder.starts_with(path)) {
            self.roots.push((kind, folder));
        }
        self
    }

    /// Only those of one harness.
    #[must_use]
    pub fn only(mut self, harness: Harness) -> Self {
        self.roots.retain(|(kind, _)| kind.harness() == harness);
        self
    }

    /// Where they are.
    pub fn paths(&self) -> impl Iterator<Item = &Utf8Path> {
        self.roots.iter().map(|(_, path)| path.as_path())
    }

    pub(super) fn unsearched(&self) -> Vec<Root> {
        let root = |(kind, path): &(RootKind, Utf8PathBuf)| Root {
            kind: *kind,
            path: path.clone(),
            exists: false,
            folders: 0,
            files: 0,
            skipped: BTreeMap::new(),
        };
        self.roots.iter().map(root).collect()
    }
}
