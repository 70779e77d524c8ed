//! Requests that a command sends: which of them write, and where they go. A request to this machine's own address
//! is no effect.

use super::outside::MESSENGERS;
use super::shell::word::{Form, Word};

/// `-X POST`, `-XPOST`, `--request=POST`, `--method POST`.
fn method(words: &[Word]) -> Option<String> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if matches!(text, "-X" | "--request" | "--method") {
            return words.next().and_then(Word::plain).map(str::to_ascii_uppercase);
        }
        let joined = ["--request=", "--method=", "-X"].iter().find_map(|start| text.strip_prefix(start));
        if let Some(method) = joined {
            return Some(method.to_ascii_uppercase());
        }
    }
    None
}

/// A request that carries data or names a writing method, to another machine.
pub fn curl(words: &[Word]) -> bool {
    let data = words.iter().map(|word| word.text.as_str()).any(|text| {
        ["--data", "--form", "--json", "--upload-file", "--url-query"]
            .iter()
            .any(|start| text.starts_with(start))
            || ["-d", "-F", "-T"].iter().any(|start| text.starts_with(start))
    });
    let reading = words.iter().any(|word| matches!(word.text.as_str(), "-G" | "--get" | "-I" | "--head"));
    let writes = match method(words).as_deref() {
        Some("GET" | "HEAD" | "OPTIONS") => false,
        Some(_) => true,
        None => data && !reading,
    };
    writes && !words.iter().any(is_local)
}

/// The same of `wget`.
pub fn wget(words: &[Word]) -> bool {
    let writes =
        words.iter().any(|word| word.text.starts_with("--post-") || word.text.starts_with("--body-"))
            || method(words).is_some_and(|method| !matches!(method.as_str(), "GET" | "HEAD"));
    writes && !words.iter().any(is_local)
}

/// HTTPie: `http POST url`, or an address with fields behind it.
pub fn httpie(words: &[Word]) -> bool {
    let plain: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
    let writes = match plain.split_first() {
        Some((first, _)) if matches!(first.text.as_str(), "POST" | "PUT" | "PATCH" | "DELETE") => true,
        Some((first, _)) if matches!(first.text.as_str(), "GET" | "HEAD" | "OPTIONS") => false,
        Some((_, fields)) => {
            // `a==b` is a query, `a:b` a header.
            fields.iter().any(|word| {
                word.text
                    .split_once('=')
                    .is_some_and(|(name, value)| !value.starts_with('=') && !name.contains(':'))
                    || word.text.contains(":=")
            })
        }
        None => false,
    };
    writes && !plain.iter().any(|word| is_local(word) || word.text.starts_with(':'))
}

/// `gh api`: fields make it a POST, and a query of GraphQL is one without changing anything.
pub fn gh_api(words: &[Word]) -> bool {
    let has = |options: &[&str]| {
        words.iter().any(|word| options.contains(&word.text.split('=').next().unwrap_or_default()))
    };
    if words.iter().any(|word| word.text == "graphql") {
        return words.iter().any(|word| word.text.contains("mutation"));
    }
    match method(words).as_deref() {
        Some("GET" | "HEAD") => false,
        Some(_) => true,
        None => has(&["-f", "-F", "--field", "--raw-field", "--input"]),
    }
}

/// Where a request goes tells whether a person gets it.
pub fn delivered(words: &[Word]) -> &'static str {
    let messages = words.iter().any(|word| MESSENGERS.iter().any(|address| word.text.contains(address)));
    if messages { "message" } else { "http_write" }
}

/// An address of this machine.
fn is_local(word: &Word) -> bool {
    if word.form == Form::Expanded && word.text.starts_with('$') {
        return false;
    }
    let rest = word.text.split_once("://").map_or(word.text.as_str(), |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or(rest);
    let host = host.strip_prefix('[').map_or_else(
        || host.split(':').next().unwrap_or(host),
        |inside| inside.split(']').next().unwrap_or(inside),
    );
    host == "localhost"
        || host == "::1"
        || host == "0.0.0.0"
        || (host.starts_with("127.") && host.split('.').count() == 4)
}
