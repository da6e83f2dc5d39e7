//! The journal. Finished work is appended here, one line for each batch, and synced before it is acknowledged. The store imports it when
//! a session pauses or ends, or when the next command opens the store. So the store's file is written seldom, and a failed write to it
//! loses nothing.
//!
//! Each process has a file of its own, `UUID.jsonl`, which it keeps locked while it lives: a session whose file is no longer locked has
//! no running process. The store itself records how far each file was imported (table `journal`), in the same transaction as the imported
//! rows. So an older line never replaces a newer one, and no line is imported twice.

mod line;
mod merge;
mod unimported;
mod writer;

pub use merge::Settled;
pub(super) use merge::{abandoned, positions};
pub use unimported::UnimportedJournals;
pub use writer::Ownership;
pub(super) use writer::SharedWriter;

use super::{Store, beside};
use dbdyno_foundation::base::input;
use std::{
    fs::{self, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// The ending of journals' names, after their identifier.
const ENDING: &str = "jsonl";
/// The file for lines that cannot be read.
const REFUSED: &str = "refused.txt";

impl Store {
    pub fn journal_folder(&self) -> PathBuf {
        self.journal.clone().unwrap_or_else(|| beside(self.path(), "journal"))
    }

    /// Returns the same store with its journals in their own subfolder of `folder`, which may be on another disk.
    #[must_use]
    pub fn with_journal_below(mut self, folder: &Path) -> Self {
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Two stores of the same name must not share their journals.
        let id = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, path.as_os_str().as_encoded_bytes());
        self.journal = Some(folder.join(format!("{name}-{}", &id.simple().to_string()[..12])));
        self.writer = SharedWriter::new(self.journal_folder());
        self
    }

    /// Whether a journal may hold data that the store does not have.
    pub fn has_journals(&self) -> bool {
        !found(&self.journal_folder()).unwrap_or_default().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct JournalFile {
    /// Its identifier in the store.
    id: String,
    path: PathBuf,
}

/// Returns the journals in a folder in the order of their identifiers, which is also the order of creation.
fn found(folder: &Path) -> io::Result<Vec<JournalFile>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut all = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if let Some(id) = identifier_of(&path).filter(|_| entry.file_type().is_ok_and(|kind| kind.is_file())) {
            all.push(JournalFile { id: id.to_string(), path });
        }
    }
    all.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(all)
}

/// Parses the identifier in the name of a journal; `None` for a file with another name.
fn identifier_of(path: &Path) -> Option<uuid::Uuid> {
    let stem = path.file_stem()?.to_str()?;
    uuid::Uuid::try_parse(stem).ok().filter(|_| path.extension().is_some_and(|ending| ending == ENDING))
}

/// Whether the process that writes a journal lives: it holds the file locked. The path may come from an untrusted store. So this opens no
/// file with a name of another form, such as this store's own file, and no file on which an open could block.
fn has_owner(path: &Path) -> bool {
    identifier_of(path).is_some()
        && input::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn an_owner_is_who_holds_a_journal_and_nothing_else_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let id = uuid::Uuid::nil();
        let (journal, pipe) = (at(&format!("{id}.jsonl")), at(&format!("{}.jsonl", uuid::Uuid::max())));
        let held = fs::File::create(&journal).unwrap();
        assert!(!has_owner(&journal));
        held.lock().unwrap();
        assert!(has_owner(&journal));
        fs::hard_link(&journal, at("results.duckdb")).unwrap();
        assert!(!has_owner(&at("results.duckdb")), "it is called otherwise");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert!(!has_owner(&pipe), "nobody is waited for");
    }
}
