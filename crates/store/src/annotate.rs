//! What users add to runs that are stored, and the removal of runs.

use super::{
    Selection, Store, StoreError,
    error::Doing,
    hosts::name_host,
    read::Narrow,
    schema,
    tables::{Owner, TABLES},
};
use duckdb::{Connection, Transaction, params, params_from_iter};
use serde::Deserialize;

/// What is said of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    /// They get this tag.
    Tag(String),
    /// They lose this tag.
    Untag(String),
    /// They get a note.
    Note(String),
    /// They get a key with a value, in place of the one they had.
    SetKey { key: String, value: String },
    /// The sessions that they are of ran on the machine of this name.
    NameHost(String),
    /// They lose a key.
    RemoveKey(String),
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Runs, with everything that belongs to them.
    pub runs: u64,
    /// Sessions that had no other runs.
    pub sessions: u64,
}

/// What belongs to runs, and would be deleted with them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Extent {
    pub runs: u64,
    pub results: u64,
    /// Tags that users gave them.
    pub tags: u64,
    /// Notes that users wrote about them.
    pub notes: u64,
    /// Sessions that nothing would be left of.
    pub sessions: u64,
    /// Runs among them that have not ended.
    pub unfinished: u64,
    /// Sessions of these runs that a process is running now.
    pub running: u64,
}

impl Store {
    /// What a deletion of a selection's runs would take away.
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

    /// How many runs a selection means: those it names, or that have a result it names.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn count_runs(&self, selection: &Selection) -> Result<u64, StoreError> {
        Ok(self.chosen_runs(selection)?.len() as u64)
    }

    /// The identifiers of a selection's runs, oldest first.
    pub(super) fn chosen_runs(&self, selection: &Selection) -> Result<Vec<String>, StoreError> {
        let rows = Narrow::selected(selection, std::iter::empty());
        let sql =
            format!("SELECT run_id FROM ({}) GROUP BY run_id ORDER BY min(started_at) NULLS LAST, run_id", rows.sql);
        Ok(self.rows_bound::<(String,)>(&sql, &rows.parameters)?.into_iter().map(|(run,)| run).collect())
    }

    /// Says these things of a selection's runs, all or nothing, and returns how many runs that were.
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

    /// Deletes a selection's runs with all that belongs to them, and the sessions and hosts that nothing is left of. A
    /// session that has not ended stays, because it may be running.
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
            for table in TABLES.iter().rev().filter(|table| table.owner != Owner::Host) {
                let name = table.name;
                if table.owner != Owner::Session {
                    let count =
                        transaction.execute(&format!("DELETE FROM {name} WHERE run_id IN (FROM chosen)"), [])?;
                    deleted.runs += if name == "run" { count as u64 } else { 0 };
                }
                if table.owner != Owner::Run {
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

    /// Does something in one transaction, with the selection's runs in the temporary table `chosen`.
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
