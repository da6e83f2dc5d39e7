//! SQLite's cursor on a stored table.

use super::{
    super::{
        affinity::Affinity,
        cursor::{BatchCursor, CursorPath},
        definition::TableDefinition,
        range::{KeyRange, PushedCondition, RangeEnd},
    },
    access::{AccessPath, KeyBounds},
    module::{SharedTables, called, told},
};
use crate::sqlite::{SqliteParameter, value};
use dbdyno_engine::{
    ordered::{Direction, OrderedStore},
    sql::SqlValueRef,
};
use rusqlite::{
    Error, Result, ffi,
    vtab::{Context, Filters, VTabCursor},
};
use std::{ffi::c_int, rc::Rc};

/// A cursor; it has no row until it receives conditions.
#[repr(C)]
pub(super) struct TableCursor<S: OrderedStore> {
    base: ffi::sqlite3_vtab_cursor,
    shared: SharedTables<S>,
    table: Rc<TableDefinition>,
    rows: Option<BatchCursor>,
    /// The only available column, if rows are not read.
    only: Option<usize>,
}

impl<S: OrderedStore> TableCursor<S> {
    pub(super) fn new(shared: SharedTables<S>, table: Rc<TableDefinition>) -> Self {
        shared.borrow_mut().open_cursor();
        Self { base: ffi::sqlite3_vtab_cursor::default(), shared, table, rows: None, only: None }
    }

    fn row(&self) -> Result<&BatchCursor> {
        self.rows.as_ref().ok_or_else(|| Error::ModuleError("the cursor is on no row".to_owned()))
    }
}

impl<S: OrderedStore> Drop for TableCursor<S> {
    fn drop(&mut self) {
        self.shared.borrow_mut().close_cursor();
    }
}

#[expect(unsafe_code, reason = "rusqlite asks for a struct that begins as SQLite's own")]
// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab_cursor`.
unsafe impl<S: OrderedStore> VTabCursor for TableCursor<S> {
    fn filter(&mut self, plan: c_int, _: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        let access = AccessPath::from_number(plan);
        let mut values = arguments.iter().map(value);
        let wanted = wanted(access.ends, &mut values);
        let tables = &mut *self.shared.borrow_mut();
        tables.work.begin(matches!(wanted, PushedCondition::All));
        let range = match access.index {
            None => KeyRange::of_rowids(wanted),
            Some(place) => {
                let column = self.table.indexes[place].column;
                self.only = access.covering.then_some(column);
                let wanted = widened(self.table.columns[column].affinity, wanted);
                KeyRange::of_entries(&self.table, column, wanted, tables.store.longest_key())
            }
        };
        let direction = if access.descending { Direction::Down } else { Direction::Up };
        let path = CursorPath { index: access.index, covering: access.covering, range, direction };
        self.rows = Some(called(|| BatchCursor::open(tables, Rc::clone(&self.table), path)).map_err(told)?);
        Ok(())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        match &mut self.rows {
            Some(rows) => called(|| rows.advance(&mut self.shared.borrow_mut())).map_err(told),
            None => Ok(()),
        }
    }

    #[inline]
    fn eof(&self) -> bool {
        self.rows.as_ref().is_none_or(BatchCursor::is_done)
    }

    #[inline]
    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        // An UPDATE does not need the value of a column that it leaves unchanged; SQLite reports later that it is unchanged.
        if context.no_change() {
            return Ok(());
        }
        let column = column as usize;
        if self.only.is_some_and(|only| only != column) {
            return Err(Error::ModuleError(format!("column {column} is not in the index that replaces the rows")));
        }
        context.set_result(SqliteParameter(self.row()?.column(column).map_err(told)?))
    }

    #[inline]
    fn rowid(&self) -> Result<i64> {
        self.row()?.rowid().ok_or_else(|| Error::ModuleError("the cursor is on no row".to_owned()))
    }
}

/// Returns the condition with its values, which come in the order that the plan names.
fn wanted<'v>(ends: KeyBounds, values: &mut impl Iterator<Item = SqlValueRef<'v>>) -> PushedCondition<'v> {
    let mut end = |included: Option<bool>| {
        included.map(|included| RangeEnd { value: values.next().unwrap_or(SqlValueRef::Null), included })
    };
    match ends {
        KeyBounds::Equal => PushedCondition::Equal(values.next().unwrap_or(SqlValueRef::Null)),
        KeyBounds::Range { from: None, to: None } => PushedCondition::All,
        KeyBounds::Range { from, to } => {
            let from = end(from);
            PushedCondition::Range { from, to: end(to) }
        }
    }
}

/// The text of every number sorts below this.
const ABOVE_NUMBERS: &[u8] = b":";

/// Widens the condition, because the other side is unknown. Text that is not a number may come from a numeric column. Compared with such a
/// column, stored text that is a number becomes a number, which sorts below any text.
fn widened(affinity: Affinity, condition: PushedCondition<'_>) -> PushedCondition<'_> {
    match condition {
        PushedCondition::Range { from, to: Some(RangeEnd { value: value @ SqlValueRef::Text(text), .. }) }
            if affinity == Affinity::Text
                && text < ABOVE_NUMBERS
                && matches!(Affinity::Numeric.change(value), Ok(None)) =>
        {
            PushedCondition::Range {
                from,
                to: Some(RangeEnd { value: SqlValueRef::Text(ABOVE_NUMBERS), included: false }),
            }
        }
        other => other,
    }
}
