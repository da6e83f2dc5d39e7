//! The fields of a described workload: how each is written, what it means, and its default.

use super::{Clients, Key, KeyKind, Mix, Workload, line::default_key_size, sizes::Sizes};
use crate::{
    bench::{DataRatio, MemoryLimit},
    suite::{FileKeys, MOST_RATE, MOST_SECONDS, MOST_THREADS},
};
use dbdyno_engine::{describe::parse_bytes, durability::Tier, names::instead_of, size::Size, suite::KeyChoice};

/// A field of the line.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    /// Its meaning, as a phrase without a full stop.
    pub meaning: &'static str,
    /// Some of the values, as users write them.
    pub values: &'static [&'static str],
    /// The value where the line is silent, as users write it; empty if that is no single value.
    pub default: &'static str,
    /// The fields that say the same in another way, or contradict it: a line has one of them.
    pub excludes: &'static [&'static str],
    pub(super) set: fn(&mut Draft, &str) -> Result<(), String>,
    /// The value in a workload; None: it has none.
    pub(super) get: fn(&Workload) -> Option<String>,
}

impl Field {
    /// Checks a value of this field alone.
    ///
    /// # Errors
    /// What was expected.
    pub fn check(&self, value: &str) -> Result<(), String> {
        if value.contains(',') {
            return Err("expected a value without commas: they separate fields".to_owned());
        }
        (self.set)(&mut Draft::default(), value)
    }
}

/// What a line said so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) rows: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) key: Option<KeyKind>,
    pub(super) key_size: Option<u64>,
    pub(super) prefix: String,
    pub(super) value: Option<Sizes>,
    pub(super) compressible: u8,
    pub(super) mix: Mix,
    pub(super) scan_rows: Option<(u64, u64)>,
    pub(super) popular: Option<FileKeys>,
    pub(super) misses: u8,
    pub(super) commit: Option<u64>,
    pub(super) threads: Option<u64>,
    pub(super) readers: Option<u64>,
    pub(super) writers: Option<u64>,
    pub(super) rate: Option<u64>,
    pub(super) operations: Option<u64>,
    pub(super) seconds: Option<u64>,
    pub(super) memory: Option<MemoryLimit>,
    pub(super) data: Option<DataRatio>,
    pub(super) tier: Option<Tier>,
}

/// Every row is equally popular.
pub(super) const UNIFORM: FileKeys = FileKeys::Named(KeyChoice::Uniform);
pub(super) const DEFAULT_ROWS: u64 = 100_000;
pub(super) const MOST_ROWS: u64 = 10_000_000_000;
/// Engines take keys of at most 511 bytes (LMDB), and a missing key is one byte longer.
pub(super) const MOST_KEY: usize = 510;

macro_rules! share {
    ($name:literal, $field:ident, $meaning:literal) => {
        Field {
            name: $name,
            meaning: $meaning,
            values: &["5", "10", "50", "90", "95"],
            default: "0",
            excludes: &[],
            set: |draft, text| {
                draft.mix.$field = weight(text)?;
                Ok(())
            },
            get: |workload| number_unless(workload.mix.$field, 0),
        }
    };
}

/// All fields, in the order in which they are printed.
pub const FIELDS: &[Field] = &[
    Field {
        name: "rows",
        meaning: "rows before the test",
        values: &["1k", "10k", "100k", "1M", "10M"],
        default: "100k",
        excludes: &["bytes", "data"],
        set: |draft, text| keep(&mut draft.rows, count(text, MOST_ROWS)),
        get: |workload| number_unless(workload.rows, DEFAULT_ROWS),
    },
    Field {
        name: "bytes",
        meaning: "bytes of keys and values before the test, in place of rows",
        values: &["64MiB", "1GiB", "10GiB"],
        default: "",
        excludes: &["rows", "data"],
        set: |draft, text| {
            draft.bytes =
                Some(parse_bytes(text).filter(|bytes| *bytes > 0).ok_or("expected bytes, as in 64MiB or 10GiB")?);
            Ok(())
        },
        // A workload has rows: they are worked out from the bytes.
        get: |_| None,
    },
    Field {
        name: "key",
        meaning: "how keys follow from the number of their row",
        values: &["random", "ascending", "uuid4", "uuid7"],
        default: "random",
        excludes: &[],
        set: |draft, text| {
            let known = KeyKind::ALL.iter().find(|(word, _)| *word == text);
            let (_, kind) = known.ok_or_else(|| instead_of(text, KeyKind::ALL.map(|(word, _)| word)))?;
            draft.key = Some(*kind);
            Ok(())
        },
        get: |workload| (workload.key.kind != KeyKind::Random).then(|| workload.key.kind.word().to_owned()),
    },
    Field {
        name: "key-size",
        meaning: "bytes of a key with its prefix; of a UUID 36 or 16",
        values: &["16", "24", "36"],
        default: "",
        excludes: &[],
        set: |draft, text| keep(&mut draft.key_size, count(text, MOST_KEY as u64)),
        get: |workload| {
            let Key { kind, size, prefix } = &workload.key;
            number_unless(*size as u64, default_key_size(*kind, prefix) as u64)
        },
    },
    Field {
        name: "prefix",
        meaning: "text at the beginning of every key",
        values: &["user:", "session/"],
        default: "",
        excludes: &[],
        set: |draft, text| {
            if text.contains(['{', '}', '"', '\\']) || text.chars().any(char::is_control) {
                return Err("expected text without brackets, quotes, backslashes and control characters".to_owned());
            }
            text.clone_into(&mut draft.prefix);
            Ok(())
        },
        get: |workload| Some(workload.key.prefix.clone()).filter(|prefix| !prefix.is_empty()),
    },
    Field {
        name: "value",
        meaning: "bytes of a value",
        values: &["100", "200", "1000", "100-400", "100*9/4000-8000", "lognormal:200:4000"],
        default: "100",
        excludes: &[],
        set: |draft, text| keep(&mut draft.value, text.parse()),
        get: |workload| Some(workload.value.sizes.to_string()).filter(|sizes| sizes != "100"),
    },
    Field {
        name: "compressible",
        meaning: "part of a value that compression can remove",
        values: &["25%", "50%", "75%"],
        default: "0%",
        excludes: &[],
        set: |draft, text| {
            draft.compressible = percent(text)?;
            Ok(())
        },
        get: |workload| percent_above(workload.value.compressible),
    },
    share!("read", read, "share of reads by key"),
    share!("scan", scan, "share of scans: rows in key order, starting at a key"),
    share!("insert", insert, "share of new rows"),
    share!("update", update, "share of new values for existing rows"),
    share!("delete", delete, "share of deletions"),
    share!("modify", modify, "share of read-modify-writes: a read, then a new value for the row"),
    Field {
        name: "scan-rows",
        meaning: "rows of a scan",
        values: &["10", "100", "1-100", "1000"],
        default: "100",
        excludes: &[],
        set: |draft, text| {
            let (least, most) = text.split_once('-').unwrap_or((text, text));
            let (least, most) = (count(least, 1_000_000)?, count(most, 1_000_000)?);
            if least > most {
                return Err("expected the smaller number first".to_owned());
            }
            draft.scan_rows = Some((least, most));
            Ok(())
        },
        get: |workload| {
            let (least, most) = workload.mix.scan_rows;
            let text = if least == most { least.to_string() } else { format!("{least}-{most}") };
            (workload.mix.scan > 0).then_some(text).filter(|text| text != "100")
        },
    },
    Field {
        name: "popular",
        meaning: "which rows operations choose",
        values: &["uniform", "zipf:0.99", "hot:20/80", "latest"],
        default: "uniform",
        excludes: &[],
        set: |draft, text| {
            let names = ["uniform", "zipf:0.99", "hot:20/80", "latest"];
            draft.popular = match text.parse::<FileKeys>() {
                _ if text == "zipf" => Some(FileKeys::Zipf(0.99)),
                Ok(popular) if popular.is_popularity() => Some(popular),
                Err(why) if text.contains(':') => return Err(why),
                _ => return Err(instead_of(text, names)),
            };
            Ok(())
        },
        get: |workload| Some(&workload.popular).filter(|popular| **popular != UNIFORM).map(FileKeys::to_string),
    },
    Field {
        name: "misses",
        meaning: "part of the reads by key that look for a key which no row has",
        values: &["1%", "5%", "50%"],
        default: "0%",
        excludes: &[],
        set: |draft, text| {
            draft.misses = percent(text)?;
            Ok(())
        },
        get: |workload| percent_above(workload.misses),
    },
    Field {
        name: "commit",
        meaning: "operations in a transaction that writes",
        values: &["1", "10", "100", "1000"],
        default: "1",
        excludes: &["rate"],
        set: |draft, text| keep(&mut draft.commit, count(text, 1_000_000)),
        get: |workload| number_unless(workload.commit, 1),
    },
    Field {
        name: "threads",
        meaning: "threads that each do everything",
        values: &["1", "2", "4", "8"],
        default: "1",
        excludes: &["readers", "writers", "operations"],
        set: |draft, text| keep(&mut draft.threads, count(text, MOST_THREADS)),
        get: |workload| match workload.clients {
            Clients::Alike(threads) => number_unless(threads, 1),
            Clients::Apart { .. } => None,
        },
    },
    Field {
        name: "readers",
        meaning: "threads that only read, in place of threads",
        values: &["1", "2", "4", "8"],
        default: "",
        excludes: &["threads", "operations"],
        set: |draft, text| keep(&mut draft.readers, count(text, MOST_THREADS)),
        get: |workload| match workload.clients {
            Clients::Apart { readers, .. } => Some(readers.to_string()),
            Clients::Alike(_) => None,
        },
    },
    Field {
        name: "writers",
        meaning: "threads that only write, in place of threads",
        values: &["1", "2", "4"],
        default: "",
        excludes: &["threads", "operations"],
        set: |draft, text| keep(&mut draft.writers, count(text, MOST_THREADS)),
        get: |workload| match workload.clients {
            Clients::Apart { writers, .. } => Some(writers.to_string()),
            Clients::Alike(_) => None,
        },
    },
    Field {
        name: "rate",
        meaning: "operations due per second, over all threads; closed: each thread starts its next operation \
                  when the previous one ends",
        values: &["closed", "100", "1000", "10k"],
        default: "closed",
        excludes: &["commit", "operations"],
        set: |draft, text| {
            draft.rate = if text == "closed" { None } else { Some(count(text, MOST_RATE)?) };
            Ok(())
        },
        get: |workload| workload.rate.map(|rate| rate.to_string()),
    },
    Field {
        name: "operations",
        meaning: "operations of a test of one thread",
        values: &["2k", "20k", "200k"],
        default: "20k, or 200k if no operation waits for the disk",
        excludes: &["seconds", "threads", "readers", "writers", "rate"],
        set: |draft, text| keep(&mut draft.operations, count(text, 1_000_000_000)),
        get: |workload| workload.operations.map(|operations| operations.to_string()),
    },
    Field {
        name: "seconds",
        meaning: "how long several threads, or those with a rate, are measured",
        values: &["1", "5", "30"],
        default: "5",
        excludes: &["operations"],
        set: |draft, text| keep(&mut draft.seconds, count(text, MOST_SECONDS)),
        get: |workload| if workload.is_alone() { None } else { number_unless(workload.seconds, 5) },
    },
    Field {
        name: "memory",
        meaning: "memory limit of each worker, including the page cache of its database",
        values: &["64MiB", "256MiB", "1GiB"],
        default: "no limit",
        excludes: &[],
        set: |draft, text| keep(&mut draft.memory, text.parse()),
        get: |workload| workload.memory.map(|memory| memory.to_string()),
    },
    Field {
        name: "data",
        meaning: "bytes of data for each byte of memory, in place of rows",
        values: &["0.5x", "2x", "4x"],
        default: "",
        excludes: &["rows", "bytes"],
        set: |draft, text| keep(&mut draft.data, text.strip_suffix('x').unwrap_or(text).parse()),
        get: |workload| workload.data.map(|data| format!("{data}x")),
    },
    Field {
        name: "tier",
        meaning: "what commits survive: 1 a crash of the program, 2 a power loss (the last may be lost), 3 a power loss",
        values: &["1", "2", "3"],
        default: "that of each engine's own defaults",
        excludes: &[],
        set: |draft, text| {
            let tier = text.parse().ok().and_then(|number: u8| Tier::try_from(number).ok());
            draft.tier = Some(tier.ok_or("expected 0, 1, 2 or 3")?);
            Ok(())
        },
        get: |workload| workload.tier?.number().map(|number| number.to_string()),
    },
];

/// Puts a value that could be read into its place.
fn keep<T>(place: &mut Option<T>, read: Result<T, String>) -> Result<(), String> {
    *place = Some(read?);
    Ok(())
}

/// Parses a positive whole number with the units of sizes.
fn count(text: &str, most: u64) -> Result<u64, String> {
    let number = text.parse::<Size>().ok().filter(|size| size.second.is_none()).map(|size| size.first);
    number
        .filter(|number| *number <= most)
        .ok_or_else(|| format!("expected a whole number from 1 to {most}, as in 1000, 10k or 1M"))
}

fn weight(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number.filter(|weight| *weight <= 10_000).ok_or_else(|| "expected a share, as in 90 or 90%".to_owned())
}

fn percent(text: &str) -> Result<u8, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number.filter(|percent| *percent <= 100).ok_or_else(|| "expected a percentage from 0 to 100, as in 50%".to_owned())
}

fn percent_above(percent: u8) -> Option<String> {
    (percent > 0).then(|| format!("{percent}%"))
}

fn number_unless(number: u64, default: u64) -> Option<String> {
    (number != default).then(|| number.to_string())
}
