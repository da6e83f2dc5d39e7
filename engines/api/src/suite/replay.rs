//! A recorded application as the load of a SQL test.

use super::Expression;
use serde::{Deserialize, Serialize};

/// A recording to be replayed. Its statements and calls are in files of their own, which [`crate::replay`] describes, in the folder that
/// the suite names.
///
/// Each lane is a thread. It does the transactions of its file in order. A statement outside of BEGIN and COMMIT is a transaction of its
/// own. A transaction waits for those that had written before it began in the recording, and those that write take turns in their recorded
/// order. No thread waits inside a transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplaySpec {
    /// Threads. Connections of the recording that were open at the same time are in different ones.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub lanes: u32,
    /// Transactions of all lanes. Each is an operation.
    pub transactions: u64,
    /// Those that write.
    pub writes: u64,
    /// When transactions are due, in percent of the recorded speed: 200 is twice as fast. With 0 none is due at a time: each begins when
    /// the one before it in its lane has ended.
    #[serde(default)]
    pub speed: Expression,
    /// The order of transactions in different lanes.
    #[serde(default)]
    pub order: ReplayOrder,
    /// The statements under whose names results are reported.
    pub statements: Vec<ReplayedStatement>,
    /// Tables whose content at the end is not part of the verification value.
    #[serde(default)]
    pub unequal_tables: Vec<String>,
}

/// Statements that are reported together, because they differ only in their values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplayedStatement {
    pub name: String,
    /// Whether the answers are part of the verification value: they are the same each time.
    #[serde(default)]
    pub is_verified: bool,
    /// Whether its executions may fail, as some did in the recording. A failure is then an answer.
    #[serde(default)]
    pub may_fail: bool,
}

/// The order in which transactions of different lanes are done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReplayOrder {
    /// At once, as far as the recording allows.
    #[default]
    Concurrent,
    /// One after the other, each that only reads as early as the recording allows.
    Early,
    /// One after the other, each that only reads as late as the recording allows.
    Late,
}

/// The name of the actor whose threads are the lanes.
pub const REPLAY_ACTOR: &str = "connections";

impl ReplaySpec {
    /// Returns the speed of a resolved suite, in percent of the recorded one; none: as fast as possible.
    pub fn percent(&self) -> Option<u64> {
        self.speed.count().filter(|percent| *percent > 0)
    }

    /// Whether several threads do it and one of them writes.
    pub fn has_writing_threads(&self) -> bool {
        self.lanes > 1 && self.writes > 0
    }
}
