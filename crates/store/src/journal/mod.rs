//! The journal: what is finished is appended here, a line a batch, and synced before anybody is told; the store takes it in when a
//! session pauses or ends, or when the next command opens it. So the store's file is written seldom, and nothing is lost with it.
//!
//! Each process has a file of its own, `UUID.jsonl`, which it holds locked as long as it lives: a session whose file is not locked
//! any more has nobody who runs it. How far a file was taken in is kept in the store itself (table `journal`), in the same
//! transaction as what was taken: an older line never comes after a newer one, and none comes twice.

mod line;
mod merge;
mod waiting;
mod writer;

pub use merge::Settled;
pub(super) use merge::{abandoned, positions};
pub use waiting::Waiting;
pub use writer::Ownership;
pub(super) use writer::SharedWriter;

use super::{Store, beside};
use dbdyno_foundation::base::input;
use std::{
    fs::{self, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// What journals are called after their identifier.
const ENDING: &str = "jsonl";
/// Where lines are kept that cannot be read.
const REFUSED: &str = "refused.txt";

impl Store {
    pub fn journal_folder(&self) -> PathBuf {
        self.journal.clone().unwrap_or_else(|| beside(self.path(), "journal"))
    }

    /// The same store with its journals in a folder of their own below this one, on another disk perhaps.
    #[must_use]
    pub fn with_journal_below(mut self, folder: &Path) -> Self {
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Two stores of one name must not share their journals.
        let id = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, path.as_os_str().as_encoded_bytes());
        self.journal = Some(folder.join(format!("{name}-{}", &id.simple().to_string()[..12])));
        self.writer = SharedWriter::new(self.journal_folder());
        self
    }

    /// Whether a journal may hold what the store does not.
    pub fn has_journals(&self) -> bool {
        !found(&self.journal_folder()).unwrap_or_default().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct JournalFile {
    /// Its identifier, as the store knows it.
    id: String,
    path: PathBuf,
}

/// The journals in a folder, in the order of their identifiers, which is that of their beginnings.
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

/// The identifier in the name of a journal; none of a file that is called otherwise.
fn identifier_of(path: &Path) -> Option<uuid::Uuid> {
    let stem = path.file_stem()?.to_str()?;
    uuid::Uuid::try_parse(stem).ok().filter(|_| path.extension().is_some_and(|ending| ending == ENDING))
}

/// Whether the process that writes a journal lives: it holds the file locked. The path may come from another's store, so nothing is opened
/// that is called otherwise, as this store's own file is, and nothing that would be waited for.
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
