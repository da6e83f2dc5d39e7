//! A check that SQLite accepts the statements of a SQL suite, on an empty database in memory with the suite's tables.

use dbdyno_engine::suite::{IndexSpec, StatementSpec, Step, TableSpec};
use rusqlite::{
    Batch, Connection, ErrorCode,
    fallible_iterator::FallibleIterator,
    hooks::{AuthAction, AuthContext, Authorization},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) const DEFINES: &str = "this engine has only tables of columns with types, and indexes over one column, made by create_table and create_index";
const SAVEPOINT: &str = "this engine has no savepoints";

/// Maximum steps of SQLite's virtual machine for a statement: well below a second. A statement that only defines something takes few.
const MOST_STEPS: i32 = 1_000_000;

/// The database on which a suite's statements are tried. Their definitions stay there for later statements.
pub(super) struct DryRun<'f> {
    connection: Connection,
    tables: &'f [&'f TableSpec],
    indexes: &'f [&'f IndexSpec],
    seen: Arc<Mutex<ParsedStatement>>,
}

/// What SQLite reported about the statement that it parsed last.
#[derive(Debug, Default)]
struct ParsedStatement {
    /// Whether it defines something that later statements may use.
    defines: bool,
    /// Why an engine refuses it that accepts tables only as data.
    refusal: Option<&'static str>,
}

impl<'f> DryRun<'f> {
    /// Creates an empty database with these tables and indexes.
    pub(super) fn new(tables: &'f [&'f TableSpec], indexes: &'f [&'f IndexSpec]) -> Result<Self, String> {
        let mut connection = Connection::open_in_memory().map_err(said)?;
        let seen = Arc::new(Mutex::new(ParsedStatement::default()));
        let told = Arc::clone(&seen);
        connection.authorizer(Some(move |context: AuthContext<'_>| judge(&context, &mut lock(&told)))).map_err(said)?;
        // SQLite calls the handler after this number of steps of a statement, and the handler then stops it.
        connection.progress_handler(MOST_STEPS, Some(|| true)).map_err(said)?;
        let dry = Self { connection, tables, indexes, seen };
        tables.iter().try_for_each(|table| dry.run(&table.create_sql()).map(drop))?;
        indexes.iter().try_for_each(|index| dry.run(&index.create_sql()).map(drop))?;
        Ok(dry)
    }

    /// Detaches the databases that a test attached, because the next test may open the database again.
    pub(super) fn begin_test(&self) -> Result<(), String> {
        let listed = "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')";
        let mut listed = self.connection.prepare(listed).map_err(said)?;
        let names: Vec<String> = listed.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(said)?;
        names.iter().try_for_each(|name| self.run(&format!("DETACH \"{name}\"")).map(drop))
    }

    /// Tries a step, without the steps in it. Returns why an engine that accepts tables only as data refuses it, if it does.
    pub(super) fn step(&self, step: &Step) -> Result<Option<&'static str>, String> {
        let done = match step {
            Step::Write(statement) | Step::Read(statement) => self.prepare(statement),
            Step::Run { sql, .. } => return self.run(sql),
            Step::CopyDatabase(copy) => {
                self.run("ATTACH ':memory:' AS copy")?;
                let done = copy.schema.iter().try_for_each(|sql| self.run(sql).map(drop));
                done.and_then(|()| self.run("DETACH copy").map(drop))
            }
            // A statement of the suite may have dropped it. What steps drop stays, for later statements.
            Step::CreateTable(name) => {
                let found = self.tables.iter().filter(|table| table.name == *name);
                found.map(|table| table.create_sql()).try_for_each(|sql| self.run(&again(&sql)).map(drop))
            }
            Step::CreateIndex(name) => {
                let found = self.indexes.iter().filter(|index| index.name == *name);
                found.map(|index| index.create_sql()).try_for_each(|sql| self.run(&again(&sql)).map(drop))
            }
            Step::DropTable(_) | Step::Repeat { .. } | Step::Transaction { .. } | Step::Mix(_) => Ok(()),
        };
        done.map(|()| None)
    }

    fn prepare(&self, statement: &StatementSpec) -> Result<(), String> {
        let parsed = self.connection.prepare(&statement.sql).map_err(said)?;
        let (wanted, bound) = (parsed.parameter_count(), statement.bind.len());
        if wanted != bound {
            return Err(format!("bind: expected a value for each of {wanted} parameters, found {bound}"));
        }
        let taken: usize = statement.objects.iter().map(|object| object.values.len()).sum();
        if !statement.objects.is_empty() && taken != parsed.column_count() {
            let columns = parsed.column_count();
            return Err(format!("objects: expected a value for each of {columns} columns, found {taken}"));
        }
        Ok(())
    }

    /// Parses statements, and runs those that define something.
    fn run(&self, sql: &str) -> Result<Option<&'static str>, String> {
        *lock(&self.seen) = ParsedStatement::default();
        let mut batch = Batch::new(&self.connection, sql);
        loop {
            let mut statement = match batch.next() {
                Ok(Some(statement)) => statement,
                Ok(None) => break,
                // A suite's own statement may create one of its declared tables, which exist from the beginning.
                Err(error) if error.to_string().contains("already exists") => break,
                Err(error) => return Err(said(error)),
            };
            let defines = std::mem::take(&mut lock(&self.seen).defines);
            if defines {
                statement.raw_execute().map_err(said)?;
            }
        }
        Ok(lock(&self.seen).refusal.take())
    }
}

fn lock(seen: &Mutex<ParsedStatement>) -> MutexGuard<'_, ParsedStatement> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the statement that creates a table or an index that may already exist.
fn again(sql: &str) -> String {
    ["TABLE", "INDEX"].iter().fold(sql.to_owned(), |sql, word| {
        sql.replacen(&format!("CREATE {word} "), &format!("CREATE {word} IF NOT EXISTS "), 1)
    })
}

/// Records whether a statement defines something, and why engines may refuse it. Denies statements that would use a file.
fn judge(context: &AuthContext<'_>, seen: &mut ParsedStatement) -> Authorization {
    let database = match context.action {
        AuthAction::AlterTable { database_name, .. } => Some(database_name),
        _ => context.database_name,
    };
    match context.action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Insert { .. }
        | AuthAction::Update { .. }
        | AuthAction::Delete { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive
        | AuthAction::Pragma { .. }
        | AuthAction::Transaction { .. } => {}
        AuthAction::Savepoint { .. } => seen.refusal = Some(SAVEPOINT),
        AuthAction::Attach { filename } if filename != ":memory:" => return Authorization::Deny,
        AuthAction::Unknown { .. } => return Authorization::Deny,
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => seen.defines = true,
        _ => {
            seen.defines = true;
            if database.is_none_or(|name| matches!(name, "main" | "temp")) {
                seen.refusal = Some(DEFINES);
            }
        }
    }
    Authorization::Allow
}

fn said(error: rusqlite::Error) -> String {
    if error.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied) {
        return "ATTACH: expected ':memory:': a suite cannot use files other than its database".to_owned();
    }
    if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
        return "it does not finish in a trial run: expected a definition without a long query".to_owned();
    }
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => format!("SQLite reports: {msg}"),
        other => format!("SQLite reports: {other}"),
    }
}
