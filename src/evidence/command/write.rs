//! Files that a shell command writes, by its redirections and by the few programs whose operands are files. A
//! target that is not literal is left out: it may be a temporary file or none at all.

use super::directory::is_scratch;
use super::member::Member;
use super::observation::Operation;
use super::vcs::Git;
use super::word::{Form, Word};

/// One file written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Seen from where the session's commands start, else absolute.
    pub path: String,
    /// What was to happen.
    pub operation: Operation,
    /// Below a temporary folder.
    pub scratch: bool,
    /// The shell writes it, whether the command then fails or not.
    pub by_shell: bool,
}

/// The files that a command writes.
pub fn writes(member: &Member, git: Option<&Git>) -> Vec<Write> {
    let mut all = Vec::new();
    for written in &member.redirections.written {
        push(&mut all, member, &written.target, written.operation, true);
    }
    // In a container or another project the operands are not of this folder.
    if member.elsewhere {
        return all;
    }
    let Some((_, words)) = member.argv.split_first() else { return all };
    if let Some(git) = git {
        match git.verb.as_str() {
            "mv" if git.mutating && git.folders.is_empty() => {
                moved(&mut all, member, &operands(&git.argv, &[]))
            }
            "rm" if git.mutating
                && git.folders.is_empty()
                && !git.argv.iter().any(|word| word.text == "--cached") =>
            {
                each(&mut all, member, &operands(&git.argv, &[]), Operation::Delete);
            }
            _ => {}
        }
        return all;
    }
    match member.program() {
        Some("tee") => {
            let append = words.iter().any(|word| matches!(word.text.as_str(), "-a" | "--append"));
            let operation = if append { Operation::Update } else { Operation::Add };
            each(&mut all, member, &operands(words, &[]), operation);
        }
        Some("mv") if !has_target_option(words) => {
            moved(&mut all, member, &operands(words, &["-S", "--suffix"]))
        }
        Some("cp") if !has_target_option(words) => {
            if let [_, .., target] = operands(words, &["-S", "--suffix"]).as_slice() {
                push(&mut all, member, target, Operation::Add, false);
            }
        }
        Some("rm" | "unlink") => each(&mut all, member, &operands(words, &[]), Operation::Delete),
        Some("sed" | "gsed") => each(&mut all, member, &sed_files(words), Operation::Update),
        Some("perl") => each(&mut all, member, &perl_files(words), Operation::Update),
        _ => {}
    }
    all
}

fn push(all: &mut Vec<Write>, member: &Member, target: &Word, operation: Operation, by_shell: bool) {
    let text = target.text.as_str();
    let temporary = is_scratch(text) && !text.contains("..");
    let literal = match target.form {
        Form::Plain | Form::Tilde => true,
        // `$TMPDIR/x` is scratch whatever else is in it.
        Form::Pattern | Form::Expanded => temporary && text.starts_with('$'),
    };
    if !literal || text.is_empty() || text == "-" {
        return;
    }
    let path = member.directory.resolve(text);
    if path == "/dev" || path.starts_with("/dev/") || path.starts_with("/proc/") {
        return;
    }
    let scratch = is_scratch(&path);
    all.push(Write { path, operation, scratch, by_shell });
}

fn each(all: &mut Vec<Write>, member: &Member, targets: &[&Word], operation: Operation) {
    for target in targets {
        push(all, member, target, operation, false);
    }
}

/// Every source moves; the target is written.
fn moved(all: &mut Vec<Write>, member: &Member, operands: &[&Word]) {
    if let [sources @ .., target] = operands
        && !sources.is_empty()
    {
        each(all, member, sources, Operation::Move);
        push(all, member, target, Operation::Add, false);
    }
}

/// `-t DIR` turns the operands around; such calls are left out.
fn has_target_option(words: &[Word]) -> bool {
    words.iter().any(|word| word.text.starts_with("--target-directory") || word.text == "-t")
}

/// Words that are neither options nor values of `valued`.
fn operands<'a>(words: &'a [Word], valued: &[&str]) -> Vec<&'a Word> {
    let mut all = Vec::new();
    let mut plain = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if plain || !word.text.starts_with('-') || word.text == "-" {
            all.push(word);
        } else if word.text == "--" {
            plain = true;
        } else if valued.contains(&word.text.as_str()) {
            words.next();
        }
    }
    all
}

/// The files of `sed -i`: all operands but the script.
fn sed_files(words: &[Word]) -> Vec<&Word> {
    let in_place = words.iter().any(|word| word.text.starts_with("--in-place") || flag(&word.text, 'i'));
    if !in_place {
        return Vec::new();
    }
    // `-e` and `-f`, alone or at the end of a cluster, take the next word. Behind `-i` letters are a suffix.
    let takes = |text: &&str| {
        matches!(*text, "--expression" | "--file")
            || (text.starts_with('-')
                && !text.starts_with("--")
                && !text.starts_with("-i")
                && text.ends_with(['e', 'f']))
    };
    let taking: Vec<&str> = words.iter().map(|word| word.text.as_str()).filter(takes).collect();
    let given = !taking.is_empty()
        || words
            .iter()
            .any(|word| word.text.starts_with("--expression=") || word.text.starts_with("--file="));
    let mut files = operands(words, &taking);
    // BSD: `sed -i '' script file`.
    if words.iter().any(|word| word.text == "-i") && files.first().is_some_and(|word| word.text.is_empty()) {
        files.remove(0);
    }
    if !given && !files.is_empty() {
        files.remove(0);
    }
    files
}

/// The files of `perl -pi -e script`.
fn perl_files(words: &[Word]) -> Vec<&Word> {
    let in_place = words.iter().any(|word| flag(&word.text, 'i'));
    let script = words.iter().any(|word| word.text == "-e" || flag(&word.text, 'e'));
    if !in_place || !script {
        return Vec::new();
    }
    // A cluster that ends in `e` takes the next word, too.
    let clusters: Vec<&str> = words
        .iter()
        .map(|word| word.text.as_str())
        .filter(|text| flag(text, 'e') && text.ends_with('e'))
        .collect();
    operands(words, &clusters)
}

/// A short option with this letter before any suffix: `-i`, `-i.bak`, `-ni`, `-pi`.
fn flag(text: &str, letter: char) -> bool {
    let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { return false };
    letters.chars().take_while(|other| other.is_ascii_alphanumeric()).any(|other| other == letter)
}
