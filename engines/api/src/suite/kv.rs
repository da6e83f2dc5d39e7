//! A key-value suite as a worker receives it: every count, format and statement is already resolved for one size and one choice of the
//! suite's options.

use super::Template;
use crate::protocol::TestHead;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvSuite {
    /// The suite's name, as in its file and on the command line.
    pub name: String,
    /// The most bytes of keys and values that the tests store at a time: a hint for engines that size a map in advance.
    pub data_bytes: u64,
    /// Statements that create the table, for engines that speak SQL.
    pub schema: Vec<String>,
    /// The folder with the operations of tests whose keys are [recorded](KeyChoice::Recorded). See [`crate::replay`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<PathBuf>,
    /// The tests, in the order they run.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub tests: Vec<KvTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvTest {
    /// Number in its suite, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub number: u32,
    pub name: String,
    /// Whether the test is measured. A test that only prepares the database for a later one is not.
    pub measured: bool,
    /// Label of the database that the test runs on. A new label means a fresh database; an earlier label reopens that database.
    pub database: String,
    /// Keys are drawn from `0..records`.
    pub records: u64,
    /// Format of the keys: `key_{key:08}`. Of recorded keys, it has only the length of the longest.
    pub key: Template,
    /// The work of the test, and the threads that do it.
    #[serde(flatten)]
    pub load: KvLoad,
    /// Whether the verification value includes the whole content of the database, which is read after the test, untimed.
    pub verify_state: bool,
    /// The statements of an engine that speaks SQL.
    pub sql: KvStatements,
}

/// The threads that do the work of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum KvLoad {
    /// Several threads at once, in groups with separate results.
    Actors(KvActors),
    /// One thread that compacts the database as far as the engine can. This is the test's only operation.
    Compaction(KvCompaction),
    /// One thread that does its operations without pauses.
    Alone(KvAlone),
}

/// A test that compacts the database without changing its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvCompaction {
    /// Always true: the field that distinguishes this load from the others.
    #[cfg_attr(test, schemars(extend("const" = true)))]
    pub compact: bool,
}

/// The work of one thread. Its fields are fields of the test itself, as workers of version 1 expect them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvAlone {
    /// Operations to do; for a scan, the rows expected.
    pub operations: u64,
    #[serde(flatten)]
    pub work: KvWork,
    /// Operations in one sample of the latencies, at least 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub clock_every: u64,
}

/// Repeated operations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvWork {
    pub keys: KeyChoice,
    /// What an operation does. If there are several, one is drawn by weight for each operation.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub work: Vec<Work>,
    pub transaction: TransactionScope,
}

/// Groups of threads that work at the same time. They start together, and stop together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvActors {
    /// The groups. At least one has a thread.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub actors: Vec<KvActor>,
    /// The test ends after this time, ms. None: it ends when the actors with a number of operations have done them.
    pub time_ms: Option<u64>,
    /// Warm-up time before the measurement, in which the actors work and nothing is counted, ms.
    pub warm_up_ms: u64,
    /// Whether the worker samples the database, the process and the engine's own figures each second.
    #[serde(default)]
    pub followed: bool,
}

/// A group of threads that do the same work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvActor {
    pub name: String,
    /// Number of threads. With 0, the actor takes no part.
    pub threads: u32,
    #[serde(flatten)]
    pub work: KvWork,
    /// When its operations are due. None: each is due when the previous one is done (closed loop).
    pub arrival: Option<Arrival>,
    /// When [recorded](KeyChoice::Recorded) operations are due, in percent of the recorded speed: 200 is twice as fast. None: each is due
    /// when the previous one of its thread is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub speed: Option<u64>,
    /// Operations of all its threads together. None: it continues until the test ends.
    pub operations: Option<u64>,
    /// The part of the test in which the actor works. None: the whole test.
    #[serde(default)]
    pub during: Option<During>,
}

impl KvActor {
    /// Returns the number of operations in each of its transactions, at least 1. A latency is that of a transaction.
    pub fn together(&self) -> u64 {
        match self.work.transaction {
            TransactionScope::Batch(operations) => operations.max(1),
            TransactionScope::Read | TransactionScope::One | TransactionScope::Each => 1,
        }
    }

    /// Returns the names of its work; none if its operations have no times of their own.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let work = if self.threads > 0 && self.together() == 1 { self.work.work.as_slice() } else { &[] };
        work.iter().filter_map(|work| work.name.as_deref())
    }

    /// Whether each of its operations is due at a time.
    pub fn is_due(&self) -> bool {
        self.arrival.is_some() || self.speed.is_some()
    }
}

/// A part of a test's measured time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct During {
    /// Its start, ms after the start of the measurement.
    pub from_ms: u64,
    /// Its end, ms after the start of the measurement. It is after `from_ms`.
    pub until_ms: u64,
}

/// Operations that are due at given times, whether or not the previous ones are done (open loop).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Arrival {
    /// Operations a second of all threads of the actor together, at least 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub rate: u64,
    pub gaps: Gaps,
}

/// Times between arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Gaps {
    /// All equal.
    #[default]
    Even,
    /// Exponentially distributed: independent arrivals.
    Poisson,
}

impl Gaps {
    /// Returns the word used in files and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::Poisson => "poisson",
        }
    }
}

impl KvSuite {
    /// Removes the tests that compact the database.
    pub fn leave_out_compaction(&mut self) {
        self.tests.retain(|test| !matches!(test.load, KvLoad::Compaction(_)));
    }

    /// Iterates over the tests that read keys in order.
    pub fn in_order(&self) -> impl Iterator<Item = &KvTest> {
        let reads = |work: &KvWork| work.work.iter().any(|work| work.operation.in_order());
        self.tests.iter().filter(move |test| test.works().into_iter().any(reads))
    }
}

impl KvTest {
    /// Returns the facts that the protocol reports about it.
    pub fn head(&self) -> TestHead<'_> {
        TestHead { number: self.number, name: &self.name, measured: self.measured, operations: self.operations() }
    }

    /// Returns the number of its operations. `None` if that depends on the content of the database or on time.
    pub fn operations(&self) -> Option<u64> {
        match &self.load {
            KvLoad::Alone(alone) => (!alone.work.scans()).then_some(alone.operations),
            KvLoad::Actors(load) => load.recorded_operations(),
            KvLoad::Compaction(_) => Some(1),
        }
    }

    /// Returns the names under which results are reported apart.
    pub fn names(&self) -> Vec<&str> {
        match &self.load {
            KvLoad::Actors(load) => load.actors.iter().flat_map(KvActor::names).collect(),
            KvLoad::Alone(_) | KvLoad::Compaction(_) => Vec::new(),
        }
    }

    /// Returns the work of all its threads.
    pub fn works(&self) -> Vec<&KvWork> {
        match &self.load {
            KvLoad::Alone(alone) => vec![&alone.work],
            KvLoad::Compaction(_) => Vec::new(),
            KvLoad::Actors(load) => {
                load.actors.iter().filter(|actor| actor.threads > 0).map(|actor| &actor.work).collect()
            }
        }
    }
}

impl KvActors {
    /// Returns the number of operations if all of them are recorded.
    fn recorded_operations(&self) -> Option<u64> {
        self.is_recorded().then(|| self.acting().map(|actor| actor.operations).sum()).flatten()
    }
}

impl KvWork {
    /// Whether it walks through all rows; each row is an operation.
    pub fn scans(&self) -> bool {
        self.work.iter().any(|work| matches!(work.operation, Operation::Scan))
    }

    /// Whether the work is to hold one snapshot.
    pub fn holds(&self) -> bool {
        self.work.iter().any(|work| work.operation == Operation::Hold)
    }

    /// Whether it changes the database.
    pub fn writes(&self) -> bool {
        self.work.iter().any(|work| work.operation.writes())
    }

    /// Returns the expected share of its operations that write, from 0 to 1.
    pub fn share_of_writes(&self) -> f64 {
        let all: u64 = self.work.iter().map(|work| work.weight).sum();
        let writing: u64 = self.work.iter().filter(|work| work.operation.writes()).map(|work| work.weight).sum();
        writing as f64 / all.max(1) as f64
    }
}

/// How keys are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum KeyChoice {
    /// 0, 1, 2 …
    Ascending,
    /// Each record once, in a random order.
    Shuffled,
    /// Uniform with repetition.
    Uniform,
    /// Zipf's law with exponent 0.99, scattered over all records: YCSB's scrambled zipfian.
    Zipfian,
    /// Zipf's law over the distance from the newest record: YCSB's latest.
    Latest,
    /// Those of a recording, with its operations: each thread does what its file in the [folder](KvSuite::recording) says, and a weight
    /// counts nothing. The same key is always in the same file.
    Recorded,
    /// Some records more often than others: the groups of equally popular records, scattered over all records. Together they are all
    /// records.
    Popular(Vec<Popularity>),
}

/// A group of equally popular records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Popularity {
    /// The number of records in the group, at least 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub records: u64,
    /// Share of the whole group among the draws, relative to the sum of all weights.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub weight: u64,
}

impl KeyChoice {
    /// Returns the word used in files and in jobs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Shuffled => "shuffled",
            Self::Uniform => "uniform",
            Self::Zipfian => "zipfian",
            Self::Latest => "latest",
            Self::Recorded => "recorded",
            Self::Popular(_) => "popular",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Work {
    /// Share among the test's kinds of operation, relative to the sum of all weights.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub weight: u64,
    /// The name under which its results are reported, apart from those of other work. None: they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The operation. Its own fields are next to the weight.
    #[serde(flatten)]
    pub operation: Operation,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Operation {
    /// Read the value of a key, every byte of it.
    Get,
    /// Read a key that no record has: a drawn key, with a `~` after it.
    Miss,
    Put {
        /// Format of the value: `value_{key:08}`.
        value: Template,
    },
    /// Remove a key. A missing key counts as a miss.
    Delete,
    /// Remove a key without checking whether it exists.
    Remove,
    Exists,
    /// Read every row in key order; one row is one operation.
    Scan,
    /// Read rows in key order, starting at a key. Their number is drawn from `least..=most`.
    Range {
        least: u64,
        most: u64,
    },
    /// Write a value under a new key. New records continue the numbers of the existing ones.
    Insert {
        /// Format of the value, as for a put.
        value: Template,
    },
    /// Read a key's value, then write another.
    Modify {
        /// Format of the value, as for a put.
        value: Template,
    },
    /// Read two accounts, move an amount drawn from `least..=most` from one to the other (at most its balance), and write both with their
    /// versions increased by 1.
    Transfer {
        least: u64,
        most: u64,
    },
    /// Read accounts and add up their balances.
    Audit {
        /// The number of accounts, in key order from a drawn one. None: all accounts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accounts: Option<u64>,
    },
    /// Hold a snapshot while the actor takes part. All accounts in it must be the same at its end as at its start.
    Hold,
}

impl Operation {
    /// Returns the word used in files and in jobs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Miss => "miss",
            Self::Put { .. } => "put",
            Self::Delete => "delete",
            Self::Remove => "remove",
            Self::Exists => "exists",
            Self::Scan => "scan",
            Self::Range { .. } => "range",
            Self::Insert { .. } => "insert",
            Self::Modify { .. } => "modify",
            Self::Transfer { .. } => "transfer",
            Self::Audit { .. } => "audit",
            Self::Hold => "hold",
        }
    }

    /// Whether the operation reads keys in their order.
    pub fn in_order(&self) -> bool {
        match self {
            Self::Scan | Self::Range { .. } | Self::Audit { .. } | Self::Hold => true,
            Self::Get
            | Self::Miss
            | Self::Put { .. }
            | Self::Delete
            | Self::Remove
            | Self::Exists
            | Self::Insert { .. }
            | Self::Modify { .. }
            | Self::Transfer { .. } => false,
        }
    }

    /// Whether the operation changes the database.
    pub fn writes(&self) -> bool {
        match self {
            Self::Put { .. }
            | Self::Delete
            | Self::Remove
            | Self::Insert { .. }
            | Self::Modify { .. }
            | Self::Transfer { .. } => true,
            Self::Get
            | Self::Miss
            | Self::Exists
            | Self::Scan
            | Self::Range { .. }
            | Self::Audit { .. }
            | Self::Hold => false,
        }
    }
}

/// How operations are put into transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TransactionScope {
    /// Reads only: one read transaction for all reads or one for each read, as the engine's option `read_transaction` says.
    Read,
    /// One write transaction for all operations; begin is untimed, commit is timed.
    One,
    /// A commit every N operations; all begins and commits are timed.
    Batch(u64),
    /// One transaction for each operation: a write transaction if the operation writes, else a read transaction.
    Each,
}

/// The statements that an engine which speaks SQL prepares for a test; parameters are bound in the order shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct KvStatements {
    /// Value of a key: (key) gives one column.
    pub get: String,
    /// Write a value: (key, value).
    pub put: String,
    /// Remove a key: (key).
    pub delete: String,
    /// Whether a key exists: (key) gives a row or none.
    pub exists: String,
    /// All rows in key order: () gives key and value.
    pub scan: String,
    /// Rows in key order, starting at a key: (key, number of rows) gives key and value.
    pub range: String,
}
