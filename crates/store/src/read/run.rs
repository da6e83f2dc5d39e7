//! Everything that is stored about one run.

use super::{
    super::{Store, StoreError, TestRecord, schema},
    followed::FollowedTest,
    rows,
};
use dbdyno_workload::histogram::from_bytes;
use duckdb::Connection;
use hdrhistogram::Histogram;
use serde::{Deserialize, de::DeserializeOwned};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct StoredRun {
    /// UUID.
    pub run_id: String,
    /// UUID of its session.
    pub session_id: String,
    /// The label of its configuration.
    pub label: String,
    pub engine: String,
    /// Version of the engine's library.
    pub version: String,
    pub suite: String,
    pub size: String,
    /// When it began, UTC: `2026-11-21 09:30:00`; empty if unknown.
    pub started: String,
    /// `done`, `failed`, ...
    pub status: String,
    pub failure: Option<String>,
    /// Round, from 0.
    pub round: u32,
    /// Rounds of its session.
    pub rounds: u32,
    /// Durability tier.
    pub tier: Option<u8>,
    pub tier_reason: String,
    /// The latest verdict on the tier; none: never tested.
    pub tier_evidence: Option<String>,
    /// The worker's stderr.
    pub log: Option<String>,
    #[serde(skip)]
    pub options: Vec<StoredOption>,
    /// Tests, in order.
    #[serde(skip)]
    pub tests: Vec<StoredTest>,
    /// The other columns of the run's row, by name.
    #[serde(skip)]
    pub facts: Vec<StoredFact>,
    /// Facts of session and host.
    #[serde(skip)]
    pub environment: Vec<StoredFact>,
    /// Findings about the run, and about its session: which linter, and the message.
    #[serde(skip)]
    pub warnings: Vec<StoredFact>,
    #[serde(skip)]
    pub tags: Vec<String>,
    /// Notes: time and text.
    #[serde(skip)]
    pub notes: Vec<StoredFact>,
    /// Keys that users or imports stored with the run.
    #[serde(skip)]
    pub keys: Vec<StoredFact>,
    /// The tests that were followed.
    #[serde(skip)]
    pub followed: Vec<FollowedTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredOption {
    /// Whether it is an option of the suite.
    pub of_suite: bool,
    pub name: String,
    /// Value asked for.
    pub asked: Option<String>,
    /// Value in force, if it could be read back.
    pub in_force: Option<String>,
    /// Whether the imported file does not contain it.
    pub assumed: bool,
}

impl StoredOption {
    /// Whether the value in force differs from the one asked for.
    pub fn differs(&self) -> bool {
        matches!((&self.asked, &self.in_force), (Some(asked), Some(in_force)) if asked != in_force)
    }
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredFact {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredTest {
    /// The results, without the histogram.
    pub test: TestRecord,
    /// Its samples, ns.
    pub samples: Option<Histogram<u64>>,
    /// Facts of an imported file for which there is no column.
    pub keys: Vec<StoredFact>,
    /// How the engine finds the rows of its statements: each by its name or its text, a step a line.
    pub plans: Vec<StoredFact>,
    /// The intervals of its timeline.
    pub slots: Vec<StoredSlot>,
}

/// An interval of a test's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSlot {
    /// Its end, measured from the beginning of the test, ns.
    pub end_ns: u64,
    /// Its length, ns.
    pub duration_ns: u64,
    /// Operations that ended in it.
    pub operations: u64,
    /// 99th percentile of their latencies, ns.
    pub p99_ns: Option<u64>,
}

const RUN: &str = "SELECT r.run_id, r.session_id, r.label, r.engine, r.engine_version AS version, r.suite, r.size,
       coalesce(strftime(r.started_at, '%Y-%m-%d %H:%M:%S'), '') AS started, r.status, r.failure, r.round, s.rounds, r.tier, r.tier_reason, r.tier_evidence, r.log
    FROM run r JOIN session s ON s.session_id = r.session_id WHERE r.run_id = CAST(? AS UUID)";
const OPTIONS: &str =
    "SELECT scope = 'suite' AS of_suite, name, asked, in_force, coalesce(assumed, false) AS assumed FROM run_option
    WHERE run_id = CAST(? AS UUID) ORDER BY scope, name";
const TESTS: &str = "SELECT * EXCLUDE (response_histogram) FROM {tests} WHERE run_id = CAST(? AS UUID) ORDER BY test, actor NULLS FIRST";
const RESULT_KEYS: &str = "SELECT test, key, value FROM result_key WHERE run_id = CAST(? AS UUID) ORDER BY test, key";
const PLANS: &str = "SELECT test, statement, plan FROM (
        SELECT run_id, test, actor AS statement, plan FROM actor_result WHERE plan IS NOT NULL
        UNION ALL SELECT run_id, test, statement, plan FROM query_plan)
    WHERE run_id = CAST(? AS UUID) ORDER BY test, statement";
const SLOTS: &str = "SELECT test, at_ns AS end_ns, duration_ns, operations, p99_ns FROM timeline
    WHERE run_id = CAST(? AS UUID) ORDER BY test, at_ns";
const FACTS: &str = "SELECT name, value FROM (
        UNPIVOT (SELECT 1 AS run, CAST(COLUMNS(* EXCLUDE (
                     run_id, session_id, ordinal, round, started_at, status, failure, engine, engine_version, label, suite,
                     size, tier, tier_reason, tier_evidence, log, cpu)) AS VARCHAR), CAST(cpu AS VARCHAR) AS pinned_to_cpu,
                   CAST(round(data_bytes / memory_limit_bytes, 3) AS VARCHAR) AS data_to_memory_limit
                 FROM run WHERE run_id = CAST(? AS UUID))
        ON COLUMNS(* EXCLUDE run) INTO NAME name VALUE value)";
const ENVIRONMENT: &str = "SELECT name, value FROM (
        UNPIVOT (SELECT 1 AS run, h.name AS host, h.os, h.architecture, h.virtualisation, h.cpu_model,
                        CAST(h.cores AS VARCHAR) AS cores, CAST(h.memory_bytes AS VARCHAR) AS memory_bytes,
                        CAST(COLUMNS(s.* EXCLUDE (host_id, details, suite, status, rounds, planned_runs)) AS VARCHAR)
                 FROM run r JOIN session s ON s.session_id = r.session_id LEFT JOIN host h ON h.host_id = s.host_id
                 WHERE r.run_id = CAST(? AS UUID))
        ON COLUMNS(* EXCLUDE run) INTO NAME name VALUE value)";
const WARNINGS: &str = "SELECT w.linter AS name,
        coalesce('test ' || w.test || ': ', '') || CASE WHEN w.run_id IS NULL THEN 'session: ' ELSE '' END || w.message AS value
    FROM warning w JOIN run r ON r.run_id = CAST(? AS UUID) AND r.session_id = w.session_id
    WHERE w.run_id IS NULL OR w.run_id = r.run_id ORDER BY w.run_id IS NULL, w.test NULLS FIRST, w.linter";
const TAGS: &str = "SELECT tag FROM tag WHERE run_id = CAST(? AS UUID) ORDER BY tag";
const NOTES: &str = "SELECT strftime(noted_at, '%Y-%m-%d %H:%M:%S') AS name, text AS value FROM note
    WHERE run_id = CAST(? AS UUID) ORDER BY noted_at, note_id";
const KEYS: &str = "SELECT key AS name, value FROM run_key WHERE run_id = CAST(? AS UUID) ORDER BY key";

impl Store {
    /// Returns everything that is stored about a run, or `None` if there is no such run.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn run(&self, run_id: &str) -> Result<Option<StoredRun>, StoreError> {
        let Some(run) = self.reading(|connection| read(connection, run_id))? else { return Ok(None) };
        Ok(Some(StoredRun { followed: self.followed_in_run(run_id)?, ..run }))
    }
}

fn read(connection: &Connection, run_id: &str) -> Result<Option<StoredRun>, StoreError> {
    fn ask<T: DeserializeOwned>(connection: &Connection, sql: &str, run_id: &str) -> Result<Vec<T>, StoreError> {
        rows(connection, sql, &[&run_id])
    }
    let Some(run) = ask::<StoredRun>(connection, RUN, run_id)?.pop() else { return Ok(None) };
    let mut keys: BTreeMap<u32, Vec<StoredFact>> = BTreeMap::new();
    for (test, name, value) in ask(connection, RESULT_KEYS, run_id)? {
        keys.entry(test).or_default().push(StoredFact { name, value });
    }
    let mut plans: BTreeMap<u32, Vec<StoredFact>> = BTreeMap::new();
    for (test, name, value) in ask(connection, PLANS, run_id)? {
        plans.entry(test).or_default().push(StoredFact { name, value });
    }
    let mut slots: BTreeMap<u32, Vec<StoredSlot>> = BTreeMap::new();
    for (test, end_ns, duration_ns, operations, p99_ns) in ask(connection, SLOTS, run_id)? {
        slots.entry(test).or_default().push(StoredSlot { end_ns, duration_ns, operations, p99_ns });
    }
    let mut with_more = |mut test: TestRecord| StoredTest {
        samples: std::mem::take(&mut test.histogram).and_then(|histogram| from_bytes(&histogram.0).ok()),
        keys: keys.remove(&test.test).unwrap_or_default(),
        plans: plans.remove(&test.test).unwrap_or_default(),
        slots: slots.remove(&test.test).unwrap_or_default(),
        test,
    };
    Ok(Some(StoredRun {
        options: ask(connection, OPTIONS, run_id)?,
        tests: ask(connection, &TESTS.replace("{tests}", schema::TESTS), run_id)?
            .into_iter()
            .map(&mut with_more)
            .collect(),
        facts: ask(connection, FACTS, run_id)?,
        environment: ask(connection, ENVIRONMENT, run_id)?,
        warnings: ask(connection, WARNINGS, run_id)?,
        tags: ask::<(String,)>(connection, TAGS, run_id)?.into_iter().map(|(tag,)| tag).collect(),
        notes: ask(connection, NOTES, run_id)?,
        keys: ask(connection, KEYS, run_id)?,
        ..run
    }))
}
