//! The traits of an engine that runs SQL suites: over its own SQL, or over a suite's direct plans.

use crate::{
    EngineError,
    counters::EngineCounters,
    describe::OptionSpec,
    engine::{EngineInstance, Open},
    settings::Settings,
    suite::{Begin, CopySpec, DirectPlan, IndexSpec, StatementSpec, SuiteKind, TableSpec},
};
use std::{collections::BTreeMap, ops::ControlFlow};

/// Returns the option `reopen`, which every engine of SQL suites on files has.
pub fn reopen() -> OptionSpec {
    OptionSpec::bool("reopen", "on", "close the database and open it again before each test of a SQL suite, untimed")
        .only_for(SuiteKind::Sql)
        .tune(&[])
}

/// Returns the option `statements`, for engines that parse SQL.
pub fn statements() -> OptionSpec {
    OptionSpec::choice(
        "statements",
        &["prepared", "text"],
        "prepared",
        "prepared once a test, or parsed again for each operation as a command-line script does",
    )
    .tune(&[])
}

/// Whether the option [`statements`] requests that each execution parse its statement again.
pub fn is_text(settings: &Settings) -> Result<bool, EngineError> {
    Ok(settings.text("statements")? == "text")
}

/// A value bound to a parameter. Owned, so that one buffer serves every execution of a statement.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum SqlValue {
    #[default]
    Null,
    /// A 64-bit whole number.
    Integer(i64),
    /// A 64-bit floating-point number.
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// A value as an engine returns it. Text is given as its UTF-8 bytes, which are not checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SqlValueRef<'a> {
    Null,
    /// A 64-bit whole number.
    Integer(i64),
    /// A 64-bit floating-point number.
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

impl SqlValueRef<'_> {
    /// Returns an owned copy. Invalid UTF-8 in text becomes the replacement character.
    #[inline]
    pub fn to_value(self) -> SqlValue {
        match self {
            Self::Null => SqlValue::Null,
            Self::Integer(number) => SqlValue::Integer(number),
            Self::Real(number) => SqlValue::Real(number),
            Self::Text(bytes) => SqlValue::Text(String::from_utf8_lossy(bytes).into_owned()),
            Self::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
        }
    }
}

impl SqlValue {
    #[inline]
    pub fn as_ref(&self) -> SqlValueRef<'_> {
        match self {
            Self::Null => SqlValueRef::Null,
            Self::Integer(number) => SqlValueRef::Integer(*number),
            Self::Real(number) => SqlValueRef::Real(*number),
            Self::Text(text) => SqlValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => SqlValueRef::Blob(bytes),
        }
    }
}

/// An engine of SQL suites, with one open database.
pub trait SqlEngine: EngineInstance {
    type Session<'e>: SqlSession<'e>
    where
        Self: 'e;

    /// Opens the database in a folder, and creates it if the folder is empty. [`Open::schema`] is empty, because tests create their
    /// tables. `tables` and `indexes` are all that the suite declares, created or not.
    fn open(open: Open<'_>, tables: &[TableSpec], indexes: &[IndexSpec]) -> Result<Self, EngineError>;

    /// Whether the database is closed and reopened before each test (option `reopen`). An in-memory database cannot be reopened.
    fn reopens(&self) -> bool;

    /// Creates the state for one test. Not timed.
    fn session<'e>(&'e mut self) -> Result<Self::Session<'e>, EngineError>;
}

/// An engine whose database several threads use at once, each through a handle of its own.
pub trait SqlThreads: SqlEngine + Sync {
    /// Opens another handle on the same database with the same options: a connection. Called in the thread that uses it.
    fn another(&self) -> Result<Self, EngineError>;
}

/// The state for one test. Dropping it inside a transaction rolls the transaction back.
///
/// Outside of [`Self::begin`] and [`Self::commit`] each call is a transaction of its own.
pub trait SqlSession<'e> {
    /// A statement that is ready to run: prepared once, or with the option `statements=text` parsed again for each execution.
    type Statement;
    type Row<'r>: SqlRow;

    /// Returns what the engine counted so far, for this session or [for the database](EngineCounters::of_database). Not timed.
    fn counters(&mut self) -> EngineCounters {
        EngineCounters::default()
    }

    /// Returns how the engine finds the rows of a statement, a step a line, without executing it. Not timed. Empty if it does not tell, or
    /// has nothing to find. `values` are those of one execution, for engines that need some.
    ///
    /// # Errors
    /// The statement cannot be prepared, because its table is gone, for example.
    fn plan(&mut self, _statement: &StatementSpec, _values: &[SqlValue]) -> Result<Vec<String>, EngineError> {
        Ok(Vec::new())
    }

    /// Creates a table that the suite declares, in the engine's own spelling.
    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError>;

    /// Creates an index that the suite declares, over the existing rows.
    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError>;

    /// Drops a table with its indexes.
    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError>;

    /// Returns the engine's own list of a table's columns and indexes; `None` if it lists no such table. Not timed.
    fn schema(&mut self, table: &TableSpec) -> Result<Option<TableSchema>, EngineError>;

    /// Copies tables into a fresh database next to this one, opened with the same options. Returns the number of rows copied.
    fn copy_database(&mut self, _: &'e CopySpec) -> Result<u64, EngineError> {
        Err(EngineError::new("this engine cannot copy tables to another database"))
    }

    /// Begins a transaction. Not called inside one.
    fn begin(&mut self, kind: Begin) -> Result<(), EngineError>;

    /// Commits with the durability that the options ask for.
    fn commit(&mut self) -> Result<(), EngineError>;

    /// Undoes all changes since [`Self::begin`].
    fn rollback(&mut self) -> Result<(), EngineError>;

    /// Runs a statement that neither changes rows nor reads. `direct` is its plan for engines without SQL; `None` if it has no meaning
    /// there.
    fn run(&mut self, sql: &'e str, direct: Option<&'e DirectPlan>) -> Result<(), EngineError>;

    /// Prepares a statement. Called when it is first executed, because the same test may create the tables.
    fn prepare(&mut self, statement: &'e StatementSpec) -> Result<Self::Statement, EngineError>;

    /// Runs a statement that changes the database, to its end. Returns the number of rows inserted, changed or deleted.
    fn execute(&mut self, statement: &mut Self::Statement, values: &[SqlValue]) -> Result<u64, EngineError>;

    /// Runs a statement that reads, and passes every row of its answer to `visit` in order.
    fn query(
        &mut self,
        statement: &mut Self::Statement,
        values: &[SqlValue],
        visit: impl FnMut(&Self::Row<'_>),
    ) -> Result<(), EngineError>;

    /// Does the same until `visit` breaks, as an application does that needs no more rows.
    fn query_while(
        &mut self,
        statement: &mut Self::Statement,
        values: &[SqlValue],
        mut visit: impl FnMut(&Self::Row<'_>) -> ControlFlow<()>,
    ) -> Result<(), EngineError> {
        let mut flow = ControlFlow::Continue(());
        self.query(statement, values, |row| {
            if flow.is_continue() {
                flow = visit(row);
            }
        })
    }
}

/// A table as an engine lists it. Types are left out, because engines have their own names for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableSchema {
    /// Column names, in the table's order.
    pub columns: Vec<String>,
    /// The column of each index, by the index's name.
    pub indexes: BTreeMap<String, String>,
}

/// A row of an answer.
pub trait SqlRow {
    fn columns(&self) -> usize;

    /// Returns the value of a column, numbered from 0 to below [`Self::columns`].
    fn value(&self, column: usize) -> SqlValueRef<'_>;
}
