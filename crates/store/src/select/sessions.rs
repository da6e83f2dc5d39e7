//! The figures of sessions: each test of a configuration with the values of its runs, session by session.
//!
//! They are read in parts of some runs each, so that memory use does not grow with the number of sessions.

use super::{
    super::{Store, StoreError, schema},
    Selection, choose, wrong,
};
use dbdyno_foundation::metric::Metric;
use duckdb::{Connection, params_from_iter};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, HashMap},
    ops::ControlFlow,
};
use uuid::Uuid;

/// Runs in one part, unless a session has more.
const PART: u64 = 2_000;

/// The sessions of the chosen runs, each with the number of its part. Twins are left out, because they repeat a configuration.
const SESSIONS: &str = "CREATE TEMP TABLE chosen_session AS
    SELECT session_id, place,
           ((sum(runs) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - runs) // {part})::UBIGINT AS part
    FROM (
        SELECT r.session_id, min(c.place) AS place, count(*) AS runs
        FROM chosen c JOIN run r USING (run_id) WHERE r.twin_of IS NULL GROUP BY r.session_id
    )";

const NEXT: &str = "TRUNCATE part; INSERT INTO part
    SELECT run_id FROM chosen JOIN run r USING (run_id) JOIN chosen_session s ON s.session_id = r.session_id
    WHERE r.twin_of IS NULL AND s.part =";

/// Facts about the sessions of a part. A key whose value differs between runs of a session is not a fact of the session.
const FACTS: &str = "
    WITH told AS (
        SELECT r.session_id, k.key, CASE WHEN count(DISTINCT k.value) = 1 THEN min(k.value) END AS value
        FROM run_key k JOIN run r USING (run_id) WHERE k.run_id IN (SELECT run_id FROM part) GROUP BY ALL
    ), begun AS (
        SELECT session_id, min(started_at) AS at FROM run WHERE run_id IN (SELECT run_id FROM part) GROUP BY session_id
    )
    SELECT s.session_id::VARCHAR AS session_id, epoch_us(coalesce(s.started_at, begun.at)) AS started_us,
           s.dbdyno_version, s.host_id::VARCHAR AS host_id, coalesce(h.name, '?') AS host, h.cpu_model AS cpu,
           s.disk_model AS disk, s.file_system, coalesce(s.kernel, h.kernel) AS kernel,
           (SELECT value FROM told WHERE told.session_id = s.session_id AND key = 'git_commit') AS git_commit,
           (SELECT value FROM told WHERE told.session_id = s.session_id AND key = 'branch') AS branch,
           (SELECT value FROM told WHERE told.session_id = s.session_id AND key = 'git_repo') AS git_repo
    FROM session s JOIN begun ON begun.session_id = s.session_id LEFT JOIN host h ON h.host_id = s.host_id";

/// The tests of a part. Failed tests and wrong answers have no figures.
const TESTS: &str = "
    SELECT session_id::VARCHAR AS session_id, suite, size, any_value(engine) AS engine,
           string_agg(DISTINCT engine_version, ' ' ORDER BY engine_version) AS engine_version, label, cache,
           memory_limit_bytes::UBIGINT AS memory_limit, any_value(tier)::UTINYINT AS tier, test, test_name AS name,
           {figures} AS figures
    FROM results WHERE status = 'ok' AND ({condition})
    GROUP BY session_id, suite, size, label, cache, memory_limit_bytes, test, test_name
    ORDER BY suite, TRY_CAST(size AS DOUBLE), size, label, cache, memory_limit_bytes, test, test_name";

/// The order of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionOrder {
    OldestFirst,
    NewestFirst,
}

/// A session with its tests that a selection includes.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFigures {
    pub origin: SessionOrigin,
    /// Ordered by suite, size, configuration and number.
    pub tests: Vec<TestFigures>,
}

/// The time, place and source version of a session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SessionOrigin {
    pub session_id: Uuid,
    /// When it began, µs from 1970 on.
    pub started_us: Option<i64>,
    pub dbdyno_version: Option<String>,
    pub host_id: String,
    pub host: String,
    pub cpu: Option<String>,
    pub disk: Option<String>,
    pub file_system: Option<String>,
    pub kernel: Option<String>,
    /// The measured commit: the key `git_commit` of its runs.
    pub git_commit: Option<String>,
    /// The commit's branch: the key `branch`.
    pub branch: Option<String>,
    /// The commit's repository: the key `git_repo`.
    pub git_repo: Option<String>,
}

/// A test of a configuration at a size, in one session.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TestFigures {
    pub suite: String,
    pub size: String,
    pub engine: String,
    /// Versions of the engine's library, separated by spaces.
    pub engine_version: String,
    pub label: String,
    /// `warm` or `cold`.
    pub cache: String,
    /// Bytes.
    pub memory_limit: Option<u64>,
    pub tier: Option<u8>,
    pub test: u32,
    /// The test's name; for an actor's part, followed by the actor's name.
    pub name: String,
    /// The values of each requested metric, one for each run.
    figures: BTreeMap<Metric, Vec<Option<f64>>>,
}

impl TestFigures {
    /// Returns the values of its runs in the order in which they ran; `None` for a run without a value.
    pub fn values(&self, metric: Metric) -> &[Option<f64>] {
        self.figures.get(&metric).map_or(&[], Vec::as_slice)
    }
}

/// A test with its session.
#[derive(Debug, Deserialize)]
struct SessionTestRow {
    session_id: Uuid,
    #[serde(flatten)]
    test: TestFigures,
}

impl Store {
    /// Passes the sessions of a selection to `take`, until it stops. Skips sessions without a figure.
    ///
    /// # Errors
    /// A store that cannot be opened or read, or an error that `take` returns.
    pub fn sessions<E: From<StoreError>>(
        &self,
        selection: &Selection,
        metrics: &[Metric],
        order: SessionOrder,
        mut take: impl FnMut(&SessionFigures) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut failed = None;
        self.reading(|connection| {
            each(connection, selection, metrics, order, &mut |session| {
                take(session).unwrap_or_else(|error| {
                    failed = Some(error);
                    ControlFlow::Break(())
                })
            })
        })?;
        failed.map_or(Ok(()), Err)
    }
}

fn each(
    connection: &Connection,
    selection: &Selection,
    metrics: &[Metric],
    order: SessionOrder,
    take: &mut dyn FnMut(&SessionFigures) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    choose(connection, selection)?;
    connection.execute_batch(&SESSIONS.replace("{part}", &PART.to_string())).map_err(wrong)?;
    connection.execute_batch("CREATE TEMP TABLE part (run_id UUID)").map_err(wrong)?;
    let of_part = "WHERE run_id IN (SELECT run_id FROM part)";
    schema::make_views_of(connection, |name| name == "results", of_part).map_err(wrong)?;
    let figure = |metric: &Metric| format!("'{0}': list({0}::DOUBLE ORDER BY started_at, run_id)", metric.name());
    let figures: Vec<String> = metrics.iter().map(figure).collect();
    let (condition, parameters) = selection.condition();
    let tests = TESTS.replace("{figures}", &format!("{{{}}}", figures.join(", "))).replace("{condition}", &condition);
    for part in parts(connection, order)? {
        connection.execute_batch(&format!("{NEXT} {part}")).map_err(wrong)?;
        let facts: Vec<SessionOrigin> = objects(connection, FACTS, &[])?;
        let mut of_session: HashMap<Uuid, Vec<TestFigures>> = HashMap::new();
        for SessionTestRow { session_id, test } in objects(connection, &tests, &parameters)? {
            of_session.entry(session_id).or_default().push(test);
        }
        let sessions = facts.into_iter().filter_map(|origin| {
            let tests = of_session.remove(&origin.session_id)?;
            Some(SessionFigures { origin, tests })
        });
        let mut sessions: Vec<SessionFigures> = sessions.collect();
        sessions.sort_by_key(|session| (session.origin.started_us, session.origin.session_id));
        if order == SessionOrder::NewestFirst {
            sessions.reverse();
        }
        if sessions.iter().try_for_each(&mut *take).is_break() {
            break;
        }
    }
    Ok(())
}

/// Returns the parts that contain sessions.
fn parts(connection: &Connection, order: SessionOrder) -> Result<Vec<u64>, StoreError> {
    let direction = match order {
        SessionOrder::OldestFirst => "",
        SessionOrder::NewestFirst => "DESC",
    };
    let sql = format!("SELECT DISTINCT part FROM chosen_session ORDER BY part {direction}");
    let mut statement = connection.prepare(&sql).map_err(wrong)?;
    let found = statement.query_map([], |row| row.get(0)).map_err(wrong)?;
    found.collect::<duckdb::Result<_>>().map_err(wrong)
}

/// Returns the rows of one of this program's queries, as structs by column name.
fn objects<T: DeserializeOwned>(
    connection: &Connection,
    sql: &str,
    parameters: &[String],
) -> Result<Vec<T>, StoreError> {
    let sql = format!("SELECT to_json(answer)::VARCHAR FROM ({sql}\n) AS answer");
    let mut statement = connection.prepare(&sql).map_err(wrong)?;
    let mut rows = statement.query(params_from_iter(parameters)).map_err(wrong)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(wrong)? {
        let text: String = row.get(0).map_err(wrong)?;
        let unread = |error| StoreError::Query { message: format!("a stored row cannot be read: {error}") };
        all.push(serde_json::from_str(&text).map_err(unread)?);
    }
    Ok(all)
}
