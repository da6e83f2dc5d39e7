//! A suite as a worker receives it: every count, format and statement is already resolved for one size and one choice of the suite's
//! options.

mod certain;
mod expression;
mod kv;
mod plan;
mod replay;
mod sql;
mod statement;
mod step;
mod template;

pub use expression::{Expression, MOST_SIGNS, Variables};
pub use kv::{
    Arrival, During, Gaps, KeyChoice, KvActor, KvActors, KvAlone, KvCompaction, KvLoad, KvStatements, KvSuite, KvTest,
    KvWork, Operation, Popularity, TransactionScope, Work,
};
pub use plan::{Assignment, Condition, DirectPlan, Operand};
pub use replay::{REPLAY_ACTOR, ReplayOrder, ReplaySpec, ReplayedStatement};
pub use sql::{ColumnSpec, IndexSpec, SqlActor, SqlLoad, SqlSuite, SqlTest, THREAD, TableSpec, main_database};
pub use statement::{Draw, Literal, ObjectSpec, Parameter, StatementSpec, True};
pub use step::{Begin, Choice, CopySpec, Step};
pub use template::{Bytes, Length, NumberForm, NumberSource, Template, UUID_EPOCH_MS, UuidForm, UuidVersion, Variable};

use serde::{Deserialize, Serialize};

/// The kind of engine that a suite needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SuiteKind {
    /// Ordered keys and values.
    Kv,
    Sql,
}

impl SuiteKind {
    pub fn others(self) -> Vec<Self> {
        [Self::Kv, Self::Sql].into_iter().filter(|kind| *kind != self).collect()
    }

    /// Returns the word used in files and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kv => "kv",
            Self::Sql => "sql",
        }
    }
}
