//! Copying tables through ATTACH into a database of their own, opened with the options of the first.

use super::pragmas;
use dbdyno_engine::{EngineError, suite::CopySpec};
use rusqlite::Connection;
use std::{fs, io::ErrorKind, path::Path};

/// Options that an attached database does not take from the one it is attached to, in the order in which they are set.
const SET: [&str; 5] = ["page_size", "cache_size", "locking_mode", "journal_mode", "synchronous"];
/// What may stand beside the copy.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Copies into a fresh file, in one transaction; the number of rows.
pub(super) fn to_fresh_database(connection: &Connection, copy: &CopySpec) -> Result<u64, EngineError> {
    let file = connection.path().map(Path::new).and_then(Path::parent).and_then(Path::parent);
    let folder = file.ok_or_else(|| EngineError::new("the database has no folder to copy to"))?.join("copy");
    fs::create_dir_all(&folder).map_err(EngineError::doing("creating the copy's folder"))?;
    for end in BESIDE {
        match fs::remove_file(folder.join(format!("copy.db{end}"))) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(EngineError::new(format!("removing the copy before: {error}")));
            }
            _ => {}
        }
    }
    let attach = "ATTACH ?1 AS copy";
    let path = folder.join("copy.db");
    connection.execute(attach, [path.to_string_lossy()]).map_err(EngineError::doing(attach))?;
    let copied = copy_rows(connection, copy);
    if copied.is_err() && !connection.is_autocommit() {
        // The error that led here is the one to report.
        let _ = connection.execute_batch("ROLLBACK");
    }
    let detach = "DETACH copy";
    let detached = connection.execute_batch(detach).map_err(EngineError::doing(detach));
    copied.and_then(|rows| detached.map(|()| rows))
}

fn copy_rows(connection: &Connection, copy: &CopySpec) -> Result<u64, EngineError> {
    let in_force = pragmas::in_force(connection)?;
    for name in SET {
        let value = in_force.get(name).map_or("", String::as_str);
        pragmas::set(connection, &format!("copy.{name}"), value)?;
    }
    let batch = |sql: &str| connection.execute_batch(sql).map_err(EngineError::doing(sql));
    batch("BEGIN")?;
    copy.schema.iter().try_for_each(|sql| batch(sql))?;
    let mut rows = 0;
    for table in &copy.tables {
        let sql = format!("INSERT INTO copy.{table} SELECT * FROM main.{table}");
        rows += connection.execute(&sql, []).map_err(EngineError::doing(&sql))? as u64;
    }
    batch("COMMIT")?;
    Ok(rows)
}
