//! Reads `status --porcelain=v2 -z`. A line of an unknown shape makes the whole unread: a status that is half
//! understood would be a wrong one.

use super::text::items;

/// What `status` says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes<'a> {
    /// Every changed path, both names of a renamed one.
    pub paths: Vec<&'a [u8]>,
    /// Those whose content in the work tree was compared with the index and found different.
    pub compared: Vec<&'a [u8]>,
}

/// Reads the changed paths; `None` when a part is not understood.
pub fn read_changes(output: &[u8]) -> Option<Changes<'_>> {
    let mut changes = Changes::default();
    let mut rest = items(output)?.into_iter();
    while let Some(item) = rest.next() {
        let (kind, line) = item.split_at_checked(2)?;
        // Fields before the path, which is last and may hold spaces.
        let fields = match kind {
            b"1 " => 7,
            b"2 " => 8,
            b"u " => 9,
            b"? " => 0,
            _ => return None,
        };
        let path =
            line.splitn(fields + 1, |byte| *byte == b' ').nth(fields).filter(|path| !path.is_empty())?;
        changes.paths.push(path);
        if kind != b"? " && line.get(1) == Some(&b'M') {
            changes.compared.push(path);
        }
        if kind == b"2 " {
            let origin = rest.next()?;
            // The origin of a copy is not changed.
            if line.split(|byte| *byte == b' ').nth(7).is_some_and(|score| score.starts_with(b"R")) {
                changes.paths.push(origin);
            }
        }
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use super::read_changes;

    const IDS: &str = "N... 100644 100644 100644 1111111111111111111111111111111111111111 \
                       1111111111111111111111111111111111111111";

    #[test]
    fn every_kind_of_line_is_read() {
        let output = format!(
            "1 .M {IDS} a b\x002 R. {IDS} R100 new\0old\x002 C. {IDS} C100 copy\0origin\0u UU N... 1 1 1 1 2 3 4 both\0? new/\0"
        );
        let changes = read_changes(output.as_bytes()).expect("read");
        assert_eq!(changes.paths, ["a b", "new", "old", "copy", "both", "new/"].map(str::as_bytes));
        assert_eq!(changes.compared, [b"a b"]);
    }

    #[test]
    fn an_unknown_or_cut_line_leaves_the_whole_unread() {
        for output in ["x y\0", "1 .M N...\0", "? \0", "? a", "2 R. a b c d e f R1 new\0"] {
            assert_eq!(read_changes(output.as_bytes()), None, "{output:?}");
        }
        assert_eq!(read_changes(b"").map(|changes| changes.paths.len()), Some(0));
    }
}
