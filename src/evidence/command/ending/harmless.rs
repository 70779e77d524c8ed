//! Programs that are known to write nothing and to run nothing else. What is not listed is not known.

use crate::evidence::command::shell::word::{Form, Word};

/// With any words.
const PROGRAMS: &[&str] = &[
    ":",
    "[",
    "basename",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exit",
    "expr",
    "false",
    "fgrep",
    "fold",
    "free",
    "grep",
    "head",
    "hexdump",
    "id",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "pgrep",
    "popd",
    "printenv",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "return",
    "rev",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "shopt",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "type",
    "umask",
    "uname",
    "unset",
    "uptime",
    "wait",
    "wc",
    "which",
    "whoami",
];

/// With these options they write or run something.
const UNLESS: &[(&str, &[&str])] = &[
    ("date", &["-s", "--set"]),
    ("df", &[]),
    ("file", &["-C"]),
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("sort", &["-o", "--output", "--compress-program"]),
    ("tree", &["-o"]),
];

/// Programs that write nothing, with these words.
pub fn only_reads(program: &str, words: &[Word]) -> bool {
    let has = |options: &[&str]| {
        words.iter().any(|word| {
            word.form == Form::Expanded || options.iter().any(|option| word.text.starts_with(option))
        })
    };
    match program {
        "awk" => awk_reads(words),
        "uniq" => words.iter().filter(|word| !word.text.starts_with('-')).count() < 2,
        program => {
            PROGRAMS.contains(&program)
                || UNLESS.iter().any(|(own, options)| *own == program && !has(options))
        }
    }
}

/// A program of its own in a word, that neither writes nor runs anything.
fn awk_reads(words: &[Word]) -> bool {
    let writes = |text: &str| [">", "|", "system", "getline", "@"].iter().any(|part| text.contains(part));
    words.iter().all(|word| word.form != Form::Expanded && !writes(&word.text))
        && !words.iter().any(|word| {
            word.text.starts_with("-f") || word.text.starts_with("-i") || word.text.starts_with("--")
        })
}
