//! The worker protocol, version 2: one JSON job in, JSON Lines events out. Version 1 is the same without actors; its workers run every
//! test in one thread.
//!
//! A program that has options of type `path` also accepts the command `probe`. It reads one JSON object of all options from stdin, and
//! writes one [`Probed`](crate::describe::Probed) to stdout. If a file is not what it must be, it exits with code 2 and writes the reason
//! to stderr.
//!
//! Unknown fields are ignored in both directions, so that either side may be newer.

use crate::{
    EngineError,
    counters::Counters,
    settings::Settings,
    size::Size,
    suite::{KvSuite, KvTest, SqlSuite, SqlTest},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    str::FromStr,
};

/// The protocol version of this crate.
pub const PROTOCOL: u32 = 2;
/// The oldest version of workers that is still supported.
pub const OLDEST_PROTOCOL: u32 = 1;
/// The prefix of a verification value, which identifies the checksum. Values with another prefix come from another checksum, and are not
/// compared. Values from workers of version 1 have no prefix.
pub const DIGEST: &str = "3:";
/// The prefix of a verification value that is not a checksum. It reports whether the invariants of the test held: conditions that are true
/// in any order of its threads.
pub const INVARIANTS: &str = "invariants:";
/// The verification value of a test whose answers depend on the order of its threads, if its invariants held.
pub const INVARIANTS_HELD: &str = "invariants:held";
/// Longest line accepted, bytes.
pub const LONGEST_LINE: usize = 4 << 20;
/// Shortest time between two progress events, ms.
pub const LEAST_PROGRESS_MS: u64 = 50;

/// A worker's job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Job {
    #[cfg_attr(test, schemars(range(min = OLDEST_PROTOCOL, max = PROTOCOL)))]
    pub protocol: u32,
    /// The run's UUID.
    pub run_id: String,
    pub engine: String,
    /// Every option with its value.
    pub options: Settings,
    pub suite: SuiteJob,
    /// The suite's size, for messages; counts in the suite are already resolved.
    pub size: Size,
    /// Seed of all randomness.
    pub seed: u64,
    /// A fresh folder for this run alone.
    pub folder: PathBuf,
    /// CPU to pin the measuring thread to.
    pub cpu: Option<u32>,
    /// Which part of a database may be in memory when a measured test begins.
    #[serde(default, skip_serializing_if = "CacheStart::is_warm")]
    pub cache: CacheStart,
    /// Time between two progress events, ms.
    pub progress_ms: u64,
    /// The worker ends itself after this many ms.
    pub deadline_ms: Option<u64>,
    /// Whether the worker waits for a line on stdin after `opened` and after every `test_done`, so that nothing
    /// is measured while the last result is being stored.
    #[serde(default)]
    pub wait: bool,
    /// Whether the folder is kept when the worker is asked to stop.
    #[serde(default)]
    pub keep_folder: bool,
    /// Whether the worker also finds out what the time of its measured tests goes to, although that slows them down. Such a run explains
    /// another one of the same configuration and seed, and its times are compared with nothing else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub explain: bool,
    /// The tests in which the worker takes turns with those of the same round. A worker that does not know this does its tests in one go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<SliceTerms>,
}

/// How the workers of a round take turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SliceTerms {
    /// The measured time of a slice, ns. When it has passed, the worker stops its timer between two operations, sends `turn`, and waits for
    /// a line on stdin.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub ns: u64,
    /// The numbers of the tests that are sliced.
    pub tests: BTreeSet<u32>,
}

/// Takes a reference, because serde requires one.
fn is_false(value: &bool) -> bool {
    !*value
}

/// Which part of a database may be in memory when a measured test begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CacheStart {
    /// Everything that earlier tests left there.
    #[default]
    Warm,
    /// Only what could not be dropped: the database is closed, synced, dropped from the page cache and opened again. The worker reports in
    /// the test's counter `resident_bytes` how much of the database was still in memory, and in `start_bytes` the size of the database.
    Cold,
}

impl CacheStart {
    /// Returns its word in jobs, files, on the command line and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }

    /// Takes a reference, because serde requires one.
    pub fn is_warm(&self) -> bool {
        *self == Self::Warm
    }

    /// Whether a test begins cold. Tests that are not measured only prepare.
    pub fn is_cold_for(self, measured: bool) -> bool {
        self == Self::Cold && measured
    }
}

impl FromStr for CacheStart {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        [Self::Warm, Self::Cold]
            .into_iter()
            .find(|cache| cache.word() == word)
            .ok_or_else(|| format!("`{word}`: expected warm or cold"))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SuiteJob {
    Kv(KvSuite),
    Sql(SqlSuite),
}

/// Facts about a test that are known before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestHead<'s> {
    /// Number in its suite, from 1.
    pub number: u32,
    pub name: &'s str,
    pub measured: bool,
    /// Number of its operations; none if it depends on the content of the database, as for a scan.
    pub operations: Option<u64>,
}

impl SuiteJob {
    /// Returns the tests, in the order they run.
    pub fn tests(&self) -> Vec<TestHead<'_>> {
        match self {
            Self::Kv(suite) => suite.tests.iter().map(KvTest::head).collect(),
            Self::Sql(suite) => suite.tests.iter().map(SqlTest::head).collect(),
        }
    }
}

/// A message from a worker.
///
/// ```
/// use dbdyno_engine::protocol::Event;
///
/// let line = r#"{"event": "failed", "test": 3, "message": "disk full", "database_usable": true, "what is new": 1}"#;
/// let event: Event = serde_json::from_str(line)?;
/// assert_eq!(event, Event::Failed { test: Some(3), message: "disk full".to_owned(), database_usable: true });
/// assert_eq!(serde_json::to_string(&Event::Done)?, r#"{"event":"done"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Opened {
        /// Version of the engine's library as it is running.
        version: String,
        /// How it was built: compile options, one a line.
        #[serde(default)]
        build: Vec<String>,
        /// The source that it was built from, if the library reports it.
        #[serde(default)]
        source: Option<String>,
        /// Options that could be read back, with the values in force.
        in_force: BTreeMap<String, String>,
        /// How long opening took, ns.
        open_ns: u64,
        /// The clock for the times of tests: `counter` (the processor's) or `monotonic`.
        #[serde(default)]
        clock: Option<String>,
    },
    TestStarted {
        /// Number in its suite, from 1.
        #[cfg_attr(test, schemars(range(min = 1)))]
        test: u32,
        name: String,
        /// Whether it is measured, or only prepares the database.
        measured: bool,
        /// Operations that it will do, if known.
        operations: Option<u64>,
        /// Operations in one sample of its latencies.
        #[serde(default)]
        operations_per_sample: Option<u64>,
        /// How long it will take with its warm-up, ms, if it ends after a time.
        #[serde(default)]
        time_ms: Option<u64>,
        /// Its actors, if it has several threads.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        actors: Vec<ActorHead>,
    },
    /// A test is running.
    Progress {
        /// Number in its suite, from 1.
        #[cfg_attr(test, schemars(range(min = 1)))]
        test: u32,
        /// Operations done.
        operations: u64,
        /// Operations that it will do, if known.
        total: Option<u64>,
        /// Time since it began, ns; 0 while it is being prepared.
        elapsed_ns: u64,
        /// Latencies since the last progress event (base64 of an HdrHistogram, V2 compressed).
        #[cfg_attr(test, schemars(extend("contentEncoding" = "base64")))]
        histogram: Option<String>,
        /// The same for each actor, if the test has several threads.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        actors: Vec<ActorProgress>,
        /// The named statements and work with the most time so far.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, schemars(length(max = MOST_STATEMENTS)))]
        statements: Vec<StatementProgress>,
        /// Current figures of a followed test, about once a second: `database_bytes`, `side_bytes`, `rss_bytes`, `written_bytes` (since it
        /// began), and the engine's own figures.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[cfg_attr(test, schemars(extend("maxProperties" = 32)))]
        readings: BTreeMap<String, u64>,
    },
    TestDone(Box<TestDone>),
    /// A slice of the test under way is over, and the timer stands still until a line on stdin: see [`SliceTerms`].
    Turn {
        /// Number in its suite, from 1.
        #[cfg_attr(test, schemars(range(min = 1)))]
        test: u32,
        /// Operations done.
        operations: u64,
        /// Wall time of the test so far, ns.
        wall_ns: u64,
    },
    /// The run is finished and the database closed.
    Done,
    /// Kill test: this many transactions have been committed.
    Committed {
        /// Commits so far, of this thread.
        commits: u64,
        /// Which of several threads, from 0.
        #[serde(default, skip_serializing_if = "is_first")]
        thread: u32,
    },
    /// Kill test: the database was opened again, is sound, and holds this many commits.
    Recovered {
        /// Commits found, without a gap, of this thread.
        commits: u64,
        /// Which of several threads, from 0.
        #[serde(default, skip_serializing_if = "is_first")]
        thread: u32,
    },
    Failed {
        /// The number of the test; none while opening or closing.
        #[cfg_attr(test, schemars(range(min = 1)))]
        test: Option<u32>,
        #[cfg_attr(test, schemars(length(min = 1)))]
        message: String,
        /// Whether the database could still be used.
        database_usable: bool,
    },
}

/// Takes a reference, because serde requires one. Workers with one thread do not name it, and programs that read their events need not
/// know of others.
fn is_first(thread: &u32) -> bool {
    *thread == 0
}

impl Event {
    /// Returns the event's word on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "opened",
            Self::TestStarted { .. } => "test_started",
            Self::Progress { .. } => "progress",
            Self::TestDone(_) => "test_done",
            Self::Turn { .. } => "turn",
            Self::Done => "done",
            Self::Committed { .. } => "committed",
            Self::Recovered { .. } => "recovered",
            Self::Failed { .. } => "failed",
        }
    }
}

/// The result of one test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestDone {
    /// Number in its suite, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub test: u32,
    pub measured: bool,
    /// Wall time, ns.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub wall_ns: u64,
    /// Operations done.
    pub operations: u64,
    /// Rows read, found, written or removed.
    pub rows: u64,
    /// Checksum of the answers; none from an engine that does not answer.
    pub verification: Option<String>,
    /// Peak of resident memory during the test, bytes.
    pub peak_rss_bytes: u64,
    /// Size of the database with its side files, bytes.
    pub database_bytes: u64,
    /// Size of the side files alone (logs, journals, locks), bytes.
    pub side_bytes: u64,
    /// Operations in one sample of the histogram.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub operations_per_sample: u64,
    /// All latencies (base64 of an HdrHistogram, V2 compressed), ns a sample.
    #[cfg_attr(test, schemars(extend("contentEncoding" = "base64")))]
    pub histogram: String,
    /// The results of the actors, if the test has several threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<ActorDone>,
    /// The results under each name that steps of the test have, in the order in which the names occur first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<StatementDone>,
    /// What the tables hold at the end of a replay whose order is not concurrent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<TableContent>,
    /// How the engine finds the rows of the test's statements, unless they have names. Statements beyond [`MOST_PLANS`] are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = MOST_PLANS)))]
    pub plans: Vec<PlannedQuery>,
    /// What an explaining run found out about the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<ExplainedTest>,
    /// Other costs, by the names of the figures: see [`Counters`].
    #[serde(flatten)]
    pub counters: Counters,
}

/// The most statements of a test whose plans are sent.
pub const MOST_PLANS: usize = 16;

/// How an engine finds the rows of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlannedQuery {
    /// Its text, with placeholders.
    pub statement: String,
    /// A step a line: as `EXPLAIN QUERY PLAN` prints it, or in words of the engine's own.
    pub plan: Vec<String>,
}

/// What the time of a test's threads went to, as far as only an explaining run can tell. The test's `part_..._ns` counters divide the same
/// time more coarsely.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExplainedTest {
    /// Kinds of calls and waits, each with its time. Kinds that are missing are unknown.
    #[serde(default)]
    pub spent: BTreeMap<SpentKind, SpentTime>,
    /// Call stacks of the threads while they were on a CPU, sampled at random times: the functions from the outermost to the one that ran,
    /// separated by `;`. Not more than [`MOST_STACKS`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(test, schemars(extend("maxProperties" = MOST_STACKS)))]
    pub stacks: BTreeMap<String, u64>,
}

/// The most call stacks of a test that are sent. A worker gives the samples of the rarest ones to their callers.
pub const MOST_STACKS: usize = 1_000;

/// A kind of calls and waits, which the parts of a test's time do not tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpentKind {
    /// Calls that read from files.
    Read,
    /// Calls that write to files, or change their size.
    Write,
    /// Locks of files and of memory, and waits for other threads.
    Lock,
    /// Page faults that wait for a read.
    Fault,
    /// Sync calls, of workers that do not time them.
    Sync,
    /// Pauses, of workers that do not time them.
    Sleep,
}

impl SpentKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Read, Self::Write, Self::Lock, Self::Fault, Self::Sync, Self::Sleep];

    /// Returns its word in events and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Lock => "lock",
            Self::Fault => "fault",
            Self::Sync => "sync",
            Self::Sleep => "sleep",
        }
    }
}

/// The time of a kind of calls and waits in a test, of all threads together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpentTime {
    /// How many there were, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// On a CPU: a part of the test's time in user mode and in the kernel, ns.
    #[serde(default)]
    pub cpu_ns: u64,
    /// Waiting: a part of the test's other waiting (`part_rest_ns`), ns.
    #[serde(default)]
    pub wait_ns: u64,
}

/// What a table holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableContent {
    pub table: String,
    pub rows: u64,
    /// Checksum of the rows, in any order.
    pub checksum: String,
}

/// The results of the steps of a SQL test that have the same name, of all threads together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatementDone {
    pub name: String,
    /// Sum of the times of all executions, ns.
    pub wall_ns: u64,
    /// Executions. Those of a transaction are its commits, each with its begin.
    pub operations: u64,
    /// Rows read or changed.
    pub rows: u64,
    /// The time of each execution (base64 of an HdrHistogram, V2 compressed), ns.
    #[cfg_attr(test, schemars(extend("contentEncoding" = "base64")))]
    pub histogram: String,
    /// Checksum of the answers, in any order of the executions; none from an engine that does not answer, and of names without reads or
    /// writes.
    pub verification: Option<String>,
    /// Executions that failed, where a replay expects that some do.
    #[serde(default, skip_serializing_if = "is_none")]
    pub failures: u64,
    /// What the engine said about the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// How the engine finds the rows, a step a line: as `EXPLAIN QUERY PLAN` prints it, or in words of the engine's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
}

/// Takes a reference, because serde requires one.
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Facts about an actor that are known before it works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ActorHead {
    pub name: String,
    pub threads: u32,
    /// Operations that are due a second. None: each begins when the previous one is done (closed loop).
    #[serde(default)]
    pub rate: Option<u64>,
}

/// An actor's progress so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ActorProgress {
    pub name: String,
    /// Operations done.
    pub operations: u64,
    /// How often it conflicted with another transaction.
    #[serde(default)]
    pub busy: u64,
    /// Operations that are due but not begun, if operations are due at given times.
    #[serde(default)]
    pub backlog: Option<u64>,
    /// Snapshots that it holds, if any.
    #[serde(default)]
    pub held: Option<u64>,
    /// Latencies since the last progress event: response times if operations are due at given times, else service times (base64 of an
    /// HdrHistogram, V2 compressed).
    #[serde(default)]
    #[cfg_attr(test, schemars(extend("contentEncoding" = "base64")))]
    pub histogram: Option<String>,
}

/// The executions so far of the statements or the work that have one name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatementProgress {
    pub name: String,
    pub operations: u64,
    /// Their time in all threads together, ns.
    pub wall_ns: u64,
}

/// The most statements of a progress event.
pub const MOST_STATEMENTS: usize = 20;

/// The result of one actor of a test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ActorDone {
    pub name: String,
    pub threads: u32,
    /// Wall time without the time for drawing inputs, ns. For an actor with a number of operations it is from the start of its first thread
    /// to the end of its last; for others it is the mean of its threads.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub wall_ns: u64,
    /// Operations done, in all threads.
    pub operations: u64,
    /// Rows read, found, written or removed.
    pub rows: u64,
    /// Operations in one sample of the histogram.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub operations_per_sample: u64,
    /// Service times: from the start of an operation to its end (base64 of an HdrHistogram, V2 compressed), ns a sample.
    #[cfg_attr(test, schemars(extend("contentEncoding" = "base64")))]
    pub histogram: String,
    /// Response times: from the moment an operation was due. None if operations have no such moment.
    #[serde(default)]
    #[cfg_attr(test, schemars(extend("contentEncoding" = "base64")))]
    pub response: Option<String>,
    /// Figures by their names: `failures`, `busy`, `retries`, `longest_wait_ns`, `fairness_ppm`, `backlog`.
    #[serde(flatten)]
    pub counters: Counters,
}

/// The error that failed a run, and the test in which it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFailure {
    /// The number of the test; none while opening or closing.
    pub test: Option<u32>,
    pub error: EngineError,
}

impl RunFailure {
    pub fn during(test: u32) -> impl FnOnce(EngineError) -> Self {
        move |error| Self { test: Some(test), error }
    }
}

impl From<EngineError> for RunFailure {
    fn from(error: EngineError) -> Self {
        Self { test: None, error }
    }
}
