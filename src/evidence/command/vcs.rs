//! Git commands: verb, arguments, folder, and whether they change something; what git's own output reports. It
//! does not know whether a command succeeded.

use super::operand::is_cluster;
use super::shell::word::Word;
use super::shell::wrapper::program_name;

/// A git command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Git {
    /// `commit`, `push`, `status` …
    pub verb: String,
    /// The words behind the verb.
    pub argv: Vec<Word>,
    /// `-C` options in order: each is seen from the one before.
    pub folders: Vec<Word>,
    /// Changes refs, index, work tree or configuration.
    pub mutating: bool,
    /// May change files of the work tree.
    pub changes_files: bool,
}

/// How the words behind a verb decide.
enum Change {
    /// Always.
    Always,
    /// Unless the first word is one of these, one of these options is there, or there is none and the flag says so.
    Unless(&'static [&'static str], bool),
    /// Only if the first word is one of these.
    Only(&'static [&'static str]),
    /// With a plain word that is no option, and none of these options.
    Operand(&'static [&'static str]),
}

use Change::{Always, Only, Operand, Unless};

/// Verbs that can change something. Verbs that are not here only read.
const MUTATING: &[(&str, Change)] = &[
    ("add", Always),
    ("am", Always),
    ("apply", Unless(&["--check", "--stat", "--numstat", "--summary"], false)),
    ("bisect", Unless(&["log", "view", "visualize"], false)),
    (
        "branch",
        Operand(&["-l", "--list", "-a", "-r", "--contains", "--merged", "--no-merged", "--points-at"]),
    ),
    ("checkout", Always),
    ("cherry-pick", Always),
    ("clean", Always),
    ("clone", Always),
    ("commit", Always),
    ("config", Operand(&["--get", "--get-all", "--get-regexp", "-l", "--list", "get", "list"])),
    ("fetch", Always),
    ("filter-branch", Always),
    ("gc", Always),
    ("init", Always),
    ("merge", Always),
    ("mv", Always),
    ("notes", Only(&["add", "append", "copy", "edit", "merge", "prune", "remove"])),
    ("prune", Always),
    ("pull", Always),
    ("push", Always),
    ("read-tree", Always),
    ("rebase", Always),
    ("reflog", Only(&["expire", "delete"])),
    (
        "remote",
        Only(&["add", "remove", "rm", "rename", "set-url", "set-head", "set-branches", "prune", "update"]),
    ),
    ("repack", Always),
    ("reset", Always),
    ("restore", Always),
    ("revert", Always),
    ("rm", Always),
    ("sparse-checkout", Unless(&["list"], true)),
    ("stash", Unless(&["list", "show", "create"], false)),
    (
        "submodule",
        Only(&["add", "init", "deinit", "update", "set-branch", "set-url", "sync", "absorbgitdirs"]),
    ),
    ("switch", Always),
    ("symbolic-ref", Operand(&[])),
    ("tag", Operand(&["-l", "--list", "-n", "--contains", "--merged", "--no-merged", "--points-at", "-v"])),
    ("update-index", Always),
    ("update-ref", Always),
    ("worktree", Only(&["add", "lock", "move", "prune", "remove", "repair", "unlock"])),
];

/// Verbs that can change files of the work tree. A commit does not; nor does a new branch at the same commit.
const CHANGING_FILES: &[&str] = &[
    "am",
    "apply",
    "bisect",
    "checkout",
    "cherry-pick",
    "clean",
    "merge",
    "mv",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stash",
    "submodule",
    "switch",
];

/// Reads a command of git; `None` for another program or without a plain verb.
pub fn git(argv: &[Word]) -> Option<Git> {
    let (program, words) = argv.split_first()?;
    if program_name(program.plain()?) != "git" {
        return None;
    }
    let mut folders = Vec::new();
    let mut words = words.iter();
    let verb = loop {
        let word = words.next()?;
        match word.text.as_str() {
            "-C" => folders.push(words.next()?.clone()),
            "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--config-env" => {
                words.next()?;
            }
            "--version" | "--help" | "-h" | "-v" => return None,
            text if text.starts_with('-') => {}
            _ => break word.plain()?.to_owned(),
        }
    };
    let argv: Vec<Word> = words.cloned().collect();
    let mutating = changes(&verb, &argv);
    let changes_files = mutating && CHANGING_FILES.contains(&verb.as_str()) && !spares_files(&verb, &argv);
    Some(Git { verb, argv, folders, mutating, changes_files })
}

fn changes(verb: &str, argv: &[Word]) -> bool {
    let has = |options: &[&str]| argv.iter().any(|word| options.contains(&word.text.as_str()));
    // `-n` is a dry run for these and something else for `commit` or `merge`.
    let dry = has(&["--dry-run", "--help"])
        || (matches!(verb, "add" | "clean" | "mv" | "push" | "rm") && has(&["-n"]))
        || (verb == "clean" && argv.iter().any(|word| is_cluster(&word.text) && word.text.contains('n')));
    let Some((_, change)) = MUTATING.iter().find(|(name, _)| *name == verb) else { return false };
    let first = argv.first().map(|word| word.text.as_str());
    let changed = match change {
        Always => true,
        Unless(words, needs_word) => {
            let options: Vec<&str> = words.iter().filter(|word| word.starts_with('-')).copied().collect();
            first.map_or(!needs_word, |first| !words.contains(&first)) && !has(&options)
        }
        Only(words) => first.is_some_and(|first| words.contains(&first)),
        Operand(reading) => !has(reading) && argv.iter().any(|word| !word.text.starts_with('-')),
    };
    // `config key` reads, `config key value` writes; so does `symbolic-ref`.
    let single = matches!(verb, "config" | "symbolic-ref")
        && !has(&["--unset", "--unset-all", "--add", "-d", "set", "unset"]);
    let operands = argv.iter().filter(|word| !word.text.starts_with('-')).count();
    changed && !dry && (!single || operands > 1)
}

/// Forms of such a verb that change references or the index only.
fn spares_files(verb: &str, argv: &[Word]) -> bool {
    let has = |options: &[&str]| argv.iter().any(|word| options.contains(&word.text.as_str()));
    let first = argv.first().map_or("", |word| word.text.as_str());
    // `checkout -b x` and `switch -c x` without a start point leave all files as they are.
    let options: &[&str] = match verb {
        "checkout" => &["-b", "-B"],
        "switch" => &["-c", "-C", "--create", "--force-create"],
        "reset" => return !has(&["--hard", "--merge", "--keep"]),
        "restore" => return has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]),
        "apply" => return has(&["--cached"]),
        "rm" => return has(&["--cached"]),
        "read-tree" => return !has(&["-u"]),
        "stash" => return ["drop", "clear", "store"].contains(&first),
        "submodule" => return !["update", "add", "deinit"].contains(&first),
        "bisect" => return ["terms", "help"].contains(&first),
        _ => return false,
    };
    let creates = argv.iter().any(|word| options.contains(&word.text.as_str()));
    creates && argv.iter().filter(|word| !word.text.starts_with('-')).count() == 1
}

impl Git {
    /// Its output may report commits.
    pub fn may_report_commits(&self) -> bool {
        let quiet = |word: &Word| {
            let text = word.text.as_str();
            text == "--quiet"
                || text == "--dry-run"
                || (text.starts_with('-') && !text.starts_with("--") && text.contains('q'))
        };
        matches!(self.verb.as_str(), "commit" | "merge" | "cherry-pick" | "revert")
            && !self.argv.iter().any(quiet)
    }

    /// The branch that it asks for, where its words alone say that it is one.
    pub fn named_branch(&self) -> Option<&str> {
        let options: &[&str] = match self.verb.as_str() {
            "checkout" => &["-b", "-B", "--orphan"],
            "switch" => &["-c", "-C", "--create", "--force-create", "--orphan"],
            _ => return None,
        };
        let mut words = self.argv.iter().skip_while(|word| !options.contains(&word.text.as_str()));
        if words.next().is_some() {
            return words.next().and_then(Word::plain);
        }
        if self.verb != "switch"
            || self.argv.iter().any(|word| matches!(word.text.as_str(), "--detach" | "-d"))
        {
            return None;
        }
        let mut operands = self.argv.iter().filter(|word| !word.text.starts_with('-'));
        let branch = operands.next().and_then(Word::plain);
        operands.next().is_none().then_some(branch)?
    }

    /// `checkout x`: a branch or a file, which only the output tells.
    pub fn may_switch(&self) -> bool {
        self.verb == "checkout"
            && self.named_branch().is_none()
            && !self.argv.iter().any(|word| word.text == "--")
    }
}

/// A commit as git's own output reports it.
#[derive(Debug, PartialEq, Eq)]
pub struct Reported<'a> {
    /// The branch; `None` on a detached HEAD.
    pub branch: Option<&'a str>,
    /// The object id, abbreviated or not.
    pub commit: &'a str,
}

/// `[main abc1234] Subject`, `[main (root-commit) abc1234] Subject`, `[detached HEAD abc1234] Subject`.
pub fn reported(line: &str) -> Option<Reported<'_>> {
    let (inside, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (name, commit) = inside.rsplit_once(' ')?;
    let name = name.strip_suffix(" (root-commit)").unwrap_or(name);
    let detached = name == "detached HEAD";
    // No branch has a space, or a mark of ours, in its name.
    (is_commit(commit) && !rest.is_empty() && (detached || !name.contains([' ', '[', ':'])))
        .then_some(Reported { branch: (!detached).then_some(name), commit })
}

/// An object id, abbreviated or not, as git prints it.
pub fn is_commit(word: &str) -> bool {
    (7..=64).contains(&word.len()) && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `Switched to branch 'x'`, `Switched to a new branch 'x'`.
pub fn switched(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("Switched to branch '")
        .or_else(|| line.strip_prefix("Switched to a new branch '"))?;
    rest.strip_suffix('\'').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Reported, git, reported, switched};
    use crate::evidence::command::shell::word::Word;

    fn read(text: &str) -> super::Git {
        git(&text.split(' ').map(Word::resolve).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn verbs_change_or_read() {
        for (text, mutating, files) in [
            ("git -C a -c x.y=z --no-pager status", false, false),
            ("git commit -qam x", true, false),
            ("git commit --dry-run", false, false),
            ("git commit -n -m x", true, false),
            ("git add -n .", false, false),
            ("git checkout main", true, true),
            ("git checkout -b topic", true, false),
            ("git checkout -b topic origin/main", true, true),
            ("git switch -c topic", true, false),
            ("git stash", true, true),
            ("git stash list", false, false),
            ("git branch", false, false),
            ("git branch -a", false, false),
            ("git branch topic", true, false),
            ("git tag -l v1*", false, false),
            ("git tag v1", true, false),
            ("git config user.name", false, false),
            ("git config user.name x", true, false),
            ("git remote -v", false, false),
            ("git remote add o u", true, false),
            ("git worktree list", false, false),
            ("git worktree add ../x", true, false),
            ("git push", true, false),
            ("git push --dry-run", false, false),
            ("git log --oneline", false, false),
            ("git reset --hard HEAD~1", true, true),
            ("git apply --check x.patch", false, false),
            ("git apply -v --check x.patch", false, false),
            ("git apply x.patch", true, true),
            ("git apply --cached x.patch", true, false),
            ("git reset", true, false),
            ("git reset HEAD a", true, false),
            ("git reset --soft HEAD~1", true, false),
            ("git restore a", true, true),
            ("git restore --staged a", true, false),
            ("git restore --staged --worktree a", true, true),
            ("git stash pop", true, true),
            ("git stash drop", true, false),
            ("git submodule sync", true, false),
            ("git submodule update --init", true, true),
            ("git rm --cached a", true, false),
            ("git clean -n", false, false),
            ("git clean -xdn", false, false),
            ("git clean -fd", true, true),
        ] {
            let git = read(text);
            assert_eq!((git.mutating, git.changes_files), (mutating, files), "{text}");
        }
        assert_eq!(read("git -C a -C b mv x y").folders.len(), 2);
    }

    #[test]
    fn branches_are_named_by_words_or_by_output() {
        assert_eq!(read("git checkout -q -b topic").named_branch(), Some("topic"));
        assert_eq!(read("git switch main").named_branch(), Some("main"));
        assert_eq!(read("git switch --detach abc").named_branch(), None);
        assert_eq!(read("git checkout main").named_branch(), None);
        assert!(read("git checkout main").may_switch() && !read("git checkout -- a").may_switch());
        assert_eq!(switched("Switched to a new branch 'a/b'"), Some("a/b"));
        assert_eq!(switched("Switched to branch main"), None);
    }

    #[test]
    fn commits_are_read_from_gits_own_lines() {
        let commit = "389aebc";
        assert_eq!(reported("[main 389aebc] Add"), Some(Reported { branch: Some("main"), commit }));
        assert_eq!(
            reported("[a/b (root-commit) 389aebc] Add"),
            Some(Reported { branch: Some("a/b"), commit })
        );
        assert_eq!(reported("[detached HEAD 389aebc] Add"), Some(Reported { branch: None, commit }));
        for line in [
            "[INFO 12:00 389aebc] x",
            "[main 389aeb] x",
            "[main 389AEBC] x",
            "[x] 389aebc",
            "x [main 389aebc] y",
        ] {
            assert_eq!(reported(line), None, "{line}");
        }
    }
}
