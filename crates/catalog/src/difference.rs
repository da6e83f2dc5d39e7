//! Differences between the two sides of a comparison.

use dbdyno_engine::names::instead_of;
use serde::{Deserialize, Serialize};

/// A difference between A and B that prevents their comparison unless it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Commits on the two sides are not equally durable.
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

    /// Describes the difference.
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

    /// Describes the difference in one or two words.
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

    /// Returns the difference of this name, as `--allow` and presets use it.
    ///
    /// # Errors
    /// The error lists the valid names.
    pub fn named(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|difference| difference.name() == name);
        let instead = || instead_of(name, Self::ALL.iter().map(|difference| difference.name()));
        found.ok_or_else(|| format!("unknown difference `{name}`: {}", instead()))
    }

    /// Returns the name that allows it: `suite-options`.
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
