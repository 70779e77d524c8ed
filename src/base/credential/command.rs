//! Passwords on a command line, where only the command says that a bare word is one.
//!
//! Each command of the table opens a look over the rest of its line, bounded, for the one flag it hands a secret to.

use super::alphabet::{self, BLANK};
use super::mark;
use super::value;

/// How far a command line is looked at, in bytes.
const LONGEST: usize = 400;

/// How a command takes a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Behind the colon of the word after the flag: `-u user:PASS`.
    UserColon(&'static str),
    /// The word after the flag: `-p PASS`.
    Word(&'static str),
    /// Glued to the flag: `-pPASS`.
    Glued(&'static str),
    /// Behind the sign of percent of the word after the flag: `-U user%PASS`.
    UserPercent(&'static str),
    /// The word that another command hands over a pipe: `echo PASS | sudo -S`.
    Piped,
    /// The third bare word: `htpasswd -b file user PASS`.
    ThirdBare,
}

/// Commands and what they do; a command with two ways stands twice.
pub const COMMANDS: [(&str, Way); 20] = [
    ("curl ", Way::UserColon("-u")),
    ("curl ", Way::UserColon("--user")),
    ("curl ", Way::UserColon("--proxy-user")),
    ("sshpass ", Way::Word("-p")),
    ("sshpass ", Way::Glued("-p")),
    ("docker login", Way::Word("-p")),
    ("podman login", Way::Word("-p")),
    ("helm registry login", Way::Word("-p")),
    ("az login", Way::Word("-p")),
    ("redis-cli", Way::Word("-a")),
    ("mysql", Way::Glued("-p")),
    ("mariadb", Way::Glued("-p")),
    ("mongo", Way::Word("-p")),
    ("smbclient", Way::UserPercent("-U")),
    ("ldap", Way::Word("-w")),
    ("sudo -S", Way::Piped),
    ("--password-stdin", Way::Piped),
    ("chpasswd", Way::Piped),
    ("htpasswd", Way::ThirdBare),
    ("mosquitto_", Way::Word("-P")),
];

/// The secret of the command that stands at `at` and ends at `limit`.
pub fn secret(bytes: &[u8], at: usize, limit: usize, command: &str, way: Way) -> Option<(usize, usize)> {
    if !alphabet::opens_word(bytes, at) {
        return None;
    }
    if way == Way::Piped {
        return piped(bytes, at);
    }
    let mut bare = 0;
    let name_end = at + command.len();
    let mut from =
        if command.ends_with(' ') { name_end } else { alphabet::run(bytes, name_end, alphabet::DOTTED, 24) };
    let mut takes_next = false;
    let mut batch = false;
    while let Some((start, end)) = next_word(bytes, from, limit) {
        from = end;
        let word = alphabet::part(bytes, start, end);
        let is_flag = word.starts_with(b"-");
        if takes_next {
            return match way {
                Way::UserColon(_) => behind_sign(bytes, start, end, b':'),
                Way::UserPercent(_) => behind_sign(bytes, start, end, b'%'),
                _ => accept(bytes, start, end),
            };
        }
        match way {
            Way::UserColon(flag) | Way::UserPercent(flag) | Way::Word(flag) => {
                takes_next = word == flag.as_bytes()
            }
            Way::Glued(flag) => {
                if is_flag && word.starts_with(flag.as_bytes()) && word.len() > flag.len() + 3 {
                    return accept(bytes, start + flag.len(), end);
                }
            }
            Way::Piped => {}
            Way::ThirdBare => {
                batch |= is_flag && word.contains(&b'b');
                bare += usize::from(!is_flag);
                if bare == 3 {
                    return batch.then(|| accept(bytes, start, end)).flatten();
                }
            }
        }
    }
    None
}

/// Where the command ends: at a line end, `;`, `&&` or a pipe.
pub fn limit(bytes: &[u8], at: usize) -> usize {
    let window = alphabet::part(bytes, at, bytes.len().min(at + LONGEST));
    let mut end = 0;
    while let Some(byte) = window.get(end) {
        let stops = match byte {
            b'\n' | b'|' | b';' => true,
            b'&' => window.get(end + 1) == Some(&b'&'),
            b'\\' => matches!(window.get(end + 1), Some(b'n' | b'r')),
            _ => false,
        };
        if stops {
            break;
        }
        end += 1;
    }
    at + end
}

fn next_word(bytes: &[u8], from: usize, limit: usize) -> Option<(usize, usize)> {
    let start = alphabet::run(bytes, from, BLANK, limit.saturating_sub(from));
    if start >= limit {
        return None;
    }
    if let Some((quote, depth, _)) = value::quote_at(bytes, start)
        && let Some(quoted) = value::read(bytes, start)
        && quoted.quoted
    {
        let end = quoted.end + depth + 1;
        return (quote != b'`' && end <= limit).then_some((start, end));
    }
    let window = alphabet::part(bytes, start, limit);
    let length = window
        .iter()
        .enumerate()
        .take_while(|(at, byte)| {
            let ends = byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b'`')
                || (**byte == b'\\' && matches!(window.get(at + 1), Some(b'"' | b'\\')));
            !ends
        })
        .count();
    Some((start, start + length.max(1)))
}

/// Bounds of a word without its quotes.
fn inner(bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    match value::quote_at(bytes, start).and_then(|_| value::read(bytes, start)) {
        Some(quoted) if quoted.end <= end => (quoted.start, quoted.end),
        _ => (start, end),
    }
}

/// What `echo` or `printf` before the pipe at `at` prints.
fn piped(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let from = at.saturating_sub(160);
    let head = alphabet::part(bytes, from, at);
    let pipe = memchr::memrchr(b'|', head)?;
    let line = memchr::memrchr(b'\n', head.get(..pipe)?).map_or(0, |feed| feed + 1);
    let said = head.get(line..pipe)?;
    let (word, length) = [&b"echo "[..], b"printf "]
        .iter()
        .filter_map(|word| Some((memchr::memmem::rfind(said, word)?, word.len())))
        .max()?;
    let mut start = from + line + word + length;
    while alphabet::byte(bytes, start) == b'-' {
        start = next_word(bytes, start, from + pipe)?.1 + 1;
    }
    let (start, end) = next_word(bytes, start, from + pipe)?;
    let (start, end) = inner(bytes, start, end);
    let colon =
        memchr::memchr(b':', alphabet::part(bytes, start, end)).map_or(start, |colon| start + colon + 1);
    let is_secret = alphabet::part(bytes, colon, end).iter().any(|byte| !byte.is_ascii_alphabetic());
    is_secret.then(|| accept(bytes, colon, end)).flatten()
}

fn behind_sign(bytes: &[u8], start: usize, end: usize, sign: u8) -> Option<(usize, usize)> {
    let (start, end) = inner(bytes, start, end);
    let at = memchr::memchr(sign, alphabet::part(bytes, start, end))?;
    accept(bytes, start + at + 1, end)
}

fn accept(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let (start, end) = inner(bytes, start, end);
    let secret = alphabet::part(bytes, start, end);
    let refers = matches!(secret.first(), Some(b'$' | b'<' | b'{' | b'-' | b'[' | b'%'));
    (secret.len() >= 3 && !refers && !mark::is_masked(secret) && !secret.iter().all(u8::is_ascii_digit))
        .then_some((start, end))
}
