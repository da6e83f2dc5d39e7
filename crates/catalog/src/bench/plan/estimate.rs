//! Estimates of a plan: runs, time and space.

use super::{BenchPlan, Configuration};
use crate::bench::{MOST_IN_TURNS, Slicing};
use dbdyno_engine::{
    durability::Tier,
    protocol::SuiteJob,
    suite::{KvActor, KvLoad, KvSuite, KvTest, KvWork, SqlSuite, TransactionScope},
};
use dbdyno_foundation::base::units::{bytes, clock, counted};
use std::time::Duration;

/// The durations of earlier runs of configurations.
pub trait RunTimeHistory {
    /// Returns the median duration of a run of this engine on this suite at this size, including start and end of the worker.
    fn run_time(&self, configuration: &Configuration, suite: &str) -> Option<Duration>;
}

impl RunTimeHistory for () {
    fn run_time(&self, _: &Configuration, _: &str) -> Option<Duration> {
        None
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchEstimate {
    pub runs: usize,
    /// Time of all runs.
    pub time: Duration,
    /// Whether the times of all configurations are those of earlier runs; otherwise some are rough guesses.
    pub from_history: bool,
    /// Maximum number of bytes on the disk at one time.
    pub space_bytes: u64,
    /// The time in which all is expected to be decided, by the noise of an earlier session.
    pub until_decided: Option<Duration>,
}

impl BenchEstimate {
    /// Describes the rounds that follow until all is decided. None: the number of rounds is fixed.
    pub fn more_rounds(&self, plan: &BenchPlan) -> Option<String> {
        let most = plan.until_decided.filter(|_| plan.configurations.len() > 1)?;
        let limit = self.time / plan.rounds.max(1) * most;
        let by_noise = |time| format!(": about {} in all, by the noise of the last such session", clock(time));
        let expected = self.until_decided.map_or_else(String::new, by_noise);
        let more = clock(limit.saturating_sub(self.time));
        Some(format!("then more rounds of what is undecided, for at most {more}{expected}"))
    }

    /// Describes the runs of the first `why` rounds that are repeated at the end, with their time. None: there are none.
    pub fn repeated(&self, plan: &BenchPlan, why: u32) -> Option<String> {
        let runs = plan.configurations.len() * why.min(plan.rounds) as usize;
        let time = self.time / self.runs.max(1) as u32 * runs as u32;
        let words = format!("then {} again to find out what their time goes to", counted(runs, "run"));
        (runs > 0).then(|| format!("{words}: about {} more", clock(time)))
    }

    /// Returns the estimate of this plan followed by another one.
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            time: self.time + other.time,
            from_history: self.from_history && other.from_history,
            space_bytes: self.space_bytes.max(other.space_bytes),
            until_decided: None,
        }
    }
}

/// Space on the work folder's disk, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes free for this user.
    pub free: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Without history: the assumed cost of an operation. Deliberately rough; one run later there is history.
const GUESSED_OPERATION: Duration = Duration::from_micros(3);
/// Without history: starting a worker, opening and closing a database.
const GUESSED_START: Duration = Duration::from_millis(80);
/// Bytes on the disk for each byte of keys and values: tree overhead, copy-on-write pages, a log next to the file.
const SPACE_FACTOR: u64 = 8;
/// Bytes on the disk of an empty database: preallocated regions and logs.
const SPACE_BASE: u64 = 64 << 20;
/// Bytes that a write transaction leaves behind while a snapshot is held: copied pages, or a log that cannot restart. Measured: 8 KiB of
/// SQLite's log, 20 KiB of LMDB, 25 KiB of redb for two rows in two leaves.
const LEFT_BEHIND: u64 = 28 << 10;
/// Without a rate: assumed write transactions a second while a snapshot is held.
const GUESSED_RATE: u64 = 20_000;
/// Space that always stays free: 5 % of the disk, but no more than this.
const RESERVE: u64 = 1 << 30;

/// Estimates a plan. `fsync`: the time of one small synced write in the work folder.
pub fn estimate(plan: &BenchPlan, history: &impl RunTimeHistory, fsync: Duration) -> BenchEstimate {
    let mut estimate = BenchEstimate {
        runs: plan.runs.len(),
        time: Duration::ZERO,
        from_history: true,
        space_bytes: 0,
        until_decided: None,
    };
    let mut spaces = Vec::with_capacity(plan.configurations.len());
    for configuration in &plan.configurations {
        let known = history.run_time(configuration, &plan.suite.name);
        estimate.from_history &= known.is_some();
        let run = known.unwrap_or_else(|| guess(plan, configuration, fsync));
        // Earlier runs may have been at another speed.
        let run = run.max(plan.suite.recorded_time(&configuration.suite_settings));
        estimate.time += run * plan.rounds;
        let left_behind = match plan.job(configuration) {
            SuiteJob::Kv(suite) => suite.tests.iter().map(left_behind).fold(0, u64::saturating_add),
            SuiteJob::Sql(_) => 0,
        };
        let data = plan.suite.data_bytes(configuration.size).saturating_mul(SPACE_FACTOR);
        let space = data.saturating_add(SPACE_BASE).saturating_add(left_behind);
        spaces.push(space);
    }
    spaces.sort_unstable_by(|a, b| b.cmp(a));
    // Each run's folder is removed before the next run begins, except for those that take turns.
    let at_once = if plan.conditions.slices == Slicing::Off { 1 } else { MOST_IN_TURNS };
    estimate.space_bytes = spaces.into_iter().take(at_once).fold(0, u64::saturating_add);
    estimate
}

fn guess(plan: &BenchPlan, configuration: &Configuration, fsync: Duration) -> Duration {
    let ((operations, commits), stated) = match plan.job(configuration) {
        SuiteJob::Kv(suite) => (kv_work(&suite), kv_time(&suite)),
        SuiteJob::Sql(suite) => (sql_work(&suite), Duration::ZERO),
    };
    // A commit in a tree without a log syncs data, then the page that points to it. An engine that may lose its latest commits in a power
    // loss, or whose tier is unknown, may do so too.
    let synced = match configuration.tier {
        Tier::PowerSafe | Tier::Consistent | Tier::Unknown => fsync * 2,
        Tier::ProcessSafe | Tier::Unsafe => Duration::ZERO,
    };
    let seconds = GUESSED_OPERATION.as_secs_f64() * operations + synced.as_secs_f64() * commits as f64;
    GUESSED_START + stated + Duration::from_secs_f64(seconds)
}

/// Counts operations and commits of a suite. A row of a scan takes a tenth of an operation.
fn kv_work(suite: &KvSuite) -> (f64, u64) {
    let mut sum = (0.0, 0);
    let add = |sum: &mut (f64, u64), operations: u64, work: &KvWork| {
        sum.0 += operations as f64 * if work.scans() { 0.1 } else { 1.0 };
        sum.1 += match work.transaction {
            TransactionScope::Read => 0,
            TransactionScope::One => 1,
            TransactionScope::Batch(batch) => operations.div_ceil(batch.max(1)),
            TransactionScope::Each => (operations as f64 * work.share_of_writes()).ceil() as u64,
        };
    };
    for test in &suite.tests {
        match &test.load {
            KvLoad::Alone(alone) => add(&mut sum, alone.operations, &alone.work),
            // Every row once more, in a few commits.
            KvLoad::Compaction(_) => {
                sum.0 += test.records as f64 * 0.1;
                sum.1 += 1;
            }
            // Tests that end after a time need no guess: see `kv_time`.
            KvLoad::Actors(load) if load.time_ms.is_some() => {}
            KvLoad::Actors(load) => {
                load.actors.iter().for_each(|actor| add(&mut sum, actor.operations.unwrap_or(0), &actor.work));
            }
        }
    }
    sum
}

/// Returns the time that the tests themselves specify.
fn kv_time(suite: &KvSuite) -> Duration {
    let ms = |test: &KvTest| match &test.load {
        KvLoad::Alone(_) | KvLoad::Compaction(_) => 0,
        KvLoad::Actors(load) => load.warm_up_ms + load.time_ms.unwrap_or(0),
    };
    Duration::from_millis(suite.tests.iter().map(ms).sum())
}

/// Returns the bytes that writers leave behind while a test holds snapshots.
fn left_behind(test: &KvTest) -> u64 {
    let KvLoad::Actors(load) = &test.load else { return 0 };
    let turn = |actor: &KvActor| {
        actor.during.map_or((0, load.time_ms.unwrap_or(0)), |during| (during.from_ms, during.until_ms))
    };
    let during = |holder: &KvActor| {
        let (from, until) = turn(holder);
        let transactions = |writer: &KvActor| {
            let (begins, ends) = turn(writer);
            let together_ms = ends.min(until).saturating_sub(begins.max(from));
            writer.arrival.map_or(GUESSED_RATE, |arrival| arrival.rate).saturating_mul(together_ms) / 1_000
        };
        let writers = load.actors.iter().filter(|actor| actor.threads > 0 && actor.work.writes());
        writers.map(transactions).fold(0, u64::saturating_add)
    };
    let holders = load.actors.iter().filter(|actor| actor.threads > 0 && actor.work.holds());
    holders.map(during).fold(0, u64::saturating_add).saturating_mul(LEFT_BEHIND)
}

fn sql_work(suite: &SqlSuite) -> (f64, u64) {
    suite.tests.iter().fold((0.0, 0), |(operations, commits), test| {
        // A row that a statement scans takes about a thirtieth of an operation.
        let work = test.operations() as f64 + test.rows_walked as f64 / 30.0;
        (operations + work, commits.saturating_add(test.commits()))
    })
}

/// Checks that the disk has enough space, with a reserve for other programs.
///
/// # Errors
/// The error says how much space is missing, and what to do.
pub fn check_space(estimate: &BenchEstimate, space: Space, folder: &str) -> Result<(), String> {
    let reserve = RESERVE.min(space.total / 20);
    if estimate.space_bytes.saturating_add(reserve) <= space.free {
        return Ok(());
    }
    Err(format!(
        "the largest database may take {} and {folder} has {} free: choose a smaller size or another work folder",
        bytes(estimate.space_bytes),
        bytes(space.free),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_does_not_fit_is_refused() {
        let estimate = BenchEstimate {
            runs: 1,
            time: Duration::ZERO,
            from_history: true,
            space_bytes: 10 << 30,
            until_decided: None,
        };
        let disk = |free: u64| Space { free, total: 100 << 30 };
        assert!(check_space(&estimate, disk(12 << 30), "/data").is_ok());
        let message = check_space(&estimate, disk((10 << 30) + 1), "/data").unwrap_err();
        assert!(message.contains("10.0 GiB") && message.contains("another work folder"), "{message}");
    }
}
