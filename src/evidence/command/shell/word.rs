//! One shell word: quotes resolved, and whether its text is all that the command received. Nothing is
//! expanded: a word with an expansion keeps it as written and says so; a substitution shows as `$(…)`.

use super::substitution::{MARK, MARK_END};

/// How much of a word is known from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The text is the value.
    Plain,
    /// Begins with an unquoted `~`.
    Tilde,
    /// Holds a glob, a brace list or a redaction mark: the value is not the text, but equal texts have equal values.
    Pattern,
    /// Holds a parameter, a substitution or arithmetic: equal texts may have different values.
    Expanded,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Without quotes; expansions as written.
    pub text: String,
    /// What the text is worth.
    pub form: Form,
}

impl Word {
    /// A word that no shell touches, of an argument list.
    pub fn verbatim(text: &str) -> Self {
        let form = if text.contains("[redacted:") { Form::Pattern } else { Form::Plain };
        Self { text: text.to_owned(), form }
    }

    /// The value, if the text is the value.
    pub fn plain(&self) -> Option<&str> {
        (self.form == Form::Plain).then_some(self.text.as_str())
    }

    /// Resolves the quotes of a word as it stands in a script.
    pub fn resolve(raw: &str) -> Self {
        let mut reader =
            Reader { rest: raw, text: String::with_capacity(raw.len()), form: Form::Plain, braces: false };
        if raw.starts_with('~') {
            reader.form = Form::Tilde;
        }
        while let Some(letter) = reader.next() {
            match letter {
                '\'' => reader.single(),
                '"' => reader.double(),
                '\\' => reader.escaped(),
                '$' => reader.dollar(false),
                MARK => reader.substitution(),
                '*' | '?' => reader.mark(Form::Pattern, letter),
                // Alone it is a program or a letter.
                '[' if reader.rest.contains(']') => reader.mark(Form::Pattern, letter),
                '{' => {
                    reader.braces = true;
                    reader.text.push('{');
                }
                ',' | '.' if reader.braces => reader.mark(Form::Pattern, letter),
                other => reader.text.push(other),
            }
        }
        if reader.text.contains("[redacted:") {
            reader.form = reader.form.max(Form::Pattern);
        }
        Self { text: reader.text, form: reader.form }
    }
}

struct Reader<'a> {
    rest: &'a str,
    text: String,
    form: Form,
    braces: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next();
        self.rest = letters.as_str();
        letter
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn mark(&mut self, form: Form, letter: char) {
        self.form = self.form.max(form);
        self.text.push(letter);
    }

    fn substitution(&mut self) {
        self.form = Form::Expanded;
        self.text.push_str("$(…)");
        while self.next().is_some_and(|letter| letter != MARK_END) {}
    }

    fn single(&mut self) {
        while let Some(letter) = self.next() {
            if letter == '\'' {
                return;
            }
            self.text.push(letter);
        }
    }

    fn escaped(&mut self) {
        match self.next() {
            Some('\n') | None => {}
            Some(letter) => self.text.push(letter),
        }
    }

    fn double(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '"' => return,
                '\\' => match self.peek() {
                    Some('$' | '`' | '"' | '\\' | '\n') => self.escaped(),
                    _ => self.text.push('\\'),
                },
                '$' => self.dollar(true),
                MARK => self.substitution(),
                other => self.text.push(other),
            }
        }
    }

    /// A dollar that expands nothing stays a letter. `$'…'` is read with its simple escapes.
    fn dollar(&mut self, quoted: bool) {
        match self.peek() {
            Some('\'') if !quoted => {
                self.next();
                self.ansi();
            }
            Some('"') if !quoted => {
                self.next();
                self.double();
            }
            Some(letter) if letter.is_ascii_alphanumeric() || "_({[?!#@*$-".contains(letter) => {
                self.mark(Form::Expanded, '$');
            }
            _ => self.text.push('$'),
        }
    }

    fn ansi(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '\'' => return,
                '\\' => match self.next() {
                    Some('n') => self.text.push('\n'),
                    Some('t') => self.text.push('\t'),
                    Some('r') => self.text.push('\r'),
                    Some(same @ ('\\' | '\'' | '"' | '?')) => self.text.push(same),
                    // Octal, hexadecimal and control escapes are rare; the word is then no value.
                    Some(other) => {
                        self.text.push('\\');
                        self.mark(Form::Expanded, other);
                    }
                    None => {}
                },
                other => self.text.push(other),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Word};

    #[test]
    fn quotes_are_resolved_as_the_shell_does() {
        for (raw, text, form) in [
            ("cargo", "cargo", Form::Plain),
            (r"\cargo", "cargo", Form::Plain),
            (r#"a'b c'"d e""#, "ab cd e", Form::Plain),
            (r#""a\"b\$c\n""#, "a\"b$c\\n", Form::Plain),
            (r"$'a\tb'", "a\tb", Form::Plain),
            (r"$'\x41'", r"\x41", Form::Expanded),
            ("$HOME/x", "$HOME/x", Form::Expanded),
            ("\"${A}\"", "${A}", Form::Expanded),
            ("'$A'", "$A", Form::Plain),
            ("a$", "a$", Form::Plain),
            ("\"a \u{e000}12\u{e001} b\"", "a $(…) b", Form::Expanded),
            ("~/x", "~/x", Form::Tilde),
            ("*.rs", "*.rs", Form::Pattern),
            ("'*.rs'", "*.rs", Form::Plain),
            ("[", "[", Form::Plain),
            ("[ab]", "[ab]", Form::Pattern),
            ("{a,b}", "{a,b}", Form::Pattern),
            ("HEAD@{1}", "HEAD@{1}", Form::Plain),
            ("'[redacted:token#1]'", "[redacted:token#1]", Form::Pattern),
        ] {
            assert_eq!(Word::resolve(raw), Word { text: text.to_owned(), form }, "{raw}");
        }
    }
}
