//! Whether a name says that the value beside it is secret: `DB_PASSWORD`, `apiKey`, `X-Vault-Token`, but not
//! `token_count`, `primary_key`, `keyboard`.
//!
//! A name is taken apart at `_`, `-`, `.` and at camel humps; only whole words count, compared without case.

use std::sync::OnceLock;

/// Longest name that is looked at, in bytes.
pub const LONGEST: usize = 96;
/// Most words of a name.
const MOST_WORDS: usize = 16;

/// What a name promises about its value, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// Some key: only a value that looks random is taken.
    Weak,
    /// A token or key of access: words and short values are left.
    Secret,
    /// A password: short values with a digit or symbol are taken.
    Password,
    /// A header that carries nothing but a credential: numbers are taken too.
    Header,
}

impl Promise {
    /// The shortest value that can be what is promised, in bytes.
    pub const fn least(self) -> usize {
        match self {
            Self::Header => 4,
            Self::Password => 6,
            Self::Secret => 8,
            Self::Weak => 16,
        }
    }
}

const PASSWORDS: [&str; 14] = [
    "storepass",
    "keypass",
    "rootpass",
    "adminpass",
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "psk",
    "passcode",
    "dbpass",
    "userpass",
    "passwords",
];
const PASSWORD_ENDS: [&str; 4] = ["password", "passwd", "passphrase", "pwd"];
const SECRETS: [&str; 23] = [
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "authkey",
    "masterkey",
    "signingkey",
    "encryptionkey",
    "sharedkey",
    "presharedkey",
    "licensekey",
    "credential",
    "credentials",
    "jwt",
    "auth",
    "authorization",
    "cookie",
    "wif",
    "nsec",
    "pat",
];
const SECRET_ENDS: [&str; 3] = ["secret", "token", "apikey"];
/// Words before `key` that make it a key of access.
const KEY_OWNERS: [&str; 46] = [
    "api",
    "access",
    "private",
    "secret",
    "account",
    "auth",
    "encryption",
    "signing",
    "master",
    "shared",
    "preshared",
    "session",
    "license",
    "service",
    "admin",
    "app",
    "application",
    "subscription",
    "storage",
    "client",
    "deploy",
    "root",
    "unseal",
    "fernet",
    "consumer",
    "hmac",
    "aes",
    "ssl",
    "ssh",
    "integration",
    "function",
    "functions",
    "personal",
    "ingest",
    "bot",
    "user",
    "webhook",
    "salt",
    "logged",
    "nonce",
    "redis",
    "cosmos",
    "batch",
    "search",
    "hub",
    "bus",
];
/// Words before `key` or `token` that make it no secret.
const HARMLESS_OWNERS: [&str; 28] = [
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "public",
    "page",
    "pagination",
    "next",
    "index",
    "hash",
    "max",
    "min",
    "num",
    "total",
    "input",
    "output",
    "object",
    "s3",
    "routing",
    "group",
    "row",
    "column",
    "idempotency",
    "host",
    "lookup",
    "translation",
    "shortcut",
];
/// Words behind the secret one that leave it secret.
const KEEPS: [&str; 27] = [
    "value",
    "val",
    "string",
    "str",
    "base64",
    "b64",
    "data",
    "env",
    "var",
    "default",
    "prod",
    "production",
    "staging",
    "dev",
    "test",
    "old",
    "new",
    "current",
    "live",
    "pem",
    "base",
    "plain",
    "text",
    "raw",
    "main",
    "primary",
    "secondary",
];
/// Words behind the secret one that make the name harmless.
const TURNS: [&str; 58] = [
    "count",
    "counts",
    "limit",
    "length",
    "len",
    "size",
    "type",
    "types",
    "expires",
    "expiry",
    "expiration",
    "expire",
    "ttl",
    "at",
    "in",
    "usage",
    "budget",
    "url",
    "uri",
    "path",
    "file",
    "filename",
    "dir",
    "arn",
    "name",
    "names",
    "hint",
    "policy",
    "enabled",
    "required",
    "header",
    "field",
    "column",
    "rotation",
    "attempts",
    "error",
    "validator",
    "algorithm",
    "alg",
    "regex",
    "pattern",
    "prefix",
    "format",
    "label",
    "placeholder",
    "description",
    "title",
    "hash",
    "id",
    "ids",
    "version",
    "per",
    "min",
    "max",
    "reset",
    "endpoint",
    "fingerprint",
    "ref",
];

/// Splits a name into its words.
fn words(name: &[u8]) -> ([&[u8]; MOST_WORDS], usize) {
    let mut words: [&[u8]; MOST_WORDS] = [&[]; MOST_WORDS];
    let mut count = 0;
    let mut rest = name;
    while let Some((word, tail)) = next_word(rest) {
        rest = tail;
        if word.is_empty() {
            continue;
        }
        match words.get_mut(count) {
            Some(slot) => *slot = word,
            None => break,
        }
        count += 1;
    }
    (words, count)
}

/// The first word of `rest` and what comes behind it; an empty word at a separator, nothing at the end.
fn next_word(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = rest.first()?;
    if !first.is_ascii_alphanumeric() {
        return Some((&[], rest.get(1..)?));
    }
    let mut end = 1;
    while let (Some(before), Some(byte)) = (rest.get(end - 1), rest.get(end)) {
        let hump = byte.is_ascii_uppercase()
            && (!before.is_ascii_uppercase() || rest.get(end + 1).is_some_and(u8::is_ascii_lowercase));
        if !byte.is_ascii_alphanumeric() || hump {
            break;
        }
        end += 1;
    }
    rest.split_at_checked(end)
}

fn among(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// What a word is, as bits; the lists above as one table.
type Roles = u8;
const IS_PASSWORD: Roles = 1;
const IS_SECRET: Roles = 1 << 1;
const OWNS_KEY: Roles = 1 << 2;
const HARMS_NOT: Roles = 1 << 3;
const KEEPS_SECRET: Roles = 1 << 4;
const TURNS_HARMLESS: Roles = 1 << 5;

/// Words and their roles, by [`bucket`].
type Table = [Vec<(&'static [u8], Roles)>; BUCKETS];
/// Buckets of the table: most hold one word or none.
const BUCKETS: usize = 512;

/// Where a word of the table is kept: its length and two of its letters, without their case, tell almost all apart.
fn bucket(word: &[u8]) -> usize {
    let letter = |at: usize| usize::from(word.get(at).copied().unwrap_or(0) & 0x1f);
    (word.len() * 37
        + letter(0) * 29
        + letter(word.len() / 2) * 7
        + letter(word.len().saturating_sub(1)) * 101)
        % BUCKETS
}

/// The roles of `word`, whatever its case.
fn roles(word: &[u8]) -> Roles {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let lists = [
            (&PASSWORDS[..], IS_PASSWORD),
            (&SECRETS, IS_SECRET),
            (&KEY_OWNERS, OWNS_KEY),
            (&HARMLESS_OWNERS, HARMS_NOT),
            (&KEEPS, KEEPS_SECRET),
            (&TURNS, TURNS_HARMLESS),
        ];
        let mut table: Table = std::array::from_fn(|_| Vec::new());
        for (list, role) in lists {
            for word in list {
                let Some(fitting) = table.get_mut(bucket(word.as_bytes())) else { continue };
                match fitting.iter_mut().find(|(known, _)| *known == word.as_bytes()) {
                    Some((_, roles)) => *roles |= role,
                    None => fitting.push((word.as_bytes(), role)),
                }
            }
        }
        table
    });
    let fitting = table.get(bucket(word)).map_or(&[][..], Vec::as_slice);
    let found = fitting.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
    found.map_or(0, |(_, roles)| *roles)
}

fn ends_like(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|end| {
        word.len()
            .checked_sub(end.len())
            .and_then(|at| word.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
    })
}

/// A word without the digits at its end: `password1`.
fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    word.get(..word.len() - digits).unwrap_or(word)
}

/// What `name` promises; `None` if nothing. `owner` is a word that stands before the name over one space, for names in
/// prose such as "API key".
pub fn promise(name: &[u8], owner: &[u8]) -> Option<Promise> {
    let (words, count) = words(name);
    let words = words.get(..count)?;
    let (at, mut promise) = words.iter().enumerate().rev().find_map(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or(owner);
        core(without_number(word), before).map(|promise| (at, promise))
    })?;
    let is_access_key_id =
        words.len() >= 3 && among(words.last()?, &["id"]) && among(words.get(words.len() - 3)?, &["access"]);
    for word in words.get(at + 1..)? {
        let word = without_number(word);
        let roles = roles(word);
        if word.is_empty() || roles & KEEPS_SECRET != 0 || is_access_key_id {
            continue;
        }
        if roles & TURNS_HARMLESS != 0 {
            return None;
        }
        promise = Promise::Weak;
    }
    if is_header(name) {
        promise = Promise::Header;
    }
    Some(promise)
}

/// What one word promises, given the word before it.
fn core(word: &[u8], before: &[u8]) -> Option<Promise> {
    let own = roles(word);
    if own & IS_PASSWORD != 0 || ends_like(word, &PASSWORD_ENDS) {
        return Some(Promise::Password);
    }
    if word.eq_ignore_ascii_case(b"by") && before.eq_ignore_ascii_case(b"identified") {
        return Some(Promise::Password);
    }
    if word.eq_ignore_ascii_case(b"session") && before.eq_ignore_ascii_case(b"bw") {
        return Some(Promise::Secret);
    }
    let is_key = word.eq_ignore_ascii_case(b"key");
    let owner = if is_key || word.len() == 5 { roles(before) } else { 0 };
    if (is_key || word.eq_ignore_ascii_case(b"token")) && owner & HARMS_NOT != 0 {
        return None;
    }
    if word.eq_ignore_ascii_case(b"credential") && before.eq_ignore_ascii_case(b"amz") {
        return None;
    }
    if own & IS_SECRET != 0 || ends_like(word, &SECRET_ENDS) || (is_key && owner & OWNS_KEY != 0) {
        return Some(Promise::Secret);
    }
    (is_key
        || ends_like(word, &["key"])
            && !among(word, &["monkey", "turkey", "hockey", "whiskey", "donkey", "hotkey", "rekey"]))
    .then_some(Promise::Weak)
}

/// Whether the name is that of a header that carries nothing but a credential.
pub fn is_header(name: &[u8]) -> bool {
    const HEADERS: [&str; 8] = [
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "x-auth-token",
        "x-auth-key",
        "x-vault-token",
        "private-token",
        "dd-api-key",
    ];
    among(name, &HEADERS)
}

/// Whether the name is that of a cookie header.
pub fn is_cookie_header(name: &[u8]) -> bool {
    among(name, &["cookie", "set-cookie"])
}

/// Whether a cookie of this name holds a session.
pub fn is_session_cookie(name: &[u8]) -> bool {
    const PARTS: [&str; 7] = ["sess", "sid", "token", "auth", "csrf", "jwt", "remember"];
    PARTS
        .iter()
        .any(|part| name.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::{Promise, promise};

    #[test]
    fn names_of_secrets_promise_and_names_that_only_sound_so_do_not() {
        for (name, expected) in [
            ("DB_PASSWORD", Some(Promise::Password)),
            ("PGPASSWORD", Some(Promise::Password)),
            ("apiKey", Some(Promise::Secret)),
            ("X-Api-Key", Some(Promise::Header)),
            ("access_key_id", Some(Promise::Secret)),
            ("client-key-data", Some(Promise::Secret)),
            ("APIKey", Some(Promise::Secret)),
            ("private_key_id", None),
            ("token_count", None),
            ("max_tokens", None),
            ("primary_key", None),
            ("keyboard", None),
            ("monkey", None),
            ("author", None),
            ("secret_name", None),
            ("public_key", None),
        ] {
            assert_eq!(promise(name.as_bytes(), b""), expected, "{name}");
        }
    }
}
