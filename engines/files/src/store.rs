//! Rows in files: their places, and how a commit changes them.
//!
//! `rows` has the files, or folders with the files. `new` has the numbered files that wait to be renamed. `journal` has the changes of a
//! commit in progress. If `journal` exists when the store is opened, its changes are applied again.

use crate::{
    COMMIT, FOLDERS, SYNC,
    folder::{Buffer, Folder, Sync},
    journal::{self, FileChange},
    name,
};
use dbdyno_engine::{EngineError, engine::Open, settings::Settings};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

pub(crate) const ROWS: &str = "rows";
const NEW: &str = "new";
const JOURNAL: &str = "journal";
const JOURNAL_TO_BE: &str = "journal.new";

/// The writes of a transaction: values by key, `None` for a removed key.
pub(crate) type TransactionWrites = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// How a commit changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommitMethod {
    Overwrite,
    Rename,
    Journal,
}

#[derive(Debug)]
pub(crate) struct FileStore {
    root: Folder,
    new: Folder,
    rows: Vec<Folder>,
    commit: CommitMethod,
    sync: Sync,
    /// The number of the next new file. Numbers are never reused: a journal that reappears after a power loss must not find the files of
    /// another commit.
    number: AtomicU64,
}

impl FileStore {
    /// Opens the store in a folder, and finishes a commit that a crash has interrupted.
    pub(crate) fn open(open: Open<'_>) -> Result<Self, EngineError> {
        let commit = match open.settings.text(COMMIT)? {
            "journal" => CommitMethod::Journal,
            "rename" => CommitMethod::Rename,
            _ => CommitMethod::Overwrite,
        };
        let sync = match open.settings.text(SYNC)? {
            "full" => Sync::Full,
            "data" => Sync::Data,
            _ => Sync::Off,
        };
        let made = Self::make(open.folder, folders(open.settings)?, commit, sync);
        let store = made.map_err(EngineError::doing("opening the folders"))?;
        let lost = |error| EngineError::fatal(format!("finishing an interrupted commit: {error}"));
        store.recover().map_err(lost)?;
        Ok(store)
    }

    fn make(folder: &Path, folders: usize, commit: CommitMethod, sync: Sync) -> io::Result<Self> {
        let root = Folder::make(folder.to_owned())?;
        let rows = Folder::make(folder.join(ROWS))?;
        let new = Folder::make(folder.join(NEW))?;
        let part = |number: usize| Folder::make(rows.path().join(format!("{number:04x}")));
        let parts = if folders > 1 { (0..folders).map(part).collect::<io::Result<_>>()? } else { Vec::new() };
        if sync == Sync::Full {
            rows.sync()?;
            root.sync()?;
        }
        let rows = if parts.is_empty() { vec![rows] } else { parts };
        Ok(Self { root, new, rows, commit, sync, number: AtomicU64::new(0) })
    }

    /// Returns the number of folders that the files are spread over.
    pub(crate) fn folders(&self) -> usize {
        self.rows.len()
    }

    fn place(&self, key: &[u8]) -> usize {
        match self.rows.len() {
            1 => 0,
            folders => crc32c::crc32c(key) as usize % folders,
        }
    }

    /// Reads the value of a key. Returns whether the key exists.
    #[inline]
    pub(crate) fn read(&self, key: &[u8], into: &mut Buffer) -> Result<bool, EngineError> {
        self.rows[self.place(key)].read(&name::of(key)?, into).map_err(EngineError::doing("reading a file"))
    }

    pub(crate) fn contains(&self, key: &[u8]) -> Result<bool, EngineError> {
        self.rows[self.place(key)].contains(&name::of(key)?).map_err(EngineError::doing("looking for a file"))
    }

    /// Returns all keys in byte order, independent of the folders of their files.
    pub(crate) fn keys(&self) -> Result<BTreeSet<Vec<u8>>, EngineError> {
        let mut keys = BTreeSet::new();
        for (place, folder) in self.rows.iter().enumerate() {
            for name in folder.names().map_err(EngineError::doing("listing files"))? {
                let key = name::key(&name).filter(|key| self.place(key) == place);
                let foreign =
                    || EngineError::fatal(format!("{}: not the file of a key", folder.path().join(&name).display()));
                keys.insert(key.ok_or_else(foreign)?);
            }
        }
        Ok(keys)
    }

    /// Checks that the store contains nothing but rows.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        self.keys()?;
        let waiting = self.new.names().map_err(EngineError::doing("listing new files"))?;
        match waiting.first() {
            None => Ok(()),
            Some(name) => Err(EngineError::fatal(format!("{NEW}/{name} belongs to no commit"))),
        }
    }

    /// Applies the writes of a transaction to the files.
    pub(crate) fn commit(&self, writes: &TransactionWrites) -> Result<(), EngineError> {
        if writes.is_empty() {
            return Ok(());
        }
        // After a partial commit the state is unknown.
        let lost = |error| EngineError::fatal(format!("committing: {error}"));
        match self.commit {
            CommitMethod::Overwrite => self.overwrite(writes),
            CommitMethod::Rename | CommitMethod::Journal => self.rename(writes),
        }
        .map_err(lost)
    }

    fn overwrite(&self, writes: &TransactionWrites) -> io::Result<()> {
        let mut touched = BTreeSet::new();
        for (key, value) in writes {
            let (place, name) = (self.place(key), name::of(key).map_err(io::Error::other)?);
            match value {
                Some(value) => self.rows[place].write(&name, value, self.sync)?,
                None => self.rows[place].remove(&name).map(|_| ())?,
            }
            touched.insert(place);
        }
        self.sync_names(touched.into_iter().map(|place| &self.rows[place]))
    }

    fn rename(&self, writes: &TransactionWrites) -> io::Result<()> {
        let changes = writes.iter().map(|write| self.prepare(write)).collect::<io::Result<Vec<_>>>()?;
        // A single file is replaced as a whole even without a list.
        let is_listed = self.commit == CommitMethod::Journal && changes.len() > 1;
        if is_listed {
            self.sync_names([&self.new])?;
            self.root.write(JOURNAL_TO_BE, &journal::to_bytes(&changes), self.sync)?;
            self.root.rename(JOURNAL_TO_BE, (&self.root, JOURNAL))?;
            self.sync_names([&self.root])?;
        }
        self.make_changes(&changes)?;
        if is_listed { self.end_journal() } else { Ok(()) }
    }

    /// Writes a new file, which waits to be renamed.
    fn prepare(&self, (key, value): (&Vec<u8>, &Option<Vec<u8>>)) -> io::Result<FileChange> {
        let (folder, name) = (self.place(key), name::of(key).map_err(io::Error::other)?);
        let Some(value) = value else { return Ok(FileChange { new: None, folder, name }) };
        let number = self.number.fetch_add(1, Relaxed);
        self.new.write(&number.to_string(), value, self.sync)?;
        Ok(FileChange { new: Some(number), folder, name })
    }

    /// Applies changes, skipping those already applied.
    fn make_changes(&self, changes: &[FileChange]) -> io::Result<()> {
        for FileChange { new, folder, name } in changes {
            let rows =
                self.rows.get(*folder).ok_or_else(|| io::Error::other(format!("there is no folder {folder}")))?;
            match new {
                Some(number) => self.new.rename(&number.to_string(), (rows, name))?,
                None => rows.remove(name)?,
            };
        }
        let touched: BTreeSet<usize> = changes.iter().map(|change| change.folder).collect();
        self.sync_names(touched.into_iter().map(|place| &self.rows[place]))
    }

    /// Removes the list. A list that reappears after a power loss would remove what a later commit has written.
    fn end_journal(&self) -> io::Result<()> {
        self.root.remove(JOURNAL)?;
        self.sync_names([&self.root])
    }

    fn sync_names<'f>(&self, folders: impl IntoIterator<Item = &'f Folder>) -> io::Result<()> {
        if self.sync == Sync::Full { folders.into_iter().try_for_each(Folder::sync) } else { Ok(()) }
    }

    /// Finishes the commit whose list exists, and removes files that belong to no commit.
    fn recover(&self) -> io::Result<()> {
        let mut buffer = Buffer::default();
        if self.root.read(JOURNAL, &mut buffer)? {
            let changes = journal::from_bytes(buffer.bytes());
            self.make_changes(&changes.ok_or_else(|| io::Error::other("its list of files is incomplete"))?)?;
            self.end_journal()?;
        }
        self.root.remove(JOURNAL_TO_BE)?;
        self.new.names()?.iter().try_for_each(|name| self.new.remove(name).map(|_| ()))
    }
}

fn folders(settings: &Settings) -> Result<usize, EngineError> {
    let folders = settings.integer(FOLDERS)?;
    usize::try_from(folders).map_err(|_| EngineError::new(format!("{FOLDERS}={folders}: expected 1 or more")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path, asked: &[(&str, &str)]) -> FileStore {
        let asked = asked.iter().map(|(option, value)| ((*option).to_owned(), (*value).to_owned())).collect();
        let settings = Settings::resolve(&crate::describe(), &asked).unwrap();
        FileStore::open(Open { folder, settings: &settings, schema: &[], data_bytes: 0 }).unwrap()
    }

    fn writes(rows: &[(&str, Option<&str>)]) -> TransactionWrites {
        rows.iter()
            .map(|(key, value)| (key.as_bytes().to_vec(), value.map(|value| value.as_bytes().to_vec())))
            .collect()
    }

    /// Returns the rows as text, after checking that the store contains nothing else.
    fn content(store: &FileStore) -> String {
        store.check().unwrap();
        let mut buffer = Buffer::default();
        let mut row = |key: &Vec<u8>| {
            assert!(store.read(key, &mut buffer).unwrap());
            format!("{}={} ", String::from_utf8_lossy(key), String::from_utf8_lossy(buffer.bytes()))
        };
        store.keys().unwrap().iter().map(&mut row).collect()
    }

    #[test]
    fn a_commit_that_is_cut_off_anywhere_is_there_as_a_whole_or_not_at_all() {
        let options = [(COMMIT, "journal"), (SYNC, "full"), (FOLDERS, "3")];
        let (before, after) = ("a=1 b=1 c=1 ", "a=2 c=1 d=2 ");
        // 0 to 5: files written, list written, list renamed, then one change after the other.
        for reached in 0..=5 {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), &options);
            store.commit(&writes(&[("a", Some("1")), ("b", Some("1")), ("c", Some("1"))])).unwrap();
            let cut = writes(&[("a", Some("2")), ("b", None), ("d", Some("2"))]);
            let changes: Vec<FileChange> = cut.iter().map(|write| store.prepare(write).unwrap()).collect();
            if reached > 0 {
                store.root.write(JOURNAL_TO_BE, &journal::to_bytes(&changes), Sync::Off).unwrap();
            }
            if reached > 1 {
                store.root.rename(JOURNAL_TO_BE, (&store.root, JOURNAL)).unwrap();
                store.make_changes(&changes[..reached - 2]).unwrap();
            }
            drop(store);
            assert_eq!(content(&open(folder.path(), &options)), if reached > 1 { after } else { before }, "{reached}");
            assert_eq!(content(&open(folder.path(), &options)), if reached > 1 { after } else { before }, "and again");
        }
    }

    #[test]
    fn every_way_to_commit_leaves_the_same_rows() {
        for commit in ["overwrite", "rename", "journal"] {
            for (sync, folders) in [("off", "1"), ("data", "2"), ("full", "300")] {
                let folder = tempfile::tempdir().unwrap();
                let options = [(COMMIT, commit), (SYNC, sync), (FOLDERS, folders)];
                let store = open(folder.path(), &options);
                let long = "long ".repeat(10_000);
                store.commit(&writes(&[("a", Some(&long)), ("", Some("empty")), ("b", Some("1"))])).unwrap();
                store.commit(&writes(&[("a", Some("shorter")), ("c/..", Some("")), ("b", None)])).unwrap();
                store.commit(&writes(&[("b", None)])).unwrap();
                assert_eq!(content(&store), "=empty a=shorter c/..= ", "{options:?}");
                drop(store);
                assert_eq!(content(&open(folder.path(), &options)), "=empty a=shorter c/..= ", "{options:?}");
            }
        }
    }

    #[test]
    fn a_list_that_is_not_whole_and_a_file_of_somebody_else_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), &[]);
        store.commit(&writes(&[("a", Some("1"))])).unwrap();
        std::fs::write(folder.path().join(ROWS).join("note.txt"), "hello").unwrap();
        assert!(store.check().unwrap_err().to_string().contains("note.txt"));
        drop(store);
        std::fs::write(folder.path().join(JOURNAL), "00000000\n1 0 a\n").unwrap();
        let settings = Settings::resolve(&crate::describe(), &BTreeMap::new()).unwrap();
        let opened = FileStore::open(Open { folder: folder.path(), settings: &settings, schema: &[], data_bytes: 0 });
        assert!(opened.unwrap_err().to_string().contains("incomplete"));
    }
}
