//! Copies of runs in another store, or in a folder of Parquet files that other engines can read and `import` can import.

use super::{
    Selection, Store, StoreError,
    connect::Reach,
    error::Doing,
    import::{Merged, merge_chosen},
    manifest, schema,
    tables::{RowOwner, StoreTable, TABLES},
};
use dbdyno_foundation::base::{
    leftovers::{self, COPY, LeftoverFolder},
    output::Guarded,
    scratch::Scratch,
};
use duckdb::{Connection, params_from_iter};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Errors of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder is not empty.
    #[error("{} already exists: choose a new or empty folder", folder.display())]
    NotEmpty { folder: PathBuf },
    /// The target is the store itself, or has a name that belongs to it.
    #[error("{} is the store itself, or belongs to it: give another name", path.display())]
    Same { path: PathBuf },
    /// The folder cannot be written.
    #[error("{} cannot be written: {message}", folder.display())]
    Unwritable { folder: PathBuf, message: String },
    /// One of the stores cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The number of copied rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    pub runs: u64,
    /// Rows of the view `results`.
    pub results: u64,
}

impl Store {
    /// Copies a selection's runs, with everything that belongs to them, to another store, which is created if missing.
    ///
    /// # Errors
    /// One of the two stores cannot be used, or both are the same file.
    pub fn copy_to_store(&self, selection: &Selection, target: &Self) -> Result<Merged, ExportError> {
        if self.guarded().covers(target.path()) {
            return Err(ExportError::Same { path: target.path().to_owned() });
        }
        // All runs means all rows, including sessions without a run.
        let runs = if selection.is_all() { None } else { Some(self.chosen_runs(selection)?) };
        target.prepare()?;
        Ok(merge_chosen(target, self, runs.as_deref())?)
    }

    /// Writes a selection's runs to a new folder: `TABLE/host_id=.../suite=.../*.parquet` for each table and for the view `results`. The
    /// folder appears when it is complete. `command`: the command that started the copy, for the folder's manifest.
    ///
    /// # Errors
    /// A folder that is not empty or cannot be written, or a store that cannot be read.
    pub fn copy_to_parquet(
        &self,
        selection: &Selection,
        folder: &Path,
        command: &str,
    ) -> Result<Exported, ExportError> {
        let unwritable =
            |error: std::io::Error| ExportError::Unwritable { folder: folder.to_owned(), message: error.to_string() };
        if self.guarded().covers(folder) {
            return Err(ExportError::Same { path: folder.to_owned() });
        }
        if folder.exists() && !is_empty_folder(folder) {
            return Err(ExportError::NotEmpty { folder: folder.to_owned() });
        }
        let absolute = std::path::absolute(folder).map_err(unwritable)?;
        let parent = absolute.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(unwritable)?;
        // Remove what a killed copy left here.
        leftovers::sweep(parent, LeftoverFolder::Target);
        let scratch = Scratch::create(parent, &COPY).map_err(unwritable)?;
        let partial = scratch.path().join("copy");
        fs::create_dir(&partial).map_err(unwritable)?;
        let exported = self.write_parquet(selection, &partial)?;
        manifest::write(&partial, command).map_err(unwritable)?;
        fs::rename(&partial, &absolute).map_err(unwritable)?;
        Ok(exported)
    }

    fn write_parquet(&self, selection: &Selection, folder: &Path) -> Result<Exported, StoreError> {
        let (condition, parameters) = selection.condition();
        self.reading_reaching(&Reach::Folder(folder.to_owned()), |connection| {
            let write = || -> duckdb::Result<Exported> {
                schema::make_views(connection, |name| name == "run_tests" || name == "results")?;
                // All runs means all rows, including sessions without a run.
                let chosen = if selection.is_all() { None } else { Some("chosen") };
                if chosen.is_some() {
                    connection.execute(
                        &format!("CREATE TEMP TABLE chosen AS SELECT DISTINCT run_id FROM run_tests WHERE {condition}"),
                        params_from_iter(&parameters),
                    )?;
                }
                let mut runs = 0;
                for table in &TABLES {
                    let is_chosen = chosen.map_or("true".to_owned(), |_| table.owner.is_chosen("run", "session"));
                    let count =
                        copy(connection, &partitioned(table, &is_chosen), table.owner, &folder.join(table.name))?;
                    runs = if table.name == "run" { count } else { runs };
                }
                let is_chosen = chosen.map_or("true".to_owned(), |_| RowOwner::Run.is_chosen("run", "session"));
                let rows = format!("SELECT * FROM results WHERE {is_chosen}");
                let results = copy(connection, &rows, RowOwner::Run, &folder.join("results"))?;
                Ok(Exported { runs, results })
            };
            write().doing(self.path())
        })
    }
}

/// Returns SQL for a table's rows with the columns that name the folders.
fn partitioned(table: &StoreTable, is_chosen: &str) -> String {
    let rows = format!("(SELECT * FROM {} WHERE {is_chosen})", table.name);
    match (table.name, table.owner) {
        (_, RowOwner::Host) | ("session", _) => format!("SELECT * FROM {rows}"),
        ("run", _) => format!("SELECT t.*, s.host_id FROM {rows} t LEFT JOIN session s USING (session_id)"),
        (_, RowOwner::Run) => format!(
            "SELECT t.*, s.host_id, s.suite FROM {rows} t LEFT JOIN run r ON r.run_id = t.run_id \
             LEFT JOIN session s ON s.session_id = r.session_id"
        ),
        (_, RowOwner::Session | RowOwner::SessionOrRun) => {
            format!("SELECT t.*, s.host_id, s.suite FROM {rows} t LEFT JOIN session s ON s.session_id = t.session_id")
        }
    }
}

fn copy(connection: &Connection, rows: &str, owner: RowOwner, folder: &Path) -> duckdb::Result<u64> {
    let folders = if owner == RowOwner::Host { "host_id" } else { "host_id, suite" };
    // The columns stay in the files too, so that no reader must parse them from a folder's name.
    let sql = format!(
        "COPY ({rows}) TO ? (FORMAT parquet, COMPRESSION zstd, PARTITION_BY ({folders}), WRITE_PARTITION_COLUMNS true)"
    );
    connection.execute(&sql, [folder.to_string_lossy()]).map(|count| count as u64)
}

fn is_empty_folder(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Whether two paths refer to the same file.
pub(super) fn same_file(one: &Path, other: &Path) -> bool {
    Guarded::file(one, "").covers(other)
}
