//! A copy of a database with other texts and bytes in it.

use super::cipher::TextMask;
use rusqlite::{
    Connection, OpenFlags, Result,
    config::DbConfig,
    functions::FunctionFlags,
    hooks::{AuthAction, AuthContext, Authorization},
    types::{Value, ValueRef},
};
use std::{path::Path, sync::Arc};

/// Writes a new database with the same tables, rows, keys and indexes as another, and other texts and bytes. The new one has no free pages,
/// so it has nothing of what was deleted. Returns what it does not have: virtual tables are empty.
pub(super) fn anonymise(from: &Path, to: &Path, cipher: &Arc<TextMask>) -> Result<Vec<String>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(to, flags)?;
    connection.execute("ATTACH ?1 AS original", [read_only(from)])?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    // The schema is anybody's text. It may not reach another file.
    connection.authorizer(Some(|context: AuthContext<'_>| match context.action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => Authorization::Deny,
        _ => Authorization::Allow,
    }))?;
    let of_values = Arc::clone(cipher);
    connection.create_scalar_function("dbdyno_anonymous", 1, FunctionFlags::SQLITE_DETERMINISTIC, move |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Text(text) => Value::Text(of_values.text(&String::from_utf8_lossy(text))),
            ValueRef::Blob(bytes) => Value::Blob(of_values.bytes(bytes)),
            other => Value::try_from(other)?,
        })
    })?;
    connection.execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")?;
    for pragma in ["page_size", "encoding", "auto_vacuum", "user_version", "application_id"] {
        let value: Value = connection.query_row(&format!("PRAGMA original.{pragma}"), [], |row| row.get(0))?;
        let value = match value {
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => format!("'{}'", text.replace('\'', "")),
            _ => continue,
        };
        connection.execute_batch(&format!("PRAGMA main.{pragma} = {value}"))?;
    }
    let mut lacking = Vec::new();
    let transaction = connection.unchecked_transaction()?;
    for object in objects(&connection)? {
        copy(&connection, &object, cipher, &mut lacking)?;
    }
    transaction.commit()?;
    Ok(lacking)
}

/// Returns the name of a database that is only read, and by nobody else.
fn read_only(path: &Path) -> String {
    let encode = |c: char| match c {
        '%' | '?' | '#' => format!("%{:02x}", u32::from(c)),
        c => c.to_string(),
    };
    let path: String = path.to_string_lossy().chars().map(encode).collect();
    format!("file:{path}?mode=ro&immutable=1")
}

/// A table, an index, a view or a trigger.
struct SchemaObject {
    kind: String,
    name: String,
    sql: String,
}

/// Returns the objects of a database that have SQL: tables first, then what needs them.
fn objects(connection: &Connection) -> Result<Vec<SchemaObject>> {
    let sql = "SELECT type, name, sql FROM original.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END, rowid";
    let mut statement = connection.prepare(sql)?;
    let rows =
        statement.query_map([], |row| Ok(SchemaObject { kind: row.get(0)?, name: row.get(1)?, sql: row.get(2)? }))?;
    rows.collect()
}

fn copy(connection: &Connection, object: &SchemaObject, cipher: &TextMask, lacking: &mut Vec<String>) -> Result<()> {
    let SchemaObject { kind, name, sql } = object;
    let is_shadow = is_shadow(connection, name)?;
    if is_shadow {
        return Ok(());
    }
    let (sql, _) = cipher.sql(sql);
    let is_virtual = sql.get(..14).is_some_and(|begin| begin.eq_ignore_ascii_case("CREATE VIRTUAL"));
    // Only the first statement of the text: a schema has one for each object.
    let created = connection.execute(&sql, []);
    if is_virtual {
        lacking.push(format!("the content of the virtual table {name}"));
    }
    match created {
        // What belongs to a module or a function of the application cannot be created here.
        Err(error) if kind != "table" || is_virtual => {
            lacking.push(format!("the {kind} {name}: {error}"));
            return Ok(());
        }
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    if kind == "table" && !is_virtual { rows(connection, name) } else { Ok(()) }
}

fn is_shadow(connection: &Connection, name: &str) -> Result<bool> {
    let sql = "SELECT count(*) FROM pragma_table_list(?1) WHERE schema = 'original' AND type = 'shadow'";
    connection.query_row(sql, [name], |row| row.get(0))
}

/// Copies the rows of a table, with the same row identifiers.
fn rows(connection: &Connection, name: &str) -> Result<()> {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut statement = connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1, 'original')")?;
    let columns = statement.query_map([name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    // Generated columns follow from the others.
    let columns: Vec<String> = columns
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .filter(|(_, hidden)| *hidden == 0)
        .map(|(name, _)| quoted(&name))
        .collect();
    let without_rowid: bool =
        connection
            .query_row("SELECT wr FROM pragma_table_list(?1) WHERE schema = 'original'", [name], |row| row.get(0))?;
    let hidden = ["rowid", "_rowid_", "oid"]
        .into_iter()
        .find(|hidden| !without_rowid && !columns.iter().any(|column| column.eq_ignore_ascii_case(&quoted(hidden))));
    let targets: Vec<String> = hidden.map(str::to_owned).into_iter().chain(columns.iter().cloned()).collect();
    let values = columns.iter().map(|column| format!("dbdyno_anonymous({column})"));
    let values: Vec<String> = hidden.map(str::to_owned).into_iter().chain(values).collect();
    let table = quoted(name);
    let order = if without_rowid { "" } else { " ORDER BY 1" };
    connection.execute_batch(&format!(
        "INSERT INTO main.{table}({}) SELECT {} FROM original.{table}{order}",
        targets.join(", "),
        values.join(", ")
    ))
}
