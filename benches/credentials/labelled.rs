//! Text whose bytes say whether they are secret, so that any disguise keeps its labels.

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    Ordinary,
    /// Runs through a secret: may be hidden, need not be.
    Through,
    /// Of the secret with this number.
    Secret(usize),
}

/// Labelled characters.
#[derive(Clone, Default, Debug)]
pub struct Labelled {
    pub letters: Vec<(char, Label)>,
    pub secrets: usize,
}

impl Labelled {
    pub fn plain(text: &str) -> Self {
        Self { letters: text.chars().map(|letter| (letter, Label::Ordinary)).collect(), secrets: 0 }
    }

    /// A text whose secrets stand between `«` and `»`.
    pub fn marked(text: &str) -> Self {
        let mut marked = Self::default();
        let mut label = Label::Ordinary;
        for letter in text.chars() {
            match letter {
                '«' => {
                    label = Label::Secret(marked.secrets);
                    marked.secrets += 1;
                }
                '»' => label = Label::Ordinary,
                '\n' if label != Label::Ordinary => marked.letters.push((letter, Label::Through)),
                _ => marked.letters.push((letter, label)),
            }
        }
        marked
    }

    pub fn append(&mut self, other: Self) {
        let before = self.secrets;
        self.letters.extend(other.letters.into_iter().map(|(letter, label)| match label {
            Label::Secret(number) => (letter, Label::Secret(number + before)),
            other => (letter, other),
        }));
        self.secrets += other.secrets;
    }

    /// Rewrites each character; what is written has the character's label.
    pub fn rewritten(&self, rewrite: impl Fn(char, &mut String)) -> Self {
        let mut written = Self { letters: Vec::with_capacity(self.letters.len()), secrets: self.secrets };
        let mut text = String::new();
        for (letter, label) in &self.letters {
            text.clear();
            rewrite(*letter, &mut text);
            written.letters.extend(text.chars().map(|letter| (letter, *label)));
        }
        written
    }

    /// Puts `text` behind the character at `index`: through the secret, where one stands on both sides.
    pub fn insert(&mut self, index: usize, text: &str) {
        let label = |at: Option<usize>| at.and_then(|at| self.letters.get(at)).map(|(_, label)| *label);
        let inside = label(Some(index)) != Some(Label::Ordinary)
            && label(Some(index + 1)).is_some_and(|label| label != Label::Ordinary);
        let label = if inside { Label::Through } else { Label::Ordinary };
        let inserted: Vec<_> = text.chars().map(|letter| (letter, label)).collect();
        self.letters.splice(index + 1..index + 1, inserted);
    }

    /// The places of the characters of secret `number`.
    pub fn of(&self, number: usize) -> Vec<usize> {
        let is = |(at, (_, label)): (usize, &(char, Label))| (*label == Label::Secret(number)).then_some(at);
        self.letters.iter().enumerate().filter_map(is).collect()
    }

    /// Puts text before and behind every line.
    pub fn lines(&self, mut head: impl FnMut(usize) -> String, tail: &str) -> Self {
        let mut out = Self { letters: Vec::new(), secrets: self.secrets };
        let mut number = 1;
        let mut begins = true;
        for (at, (letter, label)) in self.letters.iter().enumerate() {
            if begins {
                let through = at > 0 && *label != Label::Ordinary;
                let mark = if through { Label::Through } else { Label::Ordinary };
                out.letters.extend(head(number).chars().map(|letter| (letter, mark)));
                number += 1;
            }
            begins = *letter == '\n';
            if begins {
                out.letters.extend(tail.chars().map(|letter| (letter, *label)));
            }
            out.letters.push((*letter, *label));
        }
        out
    }

    pub fn text(&self) -> String {
        self.letters.iter().map(|(letter, _)| letter).collect()
    }

    /// The label of every byte.
    pub fn labels(&self) -> Vec<Label> {
        self.letters
            .iter()
            .flat_map(|(letter, label)| std::iter::repeat_n(*label, letter.len_utf8()))
            .collect()
    }
}
