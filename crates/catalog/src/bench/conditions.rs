//! Conditions of runs besides options: the memory limit, whether tests begin with an empty cache, and whether they take turns. Also the
//! conversion of an amount of memory to an amount of data.

use crate::{Suite, TestPick};
use dbdyno_engine::{describe::parse_bytes, protocol::CacheStart, size::Size};
use dbdyno_foundation::base::units;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Conditions that apply to all runs of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// Memory limit of a worker, including the page cache of its reads and writes, bytes; none: without a limit.
    pub memory_limit: Option<u64>,
    /// The cache state of the database when a test begins.
    pub cache: CacheStart,
    /// When the tests of a round take turns in slices.
    #[serde(default)]
    pub slices: Slicing,
}

/// The most runs that take turns: each has its database on the disk and in memory.
pub const MOST_IN_TURNS: usize = 8;

/// When the tests of a round take turns in slices of milliseconds, of those that can be cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slicing {
    #[default]
    Off,
    /// Always.
    On,
    /// Until a worker works while others have their turns: from the next round on, that test is measured in one go.
    Auto,
}

impl Slicing {
    const ALL: [Self; 3] = [Self::Off, Self::On, Self::Auto];

    /// Returns its name in presets and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Auto => "auto",
        }
    }
}

impl FromStr for Slicing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.word() == text);
        found.ok_or_else(|| format!("`{text}`: expected on, off or auto"))
    }
}

/// Formats conditions as `64.0 MiB of memory, cold`, or `in slices`; empty without conditions.
impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = self.memory_limit.map(|limit| format!("{} of memory", units::bytes(limit)));
        let cold = (self.cache == CacheStart::Cold).then(|| "cold".to_owned());
        let slices = match self.slices {
            Slicing::Off => None,
            Slicing::On => Some("in slices"),
            Slicing::Auto => Some("in slices where engines rest"),
        };
        let all = memory.into_iter().chain(cold).chain(slices.map(str::to_owned));
        all.collect::<Vec<_>>().join(", ").fmt(f)
    }
}

/// The limit if a bench gives only a ratio of data to memory.
pub const DEFAULT_MEMORY_LIMIT: MemoryLimit = MemoryLimit(256 << 20);

/// An amount of memory, bytes; at least one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit(pub u64);

/// The smallest valid limit: a page.
const LEAST_LIMIT: u64 = 4096;

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_bytes(text.trim())
            .filter(|bytes| *bytes >= LEAST_LIMIT)
            .map(Self)
            .ok_or_else(|| format!("`{text}`: expected bytes, as in 64MiB or 1GiB"))
    }
}

/// Formats it in the form in which it is parsed: in the largest unit of which it is a whole number.
impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.into_iter().find(|(_, shift)| self.0.trailing_zeros() >= *shift) {
            Some((unit, shift)) => write!(f, "{}{unit}", self.0 >> shift),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Bytes of data for each byte of memory: above 0, and at most [`DataRatio::MOST`].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct DataRatio(f64);

impl DataRatio {
    /// The maximum: a larger ratio of data to memory is a mistake.
    pub const MOST: f64 = 10_000.0;

    /// Returns `None` if the ratio is out of range.
    pub fn new(ratio: f64) -> Option<Self> {
        (ratio > 0.0 && ratio <= Self::MOST).then_some(Self(ratio))
    }

    /// Returns the ratio as a number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for DataRatio {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ratio = text.trim().parse().ok().and_then(Self::new);
        ratio.ok_or_else(|| {
            format!("`{text}`: expected a ratio of data to memory: a number above 0, for example 0.5 or 4")
        })
    }
}

impl fmt::Display for DataRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the size at which the data of the picked tests is closest to `ratio` times `limit`.
///
/// # Errors
/// The suite does not define how much data a size has.
pub(super) fn size_of(suite: &Suite, pick: &TestPick, ratio: DataRatio, limit: u64) -> Result<Size, String> {
    let bytes = |number: u64| suite.payload_bytes(Size::one(number), pick);
    let target = (ratio.0 * limit as f64) as u64;
    let mut high = 1_u64;
    while bytes(high) < target {
        if high > LARGEST / 2 {
            return Err(format!(
                "suite `{}`: the tests to be run store no data that grows with the size, so there is no size for a ratio of data to \
                 memory: use --size",
                suite.name
            ));
        }
        high *= 2;
    }
    let mut low = high / 2;
    // `low` stores less than the target (0 stores nothing), `high` the same or more.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if bytes(middle) < target { low = middle } else { high = middle }
    }
    let nearest = if low > 0 && target - bytes(low) < bytes(high) - target { low } else { high };
    if bytes(nearest) == 0 {
        return Err(format!(
            "suite `{}`: the tests to be run do not say how much data they store, so there is no size for a ratio of data to memory: \
             use --size",
            suite.name
        ));
    }
    Ok(Size::one(nearest))
}

/// The largest number that is tried as a size.
const LARGEST: u64 = 1 << 40;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, UserFolders};

    #[test]
    fn amounts_of_memory_are_written_as_they_are_read() {
        for text in ["64MiB", "1GiB", "1536KiB", "4097"] {
            assert_eq!(text.parse::<MemoryLimit>().unwrap().to_string(), text);
        }
        assert_eq!("65536k".parse(), Ok(MemoryLimit(64 << 20)));
        for wrong in ["", "0", "1", "much", "-1"] {
            assert!(wrong.parse::<MemoryLimit>().is_err(), "{wrong}");
        }
        assert_eq!("0.5".parse::<DataRatio>().unwrap().to_string(), "0.5");
        for wrong in ["", "0", "-1", "nan", "inf", "1e9", "two"] {
            assert!(wrong.parse::<DataRatio>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_size_of_a_ratio_is_the_nearest() {
        let catalog = Catalog::new(UserFolders { root: "/nowhere".into() });
        let all = TestPick::default();
        for (suite, limit) in [("kv", 64 << 20), ("ycsb", 64 << 20), ("contention", 64 << 20), ("lumosql", 1 << 30)] {
            let suite = catalog.suite(suite).unwrap();
            for ratio in [0.5, 2.0, 8.0] {
                let size = size_of(&suite, &all, DataRatio(ratio), limit).unwrap();
                let target = (ratio * limit as f64) as u64;
                let off = |number| suite.payload_bytes(Size::one(number), &all).abs_diff(target);
                assert!(off(size.first) <= off(size.first + 1) && off(size.first) <= off(size.first - 1), "{size}");
            }
        }
    }

    #[test]
    fn a_limit_below_the_smallest_size_gives_the_smallest_size() {
        let suite = Catalog::new(UserFolders { root: "/nowhere".into() }).suite("lumosql").unwrap();
        assert_eq!(size_of(&suite, &TestPick::default(), DataRatio(0.5), 4096), Ok(Size::one(1)));
    }
}
