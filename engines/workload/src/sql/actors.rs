//! Tests of several threads: each thread opens the database itself, runs its steps once, and closes the database.

use super::{
    ActionTimes, ObjectAnswer, Sink,
    executor::perform_as,
    replay::{self, RecordedLoad},
    statements::{ThreadAnswers, add_objects},
    tally::SqlTally,
};
use crate::{
    actors::{ActorCounts, ActorShape, ActorsDone, Cores, PATIENCE, Shown, ThreadCounts, fairness_ppm, joined, places},
    histogram::to_base64,
    named::NamedResults,
    parts::TimeParts,
    recorder::{RecordedTime, Recorder},
    rng::SplitMix64,
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    counters::{Counters, EngineCounters},
    protocol::{ActorDone, ActorHead},
    sql::{SqlEngine, SqlRow, SqlSession, SqlThreads},
    suite::{ReplaySpec, SqlActor, SqlSuite, Step},
};
use std::{
    sync::{Arc, Barrier, atomic::Ordering::Relaxed},
    thread,
    time::Instant,
};

/// Whether and how the tests of several threads run on an engine.
pub(crate) trait SqlThreading<E> {
    /// # Errors
    /// The engine has no handle for each thread, or a thread failed.
    fn perform<'t>(engine: &E, test: &SqlActorsTest<'t>) -> Result<SqlActorsDone<'t>, EngineError>;
}

/// Threading of an engine for one thread.
pub(crate) struct SqlOneThread;

/// Threading of an engine that gives each thread its own handle.
pub(crate) struct HandlePerThread;

impl<E: SqlEngine> SqlThreading<E> for SqlOneThread {
    fn perform<'t>(_: &E, _: &SqlActorsTest<'t>) -> Result<SqlActorsDone<'t>, EngineError> {
        Err(EngineError::new("this engine runs tests of one thread only"))
    }
}

impl<E: SqlThreads> SqlThreading<E> for HandlePerThread {
    fn perform<'t>(engine: &E, test: &SqlActorsTest<'t>) -> Result<SqlActorsDone<'t>, EngineError> {
        run_threads(engine, test)
    }
}

/// A test of several threads.
pub(crate) struct SqlActorsTest<'t> {
    pub(super) suite: &'t SqlSuite,
    /// The names of all steps.
    pub(super) names: &'t [&'t str],
    /// The seed of the streams from which threads draw.
    pub(super) seed: u64,
    pub(super) actors: &'t [SqlActor],
    /// What they do, if it is not in their steps.
    pub(super) replay: Option<&'t RecordedLoad<'t>>,
    /// Whether any of them writes.
    pub(super) writes: bool,
    pub(super) shown: &'t Shown,
}

/// The results of such a test.
pub(crate) struct SqlActorsDone<'t> {
    pub(super) performed: ActorsDone,
    threads: Vec<SqlThreadDone<'t>>,
}

impl SqlActorsDone<'_> {
    /// Returns the results under each name, of all threads.
    pub(super) fn named(&self) -> Vec<NamedResults> {
        let mut all = Vec::new();
        for thread in &self.threads {
            all.resize(thread.named.len(), NamedResults::default());
            all.iter_mut().zip(&thread.named).for_each(|(all, one)| all.add(one));
            thread.kept.iter().for_each(|answer| add_objects(&mut all, answer));
        }
        all
    }

    /// Returns the tally of all threads. Checks the answers now, after all measurement has ended.
    ///
    /// # Errors
    /// An answer differs from the expected one, if the engine answers at all.
    pub(super) fn tally(&self, answers: bool) -> Result<SqlTally, EngineError> {
        let mut all = SqlTally::default();
        for thread in &self.threads {
            let mut tally = thread.tally;
            thread.kept.iter().try_for_each(|answer| tally.answer(answer, answers))?;
            all.thread(&tally);
        }
        Ok(all)
    }
}

/// Returns the description of the actors that is reported before they start.
pub(super) fn heads(actors: &[SqlActor]) -> Vec<ActorHead> {
    actors.iter().map(|actor| ActorHead { name: actor.name.clone(), threads: actor.threads, rate: None }).collect()
}

/// Returns the shape of each actor's counters. `replay`: what they replay, if they do.
pub(super) fn shapes(actors: &[SqlActor], replay: Option<&ReplaySpec>) -> impl Iterator<Item = ActorShape> {
    actors.iter().map(move |actor| ActorShape {
        name: actor.name.clone(),
        threads: actor.threads,
        is_due: replay.is_some_and(|replay| replay.percent().is_some()),
        rate: None,
        during: None,
        holds: false,
        names: match replay {
            Some(replay) => replay.statements.iter().map(|statement| Some(statement.name.clone())).collect(),
            None => Step::names(&actor.steps).into_iter().map(|name| Some(name.to_owned())).collect(),
        },
    })
}

/// The results of one thread.
pub(super) struct SqlThreadDone<'e> {
    tally: SqlTally,
    operations: u64,
    /// Attempts that other threads blocked, and those that were made because of it.
    busy: u64,
    retries: u64,
    /// The results under each name of the test.
    named: Vec<NamedResults>,
    /// The objects that it built from answers. They are checked after all threads have ended.
    kept: Vec<ObjectAnswer<'e>>,
    /// What the engine counted for it.
    pub(super) own: EngineCounters,
    spent: RecordedTime,
    /// Its clock at the beginning and the end, ns. With fewer cores than threads, some threads begin late.
    begun_ns: u64,
    ended_ns: u64,
}

impl SqlThreadDone<'_> {
    fn rows(&self) -> u64 {
        self.tally.row_count() + self.kept.iter().map(ObjectAnswer::rows).sum::<u64>()
    }
}

fn run_threads<'t, E: SqlThreads>(engine: &E, test: &SqlActorsTest<'t>) -> Result<SqlActorsDone<'t>, EngineError> {
    let places = places(test.actors.iter().map(|actor| actor.threads));
    let (start, cores) = (Barrier::new(places.len()), Cores::for_threads(places.len()));
    let threads = thread::scope(|scope| {
        let spawn = |(ordinal, &(actor, thread)): (usize, &(usize, u32))| {
            let (start, cores, counts) = (&start, &cores, test.shown.actors[actor].thread(thread));
            scope.spawn(move || {
                cores.pin(ordinal);
                let recorder = match test.writes {
                    true => Recorder::of_each(engine.clock(), Arc::clone(&counts.service)),
                    false => Recorder::new(engine.clock(), Arc::clone(&counts.service), 1),
                };
                start.wait();
                // All threads start at once. The first one sets the start time.
                test.shown.measured_since.get_or_init(Instant::now);
                let rng = SplitMix64::stream(test.seed, ordinal as u64);
                let attempts = test.writes.then(|| Attempts::new(engine.clock(), Arc::clone(&counts)));
                let names = test.replay.map_or_else(
                    || Step::names(&test.actors[actor].steps).len(),
                    |replay| replay.spec.statements.len(),
                );
                let sink = Threaded::new(engine.clock(), recorder, attempts, (names, &counts));
                match test.replay {
                    Some(replay) => replay::play(engine, replay, thread, &counts, sink),
                    None => work(engine, test, (&test.actors[actor], thread), sink, rng),
                }
            })
        };
        let running: Vec<_> = places.iter().enumerate().map(spawn).collect();
        all_done(running.into_iter().map(joined).collect())
    })?;
    let of_actor = |actor: usize| -> Vec<&SqlThreadDone<'_>> {
        places.iter().zip(&threads).filter(|((of, _), _)| *of == actor).map(|(_, thread)| thread).collect()
    };
    let is_real = engine.clock().is_real();
    let actor_done = |(place, actor): (usize, &SqlActor)| {
        let threads = of_actor(place);
        let wall_ns = from_first_to_last(threads.iter().copied(), is_real);
        actor_done((actor, test.writes), &threads, wall_ns, &test.shown.actors[place])
    };
    let actors: Vec<ActorDone> = test.actors.iter().enumerate().map(actor_done).collect();
    let mut own = EngineCounters::default();
    threads.iter().for_each(|thread| own.add(&thread.own));
    Ok(SqlActorsDone {
        performed: ActorsDone {
            spent: RecordedTime {
                wall: from_first_to_last(threads.iter(), is_real),
                between: threads.iter().map(|thread| thread.spent.between).sum(),
                parts: TimeParts::of_all(threads.iter().map(|thread| thread.spent.parts)),
            },
            operations: actors.iter().map(|actor| actor.operations).sum(),
            rows: actors.iter().map(|actor| actor.rows).sum(),
            actors,
            statements: Vec::new(),
            verification: None,
            own,
        },
        threads,
    })
}

/// Returns what all threads did, or the error that made others stop.
fn all_done<D>(threads: Vec<Result<D, EngineError>>) -> Result<Vec<D>, EngineError> {
    let is_cause = |done: &&Result<D, EngineError>| matches!(done, Err(error) if error.message != replay::OTHER_FAILED);
    match threads.iter().find(is_cause) {
        Some(Err(cause)) => Err(cause.clone()),
        _ => threads.into_iter().collect(),
    }
}

/// Returns the time from the start of the first thread to the end of the last one, ns. Simulated time is per thread, so there it is the
/// longest time of a thread.
fn from_first_to_last<'d>(threads: impl Iterator<Item = &'d SqlThreadDone<'d>> + Clone, is_real: bool) -> u64 {
    if !is_real {
        return threads.map(|thread| thread.ended_ns - thread.begun_ns).max().unwrap_or(0);
    }
    let begun = threads.clone().map(|thread| thread.begun_ns).min().unwrap_or(0);
    threads.map(|thread| thread.ended_ns).max().unwrap_or(0).saturating_sub(begun)
}

/// Runs one thread, including opening and closing the database.
fn work<'e, E: SqlThreads>(
    engine: &E,
    test: &SqlActorsTest<'e>,
    (actor, thread): (&'e SqlActor, u32),
    mut sink: Threaded<'e, E::Clock>,
    mut rng: SplitMix64,
) -> Result<SqlThreadDone<'e>, EngineError> {
    let own_names = Step::names(&actor.steps);
    let places = own_names.iter().map(|own| test.names.iter().position(|name| name == own));
    let places: Vec<usize> = places.flatten().collect();
    let clock = engine.clock();
    // Starting the timer reads the thread's times, which is no part of the test.
    sink.recorder.start();
    let begun_ns = clock.now();
    let mut own = opened(engine, sink.attempts.as_mut())?;
    let mut session = own.session()?;
    let operations = perform_as(Some(thread), &mut session, test.suite, &actor.steps, &mut rng, &mut sink)?;
    let mut counted = EngineCounters::default();
    sink.stand_still(|| counted = session.counters());
    drop(session);
    own.close()?;
    let mut done = sink.finish(&clock, begun_ns, operations)?;
    done.own = counted;
    // From the names of this actor to those of the test.
    done.kept.iter_mut().for_each(|answer| answer.name = answer.name.map(|place| places[place]));
    let own = std::mem::replace(&mut done.named, vec![NamedResults::default(); test.names.len()]);
    own.into_iter().zip(&places).for_each(|(own, place)| done.named[*place] = own);
    Ok(done)
}

/// Opens a handle. Setting its options may have to wait for a thread that writes.
pub(super) fn opened<E: SqlThreads>(
    engine: &E,
    mut attempts: Option<&mut Attempts<E::Clock>>,
) -> Result<E, EngineError> {
    loop {
        match (engine.another(), &mut attempts) {
            (Err(error), Some(attempts)) if error.is_busy => attempts.refused(error)?,
            (opened, Some(attempts)) => {
                attempts.refused = None;
                return opened;
            }
            (opened, None) => return opened,
        }
    }
}

/// The attempts of a thread, where threads write: what another thread blocks is done again.
pub(super) struct Attempts<C> {
    clock: C,
    counts: Arc<ThreadCounts>,
    busy: u64,
    retries: u64,
    /// When the current one was refused for the first time.
    refused: Option<Instant>,
    /// The ends of operations that are not yet recorded: those of the current attempt, and the last one before.
    laps: Vec<u64>,
    /// The numbers of laps and kept answers, and the tally, before the current one.
    before: (usize, usize, SqlTally),
}

impl<C: Clock> Attempts<C> {
    fn new(clock: C, counts: Arc<ThreadCounts>) -> Self {
        let before = (0, 0, SqlTally::default());
        Self { clock, counts, busy: 0, retries: 0, refused: None, laps: Vec::new(), before }
    }

    /// # Errors
    /// It was refused for too long.
    fn refused(&mut self, error: EngineError) -> Result<(), EngineError> {
        self.busy += 1;
        self.counts.busy.fetch_add(1, Relaxed);
        if self.refused.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            let waited = PATIENCE.as_secs();
            return Err(EngineError::new(format!("other threads blocked a transaction for {waited} s: {error}")));
        }
        self.retries += 1;
        thread::yield_now();
        Ok(())
    }
}

/// Records latencies and keeps answers. The end of an operation is recorded when the next one begins or the handle is closed, so that
/// closing counts as part of the last operation.
pub(super) struct Threaded<'e, C> {
    pub(super) recorder: Recorder<C>,
    answers: ThreadAnswers<C>,
    kept: Vec<ObjectAnswer<'e>>,
    /// Whether an operation was done whose end is not yet recorded.
    is_pending: bool,
    /// Present if threads write.
    pub(super) attempts: Option<Attempts<C>>,
}

impl<'e, C: Clock> Threaded<'e, C> {
    /// Creates the sink of a thread whose steps have this number of names.
    fn new(
        clock: C,
        recorder: Recorder<C>,
        attempts: Option<Attempts<C>>,
        (names, counts): (usize, &Arc<ThreadCounts>),
    ) -> Self {
        let mut answers = ThreadAnswers::new(names, clock, Some(Arc::clone(counts)));
        if attempts.is_some() {
            answers.be_unsure();
        }
        Self { recorder, answers, kept: Vec::new(), is_pending: false, attempts }
    }

    /// Waits without work while the timer is paused.
    pub(super) fn idle<R>(&mut self, wait: impl FnOnce() -> R) -> R {
        let done = self.recorder.idle(wait);
        self.answers.go_on();
        done
    }

    /// An action under a name has failed, which is an answer too.
    pub(super) fn failed(&mut self, name: usize, message: String) {
        self.answers.failed(name, message);
    }

    /// Returns the results of a thread that closed its last handle. `operations`: how many it did.
    pub(super) fn finish(
        mut self,
        clock: &C,
        begun_ns: u64,
        operations: u64,
    ) -> Result<SqlThreadDone<'e>, EngineError> {
        if operations > 0 {
            self.recorder.lap();
        }
        let ended_ns = clock.now();
        let Self { recorder, answers, kept, attempts, .. } = self;
        let (busy, retries) = attempts.map_or((0, 0), |attempts| (attempts.busy, attempts.retries));
        let (tally, named) = answers.finish();
        let spent = recorder.finish()?;
        let own = EngineCounters::default();
        Ok(SqlThreadDone { tally, operations, busy, retries, named, kept, own, spent, begun_ns, ended_ns })
    }
}

impl<'e, C: Clock> Sink<'e> for Threaded<'e, C> {
    #[inline]
    fn action(&mut self) {
        if std::mem::take(&mut self.is_pending) {
            self.recorder.lap();
            self.answers.go_on();
        }
    }

    #[inline]
    fn operation(&mut self) {
        match &mut self.attempts {
            None => self.is_pending = true,
            Some(attempts) => attempts.laps.push(attempts.clock.now()),
        }
    }

    fn persists(&self) -> bool {
        self.attempts.is_some()
    }

    fn attempt(&mut self) {
        if let Some(attempts) = &mut self.attempts {
            attempts.before = (attempts.laps.len(), self.kept.len(), self.answers.tally);
        }
        self.answers.attempt();
    }

    fn refused(&mut self, error: EngineError) -> Result<(), EngineError> {
        let Some(attempts) = &mut self.attempts else { return Err(error) };
        let (laps, kept, tally) = attempts.before;
        attempts.laps.truncate(laps);
        self.kept.truncate(kept);
        self.answers.forget(tally);
        attempts.refused(error)
    }

    fn succeeded(&mut self) {
        if let Some(attempts) = &mut self.attempts {
            attempts.refused = None;
            let certain = attempts.laps.len().saturating_sub(1);
            attempts.laps.drain(..certain).for_each(|ended| {
                self.recorder.lap_at(ended);
            });
        }
        self.answers.keep();
    }

    #[inline]
    fn row<R: SqlRow>(&mut self, row: &R) {
        self.answers.row(row);
    }

    #[inline]
    fn rows(&mut self, rows: u64) {
        self.answers.rows(rows);
    }

    fn times(&mut self) -> Option<&mut dyn ActionTimes> {
        self.answers.times()
    }

    fn answer(&mut self, answer: ObjectAnswer<'e>) -> Result<(), EngineError> {
        self.kept.push(answer);
        Ok(())
    }

    fn stand_still(&mut self, work: impl FnOnce()) {
        self.recorder.stand_still(work);
        self.answers.go_on();
    }
}

fn actor_done(
    (actor, writes): (&SqlActor, bool),
    threads: &[&SqlThreadDone<'_>],
    wall_ns: u64,
    counts: &ActorCounts,
) -> ActorDone {
    let service = counts.service();
    let mut counters = Counters::default();
    let parts = TimeParts::of_all(threads.iter().map(|thread| thread.spent.parts));
    parts.iter().for_each(|parts| parts.add_to(&mut counters));
    counters.set("longest_wait_ns", (!service.is_empty()).then(|| service.max()));
    counters.set("fairness_ppm", fairness_ppm(threads.iter().map(|thread| thread.operations)));
    counters.set("busy", writes.then(|| threads.iter().map(|thread| thread.busy).sum()));
    counters.set("retries", writes.then(|| threads.iter().map(|thread| thread.retries).sum()));
    ActorDone {
        name: actor.name.clone(),
        threads: actor.threads,
        wall_ns,
        operations: threads.iter().map(|thread| thread.operations).sum(),
        rows: threads.iter().map(|thread| thread.rows()).sum(),
        operations_per_sample: 1,
        histogram: to_base64(&service),
        response: counts.response().map(|response| to_base64(&response)),
        counters,
    }
}
