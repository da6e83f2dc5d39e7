//! The chosen tests as values: in columns of their own types, without what nobody asked for.

use super::{ComparedTest, Latencies, RunConfiguration, RunTests};
use crate::{
    metric::Metric,
    store::{Blob, StoreError, read::rows, schema::TESTS},
};
use duckdb::{Connection, Row};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

/// The options of each run as one number. Two runs with other options have the same one time in 2^64.
const KINDS: &str = "
    CREATE OR REPLACE TEMP TABLE option_kind AS
    SELECT run_id, bit_xor(hash(scope, name, asked, in_force)) AS kind
    FROM run_option WHERE run_id IN (SELECT run_id FROM chosen_run) GROUP BY run_id";

/// The options of one run of each kind.
const OPTIONS: &str = "
    WITH one AS (SELECT kind, min(run_id) AS run_id FROM option_kind GROUP BY kind)
    SELECT one.kind, o.scope, o.name, o.asked, o.in_force FROM one JOIN run_option o USING (run_id)";

const RUNS: &str = "
    SELECT r.run_id::VARCHAR AS run_id, r.session_id::VARCHAR AS session_id, r.ordinal, r.round, r.seed, r.status, r.label, r.twin_of,
           r.size, r.engine, r.engine_version AS version, r.tier, r.suite, r.memory_limit_bytes AS memory_limit,
           coalesce(r.cache, 'warm') AS cache, k.kind
    FROM chosen_run c JOIN run r USING (run_id) LEFT JOIN option_kind k USING (run_id) ORDER BY c.place";

/// The tests in any order.
const RESULTS: &str = "
    SELECT c.place, t.test, t.test_name, ({value})::DOUBLE, t.operations::UBIGINT,
           CASE WHEN t.verification IS NOT NULL THEN hash(t.verification) END, t.agrees, t.peak_rss_bytes::UBIGINT, {latencies}
    FROM {tests} t JOIN chosen USING (run_id, test) JOIN chosen_run c USING (run_id)";

/// What is known of a run beside its tests.
#[derive(Debug, Deserialize)]
struct RunRow {
    run_id: String,
    session_id: String,
    ordinal: u32,
    round: u32,
    seed: Option<u64>,
    status: String,
    label: String,
    twin_of: Option<String>,
    size: String,
    engine: String,
    version: String,
    tier: Option<u8>,
    suite: String,
    memory_limit: Option<u64>,
    cache: String,
    kind: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct OptionRow {
    kind: u64,
    scope: String,
    name: String,
    asked: Option<String>,
    in_force: Option<String>,
}

impl OptionRow {
    /// Its value in force; as it was asked for, where that cannot be read back.
    fn in_force(&self) -> Option<&String> {
        self.in_force.as_ref().or(self.asked.as_ref())
    }

    /// Its value as it was asked for; in force, where that is not recorded.
    fn asked(&self) -> Option<&String> {
        self.asked.as_ref().or(self.in_force.as_ref())
    }
}

/// A configuration, and what was asked of it.
type Configured = (Arc<RunConfiguration>, Arc<BTreeMap<String, String>>);
/// What tells configurations apart: engine, version, tier, suite, memory limit, cache, options.
type ConfigurationKey = (String, String, Option<u8>, String, Option<u64>, String, Option<u64>);

/// The chosen runs with their tests, in the order in which they were run.
pub(super) fn read(connection: &Connection, metric: Metric, latencies: Latencies) -> Result<Vec<RunTests>, StoreError> {
    connection.execute_batch(KINDS).map_err(wrong)?;
    let mut options: HashMap<u64, Vec<OptionRow>> = HashMap::new();
    for row in rows::<OptionRow>(connection, OPTIONS, &[])? {
        options.entry(row.kind).or_default().push(row);
    }
    let (mut texts, mut configurations) = (Texts::default(), HashMap::new());
    let rows: Vec<RunRow> = rows(connection, RUNS, &[])?;
    let mut runs: Vec<RunTests> =
        rows.into_iter().map(|row| run(row, &options, &mut texts, &mut configurations)).collect();
    read_tests(connection, metric, latencies, &mut texts, &mut runs)?;
    for run in &mut runs {
        // The name of an actor's part begins with that of its test.
        run.tests.sort_by(|one, next| (one.test, &one.name).cmp(&(next.test, &next.name)));
    }
    Ok(runs)
}

fn run(
    row: RunRow,
    options: &HashMap<u64, Vec<OptionRow>>,
    texts: &mut Texts,
    configurations: &mut HashMap<ConfigurationKey, Configured>,
) -> RunTests {
    let RunRow { engine, version, tier, suite, memory_limit, cache, kind, .. } = row;
    let key = (engine, version, tier, suite, memory_limit, cache, kind);
    let (configuration, asked) = match configurations.get(&key) {
        Some(known) => known.clone(),
        None => {
            let of_kind = kind.and_then(|kind| options.get(&kind)).map(Vec::as_slice).unwrap_or_default();
            configurations.entry(key.clone()).or_insert(configured(key, of_kind)).clone()
        }
    };
    RunTests {
        run_id: row.run_id.into(),
        session_id: texts.one(&row.session_id),
        ordinal: row.ordinal,
        round: row.round,
        seed: row.seed,
        status: texts.one(&row.status),
        label: texts.one(&row.label),
        twin_of: row.twin_of.map(|label| texts.one(&label)),
        size: texts.one(&row.size),
        configuration,
        asked,
        peak_memory_bytes: None,
        tests: Vec::new(),
    }
}

fn configured(key: ConfigurationKey, options: &[OptionRow]) -> Configured {
    let (engine, version, tier, suite, memory_limit, cache, _) = key;
    let of = |engine: bool, value: fn(&OptionRow) -> Option<&String>| -> BTreeMap<String, String> {
        let of_scope = options.iter().filter(|option| (option.scope == "engine") == engine);
        of_scope.filter_map(|option| Some((option.name.clone(), value(option)?.clone()))).collect()
    };
    let limits = memory_limit.map(|limit| ("memory_limit_bytes".to_owned(), limit.to_string()));
    let cold = (cache == "cold").then(|| ("cache".to_owned(), cache.clone()));
    // An option of the engine comes before one of the suite with the same name.
    let all_asked =
        limits.into_iter().chain(cold).chain(of(false, OptionRow::asked)).chain(of(true, OptionRow::asked)).collect();
    let (options, suite_options) = (of(true, OptionRow::in_force), of(false, OptionRow::in_force));
    let configuration = RunConfiguration { engine, version, tier, options, suite, suite_options, memory_limit, cache };
    (Arc::new(configuration), Arc::new(all_asked))
}

fn read_tests(
    connection: &Connection,
    metric: Metric,
    latencies: Latencies,
    texts: &mut Texts,
    runs: &mut [RunTests],
) -> Result<(), StoreError> {
    let latencies = match latencies {
        Latencies::Read => "CASE WHEN coalesce(t.operations_per_sample, 1) = 1 THEN t.histogram END",
        Latencies::Left => "NULL::BLOB",
    };
    let sql =
        RESULTS.replace("{value}", &metric.compared_sql()).replace("{latencies}", latencies).replace("{tests}", TESTS);
    let mut statement = connection.prepare(&sql).map_err(wrong)?;
    let mut answer = statement.query([]).map_err(wrong)?;
    while let Some(row) = answer.next().map_err(wrong)? {
        let place: u64 = row.get(0).map_err(wrong)?;
        let peak: Option<u64> = row.get(7).map_err(wrong)?;
        let test = test(row, texts).map_err(wrong)?;
        if let Some(run) = runs.get_mut(place as usize) {
            run.peak_memory_bytes = run.peak_memory_bytes.max(peak);
            run.tests.push(test);
        }
    }
    Ok(())
}

fn test(row: &Row<'_>, texts: &mut Texts) -> duckdb::Result<ComparedTest> {
    let name = row.get_ref(2)?.as_str().map(|name| texts.one(name))?;
    Ok(ComparedTest {
        test: row.get(1)?,
        name,
        value: row.get(3)?,
        operations: row.get(4)?,
        answer: row.get(5)?,
        agrees: row.get(6)?,
        latencies: row.get::<_, Option<Vec<u8>>>(8)?.map(Blob),
    })
}

fn wrong(error: duckdb::Error) -> StoreError {
    StoreError::Query { message: error.to_string() }
}

/// Texts of which each is kept once.
#[derive(Debug, Default)]
struct Texts(HashSet<Arc<str>>);

impl Texts {
    fn one(&mut self, text: &str) -> Arc<str> {
        match self.0.get(text) {
            Some(known) => Arc::clone(known),
            None => {
                let kept: Arc<str> = text.into();
                self.0.insert(Arc::clone(&kept));
                kept
            }
        }
    }
}
