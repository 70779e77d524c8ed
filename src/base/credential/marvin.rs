//! Marvin32, the keyed sum of Azure's keys, and the seeds that its services use.

/// Bytes of a sum.
pub const SUM_BYTES: usize = 4;
/// The seed of storage accounts and of annotated keys.
pub const DEFAULT: u64 = 0x4465_6661_756c_7430;
/// The seed of client secrets.
pub const ENTRA: u64 = 0x4161_6450_7764_3030;

/// Seeds of the three rights that keys of messaging have.
const MESSAGING: &[u64] = &[0x5365_6e64_3030_3030, 0x4c69_7374_656e_3030, 0x4d61_6e61_6765_3030];

/// The marks of services, and the seeds with which their keys are summed.
pub const SEEDS: [(&str, &[u64]); 13] = [
    ("+ASt", &[DEFAULT]),
    ("+ABa", &[0x4162_4163_6374_3030]),
    ("ACDb", &[0x4d61_7374_5257_3030, 0x4d61_7374_524f_3030]),
    ("+AMC", &[0x436c_6173_7369_6330, DEFAULT]),
    ("APIM", &[0x5465_6e61_6e74_3030, 0x496f_5448_7562_3030, 0x4761_7465_7779_3030, 0x4769_744b_6579_3030]),
    ("+ASb", MESSAGING),
    ("+AEh", MESSAGING),
    ("+ARm", MESSAGING),
    ("AIoT", &[0x496f_5448_7562_3030, 0x4470_734b_6579_3030, 0x4465_7669_6365_3030]),
    ("AzCa", &[0x4163_6365_7373_3030]),
    ("AzSe", &[0x5041_646d_696e_3030, 0x5175_6572_7930_3030]),
    ("+ACR", &[0x4143_5244_666c_7430]),
    ("AzFu", &[0x4675_6e63_7469_3030, 0x4d61_7374_6572_3030, 0x5379_7374_656d_3030]),
];

/// The sum of `bytes`: four at a time, least byte first, closed by one bit and a last turn.
pub fn sum(bytes: &[u8], seed: u64) -> u32 {
    let [mut low, mut high] = [seed as u32, (seed >> 32) as u32];
    let mut turn = |word: u32| {
        low = low.wrapping_add(word);
        high ^= low;
        low = low.rotate_left(20).wrapping_add(high);
        high = high.rotate_left(9) ^ low;
        low = low.rotate_left(27).wrapping_add(high);
        high = high.rotate_left(19);
        low ^ high
    };
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| (word << 8) | u32::from(*byte));
    let (whole, rest) = bytes.as_chunks::<4>();
    for four in whole {
        turn(u32::from_le_bytes(*four));
    }
    turn(word(rest) | (0x80 << (8 * rest.len())));
    turn(0)
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT, sum};

    #[test]
    fn published_vectors_come_out() {
        let sums = ["", "abcd", "abcdefghij"].map(|text| sum(text.as_bytes(), DEFAULT));
        assert_eq!(sums, [0xcfd9_b134, 0xaee5_060b, 0x6da8_0fc4]);
    }
}
