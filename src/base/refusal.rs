//! A refusal: the world is unsafe or unreadable, or the evidence does not hold. Returned with `?`; whoever
//! returns it has published nothing.

use super::rules::{Code, Rule};

/// The result of everything that can be refused.
pub type Result<T> = std::result::Result<T, Refusal>;

/// One refusal. The public sentence is the rule's; `place` and `hint` hold only what the person gave on the
/// command line, our own file names, ids and numbers. Transcript text has no way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(Box<Parts>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parts {
    code: Code,
    place: Option<String>,
    hint: Option<String>,
}

impl Refusal {
    /// Refuses with a code.
    pub fn new(code: Code) -> Self {
        Self(Box::new(Parts { code, place: None, hint: None }))
    }

    /// Says where: a path that the person gave or one of our own file names, an id, a line number.
    #[must_use]
    pub fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.0.place = Some(visible(&place.to_string()));
        self
    }

    /// Says what to type, when it is more exact than the rule's own remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(visible(&hint.into()));
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The row of the table.
    pub fn rule(&self) -> &'static Rule {
        self.0.code.rule()
    }

    /// Where, if said.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// What to do.
    pub fn remedy(&self) -> &str {
        self.0.hint.as_deref().unwrap_or(self.rule().mend)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.0.code.as_str(), self.rule().statement)?;
        if let Some(place) = self.place() {
            write!(f, " (`{place}`)")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Makes control, bidirectional and invisible characters visible, so that a path cannot speak to the terminal.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unsafe(letter) {
            shown.push_str(&format!("\\u{{{:x}}}", letter as u32));
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Control (C0, C1), bidirectional, zero-width, tag and line-separating characters.
pub const fn is_unsafe(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
