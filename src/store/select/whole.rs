//! Whole results for files: every column of the view, and the command that asked.

use super::{
    super::{Reach, Store, StoreError, error::Doing},
    Selection, TextRows,
};
use duckdb::params_from_iter;
use std::path::Path;

/// All columns with their own types.
const TYPED: &str = "*";
/// All columns as text that a listing is read back from: maps and lists as JSON.
const TEXT: &str = "* REPLACE (to_json(options) AS options, to_json(keys) AS keys, to_json(tags) AS tags)";

/// The query and its parameters; `exported_by` is the command.
fn query(columns: &str, selection: &Selection, command: &str) -> (String, Vec<String>) {
    let (condition, of_condition) = selection.condition();
    let sql = format!(
        "SELECT {columns}, CAST(? AS VARCHAR) AS exported_by FROM results WHERE {condition} ORDER BY started_at, run_id, test"
    );
    (sql, std::iter::once(command.to_owned()).chain(of_condition).collect())
}

impl Store {
    /// Every column of the results of a selection, in the order they were run.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn whole(&self, selection: &Selection, command: &str) -> Result<TextRows, StoreError> {
        let (sql, parameters) = query(TEXT, selection, command);
        self.bound(&sql, &parameters)
    }

    /// The same as Parquet, with the columns' own types. The file must be one of ours: it is replaced.
    ///
    /// # Errors
    /// A store that cannot be read, or a file that cannot be written.
    pub fn write_results_parquet(&self, selection: &Selection, command: &str, file: &Path) -> Result<(), StoreError> {
        let (sql, parameters) = query(TYPED, selection, command);
        self.reading_reaching(&Reach::Files(vec![file.to_owned()]), |connection| {
            let copy = || -> duckdb::Result<()> {
                connection.execute(&format!("CREATE TEMP TABLE exported AS {sql}"), params_from_iter(parameters))?;
                connection.execute("SET VARIABLE file = ?", [file.to_string_lossy()])?;
                // The file is a temporary one already.
                connection.execute_batch(
                    "COPY exported TO (getvariable('file')) (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)",
                )
            };
            copy().doing(self.path())
        })
    }
}
