//! What a git command says of HEAD, of the branch and of the work tree by its own output. Only forms are read whose
//! every line can be told from a neighbour's; an output that has any other line says nothing.

use serde::{Deserialize, Serialize};

use super::directory::Directory;
use super::fact::FactKind;
use super::member::{Member, Members, Shown};
use super::observation::Outcome;
use super::outcome::Whole;
use super::reach::{Reach, of_member};
use super::rows::git_folder;
use super::vcs::{Git, git, reported};
use super::word::Word;
use crate::base::limits::OBSERVED_TEXT_BYTES;

/// How the output of a command looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Form {
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
    /// `git status --short`, with or without `## branch`.
    Short { branch: bool },
    /// `git status --porcelain=v2`.
    Second,
    /// At most so many lines that begin with a commit.
    Log(usize),
    /// A log or commit whose first line, behind this, begins with the commit.
    Text(String),
    /// What `git commit` reports.
    Report,
}

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
    for (place, member) in members.list.iter().enumerate() {
        if member.piped || member.background || member.function.is_some() {
            return Vec::new();
        }
        if is_silent(member) {
            continue;
        }
        let later = members.list.iter().skip(place + 1);
        let spoiled = later.map(of_member).max().unwrap_or(Reach::Nothing);
        let Some(asked) = asked(member, strayed, spoiled) else { return Vec::new() };
        all.push(asked);
    }
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
        Some("git") => git(&member.argv).is_some_and(|git| {
            let has = |options: &[&str]| git.argv.iter().any(|word| options.contains(&word.text.as_str()));
            match git.verb.as_str() {
                "add" => !has(&["-n", "--dry-run"]),
                "commit" => !git.may_report_commits() && !has(&["--dry-run"]),
                "checkout" | "rm" | "switch" | "stash" => has(&["-q", "--quiet"]),
                _ => false,
            }
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
    let known = program.plain() == Some("echo") && !text.starts_with('-') && !text.contains(['\\', '\n']);
    // A row of dashes is an option to no `echo`.
    let dashes =
        program.plain() == Some("echo") && text.starts_with("--") && !text.contains(['\\', '\n', ' ']);
    (known || dashes).then_some(Form::Literal(text))
}

/// Nothing before the verb but where to work and that no pager is wanted.
fn has_known_options(argv: &[Word]) -> bool {
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" => drop(words.next()),
            "--no-pager" | "-P" | "--no-optional-locks" => {}
            text => return !text.starts_with('-'),
        }
    }
    false
}

fn form(git: &Git) -> Option<Form> {
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

fn stated(form: &Form, lines: &[&str]) -> Option<Vec<(FactKind, String)>> {
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

fn begins_words(line: &str) -> bool {
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
fn is_short(line: &str) -> bool {
    let (code, path) = match line.as_bytes() {
        [_, _, b' ', ..] => line.split_at_checked(2).unwrap_or_default(),
        _ => line.split_at_checked(1).unwrap_or_default(),
    };
    let known = |byte: u8| b" MTADRCU?".contains(&byte);
    !code.trim().is_empty() && code.bytes().all(known) && path.starts_with(' ') && path.trim().len() > 0
}

fn is_of_second(line: &str) -> bool {
    ["# ", "1 ", "2 ", "u ", "? "].iter().any(|begins| line.starts_with(begins))
}

/// A line of a list of branches.
fn is_listed(line: &str) -> Option<&str> {
    ["* ", "  ", "+ "].iter().any(|begins| line.starts_with(begins)).then_some(line)
}

/// The commit that a line begins with.
fn leading_commit(line: &str) -> Option<&str> {
    line.split(' ').next().filter(|word| is_commit(word))
}

fn is_commit(word: &str) -> bool {
    (7..=64).contains(&word.len()) && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A name that git takes for a branch.
fn is_branch(name: &str) -> bool {
    let forbidden = |letter: char| letter.is_control() || " ~^:?*[\\(".contains(letter);
    !name.is_empty() && !name.starts_with('-') && !name.contains(forbidden) && !name.contains("..")
}
