//! Users' annotations of stored runs, and the deletion of runs.

use super::{
    Selection, Store, StoreError,
    error::Doing,
    hosts::name_host,
    read::Narrow,
    schema,
    tables::{RowOwner, TABLES},
};
use duckdb::{Connection, Transaction, params, params_from_iter};
use serde::Deserialize;

/// A change to the annotations of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    /// Adds this tag.
    Tag(String),
    /// Removes this tag.
    Untag(String),
    /// Adds a note.
    Note(String),
    /// Sets a key to a value, in place of the previous value.
    SetKey { key: String, value: String },
    /// Names the machine on which the runs' sessions ran.
    NameHost(String),
    /// Removes a key with its value.
    RemoveKey(String),
}

/// The number of runs and sessions that a deletion removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Runs, with everything that belongs to them.
    pub runs: u64,
    /// Sessions that had no other runs.
    pub sessions: u64,
}

/// The data that belongs to runs and would be deleted with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Extent {
    pub runs: u64,
    pub results: u64,
    /// Tags that users gave them.
    pub tags: u64,
    /// Notes that users wrote about them.
    pub notes: u64,
    /// Sessions that would have no runs left.
    pub sessions: u64,
    /// Selected runs that have not ended.
    pub unfinished: u64,
    /// Sessions of these runs that a process is running now.
    pub running: u64,
}

impl Store {
    /// Returns what a deletion of a selection's runs would remove.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn extent(&self, selection: &Selection) -> Result<Extent, StoreError> {
        let rows = Narrow::selected(selection, std::iter::empty());
        let sql = format!(
            "WITH chosen AS MATERIALIZED (SELECT DISTINCT run_id FROM ({}))
             SELECT (SELECT count(*) FROM chosen) AS runs,
                    (SELECT count(*) FROM result WHERE run_id IN (FROM chosen)) AS results,
                    (SELECT count(*) FROM tag WHERE run_id IN (FROM chosen)) AS tags,
                    (SELECT count(*) FROM note WHERE run_id IN (FROM chosen)) AS notes,
                    (SELECT count(*) FROM session WHERE status <> 'running' AND session_id IN (
                        SELECT session_id FROM run GROUP BY session_id HAVING bool_and(run_id IN (FROM chosen)))) AS sessions,
                    (SELECT count(*) FROM run WHERE status = 'running' AND run_id IN (FROM chosen)) AS unfinished,
                    (SELECT count(*) FROM session WHERE status = 'running' AND session_id IN (
                        SELECT session_id FROM run WHERE run_id IN (FROM chosen))) AS running",
            rows.sql
        );
        Ok(self.rows_bound(&sql, &rows.parameters)?.pop().unwrap_or_default())
    }

    /// Counts the runs of a selection: runs that it selects, or that have a result that it selects.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn count_runs(&self, selection: &Selection) -> Result<u64, StoreError> {
        Ok(self.chosen_runs(selection)?.len() as u64)
    }

    /// Returns the identifiers of a selection's runs, oldest first.
    pub(super) fn chosen_runs(&self, selection: &Selection) -> Result<Vec<String>, StoreError> {
        let rows = Narrow::selected(selection, std::iter::empty());
        let sql =
            format!("SELECT run_id FROM ({}) GROUP BY run_id ORDER BY min(started_at) NULLS LAST, run_id", rows.sql);
        Ok(self.rows_bound::<(String,)>(&sql, &rows.parameters)?.into_iter().map(|(run,)| run).collect())
    }

    /// Applies these annotations to a selection's runs, all or nothing, and returns the number of runs.
    ///
    /// # Errors
    /// A store that cannot be opened or written.
    pub fn annotate(&self, selection: &Selection, annotations: &[Annotation]) -> Result<u64, StoreError> {
        self.with_chosen(selection, |transaction| {
            let chosen = transaction.query_row("SELECT count(*)::UBIGINT FROM chosen", [], |row| row.get(0))?;
            annotations.iter().try_for_each(|annotation| say(transaction, annotation))?;
            Ok(chosen)
        })
    }

    /// Deletes a selection's runs with everything that belongs to them, and the sessions and hosts that have no runs left. A session that
    /// has not ended stays, because it may be running.
    ///
    /// # Errors
    /// A store that cannot be opened or written.
    pub fn delete(&self, selection: &Selection) -> Result<Deleted, StoreError> {
        self.with_chosen(selection, |transaction| {
            let mut deleted = Deleted::default();
            transaction.execute_batch(
                "CREATE TEMP TABLE emptied AS
                 SELECT session_id FROM run GROUP BY session_id HAVING bool_and(run_id IN (FROM chosen))",
            )?;
            for table in TABLES.iter().rev().filter(|table| table.owner != RowOwner::Host) {
                let name = table.name;
                if table.owner != RowOwner::Session {
                    let count =
                        transaction.execute(&format!("DELETE FROM {name} WHERE run_id IN (FROM chosen)"), [])?;
                    deleted.runs += if name == "run" { count as u64 } else { 0 };
                }
                if table.owner != RowOwner::Run {
                    let ended =
                        "SELECT session_id FROM session WHERE status <> 'running' AND session_id IN (FROM emptied)";
                    let count =
                        transaction.execute(&format!("DELETE FROM {name} WHERE session_id IN ({ended})"), [])?;
                    deleted.sessions += if name == "session" { count as u64 } else { 0 };
                }
            }
            transaction.execute_batch("DELETE FROM host WHERE host_id NOT IN (SELECT host_id FROM session)")?;
            Ok(deleted)
        })
    }

    /// Runs an action in one transaction, with the selection's runs in the temporary table `chosen`.
    fn with_chosen<T>(
        &self,
        selection: &Selection,
        action: impl FnOnce(&Transaction<'_>) -> duckdb::Result<T>,
    ) -> Result<T, StoreError> {
        let (condition, parameters) = selection.condition();
        let act = |connection: &mut Connection| -> duckdb::Result<T> {
            schema::make_views(connection, |name| name == "run_tests")?;
            let transaction = connection.transaction()?;
            transaction.execute(
                &format!("CREATE TEMP TABLE chosen AS SELECT DISTINCT run_id FROM run_tests WHERE {condition}"),
                params_from_iter(&parameters),
            )?;
            let done = action(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        self.writing(|connection| act(connection).doing(self.path()).map_err(|error| self.explained(connection, error)))
    }
}

fn say(transaction: &Transaction<'_>, annotation: &Annotation) -> duckdb::Result<()> {
    match annotation {
        Annotation::Tag(tag) => {
            transaction.execute("INSERT OR IGNORE INTO tag SELECT run_id, ? FROM chosen", params![tag])
        }
        Annotation::Untag(tag) => {
            transaction.execute("DELETE FROM tag WHERE tag = ? AND run_id IN (FROM chosen)", params![tag])
        }
        Annotation::Note(text) => transaction.execute(
            "INSERT INTO note (note_id, run_id, noted_at, text) SELECT uuid(), run_id, now()::TIMESTAMP, ? FROM chosen",
            params![text],
        ),
        Annotation::SetKey { key, value } => {
            transaction.execute("INSERT OR REPLACE INTO run_key SELECT run_id, ?, ? FROM chosen", params![key, value])
        }
        Annotation::NameHost(name) => name_host(transaction, name),
        Annotation::RemoveKey(key) => {
            transaction.execute("DELETE FROM run_key WHERE key = ? AND run_id IN (FROM chosen)", params![key])
        }
    }
    .map(drop)
}
