//! Checks that a build of SQLite behaves as its options promise. It does so on a scratch database, because a build with another storage
//! backend or a cipher below the same functions accepts every pragma and may ignore any.

use super::{connection, describe, driver::Driver, pragmas};
use dbdyno_engine::{
    EngineError,
    describe::{Library, Probed},
    durability::{Tier, TierRule},
    settings::Settings,
    sql::SqlValue,
};
use dbdyno_workload::syncs;
use std::{fs, path::Path};

/// Parts of compile options that mark builds with a cipher or another storage backend.
const FOREIGN: [&str; 4] = ["CODEC", "CIPHER", "LUMO", "LMDB"];

/// The first bytes of every SQLite file.
const HEADER: &[u8] = b"SQLite format 3\0";

/// The values that tiers depend on or that another storage backend may not support, in an order in which a database accepts them.
const WORDS: [(&str, &[&str]); 3] = [
    ("locking_mode", &["exclusive", "normal"]),
    ("journal_mode", &["wal", "truncate", "persist", "memory", "off", "delete"]),
    ("synchronous", &["off", "normal", "full"]),
];

/// Checks how the driver's library handles the options, with a database in this empty folder.
///
/// # Errors
/// The library cannot open a database with these settings, or cannot write to it.
pub fn examine<D: Driver>(folder: &Path, settings: &Settings, library: Library) -> Result<Probed, EngineError> {
    let connection = connection::open_in::<D>(folder, settings)?;
    let backend = connection.backend();
    let mut lacking = pragmas::lacking(&connection, settings)?;
    if backend.is_none() {
        // SQLite's function for it is older than the pragma, and is called too. Another storage backend may wait for locks of its own.
        lacking.remove("busy_timeout");
    }
    let refused = refused(&connection)?;
    lacking.extend(stuck(&refused));
    let elsewhere = backend.as_ref().map(|backend| format!("its tables are in {backend}, not in SQLite's own B-tree"));
    let foreign = match elsewhere.or_else(|| foreign(&library)) {
        None => strange(&connection, &refused, &folder.join(connection::FILE))?,
        found => found,
    };
    connection.close()?;
    let unknown = |why: String| {
        let reason = format!("the library is not known to obey SQLite's pragmas: {why}");
        vec![TierRule::new(&[], Tier::Unknown, &reason)]
    };
    Ok(Probed { library, backend, lacking, tiers: Some(foreign.map_or_else(describe::tiers, unknown)) })
}

/// A value that an option does not accept.
struct RefusedValue {
    option: &'static str,
    /// The value that was set, and the value in force after it.
    why: String,
}

/// Returns the values that do not read back as they were set.
fn refused<D: Driver>(connection: &D) -> Result<Vec<RefusedValue>, EngineError> {
    let mut refused = Vec::new();
    for (option, words) in WORDS {
        for word in words {
            pragmas::set(connection, option, word)?;
            let found = pragmas::in_force(connection)?.remove(option).unwrap_or_default();
            if found != *word {
                refused.push(RefusedValue { option, why: pragmas::left(option, word, &found) });
            }
        }
    }
    Ok(refused)
}

/// Returns the options that accept only one of their values, each with the reason.
fn stuck(refused: &[RefusedValue]) -> impl Iterator<Item = (String, String)> {
    WORDS.iter().filter_map(|(option, words)| {
        let of: Vec<&RefusedValue> = refused.iter().filter(|one| one.option == *option).collect();
        let first = of.first().filter(|_| of.len() + 1 >= words.len())?;
        Some(((*option).to_owned(), first.why.clone()))
    })
}

/// Returns why a library is not plain SQLite, from its own report.
fn foreign(library: &Library) -> Option<String> {
    let marked = library.build.iter().find(|option| FOREIGN.iter().any(|part| option.contains(part)));
    if let Some(option) = marked {
        return Some(format!("it was built with {option}"));
    }
    let source = library.source.as_deref().unwrap_or_default();
    (!is_source_id(source)).then(|| format!("its source id is `{source}`, expected a date, a time and a hash"))
}

/// Returns whether a text is a check-in of SQLite's own, such as `2022-12-28 14:03:47 df5c...`; distributions replace the hash's end with
/// `alt1`.
fn is_source_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split(' ').collect();
    let [date, time, hash] = parts[..] else { return false };
    let digits = |text: &str, between: char| text.chars().all(|c| c.is_ascii_digit() || c == between);
    let own = hash.len().checked_sub(4).and_then(|end| hash.get(..end)).unwrap_or_default();
    date.len() == 10
        && digits(date, '-')
        && time.len() == 8
        && digits(time, ':')
        && [40, 64].contains(&hash.len())
        && own.chars().all(|c| c.is_ascii_hexdigit())
}

/// Returns why a library is not plain SQLite, from its behaviour.
fn strange<D: Driver>(connection: &D, refused: &[RefusedValue], file: &Path) -> Result<Option<String>, EngineError> {
    if connection.first_value("PRAGMA cipher_version")? != SqlValue::Null {
        return Ok(Some("it has a cipher".to_owned()));
    }
    if let Some(first) = refused.first() {
        return Ok(Some(first.why.clone()));
    }
    for (synchronous, waits) in [("off", false), ("full", true)] {
        pragmas::set(connection, "synchronous", synchronous)?;
        let before = syncs::calls();
        connection.batch(&format!("CREATE TABLE written_{synchronous} (a)"))?;
        let made = syncs::calls() - before;
        if (made > 0) != waits {
            return Ok(Some(format!("a commit with synchronous={synchronous} made {made} sync calls")));
        }
    }
    let begins = fs::read(file).is_ok_and(|bytes| bytes.starts_with(HEADER));
    Ok((!begins).then(|| "its file has not SQLite's format".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_ids_are_those_of_sqlite_with_a_hash_of_either_age() {
        let recent = "2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3alt1";
        assert!(is_source_id(recent) && is_source_id("2016-11-28 19:13:37 bbd85d235f7037c6a033a9690534391ffeacecc8"));
        for wrong in ["", "3.53.1", "2022-12-28 14:03:47", "2022-12-28 14:03:47 lumosql", "2022-12-28 é:03:47 é"] {
            assert!(!is_source_id(wrong), "{wrong}");
        }
    }
}
