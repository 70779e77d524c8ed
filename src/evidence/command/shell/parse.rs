//! The one door to the shell grammar: text to syntax tree, within bounds that keep the parser from deep
//! recursion and from the inputs on which it is known to panic. A refused text is *unparsed*, never half-read.

use brush_parser::{ParserOptions, Token, TokenizerOptions, ast};

use super::substitution::{Taken, split};
use crate::base::limits::{COMMAND_BYTES, COMMAND_DOUBLING, COMMAND_NESTING, COMMAND_OPERATORS};

/// A script that was taken.
#[derive(Debug)]
pub struct Script {
    /// Its tree; words hold marks where substitutions and here-documents were.
    pub program: ast::Program,
    /// What was taken out, by the numbers of the marks.
    pub taken: Vec<Taken>,
}

impl Script {
    /// The lists of all its lines, one behind the other.
    pub fn items(&self) -> Vec<&ast::CompoundListItem> {
        self.program.complete_commands.iter().flat_map(|list| &list.0).collect()
    }
}

/// Parses a whole script; `None` when it is too long, too deep or no shell text.
pub fn parse(text: &str) -> Option<Script> {
    if text.len() > COMMAND_BYTES {
        return None;
    }
    let split = split(text)?;
    let tokens = brush_parser::uncached_tokenize_str(&split.text, &TokenizerOptions::default()).ok()?;
    if !tokens_are_bounded(&tokens) {
        return None;
    }
    let program = brush_parser::parse_tokens(&tokens, &ParserOptions::default()).ok()?;
    Some(Script { program, taken: split.taken })
}

/// What the grammar needs: it recurses with every group and keyword, tries parentheses twice at every depth,
/// turns digits before a redirection into a 32-bit number, and reads `name[…` as arithmetic.
fn tokens_are_bounded(tokens: &[Token]) -> bool {
    let mut levels = Levels::default();
    let mut operators = 0usize;
    let mut extended = false;
    let mut number = false;
    let (mut target, mut target_is_number) = (false, false);
    for token in tokens {
        match token {
            Token::Operator(operator, _) => {
                let redirects = operator.starts_with(['<', '>']);
                // `>2>&1`: a shell takes the number for a descriptor and misses the file; the grammar does not.
                if redirects && (number || target_is_number) {
                    return false;
                }
                let names_file = redirects && !operator.ends_with('&') && !operator.starts_with("<<");
                (target, target_is_number) = (names_file, false);
                operators += usize::from(operator == "&&" || operator == "||");
                levels.operator(operator);
                number = false;
            }
            Token::Word(word, _) => {
                let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
                number = digits && word.len() > 9;
                (target, target_is_number) = (false, target && digits);
                extended |= word == "[[";
                if array_is_deep(word) || (levels.commands && array_is_open(word)) {
                    return false;
                }
                levels.word(word);
            }
        }
        if levels.open.len() > COMMAND_NESTING
            || levels.prefixes > COMMAND_NESTING
            || levels.doubling() > COMMAND_DOUBLING
        {
            return false;
        }
    }
    // Conditions of `[[` are one box deep for every operator.
    !extended || operators <= COMMAND_OPERATORS
}

/// The groups and keywords that are open, as the grammar would see them or more.
struct Levels {
    /// What closes each of them.
    open: Vec<&'static str>,
    /// `!` in a row, and every `coproc`: each is one more call of the grammar and nothing closes it.
    prefixes: usize,
    /// The next word may be a keyword.
    commands: bool,
    /// The next word is the name of a function or coprocess, and a keyword may follow.
    names: bool,
}

impl Default for Levels {
    fn default() -> Self {
        Self { open: Vec::new(), prefixes: 0, commands: true, names: false }
    }
}

impl Levels {
    /// Open levels that the grammar may try twice each.
    fn doubling(&self) -> usize {
        self.open.iter().filter(|closing| matches!(**closing, ")" | "esac")).count()
    }

    fn operator(&mut self, operator: &str) {
        match operator {
            "(" => self.open.push(")"),
            // A pattern of `case` closes without having opened.
            ")" if self.open.last() == Some(&")") => drop(self.open.pop()),
            _ => {}
        }
        self.commands = !operator.starts_with(['<', '>']) && operator != "&>" && operator != "&>>";
        self.names = false;
    }

    fn word(&mut self, word: &str) {
        if word == "!" || word == "coproc" {
            self.prefixes += 1;
        }
        if !self.commands {
            return;
        }
        if self.open.last() == Some(&word) {
            self.open.pop();
        } else if let Some((_, closing)) = OPENING.iter().find(|(name, _)| *name == word) {
            self.open.push(closing);
            self.commands = word != "for" && word != "case";
        } else if word == "function" || word == "coproc" {
            self.names = true;
        } else if !CONTINUING.contains(&word) {
            self.commands = std::mem::take(&mut self.names);
        }
    }
}

/// Words that open a level in the place of a command, and what closes it.
const OPENING: &[(&str, &str)] =
    &[("if", "fi"), ("while", "done"), ("until", "done"), ("for", "done"), ("case", "esac"), ("{", "}")];

/// Words behind which another command begins.
const CONTINUING: &[&str] = &["then", "else", "elif", "do", "!", "time"];

/// `name[` in the place of a command, and nothing that closes it: a shell looks for the end in the words behind.
fn array_is_open(word: &str) -> bool {
    let Some((name, index)) = word.split_once('[') else { return false };
    let mut letters = name.bytes();
    let named = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    named && !index.contains(']')
}

/// `name[` followed by many openings: the grammar would walk into each of them.
fn array_is_deep(word: &str) -> bool {
    let Some((name, index)) = word.split_once('[') else { return false };
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    named && index.bytes().filter(|byte| b"[({$`\"".contains(byte)).count() > COMMAND_NESTING
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn real_scripts_are_taken() {
        for script in [
            "cargo test 2>&1 | tail -5",
            "if [ -f a ]; then cargo test; else echo no; fi",
            "for f in *.rs; do case $f in a*) echo a;; *) (cd b && make);; esac; done",
            "cat > f <<'EOF'\n((((((((((((((((((((\nEOF\ncargo test",
            "TOKEN=[redacted:github-token#1] curl -H 'Authorization: [redacted:bearer#2]' https://[redacted:host#1]/x",
            "python3 - <<EOF\nprint('((((((((((((((')\nEOF",
            "f() { echo a; }; function g { f; }; g",
            "[[ $a =~ ^(x|y)$ && ! -f z ]] && echo ok",
            "a 2>&1 >/dev/null 2>err <<1 >x\nb\n1",
            "grep -rn 'if' if if if if if if if if if if if if if if if",
        ] {
            assert!(parse(script).is_some(), "{script}");
        }
    }

    #[test]
    fn inputs_that_would_crash_the_grammar_are_refused() {
        for script in [
            "echo 99999999999>x".to_owned(),
            "echo a >2>&1".to_owned(),
            "echo 99999\\\n999999>x".to_owned(),
            "(".repeat(30_000),
            "if ".repeat(20_000),
            "{ ".repeat(20_000),
            "! ".repeat(20_000),
            "coproc ".repeat(5_000),
            "$(".repeat(30_000),
            "${a:-".repeat(10_000),
            format!("a[{}", "[".repeat(10_000)),
            format!("a[$(({}", "(".repeat(10_000)),
            "( ( ( case x in a) ;; b) ;; c) ;; esac; ".repeat(1_000),
            "case a in b) ".repeat(3_000),
            format!("[[ {} a ]]", "a && ".repeat(10_000)),
            "a".repeat(70_000),
            "echo \0".to_owned(),
            "echo 'open".to_owned(),
        ] {
            assert!(parse(&script).is_none(), "{}", script.get(..40).unwrap_or(&script));
        }
    }
}
