//! Translates conditions on a column to ranges of keys.

use super::{affinity::Affinity, definition::TableDefinition, key};
use dbdyno_engine::{
    ordered::Keys,
    sql::{SqlValue, SqlValueRef},
};
use std::ops::Bound;

/// One end of a range condition: the value, and whether the range includes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RangeEnd<'v> {
    pub(super) value: SqlValueRef<'v>,
    pub(super) included: bool,
}

/// A condition on one column, in the form that can be pushed down.
#[derive(Debug, Clone, Copy)]
pub(super) enum PushedCondition<'v> {
    All,
    Equal(SqlValueRef<'v>),
    /// Values of a range. It never contains NULL.
    Range {
        from: Option<RangeEnd<'v>>,
        to: Option<RangeEnd<'v>>,
    },
}

/// A range of keys that owns its bounds.
#[derive(Debug, Clone)]
pub(super) struct KeyRange {
    pub(super) from: Bound<Vec<u8>>,
    pub(super) to: Bound<Vec<u8>>,
}

impl KeyRange {
    pub(super) fn all() -> Self {
        Self { from: Bound::Unbounded, to: Bound::Unbounded }
    }

    pub(super) fn none() -> Self {
        Self { from: Bound::Excluded(Vec::new()), to: Bound::Excluded(Vec::new()) }
    }

    pub(super) fn keys(&self) -> Keys<'_> {
        Keys { from: self.from.as_ref().map(Vec::as_slice), to: self.to.as_ref().map(Vec::as_slice) }
    }

    /// Returns the keys of the rows whose rowid matches. The range is exact: no other row's key is in it.
    pub(super) fn of_rowids(condition: PushedCondition<'_>) -> Self {
        let row = |rowid: i64| key::of_rowid(rowid).to_vec();
        match condition {
            PushedCondition::All => Self::all(),
            PushedCondition::Equal(value) => match Rowid::from_value(value) {
                Rowid::Whole(rowid) => Self { from: Bound::Included(row(rowid)), to: Bound::Included(row(rowid)) },
                _ => Self::none(),
            },
            PushedCondition::Range { from, to } => {
                let from = match from.map(|end| (Rowid::from_value(end.value), end.included)) {
                    None | Some((Rowid::Below, _)) => Bound::Unbounded,
                    Some((Rowid::Whole(rowid), true)) => Bound::Included(row(rowid)),
                    Some((Rowid::Whole(rowid) | Rowid::Between(rowid), _)) => Bound::Excluded(row(rowid)),
                    Some((Rowid::Above | Rowid::None, _)) => return Self::none(),
                };
                let to = match to.map(|end| (Rowid::from_value(end.value), end.included)) {
                    None | Some((Rowid::Above, _)) => Bound::Unbounded,
                    Some((Rowid::Whole(rowid), false)) => Bound::Excluded(row(rowid)),
                    Some((Rowid::Whole(rowid) | Rowid::Between(rowid), _)) => Bound::Included(row(rowid)),
                    Some((Rowid::Below | Rowid::None, _)) => return Self::none(),
                };
                Self { from, to }
            }
        }
    }

    /// Returns the keys of the index entries whose value matches. The range is exact on numeric columns; on other columns it may contain
    /// more entries.
    pub(super) fn of_entries(
        table: &TableDefinition,
        column: usize,
        condition: PushedCondition<'_>,
        longest_key: usize,
    ) -> Self {
        let affinity = table.columns[column].affinity;
        match condition {
            PushedCondition::All => Self::all(),
            PushedCondition::Equal(SqlValueRef::Null) => Self::none(),
            PushedCondition::Equal(value) => {
                let end = Some(RangeEnd { value, included: true });
                Self { from: lower(affinity, end, longest_key), to: upper(affinity, end, longest_key) }
            }
            PushedCondition::Range { from, to } => {
                if [from, to].into_iter().flatten().any(|end| end.value == SqlValueRef::Null) {
                    return Self::none();
                }
                Self { from: lower(affinity, from, longest_key), to: upper(affinity, to, longest_key) }
            }
        }
    }
}

fn lower(affinity: Affinity, end: Option<RangeEnd<'_>>, longest_key: usize) -> Bound<Vec<u8>> {
    match end.and_then(|end| Some((prefix(affinity, end.value, longest_key)?, end.included))) {
        None => Bound::Included(vec![key::NUMBER]),
        Some((prefix, true)) => Bound::Included(prefix),
        Some((prefix, false)) => Bound::Excluded(behind(prefix)),
    }
}

fn upper(affinity: Affinity, end: Option<RangeEnd<'_>>, longest_key: usize) -> Bound<Vec<u8>> {
    match end.and_then(|end| Some((prefix(affinity, end.value, longest_key)?, end.included))) {
        None => Bound::Unbounded,
        Some((prefix, true)) => Bound::Excluded(behind(prefix)),
        Some((prefix, false)) => Bound::Excluded(prefix),
    }
}

/// Returns a key above every entry of a value, and below the entries of the next value: rowids are 8 bytes.
fn behind(mut prefix: Vec<u8>) -> Vec<u8> {
    prefix.extend_from_slice(&[255; key::ROWID + 1]);
    prefix
}

/// Returns the prefix of all entries of a value; `None` if a comparison with it cannot be narrowed to a range of keys.
///
/// SQLite converts one side of a comparison by the affinity of both sides, and a virtual table sees only its own side. With a numeric
/// column SQLite always converts the other side. With other columns it may convert the stored value, if the other side is a number. Text
/// that is too long for a key is in no index.
fn prefix(affinity: Affinity, value: SqlValueRef<'_>, longest_key: usize) -> Option<Vec<u8>> {
    let mut prefix = Vec::with_capacity(24);
    match (affinity, value) {
        (Affinity::Numeric | Affinity::Real, SqlValueRef::Text(_)) => {
            let number: Option<SqlValue> = Affinity::Numeric.change(value).ok().flatten();
            key::push(&mut prefix, number.as_ref().map_or(value, SqlValue::as_ref));
        }
        (Affinity::Numeric | Affinity::Real, _)
        | (Affinity::Text, SqlValueRef::Text(_) | SqlValueRef::Blob(_))
        | (Affinity::Blob, SqlValueRef::Blob(_)) => key::push(&mut prefix, value),
        (Affinity::Text | Affinity::Blob, _) => return None,
    }
    (prefix.len() + key::ROWID < longest_key).then_some(prefix)
}

/// The position of a value among the rowids.
enum Rowid {
    /// Equal to this rowid.
    Whole(i64),
    /// Above this one and below the next.
    Between(i64),
    Below,
    Above,
    /// No position: NULL.
    None,
}

impl Rowid {
    fn from_value(value: SqlValueRef<'_>) -> Self {
        let changed = Affinity::Numeric.change(value).ok().flatten();
        match changed.as_ref().map_or(value, SqlValue::as_ref) {
            SqlValueRef::Null => Self::None,
            SqlValueRef::Integer(rowid) => Self::Whole(rowid),
            SqlValueRef::Real(real) if real < -(2_f64.powi(63)) => Self::Below,
            SqlValueRef::Real(real) if real >= 2_f64.powi(63) => Self::Above,
            SqlValueRef::Real(real) if real.floor() == real => Self::Whole(real as i64),
            SqlValueRef::Real(real) => Self::Between(real.floor() as i64),
            SqlValueRef::Text(_) | SqlValueRef::Blob(_) => Self::Above,
        }
    }
}
