//! All that is stored of one run.

use super::{
    super::{Store, StoreError},
    bound,
    fields::Fields,
};
use dbdyno_workload::histogram::{bytes_from_base64, from_bytes};
use duckdb::Connection;
use hdrhistogram::Histogram;
use std::collections::BTreeMap;

/// A run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredRun {
    /// UUID.
    pub run_id: String,
    /// UUID of its session.
    pub session_id: String,
    /// The label of its configuration.
    pub label: String,
    /// Engine.
    pub engine: String,
    /// Version of the engine's library.
    pub version: String,
    /// Suite.
    pub suite: String,
    /// Size.
    pub size: String,
    /// When it began, UTC; empty where that is not known.
    pub started: String,
    /// `done`, `failed`, ...
    pub status: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// Round, from 0.
    pub round: u32,
    /// Rounds of its session.
    pub rounds: u32,
    /// Durability tier.
    pub tier: Option<u8>,
    /// Why that tier.
    pub tier_reason: String,
    /// What the worker wrote to stderr.
    pub log: Option<String>,
    /// Options.
    pub options: Vec<StoredOption>,
    /// Tests, in order.
    pub tests: Vec<StoredTest>,
    /// What else the run's row says, by the names of its columns.
    pub facts: Vec<StoredFact>,
    /// What session and host say.
    pub environment: Vec<StoredFact>,
    /// Findings about the run, and about its session: which linter, and the message.
    pub warnings: Vec<StoredFact>,
    /// Tags.
    pub tags: Vec<String>,
    /// Notes: when, and the text.
    pub notes: Vec<StoredFact>,
    /// Kept keys.
    pub keys: Vec<StoredFact>,
}

/// An option of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOption {
    /// Whether it is one of the suite.
    pub of_suite: bool,
    /// Name.
    pub name: String,
    /// Value asked for.
    pub asked: Option<String>,
    /// Value in force, where it could be read back.
    pub in_force: Option<String>,
    /// Whether the imported file does not say it.
    pub assumed: bool,
}

impl StoredOption {
    /// Whether something else than what was asked for is in force.
    pub fn differs(&self) -> bool {
        matches!((&self.asked, &self.in_force), (Some(asked), Some(in_force)) if asked != in_force)
    }
}

/// A name and what is known under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFact {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A test of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTest {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// Whether its answers equal those of the other engines; none where that is not known.
    pub agrees: Option<bool>,
    /// Wall time, ns.
    pub wall_ns: Option<u64>,
    /// Operations done.
    pub operations: Option<u64>,
    /// Operations in one sample of the latencies.
    pub per_sample: u64,
    /// All columns of its row that have a value.
    pub figures: Vec<StoredFact>,
    /// Latencies.
    pub latencies: Option<Histogram<u64>>,
    /// The stretches of its time.
    pub slots: Vec<StoredSlot>,
}

impl StoredTest {
    /// A figure by the name of its column.
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.figures.iter().find(|figure| figure.name == name)?.value.parse().ok()
    }
}

/// A stretch of a test's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSlot {
    /// Its end, from the beginning of the test, ns.
    pub end_ns: u64,
    /// Its length, ns.
    pub duration_ns: u64,
    /// Operations that ended in it.
    pub operations: u64,
    /// 99th percentile of their latencies, ns.
    pub p99_ns: Option<u64>,
}

const RUN: &str = "SELECT r.session_id, r.label, r.engine, r.engine_version, r.suite, r.size,
       strftime(r.started_at, '%Y-%m-%d %H:%M:%S'), r.status, r.failure, r.round, s.rounds, r.tier, r.tier_reason, r.log
    FROM run r JOIN session s ON s.session_id = r.session_id WHERE r.run_id = CAST(? AS UUID)";
const OPTIONS: &str = "SELECT scope, name, asked, in_force, coalesce(assumed, false) FROM run_option
    WHERE run_id = CAST(? AS UUID) ORDER BY scope, name";
const TESTS: &str = "SELECT test, test_name, failure, agrees, wall_ns, operations, coalesce(operations_per_sample, 1),
       base64(histogram)
    FROM result WHERE run_id = CAST(? AS UUID) ORDER BY test";
const FIGURES: &str = "SELECT test, name, value FROM (
        UNPIVOT (SELECT test, CAST(COLUMNS(* EXCLUDE (run_id, test, test_name, failure, histogram)) AS VARCHAR)
                 FROM result WHERE run_id = CAST(? AS UUID))
        ON COLUMNS(* EXCLUDE test) INTO NAME name VALUE value)";
const RESULT_KEYS: &str = "SELECT test, key, value FROM result_key WHERE run_id = CAST(? AS UUID) ORDER BY test, key";
const SLOTS: &str = "SELECT test, at_ns, duration_ns, operations, p99_ns FROM timeline
    WHERE run_id = CAST(? AS UUID) ORDER BY test, at_ns";
const FACTS: &str = "SELECT name, value FROM (
        UNPIVOT (SELECT 1 AS run, CAST(COLUMNS(* EXCLUDE (
                     run_id, session_id, ordinal, round, started_at, status, failure, engine, engine_version, label, suite,
                     size, tier, tier_reason, log, cpu)) AS VARCHAR), CAST(cpu AS VARCHAR) AS pinned_to_cpu
                 FROM run WHERE run_id = CAST(? AS UUID))
        ON COLUMNS(* EXCLUDE run) INTO NAME name VALUE value)";
const ENVIRONMENT: &str = "SELECT name, value FROM (
        UNPIVOT (SELECT 1 AS run, h.name AS host, h.os, h.architecture, h.virtualisation, h.cpu_model,
                        CAST(h.cores AS VARCHAR) AS cores, CAST(h.memory_bytes AS VARCHAR) AS memory_bytes,
                        CAST(COLUMNS(s.* EXCLUDE (host_id, details, suite, status, rounds, planned_runs)) AS VARCHAR)
                 FROM run r JOIN session s ON s.session_id = r.session_id LEFT JOIN host h ON h.host_id = s.host_id
                 WHERE r.run_id = CAST(? AS UUID))
        ON COLUMNS(* EXCLUDE run) INTO NAME name VALUE value)";
const WARNINGS: &str = "SELECT w.linter,
        coalesce('test ' || w.test || ': ', '') || CASE WHEN w.run_id IS NULL THEN 'session: ' ELSE '' END || w.message
    FROM warning w JOIN run r ON r.run_id = CAST(? AS UUID) AND r.session_id = w.session_id
    WHERE w.run_id IS NULL OR w.run_id = r.run_id ORDER BY w.run_id IS NULL, w.test NULLS FIRST, w.linter";
const TAGS: &str = "SELECT tag FROM tag WHERE run_id = CAST(? AS UUID) ORDER BY tag";
const NOTES: &str = "SELECT strftime(noted_at, '%Y-%m-%d %H:%M:%S'), text FROM note
    WHERE run_id = CAST(? AS UUID) ORDER BY noted_at, note_id";
const KEYS: &str = "SELECT key, value FROM run_key WHERE run_id = CAST(? AS UUID) ORDER BY key";

impl Store {
    /// All that is stored of a run; none where there is no such run.
    pub fn run(&self, run_id: &str) -> Result<Option<StoredRun>, StoreError> {
        self.reading(|connection| read(connection, run_id))
    }
}

fn read(connection: &Connection, run_id: &str) -> Result<Option<StoredRun>, StoreError> {
    let ask = |sql: &str| -> Result<Vec<Fields>, StoreError> {
        Ok(bound(connection, sql, &[run_id.to_owned()])?.rows.into_iter().map(Fields::new).collect())
    };
    let facts = |sql: &str| -> Result<Vec<StoredFact>, StoreError> { Ok(ask(sql)?.iter_mut().map(fact).collect()) };
    let Some(mut row) = ask(RUN)?.into_iter().next() else { return Ok(None) };
    let mut figures = by_test(ask(FIGURES)?);
    for (test, more) in by_test(ask(RESULT_KEYS)?) {
        figures.entry(test).or_default().extend(more);
    }
    let mut slots: BTreeMap<u32, Vec<StoredSlot>> = BTreeMap::new();
    for mut row in ask(SLOTS)? {
        let test = row.number().unwrap_or(0);
        slots.entry(test).or_default().push(StoredSlot {
            end_ns: row.count(),
            duration_ns: row.count(),
            operations: row.count(),
            p99_ns: row.number(),
        });
    }
    let tests = ask(TESTS)?.into_iter().map(|row| test(row, &mut figures, &mut slots)).collect();
    Ok(Some(StoredRun {
        run_id: run_id.to_owned(),
        session_id: row.text(),
        label: row.text(),
        engine: row.text(),
        version: row.text(),
        suite: row.text(),
        size: row.text(),
        started: row.text(),
        status: row.text(),
        failure: row.maybe(),
        round: row.number().unwrap_or(0),
        rounds: row.number().unwrap_or(1),
        tier: row.number(),
        tier_reason: row.text(),
        log: row.maybe(),
        options: ask(OPTIONS)?.into_iter().map(option).collect(),
        tests,
        facts: facts(FACTS)?,
        environment: facts(ENVIRONMENT)?,
        warnings: facts(WARNINGS)?,
        tags: ask(TAGS)?.iter_mut().map(Fields::text).collect(),
        notes: facts(NOTES)?,
        keys: facts(KEYS)?,
    }))
}

fn fact(row: &mut Fields) -> StoredFact {
    StoredFact { name: row.text(), value: row.text() }
}

/// Rows of test, name and value.
fn by_test(rows: Vec<Fields>) -> BTreeMap<u32, Vec<StoredFact>> {
    let mut all: BTreeMap<u32, Vec<StoredFact>> = BTreeMap::new();
    for mut row in rows {
        all.entry(row.number().unwrap_or(0)).or_default().push(fact(&mut row));
    }
    all
}

fn option(mut row: Fields) -> StoredOption {
    StoredOption {
        of_suite: row.text() == "suite",
        name: row.text(),
        asked: row.maybe(),
        in_force: row.maybe(),
        assumed: row.flag(),
    }
}

fn test(
    mut row: Fields,
    figures: &mut BTreeMap<u32, Vec<StoredFact>>,
    slots: &mut BTreeMap<u32, Vec<StoredSlot>>,
) -> StoredTest {
    let number = row.number().unwrap_or(0);
    StoredTest {
        number,
        name: row.text(),
        failure: row.maybe(),
        agrees: row.maybe().map(|agrees| agrees == "true"),
        wall_ns: row.number(),
        operations: row.number(),
        per_sample: row.count(),
        latencies: row.maybe().as_deref().and_then(latencies),
        figures: figures.remove(&number).unwrap_or_default(),
        slots: slots.remove(&number).unwrap_or_default(),
    }
}

/// A histogram from base64; none where it cannot be read.
fn latencies(text: &str) -> Option<Histogram<u64>> {
    from_bytes(&bytes_from_base64(text).ok()?).ok()
}
