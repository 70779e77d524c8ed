//! What the status of a whole script proves about one command in it. A small calculus over the shell's rules:
//! each step from a list, pipeline or group to its parts keeps what still follows and drops the rest.
//!
//! | form | whole ends 0 | whole ends with another status |
//! |---|---|---|
//! | `a`, `( a )`, `{ a; }`, `time a` | `a` passed | `a` failed |
//! | `a && b` | both passed | known only where the other cannot end with that status |
//! | `a \|\| b` | nothing | both failed |
//! | `a \|\| exit 1` | `a` passed | `a` failed |
//! | `a; exit $?` | `a` passed | `a` failed |
//! | `a; b` | `b` passed | `b` failed |
//! | `a; b` after `set -e` | both passed | as for `&&` |
//! | `a \| b` | `b` passed | `b` failed |
//! | `a \| b` after `set -o pipefail` | both passed | as for `&&` |
//! | `! a`, `if`, `while`, `for`, `case` | nothing | nothing |
//! | `a &`, substitutions, functions | nothing | nothing |
//!
//! "Cannot end with that status": `cd`, `echo`, `tail` and their kin ([`modest`]) end with 0, 1 or 2. So
//! `cd x && cargo test` with 101 is a failed test, with 1 it is unknown. It does not know what a program printed.

use serde::{Deserialize, Serialize};

use crate::evidence::command::observation::{Outcome, Reason};

/// How the whole script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Whole {
    /// With 0.
    Ok,
    /// With another status, known or not.
    Failed(Option<u32>),
    /// Nothing is known.
    Unknown(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Zero {
    Passed,
    Unknown(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Other {
    /// The status is its own.
    Own,
    /// The status is its own if it is one that its modest neighbours or wrapper cannot give.
    OwnIfTelling(Reason),
    /// It failed with some other status.
    Failed,
    Unknown(Reason),
}

/// What follows for one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deduction {
    zero: Zero,
    other: Other,
}

impl Deduction {
    /// The command is the script.
    pub const WHOLE: Self = Self { zero: Zero::Passed, other: Other::Own };

    /// Nothing follows. An earlier reason stays: the outermost one is what hides the status.
    pub fn hidden(self, reason: Reason) -> Self {
        let zero = if self.zero == Zero::Passed { Zero::Unknown(reason) } else { self.zero };
        Self { zero, other: self.other.hidden(reason) }
    }

    /// One of several that all succeeded if the whole did; `modest` says that none of the others can end with a
    /// status above 2.
    pub fn shared(self, modest: bool, reason: Reason) -> Self {
        let other = match self.other {
            Other::Own if modest => Other::OwnIfTelling(reason),
            Other::OwnIfTelling(earlier) if modest => Other::OwnIfTelling(earlier),
            other => other.hidden(reason),
        };
        Self { zero: self.zero, other }
    }

    /// Both sides of `||`: the second only ran when the first failed, so success tells nothing.
    pub fn alternatives(self) -> (Self, Self) {
        let reason = Reason::MaskedByList;
        let zero = self.hidden(reason).zero;
        let first = match self.other {
            Other::Own | Other::Failed => Other::Failed,
            other => other.hidden(reason),
        };
        (Self { zero, other: first }, Self { zero, other: self.other })
    }

    /// An earlier member of a list that stops at the first failure: success of the whole is its success.
    pub fn earlier(self) -> Self {
        Self { zero: self.zero, other: self.other.hidden(Reason::MaskedByList) }
    }

    /// Behind a wrapper that can fail on its own account.
    pub fn wrapped(self) -> Self {
        self.shared(true, Reason::Nested)
    }

    /// Something else may have ended the shell with failure; `modest` says with 1 or 2 only.
    pub fn may_leave(self, modest: bool) -> Self {
        let own = if self.other == Other::Failed { Other::Own } else { self.other };
        Self { other: own, ..self }.shared(modest, Reason::MaskedByList)
    }

    /// Behind a wrapper that may stop it with a status of its own, which then is not seen.
    pub fn may_be_stopped(self) -> Self {
        let other = if self.other == Other::Failed { self.other.hidden(Reason::Nested) } else { self.other };
        Self { other, ..self }
    }

    /// `a || exit 1`: what is behind `a` cannot end with success, and runs only if `a` failed.
    pub fn or_leaves(self) -> Self {
        let (first, _) = self.alternatives();
        Self { zero: self.zero, other: first.other }
    }

    /// Applies it.
    pub fn outcome(self, whole: Whole) -> (Outcome, Option<Reason>) {
        let unknown = |reason| (Outcome::Unknown, Some(reason));
        match (whole, self.zero, self.other) {
            (Whole::Unknown(reason), _, _)
            | (Whole::Ok, Zero::Unknown(reason), _)
            | (Whole::Failed(_), _, Other::Unknown(reason)) => unknown(reason),
            (Whole::Ok, Zero::Passed, _) => (Outcome::Passed, None),
            (Whole::Failed(_), _, Other::Failed) => (Outcome::Failed, None),
            (Whole::Failed(code), _, Other::OwnIfTelling(reason)) if !code.is_some_and(telling) => {
                unknown(reason)
            }
            (Whole::Failed(Some(code)), _, _) if SIGNALLED.contains(&code) => unknown(Reason::Interrupted),
            (Whole::Failed(Some(TIMED_OUT)), _, _) => unknown(Reason::TimedOut),
            (Whole::Failed(Some(NOT_EXECUTABLE | NOT_FOUND)), _, _) => unknown(Reason::NotStarted),
            (Whole::Failed(_), _, _) => (Outcome::Failed, None),
        }
    }
}

impl Other {
    fn hidden(self, reason: Reason) -> Self {
        if let Self::Unknown(_) = self { self } else { Self::Unknown(reason) }
    }
}

/// What `timeout` and the harnesses give for a command that ran out of time.
const TIMED_OUT: u32 = 124;
/// What a shell gives for a program that it may not run, or does not find.
const NOT_EXECUTABLE: u32 = 126;
const NOT_FOUND: u32 = 127;
/// Ended by HUP, INT, KILL, PIPE or TERM: someone stopped it, or its reader went away.
const SIGNALLED: [u32; 5] = [129, 130, 137, 141, 143];

/// A status that modest programs do not give, and wrappers do not give for themselves (125 to 127).
const fn telling(code: u32) -> bool {
    code > 2 && !matches!(code, 125..=127)
}

const MODEST: &[&str] = &[
    ":",
    "[",
    "basename",
    "cat",
    "cd",
    "chmod",
    "cmp",
    "comm",
    "cp",
    "cut",
    "date",
    "declare",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "export",
    "false",
    "fgrep",
    "find",
    "fold",
    "grep",
    "hash",
    "head",
    "hostname",
    "id",
    "let",
    "ln",
    "local",
    "ls",
    "md5sum",
    "mkdir",
    "mktemp",
    "mv",
    "nl",
    "nproc",
    "paste",
    "popd",
    "printenv",
    "printf",
    "pushd",
    "pwd",
    "readlink",
    "readonly",
    "realpath",
    "rg",
    "rm",
    "rmdir",
    "seq",
    "set",
    "sha256sum",
    "shopt",
    "sleep",
    "sort",
    "stat",
    "tac",
    "tail",
    "tee",
    "test",
    "touch",
    "tr",
    "true",
    "type",
    "umask",
    "uname",
    "uniq",
    "unset",
    "wc",
    "which",
    "whoami",
];

/// Programs that end with 0, 1 or 2 and nothing else: builtins, filters that runs are piped into, and what stands
/// before a run. By their manuals (POSIX, GNU coreutils, grep, diffutils, findutils).
pub fn modest(program: &str) -> bool {
    MODEST.binary_search(&program).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Deduction, Whole, modest};
    use crate::evidence::command::observation::{Outcome, Reason};

    const LIST: (Outcome, Option<Reason>) = (Outcome::Unknown, Some(Reason::MaskedByList));

    #[test]
    fn the_whole_is_its_own() {
        let whole = Deduction::WHOLE;
        assert_eq!(whole.outcome(Whole::Ok), (Outcome::Passed, None));
        assert_eq!(whole.outcome(Whole::Failed(Some(1))), (Outcome::Failed, None));
        assert_eq!(whole.outcome(Whole::Failed(None)), (Outcome::Failed, None));
        assert_eq!(whole.outcome(Whole::Failed(Some(137))).1, Some(Reason::Interrupted));
        assert_eq!(whole.outcome(Whole::Failed(Some(124))).1, Some(Reason::TimedOut));
        assert_eq!(whole.outcome(Whole::Unknown(Reason::NoResult)).1, Some(Reason::NoResult));
    }

    #[test]
    fn a_failed_chain_tells_only_with_a_telling_status() {
        let member = Deduction::WHOLE.shared(true, Reason::MaskedByList);
        assert_eq!(member.outcome(Whole::Failed(Some(101))), (Outcome::Failed, None));
        for code in [Some(1), Some(2), Some(127), None] {
            assert_eq!(member.outcome(Whole::Failed(code)), LIST);
        }
        assert_eq!(
            Deduction::WHOLE.shared(false, Reason::MaskedByList).outcome(Whole::Failed(Some(101))),
            LIST
        );
    }

    #[test]
    fn an_alternative_fails_only_with_both() {
        let (first, second) = Deduction::WHOLE.alternatives();
        assert_eq!((first.outcome(Whole::Ok), second.outcome(Whole::Ok)), (LIST, LIST));
        assert_eq!(first.outcome(Whole::Failed(Some(1))).0, Outcome::Failed);
        assert_eq!(second.outcome(Whole::Failed(Some(1))).0, Outcome::Failed);
    }

    #[test]
    fn the_outermost_reason_stays() {
        let hidden = Deduction::WHOLE.hidden(Reason::Backgrounded).hidden(Reason::MaskedByList);
        assert_eq!(hidden.outcome(Whole::Ok).1, Some(Reason::Backgrounded));
    }

    #[test]
    fn the_modest_are_sorted() {
        assert!(modest(":") && modest("cd") && modest("wc") && modest("tail") && !modest("cargo"));
    }
}
