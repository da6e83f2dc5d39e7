//! The public corpus of SQLite's logic tests (sqllogictest): runs every statement of its files on plain SQLite and on the layer.
//!
//! `DBDYNO_LOGIC_TESTS` is the folder with these files; they are not part of this project.

use super::{TestStore, execute, query, row};
use dbdyno_engine::{
    EngineError,
    ordered::OrderedStore,
    prepared::SqlStatement,
    sql::{SqlEngine, SqlSession},
    suite::{IndexSpec, TableSpec},
};
use dbdyno_tables::sqlite::SqliteStatement;
use rusqlite::Connection;
use serde_json::{from_value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A statement that runs on both sides.
enum SharedStatement {
    Table(&'static TableSpec),
    Index(&'static IndexSpec),
    Drop(&'static TableSpec),
    Write(String),
    Query { sql: String, ordered: bool },
}

/// Counts of compared answers and of statements that the layer rejected.
#[derive(Debug, Default)]
struct Count {
    files: usize,
    answers: usize,
    refused: usize,
    /// Skipped statements, such as those about views and triggers.
    left_out: usize,
}

/// Compares every statement of the files in a folder.
pub(crate) fn agree<S: OrderedStore>(new: impl Fn() -> TestStore) {
    let Some(folder) = std::env::var_os("DBDYNO_LOGIC_TESTS") else { return };
    let mut count = Count::default();
    for file in files(Path::new(&folder)) {
        let text = fs::read_to_string(&file).unwrap();
        let records = records(&text, &mut count);
        if let Err(wrong) = compare::<S>(new(), &records, &mut count) {
            panic!("{}: {wrong}", file.display());
        }
        count.files += 1;
    }
    dbdyno_engine::say!("{count:?}");
    assert!(count.answers > 0, "no answer in the files of {}", Path::new(&folder).display());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    let within = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let all = found.into_iter().flat_map(within);
    all.filter(|path| path.extension().is_some_and(|extension| extension == "test")).collect()
}

fn records(text: &str, count: &mut Count) -> Vec<SharedStatement> {
    let mut tables: Vec<&'static TableSpec> = Vec::new();
    let mut found = Vec::new();
    let text = text.replace("\r\n", "\n");
    for block in text.split("\n\n") {
        let mut lines = block.lines().filter(|line| !line.starts_with('#')).peekable();
        let mut ours = true;
        while let Some(line) = lines.next_if(|line| line.starts_with("onlyif") || line.starts_with("skipif")) {
            let is_sqlite = line.split_whitespace().nth(1) == Some("sqlite");
            ours &= line.starts_with("onlyif") == is_sqlite;
        }
        let Some(head) = lines.next().filter(|_| ours) else { continue };
        let words: Vec<&str> = head.split_whitespace().collect();
        let sql = lines.take_while(|line| *line != "----").collect::<Vec<_>>().join("\n");
        match words[..] {
            // The result depends on the order in which the rows happen to come.
            ["query", ..] if sql.to_ascii_lowercase().contains("group_concat") => count.left_out += 1,
            ["query", _, ..] => found.push(SharedStatement::Query { sql, ordered: words.get(2) == Some(&"nosort") }),
            ["statement", "ok"] => match definition(&sql, &mut tables) {
                Some(Some(record)) => found.push(record),
                Some(None) => count.left_out += 1,
                None => found.push(SharedStatement::Write(sql)),
            },
            _ => {}
        }
    }
    found
}

/// Parses a statement that defines something; `Some(None)` if it has no form as data, `None` if it defines nothing.
fn definition(sql: &str, tables: &mut Vec<&'static TableSpec>) -> Option<Option<SharedStatement>> {
    let upper = sql.to_ascii_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    match words[..] {
        ["CREATE", "TABLE", ..] => Some(table(sql).map(|table| {
            tables.push(table);
            SharedStatement::Table(table)
        })),
        ["CREATE", "INDEX", ..] | ["CREATE", "UNIQUE", "INDEX", ..] => {
            Some(index(sql, tables).map(SharedStatement::Index))
        }
        ["DROP", "TABLE", ..] => {
            let name = sql.split_whitespace().next_back().unwrap();
            Some(
                tables
                    .iter()
                    .rev()
                    .find(|table| table.name.eq_ignore_ascii_case(name))
                    .map(|table| SharedStatement::Drop(table)),
            )
        }
        ["INSERT" | "UPDATE" | "DELETE" | "REPLACE", ..] => None,
        _ => Some(None),
    }
}

/// Returns the table without its constraints, which the layer does not enforce; `None` for a table created from a query.
fn table(sql: &str) -> Option<&'static TableSpec> {
    let (before, columns) = sql.split_once('(')?;
    let name = before.split_whitespace().nth(2)?;
    let constraints = ["PRIMARY", "UNIQUE", "NOT", "NULL", "DEFAULT", "CHECK", "REFERENCES", "CONSTRAINT", "FOREIGN"];
    let is_constraint = |word: &&str| constraints.iter().any(|known| word.to_ascii_uppercase().starts_with(known));
    let mut found = Vec::new();
    for column in apart(columns.trim_end().strip_suffix(')')?) {
        let words: Vec<&str> = column.split_whitespace().take_while(|word| !is_constraint(word)).collect();
        let Some((column, declared)) = words.split_first() else { continue };
        found.push(json!({ "name": column, "type": declared.join(" ") }));
    }
    let spec: TableSpec = from_value(json!({ "name": name, "columns": found })).ok()?;
    Some(Box::leak(Box::new(spec)))
}

/// Splits at commas outside of brackets.
fn apart(list: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in list.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        match (letter, depth) {
            (',', 0) => parts.push(String::new()),
            _ => parts.last_mut().unwrap().push(letter),
        }
    }
    parts
}

/// Returns an index on the first column only: further columns change no answer.
fn index(sql: &str, tables: &[&'static TableSpec]) -> Option<&'static IndexSpec> {
    let (before, columns) = sql.split_once('(')?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let table = tables.iter().rev().find(|table| table.name.eq_ignore_ascii_case(words[words.len() - 1]))?;
    let first = columns.split([',', ')', ' ']).find(|word| !word.is_empty())?;
    let name = words[words.len() - 3];
    let spec: IndexSpec = from_value(json!({ "name": name, "table": table.name, "column": first })).ok()?;
    Some(Box::leak(Box::new(spec)))
}

fn compare<S: OrderedStore>(
    mut store: TestStore,
    records: &[SharedStatement],
    count: &mut Count,
) -> Result<(), String> {
    store.tables = records
        .iter()
        .filter_map(|one| if let SharedStatement::Table(table) = one { Some((*table).clone()) } else { None })
        .collect();
    store.indexes = records
        .iter()
        .filter_map(|one| if let SharedStatement::Index(index) = one { Some((*index).clone()) } else { None })
        .collect();
    let mut engine = store.open::<S>();
    let mut session = engine.session().unwrap();
    let plain = Connection::open_in_memory().unwrap();
    let said = |sql: &str, error: EngineError| format!("{sql}: {error}");
    for record in records {
        match record {
            SharedStatement::Table(table) => {
                if plain.execute_batch(&table.create_sql()).is_ok() {
                    session.create_table(table).map_err(|error| said(&table.name, error))?;
                }
            }
            SharedStatement::Index(index) => session.create_index(index).map_err(|error| said(&index.name, error))?,
            SharedStatement::Drop(table) => {
                if plain.execute_batch(&format!("DROP TABLE {}", table.name)).is_ok() {
                    session.drop_table(table).map_err(|error| said(&table.name, error))?;
                }
            }
            SharedStatement::Write(sql) => {
                let found = execute(&mut session, sql, &[]);
                if found.as_ref().is_err_and(|error| error.message.contains("is not supported on a key-value engine")) {
                    count.refused += 1;
                    continue;
                }
                let expected =
                    SqlStatement::<SqliteStatement<'_>>::new(&plain, sql, false).and_then(|mut one| one.execute(&[]));
                if found.as_ref().ok() != expected.as_ref().ok() {
                    return Err(format!("{sql}: {found:?}, SQLite says {expected:?}"));
                }
            }
            SharedStatement::Query { sql, ordered } => {
                let mut rows = Vec::new();
                let expected = SqlStatement::<SqliteStatement<'_>>::new(&plain, sql, false)
                    .and_then(|mut ready| ready.query(&[], |found| rows.push(format!("{:?}", row(found)))))
                    .map(|()| rows);
                let found = query(&mut session, sql, &[])
                    .map(|rows| rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>());
                let sorted = |mut rows: Vec<String>| {
                    if !ordered {
                        rows.sort();
                    }
                    rows
                };
                let (found, expected) = (found.map(sorted), expected.map(sorted));
                if found.as_ref().ok() != expected.as_ref().ok() {
                    return Err(format!("{sql}: {found:?}, SQLite says {expected:?}"));
                }
                count.answers += 1;
            }
        }
    }
    Ok(())
}
