//! SQL suites on the engine that does nothing: each read returns one row, each write changes one row.

use super::{Fault, NullEngine, NullSession};
use dbdyno_engine::{
    EngineError,
    engine::Open,
    sql::{SqlEngine, SqlRow, SqlSession, SqlThreads, SqlValue, SqlValueRef, TableSchema},
    suite::{Begin, CopySpec, DirectPlan, IndexSpec, StatementSpec, TableSpec},
};
use std::sync::atomic::AtomicU64;

impl SqlEngine for NullEngine {
    type Session<'e> = NullSession<'e>;

    fn open(open: Open<'_>, _: &[TableSpec], _: &[IndexSpec]) -> Result<Self, EngineError> {
        Self::new(open)
    }

    fn reopens(&self) -> bool {
        false
    }

    fn session<'e>(&'e mut self) -> Result<NullSession<'e>, EngineError> {
        self.count_session()?;
        Ok(NullSession::new(self))
    }
}

impl SqlThreads for NullEngine {
    /// Creates an engine without the fault, because the fault happens in a test of the run and not in a thread.
    fn another(&self) -> Result<Self, EngineError> {
        Ok(Self {
            answers: self.answers,
            map: None,
            script: self.script.clone(),
            busy_threads: self.busy_threads,
            busy: self.busy,
            rows: AtomicU64::default(),
            fault: Fault::None,
            sessions_left: 0,
        })
    }
}

impl<'e> SqlSession<'e> for NullSession<'e> {
    type Statement = ();
    type Row<'r> = NullRow;

    fn create_table(&mut self, _: &'e TableSpec) -> Result<(), EngineError> {
        self.engine.work();
        Ok(())
    }

    fn create_index(&mut self, _: &'e IndexSpec) -> Result<(), EngineError> {
        self.engine.work();
        Ok(())
    }

    fn drop_table(&mut self, _: &'e TableSpec) -> Result<(), EngineError> {
        self.engine.work();
        Ok(())
    }

    /// The engine has no tables, and its answers are not compared.
    fn schema(&mut self, _: &TableSpec) -> Result<Option<TableSchema>, EngineError> {
        Ok(None)
    }

    fn copy_database(&mut self, _: &'e CopySpec) -> Result<u64, EngineError> {
        self.engine.work();
        Ok(0)
    }

    fn begin(&mut self, _: Begin) -> Result<(), EngineError> {
        Ok(())
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn rollback(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn run(&mut self, _: &'e str, _: Option<&'e DirectPlan>) -> Result<(), EngineError> {
        self.engine.work();
        Ok(())
    }

    fn prepare(&mut self, _: &'e StatementSpec) -> Result<(), EngineError> {
        Ok(())
    }

    #[inline]
    fn execute(&mut self, (): &mut (), _: &[SqlValue]) -> Result<u64, EngineError> {
        self.engine.work();
        Ok(1)
    }

    #[inline]
    fn query(&mut self, (): &mut (), _: &[SqlValue], mut visit: impl FnMut(&NullRow)) -> Result<(), EngineError> {
        self.engine.work();
        visit(&NullRow);
        Ok(())
    }
}

/// A row with a single number.
#[derive(Debug)]
pub struct NullRow;

impl SqlRow for NullRow {
    fn columns(&self) -> usize {
        1
    }

    fn value(&self, _: usize) -> SqlValueRef<'_> {
        SqlValueRef::Integer(0)
    }
}
