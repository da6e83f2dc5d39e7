//! Runs the steps of a test on an engine's session.

use super::{
    kept::KeptRows,
    objects::ObjectAnswer,
    program::{BoundStatement, Deed, TestProgram},
    script::{Block, Scheduled, Script, SqlAction},
};
use crate::rng::SplitMix64;
use dbdyno_engine::{
    EngineError,
    sql::{SqlRow, SqlSession, SqlValue},
    suite::{SqlSuite, Step},
};

/// A receiver of the results of steps.
pub trait Sink<'e> {
    /// An action begins.
    fn action(&mut self) {}

    /// An operation has ended, including a begin before it and a commit after it.
    fn operation(&mut self);

    fn row<R: SqlRow>(&mut self, row: &R);

    /// The number of rows that a statement returned or changed; called after those rows.
    fn rows(&mut self, rows: u64);

    /// The objects that an application built from an answer; called after the operation.
    ///
    /// # Errors
    /// The objects differ from the expected ones.
    fn answer(&mut self, answer: ObjectAnswer<'e>) -> Result<(), EngineError>;

    /// Returns what times the actions of a program with names.
    fn times(&mut self) -> Option<&mut dyn ActionTimes> {
        None
    }

    /// Whether it has [`Self::refused`] attempts done again.
    fn persists(&self) -> bool {
        false
    }

    /// An attempt begins: a transaction, or an action outside of one.
    fn attempt(&mut self) {}

    /// Another connection blocked the attempt: nothing of it counts, and it is done again.
    ///
    /// # Errors
    /// It is not done again.
    fn refused(&mut self, error: EngineError) -> Result<(), EngineError> {
        Err(error)
    }

    /// The attempt has succeeded.
    fn succeeded(&mut self) {}

    /// Runs `work`, which is part of no operation.
    fn stand_still(&mut self, work: impl FnOnce()) {
        work();
    }
}

/// Times every action, and adds it to the results of its name. Called before [`Sink::operation`].
pub trait ActionTimes {
    /// A statement, or a step that is the same each time, of this name has ended.
    fn acted(&mut self, name: Option<usize>);

    /// A transaction has begun.
    fn begun(&mut self);

    /// A transaction of this name was committed.
    fn committed(&mut self, name: Option<usize>);
}

/// Runs steps in order on a session. Draws every random number from `rng`. Returns the number of operations.
pub fn perform<'s, 'e: 's, S: SqlSession<'s>, K: Sink<'e>>(
    session: &mut S,
    suite: &'e SqlSuite,
    steps: &'e [Step],
    rng: &mut SplitMix64,
    sink: &mut K,
) -> Result<u64, EngineError> {
    perform_as(None, session, suite, steps, rng, sink)
}

/// Does the same in one of several threads, which has this number.
pub(super) fn perform_as<'s, 'e: 's, S: SqlSession<'s>, K: Sink<'e>>(
    thread: Option<u32>,
    session: &mut S,
    suite: &'e SqlSuite,
    steps: &'e [Step],
    rng: &mut SplitMix64,
    sink: &mut K,
) -> Result<u64, EngineError> {
    let program = TestProgram::compile(suite, steps)?;
    let mut script = Script::new(&program, thread, rng);
    let ready = (0..program.statements()).map(|_| None).collect();
    let names = program.names.as_slice();
    let mut executor = Executor { session, ready, sink, names, answers: Vec::new(), kept: KeptRows::default() };
    let mut block = Block::default();
    let persists = executor.sink.persists();
    let mut operations = 0;
    loop {
        executor.sink.stand_still(|| script.fill(&mut block, persists));
        let Block { actions, values, .. } = &mut block;
        operations += match (actions.as_slice(), persists) {
            ([], _) => return Ok(operations),
            (actions, false) => executor.all(actions, values)?,
            (actions, true) => executor.persist(actions, values)?,
        };
    }
}

struct Executor<'x, 's, 'e, S: SqlSession<'s>, K> {
    session: &'x mut S,
    /// Statements, prepared by their first execution.
    ready: Vec<Option<S::Statement>>,
    sink: &'x mut K,
    /// The names of the program's steps.
    names: &'x [&'e str],
    /// Answers of the current operation, which may end with a commit.
    answers: Vec<ObjectAnswer<'e>>,
    kept: KeptRows<'e>,
}

impl<'s, 'e: 's, S: SqlSession<'s>, K: Sink<'e>> Executor<'_, 's, 'e, S, K> {
    /// Does actions in order. Returns the number of operations.
    #[inline]
    fn all(&mut self, actions: &[Scheduled<'e>], values: &mut [SqlValue]) -> Result<u64, EngineError> {
        let mut operations = 0;
        for scheduled in actions {
            operations += u64::from(scheduled.ends_operation);
            self.one(scheduled, values)?;
        }
        Ok(operations)
    }

    #[inline]
    fn one(&mut self, scheduled: &Scheduled<'e>, values: &mut [SqlValue]) -> Result<(), EngineError> {
        self.sink.action();
        self.act(&scheduled.action, values).map_err(|error| self.named(error, &scheduled.action))?;
        if !self.names.is_empty() {
            self.tell_of(&scheduled.action);
        }
        if scheduled.ends_operation {
            self.sink.operation();
            self.tell_answers()?;
        }
        Ok(())
    }

    /// Does the same, and does again what another connection blocks: a transaction, or an action outside of one.
    fn persist(&mut self, actions: &[Scheduled<'e>], values: &mut [SqlValue]) -> Result<u64, EngineError> {
        let mut operations = 0;
        let mut left = actions;
        while let Some(first) = left.first() {
            let commits = |scheduled: &Scheduled<'e>| matches!(scheduled.action, SqlAction::Commit(_));
            let last = if first.begins() { left.iter().position(commits).unwrap_or(left.len() - 1) } else { 0 };
            let (attempt, rest) = left.split_at(last + 1);
            operations += self.until_done(attempt, values)?;
            left = rest;
        }
        Ok(operations)
    }

    fn until_done(&mut self, attempt: &[Scheduled<'e>], values: &mut [SqlValue]) -> Result<u64, EngineError> {
        let kept = self.kept.clone();
        loop {
            self.sink.attempt();
            let (first, rest) = attempt.split_at(1);
            let begun = self.all(first, values);
            let is_begun = begun.is_ok() && !rest.is_empty();
            let done = begun.and_then(|operations| Ok(operations + self.all(rest, values)?));
            let error = match done {
                Ok(operations) => {
                    self.sink.succeeded();
                    return Ok(operations);
                }
                Err(error) if error.is_busy => error,
                Err(error) => return Err(error),
            };
            self.answers.clear();
            self.kept.clone_from(&kept);
            if is_begun {
                // Some engines end a transaction whose commit they refuse. If it is still open, the next begin fails and says so.
                let _ = self.session.rollback();
            }
            self.sink.refused(error)?;
        }
    }

    #[inline]
    fn act(&mut self, action: &SqlAction<'e>, values: &mut [SqlValue]) -> Result<(), EngineError> {
        match action {
            SqlAction::Statement(statement, places) => self.execute(statement, &mut values[places.clone()]),
            SqlAction::Fetch(statement, places, variables) => {
                let mut answer = ObjectAnswer::new(&statement.spec.objects, variables.clone(), statement.name);
                let values = self.bound(statement, &mut values[places.clone()]);
                let ready = make_ready(self.session, &mut self.ready, statement)?;
                self.session.query(ready, values, |row| answer.add(row))?;
                self.answers.push(answer);
                Ok(())
            }
            SqlAction::Begin(kind) => self.session.begin(*kind),
            SqlAction::Commit(_) => self.session.commit(),
            SqlAction::Do(deed, _) => self.once(*deed),
        }
    }

    /// Returns the values of a statement, including values of kept rows.
    #[inline]
    fn bound<'v>(&self, statement: &BoundStatement<'e>, values: &'v mut [SqlValue]) -> &'v [SqlValue] {
        if statement.takes_kept {
            self.kept.bind(&statement.spec.bind, values);
        }
        values
    }

    /// Adds the name of the action to its error.
    #[cold]
    fn named(&self, error: EngineError, action: &SqlAction<'e>) -> EngineError {
        match action.name().and_then(|name| self.names.get(name)) {
            Some(name) => EngineError { message: format!("`{name}`: {}", error.message), ..error },
            None => error,
        }
    }

    /// Tells the sink which action has ended.
    fn tell_of(&mut self, action: &SqlAction<'e>) {
        let Some(times) = self.sink.times() else { return };
        match action {
            SqlAction::Begin(_) => times.begun(),
            SqlAction::Commit(name) => times.committed(*name),
            _ => times.acted(action.name()),
        }
    }

    #[inline]
    fn execute(&mut self, statement: &BoundStatement<'e>, values: &mut [SqlValue]) -> Result<(), EngineError> {
        let values = self.bound(statement, values);
        let mut rows = 0;
        if let (true, Some(keep)) = (statement.reads, &statement.spec.keep) {
            let Self { session, ready, sink, kept, .. } = self;
            let ready = make_ready(*session, ready, statement)?;
            let row_of_keep = kept.emptied(keep);
            session.query(ready, values, |row| {
                sink.row(row);
                if rows == 0 {
                    row_of_keep.extend((0..row.columns()).map(|column| row.value(column).to_value()));
                }
                rows += 1;
            })?;
        } else if statement.reads {
            let Self { session, ready, sink, .. } = self;
            let ready = make_ready(*session, ready, statement)?;
            session.query(ready, values, |row| {
                sink.row(row);
                rows += 1;
            })?;
        } else {
            let ready = make_ready(self.session, &mut self.ready, statement)?;
            rows = self.session.execute(ready, values)?;
        }
        self.sink.rows(rows);
        Ok(())
    }

    #[inline]
    fn tell_answers(&mut self) -> Result<(), EngineError> {
        self.answers.drain(..).try_for_each(|answer| self.sink.answer(answer))
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

/// Returns a statement, prepared by its first execution.
#[inline]
fn make_ready<'r, 's, 'e: 's, S: SqlSession<'s>>(
    session: &mut S,
    ready: &'r mut [Option<S::Statement>],
    statement: &BoundStatement<'e>,
) -> Result<&'r mut S::Statement, EngineError> {
    Ok(match &mut ready[statement.slot] {
        Some(ready) => ready,
        slot => slot.insert(session.prepare(statement.spec)?),
    })
}
