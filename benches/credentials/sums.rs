//! Checksums that made-up tokens carry.

use data_encoding::{BASE32_NOPAD, BASE64};

use super::dice::Dice;

pub const STORAGE: u64 = 0x4465_6661_756c_7430;
pub const BATCH: u64 = 0x4162_4163_6374_3030;
pub const COSMOS: u64 = 0x4d61_7374_5257_3030;
pub const BUS: u64 = 0x5365_6e64_3030_3030;
pub const REDIS: u64 = 0x4163_6365_7373_3030;
pub const FUNCTION: u64 = 0x4675_6e63_7469_3030;
pub const SEARCH: u64 = 0x5041_646d_696e_3030;
pub const REGISTRY: u64 = 0x4143_5244_666c_7430;
pub const IOT: u64 = 0x496f_5448_7562_3030;

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(sum & 1)))
    })
}

fn in_base(mut number: u32, digits: &str, width: usize) -> String {
    let base = u32::try_from(digits.len()).unwrap_or(36);
    let mut text = Vec::new();
    for _ in 0..width {
        text.extend(digits.chars().nth((number % base) as usize));
        number /= base;
    }
    text.into_iter().rev().collect()
}

/// Of what stands behind the first `_`, as GitHub and npm do.
pub fn behind_mark(token: &str) -> String {
    let body = token.split_once('_').map_or(token, |(_, body)| body);
    in_base(crc32(body.as_bytes()), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 6)
}

pub fn base36(token: &str) -> String {
    in_base(crc32(token.as_bytes()), "0123456789abcdefghijklmnopqrstuvwxyz", 7)
}

pub fn upper_hex(token: &str) -> String {
    format!("{:08X}", crc32(token.as_bytes()))
}

pub fn little_hex(token: &str) -> String {
    format!("{:08x}", crc32(token.trim_end_matches('_').as_bytes()).swap_bytes())
}

/// A key of `length` bytes in base64 with a mark before its checksum.
pub fn azure(dice: &mut Dice, length: usize, mark: &str, seed: u64) -> String {
    let mut key: Vec<u8> = (0..length).map(|_| u8::try_from(dice.below(256)).unwrap_or(0)).collect();
    let mark = BASE64.decode(mark.as_bytes()).unwrap_or_default();
    // The mark has to begin where a character of the text begins.
    let at = (length - 4 - mark.len()) / 3 * 3;
    key.splice(at..at + mark.len(), mark);
    let end = length - 4;
    let sum = marvin(key.get(..end).unwrap_or_default(), seed);
    key.splice(end.., sum.to_le_bytes());
    BASE64.encode(&key)
}

/// An old token of Azure DevOps, four bytes of which are the sum of most others.
pub fn devops(dice: &mut Dice) -> String {
    let mut key: Vec<u8> = (0..32).map(|_| u8::try_from(dice.below(256)).unwrap_or(0)).collect();
    let part = |start, end| key.get(start..end).unwrap_or_default().to_vec();
    let body = [part(0, 2), part(3, 7), part(9, 22), part(23, 32)].concat();
    let sum = (crc32(&body) ^ 0xe0b9_692d).to_le_bytes();
    for (at, byte) in [22, 8, 7, 2].into_iter().zip(sum) {
        key.splice(at..=at, [byte]);
    }
    BASE32_NOPAD.encode(&key).to_lowercase()
}

fn marvin(bytes: &[u8], seed: u64) -> u32 {
    let [mut low, mut high] = [seed as u32, (seed >> 32) as u32];
    let mut mix = |word: u32| {
        low = low.wrapping_add(word);
        high ^= low;
        low = low.rotate_left(20).wrapping_add(high);
        high = high.rotate_left(9) ^ low;
        low = low.rotate_left(27).wrapping_add(high);
        high = high.rotate_left(19);
        low ^ high
    };
    let padded: Vec<u8> = bytes.iter().copied().chain([0x80]).collect();
    for word in padded.chunks(4) {
        let mut four = [0; 4];
        four.iter_mut().zip(word).for_each(|(slot, byte)| *slot = *byte);
        mix(u32::from_le_bytes(four));
    }
    mix(0)
}

/// Vectors that were published with the rules.
pub fn check() -> Result<(), Box<dyn std::error::Error>> {
    let vectors = [
        (behind_mark("ghp_YTBXaK7JQEVT0mlAmrtVETW0TesULe"), "2pzZKq"),
        (little_hex("glsa_b9ggvpIgd4iPnCyTd39BLY3Ml9xs5a11_"), "be322cb1"),
        (upper_hex("ATBBBV79r65hffF1jKzwQpmcgoZ7"), "39817C11"),
    ];
    for (made, expected) in vectors {
        if made != expected {
            return Err(format!("a checksum is {made} and not {expected}").into());
        }
    }
    Ok(())
}
