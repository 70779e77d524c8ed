//! What was checked, what was not and why, and what was found, free of any format.

use crate::base::json::position::Position;
use crate::base::rules::Code;

/// How far a rule was held against a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As far as it goes.
    Checked,
    /// In part, and which part.
    Partly(&'static str),
    /// Not at all, and why.
    NotChecked(&'static str),
}

impl State {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Partly(_) => "partly",
            Self::NotChecked(_) => "not_checked",
        }
    }

    /// Which part, or why not.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Checked => None,
            Self::Partly(reason) | Self::NotChecked(reason) => Some(reason),
        }
    }
}

/// One rule and one document.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The rule.
    pub code: Code,
    /// How far it was checked.
    pub state: State,
    /// How often it is broken, exactly.
    pub count: u64,
}

/// One broken rule at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where in the file.
    pub at: Position,
    /// Which rule.
    pub code: Code,
    /// The shape of the pointer: our own member names and `*`.
    pub shape: String,
}

/// One file and what became of it.
#[derive(Debug)]
pub struct Examined {
    /// As seen from the working directory; a name can hold anything, and each format escapes it.
    pub name: String,
    /// What the file is; `None` where that is unknown.
    pub kind: Option<&'static str>,
    /// Every rule that applies to its kind, in the order of the table.
    pub rules: Vec<Held>,
    /// Every listed place, in the order of the file.
    pub findings: Vec<Finding>,
}

impl Examined {
    /// Nothing was found, and at least one rule was checked.
    pub fn is_green(&self) -> bool {
        self.findings.is_empty() && self.broken() == 0 && self.number("checked") + self.number("partly") > 0
    }

    /// How many rules were checked so far.
    pub fn number(&self, state: &str) -> usize {
        self.rules.iter().filter(|held| held.state.name() == state).count()
    }

    /// Rules that were not checked, or not whole, in the order of the table, by what is said of them.
    pub fn reserved(&self) -> Vec<(State, Vec<Code>)> {
        let mut groups: Vec<(State, Vec<Code>)> = Vec::new();
        for held in self.rules.iter().filter(|held| held.state != State::Checked) {
            match groups.iter_mut().find(|(state, _)| *state == held.state) {
                Some((_, codes)) => codes.push(held.code),
                None => groups.push((held.state, vec![held.code])),
            }
        }
        groups
    }

    /// How many rules are broken.
    pub fn broken(&self) -> usize {
        self.rules.iter().filter(|held| held.count > 0).count()
    }

    /// The kind in words.
    pub fn kind_name(&self) -> &'static str {
        self.kind.unwrap_or("unknown document")
    }
}

/// All files of one check.
#[derive(Debug)]
pub struct Report {
    /// Documents first, then files of receipts.
    pub files: Vec<Examined>,
}

impl Report {
    /// Something was checked and nothing is broken.
    pub fn is_green(&self) -> bool {
        !self.files.is_empty() && self.files.iter().all(Examined::is_green)
    }
}
