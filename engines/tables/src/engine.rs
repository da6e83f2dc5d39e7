//! An engine for SQL suites on top of an ordered store.

use super::{
    definition::trees,
    direct::{self, ResolvedPlan},
    rowsum::Rowsum,
    tables::Tables,
    virtual_table::{Layer, SharedTables, SqlGuard, connect},
    work,
};
use crate::{
    counted,
    sqlite::{SqliteRow, SqliteStatement, counters_of_layer},
};
use dbdyno_engine::{
    EngineError,
    clock::SystemClock,
    counters::EngineCounters,
    describe::{ImplementationRule, Library, OptionSpec},
    engine::{EngineInstance, Open},
    ordered::OrderedStore,
    prepared::{SqlStatement, query_plan},
    sql::{SqlEngine, SqlRow, SqlSession, SqlValue, SqlValueRef, TableSchema, is_text, reopen},
    suite::{Begin, DirectPlan, IndexSpec, StatementSpec, SuiteKind, TableSpec},
};
use rusqlite::Connection;
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

/// Returns the code that executes SQL suites on every engine with this layer: all these engines share its mistakes.
pub fn implementations() -> Vec<ImplementationRule> {
    vec![
        ImplementationRule::new(SuiteKind::Sql, &[("layer", &["direct"])], "direct plans on an ordered store"),
        ImplementationRule::new(SuiteKind::Sql, &[], "SQLite's virtual table on an ordered store"),
    ]
}

/// Returns the options of every engine that SQL suites reach through this layer. They set how a suite reaches the engine, not how the
/// engine is tuned, so no search varies them.
pub fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "layer",
            &["sql", "direct"],
            "sql",
            "how SQL suites reach the engine: SQLite with a virtual table (sql), or direct plans without SQLite (direct)",
        )
        .only_for(SuiteKind::Sql)
        .tune(&[]),
        OptionSpec::choice(
            "rowsum",
            &Rowsum::ALL.map(|(word, _)| word),
            "off",
            "checksum of each row of a SQL suite, verified whenever the row is read",
        )
        .fresh()
        .only_for(SuiteKind::Sql)
        .tune(&[]),
        OptionSpec::choice(
            "statements",
            &["prepared", "text"],
            "prepared",
            "with layer=sql: prepared once a test, or parsed again for each operation as a command-line script does",
        )
        .same(&[], &[("layer", &["direct"])], "no SQL is parsed with layer=direct")
        .only_for(SuiteKind::Sql)
        .tune(&[]),
        reopen(),
    ]
}

/// Returns the meaning of each counter that SQL suites have through this layer, by name. The counters of the store are not among them.
pub fn counters() -> BTreeMap<String, String> {
    let mut counters = work::described();
    counters.extend(counted::described_for_layer());
    counters
}

/// An open store with its tables.
pub struct Layered<S: OrderedStore> {
    shared: SharedTables<S>,
    /// SQLite, with `layer=sql`.
    connection: Option<(Connection, SqlGuard)>,
    declared: Vec<TableSpec>,
    text: bool,
    reopens: bool,
}

impl<S: OrderedStore> EngineInstance for Layered<S> {
    const MAIN_FILE: &'static str = S::MAIN_FILE;
    type Clock = SystemClock;

    fn clock(&self) -> SystemClock {
        SystemClock::get()
    }

    fn in_force(&self) -> Result<BTreeMap<String, String>, EngineError> {
        self.shared.borrow().store.in_force()
    }

    fn library(&self) -> Option<Library> {
        self.shared.borrow().store.library()
    }

    fn check(&mut self) -> Result<(), EngineError> {
        self.shared.borrow_mut().store.check()
    }

    fn close(self) -> Result<(), EngineError> {
        // The connection's virtual tables also own the store.
        drop(self.connection);
        match Rc::try_unwrap(self.shared) {
            Ok(tables) => tables.into_inner().close(),
            Err(_) => Err(EngineError::new("the store cannot be closed: a virtual table still holds it")),
        }
    }
}

impl<S: OrderedStore> SqlEngine for Layered<S> {
    type Session<'e> = LayeredSession<'e, S>;

    fn open(open: Open<'_>, tables: &[TableSpec], indexes: &[IndexSpec]) -> Result<Self, EngineError> {
        let settings = open.settings;
        let word = settings.text("rowsum")?;
        let rowsum = Rowsum::from_word(word).ok_or_else(|| EngineError::new(format!("there is no rowsum `{word}`")))?;
        let trees = trees(tables, indexes)?;
        let shared = Rc::new(RefCell::new(Tables::open(S::open(open, trees)?, rowsum, trees)?));
        let connection = match settings.text("layer")? {
            "direct" => None,
            _ => Some(connect(&shared)?),
        };
        Ok(Self {
            shared,
            connection,
            declared: tables.to_vec(),
            text: is_text(settings)?,
            reopens: settings.flag("reopen")?,
        })
    }

    fn reopens(&self) -> bool {
        self.reopens
    }

    fn session<'e>(&'e mut self) -> Result<LayeredSession<'e, S>, EngineError> {
        let layer = match &self.connection {
            Some((connection, guard)) => Way::Sql(Layer { connection, guard, shared: &self.shared }),
            None => Way::Direct(&self.shared, &self.declared),
        };
        Ok(LayeredSession { way: layer, text: self.text })
    }
}

pub struct LayeredSession<'e, S: OrderedStore> {
    way: Way<'e, S>,
    text: bool,
}

enum Way<'e, S: OrderedStore> {
    Sql(Layer<'e, S>),
    Direct(&'e SharedTables<S>, &'e [TableSpec]),
}

impl<S: OrderedStore> Drop for LayeredSession<'_, S> {
    fn drop(&mut self) {
        if self.shared().borrow().is_explicit() {
            // The original error is the one to report.
            let _ = self.undo();
        }
    }
}

/// A statement that is prepared for one of the layers.
pub enum LayeredStatement<'e> {
    Sql(SqlStatement<'e, SqliteStatement<'e>>),
    Direct(Direct<'e>),
}

/// A prepared plan.
pub struct Direct<'e>(ResolvedPlan<'e>);

impl<'e, S: OrderedStore> LayeredSession<'e, S> {
    fn shared(&self) -> &SharedTables<S> {
        match &self.way {
            Way::Sql(layer) => layer.shared,
            Way::Direct(shared, _) => shared,
        }
    }

    fn undo(&self) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.rollback(),
            Way::Direct(shared, _) => shared.borrow_mut().rollback(),
        }
    }

    /// Does work without SQL; after an error the transaction is rolled back.
    #[inline]
    fn directly<R>(
        shared: &SharedTables<S>,
        work: impl FnOnce(&mut Tables<S>) -> Result<R, EngineError>,
    ) -> Result<R, EngineError> {
        let tables = &mut *shared.borrow_mut();
        match work(tables) {
            Ok(done) => tables.end_statement().map(|()| done),
            Err(error) => {
                tables.rollback()?;
                Err(error)
            }
        }
    }
}

impl<'e, S: OrderedStore> SqlSession<'e> for LayeredSession<'e, S> {
    type Statement = LayeredStatement<'e>;
    type Row<'r> = LayeredRow<'r>;

    fn counters(&mut self) -> EngineCounters {
        let tables = self.shared().borrow();
        let mut counters = tables.store.counters();
        counters.add(&tables.work.counters());
        if let Way::Sql(layer) = &self.way {
            counters.add(&counters_of_layer(layer.connection));
        }
        counters
    }

    fn plan(&mut self, statement: &StatementSpec, values: &[SqlValue]) -> Result<Vec<String>, EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.whole(query_plan::<SqliteStatement<'_>>(layer.connection, &statement.sql)),
            Way::Direct(shared, _) => {
                Self::directly(shared, |tables| ResolvedPlan::new(statement)?.steps(tables, values))
            }
        }
    }

    fn create_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.create_table(table),
            Way::Direct(shared, _) => Self::directly(shared, |tables| tables.create_table(table)),
        }
    }

    fn create_index(&mut self, index: &'e IndexSpec) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.create_index(index),
            Way::Direct(shared, _) => Self::directly(shared, |tables| tables.create_index(index)),
        }
    }

    fn drop_table(&mut self, table: &'e TableSpec) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.drop_table(&table.name),
            Way::Direct(shared, _) => Self::directly(shared, |tables| tables.drop_table(&table.name)),
        }
    }

    fn schema(&mut self, table: &TableSpec) -> Result<Option<TableSchema>, EngineError> {
        self.shared().borrow().schema(&table.name)
    }

    fn begin(&mut self, kind: Begin) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.begin(kind),
            Way::Direct(shared, _) => shared.borrow_mut().begin(matches!(kind, Begin::Immediate | Begin::Exclusive)),
        }
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.commit(),
            Way::Direct(shared, _) => shared.borrow_mut().commit(),
        }
    }

    fn rollback(&mut self) -> Result<(), EngineError> {
        self.undo()
    }

    fn run(&mut self, sql: &'e str, plan: Option<&'e DirectPlan>) -> Result<(), EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.run(sql),
            Way::Direct(shared, declared) => Self::directly(shared, |tables| direct::run(tables, sql, plan, declared)),
        }
    }

    fn prepare(&mut self, statement: &'e StatementSpec) -> Result<LayeredStatement<'e>, EngineError> {
        match &self.way {
            Way::Sql(layer) => layer.prepare(&statement.sql, self.text).map(LayeredStatement::Sql),
            Way::Direct(..) => ResolvedPlan::new(statement).map(|plan| LayeredStatement::Direct(Direct(plan))),
        }
    }

    #[inline]
    fn execute(&mut self, statement: &mut LayeredStatement<'e>, values: &[SqlValue]) -> Result<u64, EngineError> {
        match (&self.way, statement) {
            (Way::Sql(layer), LayeredStatement::Sql(statement)) => layer.whole(statement.execute(values)),
            (Way::Direct(shared, _), LayeredStatement::Direct(plan)) => {
                Self::directly(shared, |tables| plan.0.execute(tables, values))
            }
            _ => Err(other_layer()),
        }
    }

    #[inline]
    fn query(
        &mut self,
        statement: &mut LayeredStatement<'e>,
        values: &[SqlValue],
        mut visit: impl FnMut(&LayeredRow<'_>),
    ) -> Result<(), EngineError> {
        match (&self.way, statement) {
            (Way::Sql(layer), LayeredStatement::Sql(statement)) => {
                layer.whole(statement.query(values, |row| visit(&LayeredRow(Either::Sql(row)))))
            }
            (Way::Direct(shared, _), LayeredStatement::Direct(plan)) => Self::directly(shared, |tables| {
                plan.0.query(tables, values, |row| visit(&LayeredRow(Either::Direct(row))))
            }),
            _ => Err(other_layer()),
        }
    }
}

fn other_layer() -> EngineError {
    EngineError::new("the statement was prepared for another layer")
}

/// A row of a result of either layer.
pub struct LayeredRow<'r>(Either<'r>);

enum Either<'r> {
    Sql(&'r SqliteRow<'r>),
    Direct(&'r direct::DirectRow<'r>),
}

impl SqlRow for LayeredRow<'_> {
    #[inline]
    fn columns(&self) -> usize {
        match &self.0 {
            Either::Sql(row) => row.columns(),
            Either::Direct(row) => row.columns(),
        }
    }

    #[inline]
    fn value(&self, column: usize) -> SqlValueRef<'_> {
        match &self.0 {
            Either::Sql(row) => row.value(column),
            Either::Direct(row) => row.value(column),
        }
    }
}
