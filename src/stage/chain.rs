//! chain: whether receipts of several stages belong to one another, from the receipts alone.

use std::collections::BTreeSet;
use std::io::Read;

use camino::Utf8PathBuf;

use super::given;
use super::links::Web;
use super::receipts::{self, Told};
use super::world::World;
use crate::base::Result;
use crate::base::json::position::Position;
use crate::base::limits::RECEIPTS_BYTES;
use crate::base::rules::Code;
use crate::report::findings::Finding;
use crate::report::findings::chain::{Chain, Given};

/// All receipts of some files.
#[derive(Debug)]
pub struct Lines {
    /// Names of the files, as seen from the working directory.
    pub files: Vec<String>,
    /// The receipts in order.
    pub told: Vec<Told>,
    /// What could not be read: file, line, code.
    faults: Vec<(usize, usize, Code)>,
}

impl Lines {
    /// What could not be read and what does not fit, with the number of the file, in its order.
    pub fn findings(&self, faults: &BTreeSet<(usize, Code)>) -> Vec<(usize, Finding)> {
        let unread = self.faults.iter().copied();
        let unfit = faults
            .iter()
            .filter_map(|(number, code)| self.told.get(*number).map(|told| (told.file, told.line, *code)));
        let mut found: Vec<(usize, Finding)> = unread
            .chain(unfit)
            .map(|(file, line, code)| {
                (file, Finding { at: Position { line, column: 1 }, code, shape: String::new() })
            })
            .collect();
        found.sort();
        found
    }
}

/// Reads files of receipts.
///
/// # Errors
/// `path-credential-shaped`; what opening and reading a source refuses.
pub fn read(world: &World<'_>, paths: &[Utf8PathBuf], stdin: &mut dyn Read) -> Result<Lines> {
    let mut lines = Lines { files: Vec::new(), told: Vec::new(), faults: Vec::new() };
    for (number, path) in paths.iter().enumerate() {
        let file = given::read(world, path, RECEIPTS_BYTES, stdin)?;
        let (told, faults) = receipts::read(number, &file.bytes);
        lines.files.push(file.name);
        lines.told.extend(told);
        lines.faults.extend(faults.into_iter().map(|(line, code)| (number, line, code)));
    }
    Ok(lines)
}

/// Says how the receipts of some files belong together.
///
/// # Errors
/// `usage`; as [`read`]. What does not fit is in the answer.
pub fn chain(world: &World<'_>, paths: &[Utf8PathBuf], stdin: &mut dyn Read) -> Result<Chain> {
    given::once(paths.iter())?;
    let lines = read(world, paths, stdin)?;
    let web = Web::of(&lines.told);
    let name = |file: usize| lines.files.get(file).cloned().unwrap_or_default();
    let findings = lines.findings(&web.faults(&lines.told, &[]));
    let receipts = lines.told.iter().map(|told| Given {
        file: name(told.file),
        line: told.line,
        stage: told.stage.name,
        boundary: told.said.boundary,
        valid: told.said.valid,
    });
    Ok(Chain {
        receipts: receipts.collect(),
        findings: findings.into_iter().map(|(file, finding)| (name(file), finding)).collect(),
        artifacts: web.artifacts,
    })
}
