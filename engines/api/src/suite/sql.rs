//! A resolved SQL suite.

use super::{
    REPLAY_ACTOR, ReplaySpec, StatementSpec, Step,
    plan::{Condition, DirectPlan},
};
use crate::protocol::TestHead;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SqlSuite {
    /// The suite's name, as in its file and on the command line.
    pub name: String,
    /// A database file to start from instead of an empty one. It is copied and never changed.
    #[serde(default)]
    pub start: Option<PathBuf>,
    /// The folder with the files of a recording that the tests replay. See [`crate::replay`].
    #[serde(default)]
    pub recording: Option<PathBuf>,
    /// The most bytes of rows that the tests store at a time: a hint for engines that size a map in advance.
    pub data_bytes: u64,
    /// Every table that a test creates.
    pub tables: Vec<TableSpec>,
    /// Every index that a test creates.
    pub indexes: Vec<IndexSpec>,
    /// The tests, in the order they run on one database.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub tests: Vec<SqlTest>,
}

/// A table. Its only key is the row number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Its name in statements and plans.
    pub name: String,
    /// Its columns, at least one.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub columns: Vec<ColumnSpec>,
}

impl TableSpec {
    /// Returns the column's place from 0.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Returns the statement that creates the table in SQLite, which any SQL engine understands.
    pub fn create_sql(&self) -> String {
        let columns: Vec<String> =
            self.columns.iter().map(|column| format!("{} {}", column.name, column.of_type)).collect();
        format!("CREATE TABLE {}({})", self.name, columns.join(", "))
    }

    pub fn read_all(&self) -> StatementSpec {
        let columns: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        StatementSpec {
            sql: format!("SELECT {} FROM {}", columns.join(", "), self.name),
            direct: Some(DirectPlan::Read { table: self.name.clone(), condition: Condition::All, limit: None }),
            ..StatementSpec::default()
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ColumnSpec {
    /// Its name in statements and plans.
    pub name: String,
    /// Its declared type, as in SQLite: `INTEGER`, `REAL`, `VARCHAR(100)`.
    #[serde(rename = "type")]
    pub of_type: String,
}

/// An index over one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IndexSpec {
    /// Its name in statements and plans.
    pub name: String,
    pub table: String,
    pub column: String,
}

impl IndexSpec {
    /// Returns the statement that creates the index in SQLite, which any SQL engine understands.
    pub fn create_sql(&self) -> String {
        format!("CREATE INDEX {} ON {}({})", self.name, self.table, self.column)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SqlTest {
    /// Number in its suite, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub number: u32,
    pub name: String,
    /// Whether the test is measured. A test that only prepares the database for a later one is not.
    pub measured: bool,
    /// Label of the database that the test runs on. A new label means a fresh database; an earlier label reopens that database.
    #[serde(default = "main_database")]
    pub database: String,
    /// Steps before the timer starts.
    #[serde(default)]
    pub prepare: Vec<Step>,
    /// The timed steps, and the threads that do them.
    #[serde(flatten)]
    pub load: SqlLoad,
    /// Approximate number of rows that all statements together scan without an index: a hint for time estimates.
    #[serde(default)]
    pub rows_walked: u64,
    /// Tables whose rows are part of the verification value. They are read after the test, untimed.
    #[serde(default)]
    pub verify: Vec<String>,
    /// Tables whose existence, columns and indexes are part of the verification value. The engine is asked for them after the test,
    /// untimed.
    #[serde(default)]
    pub verify_schema: Vec<String>,
}

/// Returns the label of a test's database if none is given.
pub fn main_database() -> String {
    "main".to_owned()
}

/// The threads that do the work of a SQL test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SqlLoad {
    /// Several threads at once, each with its own handle.
    Actors {
        /// The groups. At least one has a thread.
        actors: Vec<SqlActor>,
    },
    /// A recorded application: the connections that were open at once, each with a thread.
    Replay {
        /// What is replayed.
        replay: ReplaySpec,
    },
    /// One thread, on the database that is open.
    Alone {
        /// The steps, in order.
        steps: Vec<Step>,
    },
}

/// A group of threads that do the same work. Each thread opens the database, does the steps once, and closes it, all inside the timer.
/// Opening is part of the first operation, closing of the last. Each thread draws its own numbers. If a step of any actor writes, a
/// transaction that another thread blocks is rolled back and done again until it succeeds, and the answers are not verified, because they
/// depend on the order of the threads: only the tables at the end are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SqlActor {
    pub name: String,
    /// At least 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub threads: u32,
    /// Their expressions may use `thread`, the thread's number among those of this actor, from 0.
    pub steps: Vec<Step>,
}

/// The name of a thread's number in the expressions of its actor's steps.
pub const THREAD: &str = "thread";

impl SqlActor {
    /// Returns the number of operations of each of its threads, or the expected number if that depends on draws.
    pub fn operations(&self) -> u64 {
        sum(&self.steps, Step::operations)
    }

    fn commits(&self) -> u64 {
        if self.writes() { sum(&self.steps, Step::commits) } else { 0 }
    }

    /// Whether any of its steps is more than a read.
    pub fn writes(&self) -> bool {
        self.steps.iter().any(Step::writes)
    }
}

impl SqlTest {
    /// Returns the facts that the protocol reports about it.
    pub fn head(&self) -> TestHead<'_> {
        let operations = self.steps().all(Step::is_counted).then(|| self.operations());
        TestHead { number: self.number, name: &self.name, measured: self.measured, operations }
    }

    /// Iterates over its timed steps, those of all actors.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        let (alone, actors): (&[Step], &[SqlActor]) = match &self.load {
            SqlLoad::Alone { steps } => (steps, &[]),
            SqlLoad::Actors { actors } => (&[], actors),
            SqlLoad::Replay { .. } => (&[], &[]),
        };
        alone.iter().chain(actors.iter().flat_map(|actor| &actor.steps))
    }

    /// Returns the names under which results of its steps are reported too.
    pub fn names(&self) -> Vec<&str> {
        match &self.load {
            SqlLoad::Replay { replay } => replay.statements.iter().map(|statement| statement.name.as_str()).collect(),
            SqlLoad::Alone { .. } | SqlLoad::Actors { .. } => Step::names(self.steps()),
        }
    }

    /// Returns the names of its actors, with their threads; empty if one thread does it.
    pub fn actors(&self) -> Vec<(&str, u32)> {
        match &self.load {
            SqlLoad::Actors { actors } => actors.iter().map(|actor| (actor.name.as_str(), actor.threads)).collect(),
            SqlLoad::Replay { replay } => vec![(REPLAY_ACTOR, replay.lanes)],
            SqlLoad::Alone { .. } => Vec::new(),
        }
    }

    /// Returns the number of operations inside the timer, of all threads, or the expected number if that depends on draws.
    pub fn operations(&self) -> u64 {
        match &self.load {
            SqlLoad::Alone { steps } => sum(steps, Step::operations),
            SqlLoad::Actors { actors } => of_threads(actors, SqlActor::operations),
            SqlLoad::Replay { replay } => replay.transactions,
        }
    }

    /// Returns the number of commits inside the timer. Those of actors that only read count for nothing.
    pub fn commits(&self) -> u64 {
        match &self.load {
            SqlLoad::Alone { steps } => sum(steps, Step::commits),
            SqlLoad::Actors { actors } => of_threads(actors, SqlActor::commits),
            SqlLoad::Replay { replay } => replay.writes,
        }
    }

    /// Whether its verification value has more in it than its answers: the content or the schema of tables.
    pub fn verifies_content(&self) -> bool {
        let is_replay = matches!(self.load, SqlLoad::Replay { .. });
        is_replay || !self.verify.is_empty() || !self.verify_schema.is_empty()
    }

    /// Whether several threads do it, and any of them writes: its answers depend on their order.
    pub fn has_writing_threads(&self) -> bool {
        match &self.load {
            SqlLoad::Actors { actors } => actors.iter().any(SqlActor::writes),
            SqlLoad::Replay { replay } => replay.has_writing_threads(),
            SqlLoad::Alone { .. } => false,
        }
    }
}

/// Returns the sum over all threads.
fn of_threads(actors: &[SqlActor], of: fn(&SqlActor) -> u64) -> u64 {
    actors.iter().map(|actor| u64::from(actor.threads).saturating_mul(of(actor))).fold(0, u64::saturating_add)
}

fn sum(steps: &[Step], of: fn(&Step) -> u64) -> u64 {
    steps.iter().map(of).fold(0, u64::saturating_add)
}
