//! The virtual table module: the functions that SQLite calls.

use super::{
    super::{affinity::Affinity, definition::TableDefinition, rows::RowStore, rowsum::Rowsum, tables::Tables},
    access::{ComparisonOperator, Constraint, RowRequest, choose, explain},
    cursor::TableCursor,
};
use crate::sqlite::value;
use dbdyno_engine::{
    EngineError,
    error::caught,
    ordered::OrderedStore,
    sql::{SqlValue, SqlValueRef},
};
use rusqlite::{
    Error, Result, ffi,
    types::ValueRef,
    vtab::{
        ConflictMode, CreateVTab, IndexConstraintOp, IndexFlags, IndexInfo, Inserts, TransactionVTab, UpdateVTab,
        Updates, VTab, VTabConnection, VTabKind,
    },
};
use std::{borrow::Cow, cell::RefCell, ffi::CStr, ffi::CString, rc::Rc};

/// The tables that a connection's virtual tables share.
pub(crate) type SharedTables<S> = Rc<RefCell<Tables<S>>>;

/// The shared tables, in the form that SQLite keeps for the module.
pub(super) struct ModuleAux<S: OrderedStore>(pub(super) SharedTables<S>);

// SAFETY: rusqlite requires this because a connection may be sent to another thread. The connection that holds this value is owned by a
// `Layered`, which also owns an `Rc`. That cannot be sent, and the connection is never handed out.
#[expect(unsafe_code, reason = "rusqlite keeps what a module is given on one thread with its connection")]
unsafe impl<S: OrderedStore> Send for ModuleAux<S> {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "rusqlite keeps what a module is given on one thread with its connection")]
unsafe impl<S: OrderedStore> Sync for ModuleAux<S> {}

/// A table of the store, in SQLite's form.
#[repr(C)]
pub(super) struct VirtualTable<S: OrderedStore> {
    base: ffi::sqlite3_vtab,
    /// The connection, which knows a statement's conflict clause.
    database: *mut ffi::sqlite3,
    shared: SharedTables<S>,
    table: Rc<TableDefinition>,
}

/// Converts an engine's error for SQLite.
pub(super) fn told(error: EngineError) -> Error {
    Error::ModuleError(error.message)
}

/// Does work in the store for SQLite, and catches panics: a panic that unwound through SQLite would end the process without a message.
#[inline]
pub(super) fn called<R>(
    work: impl FnOnce() -> std::result::Result<R, EngineError>,
) -> std::result::Result<R, EngineError> {
    caught(work).and_then(|done| done)
}

impl<S: OrderedStore> VirtualTable<S> {
    /// Does work that writes; after an error the transaction cannot be committed.
    #[inline]
    fn writing<R>(
        &self,
        work: impl FnOnce(&mut Tables<S>, &TableDefinition) -> std::result::Result<R, EngineError>,
    ) -> Result<R> {
        let done = called(|| work(&mut self.shared.borrow_mut(), &self.table));
        done.map_err(|error| self.refuse(error))
    }

    /// Converts an error for SQLite, after which the transaction cannot be committed.
    fn refuse(&self, error: EngineError) -> Error {
        self.shared.borrow_mut().spoil(&error);
        told(error)
    }

    fn is_taken(&self, rowid: i64) -> Result<bool> {
        self.writing(|tables, table| {
            tables.write()?;
            RowStore::exists(&tables.transaction, table, rowid)
        })
    }

    /// Returns the error for a row number that already exists, as the statement's conflict clause requires.
    fn conflict(&self, rowid: i64, clause: &ConflictMode) -> Error {
        let error = EngineError::new(format!("table `{}` already has a row {rowid}", self.table.name));
        // With these clauses the previous rows stay.
        if !matches!(clause, ConflictMode::Ignore | ConflictMode::Fail) {
            self.shared.borrow_mut().spoil(&error);
        }
        Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CONSTRAINT_ROWID), Some(error.message))
    }
}

/// Returns a row number from a statement; `None` for NULL.
fn rowid(given: ValueRef<'_>) -> Result<Option<i64>> {
    let given = value(given);
    let changed = Affinity::Numeric.change(given).ok().flatten();
    match changed.as_ref().map_or(given, SqlValue::as_ref) {
        SqlValueRef::Null => Ok(None),
        SqlValueRef::Integer(rowid) => Ok(Some(rowid)),
        _ => Err(mismatch()),
    }
}

fn mismatch() -> Error {
    Error::SqliteFailure(
        ffi::Error::new(ffi::SQLITE_MISMATCH),
        Some("a row's number: expected a whole number".to_owned()),
    )
}

fn terms(info: &IndexInfo, table: &TableDefinition) -> Vec<Constraint> {
    let is_numeric = |column: usize| table.columns.get(column).is_some_and(|column| column.affinity.is_numeric());
    let patterns: Vec<i32> = info
        .constraints()
        .filter(|constraint| {
            use IndexConstraintOp as Is;
            matches!(constraint.operator(), Is::SQLITE_INDEX_CONSTRAINT_LIKE | Is::SQLITE_INDEX_CONSTRAINT_GLOB)
        })
        .map(|constraint| constraint.column())
        .collect();
    let term = |(place, constraint): (usize, rusqlite::vtab::IndexConstraint<'_>)| {
        let comparison = match constraint.operator() {
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => ComparisonOperator::Equal,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GT => ComparisonOperator::Greater,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GE => ComparisonOperator::GreaterOrEqual,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LT => ComparisonOperator::Less,
            IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LE => ComparisonOperator::LessOrEqual,
            _ => return None,
        };
        // Text is kept only in the order of its bytes.
        let is_binary = || info.collation(place).is_ok_and(|name| name.eq_ignore_ascii_case("BINARY"));
        // SQLite compares each match of IN with the column again, and by then has lost the affinity of the list.
        let is_list = || info.is_in_constraint(place).unwrap_or(true);
        // SQLite turns a pattern into a range, which leaves out blobs that the pattern matches.
        let ends_early = matches!(comparison, ComparisonOperator::Less | ComparisonOperator::LessOrEqual)
            && patterns.contains(&constraint.column());
        let column = usize::try_from(constraint.column()).ok();
        let usable = constraint.is_usable()
            && column.is_none_or(|column| {
                column < table.columns.len() && is_binary() && !ends_early && (is_numeric(column) || !is_list())
            });
        usable.then_some(Constraint { place, column, comparison })
    };
    info.constraints().enumerate().filter_map(term).collect()
}

#[expect(unsafe_code, reason = "rusqlite asks for a struct that begins as SQLite's own")]
// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab`.
unsafe impl<S: OrderedStore> VTab<'_> for VirtualTable<S> {
    type Aux = ModuleAux<S>;
    type Cursor = TableCursor<S>;

    #[expect(unsafe_code, reason = "rusqlite has no call that says this with its argument")]
    fn connect(
        connection: &mut VTabConnection,
        aux: Option<&ModuleAux<S>>,
        _: &[u8],
        _: &[u8],
        name: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        // SAFETY: the connection is open: it is the one that asks for the table.
        let database = unsafe { connection.handle() };
        // SAFETY: as above; this setting takes one whole number.
        unsafe { ffi::sqlite3_vtab_config(database, ffi::SQLITE_VTAB_CONSTRAINT_SUPPORT, 1) };
        let shared = aux.map(|aux| Rc::clone(&aux.0)).ok_or_else(|| Error::ModuleError("no store".to_owned()))?;
        let table = Rc::clone(shared.borrow().catalog.table(&String::from_utf8_lossy(name)).map_err(told)?);
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("{} {}", column.name, column.declared)).collect();
        let declared = CString::new(format!("CREATE TABLE x({})", columns.join(", ")))?;
        Ok((Cow::Owned(declared), Self { base: ffi::sqlite3_vtab::default(), database, shared, table }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let terms = terms(info, &self.table);
        let order: Vec<(Option<usize>, bool)> =
            info.order_bys().map(|by| (usize::try_from(by.column()).ok(), by.is_order_by_desc())).collect();
        let may_cover = self.shared.borrow().rows.rowsum == Rowsum::Off;
        let request = RowRequest { terms: &terms, order: &order, used: info.col_used(), may_cover };
        let choice = choose(&self.table, request);
        for (place, term) in choice.taken.iter().enumerate() {
            // Ranges of rowids and numbers are exact. Ranges of other columns may contain more rows, which SQLite then filters out.
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

/// Creates and destroys nothing: the session does that, because it has the declared table.
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

    #[expect(unsafe_code, reason = "rusqlite leaves it to its caller which connection is asked")]
    fn insert(&mut self, arguments: &Inserts<'_>) -> Result<i64> {
        let wanted = arguments.iter().nth(1).map_or(Ok(None), rowid)?;
        if let Some(rowid) = wanted
            && self.is_taken(rowid)?
        {
            // SAFETY: the connection is open, because it is inside this call.
            match unsafe { arguments.on_conflict(self.database) } {
                ConflictMode::Replace => self.delete(ValueRef::Integer(rowid))?,
                clause => return Err(self.conflict(rowid, &clause)),
            }
        }
        self.writing(|tables, table| {
            tables.write()?;
            let rowid = match wanted {
                None => tables.next_rowid(table)?,
                Some(rowid) => {
                    tables.forget_rowids(table);
                    rowid
                }
            };
            let (write, rows, _) = tables.write()?;
            rows.insert(write, table, rowid, arguments.iter().skip(2).map(value))?;
            Ok(rowid)
        })
    }

    #[expect(unsafe_code, reason = "rusqlite leaves it to its caller which connection is asked")]
    fn update(&mut self, arguments: &Updates<'_>) -> Result<()> {
        let old: i64 = arguments.get(0)?;
        let new = arguments.iter().nth(1).map_or(Ok(None), rowid)?.ok_or_else(mismatch)?;
        let changed = |column: usize| {
            if arguments.no_change(column + 2) { None } else { arguments.iter().nth(column + 2).map(value) }
        };
        if old != new && self.is_taken(new)? {
            // SAFETY: the connection is open, because it is inside this call.
            return Err(match unsafe { arguments.on_conflict(self.database) } {
                // SQLite computes the new values of all rows before it writes the first, and a replaced row may be among them.
                ConflictMode::Replace => self.refuse(EngineError::new(format!(
                    "UPDATE OR REPLACE of a row's number by {new}, which another row has, is not supported"
                ))),
                clause => self.conflict(new, &clause),
            });
        }
        self.writing(|tables, table| {
            if old != new {
                tables.forget_rowids(table);
                let (write, rows, _) = tables.write()?;
                rows.renumber(write, table, old, new)?;
            }
            let (write, rows, _) = tables.write()?;
            rows.update(write, table, new, |column, _| changed(column)).map(drop)
        })
    }
}

impl<S: OrderedStore> TransactionVTab<'_> for VirtualTable<S> {
    fn begin(&mut self) -> Result<()> {
        called(|| self.shared.borrow_mut().write().map(drop)).map_err(told)
    }

    /// Commits; after this SQLite accepts no error any more.
    fn sync(&mut self) -> Result<()> {
        called(|| self.shared.borrow_mut().commit()).map_err(told)
    }

    fn rollback(&mut self) -> Result<()> {
        called(|| self.shared.borrow_mut().rollback()).map_err(told)
    }
}
