//! A lane: the transactions of connections that follow one another.

use super::{RecordedLoad, RepeatedStatement};
use crate::{
    actors::ThreadCounts,
    sql::{
        Sink,
        actors::{SqlThreadDone, Threaded, opened},
    },
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    counters::EngineCounters,
    replay::{LaneEntry, LaneReader, ReplayedCall, ReplayedTransaction, StatementAction},
    sql::{SqlSession, SqlThreads, SqlValue},
};
use std::{
    collections::{HashMap, hash_map::Entry},
    ops::ControlFlow,
};

/// The most statements that a connection keeps prepared, as the caches of applications' libraries do.
const MOST_PREPARED: usize = 128;

/// Plays a lane to its end.
pub(in crate::sql) fn play<'t, E: SqlThreads>(
    engine: &E,
    replay: &RecordedLoad<'_>,
    lane: u32,
    counts: &ThreadCounts,
    mut sink: Threaded<'t, E::Clock>,
) -> Result<SqlThreadDone<'t>, EngineError> {
    let guard = replay.gate.guard();
    let clock = engine.clock();
    // Starting the timer reads the thread's times, which is no part of the test.
    sink.recorder.start();
    let begun_ns = clock.now();
    let file = LaneReader::open(&replay.folder, lane, replay.statements.len())?;
    let transaction = ReplayedTransaction::default();
    let (entry, own) = (LaneEntry::End, EngineCounters::default());
    let mut player =
        LanePlayer { replay, counts, clock: &clock, begun_ns, file, entry, transaction, sink, operations: 0, own };
    player.next()?;
    while player.entry == LaneEntry::Connection {
        let mut own = opened(engine, player.sink.attempts.as_mut())?;
        player.connection(&mut own.session()?, &replay.statements)?;
        own.close()?;
    }
    if player.entry != LaneEntry::End {
        return Err(EngineError::new(format!("lane {lane} of the recording begins without a connection")));
    }
    let LanePlayer { sink, operations, own, .. } = player;
    let mut done = sink.finish(&clock, begun_ns, operations)?;
    done.own = own;
    guard.end();
    Ok(done)
}

/// The state of a lane.
struct LanePlayer<'p, 'e, C> {
    replay: &'p RecordedLoad<'p>,
    counts: &'p ThreadCounts,
    clock: &'p C,
    begun_ns: u64,
    file: LaneReader,
    /// What was read last.
    entry: LaneEntry,
    transaction: ReplayedTransaction,
    sink: Threaded<'e, C>,
    operations: u64,
    /// What the engine counted for its connections.
    own: EngineCounters,
}

/// The reason why a transaction was not done.
struct StoppedTransaction {
    error: EngineError,
    /// Whether a part of it was done, which has to be rolled back.
    is_begun: bool,
}

impl<C: Clock> LanePlayer<'_, '_, C> {
    /// Reads the next entry while the timer stands still, and waits until its transaction may begin.
    fn next(&mut self) -> Result<(), EngineError> {
        let Self { replay, clock, begun_ns, file, transaction, sink, .. } = self;
        let mut read = Ok(LaneEntry::End);
        sink.stand_still(|| read = file.next(transaction));
        self.entry = read?;
        if self.entry != LaneEntry::Transaction {
            return Ok(());
        }
        let place = &transaction.place;
        sink.idle(|| {
            replay.gate.wait(place)?;
            if let Some(due) = replay.due(place, *begun_ns) {
                clock.wait_until(due);
            }
            Ok(())
        })
    }

    /// Plays the transactions of a connection.
    fn connection<'s, S: SqlSession<'s>>(
        &mut self,
        session: &mut S,
        statements: &'s [RepeatedStatement],
    ) -> Result<(), EngineError> {
        let mut ready = HashMap::new();
        loop {
            self.next()?;
            if self.entry != LaneEntry::Transaction {
                let Self { sink, own, .. } = self;
                sink.stand_still(|| own.add(&session.counters()));
                return Ok(());
            }
            self.until_done(session, statements, &mut ready)?;
            self.replay.gate.pass(&self.transaction.place);
        }
    }

    /// Does a transaction, and does it again when another connection blocks it.
    fn until_done<'s, S: SqlSession<'s>>(
        &mut self,
        session: &mut S,
        statements: &'s [RepeatedStatement],
        ready: &mut HashMap<usize, S::Statement>,
    ) -> Result<(), EngineError> {
        self.sink.action();
        loop {
            self.sink.attempt();
            let Err(stopped) = self.attempt(session, statements, ready) else { break };
            if !(stopped.error.is_busy && self.sink.persists()) {
                return Err(stopped.error);
            }
            if stopped.is_begun {
                // An engine may have ended the transaction itself. If it is still open, the next begin fails and says so.
                let _ = session.rollback();
            }
            self.sink.refused(stopped.error)?;
        }
        self.sink.operation();
        self.sink.succeeded();
        self.operations += 1;
        if let (Some(due), Some(response)) =
            (self.replay.due(&self.transaction.place, self.begun_ns), &self.counts.response)
        {
            response.record(self.clock.now().saturating_sub(due));
        }
        Ok(())
    }

    fn attempt<'s, S: SqlSession<'s>>(
        &mut self,
        session: &mut S,
        statements: &'s [RepeatedStatement],
        ready: &mut HashMap<usize, S::Statement>,
    ) -> Result<(), StoppedTransaction> {
        for (done, call) in self.transaction.calls.iter().enumerate() {
            let statement = &statements[call.statement];
            let values = &self.transaction.values[call.values.clone()];
            let executed = execute(session, (call, statement), values, ready, &mut self.sink);
            let reported = &self.replay.spec.statements[statement.name];
            match executed {
                Ok(rows) => {
                    self.sink.rows(rows);
                    if let Some(times) = self.sink.times() {
                        times.acted(Some(statement.name));
                    }
                }
                Err(error) if reported.may_fail && !error.is_busy && error.database_usable => {
                    self.sink.failed(statement.name, error.message);
                }
                Err(error) => {
                    let message = format!("`{}`: {}", reported.name, error.message);
                    let is_begun = done > 0;
                    return Err(StoppedTransaction { error: EngineError { message, ..error }, is_begun });
                }
            }
        }
        Ok(())
    }
}

/// Executes a call. Returns the number of rows that it read or changed.
fn execute<'s, S: SqlSession<'s>, C: Clock>(
    session: &mut S,
    (call, statement): (&ReplayedCall, &'s RepeatedStatement),
    values: &[SqlValue],
    ready: &mut HashMap<usize, S::Statement>,
    sink: &mut Threaded<'_, C>,
) -> Result<u64, EngineError> {
    match statement.action {
        StatementAction::Begin(kind) => session.begin(kind)?,
        StatementAction::Commit => session.commit()?,
        StatementAction::Rollback => session.rollback()?,
        StatementAction::Run => session.run(&statement.spec.sql, None)?,
        StatementAction::Write => {
            let prepared = prepared(session, call, statement, ready)?;
            return session.execute(prepared, values);
        }
        StatementAction::Read => {
            let prepared = prepared(session, call, statement, ready)?;
            let most = call.most_rows.unwrap_or(u64::MAX);
            let mut rows = 0;
            session.query_while(prepared, values, |row| {
                if rows < most {
                    sink.row(row);
                    rows += 1;
                }
                if rows < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            return Ok(rows);
        }
    }
    Ok(0)
}

/// Returns a statement that was prepared when the connection executed it first.
fn prepared<'r, 's, S: SqlSession<'s>>(
    session: &mut S,
    call: &ReplayedCall,
    statement: &'s RepeatedStatement,
    ready: &'r mut HashMap<usize, S::Statement>,
) -> Result<&'r mut S::Statement, EngineError> {
    if ready.len() >= MOST_PREPARED && !ready.contains_key(&call.statement) {
        ready.clear();
    }
    Ok(match ready.entry(call.statement) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(session.prepare(&statement.spec)?),
    })
}
