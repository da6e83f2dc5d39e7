//! Copies tables through ATTACH into a separate database, opened with the options of the first.

use super::{driver::Driver, pragmas};
use dbdyno_engine::{
    EngineError,
    prepared::SqlStatement,
    sql::{SqlRow, SqlValue, SqlValueRef},
    suite::CopySpec,
};
use std::{fs, io, path::Path};

/// Options that an attached database does not inherit from the main one, in the order in which they are set.
const SET: [&str; 5] = ["page_size", "cache_size", "locking_mode", "journal_mode", "synchronous"];
/// Suffixes of the files that may belong to the copy.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Copies into a fresh file, in one transaction, and returns the number of rows.
pub(crate) fn to_fresh_database<D: Driver>(connection: &D, copy: &CopySpec) -> Result<u64, EngineError> {
    let file = main_file(connection)?;
    let parent = Path::new(&file).parent().and_then(Path::parent);
    let folder = parent.ok_or_else(|| EngineError::new("the database has no folder to copy to"))?.join("copy");
    fs::create_dir_all(&folder).map_err(EngineError::doing("creating the copy's folder"))?;
    for end in BESIDE {
        remove(&folder.join(format!("copy.db{end}"))).map_err(EngineError::doing("removing the previous copy"))?;
    }
    let path = SqlValue::Text(folder.join("copy.db").to_string_lossy().into_owned());
    run(connection, "ATTACH ?1 AS copy", &[path])?;
    let copied = copy_rows(connection, copy);
    if copied.is_err() && !connection.is_autocommit() {
        // The original error is the one to report.
        let _ = connection.batch("ROLLBACK");
    }
    let detached = connection.batch("DETACH copy");
    copied.and_then(|rows| detached.map(|()| rows))
}

/// Returns the path of the open database.
fn main_file<D: Driver>(connection: &D) -> Result<String, EngineError> {
    let mut file = String::new();
    let mut databases = SqlStatement::<D::Statement<'_>>::new(connection, "PRAGMA database_list", false)?;
    databases.query(&[], |row| {
        if let (SqlValueRef::Text(b"main"), SqlValueRef::Text(path)) = (row.value(1), row.value(2)) {
            file = String::from_utf8_lossy(path).into_owned();
        }
    })?;
    Ok(file)
}

/// Removes the file or folder at this path, if it exists: other storage backends have folders where SQLite has files.
fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Runs a statement once, and returns the number of changed rows.
fn run<D: Driver>(connection: &D, sql: &str, values: &[SqlValue]) -> Result<u64, EngineError> {
    SqlStatement::<D::Statement<'_>>::new(connection, sql, false)?.execute(values)
}

fn copy_rows<D: Driver>(connection: &D, copy: &CopySpec) -> Result<u64, EngineError> {
    let in_force = pragmas::in_force(connection)?;
    for (name, value) in SET.iter().filter_map(|name| Some((name, in_force.get(*name)?))) {
        pragmas::set(connection, &format!("copy.{name}"), value)?;
    }
    connection.batch("BEGIN")?;
    copy.schema.iter().try_for_each(|sql| connection.batch(sql))?;
    let mut rows = 0;
    for table in &copy.tables {
        let sql = format!("INSERT INTO copy.{table} SELECT * FROM main.{table}");
        rows += run(connection, &sql, &[])?;
    }
    connection.batch("COMMIT")?;
    Ok(rows)
}
