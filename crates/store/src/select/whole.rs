//! Complete results for files: every column of the view, and the command that requested them.
//!
//! They are read in parts of some runs each, so that memory use does not grow with the output.

use super::{
    super::{Reach, Store, StoreError, error::Doing, schema},
    Selection, choose, column_names, texts, wrong,
};
use duckdb::{Connection, ToSql, params_from_iter};
use std::{ops::ControlFlow, path::Path};

/// All columns with their own types. A long value that all rows of a session or run share is only in the first of them, in each part that
/// is read.
const COLUMNS: &str = "* REPLACE (
    CASE WHEN row_number() OVER (PARTITION BY session_id ORDER BY {order}) = 1 THEN session_facts END AS session_facts,
    CASE WHEN row_number() OVER (PARTITION BY run_id ORDER BY {order}) = 1 THEN option_details END AS option_details{texts})";
const ORDER: &str = "started_at, run_id, test, actor NULLS FIRST";
/// Converts maps and lists to JSON texts, so that a listing can be imported again.
const TEXTS: &str = ", to_json(options) AS options, to_json(keys) AS keys, to_json(tags) AS tags";
/// Runs in one part.
const PART: u64 = 2_000;

/// A row for a file, in the requested form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeRow<'r> {
    /// The names of the columns: once, before everything else.
    Columns(&'r [String]),
    /// The values as texts, in the order of the columns.
    Texts(&'r [Option<&'r str>]),
    /// A JSON object.
    Object(&'r str),
}

/// The form in which results are read for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeForm {
    /// As [`WholeRow::Columns`] and [`WholeRow::Texts`].
    Texts,
    /// As [`WholeRow::Object`].
    Objects,
}

/// Returns the query and its parameters; `exported_by` is the command.
fn query(texts: &str, selection: &Selection, command: &str) -> (String, Vec<String>) {
    let (condition, of_condition) = selection.condition();
    let columns = COLUMNS.replace("{texts}", texts).replace("{order}", ORDER);
    let sql =
        format!("SELECT {columns}, CAST(? AS VARCHAR) AS exported_by FROM results WHERE {condition} ORDER BY {ORDER}");
    (sql, std::iter::once(command.to_owned()).chain(of_condition).collect())
}

impl Store {
    /// Passes every column of a selection's results to `take`, in the order in which they ran.
    ///
    /// # Errors
    /// A store that cannot be opened or read, or an error that `take` returns.
    pub fn whole<E: From<StoreError>>(
        &self,
        selection: &Selection,
        command: &str,
        form: WholeForm,
        mut take: impl FnMut(WholeRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        let read = self.reading(|connection| {
            let taken = parts(connection, selection, command, form, &mut |row| {
                take(row).map_err(|error| {
                    failed = Some(error);
                    StoreError::Query { message: "the query was cancelled".to_owned() }
                })
            });
            // Return the error of `take`, not the interruption that it caused.
            if failed.is_some() { Ok(()) } else { taken }
        });
        read.map_err(E::from)?;
        failed.map_or(Ok(()), Err)
    }

    /// Does the same as Parquet, with the columns' own types. The file must be one of ours: it is replaced.
    ///
    /// # Errors
    /// A store that cannot be read, or a file that cannot be written.
    pub fn write_results_parquet(&self, selection: &Selection, command: &str, file: &Path) -> Result<(), StoreError> {
        let (sql, parameters) = query("", selection, command);
        self.reading_reaching(&Reach::Files(vec![file.to_owned()]), |connection| {
            let copy = || -> duckdb::Result<()> {
                schema::make_views(connection, |name| name == "results")?;
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

type Take<'t> = &'t mut dyn FnMut(WholeRow<'_>) -> Result<(), StoreError>;

fn parts(
    connection: &Connection,
    selection: &Selection,
    command: &str,
    form: WholeForm,
    take: Take<'_>,
) -> Result<(), StoreError> {
    choose(connection, selection)?;
    connection.execute_batch("CREATE TEMP TABLE part (run_id UUID)").map_err(wrong)?;
    let of_part = "WHERE run_id IN (SELECT run_id FROM part)";
    schema::make_views_of(connection, |name| name == "results", of_part).map_err(wrong)?;
    let (sql, parameters) = match form {
        WholeForm::Texts => query(TEXTS, selection, command),
        WholeForm::Objects => query("", selection, command),
    };
    let relation = format!("({sql}\n)");
    let bound: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
    let sql = match form {
        WholeForm::Texts => texts::query(&relation),
        WholeForm::Objects => format!("SELECT to_json(answer)::VARCHAR FROM {relation} AS answer"),
    };
    if form == WholeForm::Texts {
        take(WholeRow::Columns(&column_names(connection, &relation, &bound).map_err(wrong)?))?;
    }
    let runs: u64 =
        connection.query_row("SELECT count(*)::UBIGINT FROM chosen", [], |row| row.get(0)).map_err(wrong)?;
    for from in (0..runs).step_by(PART as usize) {
        let until = from + PART;
        let next = "TRUNCATE part; INSERT INTO part SELECT run_id FROM chosen WHERE place";
        connection.execute_batch(&format!("{next} >= {from} AND place < {until}")).map_err(wrong)?;
        part(connection, &sql, &bound, form, take)?;
    }
    Ok(())
}

/// Reads the rows of the runs in the table `part`.
fn part(
    connection: &Connection,
    sql: &str,
    bound: &[&dyn ToSql],
    form: WholeForm,
    take: Take<'_>,
) -> Result<(), StoreError> {
    let mut failed = Ok(());
    let read = texts::stream(connection, sql, bound, |row| {
        let taken = match (form, row) {
            (WholeForm::Objects, [Some(object), ..]) => take(WholeRow::Object(object)),
            (WholeForm::Objects, _) => Ok(()),
            (WholeForm::Texts, row) => take(WholeRow::Texts(row)),
        };
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        }
    });
    read.map_err(wrong)?;
    failed
}
