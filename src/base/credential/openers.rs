//! The literals that open a look around them, and what each opens: anchors of written forms, words of names, marks, places.

use super::command;
use super::mark;

/// Words that names of secrets hold, in the three cases in which names are written.
const NAME_WORDS: [&str; 39] = [
    "pass",
    "Pass",
    "PASS",
    "pwd",
    "Pwd",
    "PWD",
    "secret",
    "Secret",
    "SECRET",
    "token",
    "Token",
    "TOKEN",
    "key",
    "Key",
    "KEY",
    "auth",
    "Auth",
    "AUTH",
    "cred",
    "Cred",
    "CRED",
    "cookie",
    "Cookie",
    "COOKIE",
    "psk",
    "PSK",
    "jwt",
    "Jwt",
    "JWT",
    "WIF",
    "wif",
    "Wif",
    "NSEC",
    "_PAT",
    "_pat",
    "-pat",
    "BW_SESSION",
    "IDENTIFIED BY",
    "identified by",
];
/// Parameters of an address whose value is secret.
const PARAMETERS: [&str; 4] = ["code", "sig", "Signature", "signature"];
/// Ends of `host:port` in a password file.
const PORTS: [&str; 3] = [":5432:", "*:*:", ":*:"];

/// A row of stars is a mark, too.
pub const VENDOR_STARS: &str = "******";

/// What a literal opens.
#[derive(Debug, Clone, Copy)]
pub enum Trigger {
    /// A written form of a kind, by its number.
    Shape(usize),
    /// A word of a name, by its length.
    NameWord(usize),
    /// The user and password of an address.
    Address,
    /// What a scheme stands before, by its length.
    Bearer(usize),
    /// The body of a key.
    Block(BlockMark),
    /// A mark of a vendor, by its length.
    Mark(usize),
    /// A manifest of secrets.
    Secrets,
    /// A token of dotted parts.
    Jwt,
    /// A parameter of an address, by its length.
    Parameter(usize),
    /// A row of a password file, by the length of what was seen.
    Port(usize),
    /// A share of a key, by the length of its head.
    Unseal(usize),
    /// A command, by its row.
    Command(usize),
}

/// A mark at which the body of a key begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockMark {
    /// `BEGIN`.
    Begin,
    /// `END`.
    End,
    /// What PuTTY writes before a body.
    Putty,
    /// What PuTTY writes behind it.
    Mac,
}

/// All literals with what they open, given the anchors of the written forms.
pub fn all(anchors: impl Iterator<Item = &'static str>) -> Vec<(&'static str, Trigger)> {
    let mut openers: Vec<(&'static str, Trigger)> =
        anchors.enumerate().map(|(index, anchor)| (anchor, Trigger::Shape(index))).collect();
    openers.extend(NAME_WORDS.iter().map(|word| (*word, Trigger::NameWord(word.len()))));
    openers.extend(mark::VENDOR_OPENERS.iter().map(|word| (*word, Trigger::Mark(word.len()))));
    openers.push((VENDOR_STARS, Trigger::Mark(VENDOR_STARS.len())));
    openers.extend(PARAMETERS.iter().map(|name| (*name, Trigger::Parameter(name.len()))));
    openers.extend(PORTS.iter().map(|port| (*port, Trigger::Port(port.len()))));
    openers
        .extend(command::COMMANDS.iter().enumerate().map(|(row, (name, _))| (*name, Trigger::Command(row))));
    openers.extend([
        ("://", Trigger::Address),
        ("Bearer ", Trigger::Bearer(7)),
        ("bearer ", Trigger::Bearer(7)),
        ("-----BEGIN ", Trigger::Block(BlockMark::Begin)),
        ("-----END ", Trigger::Block(BlockMark::End)),
        ("---- BEGIN ", Trigger::Block(BlockMark::Begin)),
        ("---- END ", Trigger::Block(BlockMark::End)),
        ("Private-Lines: ", Trigger::Block(BlockMark::Putty)),
        ("Private-MAC: ", Trigger::Block(BlockMark::Mac)),
        ("kind: Secret", Trigger::Secrets),
        ("eyJ", Trigger::Jwt),
        ("Unseal Key ", Trigger::Unseal(11)),
    ]);
    openers
}
