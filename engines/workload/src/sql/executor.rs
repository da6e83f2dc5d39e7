//! Does the steps of a test on an engine's session.

use super::{
    program::{Deed, Program, Statement},
    script::{Action, Block, Script},
};
use crate::rng::SplitMix64;
use dbdyno_engine::{
    EngineError,
    sql::{SqlRow, SqlSession, SqlValue},
    suite::{SqlSuite, Step},
};

/// What is told of the steps as they are done.
pub trait Sink {
    /// An operation has ended; a begin before it and a commit behind it included.
    fn operation(&mut self);

    fn row<R: SqlRow>(&mut self, row: &R);

    /// How many rows a statement gave or changed; told after those rows.
    fn rows(&mut self, rows: u64);

    /// Something is done that is no part of any operation.
    fn stand_still(&mut self, work: impl FnOnce()) {
        work();
    }
}

/// Does steps in order on a session. Every random number is drawn from `rng`.
pub fn perform<'e, S: SqlSession<'e>, K: Sink>(
    session: &mut S,
    suite: &'e SqlSuite,
    steps: &'e [Step],
    rng: &mut SplitMix64,
    sink: &mut K,
) -> Result<(), EngineError> {
    let program = Program::compile(suite, steps)?;
    let mut script = Script::new(&program, rng);
    let ready = (0..program.statements).map(|_| None).collect();
    let mut executor = Executor { session, ready, sink };
    let mut block = Block::default();
    loop {
        executor.sink.stand_still(|| script.fill(&mut block));
        if block.actions.is_empty() {
            return Ok(());
        }
        for scheduled in &block.actions {
            executor.act(&scheduled.action, &block.values)?;
            if scheduled.ends_operation {
                executor.sink.operation();
            }
        }
    }
}

struct Executor<'x, 'e, S: SqlSession<'e>, K> {
    session: &'x mut S,
    /// Statements as they were made ready by their first execution.
    ready: Vec<Option<S::Statement>>,
    sink: &'x mut K,
}

impl<'e, S: SqlSession<'e>, K: Sink> Executor<'_, 'e, S, K> {
    #[inline]
    fn act(&mut self, action: &Action<'e>, values: &[SqlValue]) -> Result<(), EngineError> {
        match action {
            Action::Statement(statement, places) => self.execute(statement, &values[places.clone()]),
            Action::Begin(kind) => self.session.begin(*kind),
            Action::Commit => self.session.commit(),
            Action::Do(deed) => self.once(*deed),
        }
    }

    #[inline]
    fn execute(&mut self, statement: &Statement<'e>, values: &[SqlValue]) -> Result<(), EngineError> {
        let Self { session, ready, sink } = self;
        let ready = match &mut ready[statement.slot] {
            Some(ready) => ready,
            slot => slot.insert(session.prepare(statement.spec)?),
        };
        let mut rows = 0;
        if statement.reads {
            session.query(ready, values, |row| {
                sink.row(row);
                rows += 1;
            })?;
        } else {
            rows = session.execute(ready, values)?;
        }
        sink.rows(rows);
        Ok(())
    }

    fn once(&mut self, deed: Deed<'e>) -> Result<(), EngineError> {
        match deed {
            Deed::Run(sql, direct) => self.session.run(sql, direct),
            Deed::CreateTable(table) => self.session.create_table(table),
            Deed::CreateIndex(index) => self.session.create_index(index),
            Deed::DropTable(table) => self.session.drop_table(table),
            Deed::CopyDatabase(copy) => {
                let rows = self.session.copy_database(copy)?;
                self.sink.rows(rows);
                Ok(())
            }
        }
    }
}
