//! What no source of ours may hold, and how each begins.

use crate::tidy::paths::{reexported, rooted};
use crate::tidy::tokens::{Token, after_group, attribute_opens, read};
use crate::tidy::tree::Tree;

/// Names of sockets. Nothing here speaks to a network or to another process by one.
const SOCKETS: [&str; 6] =
    ["TcpStream", "TcpListener", "UdpSocket", "UnixStream", "UnixListener", "UnixDatagram"];

/// Files that do not begin with what they promise.
pub fn without_promise(files: &[(String, String)]) -> Vec<String> {
    files.iter().filter(|(_, source)| !source.starts_with("//! ")).map(|(file, _)| file.clone()).collect()
}

/// Imports of everything that a module has.
pub fn globs(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, source) in files {
        let tokens = read(source);
        let pairs = tokens.windows(2).filter_map(|pair| match pair {
            [colons, star] if colons.is_mark("::") && star.is_mark("*") => Some(star.line),
            _ => None,
        });
        found.extend(pairs.map(|line| format!("{file}:{line}")));
    }
    found
}

/// Unfinished work, lints switched off without a reason, and unsafe code.
pub fn forbidden_words(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, source) in files {
        let tokens = read(source);
        for (place, token) in tokens.iter().enumerate() {
            let bang = tokens.get(place + 1).is_some_and(|next| next.is_mark("!"));
            let unfinished = bang && ["todo", "unimplemented", "dbg"].iter().any(|word| token.is_word(word));
            let why = match attribute_opens(&tokens, place) {
                Some(open) => lint_without_reason(&tokens, open),
                None if token.is_word("unsafe") => Some("unsafe code"),
                None => unfinished.then_some("unfinished work"),
            };
            found.extend(why.map(|why| format!("{file}:{}: {why}", token.line)));
        }
    }
    found
}

/// Uses of the network. A test may make a socket file, to see it refused.
pub fn sockets(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for module in tree.modules.values().filter(|module| !module.only_tests) {
        let words = module.logic.iter().filter(|token| SOCKETS.iter().any(|socket| token.is_word(socket)));
        found.extend(words.map(|token| format!("{}:{}: {}", module.file, token.line, token.text)));
        let paths = rooted(&module.logic, &["std", "core", "rustix"]);
        for named in paths.into_iter().chain(reexported(&module.logic)) {
            let root = named.segments.first().is_some_and(|root| root == "std" || root == "rustix");
            if root && named.segments.iter().skip(1).any(|segment| segment == "net") {
                found.push(format!("{}:{}: {}", module.file, named.line, named.segments.join("::")));
            }
        }
    }
    found
}

/// An attribute that switches a lint off: `allow` never may, `expect` says why.
fn lint_without_reason(tokens: &[Token], open: usize) -> Option<&'static str> {
    let inside = tokens.get(open..after_group(tokens, open))?;
    let switches = |word: &str| {
        inside
            .windows(2)
            .any(|pair| matches!(pair, [name, bracket] if name.is_word(word) && bracket.is_mark("(")))
    };
    if switches("allow") {
        return Some("`allow`: use `expect` with a reason");
    }
    let reason = inside.iter().any(|token| token.is_word("reason"));
    (switches("expect") && !reason).then_some("`expect` without a reason")
}

#[cfg(test)]
mod tests {
    use super::lint_without_reason;
    use crate::tidy::tokens::read;

    #[test]
    fn a_lint_goes_off_for_a_reason_only() {
        let shown = |source: &str| lint_without_reason(&read(source), 1);
        assert!(shown("#[allow(dead_code)]").is_some());
        assert!(shown("#[cfg_attr(test, allow(dead_code))]").is_some());
        assert!(shown("#[expect(dead_code)]").is_some());
        assert_eq!(shown("#[expect(dead_code, reason = \"so\")]"), None);
    }
}
