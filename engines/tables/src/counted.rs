//! What SQLite counts for a connection, for any build of it: the work of its page cache and of its prepared statements.

use dbdyno_engine::counters::EngineCounters;
use std::{collections::BTreeMap, ffi::c_int};

/// Where SQLite keeps a counter.
#[derive(Debug, Clone, Copy)]
enum CounterPlace {
    /// `sqlite3_db_status`, of a connection.
    Connection(c_int),
    /// `sqlite3_stmt_status`, of each prepared statement.
    Statements(c_int),
}

struct SqliteCounter {
    name: &'static str,
    about: &'static str,
    place: CounterPlace,
}

/// The version from which SQLite has all of these counters, as `sqlite3_libversion_number` gives it.
pub const SINCE: c_int = 3_023_000;

const fn of_connection(name: &'static str, place: c_int, about: &'static str) -> SqliteCounter {
    SqliteCounter { name, about, place: CounterPlace::Connection(place) }
}

const fn of_statements(name: &'static str, place: c_int, about: &'static str) -> SqliteCounter {
    SqliteCounter { name, about, place: CounterPlace::Statements(place) }
}

/// The numbers are those of sqlite3.h.
const ALL: [SqliteCounter; 8] = [
    of_connection("cache_hits", 7, "pages that were in the page cache"),
    of_connection("cache_misses", 8, "pages that were not in the page cache, and were read"),
    of_connection("cache_writes", 9, "pages written from the page cache"),
    of_connection("cache_spills", 12, "pages written in the middle of a transaction, because the page cache was full"),
    of_statements("full_scan_steps", 1, "steps of scans through whole tables, for statements that are still prepared"),
    of_statements("sorts", 2, "sorts, for statements that are still prepared"),
    of_statements("automatic_index_rows", 3, "rows put into indexes that SQLite makes for one statement"),
    of_statements("vm_steps", 4, "instructions of SQLite's virtual machine, for statements that are still prepared"),
];

/// Returns the meaning of each counter, by name.
pub fn described() -> BTreeMap<String, String> {
    ALL.iter().map(|counter| (counter.name.to_owned(), counter.about.to_owned())).collect()
}

/// The counters of statements whose tables are virtual: how SQLite finds their rows is counted by the virtual tables.
const OF_LAYER: [&str; 3] = ["sorts", "automatic_index_rows", "vm_steps"];

fn of_layer() -> impl Iterator<Item = &'static SqliteCounter> {
    ALL.iter().filter(|counter| OF_LAYER.contains(&counter.name))
}

/// Returns the meaning of each counter of [`counters_for_layer`], by name.
pub(crate) fn described_for_layer() -> impl Iterator<Item = (String, String)> {
    of_layer().map(|counter| (counter.name.to_owned(), format!("with layer=sql: {}", counter.about)))
}

/// Returns the counters of statements whose tables are virtual. `statements`: as for [`counters`].
pub(crate) fn counters_for_layer(statements: impl Fn(c_int) -> u64) -> EngineCounters {
    let value = |counter: &'static SqliteCounter| match counter.place {
        CounterPlace::Statements(place) => Some((counter.name, statements(place))),
        CounterPlace::Connection(_) => None,
    };
    of_layer().filter_map(value).collect()
}

/// Returns the counters of a connection. `connection` and `statements`: the value of a number of sqlite3.h for the connection, and for all
/// of its prepared statements together.
pub fn counters(connection: impl Fn(c_int) -> u64, statements: impl Fn(c_int) -> u64) -> EngineCounters {
    let value = |counter: &SqliteCounter| match counter.place {
        CounterPlace::Connection(place) => connection(place),
        CounterPlace::Statements(place) => statements(place),
    };
    ALL.each_ref().map(|counter| (counter.name, value(counter))).into()
}
