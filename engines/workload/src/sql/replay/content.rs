//! What a replay leaves, and how the engine finds the rows of its statements.

use super::RecordedLoad;
use crate::digest::Digest;
use dbdyno_engine::{
    EngineError,
    protocol::TableContent,
    replay::StatementAction,
    sql::{SqlEngine, SqlRow, SqlSession, SqlValueRef},
    suite::StatementSpec,
};

/// The tables of a database with the statements that created them, but those of SQLite itself.
const TABLES: &str =
    r"SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name";

/// Returns what each table holds, in the order of the names. The tables in which virtual tables keep their data are left out.
///
/// # Errors
/// The tables cannot be listed.
pub(in crate::sql) fn contents<E: SqlEngine>(engine: &mut E) -> Result<Vec<TableContent>, EngineError> {
    let tables = texts(engine, TABLES, [0, 1])?;
    let is_virtual = |sql: &str| sql.get(..14).is_some_and(|start| start.eq_ignore_ascii_case("CREATE VIRTUAL"));
    let owners: Vec<String> =
        tables.iter().filter(|[_, sql]| is_virtual(sql)).map(|[name, _]| format!("{name}_")).collect();
    let names = tables.iter().map(|[name, _]| name).filter(|name| !owners.iter().any(|owner| name.starts_with(owner)));
    names.map(|name| content(engine, name)).collect()
}

/// Returns the plan of each name's first statement that reads or writes; empty if the engine has none.
pub(in crate::sql) fn plans<E: SqlEngine>(engine: &mut E, replay: &RecordedLoad<'_>) -> Vec<Vec<String>> {
    let has_plan = |action| matches!(action, StatementAction::Read | StatementAction::Write);
    let plan = |name: usize| {
        let statement = replay.statements.iter().find(|one| one.name == name && has_plan(one.action))?;
        // An engine without plans, or without the tables of the statement, has none to show.
        engine.session().ok()?.plan(&statement.spec, &[]).ok()
    };
    (0..replay.spec.statements.len()).map(plan).map(Option::unwrap_or_default).collect()
}

/// Returns these columns of every row, as text.
fn texts<E: SqlEngine, const N: usize>(
    engine: &mut E,
    sql: &str,
    columns: [usize; N],
) -> Result<Vec<[String; N]>, EngineError> {
    let mut rows = Vec::new();
    query(engine, sql, |row| {
        let text = |column| match row.columns() > column {
            true => match row.value(column) {
                SqlValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                _ => String::new(),
            },
            false => String::new(),
        };
        rows.push(columns.map(text));
    })?;
    Ok(rows)
}

fn content<E: SqlEngine>(engine: &mut E, table: &str) -> Result<TableContent, EngineError> {
    let (mut rows, mut sum) = (0, 0_u64);
    let read = query(engine, &format!("SELECT * FROM \"{}\"", table.replace('"', "\"\"")), |row| {
        let mut digest = Digest::default();
        (0..row.columns()).for_each(|column| digest.value(row.value(column)));
        sum = sum.wrapping_add(digest.to_word());
        rows += 1;
    });
    let mut digest = Digest::default();
    match read {
        Ok(()) => [rows, sum].into_iter().for_each(|word| digest.word(word)),
        Err(error) if !error.database_usable => return Err(error),
        // A virtual table whose module is missing.
        Err(_) => {
            rows = 0;
            digest.word(u64::MAX);
        }
    }
    Ok(TableContent { table: table.to_owned(), rows, checksum: digest.to_text() })
}

fn query<E: SqlEngine>(engine: &mut E, sql: &str, mut visit: impl FnMut(&dyn SqlRow)) -> Result<(), EngineError> {
    let statement = StatementSpec { sql: sql.to_owned(), ..StatementSpec::default() };
    let mut session = engine.session()?;
    let mut prepared = session.prepare(&statement)?;
    session.query(&mut prepared, &[], |row| visit(row))
}
