//! Checksums that tokens carry. A right one is near proof, and allows a join that nothing else would; a wrong one proves
//! nothing: people retype and shorten tokens, and most of a real one is given away all the same.

use bech32::Bech32;
use bech32::primitives::decode::CheckedHrpstring;
use crc::{CRC_24_OPENPGP, CRC_32_ISO_HDLC, Crc};
use data_encoding::{BASE32_NOPAD, BASE64};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::alphabet;
use super::encoded;
use super::marvin;

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
    /// Marvin32 of the decoded key, in its last four bytes; the mark before them says with which seed. Or as the next one.
    Azure,
    /// Marvin32 of the decoded first eighty characters, three bytes of it in the four characters behind.
    Annotated,
    /// Marvin32 of all before, the first three digits of it in base 66.
    Entra,
    /// The sum of BIP-173.
    Bech32,
    /// The first four bytes of a double SHA-256, at the end of the decoded digits.
    Base58,
}

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const BASE66: &[u8; 66] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890.-_~";

/// The sum of IEEE 802.3.
const CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
/// The sum of OpenPGP's armour.
const CRC24: Crc<u32> = Crc::<u32>::new(&CRC_24_OPENPGP);

/// Where the mark of an annotated key stands, where its sum stands, and how long that is, in characters.
const ANNOTATED: (usize, usize, usize) = (52, 80, 4);
/// Longest decoded text of base 58, in bytes: an extended key has 82.
const LONGEST_BASE58: usize = 128;
/// What a personal access token of Azure DevOps adds to its sum: one made for a user, one made for a program.
const DEVOPS: [u32; 2] = [0xe0b9_692d, 0x1019_f92e];

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
            Self::Azure => is_azure(token) || is_annotated(token),
            Self::Annotated => is_annotated(token),
            Self::Entra => split(3).is_some_and(|(body, sum)| {
                let made = digits(marvin::sum(body, marvin::ENTRA), BASE66, 6);
                // The issuer writes no digits of nothing in front.
                let leads = made.iter().take_while(|digit| Some(*digit) == BASE66.first()).count();
                alphabet::part(token, 3, 6) == b"8Q~"
                    && made.get(leads..).is_some_and(|made| made.starts_with(sum))
            }),
            Self::Bech32 => {
                std::str::from_utf8(token).is_ok_and(|token| CheckedHrpstring::new::<Bech32>(token).is_ok())
            }
            // Decoding takes the square of the length: other lengths no key has.
            Self::Base58 => matches!(token.len(), 51 | 52 | 107..=112) && is_base58(token),
        }
    }
}

/// Whether a value without a mark of its own has the sum of a family whose tokens only a name shows.
pub fn proves_unmarked(value: &[u8]) -> bool {
    match value.len() {
        52 if is_devops(value) => true,
        51 | 52 => matches!(value.first(), Some(b'5' | b'K' | b'L')) && is_base58(value),
        _ => false,
    }
}

/// The sum of OpenPGP's armour.
pub fn crc24(bytes: &[u8]) -> u32 {
    CRC24.checksum(bytes)
}

fn crc32(bytes: &[u8]) -> u32 {
    CRC32.checksum(bytes)
}

fn is_azure(token: &[u8]) -> bool {
    let key = encoded::decode(token);
    // The mark begins where a character begins, before the sum.
    let Some(at) = key.len().checked_sub(marvin::SUM_BYTES + 3).map(|before| before / 3 * 4) else {
        return false;
    };
    let mark = alphabet::part(token, at, at + 4);
    let seeds = marvin::SEEDS.iter().filter(|(known, _)| known.as_bytes() == mark);
    let Some((body, sum)) = key.split_at_checked(key.len() - marvin::SUM_BYTES) else { return false };
    seeds.flat_map(|(_, seeds)| seeds.iter()).any(|seed| marvin::sum(body, *seed).to_le_bytes() == sum)
}

fn is_annotated(token: &[u8]) -> bool {
    let (mark, at, length) = ANNOTATED;
    let (body, sum) = (alphabet::part(token, 0, at), alphabet::part(token, at, at + length));
    let made = marvin::sum(&encoded::decode(body), marvin::DEFAULT).to_le_bytes();
    let made = made.get(..3).map(|bytes| BASE64.encode(bytes)).unwrap_or_default();
    alphabet::part(token, mark, mark + 6) == b"JQQJ99" && made.as_bytes() == sum
}

fn is_base58(token: &[u8]) -> bool {
    let mut decoded = Zeroizing::new([0; LONGEST_BASE58]);
    let Ok(length) = bs58::decode(token).onto(&mut decoded[..]) else { return false };
    let split = |at: usize| decoded.get(..length)?.split_at_checked(at);
    length
        .checked_sub(4)
        .and_then(split)
        .is_some_and(|(body, sum)| Sha256::digest(Sha256::digest(body)).get(..4) == Some(sum))
}

/// The old tokens of Azure DevOps: 32 bytes in lower-case base 32, four of which are the sum of most others.
fn is_devops(token: &[u8]) -> bool {
    let upper = Zeroizing::new(token.to_ascii_uppercase());
    let mut key = Zeroizing::new([0; 32]);
    if BASE32_NOPAD.decode_len(upper.len()) != Ok(32)
        || BASE32_NOPAD.decode_mut(&upper, &mut key[..]).is_err()
        || token.iter().any(u8::is_ascii_uppercase)
    {
        return false;
    }
    let mut body = Zeroizing::new(Vec::with_capacity(32));
    for (start, end) in [(0, 2), (3, 7), (9, 22), (23, 32)] {
        body.extend_from_slice(alphabet::part(&key[..], start, end));
    }
    let sum = u32::from_le_bytes([22, 8, 7, 2].map(|at| alphabet::byte(&key[..], at)));
    DEVOPS.iter().any(|added| crc32(&body) ^ added == sum)
}

fn digits(mut number: u32, alphabet: &[u8], places: usize) -> Vec<u8> {
    let base = u32::try_from(alphabet.len()).unwrap_or(u32::MAX);
    let nothing = alphabet.first().copied().unwrap_or(b'0');
    let mut digits = vec![nothing; places];
    for slot in digits.iter_mut().rev() {
        *slot = alphabet.get((number % base) as usize).copied().unwrap_or(nothing);
        number /= base;
    }
    digits
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may panic")]
mod tests {
    use data_encoding::{BASE32_NOPAD, BASE64, BASE64URL};
    use sha2::{Digest as _, Sha256};

    use super::{BASE66, Check, crc24, crc32, digits, proves_unmarked};
    use crate::base::credential::marvin;

    /// Bytes that look like those of a key.
    fn key(count: u8) -> Vec<u8> {
        (0..count).map(|byte| byte.wrapping_mul(37) ^ 0x5a).collect()
    }

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

    #[test]
    fn every_mark_of_azure_is_proven_by_its_own_seeds_alone() {
        for (mark, seeds) in marvin::SEEDS {
            for (seed, length) in seeds.iter().zip([64, 32, 39, 40].into_iter().cycle()) {
                let mut bytes = key(length);
                let at = (bytes.len() - 7) / 3 * 3;
                bytes.splice(at..at + 3, BASE64.decode(mark.as_bytes()).unwrap());
                let end = bytes.len() - 4;
                let sum = marvin::sum(&bytes[..end], *seed);
                bytes.splice(end.., sum.to_le_bytes());
                for token in [BASE64.encode(&bytes), BASE64URL.encode(&bytes)] {
                    // The mark of some has a sign that the other alphabet does not write so.
                    let is_written = token.contains(mark);
                    assert_eq!(Check::Azure.proves(token.as_bytes()), is_written, "{mark}");
                }
                bytes[1] ^= 1;
                assert!(!Check::Azure.proves(BASE64.encode(&bytes).as_bytes()), "{mark}");
            }
        }
    }

    #[test]
    fn an_annotated_key_and_a_client_secret_are_proven() {
        let body =
            format!("{}JQQJ99{}", BASE64.encode(&key(39)).replace(['+', '/'], "x"), "BFACYeBjF0AAABACOG4a7b");
        let bytes = BASE64.decode(body.as_bytes()).unwrap();
        let sum = marvin::sum(&bytes, marvin::DEFAULT).to_le_bytes();
        let token = format!("{body}{}", BASE64.encode(&sum[..3]));
        assert_eq!(token.len(), 84);
        assert!(Check::Annotated.proves(token.as_bytes()));
        assert!(!Check::Annotated.proves(token.replacen('J', "K", 1).as_bytes()));

        let body = format!("a1B8Q~{}", "k3.J9_x~-".repeat(3) + "wxyz");
        let sum = digits(marvin::sum(body.as_bytes(), marvin::ENTRA), BASE66, 6);
        let leads = sum.iter().take_while(|digit| **digit == b'a').count();
        let token = format!("{body}{}", String::from_utf8_lossy(&sum[leads..leads + 3]));
        assert!(Check::Entra.proves(token.as_bytes()));
        assert!(!Check::Entra.proves(token.replace("8Q~", "7Q~").as_bytes()));
    }

    #[test]
    fn keys_of_wallets_are_proven_by_the_vectors_of_their_standards() {
        // BIP-173 and NIP-19; the key of the second is the example of the standard.
        let nsec = ["nsec1", "vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"].concat();
        assert!(Check::Bech32.proves(b"A12UEL5L"));
        assert!(Check::Bech32.proves(nsec.as_bytes()));
        assert!(!Check::Bech32.proves(nsec.replace("vl0", "vl2").as_bytes()));
        let mut bytes = vec![0x80];
        bytes.extend(key(32));
        bytes.push(1);
        let sum = Sha256::digest(Sha256::digest(&bytes));
        bytes.extend_from_slice(&sum[..4]);
        let mut text = [0; 64];
        let length = bs58::encode(&bytes).onto(&mut text[..]).unwrap();
        assert_eq!(length, 52);
        assert!(Check::Base58.proves(&text[..length]) && proves_unmarked(&text[..length]));
        text[9] = if text[9] == b'x' { b'y' } else { b'x' };
        assert!(!Check::Base58.proves(&text[..length]) && !proves_unmarked(&text[..length]));
    }

    #[test]
    fn an_old_token_of_azure_devops_is_proven_and_armour_is_summed_as_its_standard_says() {
        let mut bytes = key(32);
        let body: Vec<u8> = [&bytes[0..2], &bytes[3..7], &bytes[9..22], &bytes[23..32]].concat();
        let [a, b, c, d] = (crc32(&body) ^ 0xe0b9_692d).to_le_bytes();
        (bytes[22], bytes[8], bytes[7], bytes[2]) = (a, b, c, d);
        let token = BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
        assert_eq!(token.len(), 52);
        assert!(proves_unmarked(token.as_bytes()));
        assert!(!proves_unmarked(token.to_ascii_uppercase().as_bytes()));
        assert!(!proves_unmarked(token.replacen(&token[..1], "7", 1).replacen('a', "b", 1).as_bytes()));
        // The check value of the catalogue, and of an empty text.
        assert_eq!((crc24(b"123456789"), crc24(b"")), (0x21_cf02, 0xb7_04ce));
    }
}
