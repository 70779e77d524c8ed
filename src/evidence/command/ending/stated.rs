//! What the commands of one call state by their output: which of them are asked, whose lines are whose, and which of
//! their words still hold behind the rest of the call. An output with any line of nobody states nothing.

use serde::{Deserialize, Serialize};

use super::printed::{Form, begins_words, form, is_listed, is_of_second, is_short, leading_commit, stated};
use super::reach::{Reach, of_member};
use crate::base::limits::OBSERVED_TEXT_BYTES;
use crate::evidence::command::fact::FactKind;
use crate::evidence::command::observation::Outcome;
use crate::evidence::command::operand::has;
use crate::evidence::command::rows::git_folder;
use crate::evidence::command::shell::directory::Directory;
use crate::evidence::command::shell::member::{Member, Members, Shown};
use crate::evidence::command::shell::outcome::Whole;
use crate::evidence::command::shell::word::Word;
use crate::evidence::command::vcs::{Git, git};

/// What one command of a call is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    form: Form,
    /// Where; `None` in the session's own folder.
    workdir: Option<String>,
    /// The whole proves that it passed, and its folder is known.
    proven: bool,
    /// What commands behind it may change.
    spoiled: Reach,
}

/// A fact and where it holds.
pub type Stated = (FactKind, String, Option<String>);

/// The commands of a call that state something, and those beside them that print; none where something else may
/// print, too. `strayed` says that the session's shell may stand elsewhere than at its start.
pub fn plan(members: &Members, strayed: bool) -> Vec<Asked> {
    let mut all = Vec::new();
    if members.incomplete {
        return all;
    }
    let mut spoiled = Reach::Nothing;
    for member in members.list.iter().rev() {
        if member.piped || member.background || member.function.is_some() {
            return Vec::new();
        }
        if !is_silent(member) {
            let Some(asked) = asked(member, strayed, spoiled) else { return Vec::new() };
            all.push(asked);
        }
        spoiled = spoiled.max(of_member(member));
    }
    all.reverse();
    if all.iter().any(|asked| asked.proven) { all } else { Vec::new() }
}

fn asked(member: &Member, strayed: bool, spoiled: Reach) -> Option<Asked> {
    let plain_place = member.assignments.is_empty() && member.prefix.is_empty() && !member.elsewhere;
    if !plain_place || member.shown != Shown::Ending || member.redirections.hides_output {
        return None;
    }
    if let Some(form) = literal(&member.argv) {
        return Some(Asked { form, workdir: None, proven: false, spoiled });
    }
    let git = git(&member.argv).filter(|_| has_known_options(&member.argv))?;
    let form = form(&git)?;
    let place = place(member, &git, strayed);
    let passed = member.deduction.outcome(Whole::Ok).0 == Outcome::Passed;
    let proven = passed && place.is_some();
    Some(Asked { form, workdir: place.flatten(), proven, spoiled })
}

/// Where a git command works: `Some(None)` at the session's start.
fn place(member: &Member, git: &Git, strayed: bool) -> Option<Option<String>> {
    let at_start = member.directory == Directory::start(None) && git.folders.is_empty();
    let folder = git_folder(member, git);
    let whole = folder.as_ref().is_some_and(|folder| is_whole(folder) && !folder.contains("[redacted:"));
    match folder {
        Some(folder) if whole && (folder.starts_with('/') || !strayed) => Some(Some(folder)),
        None if at_start && !strayed => Some(None),
        _ => None,
    }
}

/// Not cut.
fn is_whole(text: &str) -> bool {
    text.len() <= OBSERVED_TEXT_BYTES && !text.ends_with('…')
}

/// It prints nothing when it succeeds.
fn is_silent(member: &Member) -> bool {
    const PROGRAMS: &[&str] =
        &[":", "[", "cd", "chmod", "mkdir", "mv", "rm", "set", "sleep", "test", "touch", "true"];
    match member.program() {
        None => member.argv.is_empty(),
        Some("git") => git(&member.argv).is_some_and(|git| match git.verb.as_str() {
            "add" => !has(&git.argv, &["-n", "--dry-run"]),
            "commit" => !git.may_report_commits() && !has(&git.argv, &["--dry-run"]),
            "checkout" | "rm" | "switch" | "stash" => has(&git.argv, &["-q", "--quiet"]),
            _ => false,
        }),
        Some(program) => {
            PROGRAMS.contains(&program) && !member.argv.iter().any(|word| word.text.contains("-v"))
        }
    }
}

/// `echo` of words that are known.
fn literal(argv: &[Word]) -> Option<Form> {
    let (program, words) = argv.split_first()?;
    let words: Option<Vec<&str>> = words.iter().map(Word::plain).collect();
    let text = words?.join(" ");
    // A row of dashes is an option to no `echo`.
    let option = text.starts_with('-') && !text.bytes().all(|byte| byte == b'-');
    let as_written = !option && text != "-" && is_whole(&text) && !text.contains(['\\', '\n']);
    (program.plain() == Some("echo") && as_written).then_some(Form::Literal(text))
}

/// The git of the system, with nothing before the verb but where to work and that no pager is wanted.
fn has_known_options(argv: &[Word]) -> bool {
    let mut words = argv.iter();
    if !words.next().is_some_and(|word| matches!(word.text.as_str(), "git" | "/usr/bin/git")) {
        return false;
    }
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => drop(words.next()),
            "--no-pager" | "-P" | "--no-optional-locks" => {}
            text => return !text.starts_with('-'),
        }
    }
    false
}

/// What an output states, in the order of the commands. `None` when a line is not as its command would print it.
pub fn read(plan: &[Asked], text: &str) -> Option<Vec<Stated>> {
    let all: Vec<&str> = text.lines().collect();
    let mut lines = all.as_slice();
    let mut facts = Vec::new();
    for (place, asked) in plan.iter().enumerate() {
        let behind = plan.get(place + 1..).unwrap_or_default();
        let own = lines.get(..length(&asked.form, lines, behind)?)?;
        lines = lines.get(own.len()..)?;
        let stated = stated(&asked.form, own)?;
        let holds = |kind: FactKind| asked.proven && asked.spoiled < Reach::changing(kind);
        let kept = stated.into_iter().filter(|(kind, value)| holds(*kind) && is_whole(value));
        facts.extend(kept.map(|(kind, value)| (kind, value, asked.workdir.clone())));
    }
    lines.is_empty().then_some(facts)
}

/// How many of the lines are a form's own.
fn length(form: &Form, lines: &[&str], behind: &[Asked]) -> Option<usize> {
    let run = |fits: &dyn Fn(&str) -> bool| lines.iter().take_while(|line| fits(line)).count();
    match form {
        Form::Literal(_) | Form::Commit | Form::Branch => Some(1),
        Form::BranchList => Some(run(&|line| is_listed(line).is_some())),
        Form::Second => Some(run(&is_of_second)),
        Form::Log(most) => Some(run(&|line| leading_commit(line).is_some()).min(*most)),
        Form::Short { branch } => {
            let head = usize::from(*branch);
            Some(head + lines.iter().skip(head).take_while(|line| is_short(line)).count())
        }
        Form::Words | Form::Text(_) => behind.is_empty().then_some(lines.len()),
        Form::Report => match behind {
            [] => Some(lines.len()),
            [Asked { form: Form::Words, .. }] => lines.iter().rposition(|line| begins_words(line)),
            [Asked { form: Form::Short { branch: true }, .. }] => {
                lines.iter().rposition(|line| line.starts_with("## "))
            }
            _ => {
                let one = |asked: &Asked| {
                    matches!(asked.form, Form::Literal(_) | Form::Commit | Form::Branch | Form::Log(1))
                };
                if behind.iter().all(one) { lines.len().checked_sub(behind.len()) } else { None }
            }
        },
    }
}
