//! What comparisons are made from: the runs of a selection with their finished tests, and the sessions they belong to.

use super::super::{Selection, Store, StoreError, TestRecord, schema::TESTS};
use crate::metric::Metric;
use dbdyno_engine::durability::Tier;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;

/// Whether the latencies of tests are read, which are most of what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latencies {
    /// They are.
    Read,
    /// Nobody looks at them.
    Left,
}

/// The runs of a selection.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectedRuns {
    /// The runs, each with those finished tests that the selection means.
    pub runs: Vec<RunTests>,
    /// The sessions of these runs.
    pub sessions: Vec<SessionFacts>,
    /// The A/A runs of these sessions: configurations that ran twice a round, with their twins.
    pub twins: Vec<RunTests>,
}

/// One execution of a configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunTests {
    /// UUID.
    pub run_id: String,
    pub session_id: String,
    /// Place in the session, from 0.
    pub ordinal: u32,
    /// Round, from 0; runs of one session and round had the same inputs.
    pub round: u32,
    /// Seed of its inputs; none: whoever ran it did not record one.
    pub seed: Option<u64>,
    /// How it ended: `done`, `failed`, `cancelled` or `running`.
    pub status: String,
    /// The engine with the options that tell it from others of its session.
    pub label: String,
    /// The label of the configuration that this is once more, for an A/A comparison.
    pub twin_of: Option<String>,
    pub size: String,
    pub configuration: RunConfiguration,
    /// Options of engine and suite as they were asked for (in force, where that is not recorded): what was chosen, without
    /// what an engine made of it. And what the run was held to: `memory_limit_bytes`, and `cache` of one with cold starts.
    pub asked: BTreeMap<String, String>,
    /// Finished tests.
    pub tests: Vec<TestRecord>,
}

/// What is measured, but for the size: two runs of one configuration differ by chance alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunConfiguration {
    pub engine: String,
    /// Version of the engine's library.
    pub version: String,
    /// Durability tier, 0 to 3; none: not recorded.
    pub tier: Option<u8>,
    /// The engine's options in force (as asked for where they cannot be read back).
    pub options: BTreeMap<String, String>,
    pub suite: String,
    pub suite_options: BTreeMap<String, String>,
    /// Memory that its runs had, bytes; none: without a limit.
    pub memory_limit: Option<u64>,
    /// Whether tests began with what was in memory (`warm`), or without what could be dropped (`cold`).
    pub cache: String,
}

/// Where and how runs were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// UUID.
    pub session_id: String,
    /// Start, UTC.
    pub started_at: String,
    pub dbdyno_version: String,
    /// Whether dbdyno was built without optimisation.
    pub debug_build: bool,
    /// The command that started it.
    pub command_line: String,
    pub host: SessionHost,
    /// File system of the folder that databases were put in.
    pub file_system: Option<String>,
    pub disk_model: Option<String>,
    /// What linters said of the session, `LINTER: MESSAGE`.
    pub warnings: Vec<String>,
}

/// A machine, as sessions recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHost {
    /// Stable identifier.
    pub host_id: String,
    pub name: String,
    pub cpu_model: Option<String>,
    /// Logical cores.
    pub cores: Option<u32>,
    /// Installed memory, bytes.
    pub memory_bytes: Option<u64>,
    pub kernel: String,
    /// Operating system.
    pub os: Option<String>,
    /// What virtualises it.
    pub virtualisation: Option<String>,
}

impl SessionFacts {
    /// Where times can be compared with each other: one machine, one kind of disk. In words.
    pub fn place(&self) -> String {
        let disk = [&self.file_system, &self.disk_model];
        let disk: Vec<&str> = disk.into_iter().flatten().map(String::as_str).collect();
        // Two machines may have one name: the identifier's beginning tells them apart.
        let id: String = self.host.host_id.chars().take(8).collect();
        format!(
            "{} {id} ({})",
            self.host.name,
            if disk.is_empty() { "disk unknown".to_owned() } else { disk.join(", ") }
        )
    }
}

/// A tier with its name, or that it is unknown.
pub fn tier_words(tier: Option<u8>) -> String {
    let named = |tier: u8| Tier::try_from(tier).map_or_else(|_| tier.to_string(), |tier| tier.to_string());
    tier.map_or_else(|| "unknown".to_owned(), named)
}

impl RunConfiguration {
    /// Everything it is made of, by the words that selections use.
    pub fn facts(&self) -> BTreeMap<&str, String> {
        let options =
            self.suite_options.iter().chain(&self.options).map(|(name, value)| (name.as_str(), value.clone()));
        let named =
            [("engine", &self.engine), ("version", &self.version), ("suite", &self.suite), ("cache", &self.cache)];
        options
            .chain(named.map(|(word, value)| (word, value.clone())))
            .chain(self.memory_limit.map(|limit| ("memory_limit_bytes", limit.to_string())))
            .chain([("tier", self.tier.map_or_else(|| "unknown".to_owned(), |tier| tier.to_string()))])
            .collect()
    }
}

/// A run as an object. `wanted` has the run_id and test of each result that is to be loaded.
const RUNS: &str = "
    SELECT to_json({
        'run_id': r.run_id, 'session_id': r.session_id, 'ordinal': r.ordinal, 'round': r.round, 'seed': r.seed,
        'status': r.status, 'label': r.label, 'twin_of': r.twin_of, 'size': r.size, 'tests': t.tests,
        'configuration': {
            'engine': r.engine, 'version': r.engine_version, 'tier': r.tier, 'suite': r.suite,
            'memory_limit': r.memory_limit_bytes, 'cache': coalesce(r.cache, 'warm'),
            'options': coalesce(o.engine, MAP {}), 'suite_options': coalesce(o.suite, MAP {})
        },
        'asked': map_concat(
            CASE WHEN r.memory_limit_bytes IS NULL THEN MAP {} ELSE MAP {'memory_limit_bytes': r.memory_limit_bytes::VARCHAR} END,
            CASE WHEN r.cache = 'cold' THEN MAP {'cache': r.cache} ELSE MAP {} END,
            coalesce(o.asked_suite, MAP {}), coalesce(o.asked_engine, MAP {}))
    })
    FROM run r
    JOIN (
        SELECT run_id, list({
            'run_id': run_id, 'test': test, 'test_name': test_name, 'agrees': agrees, 'verification': verification,
            'operations_per_sample': operations_per_sample, {figures}, 'histogram': {histogram}
        } ORDER BY test, actor NULLS FIRST) AS tests
        FROM {tests} JOIN wanted USING (run_id, test) GROUP BY run_id
    ) t USING (run_id)
    LEFT JOIN (
        SELECT run_id,
            map_from_entries(list({'k': name, 'v': value} ORDER BY name) FILTER (scope = 'engine')) AS engine,
            map_from_entries(list({'k': name, 'v': value} ORDER BY name) FILTER (scope <> 'engine')) AS suite,
            map_from_entries(list({'k': name, 'v': wanted} ORDER BY name) FILTER (scope = 'engine')) AS asked_engine,
            map_from_entries(list({'k': name, 'v': wanted} ORDER BY name) FILTER (scope <> 'engine')) AS asked_suite
        FROM (
            SELECT run_id, scope, name, coalesce(in_force, asked) AS value, coalesce(asked, in_force) AS wanted
            FROM run_option
        )
        WHERE value IS NOT NULL GROUP BY run_id
    ) o USING (run_id)
    ORDER BY r.started_at, r.ordinal";

/// The sessions of the selected results, each with what linters said of it or of the configurations of those runs.
const SESSIONS: &str = "
    SELECT to_json({
        'session_id': s.session_id, 'started_at': coalesce(strftime(s.started_at, '%Y-%m-%dT%H:%M:%SZ'), 'unknown'),
        'dbdyno_version': coalesce(s.dbdyno_version, 'none (' || s.source || ')', 'unknown'),
        'debug_build': coalesce(s.debug_build, false), 'command_line': coalesce(s.command_line, ''),
        'file_system': s.file_system, 'disk_model': s.disk_model, 'warnings': coalesce(w.messages, []),
        'host': {
            'host_id': s.host_id, 'name': coalesce(h.name, '?'), 'cpu_model': h.cpu_model, 'cores': h.cores,
            'memory_bytes': h.memory_bytes, 'kernel': coalesce(s.kernel, h.kernel, '?'), 'os': h.os,
            'virtualisation': h.virtualisation
        }
    })
    FROM session s
    LEFT JOIN host h USING (host_id)
    LEFT JOIN (
        -- What is about one configuration names one of its runs.
        SELECT w.session_id, list(w.linter || ': ' || w.message ORDER BY w.linter, w.message) AS messages
        FROM warning w LEFT JOIN run about ON about.run_id = w.run_id
        WHERE w.run_id IS NULL OR EXISTS (
            FROM selected s WHERE s.session_id = about.session_id AND s.label = about.label AND s.size = about.size
        )
        GROUP BY w.session_id
    ) w USING (session_id)
    WHERE s.session_id IN (SELECT session_id FROM selected)
    ORDER BY s.started_at";

/// The results of configurations that ran twice a round in the selected sessions, and of their twins.
const TWINS: &str = "
    twins AS (
        SELECT DISTINCT r.session_id, r.size, r.twin_of AS label, r.label AS twin
        FROM run r WHERE r.twin_of IS NOT NULL AND r.session_id IN (SELECT session_id FROM selected)
    ),
    wanted AS (
        SELECT t.run_id, t.test FROM result t JOIN run r USING (run_id)
        JOIN twins w ON r.session_id = w.session_id AND r.size = w.size AND r.label IN (w.label, w.twin)
        WHERE t.wall_ns IS NOT NULL
    )";

impl Store {
    /// The runs of a selection with those finished tests that it means.
    ///
    /// # Errors
    /// What is wrong with the store, or a row that cannot be read.
    pub fn selected_runs(&self, selection: &Selection, latencies: Latencies) -> Result<SelectedRuns, StoreError> {
        let figures =
            Metric::stored().map(|metric| format!("'{0}': {0}", metric.name())).collect::<Vec<_>>().join(", ");
        let histogram = match latencies {
            Latencies::Read => "base64(histogram)",
            Latencies::Left => "NULL::VARCHAR",
        };
        let runs_sql = RUNS.replace("{tests}", TESTS).replace("{figures}", &figures).replace("{histogram}", histogram);
        let wanted = "wanted AS (SELECT DISTINCT run_id, test FROM selected WHERE wall_ns IS NOT NULL)";
        let runs = self.objects(selection, &format!(", {wanted} {runs_sql}"))?;
        if runs.is_empty() {
            return Ok(SelectedRuns::default());
        }
        let sessions = self.objects(selection, SESSIONS)?;
        // Nobody looks at the latencies of twins.
        let runs_sql =
            RUNS.replace("{tests}", TESTS).replace("{figures}", &figures).replace("{histogram}", "NULL::VARCHAR");
        let twins = self.objects(selection, &format!(", {TWINS} {runs_sql}"))?;
        Ok(SelectedRuns { runs, sessions, twins })
    }

    /// The answer of a query that gives one object of JSON a row.
    fn objects<T: DeserializeOwned>(&self, selection: &Selection, sql: &str) -> Result<Vec<T>, StoreError> {
        let object = |(text,): (String,)| {
            serde_json::from_str(&text)
                .map_err(|error| StoreError::Query { message: format!("a stored row cannot be read: {error}") })
        };
        self.selected_rows(selection, sql, &[])?.into_iter().map(object).collect()
    }
}
