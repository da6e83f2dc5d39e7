//! The file format: records of 4 bytes length, 4 bytes CRC32C, then that many bytes. Integers have their lowest byte first.

use dbdyno_engine::EngineError;
use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    path::Path,
};

pub(crate) const NAME: &str = "log";
const HEADER: usize = 8;

/// Opens the file in a folder, positioned at its end, and returns it with its whole records. Truncates anything after the last whole
/// record.
pub(crate) fn open(folder: &Path) -> Result<(File, Vec<u8>), EngineError> {
    let failed = |error| EngineError::new(format!("opening the file: {error}"));
    let path = folder.join(NAME);
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    let whole = records(&bytes).map(|record| HEADER + record.len()).sum();
    if whole < bytes.len() {
        file.set_len(whole as u64).map_err(failed)?;
        bytes.truncate(whole);
    }
    // If the name of the file is lost, so is its content.
    file.sync_all().and_then(|()| File::open(folder)?.sync_all()).map_err(failed)?;
    Ok((file, bytes))
}

/// Returns the contents of the whole records at the beginning of these bytes.
pub(crate) fn records(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = number(bytes)?;
        let (checksum, rest) = number(rest)?;
        // A file can be longer than what was written to it. The rest is zero, and no record is empty.
        let (record, rest) = rest.split_at_checked(length as usize).filter(|_| length > 0)?;
        bytes = rest;
        (crc32c::crc32c(record) == checksum).then_some(record)
    })
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), rest))
}

/// A record being built: room for its header, then the added changes.
#[derive(Debug)]
pub(crate) struct LogRecord(Vec<u8>);

/// The change that a record makes to a key: its value, or `None` if it is removed.
pub(crate) type KeyChange<'r> = (&'r [u8], Option<&'r [u8]>);

/// The length that marks a removed key.
const GONE: u32 = u32::MAX;

impl LogRecord {
    pub(crate) fn new() -> Self {
        Self(vec![0; HEADER])
    }

    /// Adds a change: the key's length, the value's length, then both.
    pub(crate) fn add(&mut self, (key, value): KeyChange<'_>) {
        self.0.extend((key.len() as u32).to_le_bytes());
        self.0.extend(value.map_or(GONE, |value| value.len() as u32).to_le_bytes());
        self.0.extend(key);
        self.0.extend(value.unwrap_or_default());
    }

    /// Appends the record to the file in one call, unless it has no changes.
    pub(crate) fn append(mut self, mut file: &File, sync: bool) -> Result<(), EngineError> {
        let length = self.0.len() - HEADER;
        if length == 0 {
            return Ok(());
        }
        let length = u32::try_from(length).map_err(|_| EngineError::new("a transaction of more than 4 GiB"))?;
        let checksum = crc32c::crc32c(&self.0[HEADER..]);
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0[4..HEADER].copy_from_slice(&checksum.to_le_bytes());
        // After a partial record, or one that may not be on the disk, recovery would ignore everything that follows.
        let lost = |error| EngineError::fatal(format!("appending a record: {error}"));
        file.write_all(&self.0).map_err(lost)?;
        if sync { file.sync_data().map_err(lost) } else { Ok(()) }
    }
}

pub(crate) fn changes(mut record: &[u8]) -> impl Iterator<Item = KeyChange<'_>> {
    std::iter::from_fn(move || {
        let (key_length, rest) = number(record)?;
        let (value_length, rest) = number(rest)?;
        let (key, rest) = rest.split_at_checked(key_length as usize)?;
        if value_length == GONE {
            record = rest;
            return Some((key, None));
        }
        let (value, rest) = rest.split_at_checked(value_length as usize)?;
        record = rest;
        Some((key, Some(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the keys in a folder's file, in the order written.
    fn keys(folder: &Path) -> Vec<Vec<u8>> {
        let (_, bytes) = open(folder).unwrap();
        records(&bytes).flat_map(changes).map(|(key, _)| key.to_owned()).collect()
    }

    #[test]
    fn a_file_cut_or_changed_anywhere_holds_the_records_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let (file, _) = open(folder.path()).unwrap();
        for key in [b"a", b"b"] {
            let mut record = LogRecord::new();
            record.add((key, Some(b"value")));
            record.append(&file, true).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(keys(folder.path()), [b"a", b"b"]);
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let left = usize::from(cut >= whole.len() / 2);
            assert_eq!(keys(folder.path()).len(), left, "cut at {cut}");
            assert_eq!(std::fs::metadata(&path).unwrap().len() as usize, left * whole.len() / 2);
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            assert_eq!(keys(folder.path()).len(), usize::from(at >= whole.len() / 2), "changed at {at}");
        }
        std::fs::write(&path, [&whole[..], &[0; 64]].concat()).unwrap();
        assert_eq!(keys(folder.path()).len(), 2, "zeros after the end");
    }
}
