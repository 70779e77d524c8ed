//! Text of any length in bounded memory: a window goes over it, and a part is given out once enough of what follows was
//! seen. Bytes that are no UTF-8 become U+FFFD.

use std::io::{self, Read, Write};

use zeroize::Zeroizing;

use super::numbering::Numbering;
use crate::base::credential::{Spotter, quote_for};

/// Bytes that are read before a part is given out.
const STEP: usize = 4 * 1024 * 1024;
/// Room for a window of text: a secret over a border keeps a part waiting. One that grows leaves pieces behind.
const WINDOW: usize = 3 * STEP;
/// What is kept on both sides of a border: as far as any look around a secret reaches.
const AROUND: usize = 64 * 1024;

/// The window and the place up to which it was given out.
struct Window<'w> {
    text: Zeroizing<String>,
    given: usize,
    spotter: &'w Spotter,
    numbering: &'w mut Numbering,
}

/// Scrubs `input` into `output`; `each` is asked between two parts whether to go on.
///
/// # Errors
/// Of either stream, told apart by the first member: true for the output.
pub fn scrub(
    input: &mut dyn Read,
    output: &mut dyn Write,
    spotter: &Spotter,
    numbering: &mut Numbering,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), (bool, io::Error)> {
    let mut window =
        Window { text: Zeroizing::new(String::with_capacity(WINDOW)), given: 0, spotter, numbering };
    let mut bytes = Zeroizing::new(Vec::with_capacity(STEP + 8));
    loop {
        let held = bytes.len();
        let got = input.take((STEP - held) as u64).read_to_end(&mut bytes).map_err(|error| (false, error))?;
        let ends = got == 0 || held + got < STEP;
        let cut = if ends { bytes.len() } else { whole_characters(&bytes) };
        for chunk in bytes.get(..cut).unwrap_or_default().utf8_chunks() {
            window.text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                window.text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        bytes.drain(..cut);
        window.give(ends, output).map_err(|error| (true, error))?;
        if ends || !goes_on() {
            return Ok(());
        }
    }
}

/// Where the last character that may be cut begins.
fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.iter().rev().take(4).position(|byte| *byte >= 0xc0);
    tail.map_or(bytes.len(), |back| bytes.len() - back - 1)
}

impl Window<'_> {
    /// Gives out what nothing that follows can change.
    fn give(&mut self, ends: bool, output: &mut dyn Write) -> io::Result<()> {
        let looked = self.spotter.look(&self.text);
        let reach = if ends { self.text.len() } else { self.text.len().saturating_sub(AROUND) };
        let mut border = self.text.floor_char_boundary(reach);
        // A secret that goes over the border is given out when its end was seen; one that fills the window is cut.
        let over = looked.spans.iter().find(|span| span.start < border && border < span.end);
        if let Some(span) = over.filter(|span| span.start > self.given) {
            border = span.start;
        }
        let mut from = self.given;
        for span in looked.spans.iter().filter(|span| span.end > self.given && span.start < border) {
            let (start, end) = (span.start.max(self.given), span.end.min(border));
            output.write_all(self.text.get(from..start).unwrap_or_default().as_bytes())?;
            let secret = self.text.get(span.start..span.end).unwrap_or_default();
            let (_, mark) = self.numbering.mark(span.kind, secret);
            let quote = quote_for(&self.text, span.start, span.end);
            write!(output, "{quote}{mark}{quote}")?;
            from = end;
        }
        output.write_all(self.text.get(from..border).unwrap_or_default().as_bytes())?;
        let keeps_from = self.text.floor_char_boundary(border.saturating_sub(AROUND));
        let (marks, allowed) = looked.kept_within(self.given, border);
        self.numbering.keep(marks, allowed);
        self.text.drain(..keeps_from);
        self.given = border - keeps_from;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{AROUND, STEP, scrub};
    use crate::base::credential::Spotter;
    use crate::evidence::scrub::Numbering;

    /// A reader that gives little at a time.
    struct Slow<'s>(&'s [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let mut part = self.0.get(..self.0.len().min(70_001)).unwrap();
            let got = part.read(buffer)?;
            self.0 = &self.0[got..];
            Ok(got)
        }
    }

    fn scrubbed(text: &[u8]) -> (String, Numbering) {
        let mut numbering = Numbering::new([7; 32]);
        let mut output = Vec::new();
        scrub(&mut Slow(text), &mut output, Spotter::global(), &mut numbering, &|| true).unwrap();
        (String::from_utf8(output).unwrap(), numbering)
    }

    fn token() -> String {
        format!("ghp_{}", "a1B2c3D4e".repeat(4))
    }

    #[test]
    fn a_secret_on_every_border_is_hidden_and_the_rest_stays() {
        let line = "an ordinary line of text\n";
        for at in [0, STEP - AROUND - 20, STEP - 20, STEP - 1, STEP + AROUND - 9, 2 * STEP - AROUND - 3] {
            let mut text = line.repeat(2 * STEP / line.len() + 2 * AROUND / line.len());
            text.replace_range(at..at, &format!(" {} ", token()));
            let (output, numbering) = scrubbed(text.as_bytes());
            assert!(output == text.replace(&token(), "[redacted:github-token#1]"), "{at}");
            assert_eq!(numbering.counts().get("github-token"), Some(&1), "{at}");
        }
    }

    #[test]
    fn damaged_bytes_and_cut_characters_do_not_stop_it() {
        let mut text = "é".repeat(STEP / 2 + 3).into_bytes();
        text.extend([0xff, 0xfe]);
        let (output, _) = scrubbed(&text);
        assert!(output == String::from_utf8_lossy(&text));
    }

    #[test]
    fn a_mark_of_a_vendor_is_counted_apart() {
        let (output, numbering) = scrubbed(b"token: [REDACTED] and password: hunter2abc\n");
        assert_eq!(output, "token: [REDACTED] and password: [redacted:password#1]\n");
        assert_eq!(numbering.kept().marks, 1);
    }
}
