//! How long files and functions may be, so that each is read in one go.

use crate::tidy::tokens::{Kind, Token, after_group};
use crate::tidy::tree::Tree;

/// A file longer than this is two files.
const FILE_LINES: usize = 500;
/// A file longer than this is worth a second look.
const FILE_LINES_SOFT: usize = 300;
/// A function longer than this does not fit on a screen.
const FUNCTION_LINES: usize = 70;

/// Files over the hard limit; those over the soft one are printed.
pub fn long_files(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, source) in files {
        let lines = source.lines().count();
        if lines > FILE_LINES {
            found.push(format!("{file}: {lines} lines"));
        } else if lines > FILE_LINES_SOFT {
            println!("{file}: {lines} lines, over the soft limit of {FILE_LINES_SOFT}");
        }
    }
    found
}

/// Functions over the limit, outside tests.
pub fn long_functions(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for module in tree.modules.values().filter(|module| !module.only_tests) {
        for (name, first, last) in functions(&module.logic) {
            let lines = last - first + 1;
            if lines > FUNCTION_LINES {
                found.push(format!("{}:{first}: `{name}` has {lines} lines", module.file));
            }
        }
    }
    found
}

/// Name, first and last line of every function that has a body.
fn functions(tokens: &[Token]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate().filter(|(_, token)| token.is_word("fn")) {
        // `fn(` is a type.
        let Some(name) = tokens.get(place + 1).filter(|name| name.kind == Kind::Word) else { continue };
        let mut at = place + 1;
        while tokens.get(at).is_some_and(|token| !token.is_mark("{") && !token.is_mark(";")) {
            let opens = tokens.get(at).is_some_and(|token| token.is_mark("(") || token.is_mark("["));
            at = if opens { after_group(tokens, at) } else { at + 1 };
        }
        let ends = tokens.get(after_group(tokens, at) - 1);
        if let (true, Some(end)) = (tokens.get(at).is_some_and(|body| body.is_mark("{")), ends) {
            found.push((name.text.clone(), token.line, end.line));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::functions;
    use crate::tidy::tokens::read;

    #[test]
    fn a_function_ends_with_its_body() {
        let source =
            "fn a<T>(b: [u8; 4]) -> T\nwhere T: B {\n let x: fn(u8) = y;\n}\ntrait C { fn d(&self); }";
        assert_eq!(functions(&read(source)), [("a".to_owned(), 1, 4)]);
    }
}
