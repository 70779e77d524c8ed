//! Files that come from another machine: the copy's target, what a download is told to be called, or the last part of
//! its address.

use super::found::Found;
use super::observation::Operation;
use super::operand::{behind, has, is_cluster, operands};
use super::shell::word::{Form, Word};

impl Found<'_> {
    /// Copies from another machine, a container or a bucket to this one.
    pub fn downloaded(&mut self, name: &str, words: &[Word]) {
        let operands = operands(words, &["-e", "-P", "-i", "-n", "-o", "--exclude", "--include", "--rsh"]);
        let remote = |word: &Word| {
            word.text.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains('/'))
        };
        let rehearses = |word: &Word| is_cluster(&word.text) && word.text.contains('n');
        let operands = match name {
            "rsync" if has(words, &["--dry-run", "--list-only"]) || words.iter().any(rehearses) => return,
            "rsync" | "scp" => operands.as_slice(),
            _ => {
                let copies = |word: &&&Word| matches!(word.text.as_str(), "cp" | "sync" | "mv");
                let Some(place) = operands.iter().take(2).position(|word| copies(&word)) else { return };
                operands.get(place + 1..).unwrap_or_default()
            }
        };
        if let [_, .., target] = operands
            && !remote(target)
        {
            self.push(target, Operation::Add, false);
        }
    }

    /// What `curl` is told to write to.
    pub fn curl(&mut self, words: &[Word]) {
        /// The letters without a value that stand beside `-o` and `-O`.
        const FLAGS: &str = "#fgikJLnNoOqRsSv";
        // `-o` at the end of a cluster takes the next word; `-O` names the file as the address does.
        let flags = |text: &str| is_cluster(text) && text.chars().skip(1).all(|flag| FLAGS.contains(flag));
        let takes = |text: &str| text == "--output" || (flags(text) && text.ends_with('o'));
        let named = |text: &str| {
            matches!(text, "--remote-name" | "--remote-name-all") || (flags(text) && text.contains('O'))
        };
        let mut previous = None;
        for word in words {
            if previous.is_some_and(takes) {
                self.push(word, Operation::Add, false);
            } else if let Some(target) = behind(word, "--output=") {
                self.push(&target, Operation::Add, false);
            }
            previous = Some(word.text.as_str());
        }
        if words.iter().any(|word| named(&word.text)) {
            self.as_addressed(words);
        }
    }

    /// What `wget` is told to write to, or the name that the address gives.
    pub fn wget(&mut self, words: &[Word]) {
        if has(words, &["--spider", "--help", "--version"]) {
            return;
        }
        let mut given = false;
        let mut takes = false;
        for word in words {
            let text = word.text.as_str();
            let cluster = is_cluster(text).then(|| text.split_once('O')).flatten();
            if takes {
                self.push(word, Operation::Add, false);
            } else if let Some(target) = behind(word, "--output-document=") {
                given = true;
                self.push(&target, Operation::Add, false);
            } else if let Some((_, joined)) = cluster.filter(|(_, joined)| !joined.is_empty()) {
                given = true;
                self.push(&Word { text: joined.to_owned(), form: word.form }, Operation::Add, false);
            }
            takes = text == "--output-document" || cluster.is_some_and(|(_, joined)| joined.is_empty());
            given |= takes;
        }
        if !given {
            self.as_addressed(words);
        }
    }

    /// A file that is called as the last part of an address.
    fn as_addressed(&mut self, words: &[Word]) {
        let address = words.iter().rev().find(|word| word.text.contains("://"));
        let known = address.filter(|word| word.form == Form::Plain && !word.text.contains(['?', '#']));
        let name = known.and_then(|word| word.text.split_once("://")?.1.rsplit_once('/'));
        match name.map(|(_, name)| name).filter(|name| !name.is_empty()) {
            Some(name) if !has(words, &["-P", "--output-dir", "-J"]) => {
                self.push(&Word::verbatim(name), Operation::Add, false);
            }
            _ => self.unnamed_in(None, Operation::Add),
        }
    }
}
