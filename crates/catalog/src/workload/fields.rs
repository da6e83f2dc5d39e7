//! The fields of a described workload: how each is written, what it means, and its default.

use super::{Clients, Key, KeyKind, Mix, Popular, Value, Workload, sizes::Sizes};
use crate::suite::FileKeys;
use dbdyno_engine::{describe::parse_bytes, durability::Tier, names::instead_of, size::Size};
use std::{collections::BTreeSet, str::FromStr};

/// A field of the line.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    /// Its meaning, as a phrase without a full stop.
    pub meaning: &'static str,
    /// Values, as users write them.
    pub values: &'static str,
    /// The value where the line is silent, as users write it; empty if that is no single value.
    pub default: &'static str,
    set: fn(&mut Draft, &str) -> Result<(), String>,
    /// The value in a workload; None: it has none.
    get: fn(&Workload) -> Option<String>,
}

/// What a line said so far.
#[derive(Debug, Default)]
struct Draft {
    rows: Option<u64>,
    bytes: Option<u64>,
    key: Option<KeyKind>,
    key_size: Option<u64>,
    prefix: String,
    value: Option<Sizes>,
    compressible: u8,
    mix: Mix,
    scan_rows: Option<(u64, u64)>,
    popular: Option<Popular>,
    misses: u8,
    commit: Option<u64>,
    threads: Option<u64>,
    readers: Option<u64>,
    writers: Option<u64>,
    rate: Option<u64>,
    operations: Option<u64>,
    seconds: Option<u64>,
    memory: Option<crate::bench::MemoryLimit>,
    data: Option<crate::bench::DataRatio>,
    tier: Option<Tier>,
}

const DEFAULT_ROWS: u64 = 100_000;
const MOST_ROWS: u64 = 10_000_000_000;
const MOST_THREADS: u64 = 256;
const MOST_RATE: u64 = 100_000_000;
/// Engines take keys of at most 511 bytes (LMDB), and a missing key is one byte longer.
const MOST_KEY: usize = 510;

macro_rules! share {
    ($name:literal, $field:ident, $meaning:literal) => {
        Field {
            name: $name,
            meaning: $meaning,
            values: "90, 90%",
            default: "0",
            set: |draft, text| {
                draft.mix.$field = weight(text)?;
                Ok(())
            },
            get: |workload| number_above(workload.mix.$field, 0),
        }
    };
}

/// All fields, in the order in which they are printed.
pub const FIELDS: &[Field] = &[
    Field {
        name: "rows",
        meaning: "rows before the test",
        values: "1000, 100k, 1M",
        default: "100k",
        set: |draft, text| {
            draft.rows = Some(count(text, MOST_ROWS)?);
            Ok(())
        },
        get: |workload| number_unless(workload.rows, DEFAULT_ROWS),
    },
    Field {
        name: "bytes",
        meaning: "bytes of keys and values before the test, in place of rows",
        values: "64MiB, 10GiB",
        default: "",
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
        values: "random, ascending, uuid4, uuid7",
        default: "random",
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
        meaning: "bytes of a key with its prefix",
        values: "24; of a UUID 36 or 16",
        default: "",
        set: |draft, text| {
            draft.key_size = Some(count(text, MOST_KEY as u64)?);
            Ok(())
        },
        get: |workload| {
            let Key { kind, size, prefix } = &workload.key;
            number_unless(*size as u64, default_key_size(*kind, prefix) as u64)
        },
    },
    Field {
        name: "prefix",
        meaning: "text at the beginning of every key",
        values: "user:",
        default: "",
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
        values: "200, 100-400, 100*9/4000-8000, lognormal:MEDIAN:P99",
        default: "100",
        set: |draft, text| {
            draft.value = Some(text.parse()?);
            Ok(())
        },
        get: |workload| Some(workload.value.sizes.to_string()).filter(|sizes| sizes != "100"),
    },
    Field {
        name: "compressible",
        meaning: "part of a value that compression can remove",
        values: "50%",
        default: "0%",
        set: |draft, text| {
            draft.compressible = percent(text)?;
            Ok(())
        },
        get: |workload| percent_above(workload.value.compressible),
    },
    share!("read", read, "share of reads by key"),
    share!("scan", scan, "share of scans: rows in key order from a key on"),
    share!("insert", insert, "share of new rows"),
    share!("update", update, "share of new values for rows that are there"),
    share!("delete", delete, "share of deletions"),
    share!("modify", modify, "share of reads with a new value written after them"),
    Field {
        name: "scan-rows",
        meaning: "rows of a scan",
        values: "100, 1-100",
        default: "100",
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
        values: "uniform, zipf:0.99, hot:20/80, latest",
        default: "uniform",
        set: |draft, text| {
            let keys = if text == "zipf" { "zipf:0.99" } else { text };
            let names = ["uniform", "zipf:0.99", "hot:20/80", "latest"];
            if !["uniform", "latest", "zipf", "hot"].contains(&keys.split(':').next().unwrap_or_default()) {
                return Err(instead_of(text, names));
            }
            FileKeys::from_str(keys)?;
            draft.popular = Some(Popular(keys.to_owned()));
            Ok(())
        },
        get: |workload| Some(workload.popular.0.clone()).filter(|popular| popular != "uniform"),
    },
    Field {
        name: "misses",
        meaning: "part of the reads by key that look for a key which no row has",
        values: "5%",
        default: "0%",
        set: |draft, text| {
            draft.misses = percent(text)?;
            Ok(())
        },
        get: |workload| percent_above(workload.misses),
    },
    Field {
        name: "commit",
        meaning: "operations in a transaction that writes",
        values: "1, 100",
        default: "1",
        set: |draft, text| {
            draft.commit = Some(count(text, 1_000_000)?);
            Ok(())
        },
        get: |workload| number_unless(workload.commit, 1),
    },
    Field {
        name: "threads",
        meaning: "threads that each do everything",
        values: "1, 4",
        default: "1",
        set: |draft, text| {
            draft.threads = Some(count(text, MOST_THREADS)?);
            Ok(())
        },
        get: |workload| match workload.clients {
            Clients::Alike(threads) => number_unless(threads, 1),
            Clients::Apart { .. } => None,
        },
    },
    Field {
        name: "readers",
        meaning: "threads that only read, in place of threads",
        values: "4",
        default: "",
        set: |draft, text| {
            draft.readers = Some(count(text, MOST_THREADS)?);
            Ok(())
        },
        get: |workload| match workload.clients {
            Clients::Apart { readers, .. } => Some(readers.to_string()),
            Clients::Alike(_) => None,
        },
    },
    Field {
        name: "writers",
        meaning: "threads that only write, in place of threads",
        values: "1",
        default: "",
        set: |draft, text| {
            draft.writers = Some(count(text, MOST_THREADS)?);
            Ok(())
        },
        get: |workload| match workload.clients {
            Clients::Apart { writers, .. } => Some(writers.to_string()),
            Clients::Alike(_) => None,
        },
    },
    Field {
        name: "rate",
        meaning: "operations due per second, over all threads",
        values: "1000, 10k, closed",
        default: "closed",
        set: |draft, text| {
            draft.rate = if text == "closed" { None } else { Some(count(text, MOST_RATE)?) };
            Ok(())
        },
        get: |workload| workload.rate.map(|rate| rate.to_string()),
    },
    Field {
        name: "operations",
        meaning: "operations of a test of one thread",
        values: "20k",
        default: "20k, and 200k where none waits for the disk",
        set: |draft, text| {
            draft.operations = Some(count(text, 1_000_000_000)?);
            Ok(())
        },
        get: |workload| workload.operations.map(|operations| operations.to_string()),
    },
    Field {
        name: "seconds",
        meaning: "how long several threads, or those with a rate, are measured",
        values: "5",
        default: "5",
        set: |draft, text| {
            draft.seconds = Some(count(text, 86_400)?);
            Ok(())
        },
        get: |workload| if workload.is_alone() { None } else { number_unless(workload.seconds, 5) },
    },
    Field {
        name: "memory",
        meaning: "memory limit of each worker, including the page cache of its database",
        values: "64MiB, 1GiB",
        default: "no limit",
        set: |draft, text| {
            draft.memory = Some(text.parse()?);
            Ok(())
        },
        get: |workload| workload.memory.map(|memory| memory.to_string()),
    },
    Field {
        name: "data",
        meaning: "bytes of data for each byte of memory, in place of rows",
        values: "4x, 0.5x",
        default: "",
        set: |draft, text| {
            draft.data = Some(text.strip_suffix('x').unwrap_or(text).parse()?);
            Ok(())
        },
        get: |workload| workload.data.map(|data| format!("{data}x")),
    },
    Field {
        name: "tier",
        meaning: "what every commit survives: 1 a crash of the program, 2 a power loss without the last commits, 3 a power loss",
        values: "1, 2, 3",
        default: "that of each engine's own defaults",
        set: |draft, text| {
            let tier = text.parse().ok().and_then(|number: u8| Tier::try_from(number).ok());
            draft.tier = Some(tier.ok_or("expected 0, 1, 2 or 3")?);
            Ok(())
        },
        get: |workload| workload.tier?.number().map(|number| number.to_string()),
    },
];

pub(super) fn parse(line: &str) -> Result<Workload, String> {
    let (mut draft, mut seen) = (Draft::default(), BTreeSet::new());
    for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            let names = FIELDS.iter().map(|field| field.name);
            let hint = if FIELDS.iter().any(|field| field.name == part) {
                "expected a value after =".to_owned()
            } else {
                instead_of(part, names)
            };
            return Err(format!("`{part}`: {hint}"));
        };
        let (name, value) = (name.trim(), value.trim());
        let Some(field) = FIELDS.iter().find(|field| field.name == name) else {
            return Err(format!("unknown field `{name}`: {}", instead_of(name, FIELDS.iter().map(|field| field.name))));
        };
        if !seen.insert(field.name) {
            return Err(format!("{name}: it is there twice"));
        }
        (field.set)(&mut draft, value).map_err(|why| {
            // Some messages begin with the value, or with the field and the value.
            if why.contains(&format!("`{value}`")) {
                format!("{name}={value}: {}", after_value(&why))
            } else {
                format!("{name}={value}: {why}")
            }
        })?;
    }
    checked(draft)
}

/// Returns the part of a message after the value that it quotes.
fn after_value(message: &str) -> &str {
    message.split_once("`: ").map_or(message, |(_, rest)| rest)
}

/// Prints a workload as the shortest line that gives it.
pub(super) fn line(workload: &Workload) -> String {
    let of = |field: &Field| Some(format!("{}={}", field.name, (field.get)(workload)?));
    FIELDS.iter().filter_map(of).collect::<Vec<_>>().join(",")
}

fn checked(draft: Draft) -> Result<Workload, String> {
    let either = |one: &str, other: &str| Err(format!("{one} and {other} say the same thing: expected one of them"));
    let mix = Mix { scan_rows: draft.scan_rows.unwrap_or((100, 100)), ..draft.mix };
    if mix.reads() + mix.writes() == 0 {
        return Err("expected a share of at least one kind of operation: read, scan, insert, update, delete or modify"
            .to_owned());
    }
    if draft.scan_rows.is_some() && mix.scan == 0 {
        return Err("scan-rows: expected a share of scans too, as in scan=5".to_owned());
    }
    if draft.misses > 0 && mix.read == 0 {
        return Err("misses: expected a share of reads too, as in read=90".to_owned());
    }
    let clients = match (draft.threads, draft.readers, draft.writers) {
        (threads, None, None) => Clients::Alike(threads.unwrap_or(1)),
        (Some(_), ..) => return either("threads", "readers and writers"),
        (None, readers, writers) => {
            let (readers, writers) = (readers.unwrap_or(0), writers.unwrap_or(0));
            if readers > 0 && mix.reads() == 0 {
                return Err("readers: nothing is left for them to read: expected a share of read or scan".to_owned());
            }
            if writers > 0 && mix.writes() == 0 {
                return Err(
                    "writers: nothing is left for them to write: expected a share of insert, update, delete or modify"
                        .to_owned(),
                );
            }
            if readers == 0 && mix.reads() > 0 || writers == 0 && mix.writes() > 0 {
                return Err("expected both readers and writers, or threads that do everything".to_owned());
            }
            Clients::Apart { readers, writers }
        }
    };
    let commit = draft.commit.unwrap_or(1);
    if commit > 1 && mix.writes() == 0 {
        return Err("commit: nothing is written, so nothing is committed".to_owned());
    }
    if commit > 1 && draft.rate.is_some() {
        return Err("commit and rate: with a rate, each operation is due on its own: expected one of them".to_owned());
    }
    let prefix = draft.prefix;
    let kind = draft.key.unwrap_or(KeyKind::Random);
    let size = draft.key_size.map_or_else(|| default_key_size(kind, &prefix), |size| size as usize);
    check_key(kind, size, &prefix)?;
    let workload = Workload {
        rows: draft.rows.unwrap_or(DEFAULT_ROWS),
        key: Key { kind, size, prefix },
        value: Value {
            sizes: draft.value.unwrap_or(Sizes::Listed("100".to_owned())),
            compressible: draft.compressible,
        },
        mix,
        popular: draft.popular.unwrap_or(Popular("uniform".to_owned())),
        misses: draft.misses,
        commit,
        clients,
        rate: draft.rate,
        operations: draft.operations,
        seconds: draft.seconds.unwrap_or(5),
        memory: draft.memory,
        data: draft.data,
        tier: draft.tier,
    };
    if draft.operations.is_some() && !workload.is_alone() {
        return Err(
            "operations: several threads, or those with a rate, are measured for a time: expected seconds".to_owned()
        );
    }
    if draft.seconds.is_some() && workload.is_alone() {
        return Err("seconds: one thread without a rate does a number of operations: expected operations".to_owned());
    }
    match (draft.bytes, draft.rows, draft.data) {
        (Some(_), Some(_), _) => either("rows", "bytes"),
        (Some(_), _, Some(_)) => either("bytes", "data"),
        (_, Some(_), Some(_)) => either("rows", "data"),
        (Some(bytes), ..) => {
            let rows = ((bytes as f64 / workload.row_bytes()) as u64).clamp(1, MOST_ROWS);
            Ok(Workload { rows, ..workload })
        }
        _ => Ok(workload),
    }
}

fn default_key_size(kind: KeyKind, prefix: &str) -> usize {
    let number = match kind {
        KeyKind::Random | KeyKind::Ascending => 16,
        KeyKind::Uuid4 | KeyKind::Uuid7 => 36,
    };
    prefix.len() + number
}

fn check_key(kind: KeyKind, size: usize, prefix: &str) -> Result<(), String> {
    let rest = size.saturating_sub(prefix.len());
    let (fits, expected) = match kind {
        // Fewer bytes would give two rows the same key.
        KeyKind::Random => (rest >= 8, "8 bytes or more"),
        KeyKind::Ascending => ((1..=20).contains(&rest), "1 to 20 digits"),
        KeyKind::Uuid4 | KeyKind::Uuid7 => (rest == 36 || rest == 16, "36 bytes, or 16"),
    };
    if fits && size <= MOST_KEY {
        return Ok(());
    }
    let after = if prefix.is_empty() { String::new() } else { format!(" after the prefix of {}", prefix.len()) };
    Err(format!(
        "key-size={size}: expected {expected} for a key of kind {}{after}, and at most {MOST_KEY} bytes in all",
        kind.word()
    ))
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

fn number_above(number: u64, least: u64) -> Option<String> {
    (number > least).then(|| number.to_string())
}

fn number_unless(number: u64, default: u64) -> Option<String> {
    (number != default).then(|| number.to_string())
}
