//! Setting options as pragmas, and reading back what is in force.

use super::driver::Driver;
use dbdyno_engine::{EngineError, describe::OptionSpec, settings::Settings, sql::SqlValue};
use std::collections::BTreeMap;

/// How a pragma spells its value when it is read.
enum Spelling {
    /// As it was set.
    Same,
    /// As a number: the words of 0, 1, 2 ...
    Numbered(&'static [&'static str]),
}

/// Every option that is a pragma of its own name, in the order in which they must be set: synchronous before anything is
/// written, page_size and auto_vacuum before the file has a header, locking_mode before the journal mode touches the file.
const PRAGMAS: &[(&str, Spelling)] = &[
    ("synchronous", Spelling::Numbered(&["off", "normal", "full", "extra"])),
    ("page_size", Spelling::Same),
    ("auto_vacuum", Spelling::Numbered(&["none", "full", "incremental"])),
    ("cache_size", Spelling::Same),
    ("temp_store", Spelling::Numbered(&["default", "file", "memory"])),
    ("mmap_size", Spelling::Same),
    ("locking_mode", Spelling::Same),
    ("journal_mode", Spelling::Same),
    ("wal_autocheckpoint", Spelling::Same),
];

/// The option with its statement, where it is a pragma.
pub(crate) fn with_statement(option: OptionSpec) -> OptionSpec {
    match (0..).zip(PRAGMAS).find(|(_, (name, _))| *name == option.name) {
        Some((place, (name, _))) => option.statement(place, &format!("PRAGMA {name} = {{value}};")),
        None => option,
    }
}

/// The options that an existing file takes on only when it is rebuilt.
const REBUILT: [&str; 2] = ["page_size", "auto_vacuum"];

/// Rebuilds a file that has other values of these options than those just set. It has to be done before a write-ahead log
/// is begun.
fn rebuild<D: Driver>(connection: &D, settings: &Settings) -> Result<(), EngineError> {
    if connection.first_value("PRAGMA page_count")? == SqlValue::Integer(0) {
        return Ok(());
    }
    let found = in_force(connection)?;
    let differs = |name: &str| found.get(name).map(String::as_str) != settings.get(name);
    if REBUILT.iter().any(|name| differs(name)) {
        // A log in use fixes the size of pages.
        connection.first_value("PRAGMA journal_mode = DELETE")?;
        for name in REBUILT {
            set(connection, name, settings.text(name)?)?;
        }
        connection.batch("VACUUM")?;
    }
    Ok(())
}

/// Sets every pragma. Each is stepped to its end; several return what is in force, which is read back later.
pub(crate) fn apply<D: Driver>(connection: &D, settings: &Settings) -> Result<(), EngineError> {
    for (name, _) in PRAGMAS {
        set(connection, name, settings.text(name)?)?;
        if REBUILT.last() == Some(name) {
            rebuild(connection, settings)?;
        }
    }
    Ok(())
}

pub(crate) fn set<D: Driver>(connection: &D, name: &str, value: &str) -> Result<(), EngineError> {
    // The value is one of the description's choices or a number, never free text.
    connection.first_value(&format!("PRAGMA {name} = {value}")).map(drop)
}

/// Reads back every pragma, in the spelling of the options.
pub(crate) fn in_force<D: Driver>(connection: &D) -> Result<BTreeMap<String, String>, EngineError> {
    PRAGMAS
        .iter()
        .map(|(name, spelling)| {
            let value = connection.first_value(&format!("PRAGMA {name}"))?;
            Ok(((*name).to_owned(), spell(&value, spelling)))
        })
        .collect()
}

fn spell(value: &SqlValue, spelling: &Spelling) -> String {
    match (value, spelling) {
        (SqlValue::Integer(number), Spelling::Numbered(words)) => usize::try_from(*number)
            .ok()
            .and_then(|at| words.get(at))
            .map_or_else(|| number.to_string(), |word| (*word).to_owned()),
        (SqlValue::Integer(number), Spelling::Same) => number.to_string(),
        (SqlValue::Text(text), _) => text.to_ascii_lowercase(),
        (SqlValue::Real(real), _) => real.to_string(),
        (SqlValue::Null | SqlValue::Blob(_), _) => String::new(),
    }
}
