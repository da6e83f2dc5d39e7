//! What may differ between two sides of a comparison.

use dbdyno_engine::describe::one_of;
use serde::{Deserialize, Serialize};

/// A difference between A and B that keeps them from being compared unless it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Commits are not equally durable on both sides.
    Tiers,
    /// They ran in different sessions, on different machines or disks or with different limits, mounts or builds.
    Hosts,
    /// They ran at different sizes.
    Sizes,
    /// They ran different suites, or a different number of operations.
    Suites,
    /// They ran one suite with different options.
    SuiteOptions,
    /// They had different amounts of memory.
    Memory,
    /// Tests of one side began cold, and of the other warm.
    Caches,
}

impl Difference {
    pub const ALL: [Self; 7] =
        [Self::Tiers, Self::Hosts, Self::Sizes, Self::Suites, Self::SuiteOptions, Self::Memory, Self::Caches];

    /// What differs, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Tiers => "tiers: what a commit survives",
            Self::Hosts => "hosts: machines or disks, or their limits, mounts and builds",
            Self::Sizes => "sizes",
            Self::Suites => "suites, or the number of operations",
            Self::SuiteOptions => "suite options",
            Self::Memory => "memory limits",
            Self::Caches => "cold and warm starts",
        }
    }

    /// What differs, in one or two words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tiers => "tiers",
            Self::Hosts => "hosts or disks",
            Self::Sizes => "sizes",
            Self::Suites => "suites",
            Self::SuiteOptions => "suite options",
            Self::Memory => "memory limits",
            Self::Caches => "cold and warm",
        }
    }

    /// The one of this name, as `--allow` and presets give it.
    ///
    /// # Errors
    /// The names there are.
    pub fn named(name: &str) -> Result<Self, String> {
        let names: Vec<String> = Self::ALL.iter().map(|difference| difference.name().to_owned()).collect();
        let found = Self::ALL.into_iter().find(|difference| difference.name() == name);
        found.ok_or_else(|| format!("unknown difference `{name}`: expected {}", one_of(&names)))
    }

    /// The name of what allows it: `suite-options`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiers => "tiers",
            Self::Hosts => "hosts",
            Self::Sizes => "sizes",
            Self::Suites => "suites",
            Self::SuiteOptions => "suite-options",
            Self::Memory => "memory",
            Self::Caches => "caches",
        }
    }
}
