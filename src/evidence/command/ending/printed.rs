//! How git prints what it knows of HEAD, of the branch and of the work tree: which words ask for which form, and what
//! its lines state. Other words, and other lines, state nothing.

use serde::{Deserialize, Serialize};

use crate::evidence::command::fact::FactKind;
use crate::evidence::command::shell::word::Word;
use crate::evidence::command::vcs::{Git, is_commit, reported};

/// How the output of a command looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// One line that is known.
    Literal(String),
    /// One line: a commit.
    Commit,
    /// One line: a branch, or `HEAD`.
    Branch,
    /// `* main` among others.
    BranchList,
    /// `git status` in words.
    Words,
    /// `git status --short`.
    Short {
        /// With `## branch` before it.
        branch: bool,
    },
    /// `git status --porcelain=v2`.
    Second,
    /// At most so many lines that begin with a commit.
    Log(usize),
    /// A log or commit whose first line, behind this, begins with the commit.
    Text(String),
    /// What `git commit` reports.
    Report,
}

/// The form of what a git command prints, where its words ask for the whole repository.
pub fn form(git: &Git) -> Option<Form> {
    let words: Option<Vec<&str>> = git.argv.iter().map(Word::plain).collect();
    let words = words?;
    match (git.verb.as_str(), words.as_slice()) {
        ("branch", ["--show-current"])
        | ("symbolic-ref", ["--short", "HEAD"] | ["-q", "--short", "HEAD"])
        | ("rev-parse", ["--abbrev-ref", "HEAD"]) => Some(Form::Branch),
        ("branch", [] | ["-a" | "--all" | "-l" | "--list"]) => Some(Form::BranchList),
        ("rev-parse", [options @ .., "HEAD"]) => {
            let known = |word: &&str| {
                matches!(*word, "--short" | "--verify" | "-q" | "--quiet") || word.starts_with("--short=")
            };
            options.iter().all(known).then_some(Form::Commit)
        }
        ("status", words) => status(words),
        ("log" | "show", words) => log(git.verb == "show", words),
        ("commit", _) if git.may_report_commits() => Some(Form::Report),
        _ => None,
    }
}

fn status(words: &[&str]) -> Option<Form> {
    let (mut short, mut second, mut branch) = (false, false, false);
    for word in words {
        match *word {
            "-s" | "--short" | "--porcelain" | "--porcelain=v1" => short = true,
            "-b" | "--branch" => branch = true,
            "-sb" | "-bs" => (short, branch) = (true, true),
            "--porcelain=v2" => second = true,
            "--long"
            | "-u"
            | "-uall"
            | "-unormal"
            | "--untracked-files"
            | "--untracked-files=all"
            | "--untracked-files=normal"
            | "--ahead-behind"
            | "--no-ahead-behind"
            | "--no-renames" => {}
            _ => return None,
        }
    }
    Some(match (short, second) {
        (_, true) => Form::Second,
        (true, false) => Form::Short { branch },
        (false, false) => Form::Words,
    })
}

/// Logs from HEAD that leave no commit out, so that the first is HEAD.
fn log(show: bool, words: &[&str]) -> Option<Form> {
    let (mut most, mut starts_with_commit, mut more) = (if show { 1 } else { usize::MAX }, false, show);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let format = word.strip_prefix("--format=").or_else(|| word.strip_prefix("--pretty="));
        if let Some(format) = format {
            let format = format.strip_prefix("format:").unwrap_or(format);
            let format = format.strip_prefix("tformat:").unwrap_or(format);
            let rest = format.strip_prefix("%H").or_else(|| format.strip_prefix("%h"));
            // A body or a line feed makes more lines of a commit.
            let one_line = rest.is_some_and(|rest| {
                (rest.is_empty() || rest.starts_with(' '))
                    && !["%n", "%b", "%B", "%N", "%G"].iter().any(|part| rest.contains(part))
            });
            if !one_line && format != "oneline" {
                return None;
            }
            starts_with_commit = true;
            continue;
        }
        match *word {
            "--oneline" => starts_with_commit = true,
            "-n" => most = words.next()?.parse().ok()?,
            "-s" | "--no-patch" => more = false,
            "--stat" | "--shortstat" | "--name-only" | "--name-status" => more = true,
            "HEAD" | "--decorate" | "--no-decorate" | "--no-color" | "--abbrev-commit" => {}
            word => {
                let count = word.strip_prefix("--max-count=").or_else(|| word.strip_prefix("-n"));
                most = count.or_else(|| word.strip_prefix('-'))?.parse().ok()?;
            }
        }
    }
    Some(match (starts_with_commit, more) {
        (true, false) => Form::Log(most),
        (true, true) => Form::Text(String::new()),
        (false, _) => Form::Text("commit ".to_owned()),
    })
}

/// What a form's own lines state. `None` when one is not as git prints it.
pub fn stated(form: &Form, lines: &[&str]) -> Option<Vec<(FactKind, String)>> {
    let first = lines.first().copied();
    let head = |commit: &str| vec![(FactKind::Head, commit.to_owned())];
    match form {
        Form::Literal(text) => (first? == text).then(Vec::new),
        Form::Commit => first.filter(|line| is_commit(line)).map(head),
        Form::Branch => Some(branch_of(first.filter(|line| is_branch(line))?)),
        Form::BranchList => {
            let mut current = lines.iter().filter_map(|line| is_listed(line)?.strip_prefix("* "));
            let own = current.next()?;
            current.next().is_none().then(|| if is_branch(own) { branch_of(own) } else { Vec::new() })
        }
        Form::Words => of_words(lines),
        Form::Short { branch } => of_short(lines, *branch),
        Form::Second => Some(of_second(lines)),
        Form::Log(_) => leading_commit(first?).map(head),
        Form::Text(before) => leading_commit(first?.strip_prefix(before.as_str())?).map(head),
        Form::Report => {
            let mut reports = lines.iter().filter_map(|line| reported(line));
            let own = reports.next().filter(|_| reports.next().is_none())?;
            let mut facts = head(own.commit);
            facts.extend(own.branch.into_iter().flat_map(branch_of));
            Some(facts)
        }
    }
}

/// `HEAD` stands where there is no branch.
fn branch_of(name: &str) -> Vec<(FactKind, String)> {
    if name == "HEAD" { Vec::new() } else { vec![(FactKind::Branch, name.to_owned())] }
}

fn clean(is_clean: bool) -> (FactKind, String) {
    (FactKind::Clean, is_clean.to_string())
}

/// The first line of `git status` in words.
pub fn begins_words(line: &str) -> bool {
    ["On branch ", "HEAD detached at ", "HEAD detached from "].iter().any(|begins| line.starts_with(begins))
}

fn of_words(lines: &[&str]) -> Option<Vec<(FactKind, String)>> {
    const CHANGED: &[&str] = &[
        "Changes to be committed:",
        "Changes not staged for commit:",
        "Untracked files:",
        "Unmerged paths:",
    ];
    const CLEAN: &[&str] =
        &["nothing to commit, working tree clean", "nothing to commit, working directory clean"];
    let first = lines.first().filter(|line| begins_words(line))?;
    // In the middle of a rebase it begins otherwise, so that the first line may be a hook's.
    if lines.iter().any(|line| line.contains("rebas")) {
        return None;
    }
    let mut facts = Vec::new();
    if let Some(name) = first.strip_prefix("On branch ").filter(|name| is_branch(name)) {
        facts.extend(branch_of(name));
    }
    let changed = lines.iter().any(|line| CHANGED.contains(line));
    let last = lines.iter().rev().find(|line| !line.is_empty());
    if changed || last.is_some_and(|line| CLEAN.contains(line)) {
        facts.push(clean(!changed));
    }
    Some(facts)
}

fn of_short(lines: &[&str], branch: bool) -> Option<Vec<(FactKind, String)>> {
    let mut facts = Vec::new();
    if branch {
        let line = lines.first()?.strip_prefix("## ")?;
        let name = line.strip_prefix("No commits yet on ").unwrap_or(line);
        let name = name.split(' ').next().unwrap_or(name);
        let name = name.split("...").next().unwrap_or(name);
        let detached = line == "HEAD (no branch)";
        if !detached {
            facts.extend(Some(name).filter(|name| is_branch(name)).into_iter().flat_map(branch_of));
        }
    }
    facts.push(clean(lines.len() == usize::from(branch)));
    Some(facts)
}

fn of_second(lines: &[&str]) -> Vec<(FactKind, String)> {
    let mut facts = Vec::new();
    for line in lines {
        if let Some(commit) = line.strip_prefix("# branch.oid ").filter(|commit| is_commit(commit)) {
            facts.push((FactKind::Head, commit.to_owned()));
        }
        if let Some(name) = line.strip_prefix("# branch.head ").filter(|name| is_branch(name)) {
            facts.extend(branch_of(name));
        }
    }
    facts.push(clean(lines.iter().all(|line| line.starts_with("# "))));
    facts
}

/// A line of `git status --short`. The harness may have taken the blank from the first one.
pub fn is_short(line: &str) -> bool {
    let (code, path) = match line.as_bytes() {
        [_, _, b' ', ..] => line.split_at_checked(2).unwrap_or_default(),
        _ => line.split_at_checked(1).unwrap_or_default(),
    };
    let known = |byte: u8| b" MTADRCU?".contains(&byte);
    !code.trim().is_empty() && code.bytes().all(known) && path.starts_with(' ') && !path.trim().is_empty()
}

/// A line of `git status --porcelain=v2`.
pub fn is_of_second(line: &str) -> bool {
    ["# ", "1 ", "2 ", "u ", "? "].iter().any(|begins| line.starts_with(begins))
}

/// A line of a list of branches.
pub fn is_listed(line: &str) -> Option<&str> {
    ["* ", "  ", "+ "].iter().any(|begins| line.starts_with(begins)).then_some(line)
}

/// The commit that a line begins with.
pub fn leading_commit(line: &str) -> Option<&str> {
    line.split(' ').next().filter(|word| is_commit(word))
}

/// A name that git takes for a branch.
fn is_branch(name: &str) -> bool {
    let forbidden = |letter: char| letter.is_control() || " ~^:?*[\\(".contains(letter);
    !name.is_empty() && !name.starts_with('-') && !name.contains(forbidden) && !name.contains("..")
}
