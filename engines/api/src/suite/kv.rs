//! A key-value suite as a worker receives it: every count, format and statement is already resolved for one size and one choice of the
//! suite's options.

use super::Template;
use crate::protocol::TestHead;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvSuite {
    /// As in its file and on the command line.
    pub name: String,
    /// Bytes of keys and values that the tests store at most at a time: a hint for engines that size a map ahead.
    pub data_bytes: u64,
    /// Statements that create the table, for engines that speak SQL.
    pub schema: Vec<String>,
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
    /// Whether it is measured; one that only prepares the database for a later test is not.
    pub measured: bool,
    /// Label of the database it runs on; a new label is a fresh database, an earlier one is opened again.
    pub database: String,
    /// Keys are drawn from `0..records`.
    pub records: u64,
    /// What a key looks like: `key_{key:08}`.
    pub key: Template,
    /// Who does what.
    #[serde(flatten)]
    pub load: KvLoad,
    /// Whether the database's whole content is read after the test, untimed, and made part of the verification value.
    pub verify_state: bool,
    /// The statements of an engine that speaks SQL.
    pub sql: KvStatements,
}

/// Who does the work of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum KvLoad {
    /// Several threads at once, which are told apart.
    Actors(KvActors),
    /// One thread that makes the database as small as the engine can. It is the test's one operation.
    Compaction(KvCompaction),
    /// One thread, without a wait between its operations.
    Alone(KvAlone),
}

/// A test that makes the database smaller, and changes nothing that is read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvCompaction {
    /// Always true: the field that tells this load from the others.
    #[cfg_attr(test, schemars(extend("const" = true)))]
    pub compact: bool,
}

/// What one thread does. Its fields are the test's own, as workers of version 1 know them.
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

/// What is done again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvWork {
    pub keys: KeyChoice,
    /// What an operation does; several are drawn by weight, one draw an operation.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub work: Vec<Work>,
    pub transaction: TransactionScope,
}

/// Groups of threads that work at the same time. They start together, and stop together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvActors {
    /// At least one with a thread.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub actors: Vec<KvActor>,
    /// The test ends after this time, ms; none: when the actors that have a number of operations have done them.
    pub time_ms: Option<u64>,
    /// Time before it in which the actors work and nothing is counted, ms.
    pub warm_up_ms: u64,
    /// Whether the database and the process are looked at each second, and the engine is asked what it tells of itself.
    #[serde(default)]
    pub followed: bool,
}

/// A group of threads that do the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvActor {
    pub name: String,
    /// None takes part where it is 0.
    pub threads: u32,
    #[serde(flatten)]
    pub work: KvWork,
    /// When its operations are due; none: each when the one before it is done.
    pub arrival: Option<Arrival>,
    /// Operations of all its threads together; none: it goes on until the test ends.
    pub operations: Option<u64>,
    /// When it takes part; none: from the beginning to the end.
    #[serde(default)]
    pub during: Option<During>,
}

/// A part of the time that a test is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct During {
    /// From the beginning of the measuring, ms.
    pub from_ms: u64,
    /// As `from_ms`, and after it.
    pub until_ms: u64,
}

/// Operations that are due at their times, whether those before them are done or not.
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
    /// All alike.
    #[default]
    Even,
    /// Exponential: arrivals that know nothing of each other.
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
            KvLoad::Actors(_) => None,
            KvLoad::Compaction(_) => Some(1),
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
}

/// How keys are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl KeyChoice {
    /// Returns the word used in files and in jobs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Shuffled => "shuffled",
            Self::Uniform => "uniform",
            Self::Zipfian => "zipfian",
            Self::Latest => "latest",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Work {
    /// Share among the test's kinds of operation, relative to the sum of all weights.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub weight: u64,
    /// The operation, with its own fields beside the weight.
    #[serde(flatten)]
    pub operation: Operation,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Operation {
    /// Read the value of a key, every byte of it.
    Get,
    Put {
        /// What the value looks like: `value_{key:08}`.
        value: Template,
    },
    /// Remove a key; one that is not there counts as a miss.
    Delete,
    /// Remove a key without asking whether it is there.
    Remove,
    Exists,
    /// Read every row in key order; one row is one operation.
    Scan,
    /// Read rows in key order from a key on, as many as are drawn from `least..=most`.
    Range {
        least: u64,
        most: u64,
    },
    /// Write a value under a key that no operation before had: records are numbered on from those that there are.
    Insert {
        /// As that of a put.
        value: Template,
    },
    /// Read a key's value, then write another.
    Modify {
        /// As that of a put.
        value: Template,
    },
    /// Read two accounts, move an amount drawn from `least..=most` from one to the other as far as it has so much, write both
    /// with versions one higher.
    Transfer {
        least: u64,
        most: u64,
    },
    /// Read accounts and add up their balances.
    Audit {
        /// So many, in key order from one that is drawn; none: all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accounts: Option<u64>,
    },
    /// Hold a snapshot for as long as the actor takes part; all accounts in it have to be the same at its end as at its beginning.
    Hold,
}

impl Operation {
    /// Returns the word used in files and in jobs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get => "get",
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
            Self::Get | Self::Exists | Self::Scan | Self::Range { .. } | Self::Audit { .. } | Self::Hold => false,
        }
    }
}

/// How operations are put into transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TransactionScope {
    /// Reads only: one read transaction over all, or one a read, as the engine's option `read_transaction` says.
    Read,
    /// One write transaction over all; begin is untimed, commit is timed.
    One,
    /// A commit every so many operations; all begins and commits are timed.
    Batch(u64),
    /// One for each operation: of reading, or of writing where it writes.
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
    /// Whether a key is there: (key) gives a row or none.
    pub exists: String,
    /// All rows in key order: () gives key and value.
    pub scan: String,
    /// Rows from a key on, in key order: (key, number of rows) gives key and value.
    pub range: String,
}
