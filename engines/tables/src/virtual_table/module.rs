//! The virtual table module: what SQLite calls.

use super::{
    super::{definition::TableDefinition, rows::RowStore, rowsum::Rowsum, tables::Tables},
    access::{ComparisonOperator, Constraint, Question, choose, explain},
    cursor::TableCursor,
};
use crate::sqlite::value;
use dbdyno_engine::{EngineError, ordered::OrderedStore};
use rusqlite::{
    Error, Result, ffi,
    types::ValueRef,
    vtab::{
        CreateVTab, IndexConstraintOp, IndexFlags, IndexInfo, Inserts, TransactionVTab, UpdateVTab, Updates, VTab,
        VTabConnection, VTabKind,
    },
};
use std::{borrow::Cow, cell::RefCell, ffi::CStr, ffi::CString, rc::Rc};

/// The tables that a connection's virtual tables share.
pub(crate) type SharedTables<S> = Rc<RefCell<Tables<S>>>;

/// The shared tables as SQLite keeps them for the module.
pub(super) struct ModuleAux<S: OrderedStore>(pub(super) SharedTables<S>);

// SAFETY: rusqlite asks for this because a connection may be sent to another thread. The connection that holds this one
// is owned by a `Layered` beside an `Rc`, which cannot be sent, and is never handed out.
#[expect(unsafe_code, reason = "rusqlite keeps what a module is given on one thread with its connection")]
unsafe impl<S: OrderedStore> Send for ModuleAux<S> {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "rusqlite keeps what a module is given on one thread with its connection")]
unsafe impl<S: OrderedStore> Sync for ModuleAux<S> {}

/// A table of the store as SQLite sees it.
#[repr(C)]
pub(super) struct VirtualTable<S: OrderedStore> {
    base: ffi::sqlite3_vtab,
    shared: SharedTables<S>,
    table: Rc<TableDefinition>,
}

/// Tells SQLite about an engine's error.
pub(super) fn told(error: EngineError) -> Error {
    Error::ModuleError(error.message)
}

impl<S: OrderedStore> VirtualTable<S> {
    /// Does something that writes; after an error the transaction cannot be committed.
    #[inline]
    fn writing<R>(
        &self,
        work: impl FnOnce(&mut Tables<S>, &TableDefinition) -> std::result::Result<R, EngineError>,
    ) -> Result<R> {
        let mut tables = self.shared.borrow_mut();
        work(&mut tables, &self.table).map_err(|error| {
            tables.spoil(&error);
            told(error)
        })
    }
}

fn terms(info: &IndexInfo, table: &TableDefinition) -> Vec<Constraint> {
    let term = |(place, constraint): (usize, rusqlite::vtab::IndexConstraint<'_>)| {
        let comparison = match constraint.operator() {
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => ComparisonOperator::Equal,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GT => ComparisonOperator::Greater,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GE => ComparisonOperator::GreaterOrEqual,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LT => ComparisonOperator::Less,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LE => ComparisonOperator::LessOrEqual,
            _ => return None,
        };
        // A column's text is kept in the order of its bytes only.
        let is_binary = || info.collation(place).is_ok_and(|name| name.eq_ignore_ascii_case("BINARY"));
        let column = usize::try_from(constraint.column()).ok();
        let usable = constraint.is_usable() && column.is_none_or(|column| column < table.columns.len() && is_binary());
        usable.then_some(Constraint { place, column, comparison })
    };
    info.constraints().enumerate().filter_map(term).collect()
}

#[expect(unsafe_code, reason = "rusqlite asks for a struct that begins as SQLite's own")]
// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab`.
unsafe impl<S: OrderedStore> VTab<'_> for VirtualTable<S> {
    type Aux = ModuleAux<S>;
    type Cursor = TableCursor<S>;

    fn connect(
        _: &mut VTabConnection,
        aux: Option<&ModuleAux<S>>,
        _: &[u8],
        _: &[u8],
        name: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let shared = aux.map(|aux| Rc::clone(&aux.0)).ok_or_else(|| Error::ModuleError("no store".to_owned()))?;
        let table = Rc::clone(shared.borrow().catalog.table(&String::from_utf8_lossy(name)).map_err(told)?);
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("{} {}", column.name, column.declared)).collect();
        let declared = CString::new(format!("CREATE TABLE x({})", columns.join(", ")))?;
        Ok((Cow::Owned(declared), Self { base: ffi::sqlite3_vtab::default(), shared, table }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let terms = terms(info, &self.table);
        let order: Vec<(Option<usize>, bool)> =
            info.order_bys().map(|by| (usize::try_from(by.column()).ok(), by.is_order_by_desc())).collect();
        let may_cover = self.shared.borrow().rows.rowsum == Rowsum::Off;
        let question = Question { terms: &terms, order: &order, used: info.col_used(), may_cover };
        let choice = choose(&self.table, question);
        for (place, term) in choice.taken.iter().enumerate() {
            // Ranges of rowids and numbers are exact; of other columns they may hold more, which SQLite then sorts out.
            let is_exact = term.column.is_none_or(|column| self.table.columns[column].affinity.is_numeric());
            let mut usage = info.constraint_usage(term.place);
            usage.set_argv_index(place as i32 + 1);
            usage.set_omit(is_exact);
        }
        info.set_idx_num(choice.access.to_number());
        info.set_idx_str(&explain(&self.table, choice.access));
        info.set_order_by_consumed(choice.ordered && !order.is_empty());
        info.set_estimated_cost(choice.cost);
        info.set_estimated_rows(choice.rows as i64);
        if choice.rows <= 1.0 {
            info.set_idx_flags(IndexFlags::SQLITE_INDEX_SCAN_UNIQUE);
        }
        Ok(true)
    }

    fn open(&mut self) -> Result<TableCursor<S>> {
        Ok(TableCursor::new(Rc::clone(&self.shared), Rc::clone(&self.table)))
    }
}

/// Creating and destroying are done by the session, because it has the declared table; here they change nothing.
impl<S: OrderedStore> CreateVTab<'_> for VirtualTable<S> {
    const KIND: VTabKind = VTabKind::Default;
}

impl<S: OrderedStore> UpdateVTab<'_> for VirtualTable<S> {
    fn delete(&mut self, rowid: ValueRef<'_>) -> Result<()> {
        let rowid = rowid.as_i64()?;
        self.writing(|tables, table| {
            tables.forget_rowids(table);
            let (write, rows, _) = tables.write()?;
            rows.delete(write, table, rowid).map(drop)
        })
    }

    fn insert(&mut self, arguments: &Inserts<'_>) -> Result<i64> {
        let wanted: Option<i64> = arguments.get(1)?;
        self.writing(|tables, table| {
            tables.write()?;
            let rowid = match wanted {
                None => tables.next_rowid(table)?,
                Some(rowid) => {
                    is_free(tables, table, rowid)?;
                    tables.forget_rowids(table);
                    rowid
                }
            };
            let (write, rows, _) = tables.write()?;
            rows.insert(write, table, rowid, arguments.iter().skip(2).map(value))?;
            Ok(rowid)
        })
    }

    fn update(&mut self, arguments: &Updates<'_>) -> Result<()> {
        let (old, new): (i64, i64) = (arguments.get(0)?, arguments.get(1)?);
        let changed = |column: usize| {
            if arguments.no_change(column + 2) { None } else { arguments.iter().nth(column + 2).map(value) }
        };
        self.writing(|tables, table| {
            if old == new {
                let (write, rows, _) = tables.write()?;
                return rows.update(write, table, old, |column, _| changed(column)).map(drop);
            }
            tables.write()?;
            is_free(tables, table, new)?;
            tables.forget_rowids(table);
            let (write, rows, _) = tables.write()?;
            rows.renumber(write, table, old, new)?;
            rows.update(write, table, new, |column, _| changed(column)).map(drop)
        })
    }
}

fn is_free<S: OrderedStore>(
    tables: &Tables<S>,
    table: &TableDefinition,
    rowid: i64,
) -> std::result::Result<(), EngineError> {
    if RowStore::exists(&tables.transaction, table, rowid)? {
        return Err(EngineError::new(format!("table `{}` has a row {rowid} already", table.name)));
    }
    Ok(())
}

impl<S: OrderedStore> TransactionVTab<'_> for VirtualTable<S> {
    fn begin(&mut self) -> Result<()> {
        self.shared.borrow_mut().write().map(drop).map_err(told)
    }

    /// The commit itself: after this SQLite takes no error any more.
    fn sync(&mut self) -> Result<()> {
        self.shared.borrow_mut().commit().map_err(told)
    }

    fn rollback(&mut self) -> Result<()> {
        self.shared.borrow_mut().rollback().map_err(told)
    }
}
