//! What a choice is asked: the constraints that an engine with its settings has to meet.

use crate::capacity::Promises;
use dbdyno_engine::durability::Tier;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, time::Duration};

/// The constraints of a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constraints {
    /// What a commit has to survive.
    pub tier: Tier,
    /// The most memory that the program may use, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u64>,
    /// The most that the database may take on disk with its logs and side files, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_limit: Option<u64>,
    /// Response times to keep at a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<RatePromise>,
    /// How many threads may want to write at the same time.
    #[serde(default = "one")]
    pub writers: u32,
    /// The languages of the program, any of which will do; empty: any language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Accepted licences by their SPDX identifiers; empty: any licence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub licences: Vec<String>,
    /// The only engines to consider; empty: all that are installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<String>,
    /// Engines not to consider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

fn one() -> u32 {
    1
}

/// Response times to keep when operations are due at a rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatePromise {
    /// Operations a second.
    pub rate: u64,
    pub promises: Promises,
}

impl Constraints {
    /// Returns the constraints of a choice that asks for a tier only.
    pub fn of_tier(tier: Tier) -> Self {
        Self {
            tier,
            memory_limit: None,
            disk_limit: None,
            promise: None,
            writers: 1,
            languages: Vec::new(),
            licences: Vec::new(),
            engines: Vec::new(),
            without: Vec::new(),
        }
    }
}

/// A choice as it was asked for. With the files of the workload, if it has any, it can be asked again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub suite: String,
    /// Options of the suite that are not at their default.
    pub suite_options: BTreeMap<String, String>,
    pub size: String,
    /// Numbers of the tests that count; empty for all.
    pub tests: Vec<u32>,
    pub constraints: Constraints,
    /// The time budget, ms.
    pub budget_ms: u64,
    /// The seed of the choice of settings and of all keys and values.
    pub seed: u64,
}

impl Question {
    pub fn budget(&self) -> Duration {
        Duration::from_millis(self.budget_ms)
    }
}
