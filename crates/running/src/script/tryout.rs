//! A scratch database on which each statement is tried, within the limits for users' statements.
//!
//! SQLite's authorizer checks what a statement does, however it is written. Whatever it allows does the same in the worker: names of
//! attached files and of pragmas with their values are part of the text. The exception (`VACUUM INTO` accepts an expression) is refused by
//! the statement's form.

use super::ScriptTerms;
use dbdyno_engine::{
    describe::Description,
    names::instead_of,
    suite::{Literal, True},
};
use dbdyno_foundation::base::{input, sql_tokens::words, units::bytes};
use rusqlite::{
    Connection, ErrorCode, Row, Statement,
    hooks::{AuthAction, AuthContext, Authorization},
    types::{ToSqlOutput, ValueRef},
};
use std::{
    fmt::Display,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The engine with the SQLite that is built in, as it is here.
const STOCK: &str = "sqlite";
/// Steps of SQLite's virtual machine between two checks of the clock: well below a millisecond.
const STEPS: i32 = 1000;
/// Modules whose tables stay within the database.
const MODULES: [&str; 11] = [
    "fts3",
    "fts3aux",
    "fts3tokenize",
    "fts4",
    "fts4aux",
    "fts5",
    "fts5vocab",
    "rtree",
    "rtree_i32",
    "geopoly",
    "dbstat",
];
/// Pragmas that move files elsewhere, allow arbitrary changes of the schema, or affect the whole process.
const PRAGMAS: [&str; 5] =
    ["data_store_directory", "temp_store_directory", "trusted_schema", "writable_schema", "hard_heap_limit"];
/// SQLite's memory limit here: no separate worker could end in place of this process while statements are tried.
const MOST_MEMORY: u64 = 256 << 20;

/// The database, removed when this value is dropped.
#[derive(Debug)]
pub(super) struct TryOut {
    connection: Connection,
    limit: Duration,
    is_stock: bool,
    watch: Arc<Mutex<StatementWatch>>,
    /// Held while the database is needed.
    _folder: Option<TempDir>,
}

/// The state of the statement that is tried.
#[derive(Debug, Default)]
struct StatementWatch {
    until: Option<Instant>,
    refused: Option<String>,
    /// Whether it sets an option of an engine to its default.
    sets_default: bool,
}

/// What a statement turned out to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatementEffect {
    /// Whether it produces rows.
    pub(super) reads: bool,
    /// Whether it sets an option of an engine to its default. The engine sets it, or the value that was asked for in its place.
    pub(super) sets_default: bool,
}

impl TryOut {
    /// Opens a copy of the database that the statements start from, or an empty one.
    pub(super) fn new(terms: &ScriptTerms<'_>) -> Result<Self, String> {
        let ScriptTerms { start, engines, limit } = *terms;
        let failed = |error: &dyn Display| format!("cannot create a scratch database: {error}");
        let folder =
            start.map(|start| tempfile::tempdir_in(start.folder())).transpose().map_err(|error| failed(&error))?;
        // SQLite opens an unnamed file if the name is empty, and nothing remains of it after it is closed.
        let file = folder.as_ref().map_or_else(PathBuf::new, |folder| folder.path().join("scratch.db"));
        if let Some(start) = start {
            input::copy(start.path(), &file).map_err(|error| failed(&error))?;
        }
        let watch = Arc::new(Mutex::new(StatementWatch::default()));
        let connection = Self::open(&file, &watch, engines).map_err(|error| failed(&error))?;
        let is_stock = engines.iter().any(|engine| engine.name == STOCK);
        Ok(Self { connection, limit, is_stock, watch, _folder: folder })
    }

    /// Whether one of the engines has the SQLite of this trial.
    pub(super) fn is_stock(&self) -> bool {
        self.is_stock
    }

    fn open(file: &Path, watch: &Arc<Mutex<StatementWatch>>, engines: &[&Description]) -> rusqlite::Result<Connection> {
        let mut connection = Connection::open(file)?;
        let pragmas = known_pragmas(&connection)?;
        // Nothing here has to survive a crash.
        connection.execute_batch("PRAGMA synchronous = OFF")?;
        // The limit applies to all of SQLite in this process, and can never be raised again. Otherwise this process uses SQLite only to
        // read files.
        connection.query_row(&format!("PRAGMA hard_heap_limit = {MOST_MEMORY}"), [], |_| Ok(()))?;
        let options = engines.iter().flat_map(|engine| &engine.options);
        let options = options.map(|option| (option.name.clone(), option.default.clone())).collect();
        let judge = StatementJudge { options, pragmas };
        let told = Arc::clone(watch);
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            let mut watch = locked(&told);
            match judge.refusal(&context.action) {
                Some(refused) => {
                    watch.refused = Some(refused);
                    Authorization::Deny
                }
                None => {
                    watch.sets_default |= judge.is_of_option(&context.action);
                    Authorization::Allow
                }
            }
        }))?;
        let told = Arc::clone(watch);
        connection
            .progress_handler(STEPS, Some(move || locked(&told).until.is_some_and(|until| Instant::now() >= until)))?;
        Ok(connection)
    }

    /// Runs a statement with these values.
    pub(super) fn run(&self, text: &str, values: &[Literal]) -> Result<StatementEffect, String> {
        let columns = self.rows(text, values, |_| Ok(()))?;
        Ok(StatementEffect { reads: columns > 0, sets_default: locked(&self.watch).sets_default })
    }

    /// Returns the rows of a query's answer.
    pub(super) fn answer(&self, text: &str) -> Result<Vec<Vec<Literal>>, String> {
        let mut rows = Vec::new();
        self.rows(text, &[], |row| {
            let columns = 0..row.as_ref().column_count();
            let values: rusqlite::Result<Vec<Literal>> = columns.map(|column| literal(row.get_ref(column)?)).collect();
            rows.push(values?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs a statement, and returns the number of its columns.
    fn rows(
        &self,
        text: &str,
        values: &[Literal],
        take: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<usize, String> {
        if text.starts_with('.') {
            return Err("a command of the sqlite3 shell: expected SQL".to_owned());
        }
        refuse_form(text)?;
        self.watched(|| {
            let mut statement = self.connection.prepare(text)?;
            step_through(&mut statement, values, take)?;
            Ok(statement.column_count())
        })
    }

    /// Runs a statement that was run before, with other values.
    pub(super) fn again(&self, text: &str, values: &[Literal]) -> Result<(), String> {
        self.watched(|| step_through(&mut *self.connection.prepare_cached(text)?, values, |_| Ok(())))
    }

    /// Runs something within the limits for a statement.
    fn watched<R>(&self, run: impl FnOnce() -> rusqlite::Result<R>) -> Result<R, String> {
        let until = Instant::now().checked_add(self.limit);
        *locked(&self.watch) = StatementWatch { until, ..StatementWatch::default() };
        let done = run().map_err(|error| self.reason(&error));
        locked(&self.watch).until = None;
        done
    }

    fn reason(&self, error: &rusqlite::Error) -> String {
        let refused = locked(&self.watch).refused.take();
        refused.unwrap_or_else(|| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => {
                format!("it took longer than {:?}: raise the statement limit to let it finish", self.limit)
            }
            Some(ErrorCode::OutOfMemory) => {
                format!(
                    "it needs more than {} of memory, the limit for a statement: expected smaller values",
                    bytes(MOST_MEMORY)
                )
            }
            _ => with_way_out(error.to_string()),
        })
    }
}

/// Adds what to do about something that only an application has.
fn with_way_out(message: String) -> String {
    let after = |what: &str| message.split_once(what)?.1.split([' ', '(']).next();
    if let Some(name) = after("no such function: ").or_else(|| after("unknown function: ")) {
        return format!(
            "{message}: if your application defines it, say what replaces it, in a comment such as `-- function: {name}(x) = lower(x)`"
        );
    }
    if after("no such module: ").is_some() {
        return format!("{message}: it belongs to your application: leave out the statements that use it");
    }
    message
}

fn locked(watch: &Mutex<StatementWatch>) -> MutexGuard<'_, StatementWatch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses statements by their form if the authorizer is not asked about them, or if they cannot be measured.
fn refuse_form(text: &str) -> Result<(), String> {
    let words = words(text);
    let is = |at: usize, expected: &str| words.get(at).is_some_and(|word: &&str| word.eq_ignore_ascii_case(expected));
    if is(0, "VACUUM") && (is(1, "INTO") || is(2, "INTO")) {
        return Err("VACUUM INTO writes another file: statements may only use the copy that they run on".to_owned());
    }
    if ["ROLLBACK", "SAVEPOINT", "RELEASE"].iter().any(|word| is(0, word)) {
        return Err("only BEGIN and COMMIT are measured: leave savepoints and rollbacks out".to_owned());
    }
    Ok(())
}

/// Binds values to a statement, and gives each row of its answer to `take`.
fn step_through(
    statement: &mut Statement<'_>,
    values: &[Literal],
    mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    for (at, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, bound(value))?;
    }
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        take(row)?;
    }
    Ok(())
}

/// Returns a value for binding.
fn bound(value: &Literal) -> ToSqlOutput<'_> {
    match value {
        Literal::Integer(number) => (*number).into(),
        Literal::Real(number) => (*number).into(),
        Literal::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        Literal::Null { .. } => ToSqlOutput::Borrowed(ValueRef::Null),
        Literal::Blob { blob } => ToSqlOutput::Borrowed(ValueRef::Blob(blob)),
    }
}

/// Returns a value of an answer.
fn literal(value: ValueRef<'_>) -> rusqlite::Result<Literal> {
    Ok(match value {
        ValueRef::Null => Literal::Null { null: True },
        ValueRef::Integer(number) => Literal::Integer(number),
        ValueRef::Real(number) => Literal::Real(number),
        ValueRef::Text(_) => Literal::Text(value.as_str()?.to_owned()),
        ValueRef::Blob(bytes) => Literal::Blob { blob: bytes.to_owned() },
    })
}

/// Returns the names of all PRAGMAs that SQLite knows: it takes any other without a word.
fn known_pragmas(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_pragma_list")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Decides what statements may do.
struct StatementJudge {
    /// The options of the engines with their defaults.
    options: Vec<(String, String)>,
    /// The names of all PRAGMAs.
    pragmas: Vec<String>,
}

impl StatementJudge {
    /// Returns the defaults of the options with this name.
    fn defaults<'j>(&'j self, name: &'j str) -> impl Iterator<Item = &'j str> {
        self.options.iter().filter(move |(option, _)| option.eq_ignore_ascii_case(name)).map(|(_, default)| &**default)
    }

    /// Whether a PRAGMA sets an option.
    fn is_of_option(&self, action: &AuthAction<'_>) -> bool {
        matches!(action, AuthAction::Pragma { pragma_name, pragma_value: Some(_) } if self.defaults(pragma_name).next().is_some())
    }

    /// Returns why a statement may not do this: it would reach beyond the run's folder, or set an option that is tuned.
    fn refusal(&self, action: &AuthAction<'_>) -> Option<String> {
        let is = |name: &str, names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        match *action {
            AuthAction::Attach { filename: "" | ":memory:" } => None,
            AuthAction::Attach { .. } | AuthAction::Unknown { code: rusqlite::ffi::SQLITE_ATTACH, .. } => Some(
                "ATTACH of a file: statements may only use the copy that they run on (':memory:' is fine)".to_owned(),
            ),
            AuthAction::Pragma { pragma_name, .. }
                if !self.pragmas.iter().any(|known| known.eq_ignore_ascii_case(pragma_name)) =>
            {
                Some(format!("PRAGMA {pragma_name}: no SQLite has it: {}", instead_of(pragma_name, &self.pragmas)))
            }
            AuthAction::Pragma { pragma_name, pragma_value: Some(value) }
                if self.defaults(pragma_name).any(|default| !is_same(default, value)) =>
            {
                Some(format!(
                    "PRAGMA {pragma_name} is an option of the engine: set it in the base, or try it as a change"
                ))
            }
            AuthAction::Pragma { pragma_name, pragma_value: Some(_) } if is(pragma_name, &PRAGMAS) => {
                Some(format!("PRAGMA {pragma_name} affects more than the copy that statements may use: leave it out"))
            }
            AuthAction::CreateVtable { module_name, .. } if !is(module_name, &MODULES) => Some(format!(
                "a virtual table of {module_name}: expected a module whose tables are within the database ({})",
                MODULES.join(", ")
            )),
            AuthAction::Function { function_name } if is(function_name, &["load_extension", "fts3_tokenizer"]) => {
                Some(format!("{function_name}() runs code from elsewhere: leave it out"))
            }
            AuthAction::Unknown { code, .. } => {
                Some(format!("dbdyno does not know the SQLite action {code} and does not allow it"))
            }
            _ => None,
        }
    }
}

/// Whether two values of a PRAGMA mean the same.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |value: &str| match value.trim_matches(['\'', '"']).to_ascii_lowercase().as_str() {
        "1" | "on" | "yes" | "true" => "on".to_owned(),
        "0" | "off" | "no" | "false" => "off".to_owned(),
        other => other.to_owned(),
    };
    plain(one) == plain(other)
}
