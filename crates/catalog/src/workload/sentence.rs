//! A described workload in words.

use super::{Clients, KeyKind, Mix, Workload, sizes::Sizes};
use crate::suite::FileKeys;
use dbdyno_engine::suite::KeyChoice;
use dbdyno_foundation::base::units;
use std::fmt;

/// The share of a kind of operation.
pub(super) struct Share {
    /// The field that gives it.
    pub(super) field: &'static str,
    plural: &'static str,
    pub(super) percent: f64,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = usize::from(self.percent.fract().abs() >= 0.05);
        write!(f, "{:.decimals$} % {}", self.percent, self.plural)
    }
}

impl Workload {
    /// Describes the workload in a few sentences.
    pub fn sentence(&self) -> String {
        let sentences = [self.rows_in_words(), self.work_in_words()].into_iter().chain(self.commits_in_words());
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// Names the test by its shares: `90 % reads, 10 % updates`.
    pub(super) fn test_name(&self) -> String {
        let shares = self.shares();
        match shares.as_slice() {
            [only] => {
                let mut letters = only.plural.chars();
                letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
            }
            several => several.iter().map(Share::to_string).collect::<Vec<_>>().join(", "),
        }
    }

    /// Returns the shares of the kinds of operation, the largest first.
    pub(super) fn shares(&self) -> Vec<Share> {
        let Mix { read, scan, insert, update, delete, modify, .. } = self.mix;
        let total = (self.mix.reads() + self.mix.writes()) as f64;
        let mut all = vec![
            (read, "read", "reads"),
            (scan, "scan", "scans"),
            (insert, "insert", "inserts"),
            (update, "update", "updates"),
            (delete, "delete", "deletes"),
            (modify, "modify", "read-modify-writes"),
        ];
        all.retain(|(weight, ..)| *weight > 0);
        all.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
        let percent = |weight: u64| weight as f64 * 100.0 / total;
        all.into_iter().map(|(weight, field, plural)| Share { field, plural, percent: percent(weight) }).collect()
    }

    fn rows_in_words(&self) -> String {
        let rows = match (self.data, self.memory) {
            (Some(data), memory) => {
                let memory = memory.unwrap_or(crate::bench::DEFAULT_MEMORY_LIMIT);
                format!("Rows with {data} times as many bytes as the memory limit of {memory}")
            }
            (None, Some(memory)) => format!("{} with {memory} of memory", units::counted(self.rows, "row")),
            (None, None) => units::counted(self.rows, "row"),
        };
        let key = match self.key.kind {
            KeyKind::Random => "random keys",
            KeyKind::Ascending => "ascending keys",
            KeyKind::Uuid4 => "keys of UUID version 4",
            KeyKind::Uuid7 => "keys of UUID version 7",
        };
        let value = match &self.value.sizes {
            Sizes::LogNormal { median, p99 } => {
                format!("values of {median} bytes in the median and {p99} in the 99th percentile")
            }
            Sizes::Listed(sizes) if sizes.contains(['*', '/']) => format!("values of {} bytes", list_in_words(sizes)),
            Sizes::Listed(sizes) => format!("values of {} bytes", sizes.replace('-', " to ")),
        };
        let compressible = match self.value.compressible {
            0 => String::new(),
            percent => format!(", {percent} % of which can be compressed away"),
        };
        format!("{rows}: {key} of {} bytes and {value}{compressible}.", self.key.size)
    }

    fn work_in_words(&self) -> String {
        let who = match self.clients {
            Clients::Alike(_) if self.is_alone() => {
                format!("One thread does {}", units::counted(self.operations(), "operation"))
            }
            Clients::Alike(threads) => {
                format!("{} for {}", units::counted(threads, "thread"), units::counted(self.seconds, "second"))
            }
            Clients::Apart { readers, writers } => {
                let parts = [(readers, "reading thread"), (writers, "writing thread")];
                let parts = parts
                    .iter()
                    .filter(|(threads, _)| *threads > 0)
                    .map(|(threads, what)| units::counted(*threads, what));
                format!("{} for {}", parts.collect::<Vec<_>>().join(" and "), units::counted(self.seconds, "second"))
            }
        };
        let rate = self.rate.map_or_else(String::new, |rate| format!(" at {rate} operations a second"));
        let which = match &self.popular {
            FileKeys::Zipf(exponent) => format!("rows are chosen by Zipf's law with exponent {exponent}"),
            FileKeys::Hot { records, draws } => format!("{records} % of the rows get {draws} % of the operations"),
            FileKeys::Named(KeyChoice::Latest) => "the newest rows are the most popular".to_owned(),
            FileKeys::Named(_) => "all rows are equally popular".to_owned(),
        };
        let (least, most) = self.mix.scan_rows;
        let scans = match (self.mix.scan, least == most) {
            (0, _) => String::new(),
            (_, true) => format!("; a scan reads {}", units::counted(least, "row")),
            (_, false) => format!("; a scan reads {least} to {most} rows"),
        };
        let misses = match self.misses {
            0 => String::new(),
            percent => format!("; {percent} % of the reads find no row"),
        };
        format!("{who}{rate}: {}; {which}{scans}{misses}.", self.test_name().to_lowercase())
    }

    fn commits_in_words(&self) -> Option<String> {
        let tier = self.tier.map_or_else(String::new, |tier| format!(" Every commit is at tier {tier}."));
        match (self.mix.writes(), self.commit) {
            (0, _) => None,
            (_, 1) => Some(format!("Each write is a transaction of its own.{tier}")),
            (_, commit) => {
                let whose = if matches!(self.clients, Clients::Apart { .. }) { " of a writer" } else { "" };
                Some(format!("A commit follows every {commit} operations{whose}.{tier}"))
            }
        }
    }
}

/// Says a list of sizes with weights: `100 (9 of 10) or 4000 to 8000 (1 of 10)`.
fn list_in_words(sizes: &str) -> String {
    let parts: Vec<(&str, u64)> = sizes
        .split('/')
        .map(|part| part.split_once('*').map_or((part, 1), |(size, weight)| (size, weight.parse().unwrap_or(1))))
        .collect();
    let total: u64 = parts.iter().map(|(_, weight)| weight).sum();
    let part = |(size, weight): &(&str, u64)| format!("{} ({weight} of {total})", size.replace('-', " to "));
    parts.iter().map(part).collect::<Vec<_>>().join(" or ")
}
