//! What one thread of a test does.

use super::{
    arrivals::Arrivals,
    course::{Course, Phase},
};
use crate::{
    actors::ThreadCounts,
    kv::{
        accounts::Accounts,
        inputs::{Input, Inputs},
        operations::{KvTally, MovedSnapshot, apply_alone},
    },
    recorder::{RecordedTime, Recorder},
    rng::SplitMix64,
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    kv::{KvHandle, KvSession, KvThreads},
    suite::{Arrival, During, KvActor, KvTest},
};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// Which thread it is.
pub(super) struct ThreadPlace<'t> {
    pub(super) test: &'t KvTest,
    pub(super) actor: &'t KvActor,
    pub(super) seed: u64,
    /// The actor's among the actors of the test, from 0.
    pub(super) number: u64,
    /// The thread's among those of the actor, from 0.
    pub(super) thread: u32,
}

/// What a thread did while it was measured.
#[derive(Debug, Default)]
pub(super) struct ThreadDone {
    pub(super) operations: u64,
    pub(super) rows: u64,
    /// Committed ones, those of the warm-up too.
    pub(super) transfers: u64,
    pub(super) broken: Option<Accounts>,
    pub(super) short: Option<(u64, u64)>,
    pub(super) moved: Option<MovedSnapshot>,
    /// Operations that were given up.
    pub(super) failures: u64,
    /// How often another transaction was in the way.
    pub(super) busy: u64,
    pub(super) retries: u64,
    /// Time of the operations, ns; where they are due at times, with the waits for those.
    pub(super) wall_ns: u64,
    /// Time of getting inputs ready, ns.
    pub(super) between_ns: u64,
    /// When its clock stood at the beginning of the measuring, ns.
    pub(super) begun_ns: u64,
    /// From there to the end, ns.
    pub(super) elapsed_ns: u64,
    /// Operations that were due and not begun.
    pub(super) backlog: u64,
}

/// An operation that others have been in the way of for so long is given up.
const PATIENCE: Duration = Duration::from_secs(10);
/// A wait for an operation to be due is looked up from so often.
const LOOK_NS: u64 = 50_000_000;
/// Who waits for something else looks up so often.
const PAUSE: Duration = Duration::from_millis(1);

/// Works until the test is over.
pub(super) fn work<E: KvThreads>(
    engine: &E,
    place: &ThreadPlace<'_>,
    course: &Course,
    counts: Arc<ThreadCounts>,
    tally: KvTally,
) -> Result<ThreadDone, EngineError> {
    let mut is_started = false;
    let done = engine.handle().and_then(|mut handle| {
        let mut session = handle.session(&place.test.sql)?;
        let (clock, session) = (engine.clock(), &mut session);
        is_started = true;
        course.start();
        let thread = Thread { clock, session, place, course, counts, tally, strife: Strife::default() };
        match (place.actor.arrival, place.actor.work.holds()) {
            (_, true) => thread.hold(),
            (None, _) => thread.one_after_the_other(),
            (Some(arrival), _) => thread.when_due(arrival),
        }
    });
    if !is_started {
        // Whoever is not ready starts too: the others wait for it.
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

/// The part of a test in which a thread takes part, by its clock.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// When the clock stood there.
    started: u64,
    /// None: when the test is over.
    until: Option<u64>,
}

struct Thread<'w, S, C> {
    clock: C,
    session: &'w mut S,
    place: &'w ThreadPlace<'w>,
    course: &'w Course,
    counts: Arc<ThreadCounts>,
    tally: KvTally,
    strife: Strife,
}

/// What other transactions cost.
#[derive(Debug, Clone, Copy, Default)]
struct Strife {
    busy: u64,
    retries: u64,
    failures: u64,
}

impl<'w, S: KvSession, C: Clock + Clone> Thread<'w, S, C> {
    /// Each operation begins when the one before it has ended.
    fn one_after_the_other(mut self) -> Result<ThreadDone, EngineError> {
        let (turn, quota) = (self.wait_for_turn(), self.place.quota());
        let mut inputs = self.place.inputs();
        let (mut begun, mut recorder, mut is_measured) = (self.clock.now(), self.recorder(), false);
        while self.tally.operations < quota {
            match self.phase(turn) {
                Phase::Over => break,
                Phase::Measured if !is_measured => {
                    is_measured = true;
                    self.begin_measuring();
                    begun = self.clock.now();
                    recorder = self.recorder();
                }
                Phase::WarmUp | Phase::Measured => {}
            }
            if self.persist(&inputs.next(&mut recorder), turn)? {
                recorder.lap();
            }
        }
        let spent = recorder.finish()?;
        Ok(self.done(spent, (begun, spent.wall + spent.between)))
    }

    /// Operations begin at their times, or when there is time for those that are late.
    fn when_due(mut self, arrival: Arrival) -> Result<ThreadDone, EngineError> {
        let (place, quota) = (self.place, self.place.quota());
        let (turn, mut inputs) = (self.wait_for_turn(), place.inputs());
        let new_arrivals = || Arrivals::new(arrival, (place.thread, place.actor.threads), place.stream(1));
        let (mut arrivals, mut begun, mut is_measured) = (new_arrivals(), self.clock.now(), false);
        let mut between = 0;
        while self.tally.operations < quota {
            let phase = self.phase(turn);
            let now = self.clock.now();
            let due = begun + arrivals.next_ns();
            match phase {
                Phase::Over => break,
                Phase::Measured if !is_measured => {
                    (is_measured, begun, arrivals) = (true, now, new_arrivals());
                    self.begin_measuring();
                    continue;
                }
                Phase::WarmUp | Phase::Measured => {}
            }
            if inputs.is_drawn_out() {
                inputs.draw_block();
                between += self.clock.now() - now;
            } else if due > now {
                self.clock.wait_until(due.min(now + LOOK_NS));
            } else {
                arrivals.advance();
                if self.persist(&inputs.take(), turn)? {
                    let ended = self.clock.now();
                    self.counts.service.record(ended - now);
                    self.counts.service.add_operations(1);
                    if let Some(response) = &self.counts.response {
                        response.record(ended - due);
                    }
                }
            }
        }
        let elapsed = self.clock.now() - begun;
        let backlog = if self.tally.operations < quota { arrivals.due_before(elapsed) } else { 0 };
        Ok(ThreadDone { backlog, ..self.done(RecordedTime { wall: elapsed, between }, (begun, elapsed)) })
    }

    /// Holds a snapshot for as long as it takes part.
    fn hold(mut self) -> Result<ThreadDone, EngineError> {
        let turn = self.wait_for_turn();
        while self.phase(turn) == Phase::WarmUp {
            self.pause();
        }
        let begun = self.clock.now();
        let mut snapshot = self.session.snapshot()?;
        let first = Accounts::read(&mut snapshot)?;
        self.counts.held.store(1, Relaxed);
        while phase(self.course, &self.clock, turn) == Phase::Measured {
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
        Ok(self.done(RecordedTime { wall, between: 0 }, (begun, wall)))
    }

    /// Waits until it is this thread's turn to take part.
    fn wait_for_turn(&self) -> Turn {
        let started = self.clock.now();
        let Some(During { from_ms, until_ms }) = self.place.actor.during else { return Turn { started, until: None } };
        let whole = Turn { started, until: None };
        while self.phase(whole) == Phase::WarmUp {
            self.pause();
        }
        let measured = self.clock.now();
        let (from, until) = (measured + from_ms * 1_000_000, measured + until_ms * 1_000_000);
        while self.phase(whole) == Phase::Measured && self.clock.now() < from {
            self.pause();
        }
        Turn { started, until: Some(until) }
    }

    fn pause(&self) {
        pause(&self.clock);
    }

    #[inline]
    fn phase(&self, turn: Turn) -> Phase {
        phase(self.course, &self.clock, turn)
    }

    fn recorder(&self) -> Recorder<C> {
        let mut recorder = Recorder::new(self.clock.clone(), Arc::clone(&self.counts.service), 1);
        recorder.start();
        recorder
    }

    /// What was counted so far was the warm-up's; but what was committed in it stays.
    fn begin_measuring(&mut self) {
        self.tally = self.tally.anew();
        self.strife = Strife::default();
        self.counts.clear();
    }

    /// Does an operation, again and again where others are in its way; false where it was given up.
    #[inline]
    fn persist(&mut self, input: &Input<'_>, turn: Turn) -> Result<bool, EngineError> {
        match apply_alone(self.session, input, &mut self.tally) {
            Ok(()) => Ok(true),
            Err(error) if error.is_busy => self.try_again(input, turn),
            Err(error) => Err(error),
        }
    }

    #[cold]
    fn try_again(&mut self, input: &Input<'_>, turn: Turn) -> Result<bool, EngineError> {
        let since = Instant::now();
        loop {
            self.strife.busy += 1;
            self.counts.busy.fetch_add(1, Relaxed);
            if self.phase(turn) == Phase::Over {
                return Ok(false);
            }
            if since.elapsed() > PATIENCE {
                self.strife.failures += 1;
                return Ok(false);
            }
            thread::yield_now();
            self.strife.retries += 1;
            match apply_alone(self.session, input, &mut self.tally) {
                Ok(()) => return Ok(true),
                Err(error) if error.is_busy => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn done(&self, spent: RecordedTime, (begun_ns, elapsed_ns): (u64, u64)) -> ThreadDone {
        let KvTally { operations, rows, transfers, broken, short, moved, .. } = self.tally;
        let Strife { busy, retries, failures } = self.strife;
        ThreadDone {
            operations,
            rows,
            transfers,
            broken,
            short,
            moved,
            failures,
            busy,
            retries,
            wall_ns: spent.wall,
            between_ns: spent.between,
            begun_ns,
            elapsed_ns,
            backlog: 0,
        }
    }
}

/// Lets a moment pass. Nobody's core is kept busy by it.
fn pause<C: Clock>(clock: &C) {
    if clock.is_real() {
        thread::sleep(PAUSE);
    } else {
        clock.wait_until(clock.now() + PAUSE.as_nanos() as u64);
    }
}

/// The phase of the test as far as a thread takes part in it.
#[inline]
fn phase<C: Clock>(course: &Course, clock: &C, turn: Turn) -> Phase {
    match turn.until {
        Some(until) if clock.now() >= until => Phase::Over,
        _ => course.phase(clock, turn.started),
    }
}

impl ThreadPlace<'_> {
    /// A stream of random numbers of this thread's own.
    fn stream(&self, purpose: u64) -> SplitMix64 {
        let of_test = SplitMix64::stream(self.seed, u64::from(self.test.number)).next_u64();
        SplitMix64::stream(of_test, purpose << 48 | self.number << 32 | u64::from(self.thread))
    }

    fn inputs(&self) -> Inputs<'_> {
        let place = (u64::from(self.thread), u64::from(self.actor.threads));
        Inputs::new(self.test, &self.actor.work, self.stream(0), place)
    }

    /// How many operations are this thread's.
    fn quota(&self) -> u64 {
        let threads = u64::from(self.actor.threads);
        self.actor.operations.map_or(u64::MAX, |all| all / threads + u64::from(u64::from(self.thread) < all % threads))
    }
}
