//! From what a call carries to the rows that it may give, before its result is known.

use serde::{Deserialize, Serialize};

use super::effect::effect;
use super::found::Write;
use super::mutation::Placed;
use super::observation::{Attempt, Observation, Operation, Outcome, Reason};
use super::operand::values;
use super::patch::{Change, changes};
use super::runner::{Runner, runner};
use super::shell::directory::tidy;
use super::shell::member::{Member, Members};
use super::shell::outcome::{Deduction, Whole};
use super::shell::word::{Form, Word};
use super::target::Variables;
use super::vcs::{Git, git};
use super::visible::{Watch, watch};
use super::write::writes;
use crate::base::digest::Hasher;
use crate::base::json::embedded;
use crate::base::limits::{OBSERVED_TEXT_BYTES, OBSERVED_WORDS};
use crate::evidence::transcript::item::Status;

/// A row in the making.
#[derive(Debug, Serialize, Deserialize)]
pub struct Draft {
    /// As far as the call alone tells.
    #[serde(with = "embedded")]
    pub row: Observation,
    /// What the whole proves about its command.
    pub deduction: Deduction,
    /// Which pipeline of the call.
    pub step: u32,
    /// Whether it changes files that a run before it was about.
    pub touch: Touch,
    /// How its closing lines are read.
    pub watch: Option<Watch>,
    /// Of its command, and why it is unknown.
    known: (Outcome, Option<Reason>),
}

impl Draft {
    /// A row that changes no files and reads no closing lines.
    pub const fn of(row: Observation, deduction: Deduction, step: u32) -> Self {
        let known = (Outcome::Unknown, Some(Reason::NoResult));
        Self { row, deduction, step, touch: Touch::Never, watch: None, known }
    }

    /// Takes over what the whole of its call proves.
    pub fn settle(&mut self, attempt: &Attempt, whole: Whole) {
        self.known = self.deduction.outcome(whole);
        self.row.settle(attempt, self.known);
    }

    /// It is the change, whose path may be written in full.
    pub fn is_of(&self, change: &Change) -> bool {
        let Observation::FileMutation { path, .. } = &self.row else { return false };
        let whole = tidy(&change.path);
        whole == *path || whole.strip_suffix(path.as_str()).is_some_and(|folder| folder.ends_with('/'))
    }

    /// It may have changed files, as far as its result tells.
    fn touches(&self) -> bool {
        let status = self.row.attempt().map(|attempt| attempt.status);
        if status == Some(Status::Rejected) || self.known.1 == Some(Reason::Rejected) {
            return false;
        }
        match self.touch {
            Touch::Never => false,
            Touch::UnlessCallFailed => status != Some(Status::Error),
            Touch::UnlessFailed => self.known.0 != Outcome::Failed,
            Touch::EvenFailed => true,
        }
    }
}

/// Whether a row's command changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Touch {
    /// It does not.
    Never,
    /// Unless its call failed.
    UnlessCallFailed,
    /// Unless it failed itself.
    UnlessFailed,
    /// Also when it failed: the shell writes first.
    EvenFailed,
}

/// Marks the runs of one call that a later mutation followed; calls come last first. `last` is the last mutation
/// seen so far.
pub fn mark_stale(drafts: &mut [Draft], last: &mut Option<Placed>) {
    for draft in drafts.iter() {
        if draft.touches() {
            *last = Placed::later(*last, Placed::of(&draft.row, draft.step));
        }
    }
    for draft in drafts {
        let step = draft.step;
        if let Observation::VerificationRun { attempt, stale, .. } = &mut draft.row {
            *stale = last.is_some_and(|last| last.is_after(attempt.call, step));
        }
    }
}

/// Rows of edits that the call carries itself.
pub fn of_changes(attempt: &Attempt, list: &[Change], drafts: &mut Vec<Draft>) {
    for change in list {
        drafts.push(mutation(
            attempt,
            change,
            &tidy(&change.path),
            change.moved_to.as_deref().map(tidy).as_deref(),
        ));
    }
}

fn mutation(attempt: &Attempt, change: &Change, path: &str, moved_to: Option<&str>) -> Draft {
    let (path, moved_to) = (short(path), moved_to.map(short));
    let row =
        Observation::FileMutation { attempt: attempt.clone(), operation: change.operation, path, moved_to };
    Draft { touch: Touch::UnlessCallFailed, ..Draft::of(row, Deduction::WHOLE, 0) }
}

/// The row of a whole file written; an update only if the result says so.
pub fn of_written(attempt: &Attempt, path: &str, drafts: &mut Vec<Draft>) {
    of_changes(
        attempt,
        &[Change { path: path.to_owned(), operation: Operation::Add, moved_to: None }],
        drafts,
    );
}

/// Rows of the commands of a script. `place` stands for where the session's shell is, as far as earlier calls
/// may have moved it.
pub fn of_members(attempt: &Attempt, members: &Members, place: &str, drafts: &mut Vec<Draft>) {
    let mut variables = Variables::default();
    let runners: Vec<Option<Runner>> = members.list.iter().map(|member| runner(&member.argv)).collect();
    for (number, member) in members.list.iter().enumerate() {
        variables.learn(member, number.checked_sub(1).and_then(|before| members.list.get(before)));
        let git = git(&member.argv);
        let draft =
            |row, touch, watch| Draft { touch, watch, ..Draft::of(row, member.deduction, member.step) };
        of_writes(attempt, member, writes(member, git.as_ref(), &variables), drafts);
        of_patch(attempt, member, drafts);
        if let Some(git) = &git {
            let touch = if git.changes_files { Touch::UnlessFailed } else { Touch::Never };
            drafts.push(draft(git_row(attempt, member, git), touch, None));
            if let Some(branch) = git.named_branch() {
                let (attempt, branch) = (attempt.clone(), short(branch));
                drafts.push(draft(
                    Observation::BranchSwitch { attempt, branch, outcome: Outcome::Unknown },
                    Touch::Never,
                    None,
                ));
            }
        }
        if let Some(Some(runner)) = runners.get(number) {
            let row = Observation::VerificationRun {
                attempt: attempt.clone(),
                runner: runner.name.to_owned(),
                command: command_text(&member.argv),
                command_key: command_key(member, place, attempt, number),
                workdir: workdir(member),
                outcome: Outcome::Unknown,
                reason: Some(Reason::NoResult),
                reported: None,
                reported_counts: None,
                after_failures: 0,
                stale: false,
            };
            let mut run = draft(row, Touch::Never, watch(members, &runners, number));
            if runner.forgiving {
                run.deduction = run.deduction.hidden(Reason::StatusForced);
            }
            drafts.push(run);
        }
        if let Some(effect) = effect(member, git.as_ref()) {
            let (attempt, effect) = (attempt.clone(), effect.to_owned());
            drafts.push(draft(
                Observation::ExternalEffect { attempt, effect, outcome: Outcome::Unknown },
                Touch::Never,
                None,
            ));
        }
    }
}

/// Rows of the files that a command writes.
fn of_writes(attempt: &Attempt, member: &Member, written: Vec<Write>, drafts: &mut Vec<Draft>) {
    for write in written {
        let touch = match (write.scratch, write.even_failed) {
            (true, _) => Touch::Never,
            (false, true) => Touch::EvenFailed,
            (false, false) => Touch::UnlessFailed,
        };
        let (path, operation, scratch) = (write.path.as_deref().map(short), write.operation, write.scratch);
        let row = Observation::ShellWrite { attempt: attempt.clone(), operation, path, scratch };
        drafts.push(Draft { touch, ..Draft::of(row, member.deduction, member.step) });
    }
}

/// Rows of the files that a patch in a shell command changes.
fn of_patch(attempt: &Attempt, member: &Member, drafts: &mut Vec<Draft>) {
    let Some(patch) = patch_of(member) else { return };
    for change in changes(&patch).iter().filter(|change| !change.path.contains(['$', '`'])) {
        let at = |path: &str| member.directory.resolve(path);
        let made =
            mutation(attempt, change, &at(&change.path), change.moved_to.as_deref().map(at).as_deref());
        drafts.push(Draft {
            touch: Touch::UnlessFailed,
            deduction: member.deduction,
            step: member.step,
            ..made
        });
    }
}

/// The patch that a command of a shell is given, as a here-document or as its only word.
fn patch_of(member: &Member) -> Option<String> {
    if !matches!(member.program(), Some("apply_patch" | "applypatch")) || member.elsewhere {
        return None;
    }
    if let Some((text, _)) = &member.redirections.document {
        return Some(text.clone());
    }
    member
        .argv
        .get(1)
        .filter(|word| matches!(word.form, Form::Plain | Form::Pattern))
        .map(|word| word.text.clone())
}

fn git_row(attempt: &Attempt, member: &Member, git: &Git) -> Observation {
    Observation::GitCommand {
        attempt: attempt.clone(),
        verb: short(&git.verb),
        argv: git.argv.iter().take(OBSERVED_WORDS).map(|word| short(&word.text)).collect(),
        workdir: git_folder(member, git),
        mutating: git.mutating,
        outcome: Outcome::Unknown,
    }
}

/// Where a git command works, after its `-C` options; `None` when one of them is not literal.
pub fn git_folder(member: &Member, git: &Git) -> Option<String> {
    let mut directory = member.directory.clone();
    for folder in &git.folders {
        directory = directory.entered(folder);
    }
    directory.known().filter(|_| !member.elsewhere).map(short)
}

/// Options by which a runner goes to another folder before it begins.
const MOVES: &[(&str, &[&str])] = &[
    ("bun", &["--cwd"]),
    ("cargo", &["-C"]),
    ("ctest", &["--test-dir"]),
    ("gmake", &["-C", "--directory"]),
    ("go", &["-C"]),
    ("gradle", &["-p", "--project-dir"]),
    ("gradlew", &["-p", "--project-dir"]),
    ("just", &["-d", "--working-directory"]),
    ("make", &["-C", "--directory"]),
    ("meson", &["-C"]),
    ("ninja", &["-C"]),
    ("npm", &["-C", "--prefix"]),
    ("pnpm", &["-C", "--dir"]),
    ("swift", &["--package-path"]),
    ("task", &["-d", "--dir"]),
    ("yarn", &["--cwd"]),
];

/// Where a run works; `None` where that is not known from its words.
fn workdir(member: &Member) -> Option<String> {
    let words = member.argv.get(1..).unwrap_or_default();
    let own =
        words.iter().position(|word| word.text == "--").and_then(|end| words.get(..end)).unwrap_or(words);
    let options =
        MOVES.iter().find(|(name, _)| member.program() == Some(name)).map_or(&[][..], |(_, options)| options);
    let mut directory = member.directory.clone();
    for folder in values(own, options) {
        directory = directory.entered(&folder);
    }
    directory.known().filter(|_| !member.elsewhere).map(short)
}

/// A text for a row: whole, or cut with an ellipsis.
pub fn short(text: &str) -> String {
    if text.len() <= OBSERVED_TEXT_BYTES {
        return text.to_owned();
    }
    let mut end = OBSERVED_TEXT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", text.get(..end).unwrap_or(""))
}

/// The words in one line; words that are not bare are quoted.
fn command_text(argv: &[Word]) -> String {
    let mut text = String::new();
    for word in argv {
        if !text.is_empty() {
            text.push(' ');
        }
        let bare = |letter: char| letter.is_alphanumeric() || "-_./=:,@%+$~*?[]{}()#…&!^".contains(letter);
        if !word.text.is_empty() && word.text.chars().all(bare) {
            text.push_str(&word.text);
        } else {
            text.push('\'');
            text.push_str(&word.text.replace('\'', "'\\''"));
            text.push('\'');
        }
        if text.len() > OBSERVED_TEXT_BYTES {
            break;
        }
    }
    short(&text)
}

/// Equal for equal words, assignments and work directory. With an expansion, or a folder that is not known to
/// be the same, no other command is equal.
fn command_key(member: &Member, place: &str, attempt: &Attempt, number: usize) -> String {
    let mut hasher = Hasher::default();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    };
    part("recap command v1");
    let mut alike = member.directory.is_literal();
    let mut words =
        |list: &mut dyn Iterator<Item = (&str, &Word)>, count: usize, part: &mut dyn FnMut(&str)| {
            part(&count.to_string());
            for (name, word) in list {
                alike &= word.form != Form::Expanded;
                part(name);
                part(&word.text);
            }
        };
    words(&mut member.argv.iter().map(|word| ("", word)), member.argv.len(), &mut part);
    let assignments = &member.assignments;
    words(&mut assignments.iter().map(|(name, word)| (name.as_str(), word)), assignments.len(), &mut part);
    part(&member.prefix.len().to_string());
    for word in &member.prefix {
        part(word);
    }
    let trail = member.directory.trail();
    part(trail);
    if !trail.starts_with('/') {
        part(place);
    }
    if !alike {
        part(&attempt.call.to_string());
        part(&number.to_string());
    }
    hasher.finish().to_string()
}

#[cfg(test)]
mod tests {
    use crate::evidence::command::observation::Observation;
    use crate::evidence::command::sample::Session;

    #[test]
    fn a_run_works_where_its_options_take_it() {
        for (command, expected) in [
            ("make -C web test", Some("web")),
            ("make -C web -C api test", Some("web/api")),
            ("cd /srv && make --directory=web test", Some("/srv/web")),
            ("go -C ../x test ./...", Some("../x")),
            ("npm --prefix web test", Some("web")),
            ("npm --prefix $X test", None),
            ("ctest --test-dir build", Some("build")),
            ("cargo test -- -C web", None),
            ("env -C web npm test", None),
            ("docker exec web pytest", None),
        ] {
            let mut session = Session::default();
            session.bash(command, 0, "");
            let rows = session.rows();
            let folder = rows.iter().find_map(|row| match row {
                Observation::VerificationRun { workdir, .. } => Some(workdir.as_deref()),
                _ => None,
            });
            assert_eq!(folder, Some(expected), "{command}");
        }
    }
}
