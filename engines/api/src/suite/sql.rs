//! A resolved SQL suite.

use super::{
    StatementSpec, Step,
    plan::{Condition, DirectPlan},
};
use crate::protocol::TestHead;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SqlSuite {
    /// As in its file and on the command line.
    pub name: String,
    /// A database file to begin with instead of an empty one. It is copied and only read.
    #[serde(default)]
    pub start: Option<PathBuf>,
    /// Bytes of rows that the tests store at most at a time: a hint for engines that size a map ahead.
    pub data_bytes: u64,
    /// Every table that a test creates.
    pub tables: Vec<TableSpec>,
    /// Every index that a test creates.
    pub indexes: Vec<IndexSpec>,
    /// The tests, in the order they run on one database.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub tests: Vec<SqlTest>,
}

/// A table. It has no key but the row's number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// As statements and plans name it.
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
            draw: BTreeMap::new(),
            bind: Vec::new(),
            objects: Vec::new(),
            direct: Some(DirectPlan::Read { table: self.name.clone(), condition: Condition::All, limit: None }),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ColumnSpec {
    /// As statements and plans name it.
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
    /// As statements and plans name it.
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SqlTest {
    /// Number in its suite, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub number: u32,
    pub name: String,
    /// Whether it is measured; one that only prepares the database for a later test is not.
    pub measured: bool,
    /// Label of the database it runs on; a new label is a fresh database, an earlier one is opened again.
    #[serde(default = "main_database")]
    pub database: String,
    /// What is done before the timer starts.
    #[serde(default)]
    pub prepare: Vec<Step>,
    /// What is done inside the timer.
    #[serde(flatten)]
    pub load: SqlLoad,
    /// Rows that all statements together walk past without an index, roughly: a hint for estimates of time.
    #[serde(default)]
    pub rows_walked: u64,
    /// Tables whose rows are read after the test, untimed, and made part of the verification value.
    #[serde(default)]
    pub verify: Vec<String>,
    /// Tables of which the engine is asked after the test, untimed, whether they are there, and with which columns and indexes:
    /// part of the verification value.
    #[serde(default)]
    pub verify_schema: Vec<String>,
}

/// Returns the label of a test's database if none is given.
pub fn main_database() -> String {
    "main".to_owned()
}

/// Who does the work of a SQL test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SqlLoad {
    /// Several threads at once, each with a handle of its own.
    Actors {
        /// At least one with a thread.
        actors: Vec<SqlActor>,
    },
    /// One thread, on the database that is open.
    Alone {
        /// In order.
        steps: Vec<Step>,
    },
}

/// A group of threads that do the same: each opens the database for itself, does the steps once, and closes it. All of that is
/// inside the timer, opening in the first operation and closing in the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SqlActor {
    pub name: String,
    /// At least 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub threads: u32,
    /// What only reads, and draws nothing: the answers do not depend on the order of the threads.
    pub steps: Vec<Step>,
}

impl SqlActor {
    /// Returns the number of operations of each of its threads.
    pub fn operations(&self) -> u64 {
        sum(&self.steps, Step::operations)
    }
}

impl SqlTest {
    /// Returns the facts that the protocol reports about it.
    pub fn head(&self) -> TestHead<'_> {
        TestHead { number: self.number, name: &self.name, measured: self.measured, operations: Some(self.operations()) }
    }

    /// Returns the number of operations inside the timer, of all threads.
    pub fn operations(&self) -> u64 {
        match &self.load {
            SqlLoad::Alone { steps } => sum(steps, Step::operations),
            SqlLoad::Actors { actors } => {
                let of = |actor: &SqlActor| u64::from(actor.threads).saturating_mul(actor.operations());
                actors.iter().map(of).fold(0, u64::saturating_add)
            }
        }
    }

    /// Returns the number of commits inside the timer. Actors only read.
    pub fn commits(&self) -> u64 {
        match &self.load {
            SqlLoad::Alone { steps } => sum(steps, Step::commits),
            SqlLoad::Actors { .. } => 0,
        }
    }
}

fn sum(steps: &[Step], of: fn(&Step) -> u64) -> u64 {
    steps.iter().map(of).fold(0, u64::saturating_add)
}
