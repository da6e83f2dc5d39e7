//! The runs and tests that selections mean, as temporary tables of their keys. All else is read for these alone: the more a store holds
//! beside them, the more that saves.

use super::super::{
    super::{Selection, StoreError},
    page::Narrow,
};
use duckdb::{Connection, ToSql, params_from_iter};
use uuid::Uuid;

/// Which tests of the runs in the table `chosen_run` were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The places of those selections that are about single tests: theirs are in the table `chosen`.
    of_tests: Vec<usize>,
}

/// Makes `chosen_run`: the runs of all selections, numbered from 0. A run that several selections mean is there once for each.
const CHOOSE_RUNS: &str = "
    CREATE OR REPLACE TEMP TABLE chosen_run AS
    SELECT side, run_id, session_id, (row_number() OVER () - 1)::UBIGINT AS place FROM ({runs})";

const WHOLE_RUNS: &str = "SELECT {side}::UBIGINT AS side, run_id, session_id FROM ({runs})";

const RUNS_OF_TESTS: &str = "SELECT {side}::UBIGINT AS side, run_id, session_id FROM run
    WHERE run_id IN (SELECT run_id FROM chosen WHERE side = {side})";

const TESTS: &str = "SELECT DISTINCT {side}::UBIGINT AS side, run_id, test FROM ({tests}) WHERE wall_ns IS NOT NULL";

/// The runs of configurations that ran twice a round in some sessions, and of their twins.
const TWINS: &str = "
    WITH twins AS (
        SELECT DISTINCT session_id, size, twin_of AS label, label AS twin
        FROM run WHERE twin_of IS NOT NULL AND session_id IN (SELECT unnest(string_split(?, ' '))::UUID)
    )
    SELECT 0::UBIGINT AS side, run_id, session_id
    FROM run r WHERE EXISTS (FROM twins w WHERE r.session_id = w.session_id AND r.size = w.size AND r.label IN (w.label, w.twin))";

impl Chosen {
    /// Chooses the finished tests that selections mean. Runs without one may be among the chosen runs.
    pub(super) fn of_selections(connection: &Connection, selections: &[&Selection]) -> Result<Self, StoreError> {
        let (mut of_tests, mut all_tests, mut all_runs) = (Vec::new(), Joined::default(), Joined::default());
        for (side, selection) in selections.iter().enumerate() {
            let at_side = |sql: &str| sql.replace("{side}", &side.to_string());
            if selection.is_about_tests() {
                let Narrow { sql, parameters } = Narrow::selected(selection, std::iter::empty());
                all_tests.add(at_side(TESTS).replace("{tests}", &sql), parameters);
                all_runs.add(at_side(RUNS_OF_TESTS), Vec::new());
                of_tests.push(side);
            } else {
                let Narrow { sql, parameters } = Narrow::selected_runs(selection);
                all_runs.add(at_side(WHOLE_RUNS).replace("{runs}", &sql), parameters);
            }
        }
        if !of_tests.is_empty() {
            all_tests.make(connection, "CREATE OR REPLACE TEMP TABLE chosen AS FROM ({tests})", "{tests}")?;
        }
        all_runs.make(connection, CHOOSE_RUNS, "{runs}")?;
        Ok(Self { of_tests })
    }

    /// Chooses all tests of the configurations of these sessions that ran twice a round, and of their twins.
    pub(super) fn twins<'u>(
        connection: &Connection,
        sessions: impl Iterator<Item = &'u Uuid>,
    ) -> Result<Self, StoreError> {
        let ids: Vec<String> = sessions.map(Uuid::to_string).collect();
        let mut runs = Joined::default();
        runs.add(TWINS.to_owned(), vec![ids.join(" ")]);
        runs.make(connection, CHOOSE_RUNS, "{runs}")?;
        Ok(Self { of_tests: Vec::new() })
    }

    /// A condition for rows `t` of tests beside `c`, the chosen runs.
    pub(super) fn condition(&self) -> String {
        if self.of_tests.is_empty() {
            return "t.wall_ns IS NOT NULL".to_owned();
        }
        let sides: Vec<String> = self.of_tests.iter().map(usize::to_string).collect();
        format!(
            "t.wall_ns IS NOT NULL AND (c.side NOT IN ({}) OR EXISTS (
                 FROM chosen x WHERE x.side = c.side AND x.run_id = t.run_id AND x.test = t.test))",
            sides.join(", ")
        )
    }
}

/// Queries whose rows are taken together, with their parameters in order.
#[derive(Default)]
struct Joined {
    queries: Vec<String>,
    parameters: Vec<String>,
}

impl Joined {
    fn add(&mut self, query: String, parameters: Vec<String>) {
        self.queries.push(query);
        self.parameters.extend(parameters);
    }

    /// Runs a statement with the queries in their place.
    fn make(&self, connection: &Connection, statement: &str, place: &str) -> Result<(), StoreError> {
        let each: Vec<String> = self.queries.iter().map(|query| format!("({query})")).collect();
        let bound: Vec<&dyn ToSql> = self.parameters.iter().map(|value| value as &dyn ToSql).collect();
        let made = connection.execute(&statement.replace(place, &each.join(" UNION ALL ")), params_from_iter(bound));
        made.map(drop).map_err(|error| StoreError::Query { message: error.to_string() })
    }
}
