//! Secrets in two pieces, the first of which ended the text before: a look back, never forward. The first piece is written
//! already; hidden is what completes it.

use zeroize::Zeroizing;

use super::text::Spotted;
use crate::base::credential::{Spotter, goes_on_like_a_secret};

/// How much of the text before is remembered, in bytes.
const TAIL: usize = 512;
/// How far into a text its first piece may reach, in bytes.
const HEAD: usize = 1_024;

/// The end of the text before. It is never saved: whoever goes on from a state reads that text again.
#[derive(Debug, Default)]
pub struct LookBack {
    tail: Zeroizing<String>,
}

impl LookBack {
    /// Hides in `text` what completes a secret that the text before began, and remembers the end of `text`; whether
    /// something was hidden. The spotter is the one that both texts were looked at with.
    pub fn over(&mut self, text: &mut Spotted, spotter: &Spotter) -> bool {
        let completes = self.completed(text, spotter);
        if let Some((end, kind)) = completes {
            text.hide_head(end, kind);
        }
        self.tail = end_of(text.expose());
        completes.is_some()
    }

    /// Remembers the end of a text that was given out before.
    pub fn remember(&mut self, text: &str) {
        self.tail = end_of(text);
    }

    fn completed(&self, text: &Spotted, spotter: &Spotter) -> Option<(usize, &'static str)> {
        let head = text.expose();
        let head = head.get(..head.floor_char_boundary(HEAD))?;
        if self.tail.is_empty() || !goes_on_like_a_secret(head) {
            return None;
        }
        let border = self.tail.len();
        let mut joined = Zeroizing::new(String::with_capacity(border + head.len() + 1));
        joined.push_str(&self.tail);
        joined.push('\n');
        joined.push_str(head);
        let looked = spotter.look(&joined);
        let over = looked.spans.iter().find(|span| span.start < border && border + 1 < span.end)?;
        Some((over.end - border - 1, over.kind))
    }
}

/// The last bytes of a text, without the blanks at its end.
fn end_of(text: &str) -> Zeroizing<String> {
    let text = text.trim_end();
    let from = text.ceil_char_boundary(text.len().saturating_sub(TAIL));
    Zeroizing::new(text.get(from..).unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::LookBack;
    use crate::base::credential::{Added, Spotter};
    use crate::evidence::scrub::{Numbering, Spotted};
    use crate::evidence::transcript::Raw;

    /// The texts after one another, scrubbed, and how many completed a secret.
    fn scrubbed(texts: &[&str]) -> (Vec<String>, usize) {
        scrubbed_by(Spotter::global(), texts)
    }

    fn scrubbed_by(spotter: &Spotter, texts: &[&str]) -> (Vec<String>, usize) {
        let (mut back, mut numbering) = (LookBack::default(), Numbering::new([7; 32]));
        let mut completed = 0;
        let texts = texts.iter().map(|text| {
            let mut spotted = Spotted::new(Raw::from(*text), spotter);
            completed += usize::from(back.over(&mut spotted, spotter));
            numbering.scrub(spotted).into_string()
        });
        (texts.collect(), completed)
    }

    #[test]
    fn what_completes_a_secret_is_hidden_and_what_follows_a_whole_one_is_not() {
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        let (first, rest) = token.split_at(19);
        let begun = format!("it begins {first}");
        assert_eq!(
            scrubbed(&[&begun, &format!("{rest} and more")]),
            (vec![begun, "[redacted:github-token#1] and more".to_owned()], 1)
        );
        let whole = format!("it is {token}");
        let (texts, completed) = scrubbed(&[&whole, "Now let me look at b7480a41 first", "token_1 is next"]);
        assert_eq!(completed, 0);
        assert_eq!(texts[1..], ["Now let me look at b7480a41 first", "token_1 is next"]);
    }

    #[test]
    fn a_kind_that_a_team_adds_is_completed_like_the_others() {
        let added = [Added { name: "acme-token", shape: "acme_{A24}" }];
        let token = format!("acme_{}", "k3J9".repeat(6));
        let (first, rest) = token.split_at(15);
        assert_eq!(scrubbed(&[first, rest]).1, 0);
        assert_eq!(
            scrubbed_by(&Spotter::with(&added, HashSet::new()), &[first, rest]),
            (vec![first.to_owned(), "[redacted:acme-token#1]".to_owned()], 1)
        );
    }
}
