//! A key-value suite as a worker gets it: every count, format and statement already resolved for one size and one choice
//! of the suite's options.

use super::Template;
use crate::protocol::TestHead;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KvSuite {
    /// As in its file and on the command line.
    pub name: String,
    /// Bytes of keys and values that the tests store at most at a time: a hint for engines that size a map ahead.
    pub data_bytes: u64,
    /// Statements that create the table, for engines that speak SQL.
    pub schema: Vec<String>,
    /// The tests, in the order they run.
    pub tests: Vec<KvTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KvTest {
    /// Number in its suite, from 1.
    pub number: u32,
    pub name: String,
    /// Whether it is measured; one that only prepares the database for a later test is not.
    pub measured: bool,
    /// Label of the database it runs on; a new label is a fresh database, an earlier one is opened again.
    pub database: String,
    /// Operations to do; for a scan, the rows expected.
    pub operations: u64,
    /// Keys are drawn from `0..records`.
    pub records: u64,
    pub keys: KeyOrder,
    /// What a key looks like: `key_{key:08}`.
    pub key: Template,
    /// What an operation does; several are drawn by weight, one draw an operation.
    pub work: Vec<Work>,
    pub transaction: TransactionScope,
    /// Operations between two reads of the clock, at least 1. The latency histogram then holds stretches of this many.
    pub clock_every: u64,
    /// Whether the database's whole content is read after the test, untimed, and made part of the verification value.
    pub verify_state: bool,
    /// The statements of an engine that speaks SQL.
    pub sql: KvStatements,
}

impl KvTest {
    /// What the protocol says of it.
    pub fn head(&self) -> TestHead<'_> {
        let scans = self.work.iter().any(|work| matches!(work.operation, Operation::Scan));
        let operations = (!scans).then_some(self.operations);
        TestHead { number: self.number, name: &self.name, measured: self.measured, operations }
    }
}

/// How keys are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyOrder {
    /// 0, 1, 2 …
    Ascending,
    /// Uniform with repetition.
    Uniform,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Share among the test's kinds of operation, relative to the sum of all weights.
    pub weight: u64,
    /// The operation, with its own fields beside the weight.
    #[serde(flatten)]
    pub operation: Operation,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    Exists,
    /// Read every row in key order; one row is one operation.
    Scan,
}

impl Operation {
    /// Whether the operation changes the database.
    pub fn writes(&self) -> bool {
        matches!(self, Self::Put { .. } | Self::Delete)
    }
}

/// How operations are put into transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransactionScope {
    /// Reads only: one read transaction over all, or one a read, as the engine's option `read_transaction` says.
    Read,
    /// One write transaction over all; begin is untimed, commit is timed.
    One,
    /// A commit every so many operations; all begins and commits are timed.
    Batch(u64),
}

/// The statements that an engine which speaks SQL prepares for a test; parameters are bound in the order shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
}
