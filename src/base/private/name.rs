//! Names inside a held folder: one component, so that no name leads out of it; and temporary names of our own
//! pattern, so that a crash's leftovers can be told from anybody's files.

use crate::base::digest::encode_hex;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};

/// Random digits of a temporary name: enough that two never meet.
const RANDOM_DIGITS: usize = 16;
/// Bytes of the final name that a temporary name repeats, so that it stays under the system's 255.
const REPEATED_BYTES: usize = 160;

/// Refuses what is not exactly one component of a path.
pub(super) fn check_component(name: &str) -> Result<()> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
        return Err(Refusal::new(Code::Usage).at(name).hint("give the name of a file, not of a folder"));
    }
    Ok(())
}

/// `.<name>.<16 hex>.tmp` with fresh random digits.
pub(super) fn temporary(name: &str) -> Result<String> {
    let mut random = [0; RANDOM_DIGITS / 2];
    getrandom::fill(&mut random).map_err(|_| {
        Refusal::new(Code::WriteFailed).at(name).hint("the system gave no random bytes for a temporary name")
    })?;
    let kept = (0..=name.len().min(REPEATED_BYTES)).rev().find_map(|end| name.get(..end)).unwrap_or_default();
    Ok(format!(".{kept}.{}.tmp", encode_hex(&random)))
}

/// Whether a name has the pattern of [`temporary`].
pub(super) fn is_temporary(name: &str) -> bool {
    let Some((kept, digits)) = name
        .strip_prefix('.')
        .and_then(|rest| rest.strip_suffix(".tmp"))
        .and_then(|middle| middle.rsplit_once('.'))
    else {
        return false;
    };
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    !kept.is_empty() && digits.len() == RANDOM_DIGITS && digits.bytes().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::{Code, check_component, is_temporary, temporary};

    #[test]
    fn a_name_is_one_component() {
        for name in ["manifest.json", "..hidden", "a b", "é"] {
            assert!(check_component(name).is_ok());
        }
        for name in ["", ".", "..", "a/b", "/", "a/", "a\0b"] {
            assert_eq!(check_component(name).unwrap_err().code(), Code::Usage);
        }
    }

    #[test]
    fn temporary_names_are_ours_and_differ() {
        let first = temporary("recap.md").unwrap();
        assert!(is_temporary(&first) && first.starts_with(".recap.md."));
        assert_ne!(first, temporary("recap.md").unwrap());
        for other in [
            "recap.md",
            ".x.tmp",
            ".x.0123456789abcde.tmp",
            "x.0123456789abcdef.tmp",
            "..0123456789abcdef.tmp",
        ] {
            assert!(!is_temporary(other), "{other}");
        }
    }

    #[test]
    fn a_long_name_is_cut_at_a_character() {
        let long = temporary(&"ü".repeat(127)).unwrap();
        assert!(long.len() <= 255 && is_temporary(&long));
    }
}
