//! Files that killed programs left next to a store.

use super::{OpenMode, Store, beside, file, lock::StoreLock};
use dbdyno_foundation::base::leftovers::{self, LeftoverFolder, NEW_STORE, NEW_UNDO, SPILL, is_own_file};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The beginning of the names of DuckDB's files in the folder of [`SPILL`].
const SPILLED: &str = "duckdb_temp_";

impl Store {
    /// Removes files that killed programs left next to the store and its journals, unless a living process uses them. Returns the number
    /// of files.
    pub fn sweep(&self) -> usize {
        let folder = self.path().parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let swept = leftovers::sweep(folder, LeftoverFolder::Target)
            + leftovers::sweep(&self.journal_folder(), LeftoverFolder::Journals);
        swept + self.sweep_own()
    }

    /// Removes files that only a process with the store's write lock uses.
    fn sweep_own(&self) -> usize {
        let new = file::family(&beside(self.path(), NEW_STORE.ending()));
        let files: Vec<PathBuf> = new.into_iter().chain([beside(self.path(), NEW_UNDO.ending())]).collect();
        let spill = beside(self.path(), SPILL.ending());
        if !spill.is_dir() && !files.iter().any(|path| is_own_file(path)) {
            return 0;
        }
        let Ok(_lock) = StoreLock::take(self.path(), OpenMode::Write, |_| false) else { return 0 };
        let removed = files.iter().filter(|path| is_own_file(path) && fs::remove_file(path).is_ok()).count();
        removed + usize::from(spill.is_dir() && self.sweep_spilled(&spill))
    }

    /// Removes DuckDB's spill files, unless another program has the store open. Returns whether all of them are gone.
    fn sweep_spilled(&self, spill: &Path) -> bool {
        let is_folder = fs::symlink_metadata(spill).is_ok_and(|facts| facts.is_dir());
        if !is_folder || self.exists() && file::locked(self.path()).is_err() {
            return false;
        }
        for entry in fs::read_dir(spill).into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(SPILLED.as_bytes()) && is_own_file(&entry.path()) {
                // If this fails, the folder stays.
                let _ = fs::remove_file(entry.path());
            }
        }
        fs::remove_dir(spill).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::fs::symlink, time::Duration};

    #[test]
    fn what_a_killed_write_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("results.duckdb")).with_patience(Duration::ZERO);
        store.prepare().unwrap();
        assert_eq!(store.sweep(), 0);
        let at = |ending: &str| beside(store.path(), ending);
        let leave = || {
            ["new", "new.wal", "undo.new"].iter().for_each(|ending| fs::write(at(ending), "left").unwrap());
            fs::create_dir_all(at("tmp")).unwrap();
            fs::write(at("tmp").join("duckdb_temp_storage_DEFAULT-0.tmp"), "left").unwrap();
        };
        leave();
        let held = store.lock(OpenMode::Write).unwrap();
        assert_eq!(store.sweep(), 0, "another write is under way");
        drop(held);
        assert_eq!(store.sweep(), 4);
        assert!(store.exists() && !at("tmp").exists() && !at("new").exists());
        leave();
        fs::write(at("tmp").join("mine"), "").unwrap();
        fs::remove_file(at("new")).unwrap();
        symlink(at("lock"), at("new")).unwrap();
        assert_eq!(store.sweep(), 2);
        assert!(at("tmp").join("mine").exists() && at("new").is_symlink() && at("lock").exists());
    }
}
