//! The table of a session: each test with every configuration's figure.

use dbdyno_catalog::engines::HARNESS_ENGINE;
use dbdyno_comparing::{
    doubt::Doubt,
    lint::{HarnessCosts, OUTSIDE_SHARE, prolonged_by_turns, summed},
};
use dbdyno_engine::{durability::Tier, protocol::CacheStart};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_stats::median;
use dbdyno_store::{ActorRecord, RunRecord, SessionConditions, SessionRecord, TestRecord, WarningRecord};
use dbdyno_workload::histogram::{empty, supported_quantile};
use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionTable {
    pub suite: String,
    /// The sizes, each with its tests.
    pub sizes: Vec<SizeTable>,
    /// The number of cores available to threads, if some tests have several threads.
    pub cores: Option<usize>,
    /// The limits of the session on its machine, if it had any: `a CPU quota of 0.2`.
    pub conditions: Vec<String>,
    /// Whether syncs do not reach the disk, so that no tier that depends on them is upheld.
    pub syncs_reach_no_disk: bool,
    /// The facts to know before believing the figures.
    pub doubts: Vec<Doubt>,
}

/// The tests at one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeTable {
    pub size: String,
    /// The memory available to its runs, bytes; none: without a limit.
    pub memory_limit_bytes: Option<u64>,
    /// The rows that its tests worked on, without any overhead, bytes; none if the suite does not state it.
    pub data_bytes: Option<u64>,
    /// Whether its tests began cold.
    pub cold: bool,
    /// Tests in order.
    pub tests: Vec<TestTable>,
}

/// One test with every configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestTable {
    pub test: u32,
    pub name: String,
    /// Configurations in the order of the session.
    pub rows: Vec<ConfigurationFigures>,
}

/// One configuration's figure in a test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigurationFigures {
    /// The engine with the options that distinguish it from others.
    pub label: String,
    pub runs: usize,
    /// Median time of the runs, ns: the time of the test, including opening the database if it began cold.
    pub median_ns: f64,
    /// Fastest run over the median, slowest run over the median; for a test that ended after a fixed time, in time per operation.
    pub spread: (f64, f64),
    /// Operations of one run.
    pub operations: u64,
    /// Operations per second, at the median: operations over the median time; for a test that ended after a fixed time, at the median run.
    pub rate: f64,
    /// Median latency of an operation over all runs, ns; none if too few operations were timed individually.
    pub p50_ns: Option<u64>,
    /// 99th percentile, ns.
    pub p99_ns: Option<u64>,
    /// Median size of the database with side files, bytes; none, as in the next two, if no run recorded it.
    pub database_bytes: Option<u64>,
    /// Median size of the side files, bytes.
    pub side_bytes: Option<u64>,
    /// Median count of sync calls.
    pub syncs: Option<u64>,
    /// The work outside the timer; none if unknown.
    pub outside: Option<OutsideRow>,
    /// The results of each actor, if the test has several threads.
    pub actors: Vec<ActorRow>,
    /// The durability tier: what a commit survives.
    pub tier: Tier,
    /// Whether its answers differ from other engines'.
    pub disagrees: bool,
    /// Whether there was nothing to check its answers against.
    pub not_verified: bool,
    /// Whether an operation takes too little time compared with the harness.
    pub harness_bound: bool,
    /// The share by which others' turns prolonged it, if it was measured in slices and the share is above 3 %.
    pub prolonged_by_turns: Option<f64>,
}

/// The results of an actor, or of the statements that have one name: medians of the runs, latencies over all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActorRow {
    pub name: String,
    /// Threads of an actor; none of statements.
    pub threads: Option<u32>,
    /// What statements have beside it; none of an actor.
    pub statement: Option<StatementFacts>,
    /// Operations per second.
    pub rate: f64,
    /// Operations per second that were due; none: each operation starts when the previous one is done.
    pub arrival_rate: Option<u64>,
    /// Median latency of an operation, ns: from when it was due, if it had a due time, otherwise from its start.
    pub p50_ns: Option<u64>,
    /// 99th percentile, ns.
    pub p99_ns: Option<u64>,
    /// Conflicts with other transactions.
    pub busy: u64,
    pub retries: u64,
    /// Operations that were abandoned.
    pub failures: u64,
    /// Operations that were due at the end but not begun.
    pub backlog: Option<u64>,
    /// The longest time of a timed operation, ns.
    pub longest_wait_ns: Option<f64>,
    /// Jain's index of the work done by its threads, from 0 to 1; none for one thread.
    pub fairness: Option<f64>,
}

/// The work for a test outside its timer: medians of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutsideRow {
    /// Opening the database, ns; none if it was already open.
    pub open_ns: Option<f64>,
    /// The work of the engine's own threads after the test, ns.
    pub settle_ns: f64,
    /// Closing the database, ns; none if it stayed open.
    pub close_ns: Option<f64>,
    /// Sync calls of all three; none if no run recorded them.
    pub syncs: Option<u64>,
    /// Bytes written by all three; none if no run recorded them.
    pub written_bytes: Option<u64>,
    /// The time of the test and all three together, ns.
    pub total_ns: f64,
    /// Whether they take so long that the test's time alone is misleading.
    pub counts: bool,
}

impl SessionTable {
    /// Builds the table of these runs.
    pub fn new(
        session: &SessionRecord,
        runs: &[RunRecord],
        results: &[TestRecord],
        actors: &[ActorRecord],
        harness: &HarnessCosts,
        warnings: &[WarningRecord],
    ) -> Self {
        let by_id: BTreeMap<&str, &RunRecord> = runs.iter().map(|run| (run.run_id.as_str(), run)).collect();
        let mut sizes: Vec<SizeTable> = Vec::new();
        let mut order: Vec<&RunRecord> = runs.iter().collect();
        order.sort_by_key(|run| run.ordinal);
        for run in &order {
            if !sizes.iter().any(|size| size.size == run.size) {
                sizes.push(SizeTable {
                    size: run.size.clone(),
                    memory_limit_bytes: run.memory_limit_bytes,
                    data_bytes: run.data_bytes,
                    cold: run.cache.as_deref() == Some(CacheStart::Cold.word()),
                    tests: Vec::new(),
                });
            }
        }
        let mut groups: BTreeMap<(&str, u32, &str), Vec<&TestRecord>> = BTreeMap::new();
        for result in results {
            if let Some(run) = by_id.get(result.run_id.as_str()) {
                groups.entry((&run.size, result.test, &run.label)).or_default().push(result);
            }
        }
        for size in &mut sizes {
            let mut tests: BTreeMap<u32, TestTable> = BTreeMap::new();
            for ((_, test, _), members) in groups.iter().filter(|((of, ..), _)| *of == size.size) {
                let name = members.first().map(|result| result.test_name.clone()).unwrap_or_default();
                tests.entry(*test).or_insert_with(|| TestTable { test: *test, name, rows: Vec::new() });
            }
            let mut labels: Vec<&RunRecord> = Vec::new();
            for run in order.iter().filter(|run| run.size == size.size) {
                if !labels.iter().any(|seen| seen.label == run.label) {
                    labels.push(run);
                }
            }
            for (number, test) in &mut tests {
                test.rows = labels
                    .iter()
                    .filter_map(|run| {
                        let members = groups.get(&(size.size.as_str(), *number, run.label.as_str()))?;
                        let row = row(run, members, harness)?;
                        Some(ConfigurationFigures { actors: actor_rows(members, actors), ..row })
                    })
                    .collect();
            }
            size.tests = tests.into_values().collect();
        }
        let doubts = summed(warnings);
        let cores = if actors.iter().all(|actor| actor.threads.is_none()) {
            None
        } else {
            std::thread::available_parallelism().ok()
        };
        let conditions = SessionConditions::from(session);
        Self {
            suite: session.suite.clone(),
            sizes,
            cores: cores.map(usize::from),
            conditions: conditions.in_words(None),
            syncs_reach_no_disk: conditions.syncs_believed == Some(false),
            doubts,
        }
    }
}

fn row(run: &RunRecord, members: &[&TestRecord], harness: &HarnessCosts) -> Option<ConfigurationFigures> {
    let first = members.first()?;
    let compared: Vec<f64> = members.iter().filter_map(|result| result.figures.compared(Metric::Wall)).collect();
    let middle_run = median(&compared).ok()?;
    let known = |metric: Metric| {
        let values: Vec<f64> = members.iter().filter_map(|result| result.figures.value(metric)).collect();
        metric.median(&values).ok()
    };
    let times: Vec<f64> = members.iter().filter_map(|result| result.figures.unit_ns()).map(|ns| ns as f64).collect();
    let median_ns = median(&times).ok()?;
    let middle = |metric: Metric| known(metric).map(|middle| middle.round() as u64);
    let rates: Vec<f64> = members.iter().filter_map(|result| result.figures.compared(Metric::Rate)).collect();
    let beyond: Vec<f64> = members.iter().filter_map(|result| result.figures.outside_unit_ns()).collect();
    let outside = |outside_ns: f64| {
        Some(OutsideRow {
            open_ns: known(Metric::Open),
            settle_ns: known(Metric::Settle)?,
            close_ns: known(Metric::Close),
            syncs: middle(Metric::OutsideSyncs),
            written_bytes: middle(Metric::OutsideWritten),
            total_ns: known(Metric::Total)?,
            counts: outside_ns > OUTSIDE_SHARE * median_ns,
        })
    };
    let latencies = merged(members);
    let quantile = |q: f64| latencies.as_ref().and_then(|all| supported_quantile(all, q));
    let least = compared.iter().copied().fold(f64::INFINITY, f64::min);
    let most = compared.iter().copied().fold(0.0, f64::max);
    let operations = first.figure(Metric::Operations)?;
    let own_rate = known(Metric::Rate)?;
    Some(ConfigurationFigures {
        label: run.label.clone(),
        runs: members.len(),
        median_ns,
        spread: (least / middle_run, most / middle_run),
        operations,
        rate: Metric::Rate.median(&rates).ok()?,
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
        database_bytes: middle(Metric::Database),
        side_bytes: middle(Metric::Side),
        syncs: middle(Metric::Syncs),
        outside: median(&beyond).ok().and_then(outside),
        actors: Vec::new(),
        tier: run.tier,
        disagrees: members.iter().any(|result| result.agrees == Some(false)),
        not_verified: run.engine != HARNESS_ENGINE && members.iter().any(|result| !result.is_verified()),
        harness_bound: harness.bounds(run, first.test, 1e9 / own_rate),
        prolonged_by_turns: prolonged_by_turns(members.iter().map(|result| &result.figures)),
    })
}

/// Facts about the statements that have one name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StatementFacts {
    /// Executions in a run.
    pub executions: u64,
    /// Their time in a run, ns.
    pub total_ns: f64,
    /// Its share of the time of the test's threads.
    pub share: f64,
    /// Whether the answers differ from other engines'.
    pub disagrees: bool,
}

/// Returns the actors in the tests of one configuration, in the order of first occurrence.
fn actor_rows(tests: &[&TestRecord], actors: &[ActorRecord]) -> Vec<ActorRow> {
    let is_of =
        |actor: &&ActorRecord| tests.iter().any(|test| (&test.run_id, test.test) == (&actor.run_id, actor.test));
    let mut by_name: Vec<(&str, Vec<&ActorRecord>)> = Vec::new();
    for actor in actors.iter().filter(is_of) {
        match by_name.iter_mut().find(|(name, _)| *name == actor.actor) {
            Some((_, members)) => members.push(actor),
            None => by_name.push((&actor.actor, vec![actor])),
        }
    }
    let whole: Vec<f64> = tests.iter().filter_map(|test| test.figures.value(Metric::Wall)).collect();
    let threads = by_name.iter().filter_map(|(_, members)| members.first()?.threads).sum::<u32>().max(1);
    let whole = Metric::Wall.median(&whole).ok().map(|wall| wall * f64::from(threads));
    by_name.into_iter().filter_map(|(_, members)| actor_row(&members, whole)).collect()
}

/// `whole`: the time of their test's threads, ns.
fn actor_row(members: &[&ActorRecord], whole: Option<f64>) -> Option<ActorRow> {
    let first = members.first()?;
    let known = |metric: Metric| {
        // For tests that began cold, the rate includes opening.
        let value =
            |figures: &Figures| if metric == Metric::Rate { figures.compared(metric) } else { figures.value(metric) };
        let values: Vec<f64> = members.iter().filter_map(|actor| value(&actor.figures)).collect();
        metric.median(&values).ok()
    };
    let count = |metric: Metric| known(metric).map(|middle| middle.round() as u64);
    let latencies = members.iter().try_fold(empty(), |mut all, actor| {
        all.add(actor.latencies()?).ok()?;
        Some(all)
    });
    let quantile = |q: f64| latencies.as_ref().and_then(|all| supported_quantile(all, q));
    let statement = || {
        let total_ns = known(Metric::Wall)?;
        Some(StatementFacts {
            executions: count(Metric::Operations)?,
            total_ns,
            share: total_ns / whole?,
            disagrees: members.iter().any(|one| one.agrees == Some(false)),
        })
    };
    Some(ActorRow {
        name: first.actor.clone(),
        threads: first.threads,
        statement: if first.threads.is_none() { statement() } else { None },
        rate: known(Metric::Rate)?,
        arrival_rate: first.arrival_rate,
        p50_ns: quantile(0.5),
        p99_ns: quantile(0.99),
        busy: count(Metric::Busy).unwrap_or(0),
        retries: count(Metric::Retries).unwrap_or(0),
        failures: count(Metric::Failures).unwrap_or(0),
        backlog: count(Metric::Backlog),
        longest_wait_ns: known(Metric::LongestWait),
        fairness: known(Metric::Fairness).map(|ppm| ppm / 1e6),
    })
}

/// Returns the latencies of all runs together; none if a sample is not one operation, or a histogram cannot be read.
fn merged(members: &[&TestRecord]) -> Option<Histogram<u64>> {
    let mut all = empty();
    for result in members {
        all.add(result.latencies()?).ok()?;
    }
    Some(all)
}
