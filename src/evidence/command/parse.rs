//! The one door to the shell grammar: text to syntax tree, within bounds that keep the parser from deep
//! recursion and from the inputs on which it is known to panic. A refused text is *unparsed*, never half-read.

use brush_parser::{ParserOptions, Token, TokenizerOptions, ast};

use crate::base::limits::{COMMAND_BYTES, COMMAND_NESTING, COMMAND_SUBSTITUTIONS};

/// Parses a whole script; `None` when it is too long, too deep or no shell text.
pub fn parse(text: &str) -> Option<ast::Program> {
    if text.len() > COMMAND_BYTES || !text_is_bounded(text) {
        return None;
    }
    let tokens = brush_parser::uncached_tokenize_str(text, &TokenizerOptions::default()).ok()?;
    if !tokens_are_bounded(&tokens) {
        return None;
    }
    brush_parser::parse_tokens(&tokens, &ParserOptions::default()).ok()
}

/// What the tokenizer needs: it recurses at `$(`, `${` and `$[`, and it unwraps the next letter behind a
/// here-document inside a substitution.
fn text_is_bounded(text: &str) -> bool {
    let openings = ["$(", "${", "$["].iter().map(|opening| text.matches(opening).count()).sum::<usize>();
    openings <= COMMAND_SUBSTITUTIONS && !text.contains('\0')
}

/// What the grammar needs: it recurses with every group and keyword, tries parentheses twice at every depth,
/// turns digits before a redirection into a 32-bit number, and reads `name[…` as arithmetic.
fn tokens_are_bounded(tokens: &[Token]) -> bool {
    let mut depth = 0usize;
    let mut negations = 0usize;
    let mut operators = 0usize;
    let mut extended = false;
    let mut commands = true;
    let mut number = false;
    for token in tokens {
        match token {
            Token::Operator(operator, _) => {
                if number && operator.starts_with(['<', '>']) {
                    return false;
                }
                match operator.as_str() {
                    "(" => depth += 1,
                    ")" => depth = depth.saturating_sub(1),
                    "&&" | "||" => operators += 1,
                    _ => {}
                }
                commands = !operator.starts_with(['<', '>']) && operator != "&>" && operator != "&>>";
                number = false;
            }
            Token::Word(word, _) => {
                number = word.len() > 9 && word.bytes().all(|byte| byte.is_ascii_digit());
                if array_is_deep(word) {
                    return false;
                }
                extended |= word == "[[";
                negations = if word == "!" { negations + 1 } else { 0 };
                let keyword = KEYWORDS.iter().find(|(name, _)| name == word);
                if let Some((_, change)) = keyword.filter(|_| commands) {
                    depth = depth.saturating_add_signed(*change);
                }
                // Behind a keyword another command begins.
                commands = commands && keyword.is_some();
            }
        }
        if depth > COMMAND_NESTING || negations > COMMAND_NESTING {
            return false;
        }
    }
    // Conditions of `[[` are one box deep for every operator.
    !extended || operators <= COMMAND_SUBSTITUTIONS
}

/// Words that open or close a level in the place of a command.
const KEYWORDS: &[(&str, isize)] = &[
    ("if", 1),
    ("while", 1),
    ("until", 1),
    ("for", 1),
    ("case", 1),
    ("select", 1),
    ("coproc", 1),
    ("function", 1),
    ("{", 1),
    ("[[", 0),
    ("fi", -1),
    ("done", -1),
    ("esac", -1),
    ("}", -1),
    ("then", 0),
    ("else", 0),
    ("elif", 0),
    ("do", 0),
    ("!", 0),
    ("time", 0),
];

/// `name[` followed by many openings: the grammar would walk into each of them.
fn array_is_deep(word: &str) -> bool {
    let Some((name, index)) = word.split_once('[') else { return false };
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    named && index.bytes().filter(|byte| b"[({$`\"".contains(byte)).count() > COMMAND_NESTING
}
