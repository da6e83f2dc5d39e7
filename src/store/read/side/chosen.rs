//! The runs and tests that are meant, as temporary tables of their keys. All else is read for these alone: the more a store holds beside
//! them, the more that saves.

use super::super::{
    super::{Selection, StoreError},
    page::Narrow,
    rows,
};
use duckdb::{Connection, ToSql, params_from_iter};
use uuid::Uuid;

/// Which tests of the runs in the table `chosen_run` were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    /// All that are finished.
    WholeRuns,
    /// Those in the table `chosen`.
    Tests,
}

/// Makes `chosen_run`: runs, numbered from 0 in any order.
const CHOOSE_RUNS: &str = "CREATE OR REPLACE TEMP TABLE chosen_run AS
    SELECT run_id, session_id, (row_number() OVER () - 1)::UBIGINT AS place FROM ({runs})";

const CHOOSE_TESTS: &str =
    "CREATE OR REPLACE TEMP TABLE chosen AS SELECT DISTINCT run_id, test FROM ({tests}) WHERE wall_ns IS NOT NULL";

const RUNS_OF_TESTS: &str = "FROM run WHERE run_id IN (SELECT run_id FROM chosen)";

/// The runs of configurations that ran twice a round in some sessions, and of their twins.
const TWINS: &str = "
    WITH twins AS (
        SELECT DISTINCT session_id, size, twin_of AS label, label AS twin
        FROM run WHERE twin_of IS NOT NULL AND session_id IN (SELECT unnest(string_split(?, ' '))::UUID)
    )
    FROM run r WHERE EXISTS (FROM twins w WHERE r.session_id = w.session_id AND r.size = w.size AND r.label IN (w.label, w.twin))";

impl Chosen {
    /// Chooses the finished tests that a selection means. Runs without one may be among the chosen runs.
    pub(super) fn of(connection: &Connection, selection: &Selection) -> Result<Self, StoreError> {
        if !selection.is_about_tests() {
            let Narrow { sql, parameters } = Narrow::selected_runs(selection);
            make(connection, &CHOOSE_RUNS.replace("{runs}", &sql), &parameters)?;
            return Ok(Self::WholeRuns);
        }
        let Narrow { sql, parameters } = Narrow::selected(selection, std::iter::empty());
        make(connection, &CHOOSE_TESTS.replace("{tests}", &sql), &parameters)?;
        make(connection, &CHOOSE_RUNS.replace("{runs}", RUNS_OF_TESTS), &[])?;
        Ok(Self::Tests)
    }

    /// Chooses all tests of the configurations of these sessions that ran twice a round, and of their twins.
    pub(super) fn twins(connection: &Connection, sessions: impl Iterator<Item = Uuid>) -> Result<Self, StoreError> {
        let ids: Vec<String> = sessions.map(|session| session.to_string()).collect();
        make(connection, &CHOOSE_RUNS.replace("{runs}", TWINS), &[ids.join(" ")])?;
        Ok(Self::WholeRuns)
    }

    /// A condition for rows `t` of tests of the chosen runs.
    pub(super) fn condition(self) -> &'static str {
        match self {
            Self::WholeRuns => "t.wall_ns IS NOT NULL",
            Self::Tests => {
                "t.wall_ns IS NOT NULL AND EXISTS (FROM chosen x WHERE x.run_id = t.run_id AND x.test = t.test)"
            }
        }
    }
}

/// Between which identifiers the chosen runs are, as a condition's right side; none where none was chosen. Constants, unlike what a join finds
/// out, have the parts of large tables skipped before anything of them is read.
pub(super) fn within(connection: &Connection) -> Result<Option<String>, StoreError> {
    let sql = "SELECT min(run_id)::VARCHAR, max(run_id)::VARCHAR FROM chosen_run";
    let bounds: Vec<(Option<Uuid>, Option<Uuid>)> = rows(connection, sql, &[])?;
    let bounds = bounds.into_iter().find_map(|(least, most)| least.zip(most));
    Ok(bounds.map(|(least, most)| format!("BETWEEN '{least}'::UUID AND '{most}'::UUID")))
}

fn make(connection: &Connection, sql: &str, parameters: &[String]) -> Result<(), StoreError> {
    let bound: Vec<&dyn ToSql> = parameters.iter().map(|value| value as &dyn ToSql).collect();
    let made = connection.execute(sql, params_from_iter(bound));
    made.map(drop).map_err(|error| StoreError::Query { message: error.to_string() })
}
