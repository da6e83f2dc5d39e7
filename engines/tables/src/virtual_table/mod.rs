//! The layer `sql`: an in-memory SQLite whose tables are virtual tables on the store.
//!
//! SQLite's own database contains only the names of the virtual tables. The store has the rows, the indexes, the catalog and the
//! transaction. The transaction begins with SQLite's xBegin and commits in xSync, the last call that may fail. SQLite has no CREATE INDEX
//! on a virtual table, so tables and indexes come as data from the suite. After a change the virtual table is recreated, so that SQLite
//! plans prepared statements again.

mod access;
mod cursor;
mod guard;
mod module;

pub(super) use guard::SqlGuard;
pub(super) use module::SharedTables;

use self::module::{ModuleAux, VirtualTable};
use super::tables::Tables;
use crate::sqlite::{SqliteStatement, failed};
use dbdyno_engine::{
    EngineError,
    ordered::OrderedStore,
    prepared::SqlStatement,
    suite::{Begin, IndexSpec, TableSpec},
};
use rusqlite::{Connection, vtab::Module};
use std::rc::Rc;

/// The module's name in `CREATE VIRTUAL TABLE ... USING`.
const MODULE: &str = "ordered_store";

/// Opens a connection whose tables are the store's, and the guard that rejects unsupported SQL.
pub(super) fn connect<S: OrderedStore>(shared: &SharedTables<S>) -> Result<(Connection, SqlGuard), EngineError> {
    let mut connection = Connection::open_in_memory().map_err(failed)?;
    let module: &'static Module<'static, VirtualTable<S>> = &const { Module::update_module_with_tx() };
    connection.create_module(MODULE, module, Some(ModuleAux(Rc::clone(shared)))).map_err(failed)?;
    let names: Vec<String> = shared.borrow().catalog.tables().map(|table| table.name.clone()).collect();
    names.iter().try_for_each(|name| connection.execute_batch(&declare(name)).map_err(failed))?;
    let guard = SqlGuard::default();
    guard.install(&mut connection).map_err(failed)?;
    Ok((connection, guard))
}

fn declare(table: &str) -> String {
    format!("CREATE VIRTUAL TABLE {table} USING {MODULE}")
}

/// A connection, and the tables that it shares with its virtual tables.
pub(super) struct Layer<'l, S: OrderedStore> {
    pub(super) connection: &'l Connection,
    pub(super) guard: &'l SqlGuard,
    pub(super) shared: &'l SharedTables<S>,
}

impl<'l, S: OrderedStore> Layer<'l, S> {
    /// Prepares a statement; with `text` it is parsed again for each execution.
    pub(super) fn prepare(
        &self,
        sql: &'l str,
        text: bool,
    ) -> Result<SqlStatement<'l, SqliteStatement<'l>>, EngineError> {
        let parsed = self.connection.prepare(sql).map_err(EngineError::doing(sql));
        let checked = parsed.and_then(|statement| guard::check(&statement, sql));
        self.whole(checked.map_err(|error| self.guard.explain(sql, error)))?;
        SqlStatement::new(self.connection, sql, text)
    }

    /// Runs statements that neither change nor read rows.
    pub(super) fn run(&self, sql: &str) -> Result<(), EngineError> {
        let done = self.connection.execute_batch(sql).map_err(EngineError::doing(sql));
        self.whole(done.map_err(|error| self.guard.explain(sql, error)))
    }

    pub(super) fn create_table(&self, spec: &TableSpec) -> Result<(), EngineError> {
        self.define(|tables| tables.create_table(spec), &declare(&spec.name))
    }

    pub(super) fn create_index(&self, spec: &IndexSpec) -> Result<(), EngineError> {
        let again = format!("DROP TABLE {}; {}", spec.table, declare(&spec.table));
        self.define(|tables| tables.create_index(spec), &again)
    }

    pub(super) fn drop_table(&self, name: &str) -> Result<(), EngineError> {
        self.define(|tables| tables.drop_table(name), &format!("DROP TABLE {name}"))
    }

    /// Changes the store's catalog, then SQLite's view of it.
    fn define(
        &self,
        change: impl FnOnce(&mut Tables<S>) -> Result<(), EngineError>,
        sql: &str,
    ) -> Result<(), EngineError> {
        let changed = change(&mut self.shared.borrow_mut());
        let known = || self.guard.define(|| self.connection.execute_batch(sql)).map_err(EngineError::doing(sql));
        self.whole(changed.and_then(|()| known()))?;
        // SQLite commits if it called a virtual table; this commits the rest.
        self.shared.borrow_mut().end_statement()
    }

    pub(super) fn begin(&self, kind: Begin) -> Result<(), EngineError> {
        self.connection.execute_batch("BEGIN").map_err(failed)?;
        let begun = self.shared.borrow_mut().begin(matches!(kind, Begin::Immediate | Begin::Exclusive));
        self.whole(begun)
    }

    pub(super) fn commit(&self) -> Result<(), EngineError> {
        let committed = self.connection.execute_batch("COMMIT").map_err(failed);
        self.whole(committed)?;
        // SQLite calls only tables that were written; this ends a transaction that only read or defined tables.
        self.shared.borrow_mut().commit()
    }

    pub(super) fn rollback(&self) -> Result<(), EngineError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK").map_err(failed)?;
        }
        self.shared.borrow_mut().rollback()
    }

    /// Rolls back the whole transaction after an error, because virtual tables cannot undo a part of it.
    pub(super) fn whole<R>(&self, done: Result<R, EngineError>) -> Result<R, EngineError> {
        done.or_else(|error| {
            self.rollback()?;
            Err(error)
        })
    }
}
