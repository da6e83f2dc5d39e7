//! The selected runs and tests, as temporary tables of their keys. Everything else is read for these alone, which saves more the more
//! other runs a store holds.

use super::super::{
    super::{Selection, StoreError},
    page::Narrow,
    rows,
};
use duckdb::{Connection, ToSql, params_from_iter};
use uuid::Uuid;

/// The selected tests of the runs in the table `chosen_run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelectedTests {
    /// All finished tests.
    WholeRuns,
    /// The tests in the table `chosen`.
    Tests,
}

/// Creates `chosen_run`: runs, numbered from 0 in any order, each with the sides to which it belongs.
const CHOOSE_RUNS: &str = "CREATE OR REPLACE TEMP TABLE chosen_run AS
    SELECT run_id, session_id, sides, (row_number() OVER () - 1)::UBIGINT AS place FROM ({runs})";

const RUNS_OF_SIDES: &str =
    "SELECT run_id, any_value(session_id) AS session_id, bit_or(side) AS sides FROM ({sides}) GROUP BY run_id";

const CHOOSE_TESTS: &str = "CREATE OR REPLACE TEMP TABLE chosen AS
    SELECT run_id, test, bit_or(side) AS sides FROM ({sides}) WHERE wall_ns IS NOT NULL GROUP BY run_id, test";

const RUNS_OF_TESTS: &str = "
    SELECT run_id, session_id, sides FROM run
    JOIN (SELECT run_id, bit_or(sides) AS sides FROM chosen GROUP BY run_id) USING (run_id)";

/// The runs of configurations that ran twice in a round in some sessions, and of their twins.
const TWINS: &str = "
    WITH twins AS (
        SELECT DISTINCT session_id, size, twin_of AS label, label AS twin
        FROM run WHERE twin_of IS NOT NULL AND session_id IN (SELECT unnest(string_split(?, ' '))::UUID)
    )
    SELECT run_id, session_id, 1::UBIGINT AS sides
    FROM run r WHERE EXISTS (FROM twins w WHERE r.session_id = w.session_id AND r.size = w.size AND r.label IN (w.label, w.twin))";

/// Maximum number of selections that are read at once: each has one bit of a number.
pub(super) const MOST_SIDES: usize = u64::BITS as usize;

impl SelectedTests {
    /// Selects the finished tests of at most [`MOST_SIDES`] selections: each is a side. Runs without a finished test may be among the
    /// chosen runs.
    pub(super) fn of(connection: &Connection, selections: &[&Selection]) -> Result<Self, StoreError> {
        if !selections.iter().any(|selection| selection.is_about_tests()) {
            let (sides, parameters) = sides(selections, "run_id, session_id", Narrow::selected_runs);
            let runs = RUNS_OF_SIDES.replace("{sides}", &sides);
            make(connection, &CHOOSE_RUNS.replace("{runs}", &runs), &parameters)?;
            return Ok(Self::WholeRuns);
        }
        let of_tests = |selection: &Selection| Narrow::selected(selection, std::iter::empty());
        let (sides, parameters) = sides(selections, "run_id, test, wall_ns", of_tests);
        make(connection, &CHOOSE_TESTS.replace("{sides}", &sides), &parameters)?;
        make(connection, &CHOOSE_RUNS.replace("{runs}", RUNS_OF_TESTS), &[])?;
        Ok(Self::Tests)
    }

    /// Selects all tests of the configurations of these sessions that ran twice in a round, and of their twins: one side.
    pub(super) fn twins(connection: &Connection, sessions: impl Iterator<Item = Uuid>) -> Result<Self, StoreError> {
        let ids: Vec<String> = sessions.map(|session| session.to_string()).collect();
        make(connection, &CHOOSE_RUNS.replace("{runs}", TWINS), &[ids.join(" ")])?;
        Ok(Self::WholeRuns)
    }

    /// Returns the relation that rows `t` of tests are joined with to keep the chosen ones: a table `c` with the number of the run, and
    /// the sides to which the test belongs.
    pub(super) fn keys(self) -> &'static str {
        match self {
            Self::WholeRuns => "chosen_run c ON c.run_id = t.run_id AND t.wall_ns IS NOT NULL",
            Self::Tests => {
                "(SELECT run_id, x.test, r.place, x.sides FROM chosen x JOIN chosen_run r USING (run_id)) c
                 ON c.run_id = t.run_id AND c.test = t.test AND t.wall_ns IS NOT NULL"
            }
        }
    }
}

/// Returns SQL for these columns of the selections' rows, with the bit of the selection as `side`, and the parameters.
fn sides(selections: &[&Selection], columns: &str, narrow: impl Fn(&Selection) -> Narrow) -> (String, Vec<String>) {
    let each = selections.iter().enumerate().map(|(number, selection)| {
        let Narrow { sql, parameters } = narrow(selection);
        (format!("SELECT {columns}, {}::UBIGINT AS side FROM ({sql})", 1_u64 << number), parameters)
    });
    let (each, parameters): (Vec<String>, Vec<Vec<String>>) = each.unzip();
    (each.join(" UNION ALL "), parameters.concat())
}

/// Returns the range of the chosen runs' identifiers, as a condition's right side; `None` if none was chosen. With constants, unlike the
/// result of a join, DuckDB skips parts of large tables before reading anything of them.
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
