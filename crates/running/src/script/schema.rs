//! The stand-ins in the schema of a copied database: its defaults, triggers and views ask for the time too, and its collations may belong to
//! its application.

use super::stand_in::{Missed, Rewritten, StandIns};
use rusqlite::{Connection, ErrorCode, params};
use std::{collections::BTreeSet, path::Path};

/// Puts stand-ins into the schema of a database. Returns those with the collation that suits its content, and what they stand in for.
pub(super) fn stand_in(database: &Path, now: String) -> rusqlite::Result<(StandIns, BTreeSet<Missed>)> {
    let mut of = StandIns { now, ..StandIns::default() };
    let texts = texts(&Connection::open(database)?)?;
    match put(database, &texts, &of) {
        // The application told names apart that are the same without regard to case.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            of.collation = "BINARY";
            put(database, &texts, &of)
        }
        put => put,
    }
    .map(|missed| (of, missed))
}

/// Returns the statements that made the schema, with their rows' numbers.
fn texts(connection: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut statement = connection.prepare("SELECT rowid, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Changes those statements that need it, and orders again what is in the order of a collation.
fn put(database: &Path, texts: &[(i64, String)], of: &StandIns) -> rusqlite::Result<BTreeSet<Missed>> {
    let rewritten = |(row, text): &(i64, String)| (*row, of.rewrite(text, false));
    let changed: Vec<(i64, Rewritten)> =
        texts.iter().map(rewritten).filter(|(_, rewritten)| !rewritten.missed.is_empty()).collect();
    if changed.is_empty() {
        return Ok(BTreeSet::new());
    }
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA writable_schema = ON")?;
    for (row, rewritten) in &changed {
        connection.execute("UPDATE sqlite_schema SET sql = ?2 WHERE rowid = ?1", params![row, rewritten.sql])?;
    }
    drop(connection);
    let has_collation =
        |rewritten: &Rewritten| rewritten.missed.iter().any(|missed| matches!(missed, Missed::Collation(_)));
    if changed.iter().any(|(_, rewritten)| has_collation(rewritten)) {
        order(&Connection::open(database)?, of.collation)?;
    }
    Ok(changed.into_iter().flat_map(|(_, rewritten)| rewritten.missed).collect())
}

/// Builds indexes again, and tables that are themselves in the order of a key.
fn order(connection: &Connection, collation: &str) -> rusqlite::Result<()> {
    let mut tables =
        connection.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr")?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in tables {
        let name = format!("\"{}\"", table.replace('"', "\"\""));
        connection.execute_batch(&format!(
            "BEGIN;
             CREATE TEMP TABLE ordered AS SELECT * FROM {name} NOT INDEXED;
             DELETE FROM {name};
             INSERT INTO {name} SELECT * FROM ordered;
             DROP TABLE ordered;
             COMMIT"
        ))?;
    }
    connection.execute_batch(&format!("REINDEX {collation}"))
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
                "CREATE TABLE tag(name TEXT PRIMARY KEY COLLATE application, at TEXT DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;
                 CREATE TABLE deck(name TEXT UNIQUE COLLATE application);
                 CREATE TRIGGER added AFTER INSERT ON deck BEGIN INSERT INTO tag VALUES (new.name, datetime('now')); END;
                 INSERT INTO deck VALUES ('b'), ('C'), ('a'), ('A d'), ('aB')",
            )
            .unwrap();
        path
    }

    fn names(path: &Path) -> Vec<String> {
        let connection = Connection::open(path).unwrap();
        assert_eq!(connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap(), "ok");
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
        let (of, missed) = stand_in(&path, "2020-02-02 00:00:00".to_owned()).unwrap();
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
        let (of, _) = stand_in(&path, "2020-02-02 00:00:00".to_owned()).unwrap();
        assert_eq!(of.collation, "BINARY");
        assert_eq!(names(&path), ["A", "A d", "C", "a", "aB", "b", "new"]);
    }
}
