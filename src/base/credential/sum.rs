//! Checksums that tokens carry. A right one is near proof, and allows a join that nothing else would; a wrong one proves
//! nothing: people retype and shorten tokens, and most of a real one is given away all the same.

/// How a family sums its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// It has no sum, or none that is published.
    None,
    /// CRC-32 of what stands behind the first `_`, in base 62 over six places.
    BehindMark,
    /// CRC-32 of all before, in base 36 over seven places.
    AllBase36,
    /// CRC-32 of all before, in eight upper-case hexadecimal digits.
    AllUpperHex,
    /// CRC-32 of all before the last `_`, its bytes in little-endian order, in hexadecimal digits.
    LittleHex,
}

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl Check {
    /// Whether the sum of `token` is right.
    pub fn proves(self, token: &[u8]) -> bool {
        let split = |length: usize| token.len().checked_sub(length).and_then(|at| token.split_at_checked(at));
        match self {
            Self::None => false,
            Self::BehindMark => split(6).is_some_and(|(body, sum)| {
                let mark = body.iter().position(|byte| *byte == b'_').map_or(0, |at| at + 1);
                digits(crc32(body.get(mark..).unwrap_or(&[])), BASE62, 6) == sum
            }),
            Self::AllBase36 => split(7).is_some_and(|(body, sum)| digits(crc32(body), BASE36, 7) == sum),
            Self::AllUpperHex => {
                split(8).is_some_and(|(body, sum)| format!("{:08X}", crc32(body)).as_bytes() == sum)
            }
            Self::LittleHex => split(8).is_some_and(|(body, sum)| {
                let body = body.strip_suffix(b"_").unwrap_or(body);
                format!("{:08x}", crc32(body).swap_bytes()).as_bytes() == sum
            }),
        }
    }
}

fn digits(mut number: u32, alphabet: &[u8], places: usize) -> Vec<u8> {
    let base = u32::try_from(alphabet.len()).unwrap_or(u32::MAX);
    let mut digits = vec![b'0'; places];
    for slot in digits.iter_mut().rev() {
        *slot = alphabet.get((number % base) as usize).copied().unwrap_or(b'0');
        number /= base;
    }
    digits
}

/// The sum of IEEE 802.3, bit by bit: tokens are short, and only joins ask for it.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |sum: u32| (sum >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(sum & 1));
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| bit(sum)))
}

#[cfg(test)]
mod tests {
    use super::Check;

    #[test]
    fn published_sums_are_right_and_others_are_not() {
        for (check, head, body, sum) in [
            (Check::BehindMark, "ghp_", "YTBXaK7JQEVT0mlAmrtVETW0TesULe", "2pzZKq"),
            (Check::AllBase36, "glpat-", "YzoxCm86Z3U2CnU6MWcwa3pQ9jKK4K2gNC7w97Ay9_fkEA.01.1a", "1qs7sea"),
            (Check::AllUpperHex, "ATBB", "BV79r65hffF1jKzwQpmcgoZ7", "39817C11"),
            (Check::LittleHex, "glsa_", "b9ggvpIgd4iPnCyTd39BLY3Ml9xs5a11_", "be322cb1"),
        ] {
            let token = format!("{head}{body}{sum}");
            assert!(check.proves(token.as_bytes()), "{check:?}");
            assert!(!check.proves(format!("{head}x{body}{sum}").as_bytes()), "{check:?}");
        }
    }
}
