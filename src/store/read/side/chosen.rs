//! The tests that are meant, as temporary tables of their keys. All else is read for these alone: the more a store holds beside them, the
//! more that saves.

use super::super::{
    super::{Selection, StoreError},
    page::Narrow,
};
use duckdb::{Connection, ToSql, params_from_iter};

/// What is chosen by a query of the columns run_id and test, which may give a pair twice. `chosen_run` has the runs in the order in which
/// they are shown, numbered from 0.
const CHOOSE: &str = "
    CREATE OR REPLACE TEMP TABLE chosen AS SELECT DISTINCT run_id, test FROM ({query});
    CREATE OR REPLACE TEMP TABLE chosen_run AS
    SELECT run_id, (row_number() OVER (ORDER BY started_at, ordinal, run_id) - 1)::UBIGINT AS place
    FROM run WHERE run_id IN (SELECT run_id FROM chosen)";

/// Chooses the finished tests that a selection means.
pub(super) fn choose(connection: &Connection, selection: &Selection) -> Result<(), StoreError> {
    let rows = Narrow::selected(selection, std::iter::empty());
    let bound: Vec<&dyn ToSql> = rows.parameters.iter().map(|value| value as &dyn ToSql).collect();
    choose_by(connection, &format!("SELECT run_id, test FROM ({}) WHERE wall_ns IS NOT NULL", rows.sql), &bound)
}

/// Chooses what a query of this program's gives.
pub(super) fn choose_by(connection: &Connection, query: &str, bound: &[&dyn ToSql]) -> Result<(), StoreError> {
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    let (chosen, runs) = CHOOSE.split_once(';').unwrap_or((CHOOSE, ""));
    connection.execute(&chosen.replace("{query}", query), params_from_iter(bound)).map_err(wrong)?;
    connection.execute_batch(runs).map_err(wrong)
}
