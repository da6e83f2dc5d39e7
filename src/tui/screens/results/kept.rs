//! Copies of deleted runs, kept for undo until the program ends.

use super::ChosenRuns;
use dbdyno_foundation::base::{scratch::Scratch, units::counted};
use dbdyno_store::{Selection, Store};

/// Deleted runs with all their data.
#[derive(Debug)]
pub struct KeptRuns {
    /// Description of the runs, for the user.
    pub(super) words: String,
    copy: Store,
    _folder: Scratch,
}

/// Deletes runs after copying them. Returns a summary and the copy.
pub(super) fn delete(store: &Store, target: &ChosenRuns) -> Result<(String, KeptRuns), String> {
    let selection = &target.filter.selection;
    let unkept = |error: String| {
        format!(
            "nothing is deleted, because no copy for U can be made: {error}; `dbdyno delete` deletes without a copy"
        )
    };
    let folder = Scratch::temporary().map_err(|error| unkept(error.to_string()))?;
    let copy = Store::new(folder.path().join("deleted.duckdb"));
    store.copy_to_store(selection, &copy).map_err(|error| unkept(error.to_string()))?;
    let deleted = store.delete(selection).map_err(|error| error.to_string())?;
    let sessions = match deleted.sessions {
        0 => String::new(),
        sessions => format!(" and {} without any runs left", counted(sessions, "session")),
    };
    let words = format!("deleted {}{sessions}: U undoes the deletion", counted(deleted.runs, "run"));
    Ok((words, KeptRuns { words: target.words.clone(), copy, _folder: folder }))
}

/// Restores deleted runs.
pub(super) fn restore(store: &Store, kept: &KeptRuns) -> Result<String, String> {
    let merged = kept.copy.copy_to_store(&Selection::default(), store).map_err(|error| error.to_string())?;
    Ok(format!("{}: {} restored", kept.words, counted(merged.runs.new, "run")))
}
