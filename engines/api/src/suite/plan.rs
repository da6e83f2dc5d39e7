//! Direct plans: the work of a statement, in the terms of a program that uses an ordered store without SQL.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The equivalent of a SQL statement for engines that run without SQL. Its answers are those of the SQL.
///
/// A `table` is the name of a table that the suite declares, and a `column` is one of its columns. Without a condition, the plan applies to
/// all rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DirectPlan {
    CreateTable {
        table: String,
    },
    /// Begin a transaction that is rolled back, so its content is transient.
    Begin,
    /// Roll that transaction back.
    Rollback,
    /// Insert one row: the parameters are its columns in order.
    Insert {
        table: String,
    },
    /// Insert every row of one table into another with the same columns, or into itself.
    Copy {
        from: String,
        to: String,
    },
    /// Read all columns of rows, in any order.
    Read {
        table: String,
        #[serde(rename = "where", default)]
        condition: Condition,
        /// Maximum number of rows. They may be any of the rows, because the order is undefined.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u64>,
    },
    /// Give one row: the number of rows, and the average of a column as a real number (NULL if there is nothing to average).
    CountAverage {
        table: String,
        column: String,
        #[serde(rename = "where", default)]
        condition: Condition,
    },
    Update {
        table: String,
        /// New values by column.
        set: BTreeMap<String, Assignment>,
        #[serde(rename = "where", default)]
        condition: Condition,
    },
    Delete {
        table: String,
        #[serde(rename = "where", default)]
        condition: Condition,
    },
}

impl DirectPlan {
    pub fn tables(&self) -> Vec<&str> {
        match self {
            Self::Copy { from, to } => vec![from, to],
            Self::Begin | Self::Rollback => Vec::new(),
            Self::CreateTable { table }
            | Self::Insert { table }
            | Self::Read { table, .. }
            | Self::CountAverage { table, .. }
            | Self::Update { table, .. }
            | Self::Delete { table, .. } => vec![table],
        }
    }

    pub fn columns(&self) -> Vec<&str> {
        let (mut columns, condition): (Vec<&str>, _) = match self {
            Self::Begin | Self::Rollback | Self::CreateTable { .. } | Self::Insert { .. } | Self::Copy { .. } => {
                return Vec::new();
            }
            Self::Read { condition, .. } | Self::Delete { condition, .. } => (Vec::new(), condition),
            Self::CountAverage { column, condition, .. } => (vec![column], condition),
            Self::Update { set, condition, .. } => (set.keys().map(String::as_str).collect(), condition),
        };
        columns.extend(condition.column());
        columns
    }
}

/// The rows that a plan applies to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    #[default]
    All,
    /// Rows whose column has this value.
    Equal { column: String, value: Operand },
    /// Rows whose column is a whole number in this range.
    Range {
        column: String,
        /// The least value.
        from: Operand,
        /// The first value above the range.
        below: Operand,
    },
    /// Rows whose text contains another, as `LIKE '%text%'` finds it: ASCII letters match in either case.
    Like {
        column: String,
        /// The pattern: `%text%`, without any other `%` or `_`.
        pattern: Operand,
    },
}

impl Condition {
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Equal { column, .. } | Self::Range { column, .. } | Self::Like { column, .. } => Some(column),
        }
    }
}

/// A value in a plan: a number, `?N` for the N-th parameter (from 1), or any other text, taken literally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a value of a direct plan: expected a whole number, a parameter such as ?1, or text")]
pub enum Operand {
    Integer(i64),
    /// A parameter, or text.
    Text(String),
}

impl Operand {
    /// Returns the parameter's place from 0, if it is a parameter.
    pub fn parameter(&self) -> Option<usize> {
        match self {
            Self::Integer(_) => None,
            Self::Text(text) => text.strip_prefix('?')?.parse::<usize>().ok()?.checked_sub(1),
        }
    }
}

/// The new value of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a new value of a direct plan: expected a value, or { times = NUMBER }")]
pub enum Assignment {
    /// The old value times a whole number; NULL stays NULL.
    Times {
        times: i64,
    },
    Value(Operand),
}
