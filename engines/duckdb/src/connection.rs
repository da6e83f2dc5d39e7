//! Opens a database with its options, and reads back the values in force.

use dbdyno_engine::{EngineError, describe::parse_bytes, engine::Open, settings::Settings};
use duckdb::{Config, Connection};
use std::{collections::BTreeMap, fmt};

pub(crate) fn failed(error: impl fmt::Display) -> EngineError {
    // Its messages have several lines.
    let message = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    // If two transactions change the same row, the later one fails at once.
    let is_conflict = message.contains("TransactionContext Error") || message.contains("Conflict on");
    if is_conflict { EngineError::busy(message) } else { EngineError::new(message) }
}

/// Options that are DuckDB settings: dbdyno's name, DuckDB's name.
const SETTINGS: &[(&str, &str)] = &[
    ("fsync_mode", "fsync_mode"),
    ("threads", "threads"),
    ("memory_limit", "memory_limit"),
    ("checkpoint_threshold", "checkpoint_threshold"),
    ("block_size", "default_block_size"),
];
/// The settings among these that accept and show a number of bytes with a unit.
const SIZES: &[&str] = &["memory_limit", "checkpoint_threshold"];

/// Opens the file in the database's folder, and creates it if it does not exist.
pub(crate) fn open(open: Open<'_>, file: &str) -> Result<Connection, EngineError> {
    let mut config = Config::default();
    for (option, setting) in SETTINGS {
        let value = open.settings.text(option)?;
        // dbdyno's word for DuckDB's default.
        if value != "auto" {
            let unit = if SIZES.contains(option) { "B" } else { "" };
            config = config.with(setting, format!("{value}{unit}")).map_err(EngineError::doing(setting))?;
        }
    }
    Connection::open_with_flags(open.folder.join(file), config).map_err(EngineError::doing("opening the database"))
}

/// Returns every option that can be read back, in the options' spelling.
pub(crate) fn in_force(connection: &Connection, settings: &Settings) -> Result<BTreeMap<String, String>, EngineError> {
    SETTINGS
        .iter()
        .map(|(option, setting)| {
            let sql = if *option == "block_size" {
                "SELECT block_size::VARCHAR FROM pragma_database_size()".to_owned()
            } else {
                format!("SELECT lower(current_setting('{setting}')::VARCHAR)")
            };
            let shown: String =
                connection.query_row(&sql, [], |row| row.get(0)).map_err(EngineError::doing(setting))?;
            let value = if SIZES.contains(option) { bytes_in_force(&shown, settings.text(option)?) } else { shown };
            Ok(((*option).to_owned(), value))
        })
        .collect()
}

/// Returns the number of bytes for a rounded one (`953.6 MiB`): the requested number if DuckDB would show it as that text.
fn bytes_in_force(shown: &str, asked: &str) -> String {
    let shown = shown.trim_end_matches("bytes").trim();
    let unit_at = shown.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(shown.len());
    let (number, unit) = shown.split_at(unit_at);
    let unit = parse_bytes(&format!("1{unit}")).unwrap_or(1) as f64;
    let Ok(number) = number.trim().parse::<f64>() else { return shown.to_owned() };
    let about = number * unit;
    match asked.parse::<f64>() {
        Ok(bytes) if (bytes - about).abs() <= 0.1 * unit => asked.to_owned(),
        _ => format!("{about:.0}"),
    }
}

/// Reads every row of every table, which verifies every block's checksum, because DuckDB has no check of its own.
pub(crate) fn check(connection: &Connection) -> Result<(), EngineError> {
    let mut names = connection.prepare("SELECT table_name FROM duckdb_tables()").map_err(failed)?;
    let names: Vec<String> = names.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(failed)?;
    for name in names {
        let name = name.replace('"', "\"\"");
        let sql = format!("SELECT count(COLUMNS(*)) FROM \"{name}\"");
        connection.query_row(&sql, [], |_| Ok(())).map_err(|error| EngineError::fatal(error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_number_of_bytes_is_the_one_asked_for_where_it_can_be() {
        assert_eq!(bytes_in_force("953.6 mib", "1000000000"), "1000000000");
        assert_eq!(bytes_in_force("953.6 mib", "1000"), "999922074");
        assert_eq!(bytes_in_force("16.0 mib", "16777216"), "16777216");
        assert_eq!(bytes_in_force("100 bytes", "100"), "100");
        assert_eq!(bytes_in_force("0 bytes", "0"), "0");
        assert_eq!(bytes_in_force("18.8 gib", "auto"), "20186346291");
    }
}
