//! The rows that a plan selects, with its parameters filled in.

use super::super::{
    affinity::{Affinity, RealInText, StoredValue},
    definition::TableDefinition,
    key::compare,
    range::{PushedCondition, RangeEnd},
    rows::real_in_text,
};
use dbdyno_engine::{
    EngineError,
    sql::{SqlValue, SqlValueRef},
    suite::{Condition, Operand},
};
use std::cmp::Ordering;

/// A condition with its values.
#[derive(Debug)]
pub(super) enum Filter<'v> {
    All,
    /// Rows whose column equals `from`, or is in the range from `from` (included) to `below` (excluded). The values have the column's
    /// stored form.
    Column {
        column: usize,
        from: StoredValue<'v>,
        below: Option<StoredValue<'v>>,
    },
    /// Rows whose text column contains this text; ASCII letters match in either case.
    Holds {
        column: usize,
        text: Vec<u8>,
    },
}

impl<'v> Filter<'v> {
    pub(super) fn new(
        table: &TableDefinition,
        condition: &'v Condition,
        values: &'v [SqlValue],
    ) -> Result<Self, EngineError> {
        let compared = |column: usize, value: &'v Operand| {
            let column = &table.columns[column];
            column.affinity.compared(operand(value, values)?).map_err(|RealInText| real_in_text(table, column))
        };
        Ok(match condition {
            Condition::All => Self::All,
            Condition::Equal { column, value } => {
                let column = table.column(column)?;
                Self::Column { column, from: compared(column, value)?, below: None }
            }
            Condition::Range { column, from, below } => {
                let column = table.column(column)?;
                Self::Column { column, from: compared(column, from)?, below: Some(compared(column, below)?) }
            }
            Condition::Like { column: name, pattern } => {
                let column = table.column(name)?;
                if table.columns[column].affinity != Affinity::Text {
                    let message = format!("like: column `{name}` of table `{}`: expected one of text", table.name);
                    return Err(EngineError::new(message));
                }
                Self::Holds { column, text: needle(operand(pattern, values)?)? }
            }
        })
    }

    /// Returns the column that an index could narrow, and the condition on it.
    pub(super) fn wanted(&self) -> Option<(usize, PushedCondition<'_>)> {
        match self {
            Self::All | Self::Holds { .. } => None,
            Self::Column { column, from, below: None } => Some((*column, PushedCondition::Equal(from.borrowed()))),
            Self::Column { column, from, below: Some(below) } => {
                let from = RangeEnd { value: from.borrowed(), included: true };
                let below = RangeEnd { value: below.borrowed(), included: false };
                Some((*column, PushedCondition::Range { from: Some(from), to: Some(below) }))
            }
        }
    }

    pub(super) fn column(&self) -> Option<usize> {
        match self {
            Self::All => None,
            Self::Column { column, .. } | Self::Holds { column, .. } => Some(*column),
        }
    }

    /// Returns whether a row with this value in the column passes.
    #[inline]
    pub(super) fn passes(&self, value: SqlValueRef<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Column { from, .. } if value == SqlValueRef::Null || from.borrowed() == SqlValueRef::Null => false,
            Self::Column { from, below: None, .. } => compare(value, from.borrowed()) == Ordering::Equal,
            Self::Column { from, below: Some(below), .. } => {
                below.borrowed() != SqlValueRef::Null
                    && compare(value, from.borrowed()) != Ordering::Less
                    && compare(value, below.borrowed()) == Ordering::Less
            }
            Self::Holds { text, .. } => match value {
                // SQLite reads text only to the first zero byte, and treats a blob's bytes as text.
                SqlValueRef::Text(bytes) | SqlValueRef::Blob(bytes) => {
                    holds(bytes.split(|byte| *byte == 0).next().unwrap_or_default(), text)
                }
                SqlValueRef::Null | SqlValueRef::Integer(_) | SqlValueRef::Real(_) => false,
            },
        }
    }
}

pub(super) fn operand<'v>(operand: &'v Operand, values: &'v [SqlValue]) -> Result<SqlValueRef<'v>, EngineError> {
    match (operand, operand.parameter()) {
        (Operand::Integer(number), _) => Ok(SqlValueRef::Integer(*number)),
        (Operand::Text(text), None) => Ok(SqlValueRef::Text(text.as_bytes())),
        (Operand::Text(text), Some(place)) => values
            .get(place)
            .map(SqlValue::as_ref)
            .ok_or_else(|| EngineError::new(format!("{text} in a direct plan: {} values are bound", values.len()))),
    }
}

/// Returns the text within `%text%`, in lower case.
fn needle(pattern: SqlValueRef<'_>) -> Result<Vec<u8>, EngineError> {
    let inside = match pattern {
        SqlValueRef::Text(bytes) => bytes.strip_prefix(b"%").and_then(|rest| rest.strip_suffix(b"%")),
        _ => None,
    };
    let plain = inside.filter(|text| !text.iter().any(|byte| matches!(byte, b'%' | b'_' | 0)));
    plain.map(<[u8]>::to_ascii_lowercase).ok_or_else(|| {
        EngineError::new("a pattern of a direct plan: expected text between two %, without any other %, _ or zero")
    })
}

#[inline]
fn holds(bytes: &[u8], text: &[u8]) -> bool {
    let Some((&first, rest)) = text.split_first() else { return true };
    let Some(last) = bytes.len().checked_sub(text.len()) else { return false };
    (0..=last)
        .any(|at| bytes[at].to_ascii_lowercase() == first && bytes[at + 1..at + text.len()].eq_ignore_ascii_case(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_in_either_case_wherever_it_stands() {
        let found = |bytes: &str, text: &str| holds(bytes.as_bytes(), text.as_bytes());
        assert!(found("two hundred fifty one", "fifty") && found("FIFTY", "fifty") && found("x", ""));
        assert!(found("aab", "ab") && found("ab", "ab"));
        assert!(!found("fift", "fifty") && !found("", "a") && !found("fiftx", "fifty"));
    }

    #[test]
    fn only_plain_patterns_are_taken() {
        assert_eq!(needle(SqlValueRef::Text(b"%Fifty%")).unwrap(), b"fifty");
        for pattern in ["fifty%", "%fifty", "%fi_ty%", "%a%b%", "%"] {
            assert!(needle(SqlValueRef::Text(pattern.as_bytes())).is_err(), "{pattern}");
        }
    }
}
