//! A workload that a user describes in one line, and the suite that it stands for: `read=90,update=10,value=200,rows=1M,threads=4`.
//!
//! The suite is an ordinary file of keys and values: nothing in it is special, and users may edit it.

mod fields;
mod line;
mod sentence;
mod sizes;
mod suite;
mod tier;

pub use self::{
    fields::{FIELDS, Field},
    tier::options as tier_options,
};

use self::sizes::Sizes;
use crate::{
    bench::{DataRatio, MemoryLimit},
    engines::Registry,
    suite::FileKeys,
};
use dbdyno_engine::{durability::Tier, suite::Template};
use dbdyno_workload::digest::Digest;
use std::{fmt, str::FromStr};

/// A described workload. Its fields are those of the line, with their defaults where the line is silent.
///
/// Prints as the shortest line that gives it, so lines that differ in their order or in defaults are one workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Rows before the test.
    pub rows: u64,
    key: Key,
    value: Value,
    mix: Mix,
    /// Which rows operations choose: never an order in which each is used once.
    popular: FileKeys,
    /// Percentage of the reads that look for a key which no row has.
    misses: u8,
    /// Operations in a transaction that writes.
    commit: u64,
    clients: Clients,
    /// Operations due per second. None: each begins when the previous one is done.
    rate: Option<u64>,
    /// Operations of a test of one thread. None: [`Workload::operations`] decides.
    operations: Option<u64>,
    /// Measured time of a test of several threads, or with a rate, s.
    seconds: u64,
    /// Memory limit of the bench.
    pub memory: Option<MemoryLimit>,
    /// Bytes of data for each byte of memory, in place of `rows`.
    pub data: Option<DataRatio>,
    /// What every commit must survive.
    tier: Option<Tier>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    kind: KeyKind,
    /// Bytes of a key, including the prefix.
    size: usize,
    prefix: String,
}

/// How a row's key follows from its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    /// Bytes that look random.
    Random,
    /// The number in digits: rows are stored in the order of their keys.
    Ascending,
    Uuid4,
    Uuid7,
}

impl KeyKind {
    const ALL: [(&'static str, Self); 4] =
        [("random", Self::Random), ("ascending", Self::Ascending), ("uuid4", Self::Uuid4), ("uuid7", Self::Uuid7)];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Value {
    sizes: Sizes,
    /// Percentage of a value's bytes that compression can remove.
    compressible: u8,
}

/// The shares of the kinds of operation. At least one is above 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Mix {
    read: u64,
    scan: u64,
    insert: u64,
    update: u64,
    delete: u64,
    modify: u64,
    /// Least and most rows of a scan.
    scan_rows: (u64, u64),
}

impl Mix {
    fn reads(&self) -> u64 {
        self.read + self.scan
    }

    fn writes(&self) -> u64 {
        self.insert + self.update + self.delete + self.modify
    }
}

/// The threads of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clients {
    /// Each does everything.
    Alike(u64),
    /// Some read, the others write.
    Apart { readers: u64, writers: u64 },
}

impl Workload {
    /// Whether the test has one thread that does its operations without waiting for due times.
    fn is_alone(&self) -> bool {
        self.clients == Clients::Alike(1) && self.rate.is_none()
    }

    /// Returns the number of operations of a test of one thread: fewer where each waits for the disk.
    fn operations(&self) -> u64 {
        let waits = self.mix.writes() > 0 && self.commit < 100;
        self.operations.unwrap_or(if waits { 20_000 } else { 200_000 })
    }

    /// Returns the engines whose options its suite sets: without a tier none, and then no program is asked what it is.
    pub fn engines(&self) -> Registry {
        self.tier.map_or_else(Registry::default, |_| Registry::discover())
    }

    /// Returns a name for the suite, which the same description always gets: its two largest shares, and 8 hexadecimal digits of its digest
    /// (`read90-update10-1f2e3d4c`).
    pub fn name(&self) -> String {
        let mut digest = Digest::default();
        digest.bytes(self.to_string().as_bytes());
        let shares = self.shares().into_iter().take(2).map(|share| format!("{}{:.0}-", share.field, share.percent));
        format!("{}{:08x}", shares.collect::<String>(), digest.to_word() >> 32)
    }

    /// Returns the format of the keys.
    fn key_format(&self) -> String {
        let Key { kind, size, prefix } = &self.key;
        let rest = size - prefix.len();
        let number = match kind {
            KeyKind::Random => format!("{{scattered:{rest}}}"),
            KeyKind::Ascending => format!("{{key:{rest}}}"),
            KeyKind::Uuid4 | KeyKind::Uuid7 if rest == 16 => format!("{{{}:u16}}", kind.word()),
            KeyKind::Uuid4 | KeyKind::Uuid7 => format!("{{{}}}", kind.word()),
        };
        format!("{prefix}{number}")
    }

    /// Returns the format of the values.
    fn value_format(&self) -> String {
        let Value { sizes, compressible } = &self.value;
        let lengths = sizes.lengths();
        if *compressible > 0 {
            format!("{{random:{lengths},{compressible}%}}")
        } else {
            format!("{{random:{lengths}}}")
        }
    }

    /// Returns the mean number of bytes of a row.
    fn row_bytes(&self) -> f64 {
        let mean = |format: String| format.parse::<Template>().map_or(0, |format| format.mean_len());
        (mean(self.key_format()) + mean(self.value_format())) as f64
    }
}

impl FromStr for Workload {
    type Err = String;

    /// Parses a line of fields.
    ///
    /// # Errors
    /// The message names the field and its value, what was expected, and the nearest name of an unknown field.
    fn from_str(line: &str) -> Result<Self, String> {
        line::parse(line)
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        line::print(self).fmt(f)
    }
}

#[cfg(test)]
mod tests;
