//! A log of what reached the file system, read back.

use super::record::{FileId, MAGIC, PowerRecord, SyncCall};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    io::{self, ErrorKind::InvalidData},
    path::{Path, PathBuf},
};

/// The records of a program: all whole records in its file. A killed program may leave half of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PowerLog {
    records: Vec<PowerRecord>,
    /// The index of [`PowerRecord::Started`].
    started: usize,
    /// The name under which each file was first seen.
    names: BTreeMap<FileId, PathBuf>,
}

/// Sync calls that one place in a program makes, as far as the calls show. A mutant of the program is the same program without them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SyncClass {
    pub call: SyncCall,
    /// The first name of the file, or the name of the folder, with `#` for each number in it; `.` for the root.
    pub file: String,
}

impl fmt::Display for SyncClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.call, self.file)
    }
}

impl PowerLog {
    /// # Errors
    /// The file cannot be read, is not a log, or ends before the recording began.
    pub fn read(path: &Path) -> io::Result<Self> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("log {}: {error}", path.display()));
        fs::read(path).and_then(|bytes| Self::of_bytes(&bytes)).map_err(named)
    }

    fn of_bytes(bytes: &[u8]) -> io::Result<Self> {
        let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
            let expected = String::from_utf8_lossy(MAGIC);
            let message =
                format!("not a log of this version: expected a file that begins with `{}`", expected.trim_end());
            return Err(io::Error::new(InvalidData, message));
        };
        let mut records = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk() {
            let Some((record, after)) = after.split_at_checked(u32::from_le_bytes(*length) as usize) else { break };
            records.push(PowerRecord::decode(record).ok_or_else(|| {
                let at = bytes.len() - rest.len();
                io::Error::new(InvalidData, format!("no valid record begins at byte {at}: record the run again"))
            })?);
            rest = after;
        }
        let started = records.iter().position(|record| *record == PowerRecord::Started).ok_or_else(|| {
            io::Error::new(InvalidData, "it ends before the recording began: the program was killed too early")
        })?;
        Ok(Self::of(records, started))
    }

    /// Creates a log from all records; the record at `started` is [`PowerRecord::Started`].
    pub(super) fn of(records: Vec<PowerRecord>, started: usize) -> Self {
        let mut names = BTreeMap::new();
        for record in &records {
            if let PowerRecord::Created { file, name } = record {
                names.entry(*file).or_insert_with(|| name.clone());
            }
        }
        Self { records, started, names }
    }

    /// Returns the records of the initial content, up to [`PowerRecord::Started`], followed by the records of the calls.
    pub fn records(&self) -> &[PowerRecord] {
        &self.records
    }

    /// Returns the number of records of the initial content.
    pub(super) fn base(&self) -> usize {
        self.started + 1
    }

    /// Returns the first names of the files that could be written without a call. When each of their pages was written is unknown, because
    /// a page is logged by the next sync call or marker. For these files a run shows what it asked to be synced, not what happened.
    pub fn mapped(&self) -> BTreeSet<&Path> {
        self.mapped_files().iter().filter_map(|file| self.names.get(file)).map(PathBuf::as_path).collect()
    }

    pub(super) fn mapped_files(&self) -> BTreeSet<FileId> {
        let mapped = self.records.iter().filter_map(|record| match record {
            PowerRecord::Mapped { file } => Some(*file),
            _ => None,
        });
        mapped.collect()
    }

    /// Returns the class of a record that is a sync call.
    pub(super) fn class(&self, record: &PowerRecord) -> Option<SyncClass> {
        match record {
            PowerRecord::Sync { file, call, .. } => {
                let name = self.names.get(file).map_or(Path::new(""), PathBuf::as_path);
                Some(SyncClass { call: *call, file: folded(name) })
            }
            PowerRecord::SyncFolder { name } => Some(SyncClass { call: SyncCall::Folder, file: folded(name) }),
            _ => None,
        }
    }
}

/// Returns the classes of sync calls that a program made, with the number of calls in each.
pub fn sync_classes(log: &PowerLog) -> BTreeMap<SyncClass, u64> {
    let mut classes = BTreeMap::new();
    for class in log.records[log.started..].iter().filter_map(|record| log.class(record)) {
        *classes.entry(class).or_default() += 1;
    }
    classes
}

/// Returns a name with `#` for each number in it, so that the calls for `000012.log` and `000013.log` are one class.
fn folded(name: &Path) -> String {
    if name.as_os_str().is_empty() {
        return ".".to_owned();
    }
    let parts: Vec<String> = name.iter().map(|part| folded_part(&part.to_string_lossy())).collect();
    parts.join("/")
}

fn folded_part(part: &str) -> String {
    // The random names of the crate tempfile.
    if part.len() == TEMPORARY.len() + 6 && part.starts_with(TEMPORARY) {
        return format!("{TEMPORARY}#");
    }
    let mut folded = String::new();
    for letter in part.chars() {
        match letter {
            '0'..='9' if folded.ends_with('#') => {}
            '0'..='9' => folded.push('#'),
            other => folded.push(other),
        }
    }
    folded
}

const TEMPORARY: &str = ".tmp";

#[cfg(test)]
mod tests {
    use super::{super::record::Marker, *};

    fn every_record() -> Vec<PowerRecord> {
        let (file, name, to) = (FileId(7), PathBuf::from("database/data 12.mdb"), PathBuf::from("ä"));
        vec![
            PowerRecord::Folder { name: "database".into() },
            PowerRecord::Created { file, name: name.clone() },
            PowerRecord::Started,
            PowerRecord::Linked { file, name: name.clone() },
            PowerRecord::Removed { name: name.clone() },
            PowerRecord::Renamed { from: name.clone(), to: to.clone() },
            PowerRecord::Exchanged { one: name, other: to },
            PowerRecord::Write { file, offset: u64::MAX, bytes: vec![0, 255, 10] },
            PowerRecord::Resize { file, length: 1 << 40 },
            PowerRecord::Mapped { file },
            PowerRecord::Sync { file, call: SyncCall::Fdatasync, range: None },
            PowerRecord::Sync { file, call: SyncCall::Msync, range: Some(4096..8192) },
            PowerRecord::SyncFolder { name: PathBuf::new() },
            PowerRecord::Marker(Marker::Issued { ordinal: 3 }),
            PowerRecord::Marker(Marker::Acknowledged { commits: 3 }),
        ]
    }

    #[test]
    fn a_log_cut_off_anywhere_holds_the_whole_records_before() {
        let records = every_record();
        let mut bytes = MAGIC.to_vec();
        let mut ends = Vec::new();
        for record in &records {
            record.encode(&mut bytes);
            ends.push(bytes.len());
        }
        assert_eq!(PowerLog::of_bytes(&bytes).unwrap().records, records);
        for cut in 0..bytes.len() {
            let whole = ends.iter().filter(|end| **end <= cut).count();
            match PowerLog::of_bytes(&bytes[..cut]) {
                Ok(log) => assert_eq!(log.records, records[..whole], "cut at {cut}"),
                Err(error) => assert!(cut < ends[2], "cut at {cut}: {error}"),
            }
        }
        bytes[MAGIC.len() + 4] = 99;
        let error = PowerLog::of_bytes(&bytes).unwrap_err().to_string();
        assert_eq!(error, format!("no valid record begins at byte {}: record the run again", MAGIC.len()));
    }

    #[test]
    fn sync_calls_are_told_apart_by_the_call_and_the_first_name_of_the_file() {
        let mut records = every_record();
        records.push(PowerRecord::Sync { file: FileId(7), call: SyncCall::Fdatasync, range: None });
        let classes = sync_classes(&PowerLog::of(records, 2));
        let told: Vec<_> = classes.iter().map(|(class, calls)| (class.to_string(), *calls)).collect();
        let expected =
            [("fdatasync of database/data #.mdb", 2), ("msync of database/data #.mdb", 1), ("folder sync of .", 1)];
        assert_eq!(told, expected.map(|(class, calls)| (class.to_owned(), calls)));
    }
}
