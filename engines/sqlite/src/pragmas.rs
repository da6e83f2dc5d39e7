//! Sets options as pragmas, and reads back the values in force.

use super::{
    describe::{self, TRANSACTIONS},
    driver::Driver,
};
use dbdyno_engine::{EngineError, describe::OptionSpec, settings::Settings, sql::SqlValue};
use std::collections::{BTreeMap, BTreeSet};

/// The spelling of a pragma's value when it is read.
enum Spelling {
    /// The spelling in which it was set.
    Same,
    /// A number, which is an index into these words.
    Numbered(&'static [&'static str]),
}

/// Every option that is a pragma of its own name, in the order in which they must be set: busy_timeout before SQLite can meet a lock,
/// synchronous before anything is written, page_size and auto_vacuum before the file has a header, locking_mode before the journal mode
/// touches the file.
const PRAGMAS: &[(&str, Spelling)] = &[
    ("busy_timeout", Spelling::Same),
    ("synchronous", Spelling::Numbered(&["off", "normal", "full", "extra"])),
    ("page_size", Spelling::Same),
    ("auto_vacuum", Spelling::Numbered(&["none", "full", "incremental"])),
    ("cache_size", Spelling::Same),
    ("temp_store", Spelling::Numbered(&["default", "file", "memory"])),
    ("mmap_size", Spelling::Same),
    ("locking_mode", Spelling::Same),
    ("journal_mode", Spelling::Same),
    ("wal_autocheckpoint", Spelling::Same),
    ("foreign_keys", Spelling::Numbered(&["off", "on"])),
];

/// Adds its statement to an option that is a pragma.
pub(crate) fn with_statement(option: OptionSpec) -> OptionSpec {
    match (0..).zip(PRAGMAS).find(|(_, (name, _))| *name == option.name) {
        Some((place, (name, _))) => option.statement(place, &format!("PRAGMA {name} = {{value}};")),
        None => option,
    }
}

/// The options that an existing file adopts only when it is rebuilt.
const REBUILT: [&str; 2] = ["page_size", "auto_vacuum"];

/// The options of SQLite's own file, which another storage backend may accept and ignore.
const OF_FILE: [&str; 4] = ["page_size", "auto_vacuum", "locking_mode", "journal_mode"];

/// Rebuilds a file if its values of these options differ from those just set. Call it before a write-ahead log begins. Another storage
/// backend has no such file.
fn rebuild<D: Driver>(connection: &D, settings: &Settings) -> Result<(), EngineError> {
    let found = in_force(connection)?;
    let differs = |name: &str| found.get(name).is_some_and(|found| settings.get(name) != Some(found));
    if REBUILT.iter().any(|name| differs(name)) && connection.backend().is_none() {
        // The page size is fixed while a log is in use.
        connection.first_value("PRAGMA journal_mode = DELETE")?;
        for name in REBUILT {
            set(connection, name, settings.text(name)?)?;
        }
        connection.batch("VACUUM")?;
    }
    Ok(())
}

/// Whether a file had content when it was opened. The library is not asked: one with another storage backend may count pages in a fresh
/// file, and then fail to rebuild nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileBefore {
    Fresh,
    Filled,
}

/// Sets every pragma, and steps each to its end. Several return their value in force, which is read back later.
pub(crate) fn apply<D: Driver>(connection: &D, settings: &Settings, before: FileBefore) -> Result<(), EngineError> {
    for (name, _) in PRAGMAS {
        set(connection, name, settings.text(name)?)?;
        if REBUILT.last() == Some(name) && before == FileBefore::Filled {
            rebuild(connection, settings)?;
        }
    }
    if connection.has_cache_in_kib() {
        return Ok(());
    }
    match cache_pages(settings, &in_force(connection)?)? {
        Some(pages) => set(connection, CACHE_SIZE, &pages),
        None => Ok(()),
    }
}

/// The option that sets the size of the cache.
const CACHE_SIZE: &str = "cache_size";

/// Returns the number of pages that equals the requested KiB, for a library that accepts no KiB; `None` if the option gives pages.
fn cache_pages(settings: &Settings, found: &BTreeMap<String, String>) -> Result<Option<String>, EngineError> {
    let kib = settings.integer(CACHE_SIZE)?;
    let page_bytes: i64 = match found.get("page_size").and_then(|found| found.parse().ok()) {
        Some(bytes) => bytes,
        None => settings.integer("page_size")?,
    };
    Ok((kib < 0).then(|| (-kib * 1024 / page_bytes.max(1)).max(1).to_string()))
}

/// Returns the options in force, in the spelling of the settings. A cache with the requested number of bytes counts as the requested
/// cache. If another storage backend ignores an option of SQLite's file that is at its default, the option is left out.
pub(crate) fn told<D: Driver>(connection: &D, settings: &Settings) -> Result<BTreeMap<String, String>, EngineError> {
    let mut found = in_force(connection)?;
    if !connection.has_cache_in_kib() {
        let pages = cache_pages(settings, &found)?;
        if pages.is_some_and(|pages| found.get(CACHE_SIZE) == Some(&pages)) {
            found.insert(CACHE_SIZE.to_owned(), settings.text(CACHE_SIZE)?.to_owned());
        }
    }
    if connection.backend().is_some() {
        let options = describe::options(&[], &TRANSACTIONS);
        let wished: BTreeSet<&str> = settings.differing(&options).map(|(name, _)| name).collect();
        let is_of_file = |name: &str| OF_FILE.contains(&name) && !wished.contains(name);
        found.retain(|name, found| !is_of_file(name) || settings.get(name) == Some(found));
    }
    Ok(found)
}

pub(crate) fn set<D: Driver>(connection: &D, name: &str, value: &str) -> Result<(), EngineError> {
    // The value is one of the description's choices or a number, never free text.
    connection.first_value(&format!("PRAGMA {name} = {value}")).map(drop)
}

/// Reads back every pragma that the library has, in the options' spelling.
pub(crate) fn in_force<D: Driver>(connection: &D) -> Result<BTreeMap<String, String>, EngineError> {
    let value = |(name, spelling): &(&str, Spelling)| {
        let value = connection.first_value(&format!("PRAGMA {name}"))?;
        Ok((value != SqlValue::Null).then(|| ((*name).to_owned(), spell(&value, spelling))))
    };
    PRAGMAS.iter().filter_map(|pragma| value(pragma).transpose()).collect()
}

/// Returns the pragmas that the library lacks or ignores in a fresh file, each with the reason why it cannot be set.
pub(crate) fn lacking<D: Driver>(connection: &D, settings: &Settings) -> Result<BTreeMap<String, String>, EngineError> {
    let found = in_force(connection)?;
    let reason = |name: &str| match (found.get(name), settings.get(name)) {
        (None, _) => Some(format!("the library does not report PRAGMA {name}")),
        (Some(found), Some(asked)) if REBUILT.contains(&name) && found != asked => Some(left(name, asked, found)),
        _ => None,
    };
    Ok(PRAGMAS.iter().filter_map(|(name, _)| Some(((*name).to_owned(), reason(name)?))).collect())
}

/// Describes a pragma that had no effect.
pub(crate) fn left(name: &str, asked: &str, found: &str) -> String {
    format!("PRAGMA {name} = {asked} leaves `{found}` in force")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{busy::BusyHandler, connection, describe::describe};
    use dbdyno_engine::{describe::Library, prepared::PreparedStatement, sql::SqlValueRef};
    use dbdyno_tables::sqlite::{SqliteRow, SqliteStatement};
    use rusqlite::Connection;
    use std::{ops::ControlFlow, path::Path};

    /// A SQLite with another storage backend: fresh files have a page, VACUUM fails, and pages have this size; 0: it does not report the
    /// size.
    struct OtherStore<const PAGE_SIZE: i64>(Connection);

    impl<const PAGE_SIZE: i64> Driver for OtherStore<PAGE_SIZE> {
        type Statement<'c> = OtherStatement<'c, PAGE_SIZE>;

        fn open(path: &Path, mutex: bool, settings: &Settings) -> Result<Self, EngineError> {
            <Connection as Driver>::open(path, mutex, settings).map(Self)
        }

        fn library(&self) -> Option<Library> {
            None
        }

        fn batch(&self, sql: &str) -> Result<(), EngineError> {
            if sql == "VACUUM" { Err(EngineError::new("out of memory")) } else { self.0.batch(sql) }
        }

        fn first_value(&self, sql: &str) -> Result<SqlValue, EngineError> {
            match sql {
                "PRAGMA page_count" => Ok(SqlValue::Integer(1)),
                "PRAGMA page_size" if PAGE_SIZE == 0 => Ok(SqlValue::Null),
                "PRAGMA page_size" => Ok(SqlValue::Integer(PAGE_SIZE)),
                _ => self.0.first_value(sql),
            }
        }

        fn set_busy_handler(&mut self, handler: BusyHandler) -> Result<(), EngineError> {
            self.0.set_busy_handler(handler)
        }

        fn is_autocommit(&self) -> bool {
            true
        }

        fn has_mutex(&self) -> bool {
            false
        }

        fn close(self) -> Result<(), EngineError> {
            Driver::close(self.0)
        }
    }

    struct OtherStatement<'c, const PAGE_SIZE: i64>(SqliteStatement<'c>);

    impl<'c, const PAGE_SIZE: i64> PreparedStatement<'c> for OtherStatement<'c, PAGE_SIZE> {
        type Connection = OtherStore<PAGE_SIZE>;
        type Row<'r> = SqliteRow<'r>;

        fn prepare(connection: &'c Self::Connection, sql: &str) -> Result<Self, EngineError> {
            SqliteStatement::prepare(&connection.0, sql).map(Self)
        }

        fn execute<'v>(&mut self, values: impl Iterator<Item = SqlValueRef<'v>>) -> Result<u64, EngineError> {
            self.0.execute(values)
        }

        fn query<'v>(
            &mut self,
            values: impl Iterator<Item = SqlValueRef<'v>>,
            visit: impl FnMut(&SqliteRow<'_>) -> ControlFlow<()>,
        ) -> Result<(), EngineError> {
            self.0.query(values, visit)
        }
    }

    fn settings(asked: &[(&str, &str)]) -> Settings {
        let asked = asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::resolve(&describe(), &asked).unwrap()
    }

    #[test]
    fn a_fresh_file_is_not_rebuilt_whatever_the_library_says_of_its_pages() {
        let folder = tempfile::tempdir().unwrap();
        let database: OtherStore<16384> = connection::open_in(folder.path(), &settings(&[])).unwrap();
        assert_eq!(in_force(&database).unwrap()["page_size"], "16384");
        database.close().unwrap();
    }

    #[test]
    fn a_pragma_that_the_library_does_not_have_is_not_in_force_and_no_reason_to_rebuild() {
        let folder = tempfile::tempdir().unwrap();
        for times in ["fresh", "opened again"] {
            let database: OtherStore<0> = connection::open_in(folder.path(), &settings(&[])).unwrap();
            database.batch("CREATE TABLE IF NOT EXISTS t (a)").unwrap();
            let found = in_force(&database).unwrap();
            assert!(!found.contains_key("page_size") && found["journal_mode"] == "delete", "{times}: {found:?}");
            assert_eq!(lacking(&database, &settings(&[])).unwrap().into_keys().collect::<Vec<_>>(), ["page_size"]);
            database.close().unwrap();
        }
    }

    #[test]
    fn a_file_with_content_is_rebuilt_for_another_size_of_pages() {
        let folder = tempfile::tempdir().unwrap();
        for (asked, rows) in [("4096", "1"), ("8192", "2"), ("8192", "3")] {
            let database: Connection = connection::open_in(folder.path(), &settings(&[("page_size", asked)])).unwrap();
            database.batch("CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)").unwrap();
            assert_eq!(in_force(&database).unwrap()["page_size"], asked);
            let count = database.first_value("SELECT CAST(count(*) AS TEXT) FROM t").unwrap();
            assert_eq!(count, SqlValue::Text(rows.to_owned()));
            Driver::close(database).unwrap();
        }
        let bytes = std::fs::read(folder.path().join(connection::FILE)).unwrap();
        assert_eq!(u16::from_be_bytes([bytes[16], bytes[17]]), 8192, "the file's header says so");
    }
}
