//! Reading SQLite files from untrusted sources.

use rusqlite::{Connection, config::DbConfig};

/// Prevents a file's schema from running code: no view, no trigger, and in indexes, checks and generated columns only harmless functions.
/// Its bookkeeping tables cannot be written.
///
/// # Errors
/// An error of SQLite; it knows all of these settings.
pub fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_triggers_of_a_file_do_not_run() {
        let connection = Connection::open_in_memory().unwrap();
        let theirs = "CREATE TABLE t(a); CREATE TABLE seen(a); CREATE VIEW v AS SELECT a FROM t;
                      CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (1); END";
        connection.execute_batch(theirs).unwrap();
        distrust(&connection).unwrap();
        connection.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        assert_eq!(count("SELECT count(*) FROM seen"), Ok(0));
        assert!(count("SELECT count(*) FROM v").is_err());
        connection.execute_batch("PRAGMA writable_schema = ON").unwrap();
        assert!(connection.execute_batch("UPDATE sqlite_schema SET sql = ''").is_err());
    }
}
