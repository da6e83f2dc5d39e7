//! The options that the database's file header records: SNKV has no functions that return its options.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

/// The first bytes of every SQLite file, and so of every SNKV file, because SNKV uses SQLite's pager.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Returns the options that the database's file header records, with their values; `None` if the file is not in SQLite's format.
///
/// Reading the file drops this process's locks on it, as closing any descriptor of a file does. That is harmless here: no other process
/// uses the file, and each transaction takes its lock again.
pub(super) fn options(file: &Path) -> Option<BTreeMap<String, String>> {
    let mut header = [0; 20];
    File::open(file).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    if !header.starts_with(MAGIC) {
        return None;
    }
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => u32::from(bytes),
    };
    // The format that writers use: 2 with a write-ahead log.
    let journal_mode = if header[18] == 2 { "wal" } else { "delete" };
    Some(BTreeMap::from([
        ("page_size".to_owned(), page_size.to_string()),
        ("journal_mode".to_owned(), journal_mode.to_owned()),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_size_and_journal_are_in_the_header() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let of = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).unwrap();
            options(file.path())
        };
        let told = |size: [u8; 2], format: u8| of(&[MAGIC, &size, &[format, format]].concat()).unwrap();
        assert_eq!(told([16, 0], 2)["page_size"], "4096");
        assert_eq!(told([0, 1], 1)["page_size"], "65536");
        assert_eq!((&*told([16, 0], 2)["journal_mode"], &*told([16, 0], 1)["journal_mode"]), ("wal", "delete"));
        assert_eq!((of(b""), of(MAGIC), of(&[b'x'; 100])), (None, None, None));
        assert_eq!(options(Path::new("/nowhere")), None);
    }
}
