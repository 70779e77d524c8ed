//! Bodies of OpenPGP's armour that lost both their marks: the sum in the last line proves the body, and its first packet
//! says whether it is a secret key.

use zeroize::Zeroizing;

use super::alphabet::{self, BASE64};
use super::encoded;
use super::joint;
use super::sum;

/// Longest body, in bytes with its gutters.
const LONGEST: usize = 32 * 1024;
/// Lengths of a full line.
const FULL_LINE: std::ops::RangeInclusive<usize> = 60..=76;
/// The packet of a secret key.
const SECRET_KEY: u8 = 5;
/// Characters of the sum behind its sign.
const SUM: usize = 4;

/// Whether a body may begin with the line `run`.
pub fn begins(run: &[u8]) -> bool {
    FULL_LINE.contains(&run.len())
        && encoded::decode(alphabet::part(run, 0, 4)).first().is_some_and(|byte| match byte >> 6 {
            2 => (byte >> 2) & 15 == SECRET_KEY,
            3 => byte & 63 == SECRET_KEY,
            _ => false,
        })
}

/// Where the lines from `start` on end, and whether they are one body with the right sum, which belongs to it.
pub fn body(bytes: &[u8], start: usize) -> (usize, bool) {
    let limit = bytes.len().min(start + LONGEST);
    let mut lines = Vec::new();
    let mut at = start;
    loop {
        let stop = alphabet::run(bytes, at, BASE64, limit.saturating_sub(at));
        lines.push((at, stop));
        let padded = alphabet::run_of(bytes, stop, b'=', 2);
        let Some(next) = joint::next_line(bytes, padded).filter(|next| stop > at && *next < limit) else {
            return (padded, false);
        };
        if alphabet::byte(bytes, next) == b'=' {
            let end = alphabet::run(bytes, next + 1, BASE64, SUM + 1);
            let written = encoded::decode(alphabet::part(bytes, next + 1, end));
            return (end, end - next - 1 == SUM && made(bytes, &lines) == written[..]);
        }
        at = next;
    }
}

/// The sum of the decoded lines, its bytes as they are written.
fn made(bytes: &[u8], lines: &[(usize, usize)]) -> [u8; 3] {
    let room = lines.iter().map(|(start, stop)| stop - start).sum();
    let mut text = Zeroizing::new(Vec::with_capacity(room));
    for (start, stop) in lines {
        text.extend_from_slice(alphabet::part(bytes, *start, *stop));
    }
    let [_, first, second, third] = sum::crc24(&encoded::decode(&text)).to_be_bytes();
    [first, second, third]
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use data_encoding::BASE64;

    use super::{begins, body};
    use crate::base::credential::sum::crc24;

    fn armour(packet: u8) -> String {
        let bytes: Vec<u8> =
            [packet, 1].into_iter().chain((0..98u8).map(|byte| byte.wrapping_mul(41))).collect();
        let text = BASE64.encode(&bytes);
        let sum = BASE64.encode(&crc24(&bytes).to_be_bytes()[1..]);
        format!("{}\n{}\n={sum}", &text[..64], &text[64..])
    }

    #[test]
    fn the_right_sum_behind_a_secret_key_proves_its_body() {
        for packet in [0x95, 0x94, 0xc5] {
            let text = armour(packet);
            assert!(begins(&text.as_bytes()[..64]));
            assert_eq!(body(text.as_bytes(), 0), (text.len(), true));
            let numbered = text.replace('\n', "\n   12\t");
            assert_eq!(body(numbered.as_bytes(), 0), (numbered.len(), true));
            assert!(!body(text.replacen('A', "B", 1).as_bytes(), 0).1);
        }
        // A public key, a signature.
        assert!(!begins(&armour(0x99).as_bytes()[..64]) && !begins(&armour(0xc2).as_bytes()[..64]));
    }
}
