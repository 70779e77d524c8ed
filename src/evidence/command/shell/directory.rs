//! Where a command runs, as far as its call says: the tool's work directory and `cd` in the same script. What
//! only an earlier call could tell is not guessed.

use super::word::{Form, Word};
use crate::base::digest::Digest;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Where the session's commands start.
    Session,
    /// Named: absolute, or relative to the session's.
    Named(String),
    /// One of several.
    Doubtful,
}

/// A work directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    place: Place,
    /// Equal for equal ways of getting there, also where the place itself is in doubt.
    trail: String,
    /// No expansion on the way.
    literal: bool,
}

impl Directory {
    /// The tool's own, if the call names one.
    pub fn start(workdir: Option<&str>) -> Self {
        let place = workdir.filter(|path| !path.is_empty()).map_or(Place::Session, |path| named(tidy(path)));
        let trail = if let Place::Named(path) = &place { path.clone() } else { String::new() };
        Self { place, trail, literal: true }
    }

    /// After a `cd` that is known to have worked.
    pub fn entered(&self, target: &Word) -> Self {
        match target.form {
            Form::Plain if target.text != "-" => {
                let path = self.resolve(&target.text);
                let doubtful = self.place == Place::Doubtful && !target.text.starts_with('/');
                let place = if doubtful { Place::Doubtful } else { named(path.clone()) };
                let trail = short(if doubtful { format!("{}\0{path}", self.trail) } else { path });
                let literal = self.literal || target.text.starts_with('/');
                Self { place, trail, literal }
            }
            form => Self {
                place: Place::Doubtful,
                trail: short(format!("{}\0{}", self.trail, target.text)),
                literal: self.literal && form != Form::Expanded && target.text != "-",
            },
        }
    }

    /// Either `before` or this.
    pub fn or(self, before: &Self) -> Self {
        if self == *before {
            return self;
        }
        let trail = short(format!("{}\0?{}", before.trail, self.trail));
        Self { place: Place::Doubtful, trail, literal: self.literal && before.literal }
    }

    /// The path, where it is known.
    pub fn known(&self) -> Option<&str> {
        if let Place::Named(path) = &self.place { Some(path) } else { None }
    }

    /// What stands for the place when two commands are compared.
    pub fn trail(&self) -> &str {
        &self.trail
    }

    /// False when equal trails may be different places.
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// A path as seen from where the session's commands start; as written when the place is in doubt.
    pub fn resolve(&self, path: &str) -> String {
        match &self.place {
            Place::Named(base) if !is_absolute(path) && !path.starts_with(['~', '$']) => {
                tidy(&format!("{base}/{path}"))
            }
            _ => tidy(path),
        }
    }
}

/// Longest path that is followed, in bytes: the usual limit of a system.
const PATH_BYTES: usize = 4_096;

fn named(path: String) -> Place {
    if path.len() > PATH_BYTES { Place::Doubtful } else { Place::Named(path) }
}

/// A trail can double with every doubt; a long one is its digest from then on.
fn short(trail: String) -> String {
    if trail.len() > PATH_BYTES { Digest::of(trail.as_bytes()).to_string() } else { trail }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// `/` for `\` where the path is of Windows, no `.`, and `..` taken back where there is something to take back.
pub fn tidy(path: &str) -> String {
    let windows = path.as_bytes().get(1) == Some(&b':') || (path.contains('\\') && !path.contains('/'));
    let path = if windows { path.replace('\\', "/") } else { path.to_owned() };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (path.starts_with('/'), joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Below a temporary folder.
pub fn is_scratch(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "$TMPDIR", "${TMPDIR}"];
    FOLDERS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::{Directory, is_scratch, tidy};
    use crate::evidence::command::shell::word::Word;

    #[test]
    fn paths_are_tidied() {
        for (path, tidied) in [
            ("./a//b/../c", "a/c"),
            ("/a/../../b", "/b"),
            ("../a", "../a"),
            (r"C:\a\b", "C:/a/b"),
            (r"src\a.rs", "src/a.rs"),
            (".", "."),
            ("/", "/"),
        ] {
            assert_eq!(tidy(path), tidied);
        }
    }

    #[test]
    fn a_directory_is_known_or_in_doubt() {
        let start = Directory::start(None);
        let inside = start.entered(&Word::resolve("sub"));
        assert_eq!(inside.known(), Some("sub"));
        assert_eq!(inside.resolve("f"), "sub/f");
        assert_eq!(inside.resolve("/f"), "/f");
        assert_eq!(inside.entered(&Word::resolve("..")).known(), Some("."));
        let doubtful = inside.or(&start);
        assert_eq!((doubtful.known(), doubtful.resolve("f").as_str()), (None, "f"));
        assert_eq!(Directory::start(Some("/w")).entered(&Word::resolve("a")).known(), Some("/w/a"));
        assert!(!start.entered(&Word::resolve("$X")).is_literal());
    }

    #[test]
    fn scratch_is_below_a_temporary_folder() {
        assert!(
            is_scratch("/tmp/a")
                && is_scratch("$TMPDIR/a")
                && !is_scratch("/tmpfile")
                && !is_scratch("tmp/a")
        );
    }
}
