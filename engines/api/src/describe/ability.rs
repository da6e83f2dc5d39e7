//! The parts of suites that an engine supports, if it does not support all of them.

use crate::suite::KvTest;
use serde::{Deserialize, Serialize};

/// The parts of key-value suites that an engine supports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KvAbility {
    /// Operations by their names in a suite: `get`, `put`.
    pub operations: Vec<String>,
    /// Supported ways to draw keys: `ascending`, `zipfian`.
    pub keys: Vec<String>,
}

impl KvAbility {
    /// Returns the first feature that a test needs and the engine lacks, in words.
    pub(super) fn lacks(&self, test: &KvTest) -> Option<String> {
        test.works().into_iter().find_map(|work| {
            let lacks = |has: &[String], name: &str| !has.iter().any(|known| known == name);
            let operation =
                work.work.iter().map(|work| work.operation.name()).find(|name| lacks(&self.operations, name));
            let keys = Some(work.keys.name()).filter(|keys| lacks(&self.keys, keys) && !work.scans());
            operation
                .map(|name| format!("the operation {name}"))
                .or_else(|| keys.map(|keys| format!("keys in {keys} order")))
        })
    }
}

/// What several threads may do with a database at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Threads {
    pub writers: Writers,
    /// Whether others may read while one writes.
    pub readers_beside_writer: bool,
}

impl Threads {
    /// Many writers, one after the other or at the same time, and many readers alongside them.
    pub const MANY: Self = Self { writers: Writers::Many, readers_beside_writer: true };
}

/// How many threads of a test may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Writers {
    One,
    /// One after the other, or at the same time.
    Many,
}
