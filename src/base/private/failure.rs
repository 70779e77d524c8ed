//! What the system's "no" becomes: `read-failed` or `write-failed`, with a hint that names the kind.
//! The system's own message is never shown; it repeats paths and differs between machines.

use std::io;

use rustix::io::Errno;

use crate::base::Refusal;
use crate::base::rules::Code;

/// What was tried when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    Read,
    Write,
}

impl Attempt {
    /// The refusal for an error of the system at a place.
    pub(super) fn refusal(self, error: impl Into<io::Error>, place: impl std::fmt::Display) -> Refusal {
        let code = match self {
            Self::Read => Code::ReadFailed,
            Self::Write => Code::WriteFailed,
        };
        Refusal::new(code).at(place).hint(remedy(&error.into()))
    }
}

/// The refusal for a failed read.
pub(super) fn read_failed(error: impl Into<io::Error>, place: impl std::fmt::Display) -> Refusal {
    Attempt::Read.refusal(error, place)
}

/// The refusal for a failed write; whoever returns it has left the old artifact whole.
pub(super) fn write_failed(error: impl Into<io::Error>, place: impl std::fmt::Display) -> Refusal {
    Attempt::Write.refusal(error, place)
}

fn remedy(error: &io::Error) -> String {
    let kind = match Errno::from_io_error(error) {
        Some(Errno::NOSPC | Errno::DQUOT) => "no space is left there; free some or choose another folder",
        Some(Errno::ROFS) => "the file system is mounted read-only; choose another folder",
        Some(Errno::ACCESS | Errno::PERM) => "permission was denied; check owner and mode",
        Some(Errno::NAMETOOLONG) => "the name is too long; choose a shorter one",
        Some(Errno::FBIG) => "the file would be larger than the system allows",
        Some(Errno::MFILE | Errno::NFILE) => "too many files are open; close some or raise the limit",
        Some(Errno::IO) => "the medium reported an error; check it",
        Some(Errno::NOENT) => "a file or folder vanished meanwhile; run it again",
        Some(other) => return format!("the system reported error number {}", other.raw_os_error()),
        None => "the file ended or could not be written in full; run it again",
    };
    kind.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Code, Errno, read_failed, write_failed};

    #[test]
    fn a_full_disk_and_a_read_only_one_are_told_apart() {
        let full = write_failed(Errno::NOSPC, "out.json");
        assert_eq!((full.code(), full.place()), (Code::WriteFailed, Some("out.json")));
        assert!(full.remedy().contains("no space"));
        assert!(write_failed(Errno::ROFS, "out.json").remedy().contains("read-only"));
        assert!(write_failed(Errno::ACCESS, "out.json").remedy().contains("permission"));
    }

    #[test]
    fn an_unknown_error_shows_its_number_only() {
        let refusal = read_failed(Errno::XDEV, "in.json");
        assert_eq!(refusal.code(), Code::ReadFailed);
        assert_eq!(
            refusal.remedy(),
            format!("the system reported error number {}", Errno::XDEV.raw_os_error())
        );
    }
}
