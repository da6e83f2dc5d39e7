//! The execution of each kind of plan.

use super::{
    super::{
        definition::TableDefinition,
        key,
        range::KeyRange,
        row::RowValues,
        rows::{broken_index, value},
        rowsum::Rowsum,
        tables::Tables,
    },
    DirectRow,
    average::Average,
    filter::{Filter, operand},
};
use dbdyno_engine::{
    EngineError,
    ordered::{Direction, Keys, OrderedRead, OrderedStore, OrderedWrite, Tree},
    sql::{SqlValue, SqlValueRef},
    suite::Assignment,
};
use std::{collections::BTreeMap, ops::ControlFlow};

#[inline]
pub(super) fn insert<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    values: &[SqlValue],
) -> Result<u64, EngineError> {
    tables.write()?;
    let rowid = tables.next_rowid(table)?;
    let (write, rows, _) = tables.write()?;
    rows.insert(write, table, rowid, values.iter().map(SqlValue::as_ref))?;
    Ok(1)
}

/// Inserts the rows of one table into another, or into itself, in the order of their rowids.
pub(super) fn copy<S: OrderedStore>(
    tables: &mut Tables<S>,
    from: &TableDefinition,
    to: &TableDefinition,
) -> Result<u64, EngineError> {
    tables.write()?;
    let mut copied = Vec::new();
    let mut ends = Vec::new();
    each(tables, from, &Filter::All, |_, row| {
        copied.extend_from_slice(row);
        ends.push(copied.len());
        Ok(ControlFlow::Continue(()))
    })?;
    let mut start = 0;
    for &end in &ends {
        let rowid = tables.next_rowid(to)?;
        let (write, rows, _) = tables.write()?;
        let values = RowValues(&copied[start..end]).map(|value| value.unwrap_or(SqlValueRef::Null));
        rows.insert(write, to, rowid, values)?;
        start = end;
    }
    Ok(ends.len() as u64)
}

pub(super) fn read<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
    limit: u64,
    mut visit: impl FnMut(&DirectRow<'_>),
) -> Result<(), EngineError> {
    let mut left = limit;
    if left == 0 {
        return Ok(());
    }
    each(tables, table, filter, |_, row| {
        visit(&DirectRow::Stored(row, table.columns.len()));
        left -= 1;
        Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })
}

/// Returns the number of rows, and the average of a column.
#[inline]
pub(super) fn count_average<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    column: usize,
    filter: &Filter<'_>,
) -> Result<(i64, Option<f64>), EngineError> {
    let (mut count, mut average) = (0, Average::default());
    let rowsum = tables.rows.rowsum;
    if filter.column() == Some(column) && rowsum == Rowsum::Off && index_of(table, filter).is_some() {
        // The index entries contain all requested values.
        each_entry(tables, table, filter, |_, value| {
            count += 1;
            average.add(value)
        })?;
    } else {
        each(tables, table, filter, |rowid, row| {
            count += 1;
            average.add(value(table, rowid, row, column, rowsum)?)?;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok((count, average.value()))
}

#[inline]
pub(super) fn update<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
    set: &BTreeMap<String, Assignment>,
    values: &[SqlValue],
) -> Result<u64, EngineError> {
    tables.write()?;
    let found = rowids(tables, table, filter)?;
    let (write, rows, _) = tables.write()?;
    let mut wrong = None;
    for &rowid in &found {
        rows.update(write, table, rowid, |place, old| {
            let assignment = set.get(&table.columns[place].name)?;
            assign(assignment, old, values).unwrap_or_else(|error| {
                wrong = Some(error);
                None
            })
        })?;
        if let Some(error) = wrong {
            return Err(error);
        }
    }
    Ok(found.len() as u64)
}

fn assign<'v>(
    assignment: &'v Assignment,
    old: SqlValueRef<'_>,
    values: &'v [SqlValue],
) -> Result<Option<SqlValueRef<'v>>, EngineError> {
    match (assignment, old) {
        (Assignment::Value(new), _) => operand(new, values).map(Some),
        (Assignment::Times { .. }, SqlValueRef::Null) => Ok(None),
        (Assignment::Times { times }, SqlValueRef::Integer(number)) => Ok(Some(
            number.checked_mul(*times).map_or(SqlValueRef::Real(number as f64 * *times as f64), SqlValueRef::Integer),
        )),
        (Assignment::Times { times }, SqlValueRef::Real(number)) => Ok(Some(SqlValueRef::Real(number * *times as f64))),
        (Assignment::Times { .. }, SqlValueRef::Text(_) | SqlValueRef::Blob(_)) => {
            Err(EngineError::new("a direct plan multiplies numbers only"))
        }
    }
}

/// Removes rows; if all rows match, by emptying the trees.
pub(super) fn delete<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
) -> Result<u64, EngineError> {
    tables.write()?;
    tables.forget_rowids(table);
    if matches!(filter, Filter::All) {
        let mut removed = 0;
        tables.work.begin(true);
        let (write, _, _) = tables.write()?;
        write.range(table.tree, Keys::ALL, Direction::Up, |_, _| {
            removed += 1;
            ControlFlow::Continue(())
        })?;
        write.clear(table.tree)?;
        table.indexes.iter().try_for_each(|index| write.clear(index.tree))?;
        tables.work.visit(removed);
        return Ok(removed);
    }
    let found = rowids(tables, table, filter)?;
    let (write, rows, _) = tables.write()?;
    for &rowid in &found {
        rows.delete(write, table, rowid)?;
    }
    Ok(found.len() as u64)
}

/// Returns the rowids of the rows that pass.
fn rowids<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
) -> Result<Vec<i64>, EngineError> {
    let mut found = Vec::new();
    if tables.rows.rowsum == Rowsum::Off && index_of(table, filter).is_some() {
        each_entry(tables, table, filter, |rowid, _| {
            found.push(rowid);
            Ok(())
        })?;
    } else {
        each(tables, table, filter, |rowid, _| {
            found.push(rowid);
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(found)
}

/// Returns the position of the index that narrows a filter.
fn index_of(table: &TableDefinition, filter: &Filter<'_>) -> Option<usize> {
    filter.wanted().and_then(|(column, _)| table.index_on(column))
}

/// Describes how the matching rows are found. `keys_only`: whether an index's entries are enough, without their rows.
pub(super) fn step<S: OrderedStore>(
    tables: &Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
    keys_only: bool,
) -> String {
    let name = &table.name;
    match index_of(table, filter).map(|place| &table.indexes[place].name) {
        Some(index) if keys_only && tables.rows.rowsum == Rowsum::Off => format!("search of index {index} of {name}"),
        Some(index) => format!("search of index {index} of {name}, then each row by its key"),
        None => format!("full scan of {name}"),
    }
}

/// Passes every matching row to the callback: found by an index if there is one, otherwise by reading all rows.
fn each<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
    mut visit: impl FnMut(i64, &[u8]) -> Result<ControlFlow<()>, EngineError>,
) -> Result<(), EngineError> {
    if index_of(table, filter).is_some() {
        let mut found = Vec::new();
        each_entry(tables, table, filter, |rowid, _| {
            found.push(rowid);
            Ok(())
        })?;
        tables.work.visit(found.len() as u64);
        for rowid in found {
            let row = |stored: &[u8]| visit(rowid, tables.rows.verified(table, rowid, stored)?);
            let shown = tables.transaction.get(table.tree, &key::of_rowid(rowid), row)?;
            let missing =
                || EngineError::fatal(format!("table `{}` has no row {rowid} for its index's entry", table.name));
            if shown.ok_or_else(missing)??.is_break() {
                return Ok(());
            }
        }
        return Ok(());
    }
    tables.read()?;
    tables.work.begin(true);
    let (rowsum, column, mut visited) = (tables.rows.rowsum, filter.column(), 0);
    let mut step = |key: &[u8], stored: &[u8]| {
        visited += 1;
        let rowid = key::rowid(key).unwrap_or(0);
        let row = tables.rows.verified(table, rowid, stored)?;
        let passes =
            column.map_or(Ok(true), |column| value(table, rowid, row, column, rowsum).map(|v| filter.passes(v)))?;
        if passes { visit(rowid, row) } else { Ok(ControlFlow::Continue(())) }
    };
    let walked = walk(tables, table.tree, Keys::ALL, &mut step);
    tables.work.visit(visited);
    walked
}

/// Passes rowid and value of every matching entry of an existing index to the callback.
#[inline]
fn each_entry<S: OrderedStore>(
    tables: &mut Tables<S>,
    table: &TableDefinition,
    filter: &Filter<'_>,
    mut visit: impl FnMut(i64, SqlValueRef<'_>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    tables.read()?;
    let (Some((column, wanted)), Some(place)) = (filter.wanted(), index_of(table, filter)) else {
        return Ok(());
    };
    let index = &table.indexes[place];
    tables.work.begin(false);
    let range = KeyRange::of_entries(table, column, wanted, tables.store.longest_key());
    let mut visited = 0;
    let mut step = |key: &[u8], kind: &[u8]| {
        visited += 1;
        let wrong = || broken_index(table, index, "an entry cannot be decoded");
        let kind = tables.rows.verified_entry(table, index, key, kind)?;
        let rowid = key::rowid(key).ok_or_else(wrong)?;
        key::with_value(key, kind, |value| if filter.passes(value) { visit(rowid, value) } else { Ok(()) })
            .ok_or_else(wrong)??;
        Ok(ControlFlow::Continue(()))
    };
    let walked = walk(tables, index.tree, range.keys(), &mut step);
    tables.work.visit(visited);
    walked
}

#[inline]
fn walk<S: OrderedStore>(
    tables: &Tables<S>,
    tree: Tree,
    keys: Keys<'_>,
    step: &mut impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, EngineError>,
) -> Result<(), EngineError> {
    let mut failed = None;
    tables.transaction.range(tree, keys, Direction::Up, |key, value| {
        step(key, value).unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    })?;
    failed.map_or(Ok(()), Err)
}
