//! Random SQL scripts on plain SQLite and on the layer: results, counts and failures must be equal.
//!
//! `DBDYNO_SCRIPTS` sets the number of scripts for each store.

use super::{
    TestStore, execute, query, statement,
    steps::{ScriptStep, script},
};
use dbdyno_engine::{
    EngineError,
    ordered::OrderedStore,
    prepared::SqlStatement,
    sql::{SqlEngine, SqlSession, SqlValue},
    suite::Begin,
};
use dbdyno_tables::{LayeredSession, sqlite::SqliteStatement};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use rusqlite::Connection;

/// The only errors that the layer may report where SQLite succeeds.
const REFUSED: [&str; 3] =
    ["savepoints are not supported on a key-value engine", "gives rows as well", "UPDATE OR REPLACE of a row's number"];

/// Plain SQLite next to the layer.
struct SideBySide<'p, S: OrderedStore> {
    plain: Connection,
    session: LayeredSession<'p, S>,
    store: &'p TestStore,
    made: Vec<bool>,
    open: bool,
}

impl<S: OrderedStore> SideBySide<'_, S> {
    fn plainly(&self, sql: &str) {
        self.plain.execute_batch(sql).unwrap();
    }

    /// Runs a step on both sides. After a failure both transactions are over: the layer keeps no part of a failed one.
    fn step(&mut self, step: &ScriptStep) -> Result<(), TestCaseError> {
        match step {
            ScriptStep::Begin if !self.open => {
                self.plainly("BEGIN");
                self.session.begin(Begin::Engine).unwrap();
                self.open = true;
            }
            ScriptStep::Commit if self.open => {
                self.plainly("COMMIT");
                self.session.commit().unwrap();
                self.open = false;
            }
            ScriptStep::Rollback if self.open => {
                self.plainly("ROLLBACK");
                self.session.rollback().unwrap();
                self.open = false;
            }
            // Tables and indexes are defined outside of transactions here, so that `made` need not be rolled back.
            ScriptStep::CreateIndex(place) if !self.open && !self.made[*place] => {
                self.plainly(&self.store.indexes[*place].create_sql());
                self.session.create_index(&self.store.indexes[*place]).unwrap();
                self.made[*place] = true;
            }
            ScriptStep::Recreate if !self.open => {
                let table = &self.store.tables[0];
                self.plainly("DROP TABLE t");
                self.plainly(&table.create_sql());
                self.session.drop_table(table).unwrap();
                self.session.create_table(table).unwrap();
                for (made, index) in self.made.iter_mut().zip(&self.store.indexes) {
                    *made &= index.table != table.name;
                }
            }
            ScriptStep::Begin
            | ScriptStep::Commit
            | ScriptStep::Rollback
            | ScriptStep::CreateIndex(_)
            | ScriptStep::Recreate => {}
            ScriptStep::Write(sql, values) => {
                let found = execute(&mut self.session, sql, values);
                if !self.refused(&found) {
                    let expected = SqlStatement::<SqliteStatement<'_>>::new(&self.plain, sql, false)
                        .and_then(|mut ready| ready.execute(values));
                    self.same(sql, values, expected, found)?;
                }
            }
            ScriptStep::Refused(sql, values) => {
                let done = match values {
                    Some(values) => query(&mut self.session, sql, values).map(drop),
                    None => self.session.run(Box::leak(Box::new(statement(sql))).sql.as_str(), None),
                };
                prop_assert!(self.refused(&done), "{} {:?}: {:?}", sql, values, done);
            }
            ScriptStep::Read { sql, values, ordered } => {
                let mut rows = Vec::new();
                let expected = SqlStatement::<SqliteStatement<'_>>::new(&self.plain, sql, false)
                    .and_then(|mut ready| ready.query(values, |row| rows.push(super::row(row))))
                    .map(|()| comparable(rows, *ordered));
                let found = query(&mut self.session, sql, values).map(|rows| comparable(rows, *ordered));
                self.same(sql, values, expected, found)?;
            }
        }
        Ok(())
    }

    /// Returns whether the layer rejected a statement that SQLite would run.
    fn refused<T>(&mut self, done: &Result<T, EngineError>) -> bool {
        let refused = done.as_ref().is_err_and(|error| REFUSED.iter().any(|words| error.message.contains(words)));
        if refused {
            self.over();
        }
        refused
    }

    fn over(&mut self) {
        if std::mem::take(&mut self.open) && !self.plain.is_autocommit() {
            self.plainly("ROLLBACK");
        }
    }

    fn same<T: PartialEq + std::fmt::Debug>(
        &mut self,
        sql: &str,
        values: &[SqlValue],
        expected: Result<T, EngineError>,
        found: Result<T, EngineError>,
    ) -> Result<(), TestCaseError> {
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                prop_assert_eq!(found, expected, "{} {:?}", sql, values);
            }
            (Err(_), Err(_)) => self.over(),
            (expected, found) => prop_assert!(false, "{sql} {values:?}: {found:?}, SQLite says {expected:?}"),
        }
        Ok(())
    }
}

/// Returns rows as text, so that values compare by type and by every bit; sorted if no order was requested.
fn comparable(rows: Vec<Vec<SqlValue>>, ordered: bool) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    if !ordered {
        rows.sort();
    }
    rows
}

/// Returns a runner for as many random cases as `DBDYNO_SCRIPTS` sets, the same in each run.
pub(crate) fn runner(fewest: u32) -> TestRunner {
    let cases = std::env::var("DBDYNO_SCRIPTS").map_or(fewest, |count| count.parse().unwrap());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]))
}

/// Runs random scripts, each on a fresh store. `new` creates a store with this value of the option `rowsum`.
pub(crate) fn agree<S: OrderedStore>(fewest: u32, new: impl Fn(&str) -> TestStore) {
    runner(fewest)
        .run(&(script(), prop::sample::select(vec!["off", "xxh3"])), |(script, rowsum)| {
            let store = new(rowsum);
            let mut engine = store.open::<S>();
            let mut session = engine.session().unwrap();
            let plain = Connection::open_in_memory().unwrap();
            for table in &store.tables {
                session.create_table(table).unwrap();
                plain.execute_batch(&table.create_sql()).unwrap();
            }
            let made = vec![false; store.indexes.len()];
            let mut pair = SideBySide { plain, session, store: &store, made, open: false };
            script.iter().try_for_each(|step| pair.step(step))
        })
        .unwrap();
}
