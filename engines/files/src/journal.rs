//! The list of a commit's changes, as a file: the CRC32C of the rest in 8 hexadecimal digits, then a line for each change.

/// A change of one file that is ready to be applied. Names have no spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    /// The number of the new file among the waiting files; `None`: the file is removed.
    pub(crate) new: Option<u64>,
    /// The index of its folder among the folders with rows.
    pub(crate) folder: usize,
    pub(crate) name: String,
}

const NONE: &str = "-";

/// Encodes changes as the content of a journal file.
pub(crate) fn to_bytes(changes: &[FileChange]) -> Vec<u8> {
    let line = |FileChange { new, folder, name }: &FileChange| {
        let new = new.map_or_else(|| NONE.to_owned(), |new| new.to_string());
        format!("{new} {folder} {name}\n")
    };
    let lines: String = changes.iter().map(line).collect();
    format!("{:08x}\n{lines}", crc32c::crc32c(lines.as_bytes())).into_bytes()
}

/// Decodes the changes of a journal file; `None` if the file is incomplete.
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Vec<FileChange>> {
    let (checksum, lines) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    if checksum != format!("{:08x}", crc32c::crc32c(lines.as_bytes())) {
        return None;
    }
    let change = |line: &str| {
        let mut words = line.split(' ');
        let new = match words.next()? {
            NONE => None,
            number => Some(number.parse().ok()?),
        };
        Some(FileChange { new, folder: words.next()?.parse().ok()?, name: words.next()?.to_owned() })
    };
    lines.lines().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_is_not_whole_is_none() {
        let changes = [
            FileChange { new: Some(17), folder: 0, name: "key_1".to_owned() },
            FileChange { new: None, folder: 255, name: "%00".to_owned() },
        ];
        let whole = to_bytes(&changes);
        assert_eq!(from_bytes(&whole).unwrap(), changes);
        for cut in 0..whole.len() {
            assert_eq!(from_bytes(&whole[..cut]), None, "cut at {cut}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(from_bytes(&changed), None, "changed at {at}");
        }
    }
}
