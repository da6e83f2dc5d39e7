//! The work of one thread of a test.

use super::{
    arrivals::{Arrivals, DueTimes},
    course::{Course, CoursePhase},
    place::{KvThreadDone, ThreadPlace},
};
use crate::{
    actors::{PATIENCE, ThreadCounts},
    explain,
    kv::{
        accounts::Accounts,
        inputs::{InputSource, OperationInput},
        operations::{KvTally, MovedSnapshot, apply_alone, apply_together},
    },
    named::NamedResults,
    parts::{QuickTimes, ThreadTimes, TimeParts},
    recorder::{RecordedTime, Recorder},
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    counters::EngineCounters,
    kv::{KvHandle, KvSession, KvThreads},
    suite::{During, KeyChoice, Operation},
};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// A thread that waits for an operation to be due checks the phase this often, ns.
const LOOK_NS: u64 = 50_000_000;
/// Any other wait checks the phase this often.
const PAUSE: Duration = Duration::from_millis(1);

/// Runs a thread until the test is over.
pub(super) fn work<E: KvThreads>(
    engine: &E,
    place: &ThreadPlace<'_>,
    course: &Course,
    counts: Arc<ThreadCounts>,
    tally: KvTally,
) -> Result<KvThreadDone, EngineError> {
    let mut is_started = false;
    let done = engine.handle().and_then(|mut handle| {
        let mut session = handle.session(&place.test.sql)?;
        let own = course.is_measured_at_once().then(|| session.counters());
        is_started = true;
        course.start();
        work_in(&mut session, own, engine.clock(), place, course, counts, tally)
    });
    if !is_started {
        // A thread that failed to prepare also joins the start, because the others wait for it.
        course.start();
    }
    if done.is_err() {
        course.end();
    }
    if place.actor.operations.is_some() {
        course.finished();
    }
    done
}

/// Runs a thread whose session is ready, while its course is under way. `own`: what the engine counted before, unless a warm-up comes first.
pub(super) fn work_in<S: KvSession, C: Clock + Clone>(
    session: &mut S,
    own: Option<EngineCounters>,
    clock: C,
    place: &ThreadPlace<'_>,
    course: &Course,
    counts: Arc<ThreadCounts>,
    tally: KvTally,
) -> Result<KvThreadDone, EngineError> {
    let strife = Strife::default();
    let named = place.empty_results();
    let thread =
        Thread { clock, session, place, course, counts, tally, named, strife, own, looks: 0, stale_read: None };
    match place.actor {
        actor if actor.work.holds() => thread.hold(),
        actor if actor.is_due() => thread.when_due(),
        actor if actor.together() > 1 => thread.one_after_the_other(Thread::next_batch),
        _ if !thread.named.is_empty() => thread.one_after_the_other(Thread::next_named),
        _ => thread.one_after_the_other(Thread::next_one),
    }
}

/// The part of a test in which a thread takes part, in the time of its clock.
#[derive(Debug, Clone, Copy)]
struct ThreadTurn {
    /// The clock at the start of the thread.
    started: u64,
    /// The end of its part; `None`: the end of the test.
    until: Option<u64>,
}

struct Thread<'w, S, C> {
    clock: C,
    session: &'w mut S,
    place: &'w ThreadPlace<'w>,
    course: &'w Course,
    counts: Arc<ThreadCounts>,
    tally: KvTally,
    /// The results of each work; empty if none has a name.
    named: Vec<NamedResults>,
    strife: Strife,
    /// What the engine had counted when measuring began; `None` during the warm-up.
    own: Option<EngineCounters>,
    /// How often the thread checked for commits of others.
    looks: usize,
    stale_read: Option<String>,
}

/// The cost of conflicts with other transactions.
#[derive(Debug, Clone, Copy, Default)]
struct Strife {
    busy: u64,
    retries: u64,
    failures: u64,
}

impl<'w, S: KvSession, C: Clock + Clone> Thread<'w, S, C> {
    /// Runs operations so that each begins when the previous one has ended. `next`: runs the next transaction, and records its operations
    /// unless it was given up.
    fn one_after_the_other(
        mut self,
        next: impl Fn(&mut Self, &mut InputSource<'_>, ThreadTurn, &mut Recorder<C>) -> Result<(), EngineError>,
    ) -> Result<KvThreadDone, EngineError> {
        let (turn, quota) = (self.wait_for_turn(), self.place.quota());
        let mut inputs = self.place.inputs()?;
        let (mut begun, mut blocked, mut recorder, mut is_measured) = (self.clock.now(), 0, self.recorder(), false);
        while self.tally.operations < quota {
            match self.phase(turn) {
                CoursePhase::Over => break,
                CoursePhase::Measured if !is_measured => {
                    is_measured = true;
                    self.begin_measuring();
                    let now = self.clock.now();
                    begun = self.measured_from(now);
                    blocked = now - begun;
                    recorder = self.recorder();
                }
                CoursePhase::WarmUp | CoursePhase::Measured => {}
            }
            if inputs.is_used_up() {
                recorder.stand_still(|| {
                    inputs.fill()?;
                    self.look_for_news(1)
                })?;
                if inputs.is_used_up() {
                    break;
                }
            }
            next(&mut self, &mut inputs, turn, &mut recorder)?;
        }
        let spent = recorder.finish()?;
        self.look_for_news(usize::MAX)?;
        Ok(self.done(spent, (begun, blocked + spent.wall + spent.between)))
    }

    /// Runs an operation in its own transaction.
    #[inline]
    fn next_one(
        &mut self,
        inputs: &mut InputSource<'_>,
        turn: ThreadTurn,
        recorder: &mut Recorder<C>,
    ) -> Result<(), EngineError> {
        if self.persist(&inputs.take(), turn)? {
            recorder.lap();
        }
        Ok(())
    }

    /// Does the same, and adds the operation to the results of its work.
    fn next_named(
        &mut self,
        inputs: &mut InputSource<'_>,
        turn: ThreadTurn,
        recorder: &mut Recorder<C>,
    ) -> Result<(), EngineError> {
        let (input, rows) = (inputs.take(), self.tally.rows);
        if self.persist(&input, turn)? {
            let took = recorder.lap_at(self.clock.now());
            self.worked(input.work, took, rows);
        }
        Ok(())
    }

    /// Adds an operation to the results of its work. `before`: the rows before it.
    fn worked(&mut self, work: usize, took: u64, before: u64) {
        if let Some(named) = self.named.get_mut(work) {
            named.take(took);
            self.counts.add_named(work, took);
            named.answer(0, self.tally.rows - before);
        }
    }

    /// Runs as many operations in one transaction as the test asks for.
    fn next_batch(
        &mut self,
        inputs: &mut InputSource<'_>,
        turn: ThreadTurn,
        recorder: &mut Recorder<C>,
    ) -> Result<(), EngineError> {
        let left = self.place.quota() - self.tally.operations;
        let batch = inputs.take_batch(self.place.actor.together().min(left) as usize);
        let count = batch.len();
        if self.persistently(turn, |thread| apply_together(thread.session, batch.clone(), &mut thread.tally))? {
            (0..count).for_each(|_| recorder.lap());
        }
        Ok(())
    }

    /// Runs operations at their due times, or as soon as possible if they are late.
    fn when_due(mut self) -> Result<KvThreadDone, EngineError> {
        let (place, quota) = (self.place, self.place.quota());
        let (turn, mut inputs) = (self.wait_for_turn(), place.inputs()?);
        let new_times = || match place.actor.arrival {
            Some(arrival) => {
                DueTimes::Arrivals(Arrivals::new(arrival, (place.thread, place.actor.threads), place.stream(1)))
            }
            None => DueTimes::Recorded { percent: place.actor.speed.unwrap_or(100) },
        };
        let (mut times, mut is_measured) = (new_times(), false);
        let (mut read, mut begun) = (self.thread_times(), self.clock.now());
        let mut between = 0;
        while self.tally.operations < quota {
            let phase = self.phase(turn);
            let now = self.clock.now();
            match phase {
                CoursePhase::Over => break,
                CoursePhase::Measured if !is_measured => {
                    (is_measured, begun, times) = (true, self.measured_from(now), new_times());
                    read = self.thread_times();
                    self.begin_measuring();
                    continue;
                }
                CoursePhase::WarmUp | CoursePhase::Measured => {}
            }
            if inputs.is_used_up() {
                inputs.fill()?;
                if inputs.is_used_up() {
                    break;
                }
                self.look_for_news(1)?;
                between += self.clock.now() - now;
                continue;
            }
            let due = begun.saturating_add(times.next_ns(&inputs));
            if due > now {
                self.clock.wait_until(due.min(now + LOOK_NS));
            } else {
                times.advance();
                let (input, rows) = (inputs.take(), self.tally.rows);
                if self.persist(&input, turn)? {
                    let ended = self.clock.now();
                    self.worked(input.work, ended - now, rows);
                    self.counts.service.record(ended - now);
                    self.counts.service.add_operations(1);
                    if let Some(response) = &self.counts.response {
                        response.record(ended - due);
                    }
                }
            }
        }
        let elapsed = self.clock.now() - begun;
        let backlog = if self.tally.operations < quota { times.due_before(elapsed) } else { 0 };
        self.look_for_news(usize::MAX)?;
        let parts = parts_since(read, elapsed);
        Ok(KvThreadDone { backlog, ..self.done(RecordedTime { wall: elapsed, between, parts }, (begun, elapsed)) })
    }

    /// Holds a snapshot while the thread takes part.
    fn hold(mut self) -> Result<KvThreadDone, EngineError> {
        let turn = self.wait_for_turn();
        while self.phase(turn) == CoursePhase::WarmUp {
            self.pause();
        }
        self.begin_counting();
        let (read, begun) = (self.thread_times(), self.clock.now());
        self.expect_versions();
        let mut snapshot = self.session.snapshot()?;
        let first = Accounts::read(&mut snapshot)?;
        self.counts.held.store(1, Relaxed);
        while phase(self.course, &self.clock, turn) == CoursePhase::Measured {
            pause(&self.clock);
        }
        let last = Accounts::read(&mut snapshot)?;
        drop(snapshot);
        self.counts.held.store(0, Relaxed);
        self.tally.audited(first);
        if last != first {
            self.tally.moved = Some(MovedSnapshot { first, last });
        }
        self.tally.operations = 1;
        let wall = self.clock.now() - begun;
        self.counts.service.record(wall);
        self.counts.service.add_operations(1);
        Ok(self.done(RecordedTime { wall, between: 0, parts: parts_since(read, wall) }, (begun, wall)))
    }

    /// Waits until it is this thread's turn.
    fn wait_for_turn(&self) -> ThreadTurn {
        let started = self.clock.now();
        let Some(During { from_ms, until_ms }) = self.place.actor.during else {
            return ThreadTurn { started, until: None };
        };
        let whole = ThreadTurn { started, until: None };
        while self.phase(whole) == CoursePhase::WarmUp {
            self.pause();
        }
        let measured = self.clock.now();
        let (from, until) = (measured + from_ms * 1_000_000, measured + until_ms * 1_000_000);
        while self.phase(whole) == CoursePhase::Measured && self.clock.now() < from {
            self.pause();
        }
        ThreadTurn { started, until: Some(until) }
    }

    fn pause(&self) {
        pause(&self.clock);
    }

    #[inline]
    fn phase(&self, turn: ThreadTurn) -> CoursePhase {
        phase(self.course, &self.clock, turn)
    }

    fn recorder(&self) -> Recorder<C> {
        let (clock, counts) = (self.clock.clone(), Arc::clone(&self.counts.service));
        let mut recorder = match self.named.is_empty() {
            true => Recorder::new(clock, counts, self.place.actor.together()),
            false => Recorder::of_each(clock, counts),
        };
        recorder.start();
        recorder
    }

    /// Returns the thread's times so far, from which its time counts. Simulated time has none.
    fn thread_times(&self) -> Option<ThreadTimes> {
        explain::register();
        explain::enter();
        self.clock.is_real().then(ThreadTimes::read).flatten()
    }

    /// Returns when the measurement began for this thread, which notices it `now`.
    fn measured_from(&self, now: u64) -> u64 {
        // A thread that takes part later was not blocked, but waited for its turn.
        if self.place.actor.during.is_some() { now } else { self.course.measured_from(now) }
    }

    /// Discards the counts of the warm-up, but keeps what was committed in it.
    fn begin_measuring(&mut self) {
        self.tally = self.tally.anew();
        self.named = self.place.empty_results();
        self.strife = Strife::default();
        self.counts.clear();
        self.begin_counting();
    }

    /// Reads what the engine has counted after a warm-up. Without one it was read before the start, so that reading takes none of the
    /// test's time.
    fn begin_counting(&mut self) {
        self.own.get_or_insert_with(|| self.session.counters());
    }

    /// Runs an operation in its own transaction, as [`persistently`](Self::persistently) does.
    #[inline]
    fn persist(&mut self, input: &OperationInput<'_>, turn: ThreadTurn) -> Result<bool, EngineError> {
        if matches!(input.operation, Operation::Audit { accounts: None }) {
            self.expect_versions();
        }
        self.persistently(turn, |thread| thread.apply(input))
    }

    /// Runs a transaction, and repeats it while another one blocks it. Returns false after [`PATIENCE`].
    #[inline]
    fn persistently(
        &mut self,
        turn: ThreadTurn,
        mut transaction: impl FnMut(&mut Self) -> Result<(), EngineError>,
    ) -> Result<bool, EngineError> {
        match transaction(self) {
            Ok(()) => Ok(true),
            Err(error) if error.is_busy => self.try_again(turn, error, transaction),
            Err(error) => Err(error),
        }
    }

    #[cold]
    fn try_again(
        &mut self,
        turn: ThreadTurn,
        mut refused: EngineError,
        mut transaction: impl FnMut(&mut Self) -> Result<(), EngineError>,
    ) -> Result<bool, EngineError> {
        let since = Instant::now();
        loop {
            self.strife.busy += 1;
            self.counts.busy.fetch_add(1, Relaxed);
            if self.phase(turn) == CoursePhase::Over {
                return Ok(false);
            }
            if since.elapsed() > PATIENCE {
                if self.place.actor.work.keys == KeyChoice::Recorded {
                    // Without it, the answers would be others.
                    let waited = PATIENCE.as_secs();
                    return Err(EngineError::new(format!(
                        "other threads blocked an operation for {waited} s: {refused}"
                    )));
                }
                self.strife.failures += 1;
                return Ok(false);
            }
            thread::yield_now();
            self.strife.retries += 1;
            match transaction(self) {
                Ok(()) => return Ok(true),
                Err(error) if error.is_busy => refused = error,
                Err(error) => return Err(error),
            }
        }
    }

    #[inline]
    fn apply(&mut self, input: &OperationInput<'_>) -> Result<(), EngineError> {
        apply_alone(self.session, input, &mut self.tally)?;
        if matches!(input.operation, Operation::Transfer { .. }) {
            let ThreadPlace { ordinal, acknowledged, .. } = *self.place;
            acknowledged.commit(ordinal, self.tally.transfers, self.tally.last_transfer);
        }
        Ok(())
    }

    /// Sets the versions that a read of all accounts must find if it begins now: those of everything committed.
    fn expect_versions(&mut self) {
        self.tally.least_versions = self.tally.accounts.versions + 2 * self.place.acknowledged.transfers();
    }

    /// Reads accounts that others wrote last, up to `most` of them, one at a time. The time belongs to no operation.
    fn look_for_news(&mut self, most: usize) -> Result<(), EngineError> {
        if !self.place.expects_news {
            return Ok(());
        }
        let stamps = self.place.acknowledged.stamps();
        for stamp in stamps.iter().cycle().skip(self.looks % stamps.len().max(1)).take(most.min(stamps.len())) {
            let stale = stamp.look(self.session, &self.place.test.key)?;
            self.stale_read = self.stale_read.take().or(stale);
            self.looks += 1;
        }
        Ok(())
    }

    fn done(self, spent: RecordedTime, (begun_ns, elapsed_ns): (u64, u64)) -> KvThreadDone {
        let KvTally { operations, rows, digest, transfers, broken, short, moved, missed, unexpected, stale, .. } =
            self.tally;
        let Strife { busy, retries, failures } = self.strife;
        let own = self.own.map(|before| self.session.counters().since(&before)).unwrap_or_default();
        KvThreadDone {
            operations,
            rows,
            digest,
            transfers,
            broken,
            short,
            moved,
            missed,
            unexpected,
            stale_audit: stale,
            stale_read: self.stale_read,
            failures,
            busy,
            retries,
            wall_ns: spent.wall,
            between_ns: spent.between,
            parts: spent.parts,
            begun_ns,
            elapsed_ns,
            backlog: 0,
            own,
            named: self.named,
        }
    }
}

/// Returns what a thread's time since a reading went to.
fn parts_since(begun: Option<ThreadTimes>, wall: u64) -> Option<TimeParts> {
    explain::leave();
    Some(ThreadTimes::read()?.parts_since(&begun?, QuickTimes::default(), wall, wall))
}

/// Sleeps briefly, so that no core is kept busy.
fn pause<C: Clock>(clock: &C) {
    if clock.is_real() {
        thread::sleep(PAUSE);
    } else {
        clock.wait_until(clock.now() + PAUSE.as_nanos() as u64);
    }
}

/// Returns the phase of the test, within the part that a thread takes part in.
#[inline]
fn phase<C: Clock>(course: &Course, clock: &C, turn: ThreadTurn) -> CoursePhase {
    match turn.until {
        Some(until) if clock.now() >= until => CoursePhase::Over,
        _ => course.phase(clock, turn.started),
    }
}
