//! The rows of a page.

use super::{
    super::{
        super::{SelectionKey, StoreError},
        rows as read,
    },
    PageListing,
    columns::{GroupColumn, Order, ResultColumn, direction},
    narrow::Narrow,
    runs::{ConfigurationRow, RunRow},
};
use duckdb::Connection;
use serde::Deserialize;

/// Rows of one kind.
#[derive(Debug, Clone, PartialEq)]
pub enum PageRows {
    /// Configurations of sessions.
    Configurations(Vec<ConfigurationRow>),
    Runs(Vec<RunRow>),
    /// Tests of runs.
    Results(Vec<ResultRow>),
    Groups(Vec<GroupRow>),
}

impl PageRows {
    /// Returns no rows, of the listing's kind.
    pub fn none(listing: &PageListing) -> Self {
        match listing {
            PageListing::Configurations(_) => Self::Configurations(Vec::new()),
            PageListing::Runs(_) => Self::Runs(Vec::new()),
            PageListing::Results(_) => Self::Results(Vec::new()),
            PageListing::Groups(..) => Self::Groups(Vec::new()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Configurations(rows) => rows.len(),
            Self::Runs(rows) => rows.len(),
            Self::Results(rows) => rows.len(),
            Self::Groups(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A test of a run, or a run without a test.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct ResultRow {
    pub run_id: String,
    /// When the run began, UTC: `2026-11-21 09:30:00`; empty if unknown.
    pub started: String,
    pub suite: String,
    pub size: String,
    /// The test's number; none for a run without one.
    pub test: Option<u32>,
    pub test_name: String,
    /// The label of the configuration.
    pub label: String,
    /// Version of the engine's library.
    pub version: String,
    /// Wall time, ns; none if it does not count or is unknown.
    pub wall_ns: Option<u64>,
    pub operations: Option<u64>,
    /// Operations a second.
    pub rate: Option<f64>,
    /// Median latency, ns.
    pub p50_ns: Option<u64>,
    /// 99th percentile of latency, ns.
    pub p99_ns: Option<u64>,
    /// `ok`, or why the figures do not count; for a run without a test, the run's state.
    pub status: String,
    /// How far its answers are verified: `yes`, `no`, `not cross-checked`, `not verified`; none for an actor's part.
    pub verified: Option<String>,
    /// How the run ended.
    pub run_status: String,
    /// Durability tier.
    pub tier: Option<u8>,
    /// Round, from 0.
    pub round: u32,
    pub host: String,
    /// Tags, separated by spaces.
    pub tags: String,
}

/// Tests of runs with the same value of a key.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct GroupRow {
    /// The value; none if there is none.
    pub value: Option<String>,
    /// An explanation of the value, if it says little by itself.
    pub detail: String,
    /// The options that distinguish the group from others with the same value, as a JSON list of names and values.
    pub told: Option<String>,
    /// Tests.
    pub results: u64,
    pub runs: u64,
    /// Runs that were cancelled or interrupted.
    pub cut_short: u64,
    pub sessions: u64,
    /// Tests whose time counts.
    pub counted: u64,
    /// Whether all are of one test, size and suite, and either whole tests or of one actor. Otherwise no single figure can represent
    /// them.
    pub alike: bool,
    /// Median of their wall times, ns.
    pub median_ns: Option<f64>,
    /// The least of them.
    pub least_ns: Option<u64>,
    /// The greatest of them.
    pub most_ns: Option<u64>,
}

impl GroupRow {
    /// Returns the names and values of the options that distinguish the group from others with the same value.
    pub fn telling(&self) -> Vec<(String, String)> {
        self.told.as_deref().and_then(|told| serde_json::from_str(told).ok()).unwrap_or_default()
    }
}

/// Returns the window's rows of the table `matched`; their runs are the table `shown`.
pub(super) fn results(
    connection: &Connection,
    order: &Order<ResultColumn>,
    window: &str,
) -> Result<Vec<ResultRow>, StoreError> {
    let order = |table: &str| {
        let direction = direction(order.descending);
        format!("{table}.place {direction}, {table}.started_at DESC NULLS LAST, {table}.run_id, {table}.test")
    };
    let sql = format!("CREATE TEMP TABLE shown AS SELECT * FROM matched ORDER BY {} {window}", order("matched"));
    super::execute(connection, &sql, &[])?;
    let sql = format!(
        "SELECT n.run_id, coalesce(strftime(n.started_at, '%Y-%m-%d %H:%M:%S'), '') AS started, n.suite, n.size, n.test,
                coalesce(n.test_name, '') AS test_name, n.label, n.engine_version AS version, n.wall_ns, n.operations, n.rate,
                n.p50_ns, n.p99_ns, coalesce(n.status, n.run_status) AS status, n.verified, n.run_status, n.tier, n.round,
                coalesce(n.host, '') AS host, array_to_string(n.tags, ' ') AS tags
         FROM shown JOIN ({}) n ON n.run_id = shown.run_id AND n.test IS NOT DISTINCT FROM shown.test AND n.actor IS NOT DISTINCT FROM shown.actor
         ORDER BY {}, n.actor NULLS FIRST",
        Narrow::shown(),
        order("shown"),
    );
    read(connection, &sql, &[])
}

/// Returns the columns of the table `matched` from which groups are formed; a name in the key is bound.
pub(super) fn grouped_columns(key: &SelectionKey, parameters: &mut Vec<String>) -> String {
    let value = match key {
        // Each tag is a group, not each combination of tags.
        SelectionKey::Tag => "CASE WHEN len(tags) = 0 THEN [NULL] ELSE tags END".to_owned(),
        key => key.sql(parameters),
    };
    // Texts take most of the time, so this reads only the one that is shown.
    let about = match key.word() {
        "test" => "test_name",
        "session" => "suite",
        "host_id" => "host",
        _ => "NULL::VARCHAR",
    };
    format!(
        "{value} AS value, {about} AS about, run_id, session_id, test, actor, suite, size, run_status, started_at, wall_ns"
    )
}

/// Whether one figure can represent the rows: each of these columns has the same value in all of them.
pub(crate) const ALIKE: &str =
    "coalesce(min(test) = max(test) AND min(suite) FILTER (test IS NOT NULL) = max(suite) FILTER (test IS NOT NULL)
    AND min(size) FILTER (test IS NOT NULL) = max(size) FILTER (test IS NOT NULL)
    AND min(actor) IS NOT DISTINCT FROM max(actor) AND count(actor) IN (0, count(test)), false)";

/// Returns SQL for the groups of the table `matched`.
pub(super) fn groups(key: &SelectionKey) -> String {
    let value = if *key == SelectionKey::Tag { "unnest(value)" } else { "value" };
    let detail = match key.word() {
        "session" => "strftime(min(started_at), '%Y-%m-%d %H:%M') || ' ' || min(about)",
        _ => "min(about)",
    };
    // The table `told` has the options of labels that several configurations share.
    let rows = if is_of_labels(key) {
        "SELECT * FROM matched LEFT JOIN told USING (run_id)"
    } else {
        "SELECT *, NULL::VARCHAR AS told FROM matched"
    };
    format!(
        "SELECT * EXCLUDE (median_of_all, least_of_all, most_of_all), CASE WHEN alike THEN median_of_all END AS median_ns,
                CASE WHEN alike THEN least_of_all END AS least_ns, CASE WHEN alike THEN most_of_all END AS most_ns
         FROM (
             SELECT value, told, {detail} AS detail, count(test) AS results, count(DISTINCT run_id) AS runs,
                    count(DISTINCT run_id) FILTER (run_status IN ('cancelled', 'interrupted')) AS cut_short,
                    count(DISTINCT session_id) AS sessions, count(wall_ns) AS counted, {ALIKE} AS alike,
                    median(wall_ns) AS median_of_all, min(wall_ns) AS least_of_all, max(wall_ns) AS most_of_all
             FROM (SELECT {value} AS value, * EXCLUDE (value) FROM ({rows})) GROUP BY value, told
         )"
    )
}

/// Whether the groups are by label, which configurations with different options may share.
pub(super) fn is_of_labels(key: &SelectionKey) -> bool {
    key.word() == "label"
}

/// Returns the window's rows of the table `grouped`.
pub(super) fn grouped(
    connection: &Connection,
    order: Order<GroupColumn>,
    window: &str,
) -> Result<Vec<GroupRow>, StoreError> {
    let direction = direction(order.descending);
    let order: Vec<String> = order.column.sql().iter().map(|column| format!("{column} {direction}")).collect();
    let sql = format!(
        "SELECT * REPLACE (coalesce(detail, '') AS detail, value::VARCHAR AS value) FROM grouped ORDER BY {}, value, told {window}",
        order.join(", ")
    );
    read(connection, &sql, &[])
}
