//! scrub: a stream of text without its secrets, for people and for checks of what is published.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;

use camino::{Utf8Path, Utf8PathBuf};

use super::given;
use super::policy::search;
use super::world::World;
use crate::base::refusal::visible;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::evidence::event::keys::Secret;
use crate::evidence::scrub::{Numbering, stream};

/// What was found.
#[derive(Debug)]
pub struct Found {
    /// How many secrets, each occurrence counted.
    pub secrets: u64,
    /// Counts by kind in one line; it holds no word of the text.
    pub told: String,
}

/// Scrubs `input` into `output`. A reader of the output that went away ends it quietly.
///
/// # Errors
/// `policy-invalid`, `read-failed`, `write-failed`, `interrupted`.
pub fn scrub(
    world: &World<'_>,
    policy: Option<&Utf8Path>,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<Found> {
    let search = search(world, policy)?.search;
    let mut numbering = Numbering::new(Secret::generate()?.numbering_key());
    let goes_on = || !world.interrupted.load(Ordering::Relaxed);
    let done = stream::scrub(input, output, search.spotter(), &mut numbering, &goes_on);
    match done.and_then(|()| output.flush().map_err(|error| (true, error))) {
        Err((true, error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err((true, _)) => return Err(Refusal::new(Code::WriteFailed).at("standard output")),
        Err((false, _)) => return Err(Refusal::new(Code::ReadFailed).at("standard input")),
        Ok(()) if goes_on() => {}
        Ok(()) => return Err(Refusal::new(Code::Interrupted)),
    }
    Ok(Found { secrets: numbering.counts().values().sum(), told: told(&numbering) })
}

/// Looks for secrets in files, each by itself, and tells of those that hold any.
///
/// # Errors
/// `policy-invalid`, `path-credential-shaped`, `interrupted`; what opening and reading a source refuses.
pub fn scrub_files(world: &World<'_>, policy: Option<&Utf8Path>, files: &[Utf8PathBuf]) -> Result<Found> {
    let search = search(world, policy)?.search;
    let key = Secret::generate()?.numbering_key();
    let goes_on = || !world.interrupted.load(Ordering::Relaxed);
    let mut all = Found { secrets: 0, told: String::new() };
    for path in files {
        let source = given::open(world, path)?;
        let mut numbering = Numbering::new(key);
        let done =
            stream::scrub(&mut source.file(), &mut io::sink(), search.spotter(), &mut numbering, &goes_on);
        done.map_err(|(_, error)| source.read_failed(error))?;
        if !goes_on() {
            return Err(Refusal::new(Code::Interrupted));
        }
        let secrets: u64 = numbering.counts().values().sum();
        all.secrets += secrets;
        if secrets > 0 {
            let separator = if all.told.is_empty() { "" } else { "\n" };
            let name = visible(path.as_str());
            // Writing into memory cannot fail.
            let _ = write!(all.told, "{separator}{name}: {}", told(&numbering));
        }
    }
    if all.told.is_empty() {
        "nothing found".clone_into(&mut all.told);
    }
    Ok(all)
}

fn told(numbering: &Numbering) -> String {
    let kinds: Vec<String> =
        numbering.counts().iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let mut told = if kinds.is_empty() { "nothing found".to_owned() } else { kinds.join(", ") };
    let kept = numbering.kept();
    // Writing into memory cannot fail.
    if kept.marks > 0 {
        let _ = write!(told, "; marks kept {}", kept.marks);
    }
    if kept.allowed > 0 {
        let _ = write!(told, "; allowed by the policy {}", kept.allowed);
    }
    told
}
