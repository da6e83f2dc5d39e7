//! Stand-ins in the schema of a copied database. Its defaults, triggers and views ask for the time too, and its collations may belong to its
//! application.

use super::stand_in::{Missed, StandIns};
use dbdyno_foundation::base::sqlite::distrust;
use rusqlite::{Connection, ErrorCode, params};
use std::{collections::BTreeSet, path::Path};

/// Puts stand-ins into the schema of a database. Returns them, with the collation that suits its content, and everything that they replace.
pub(super) fn put(database: &Path, now: String) -> rusqlite::Result<(StandIns, BTreeSet<Missed>)> {
    let mut of = StandIns { now, ..StandIns::default() };
    let entries = entries(&Connection::open(database)?)?;
    let missed = match rewrite(database, &entries, &of) {
        // The keys of the application differ only in case.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            of.collation = "BINARY";
            rewrite(database, &entries, &of)?
        }
        missed => missed?,
    };
    Ok((of, missed))
}

/// Puts stand-ins for functions into a schema that already has the others. Returns what they replace. `entries`: the schema without them,
/// so that other stand-ins can follow.
pub(super) fn put_functions(
    database: &Path,
    entries: &[SchemaRow],
    of: &StandIns,
) -> rusqlite::Result<BTreeSet<Missed>> {
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA writable_schema = ON")?;
    let (mut all, mut changes) = (BTreeSet::new(), 0);
    for SchemaRow { row, sql, .. } in entries {
        let rewritten = of.rewrite(sql, None);
        let change = "UPDATE sqlite_schema SET sql = ?2 WHERE rowid = ?1 AND sql <> ?2";
        changes += connection.execute(change, params![row, rewritten.sql])?;
        all.extend(rewritten.missed);
    }
    drop(connection);
    if changes > 0 {
        // Indexes contain values of the functions.
        let connection = Connection::open(database)?;
        distrust(&connection)?;
        connection.execute_batch("REINDEX")?;
    }
    Ok(all)
}

/// A row of the table of the schema.
#[derive(Debug)]
pub(super) struct SchemaRow {
    row: i64,
    name: String,
    sql: String,
}

pub(super) fn entries(connection: &Connection) -> rusqlite::Result<Vec<SchemaRow>> {
    let mut statement = connection.prepare("SELECT rowid, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let entry = |row: &rusqlite::Row<'_>| Ok(SchemaRow { row: row.get(0)?, name: row.get(1)?, sql: row.get(2)? });
    statement.query_map([], entry)?.collect()
}

/// Rewrites the entries that need it, and sorts again the data that an unknown collation had sorted.
fn rewrite(database: &Path, entries: &[SchemaRow], of: &StandIns) -> rusqlite::Result<BTreeSet<Missed>> {
    let mut all = BTreeSet::new();
    let mut sorted = Vec::new();
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA writable_schema = ON")?;
    for SchemaRow { row, name, sql } in entries {
        let rewritten = of.rewrite(sql, None);
        if rewritten.sql != *sql {
            connection.execute("UPDATE sqlite_schema SET sql = ?2 WHERE rowid = ?1", params![row, rewritten.sql])?;
        }
        if rewritten.missed.iter().any(|missed| matches!(missed, Missed::Collation(_))) {
            sorted.push(name.as_str());
        }
        all.extend(rewritten.missed);
    }
    drop(connection);
    if !sorted.is_empty() {
        sort(&Connection::open(database)?, &sorted, of.collation)?;
    }
    Ok(all)
}

/// Rebuilds the indexes of a collation, and the rows of named tables that are sorted by a key.
fn sort(connection: &Connection, names: &[&str], collation: &str) -> rusqlite::Result<()> {
    // The database's triggers and foreign keys must not change other rows.
    distrust(connection)?;
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    let mut tables =
        connection.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr")?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in tables.iter().filter(|table| names.contains(&table.as_str())) {
        // Without generated columns, which have no values of their own.
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns: Vec<String> = columns.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let columns = columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        let table = quoted(table);
        connection.execute_batch(&format!(
            "BEGIN;
             CREATE TEMP TABLE dbdyno_rows AS SELECT {columns} FROM main.{table} NOT INDEXED;
             DELETE FROM main.{table};
             INSERT INTO main.{table}({columns}) SELECT * FROM temp.dbdyno_rows;
             DROP TABLE temp.dbdyno_rows;
             COMMIT"
        ))?;
    }
    connection.execute_batch(&format!("REINDEX {collation}"))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    fn database(folder: &Path, compare: fn(&str, &str) -> Ordering) -> std::path::PathBuf {
        let path = folder.join("application.db");
        let connection = Connection::open(&path).unwrap();
        connection.create_collation("application", compare).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE tag(name TEXT PRIMARY KEY COLLATE application, at TEXT DEFAULT CURRENT_TIMESTAMP, size INTEGER AS (length(name))) WITHOUT ROWID;
                 CREATE TABLE of_tag(tag TEXT REFERENCES tag(name) ON DELETE CASCADE);
                 CREATE TRIGGER gone AFTER DELETE ON tag BEGIN DELETE FROM of_tag; END;
                 CREATE TABLE deck(name TEXT UNIQUE COLLATE application);
                 CREATE TRIGGER added AFTER INSERT ON deck BEGIN INSERT INTO tag(name, at) VALUES (new.name, datetime('now')); END;
                 INSERT INTO deck VALUES ('b'), ('C'), ('a'), ('A d'), ('aB');
                 INSERT INTO of_tag VALUES ('a')",
            )
            .unwrap();
        path
    }

    fn names(path: &Path) -> Vec<String> {
        let connection = Connection::open(path).unwrap();
        assert_eq!(connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap(), "ok");
        let of_tag = connection.query_row("SELECT count(*) FROM of_tag", [], |row| row.get::<_, i64>(0));
        assert_eq!(of_tag, Ok(1), "neither a trigger nor a foreign key has removed it");
        connection.execute_batch("INSERT INTO deck VALUES ('new')").unwrap();
        let at = connection.query_row("SELECT at FROM tag WHERE name = 'new'", [], |row| row.get::<_, String>(0));
        assert_eq!(at.unwrap(), "2020-02-02 00:00:00");
        let mut all = connection.prepare("SELECT name FROM tag ORDER BY name").unwrap();
        all.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_database_of_an_application_is_sound_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), |a, b| b.to_lowercase().cmp(&a.to_lowercase()));
        let (of, missed) = put(&path, "2020-02-02 00:00:00".to_owned()).unwrap();
        assert_eq!((of.collation, missed.len()), ("NOCASE", 2));
        assert_eq!(names(&path), ["a", "A d", "aB", "b", "C", "new"]);
    }

    #[test]
    fn names_that_an_application_tells_apart_stay_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), |a, b| b.cmp(a));
        Connection::open(&path)
            .and_then(|connection| {
                connection.create_collation("application", |a: &str, b: &str| b.cmp(a))?;
                connection.execute_batch("INSERT INTO deck VALUES ('A')")
            })
            .unwrap();
        let (of, _) = put(&path, "2020-02-02 00:00:00".to_owned()).unwrap();
        assert_eq!(of.collation, "BINARY");
        assert_eq!(names(&path), ["A", "A d", "C", "a", "aB", "b", "new"]);
    }
}
