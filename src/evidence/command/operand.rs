//! The words of a command by their use: options, values of options, operands. It knows how options are written, not
//! what they mean.

use super::shell::word::Word;

/// One of these stands among the words.
pub fn has(words: &[Word], options: &[&str]) -> bool {
    words.iter().any(|word| options.contains(&word.text.as_str()))
}

/// Short options in one word: `-xzf`.
pub fn is_cluster(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.len() > 1
}

/// The rest of a word that begins so.
pub fn behind(word: &Word, start: &str) -> Option<Word> {
    let rest = word.text.strip_prefix(start)?;
    Some(Word { text: rest.to_owned(), form: word.form })
}

/// What stands behind these options, in the next word or after `=`.
pub fn values(words: &[Word], options: &[&str]) -> Vec<Word> {
    let mut all = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if options.contains(&word.text.as_str()) {
            all.extend(words.get(place + 1).cloned());
        } else if let Some((name, value)) = word.text.split_once('=')
            && options.contains(&name)
        {
            all.push(Word { text: value.to_owned(), form: word.form });
        }
    }
    all
}

/// Words that are neither options nor values of `valued`.
pub fn operands<'a>(words: &'a [Word], valued: &[&str]) -> Vec<&'a Word> {
    let mut all = Vec::new();
    let mut plain = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if plain || !word.text.starts_with('-') || word.text == "-" {
            all.push(word);
        } else if word.text == "--" {
            plain = true;
        } else if valued.contains(&word.text.as_str()) {
            words.next();
        }
    }
    all
}

/// The files of `sed -i`: all operands but the script.
pub fn sed_files(words: &[Word]) -> Vec<&Word> {
    let in_place = words.iter().any(|word| word.text.starts_with("--in-place") || flag(&word.text, 'i'));
    if !in_place {
        return Vec::new();
    }
    // `-e` and `-f`, alone or at the end of a cluster, take the next word. Behind `-i` letters are a suffix.
    let takes = |text: &&str| {
        matches!(*text, "--expression" | "--file")
            || (text.starts_with('-')
                && !text.starts_with("--")
                && !text.starts_with("-i")
                && text.ends_with(['e', 'f']))
    };
    let taking: Vec<&str> = words.iter().map(|word| word.text.as_str()).filter(takes).collect();
    let given = !taking.is_empty()
        || words
            .iter()
            .any(|word| word.text.starts_with("--expression=") || word.text.starts_with("--file="));
    let mut files = operands(words, &taking);
    // BSD: `sed -i '' script file`.
    if words.iter().any(|word| word.text == "-i") && files.first().is_some_and(|word| word.text.is_empty()) {
        files.remove(0);
    }
    if !given && !files.is_empty() {
        files.remove(0);
    }
    files
}

/// The files of `perl -pi -e script`.
pub fn perl_files(words: &[Word]) -> Vec<&Word> {
    let in_place = words.iter().any(|word| flag(&word.text, 'i'));
    let script = words.iter().any(|word| word.text == "-e" || flag(&word.text, 'e'));
    if !in_place || !script {
        return Vec::new();
    }
    // A cluster that ends in `e` takes the next word, too.
    let clusters: Vec<&str> = words
        .iter()
        .map(|word| word.text.as_str())
        .filter(|text| flag(text, 'e') && text.ends_with('e'))
        .collect();
    operands(words, &clusters)
}

/// A short option with this letter before any suffix: `-i`, `-i.bak`, `-ni`, `-pi`.
fn flag(text: &str, letter: char) -> bool {
    let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { return false };
    letters.chars().take_while(|other| other.is_ascii_alphanumeric()).any(|other| other == letter)
}
