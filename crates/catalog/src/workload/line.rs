//! The line of a described workload: reading, checking and printing it.

use super::{
    Clients, FIELDS, Field, Key, KeyKind, Mix, Value, Workload,
    fields::{DEFAULT_ROWS, Draft, MOST_KEY, MOST_ROWS, UNIFORM},
    sizes::Sizes,
};
use dbdyno_engine::names::instead_of;
use std::collections::BTreeSet;

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
            // The nearest name, `writers`, is a number of threads.
            let instead = match name {
                "write" | "writes" => "expected insert, update, delete or modify for a share of writes".to_owned(),
                _ => instead_of(name, FIELDS.iter().map(|field| field.name)),
            };
            return Err(format!("unknown field `{name}`: {instead}"));
        };
        if !seen.insert(field.name) {
            return Err(format!("{name}: given twice: expected each field once"));
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
pub(super) fn print(workload: &Workload) -> String {
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
        popular: draft.popular.unwrap_or(UNIFORM),
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

pub(super) fn default_key_size(kind: KeyKind, prefix: &str) -> usize {
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
