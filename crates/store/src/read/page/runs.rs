//! Pages of runs, and of the configurations of sessions to which the runs belong. They are read from tables, never from views: with a
//! million results the views take seconds.

use super::{
    super::{
        super::{Selection, StoreError},
        rows as read,
    },
    columns::{ConfigurationColumn, Order, RunColumn, direction},
    execute,
    narrow::Narrow,
};
use duckdb::Connection;
use serde::Deserialize;

/// A configuration in a session, with the outcomes of its runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ConfigurationRow {
    pub session_id: String,
    /// One of its runs; all of them have the same options.
    pub run_id: String,
    /// When the session began, UTC; empty if unknown.
    pub started: String,
    pub label: String,
    pub suite: String,
    /// Sizes, separated by spaces.
    pub sizes: String,
    /// Version of the engine's library.
    pub version: String,
    /// Rounds that have finished.
    pub finished_rounds: u32,
    /// Planned rounds.
    pub rounds: u32,
    pub runs: u64,
    pub done: u64,
    pub failed: u64,
    pub cancelled: u64,
    pub interrupted: u64,
    pub running: u64,
    /// Tests that failed, or whose answers disagree with those of other engines.
    pub bad_tests: u64,
    /// Durability tier.
    pub tier: Option<u8>,
    /// The latest verdict on the tier; none: never tested.
    pub tier_evidence: Option<String>,
    pub host: String,
}

/// A run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct RunRow {
    pub run_id: String,
    /// When it began, UTC; empty if unknown.
    pub started: String,
    pub suite: String,
    pub size: String,
    pub label: String,
    /// Version of the engine's library.
    pub version: String,
    /// Round, from 0.
    pub round: u32,
    /// How it ended; `empty` if it is done without a finished test.
    pub status: String,
    /// Number of its tests.
    pub tests: u64,
    /// Tests that failed, or whose answers disagree.
    pub bad_tests: u64,
    /// The sum of the wall times that count, ns.
    pub wall_ns: Option<u64>,
    /// Durability tier.
    pub tier: Option<u8>,
    /// The latest verdict on the tier; none: never tested.
    pub tier_evidence: Option<String>,
    pub host: String,
    /// Tags, separated by spaces.
    pub tags: String,
}

/// Creates the table `matched` of the runs of a selection.
pub(super) fn match_runs(connection: &Connection, selection: &Selection) -> Result<(), StoreError> {
    let rows = if selection.is_all() {
        Narrow { sql: "SELECT run_id FROM run".to_owned(), parameters: Vec::new() }
    } else {
        Narrow::selected(selection, std::iter::empty())
    };
    let sql = format!("CREATE TEMP TABLE matched AS SELECT DISTINCT run_id FROM ({})", rows.sql);
    execute(connection, &sql, &rows.parameters)
}

/// Returns how many tests are stored, how many the runs of the table `matched` have, how many of these runs have none, and how many rows
/// the table `listed` has.
pub(super) fn counts(connection: &Connection, listed: &str) -> Result<(u64, u64, u64, u64), StoreError> {
    let sql = format!(
        "SELECT a.stored, m.tested + m.of_actors, m.empty, m.length
         FROM (SELECT (SELECT count(*) FROM result) + (SELECT count(*) FROM actor_result) AS stored) a,
              (SELECT (SELECT count(*) FROM result WHERE run_id IN (SELECT run_id FROM matched)) AS tested,
                      (SELECT count(*) FROM actor_result WHERE run_id IN (SELECT run_id FROM matched)) AS of_actors,
                      (SELECT count(*) FROM matched WHERE run_id NOT IN (SELECT run_id FROM result)) AS empty,
                      (SELECT count(*) FROM {listed}) AS length) m"
    );
    Ok(read(connection, &sql, &[])?.first().copied().unwrap_or_default())
}

/// Tests of the runs of the table `matched`, one row for each run.
const TESTED: &str =
    "SELECT run_id, count(*) AS tests, count(*) FILTER (failure IS NOT NULL OR agrees = false) AS bad_tests,
        sum(wall_ns) FILTER (failure IS NULL) AS wall_ns
    FROM result WHERE run_id IN (SELECT run_id FROM matched) GROUP BY run_id";

/// Creates the table `listed` of configurations. A run that was repeated after an interruption is not counted.
pub(super) fn list_configurations(connection: &Connection) -> Result<(), StoreError> {
    let counted = |status: &str| format!("count(*) FILTER (r.status = '{status}') AS {status}");
    let statuses = ["done", "failed", "cancelled", "interrupted", "running"].map(counted).join(", ");
    let sql = format!(
        r#"CREATE TEMP TABLE listed AS
         SELECT r.session_id, r.label, arg_min(r.run_id, r.ordinal) AS run_id,
                coalesce(any_value(s.started_at), min(r.started_at)) AS started_at, min(r.suite) AS suite,
                array_to_string(list_sort(list(DISTINCT {{'number': TRY_CAST(split_part(r.size, ',', 1) AS DOUBLE), 'size': r.size}}))
                    .list_transform(lambda one: one.size), ' ') AS sizes,
                min(r.engine_version) AS version,
                count(DISTINCT r.round) - count(DISTINCT r.round) FILTER (r.status NOT IN ('done', 'superseded')) AS finished_rounds,
                -- What is decided early has all of its rounds.
                CASE WHEN any_value(u.session_id) IS NULL THEN any_value(s.rounds) ELSE (max(r.round) + 1)::UINTEGER END AS rounds,
                count(*) FILTER (r.status <> 'superseded') AS runs, {statuses},
                coalesce(sum(t.bad_tests), 0)::UBIGINT AS bad_tests, min(r.tier) AS tier,
                arg_max(r.tier_evidence, r.started_at) AS tier_evidence, coalesce(any_value(h.name), '') AS host
         FROM run r JOIN matched m ON m.run_id = r.run_id JOIN session s ON s.session_id = r.session_id
         LEFT JOIN host h ON h.host_id = s.host_id
         LEFT JOIN (SELECT session_id FROM session WHERE contains(details, '"looks":')) u ON u.session_id = r.session_id
         LEFT JOIN (SELECT run_id, count(*) AS bad_tests FROM result WHERE failure IS NOT NULL OR agrees = false GROUP BY run_id) t
              ON t.run_id = r.run_id
         GROUP BY r.session_id, r.label"#
    );
    execute(connection, &sql, &[])
}

/// Creates the table `listed` of runs.
pub(super) fn list_runs(connection: &Connection) -> Result<(), StoreError> {
    let sql = format!(
        "CREATE TEMP TABLE listed AS
         SELECT r.run_id, r.started_at, r.suite, r.size, r.label, r.engine_version AS version, r.round,
                CASE WHEN t.tests IS NULL AND r.status = 'done' THEN 'empty' ELSE r.status END AS status,
                coalesce(t.tests, 0) AS tests, coalesce(t.bad_tests, 0) AS bad_tests, t.wall_ns, r.tier, r.tier_evidence,
                coalesce(h.name, '') AS host, coalesce(g.tags, '') AS tags
         FROM run r JOIN matched m ON m.run_id = r.run_id JOIN session s ON s.session_id = r.session_id
         LEFT JOIN host h ON h.host_id = s.host_id LEFT JOIN ({TESTED}) t ON t.run_id = r.run_id
         LEFT JOIN (SELECT run_id, string_agg(tag, ' ' ORDER BY tag) AS tags FROM tag GROUP BY run_id) g ON g.run_id = r.run_id"
    );
    execute(connection, &sql, &[])
}

const STARTED: &str = "coalesce(strftime(started_at, '%Y-%m-%d %H:%M:%S'), '') AS started";

/// Returns the window's configurations of the table `listed`; their runs are the table `shown`.
pub(super) fn configurations(
    connection: &Connection,
    order: &Order<ConfigurationColumn>,
    window: &str,
) -> Result<Vec<ConfigurationRow>, StoreError> {
    let by = format!(
        "{} {}, started_at DESC NULLS LAST, session_id, label",
        order.column.sql(),
        direction(order.descending)
    );
    show(connection, order.column.option(), &by, window)?;
    let sql = format!(
        "SELECT * EXCLUDE (started_at, place) REPLACE (session_id::VARCHAR AS session_id, run_id::VARCHAR AS run_id), {STARTED}
         FROM shown ORDER BY place"
    );
    read(connection, &sql, &[])
}

/// Returns the window's runs of the table `listed`, which are the table `shown`.
pub(super) fn runs(connection: &Connection, order: &Order<RunColumn>, window: &str) -> Result<Vec<RunRow>, StoreError> {
    let by = format!("{} {}, round, started_at NULLS LAST, run_id", order.column.sql(), direction(order.descending));
    show(connection, order.column.option(), &by, window)?;
    let sql = format!(
        "SELECT * EXCLUDE (started_at, place) REPLACE (run_id::VARCHAR AS run_id), {STARTED} FROM shown ORDER BY place"
    );
    read(connection, &sql, &[])
}

/// Creates the table `shown` of the window's rows of `listed`, with their positions in the order.
fn show(connection: &Connection, option: Option<&str>, by: &str, window: &str) -> Result<(), StoreError> {
    let (chosen, bound) = match option {
        None => ("", Vec::new()),
        Some(name) => (
            "LEFT JOIN (
                 SELECT run_id, arg_min(value, scope) AS value FROM (
                     SELECT run_id, scope, coalesce(in_force, asked) AS value FROM run_option WHERE name = ?
                     UNION ALL SELECT run_id, 'z', value FROM run_key WHERE key = ?
                 ) GROUP BY run_id
             ) chosen ON chosen.run_id = listed.run_id",
            vec![name.to_owned(), name.to_owned()],
        ),
    };
    // Qualified, because the joined tables share this name.
    let by = if option.is_some() { by.replace("run_id", "listed.run_id") } else { by.to_owned() };
    let sql = format!(
        "CREATE TEMP TABLE shown AS
         SELECT listed.*, row_number() OVER (ORDER BY {by}) AS place FROM listed {chosen} ORDER BY place {window}"
    );
    execute(connection, &sql, &bound)
}
