//! Takes substitutions, and the bodies of here-documents, out of a script before it is parsed, and leaves a mark
//! for each. The parser's tokenizer recurses into substitutions, and can panic or loop for ever where one holds a
//! here-document; without them it is linear. One pass finds their ends over quotes, comments and nesting; where
//! an end cannot be told, the whole text is refused.

use crate::base::limits::COMMAND_SUBSTITUTIONS;

/// Begins a mark; the number of the substitution follows.
pub const MARK: char = '\u{e000}';
/// Ends a mark.
pub const MARK_END: char = '\u{e001}';

/// A script without its substitutions.
#[derive(Debug, PartialEq, Eq)]
pub struct Split {
    /// The text with marks.
    pub text: String,
    /// What each mark stands for.
    pub taken: Vec<Taken>,
}

/// Something that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The script of a command substitution.
    Script(String),
    /// The inside of a parameter or of arithmetic, or the body of a here-document, in which substitutions may stand.
    Text(String),
}

/// What is open at a place of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `$(`.
    Command,
    /// `(` inside `$(`.
    Group,
    /// `((` behind `$`.
    Arithmetic,
    /// `${`.
    Parameter,
    /// A double quote.
    Double,
    /// A backquote.
    Backquote,
}

/// Splits a script; `None` when something in it does not end, or for what the tokenizer must not see.
pub fn split(text: &str) -> Option<Split> {
    of(text, false)
}

/// What a text holds that is expanded as between double quotes; `None` as for scripts.
pub fn expanded(text: &str) -> Option<Vec<Taken>> {
    of(text, true).map(|split| split.taken)
}

fn of(text: &str, quoted: bool) -> Option<Split> {
    if text.contains([MARK, MARK_END, '\0']) {
        return None;
    }
    let mut scan = Scan {
        text,
        quoted,
        place: 0,
        open: Vec::new(),
        begun: None,
        copied: 0,
        documents: Vec::new(),
        word: false,
    };
    let mut split = Split { text: String::with_capacity(text.len()), taken: Vec::new() };
    while let Some(letter) = scan.peek() {
        scan.step(letter, &mut split)?;
        if scan.open.len() > COMMAND_SUBSTITUTIONS || split.taken.len() > COMMAND_SUBSTITUTIONS {
            return None;
        }
    }
    if !scan.open.is_empty() || !scan.documents.is_empty() {
        return None;
    }
    split.text.push_str(text.get(scan.copied..)?);
    Some(split)
}

/// The script between backquotes: `\`, `$` and backquotes are escaped in it.
fn unquoted(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut letters = script.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' || !matches!(letters.peek(), Some('\\' | '$' | '`')) {
            out.push(letter);
        } else if let Some(escaped) = letters.next() {
            out.push(escaped);
        }
    }
    out
}

/// The numbers of the marks in a word.
pub fn marks(raw: &str) -> impl Iterator<Item = usize> {
    raw.split(MARK).skip(1).filter_map(|rest| rest.split(MARK_END).next()?.parse().ok())
}

struct Scan<'a> {
    text: &'a str,
    /// All of it stands between double quotes.
    quoted: bool,
    place: usize,
    open: Vec<Open>,
    /// Where the outermost substitution began, and how much was open and how many here-documents were due then.
    begun: Option<(usize, usize, usize)>,
    /// How far the text is in the result.
    copied: usize,
    /// Here-documents whose bodies begin at the next line: tag, and whether tabs before it are dropped.
    documents: Vec<(String, bool)>,
    /// Inside a word: `#` is no comment.
    word: bool,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.place..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self) {
        self.place += self.peek().map_or(0, char::len_utf8);
    }

    fn step(&mut self, letter: char, split: &mut Split) -> Option<()> {
        match self.open.last() {
            Some(Open::Backquote) => match letter {
                '\\' => self.escape(),
                '`' => self.close(split)?,
                _ => self.skip(),
            },
            Some(Open::Double) => match letter {
                '"' => self.close(split)?,
                _ => self.inside_quotes(letter)?,
            },
            Some(Open::Parameter) => match letter {
                '}' => self.close(split)?,
                '"' => self.begin(Open::Double, 1),
                // An apostrophe between double quotes is a letter.
                '\'' if !self.open.contains(&Open::Double) => self.single(false)?,
                _ => self.inside_quotes(letter)?,
            },
            None if self.quoted => self.inside_quotes(letter)?,
            None | Some(Open::Command | Open::Group | Open::Arithmetic) => self.command(letter, split)?,
        }
        Some(())
    }

    /// What double quotes do not hide.
    fn inside_quotes(&mut self, letter: char) -> Option<()> {
        match letter {
            '\\' => self.escape(),
            '`' => self.begin(Open::Backquote, 1),
            '$' => self.dollar()?,
            _ => self.skip(),
        }
        Some(())
    }

    fn command(&mut self, letter: char, split: &mut Split) -> Option<()> {
        let word = std::mem::replace(&mut self.word, !letter.is_whitespace() && !"();&|<>".contains(letter));
        let inner = self.open.last().copied();
        match letter {
            '\'' => self.single(self.text.get(..self.place).is_some_and(|before| before.ends_with('$')))?,
            '"' => self.begin(Open::Double, 1),
            '(' if inner.is_some() => {
                self.begin(if inner == Some(Open::Arithmetic) { Open::Arithmetic } else { Open::Group }, 1)
            }
            ')' if inner.is_some() => self.close(split)?,
            '#' if !word && inner != Some(Open::Arithmetic) => {
                let line = self.rest().find('\n').unwrap_or(self.rest().len());
                self.place += line;
            }
            '<' if inner != Some(Open::Arithmetic) && self.rest().starts_with("<<<") => self.place += 3,
            '<' if inner != Some(Open::Arithmetic) && self.rest().starts_with("<<") => self.document()?,
            '\n' => {
                self.skip();
                self.bodies(split)?;
            }
            _ => self.inside_quotes(letter)?,
        }
        Some(())
    }

    fn escape(&mut self) {
        self.skip();
        self.skip();
    }

    fn begin(&mut self, open: Open, length: usize) {
        if open != Open::Double && self.begun.is_none() {
            self.begun = Some((self.place, self.open.len(), self.documents.len()));
        }
        self.open.push(open);
        self.place += length;
    }

    fn dollar(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest.starts_with("$((") {
            self.begin(Open::Command, 2);
            self.begin(Open::Arithmetic, 1);
        } else if rest.starts_with("$(") {
            self.begin(Open::Command, 2);
            self.word = false;
        } else if rest.starts_with("${") && !self.plain_parameter() {
            self.begin(Open::Parameter, 2);
        } else if rest.starts_with("$[") {
            return None;
        } else {
            self.skip();
        }
        Some(())
    }

    /// `${NAME}` and `${NAME[0]}` stay in the text: they say something and hide nothing.
    fn plain_parameter(&self) -> bool {
        let inside =
            self.rest().get(2..).and_then(|rest| rest.split_once('}')).map_or("", |(inside, _)| inside);
        let (name, index) = inside.split_once('[').unwrap_or((inside, "0]"));
        let letters = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        self.begun.is_none()
            && letters(name)
            && index.strip_suffix(']').is_some_and(|index| letters(index) || index == "@" || index == "*")
    }

    /// Closes what is open last; the end of the outermost substitution writes its mark.
    fn close(&mut self, split: &mut Split) -> Option<()> {
        let closed = self.open.pop()?;
        self.skip();
        let Some((start, _, due)) = self.begun.filter(|(_, around, _)| *around == self.open.len()) else {
            return Some(());
        };
        // A here-document that begins in a substitution ends in it.
        if self.documents.len() != due {
            return None;
        }
        self.begun = None;
        self.word = true;
        let whole = self.text.get(start..self.place)?;
        let taken = match closed {
            Open::Command => {
                let script = whole.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).unwrap_or("");
                match script.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
                    Some(arithmetic) => Taken::Text(arithmetic.to_owned()),
                    None => Taken::Script(script.to_owned()),
                }
            }
            Open::Backquote => Taken::Script(unquoted(whole.get(1..whole.len() - 1)?)),
            _ => Taken::Text(
                whole.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).unwrap_or(whole).to_owned(),
            ),
        };
        self.take(split, start, self.place, taken)
    }

    /// Puts a mark for the text from `start` to `end`.
    fn take(&mut self, split: &mut Split, start: usize, end: usize, taken: Taken) -> Option<()> {
        split.text.push_str(self.text.get(self.copied..start)?);
        split.text.push_str(&format!("{MARK}{}{MARK_END}", split.taken.len()));
        self.copied = end;
        split.taken.push(taken);
        Some(())
    }

    fn single(&mut self, escapes: bool) -> Option<()> {
        self.skip();
        loop {
            match self.peek()? {
                '\'' => break,
                '\\' if escapes => self.escape(),
                _ => self.skip(),
            }
        }
        self.skip();
        Some(())
    }

    /// `<<TAG`, `<<-'TAG'`: remembers the tag.
    fn document(&mut self) -> Option<()> {
        self.place += 2;
        let tabs = self.peek() == Some('-');
        if tabs {
            self.skip();
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.skip();
        }
        let start = self.place;
        while let Some(letter) = self.peek() {
            match letter {
                '\'' => self.single(false)?,
                '"' => {
                    self.skip();
                    while self.peek()? != '"' {
                        self.skip();
                    }
                    self.skip();
                }
                // A tag over two lines is nobody's habit.
                '\\' if self.rest().starts_with("\\\n") => return None,
                '\\' => self.escape(),
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '$' | '`' => return None,
                _ => self.skip(),
            }
        }
        let tag: String =
            self.text.get(start..self.place)?.chars().filter(|letter| !"'\"\\".contains(*letter)).collect();
        // Other tags are legal and nobody's habit; with one that is empty or blank the tokenizer never ends.
        if tag.is_empty() || !tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.!+".contains(&byte))
        {
            return None;
        }
        self.documents.push((tag, tabs));
        self.word = true;
        Some(())
    }

    /// The bodies of the here-documents of the line before.
    fn bodies(&mut self, split: &mut Split) -> Option<()> {
        // One that was due before a substitution began would have its body in the middle of it.
        if self.begun.is_some_and(|(_, _, due)| due > 0) {
            return None;
        }
        for (tag, tabs) in std::mem::take(&mut self.documents) {
            let start = self.place;
            let end = loop {
                let rest = self.rest();
                if rest.is_empty() {
                    return self.unended(split, start, &tag);
                }
                let end = self.place;
                let line = rest.split('\n').next().unwrap_or(rest);
                self.place += (line.len() + 1).min(rest.len());
                if tag == if tabs { line.trim_start_matches('\t') } else { line } {
                    break end;
                }
            };
            if self.begun.is_none() && end > start {
                let body = self.text.get(start..end)?;
                // The line break stays, so that the mark is a line of its own.
                self.take(split, start, end - 1, Taken::Text(body.to_owned()))?;
            }
        }
        Some(())
    }

    /// A body that only the end of the text ends, as shells allow with a warning: its tag is written for it.
    fn unended(&mut self, split: &mut Split, start: usize, tag: &str) -> Option<()> {
        if self.begun.is_some() || self.text.len() == start {
            return None;
        }
        self.take(split, start, self.text.len(), Taken::Text(self.text.get(start..)?.to_owned()))?;
        split.text.push('\n');
        split.text.push_str(tag);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Taken, expanded, split};

    fn told(taken: &[Taken]) -> Vec<String> {
        let one = |taken: &Taken| match taken {
            Taken::Script(script) => format!("$ {script}"),
            Taken::Text(text) => text.clone(),
        };
        taken.iter().map(one).collect()
    }

    fn scripts(text: &str) -> Vec<String> {
        told(&split(text).unwrap().taken)
    }

    #[test]
    fn substitutions_are_taken_out_and_told() {
        let text = "git commit -m \"$(cat <<'EOF'\nDon't ) $(x) `y`\nEOF\n)\" && echo `date` $((1<<2)) ${a:-b} ${HOME}";
        let split = split(text).unwrap();
        assert_eq!(
            split.text,
            "git commit -m \"\u{e000}0\u{e001}\" && echo \u{e000}1\u{e001} \u{e000}2\u{e001} \u{e000}3\u{e001} ${HOME}"
        );
        assert_eq!(told(&split.taken), ["$ cat <<'EOF'\nDon't ) $(x) `y`\nEOF\n", "$ date", "1<<2", "a:-b"]);
    }

    #[test]
    fn quotes_comments_and_documents_hide_what_only_looks_like_one() {
        for text in ["echo '$(a)'", "echo a # $(a", "cat <<EOF\nEOF\n", "echo \\$\\(a", "echo $'it\\'s $(a'"]
        {
            assert_eq!(split(text).unwrap().text, text);
        }
        let two = split("cat <<A <<-'B' # $(\n$(a\nA\n\t`\n\tB\nc").unwrap();
        assert_eq!(two.text, "cat <<A <<-'B' # $(\n\u{e000}0\u{e001}\nA\n\u{e000}1\u{e001}\n\tB\nc");
        assert_eq!(told(&two.taken), ["$(a\n", "\t`\n"]);
        let unended = split("cat <<'A'\nb\nc").unwrap();
        assert_eq!(unended.text, "cat <<'A'\n\u{e000}0\u{e001}\nA");
        assert_eq!(told(&unended.taken), ["b\nc"]);
        assert_eq!(scripts("echo \"$(a \"$(b ')')\")\""), ["$ a \"$(b ')')\""]);
        assert_eq!(scripts("$( (a) )"), ["$  (a) "]);
        assert_eq!(scripts("echo \"${x:-it's}\""), ["x:-it's"]);
        assert_eq!(scripts("echo `a \\`b\\` \\$c`"), ["$ a `b` $c"]);
    }

    #[test]
    fn a_text_between_double_quotes_holds_substitutions_and_nothing_else() {
        let held = |text: &str| expanded(text).map(|taken| told(&taken));
        assert_eq!(held("it's \"$(a)\" # `b` <<E ${c:-$(d)}\n)").unwrap(), ["$ a", "$ b", "c:-$(d)"]);
        assert_eq!(held("1 + $(a | b)").unwrap(), ["$ a | b"]);
        assert_eq!(held("\\$(a)").unwrap(), Vec::<String>::new());
        assert_eq!(held("$(a"), None);
    }

    #[test]
    fn what_does_not_end_is_refused() {
        for text in [
            "$(a",
            "echo \"a",
            "echo 'a",
            "`a",
            "cat <<EOF",
            "a$(t <<- <\\\na$(t<<- <\\\n",
            "$[1",
            "a <<\r\n",
            "$(a <<E)\nE",
            "a <<E $(b\nE\n)",
            "a << ''\n",
            "\u{e000}",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
        assert_eq!(split(&"$(".repeat(10_000)), None);
    }
}
