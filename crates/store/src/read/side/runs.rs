//! The chosen runs with their tests as values: in columns of their own types, without unrequested data.

use super::{
    ComparedTest, Latencies, RunConfiguration, RunTests,
    chosen::{SelectedTests, within},
};
use crate::{
    Blob, ReadWatch, StoreError, TierVerdicts,
    evidence::VERDICTS,
    read::{
        columns::{Chunk, bytes, each_chunk, flag, number, text},
        rows,
    },
    schema::TESTS,
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::metric::Metric;
use duckdb::{
    Connection,
    arrow::datatypes::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt64Type},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// The runs in any order; the options of each run as one hash. Two runs with different options have the same hash with a chance of 1 in
/// 2^64.
const RUNS: &str = "
    SELECT c.place, c.sides, epoch_us(r.started_at) AS started, r.run_id::VARCHAR AS run_id, r.session_id::VARCHAR AS session_id, r.ordinal, r.round, r.seed, r.status, r.label,
           r.twin_of, r.size, r.engine, r.engine_version AS version, r.tier, r.suite, r.memory_limit_bytes::UBIGINT AS memory_limit,
           coalesce(r.cache, 'warm') AS cache, r.tier_evidence, hash(r.engine_build, r.engine_source) AS build,
           r.session_id IN (SELECT session_id FROM session WHERE NOT syncs_believed) AS doubted, k.kind
    FROM chosen_run c JOIN run r USING (run_id) LEFT JOIN (
        SELECT run_id, bit_xor(hash(scope, name, asked, in_force)) AS kind
        FROM run_option WHERE run_id {within} AND run_id IN (SELECT run_id FROM chosen_run) GROUP BY run_id
    ) k USING (run_id) WHERE r.run_id {within}";

/// The options of some runs, given by their identifiers.
const OPTIONS: &str = "SELECT run_id::VARCHAR AS run_id, scope, name, asked, in_force FROM run_option
    WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID)";

/// How the engines of some runs were built, given by their identifiers.
const BUILDS: &str =
    "SELECT run_id::VARCHAR AS run_id, nullif(concat_ws(', ', engine_build, engine_source), '') AS build FROM run
    WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID)";

/// The tests in any order.
const RESULTS: &str = "
    SELECT c.place, c.sides, t.test, t.test_name, {actor} AS actor, ({value})::DOUBLE AS value,
           t.limit_ns IS NOT NULL AS timed, t.away_ns IS NOT NULL AS sliced, t.operations::UBIGINT AS operations,
           CASE WHEN t.verification NOT LIKE 'invariants:%' THEN hash(t.verification, t.rows) END AS answer,
           t.verification IS NOT NULL OR t.agrees IS NOT NULL AS verified, t.agrees,
           ({peak})::UBIGINT AS peak, {latencies} AS latencies
    FROM {tests} t JOIN {keys} WHERE t.run_id {within}";

const HAS_ACTORS: &str = "SELECT EXISTS (FROM actor_result)";

#[derive(Debug, Deserialize)]
struct RunOptionRow {
    run_id: Uuid,
    scope: String,
    name: String,
    asked: Option<String>,
    in_force: Option<String>,
}

impl RunOptionRow {
    /// Returns its value in force, or the requested value if it cannot be read back.
    fn in_force(&self) -> Option<&String> {
        self.in_force.as_ref().or(self.asked.as_ref())
    }

    /// Returns the requested value, or the value in force if that is not recorded.
    fn asked(&self) -> Option<&String> {
        self.asked.as_ref().or(self.in_force.as_ref())
    }
}

#[derive(Debug, Deserialize)]
struct BuildRow {
    run_id: Uuid,
    build: Option<String>,
}

/// The properties that distinguish configurations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ConfigurationKey {
    engine: Arc<str>,
    version: Arc<str>,
    tier: Option<u8>,
    suite: Arc<str>,
    memory_limit: Option<u64>,
    cache: Arc<str>,
    /// The verdict on its tier, from when it ran or later.
    tier_evidence: Option<Arc<str>>,
    /// A hash of the engine's build.
    build: Option<u64>,
    /// Whether syncs reach no disk on its machine.
    doubted: bool,
    /// A hash of its options.
    kind: Option<u64>,
}

/// A configuration, and its requested options.
type Configured = (Arc<RunConfiguration>, Arc<BTreeMap<String, String>>);

/// A run whose configuration has not been read yet.
struct FoundRun {
    /// Its number among all.
    place: usize,
    /// The sides to which it belongs, one bit each.
    sides: u64,
    /// When it began, µs from 1970 on; runs without a start come last.
    started: Option<i64>,
    /// The place of its configuration among all.
    configuration: usize,
    run: RunTests,
}

/// One side while its tests are being read.
#[derive(Debug, Clone, Default)]
struct PartialSide {
    runs: Vec<RunTests>,
    /// The index of a run in `runs`, by its number among all.
    of_place: Vec<Option<usize>>,
}

impl PartialSide {
    /// Selects the runs of a side.
    fn of(found: &[FoundRun], side: usize) -> Self {
        let mut one = Self { runs: Vec::new(), of_place: vec![None; found.len()] };
        for found in found.iter().filter(|found| is_in(found.sides, side)) {
            if let Some(place) = one.of_place.get_mut(found.place) {
                *place = Some(one.runs.len());
            }
            one.runs.push(found.run.clone());
        }
        one
    }

    /// Adds a test to the run with this number.
    fn push(&mut self, place: u64, peak: Option<u64>, test: ComparedTest) {
        let at = self.of_place.get(place as usize).copied().flatten();
        if let Some(run) = at.and_then(|at| self.runs.get_mut(at)) {
            run.peak_memory_bytes = run.peak_memory_bytes.max(peak);
            run.tests.push(test);
        }
    }

    /// Returns the runs that have tests, with the tests in the order of their suite.
    fn finished(self) -> Vec<RunTests> {
        let mut runs = self.runs;
        runs.retain_mut(|run| {
            // The name of an actor's part begins with the name of its test.
            run.tests.sort_by(|one, next| (one.test, &one.name).cmp(&(next.test, &next.name)));
            !run.tests.is_empty()
        });
        runs
    }
}

fn is_in(sides: u64, side: usize) -> bool {
    sides >> side & 1 == 1
}

/// Returns the chosen runs with their tests, for each of this number of sides, in the order in which they ran. Leaves out runs without a
/// finished test. `watch` counts the results as they are read.
pub(super) fn read(
    connection: &Connection,
    (chosen, sides): (SelectedTests, usize),
    (metric, latencies): (Metric, Latencies),
    watch: Option<&ReadWatch>,
) -> Result<Vec<Vec<RunTests>>, StoreError> {
    let Some(within) = within(connection)? else { return Ok(vec![Vec::new(); sides]) };
    let mut texts = Texts::default();
    let found = found_runs(connection, &within, &mut texts)?;
    let mut sides: Vec<PartialSide> = (0..sides).map(|side| PartialSide::of(&found, side)).collect();
    drop(found);
    let latencies = match latencies {
        Latencies::Read => "CASE WHEN coalesce(t.operations_per_sample, 1) = 1 THEN t.histogram END",
        Latencies::Left => "NULL::BLOB",
    };
    let wrong = |error: duckdb::Error| StoreError::Query { message: error.to_string() };
    let has_actors: bool = connection.query_row(HAS_ACTORS, [], |row| row.get(0)).map_err(wrong)?;
    let sql = RESULTS
        .replace("{value}", &metric.compared_sql())
        .replace("{peak}", &Metric::EngineMemory.sql())
        .replace("{latencies}", latencies)
        .replace("{tests}", if has_actors { TESTS } else { "result" })
        .replace("{actor}", if has_actors { "t.actor" } else { "NULL::VARCHAR" })
        .replace("{keys}", chosen.keys())
        .replace("{within}", &within);
    each_chunk(connection, &sql, &[], |chunk| {
        read_tests(chunk, &mut texts, &mut sides)?;
        watch.map_or(Ok(()), |watch| watch.count(chunk.rows().len()))
    })?;
    Ok(sides.into_iter().map(PartialSide::finished).collect())
}

/// Returns the chosen runs without their tests, in the order in which they ran.
fn found_runs(connection: &Connection, within: &str, texts: &mut Texts) -> Result<Vec<FoundRun>, StoreError> {
    let mut found: Vec<FoundRun> = Vec::new();
    let mut keys: Vec<(ConfigurationKey, Uuid)> = Vec::new();
    let mut known: HashMap<ConfigurationKey, usize> = HashMap::new();
    let sql = RUNS.replace("{within}", within);
    each_chunk(connection, &sql, &[], |chunk| read_runs(chunk, texts, &mut known, &mut keys, &mut found))?;
    let configurations = configurations(connection, keys)?;
    for FoundRun { configuration, run, .. } in &mut found {
        if let Some((configuration, asked)) = configurations.get(*configuration) {
            run.configuration = Arc::clone(configuration);
            run.asked = Arc::clone(asked);
        }
    }
    found.sort_by_cached_key(|found| {
        let FoundRun { started, run, .. } = found;
        (started.is_none(), *started, run.ordinal, run.run_id)
    });
    Ok(found)
}

fn read_runs(
    chunk: &Chunk,
    texts: &mut Texts,
    known: &mut HashMap<ConfigurationKey, usize>,
    keys: &mut Vec<(ConfigurationKey, Uuid)>,
    found: &mut Vec<FoundRun>,
) -> Result<(), StoreError> {
    let (place, sides) = (chunk.numbers::<UInt64Type>("place")?, chunk.numbers::<UInt64Type>("sides")?);
    let started = chunk.numbers::<Int64Type>("started")?;
    let (run_ids, session_ids) = (chunk.texts("run_id")?, chunk.texts("session_id")?);
    let (ordinal, round) = (chunk.numbers::<Int32Type>("ordinal")?, chunk.numbers::<Int32Type>("round")?);
    let (seed, kind) = (chunk.numbers::<UInt64Type>("seed")?, chunk.numbers::<UInt64Type>("kind")?);
    let (tier, memory_limit) = (chunk.numbers::<UInt8Type>("tier")?, chunk.numbers::<UInt64Type>("memory_limit")?);
    let [status, label, twin_of, size, engine, version, suite, cache, tier_evidence] =
        ["status", "label", "twin_of", "size", "engine", "version", "suite", "cache", "tier_evidence"]
            .map(|name| chunk.texts(name));
    let (status, label, twin_of, size) = (status?, label?, twin_of?, size?);
    let (engine, version, suite, cache, tier_evidence) = (engine?, version?, suite?, cache?, tier_evidence?);
    let (build, doubted) = (chunk.numbers::<UInt64Type>("build")?, chunk.flags("doubted")?);
    let nothing: (Arc<RunConfiguration>, Arc<BTreeMap<String, String>>) = Default::default();
    for row in chunk.rows() {
        let run_id = identifier(run_ids.value(row))?;
        let key = ConfigurationKey {
            engine: texts.one(engine.value(row)),
            version: texts.one(version.value(row)),
            tier: number(tier, row),
            suite: texts.one(suite.value(row)),
            memory_limit: number(memory_limit, row),
            cache: texts.one(cache.value(row)),
            tier_evidence: text(tier_evidence, row).map(|verdict| texts.one(verdict)),
            build: number(build, row),
            doubted: flag(doubted, row) == Some(true),
            kind: number(kind, row),
        };
        // Most runs have the configuration of the previous run.
        let before = found.last().map(|before| before.configuration).filter(|at| keys[*at].0 == key);
        let configuration = match before.or_else(|| known.get(&key).copied()) {
            Some(known) => known,
            None => {
                known.insert(key.clone(), keys.len());
                keys.push((key, run_id));
                keys.len() - 1
            }
        };
        let run = RunTests {
            run_id,
            session_id: identifier(session_ids.value(row))?,
            ordinal: ordinal.value(row).unsigned_abs(),
            round: round.value(row).unsigned_abs(),
            seed: number(seed, row),
            status: texts.one(status.value(row)),
            label: texts.one(label.value(row)),
            twin_of: text(twin_of, row).map(|label| texts.one(label)),
            size: texts.one(size.value(row)),
            configuration: Arc::clone(&nothing.0),
            asked: Arc::clone(&nothing.1),
            peak_memory_bytes: None,
            tests: Vec::new(),
        };
        let (place, sides) = (place.value(row) as usize, sides.value(row));
        found.push(FoundRun { place, sides, started: number(started, row), configuration, run });
    }
    Ok(())
}

fn identifier(text: &str) -> Result<Uuid, StoreError> {
    let unread = |error| StoreError::Query { message: format!("a stored row cannot be read: `{text}`: {error}") };
    Uuid::try_parse(text).map_err(unread)
}

/// Returns the configurations of keys, each with the options of one of its runs.
fn configurations(connection: &Connection, keys: Vec<(ConfigurationKey, Uuid)>) -> Result<Vec<Configured>, StoreError> {
    let runs: Vec<String> = keys.iter().map(|(_, run)| run.to_string()).collect();
    let mut options: HashMap<Uuid, Vec<RunOptionRow>> = HashMap::new();
    let mut builds: HashMap<Uuid, String> = HashMap::new();
    if !runs.is_empty() {
        let known = rows::<BuildRow>(connection, BUILDS, &[&runs.join(" ")])?;
        builds.extend(known.into_iter().filter_map(|row| Some((row.run_id, row.build?))));
        for row in rows::<RunOptionRow>(connection, OPTIONS, &[&runs.join(" ")])? {
            options.entry(row.run_id).or_default().push(row);
        }
    }
    let verdicts = TierVerdicts::from(rows(connection, VERDICTS, &[])?);
    let of_key = |(key, run)| {
        let options = options.get(&run).map(Vec::as_slice).unwrap_or_default();
        configured(key, options, builds.remove(&run), &verdicts)
    };
    Ok(keys.into_iter().map(of_key).collect())
}

fn configured(
    key: ConfigurationKey,
    options: &[RunOptionRow],
    build: Option<String>,
    verdicts: &TierVerdicts,
) -> Configured {
    let ConfigurationKey { engine, version, tier, suite, memory_limit, cache, tier_evidence, doubted, .. } = key;
    let of = |engine: bool, value: fn(&RunOptionRow) -> Option<&String>| -> BTreeMap<String, String> {
        let of_scope = options.iter().filter(|option| (option.scope == "engine") == engine);
        of_scope.filter_map(|option| Some((option.name.clone(), value(option)?.clone()))).collect()
    };
    let limits = memory_limit.map(|limit| ("memory_limit_bytes".to_owned(), limit.to_string()));
    let cold = (&*cache == "cold").then(|| ("cache".to_owned(), cache.to_string()));
    // An engine option takes precedence over a suite option of the same name.
    let all_asked = limits
        .into_iter()
        .chain(cold)
        .chain(of(false, RunOptionRow::asked))
        .chain(of(true, RunOptionRow::asked))
        .collect();
    let configuration = RunConfiguration {
        engine: engine.to_string(),
        version: version.to_string(),
        tier,
        // A store into which runs were imported may not have the evidence itself.
        tier_evidence: verdicts
            .of(&engine, &version, &of(true, RunOptionRow::asked))
            .or(tier_evidence.as_deref())
            .map(str::to_owned),
        options: of(true, RunOptionRow::in_force),
        suite: suite.to_string(),
        suite_options: of(false, RunOptionRow::in_force),
        memory_limit,
        cache: cache.to_string(),
        build,
        tier_cap: if doubted { Tier::ProcessSafe.number() } else { None },
    };
    (Arc::new(configuration), Arc::new(all_asked))
}

fn read_tests(chunk: &Chunk, texts: &mut Texts, all: &mut [PartialSide]) -> Result<(), StoreError> {
    let (places, sides) = (chunk.numbers::<UInt64Type>("place")?, chunk.numbers::<UInt64Type>("sides")?);
    let (tests, names) = (chunk.numbers::<Int32Type>("test")?, chunk.texts("test_name")?);
    let actors = chunk.texts("actor")?;
    let value = chunk.numbers::<Float64Type>("value")?;
    let (operations, answer) = (chunk.numbers::<UInt64Type>("operations")?, chunk.numbers::<UInt64Type>("answer")?);
    let (agrees, timed, sliced) = (chunk.flags("agrees")?, chunk.flags("timed")?, chunk.flags("sliced")?);
    let (verified, peak) = (chunk.flags("verified")?, chunk.numbers::<UInt64Type>("peak")?);
    let latencies = chunk.bytes("latencies")?;
    for row in chunk.rows() {
        let test = ComparedTest {
            test: tests.value(row).unsigned_abs(),
            name: texts.one(names.value(row)),
            actor: text(actors, row).map(|actor| texts.one(actor)),
            value: number(value, row),
            timed: flag(timed, row) == Some(true),
            sliced: flag(sliced, row) == Some(true),
            operations: number(operations, row),
            answer: number(answer, row),
            is_verified: flag(verified, row) == Some(true),
            agrees: flag(agrees, row),
            latencies: bytes(latencies, row).map(|bytes| Arc::new(Blob(bytes.to_vec()))),
        };
        let (place, peak, sides) = (places.value(row), number(peak, row), sides.value(row));
        for (_, side) in all.iter_mut().enumerate().filter(|(number, _)| is_in(sides, *number)) {
            side.push(place, peak, test.clone());
        }
    }
    Ok(())
}

/// Interned texts.
#[derive(Debug)]
struct Texts {
    all: HashSet<Arc<str>>,
    /// Recently used texts, by their lengths modulo the length of this list: most texts are used again immediately.
    met: Vec<Option<Arc<str>>>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { all: HashSet::new(), met: vec![None; 64] }
    }
}

impl Texts {
    fn one(&mut self, text: &str) -> Arc<str> {
        let place = text.len() % self.met.len();
        let met = &mut self.met[place];
        if let Some(known) = met.as_ref().filter(|known| ***known == *text) {
            return Arc::clone(known);
        }
        let kept = match self.all.get(text) {
            Some(known) => Arc::clone(known),
            None => {
                let kept: Arc<str> = text.into();
                self.all.insert(Arc::clone(&kept));
                kept
            }
        };
        *met = Some(Arc::clone(&kept));
        kept
    }
}
