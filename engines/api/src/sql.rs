//! The traits of an engine that runs SQL suites: over its own SQL, or over a suite's direct plans.

use crate::{
    EngineError,
    describe::OptionSpec,
    engine::{Engine, Open},
    settings::Settings,
    suite::{Begin, CopySpec, DirectPlan, IndexSpec, StatementSpec, SuiteKind, TableSpec},
};

use std::collections::BTreeMap;

/// The option `reopen`, which every engine of SQL suites on files has.
pub fn reopen() -> OptionSpec {
    OptionSpec::bool("reopen", "on", "close the database and open it again before each test of a SQL suite, untimed")
        .only_for(SuiteKind::Sql)
        .tune(&[])
}

/// The option `statements`, of engines that parse SQL.
pub fn statements() -> OptionSpec {
    OptionSpec::choice(
        "statements",
        &["prepared", "text"],
        "prepared",
        "prepared once a test, or parsed again for each operation as a command-line script does",
    )
    .tune(&[])
}

/// Whether the option [`statements`] asks for statements to be parsed again each time.
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

/// A value as an engine shows it. Text is its UTF-8 bytes, which nobody has checked.
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
    /// The value for itself. Text that is no UTF-8 has the replacement character where it is not.
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
pub trait SqlEngine: Engine {
    type Session<'e>: SqlSession<'e>
    where
        Self: 'e;

    /// Opens the database in a folder, creating it when the folder is empty; [`Open::schema`] is empty, because tests
    /// create their tables. `tables` and `indexes` are all that the suite declares, created or not.
    fn open(open: Open<'_>, tables: &[TableSpec], indexes: &[IndexSpec]) -> Result<Self, EngineError>;

    /// Whether the database is closed and opened again before each test (option `reopen`); a database in memory cannot be.
    fn reopens(&self) -> bool;

    /// Gets ready for one test. Not timed.
    fn session<'e>(&'e mut self) -> Result<Self::Session<'e>, EngineError>;
}

/// An engine whose database several threads use at once, each through a handle of its own.
pub trait SqlThreads: SqlEngine + Sync {
    /// Another handle on the same database, with the same options: a connection. Made in the thread that uses it.
    fn another(&self) -> Result<Self, EngineError>;
}

/// What one test works with. Dropping it in the middle of a transaction rolls that back.
///
/// Outside of [`Self::begin`] and [`Self::commit`] each call is a transaction of its own.
pub trait SqlSession<'e> {
    /// A statement made ready: prepared once, or with the option `statements=text` parsed again by each execution.
    type Statement;
    type Row<'r>: SqlRow;

    /// Creates a table that the suite declares, as the engine spells it.
    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError>;

    /// Creates an index that the suite declares, over the rows that are there.
    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError>;

    /// Drops a table with its indexes.
    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError>;

    /// What the engine itself lists of a table, `None` where it lists no such table. Not timed.
    fn schema(&mut self, table: &TableSpec) -> Result<Option<TableSchema>, EngineError>;

    /// Copies tables into a fresh database beside this one, opened with the same options; the number of rows copied.
    fn copy_database(&mut self, _: &'e CopySpec) -> Result<u64, EngineError> {
        Err(EngineError::new("this engine has no databases beside its own to copy to"))
    }

    /// Begins a transaction. Not called inside one.
    fn begin(&mut self, kind: Begin) -> Result<(), EngineError>;

    /// Commits with the durability that the options ask for.
    fn commit(&mut self) -> Result<(), EngineError>;

    /// Undoes all since [`Self::begin`].
    fn rollback(&mut self) -> Result<(), EngineError>;

    /// Runs a statement that neither changes rows nor reads. `direct` is what it asks for without SQL, nothing where it has
    /// no meaning there.
    fn run(&mut self, sql: &'e str, direct: Option<&'e DirectPlan>) -> Result<(), EngineError>;

    /// Makes a statement ready. Called when it is first executed, because tables may be created by the same test.
    fn prepare(&mut self, statement: &'e StatementSpec) -> Result<Self::Statement, EngineError>;

    /// Runs a statement that changes the database, to its end; the number of rows inserted, changed or deleted.
    fn execute(&mut self, statement: &mut Self::Statement, values: &[SqlValue]) -> Result<u64, EngineError>;

    /// Runs a statement that reads, and shows every row of its answer in order.
    fn query(
        &mut self,
        statement: &mut Self::Statement,
        values: &[SqlValue],
        visit: impl FnMut(&Self::Row<'_>),
    ) -> Result<(), EngineError>;
}

/// A table as an engine lists it. Types are left out, because engines have names of their own for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableSchema {
    /// In the table's order.
    pub columns: Vec<String>,
    /// The column of each index, by the index's name.
    pub indexes: BTreeMap<String, String>,
}

/// A row of an answer.
pub trait SqlRow {
    fn columns(&self) -> usize;

    /// The value of a column, from 0 to below [`Self::columns`].
    fn value(&self, column: usize) -> SqlValueRef<'_>;
}
