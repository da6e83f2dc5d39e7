//! Tests of several threads: actors that work on one database at the same time.

mod arrivals;
mod course;
mod follow;
mod freshness;
mod member;
mod place;
mod verification;

pub(crate) use self::place::KvThreadDone;

use self::{
    course::Course,
    freshness::Acknowledged,
    member::{work, work_in},
    place::ThreadPlace,
    verification::verification,
};
use super::{accounts::Accounts, operations::KvTally};
use crate::{
    actors::{ActorCounts, ActorShape, ActorsDone, Cores, Shown, fairness_ppm, joined, places},
    histogram::to_base64,
    named::NamedResults,
    parts::TimeParts,
    recorder::RecordedTime,
};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    counters::{Counters, EngineCounters},
    kv::{KvEngine, KvHandle, KvSession, KvThreads},
    protocol::{ActorDone, ActorHead, StatementDone},
    suite::{KeyChoice, KvActor, KvActors, KvSuite, KvTest, KvWork, Operation},
};
use std::{path::Path, thread, time::Instant};

/// Returns the description of the actors that have threads, which is reported before they start.
pub(super) fn heads(load: &KvActors) -> Vec<ActorHead> {
    let head = |actor: &KvActor| ActorHead {
        name: actor.name.clone(),
        threads: actor.threads,
        rate: actor.arrival.map(|arrival| arrival.rate),
    };
    load.actors.iter().filter(|actor| actor.threads > 0).map(head).collect()
}

/// Returns the shape of each actor's counters.
pub(super) fn shapes(load: &KvActors) -> impl Iterator<Item = ActorShape> {
    load.actors.iter().map(|actor| ActorShape {
        name: actor.name.clone(),
        threads: actor.threads,
        is_due: actor.is_due(),
        rate: actor.arrival.map(|arrival| arrival.rate),
        during: actor.during,
        holds: actor.work.holds(),
        names: match actor.names().next() {
            Some(_) => actor.work.work.iter().map(|work| work.name.clone()).collect(),
            None => Vec::new(),
        },
    })
}

/// The error of an engine that does not share its database.
const ONE_THREAD: &str = "this engine runs tests of one thread only";

/// A test of several threads.
pub(crate) struct KvActorsTest<'t> {
    pub(super) suite: &'t KvSuite,
    pub(super) test: &'t KvTest,
    pub(super) load: &'t KvActors,
    /// The accounts before the test; `None` if the actors do not work with accounts.
    pub(super) accounts: Option<Accounts>,
    pub(super) seed: u64,
    /// The folder of the database.
    pub(super) folder: &'t Path,
    pub(super) shown: &'t Shown,
}

impl KvActorsTest<'_> {
    /// Returns the place of a thread of an actor. `ordinal`: its index among all threads.
    fn place<'p>(
        &'p self,
        (actor, thread): (usize, u32),
        ordinal: usize,
        acknowledged: &'p Acknowledged,
        has_news: bool,
    ) -> ThreadPlace<'p> {
        let number = actor as u64;
        let actor = &self.load.actors[actor];
        ThreadPlace {
            test: self.test,
            actor,
            recording: self.suite.recording.as_deref(),
            seed: self.seed,
            number,
            thread,
            ordinal,
            acknowledged,
            expects_news: has_news && only_reads(&actor.work),
        }
    }
}

/// The results of such a test. Its answers are not yet checked.
pub(crate) struct KvActorsDone {
    pub(super) performed: ActorsDone,
    pub(super) threads: Vec<KvThreadDone>,
}

/// Reads the accounts before a test whose actors work with accounts.
pub(super) fn accounts_before<E: KvThreads>(
    engine: &E,
    (test, load): (&KvTest, &KvActors),
) -> Result<Option<Accounts>, EngineError> {
    has_accounts(load).then(|| accounts(engine, test)).transpose()
}

/// Runs the actors of a test on an engine's database.
pub(super) fn perform<E: KvThreads>(engine: &E, of: &KvActorsTest<'_>) -> Result<KvActorsDone, EngineError> {
    let KvActorsTest { load, accounts, shown, .. } = *of;
    let clock = engine.clock();
    let course = Course::new(load, clock.is_real());
    let cores = Cores::for_threads(course.threads());
    let places = places(load.actors.iter().map(|actor| actor.threads));
    let acknowledged = Acknowledged::new(places.len());
    let has_news = accounts.is_some() && engine.answers();
    let (done, followed) = thread::scope(|scope| {
        let spawn = |(ordinal, (actor, thread)): (usize, (usize, u32))| {
            let place = of.place((actor, thread), ordinal, &acknowledged, has_news);
            let (course, cores, counts) = (&course, &cores, shown.actors[actor].thread(thread));
            let tally = KvTally::of(accounts.unwrap_or_default());
            scope.spawn(move || {
                cores.pin(ordinal);
                work(engine, &place, course, counts, tally)
            })
        };
        let running: Vec<_> = places.iter().copied().enumerate().map(spawn).collect();
        let following = (load.followed && clock.is_real()).then(|| scope.spawn(|| follow::follow(engine, &course, of)));
        course.conduct(&clock, &shown.measured_since);
        let done: Vec<Result<KvThreadDone, EngineError>> = running.into_iter().map(joined).collect();
        (done, following.map_or(Ok(()), joined))
    });
    let done = done.into_iter().collect::<Result<Vec<_>, _>>()?;
    followed?;
    Ok(finished(of, &places, done, clock.is_real()))
}

/// Checks the answers of threads that have ended, and the content of the database.
pub(super) fn verify<E: KvThreads>(
    engine: &E,
    of: &KvActorsTest<'_>,
    threads: &[KvThreadDone],
) -> Result<Option<String>, EngineError> {
    let after = of.accounts.map(|_| accounts(engine, of.test)).transpose()?;
    verification(of, threads, engine.answers(), after, |tally| {
        let mut handle = engine.handle()?;
        tally.state(&mut handle.session(&of.test.sql)?)
    })
}

/// Runs recorded operations of one thread, in the thread that calls.
pub(super) fn perform_alone<E: KvEngine>(engine: &mut E, of: &KvActorsTest<'_>) -> Result<KvActorsDone, EngineError> {
    let KvActorsTest { test, load, shown, .. } = *of;
    let clock = engine.clock();
    let places = places(load.actors.iter().map(|actor| actor.threads));
    let [(actor, thread)] = places[..] else { return Err(EngineError::new(ONE_THREAD)) };
    if load.time_ms.is_some() || load.warm_up_ms > 0 || load.actors[actor].work.keys != KeyChoice::Recorded {
        return Err(EngineError::new(ONE_THREAD));
    }
    let acknowledged = Acknowledged::new(1);
    let place = of.place((actor, thread), 0, &acknowledged, false);
    let course = Course::new(load, clock.is_real());
    let counts = shown.actors[actor].thread(thread);
    shown.measured_since.get_or_init(Instant::now);
    let mut session = engine.session(&test.sql)?;
    let own = Some(session.counters());
    let done = work_in(&mut session, own, clock.clone(), &place, &course, counts, KvTally::default())?;
    Ok(finished(of, &places, vec![done], clock.is_real()))
}

/// Does the same as [`verify`], for a thread without others.
pub(super) fn verify_alone<E: KvEngine>(
    engine: &mut E,
    of: &KvActorsTest<'_>,
    threads: &[KvThreadDone],
) -> Result<Option<String>, EngineError> {
    let answers = engine.answers();
    verification(of, threads, answers, None, |tally| tally.state(&mut engine.session(&of.test.sql)?))
}

/// Returns the results of all threads.
fn finished(of: &KvActorsTest<'_>, places: &[(usize, u32)], threads: Vec<KvThreadDone>, is_real: bool) -> KvActorsDone {
    let KvActorsTest { load, shown, .. } = *of;
    let of_actor =
        |actor: usize| places.iter().zip(&threads).filter(move |((of, _), _)| *of == actor).map(|(_, done)| done);
    let actors: Vec<ActorDone> = (0..load.actors.len())
        .filter(|actor| load.actors[*actor].threads > 0)
        .map(|actor| {
            let threads: Vec<_> = of_actor(actor).collect();
            actor_done(&load.actors[actor], &shown.actors[actor], &threads, is_real)
        })
        .collect();
    let statements = (0..load.actors.len()).flat_map(|actor| named(&load.actors[actor], of_actor(actor))).collect();
    let wall = if is_real {
        from_first_to_last(&threads.iter().collect::<Vec<_>>())
    } else {
        // Simulated time is per thread.
        threads.iter().map(|thread| thread.elapsed_ns).max().unwrap_or(0)
    };
    let performed = ActorsDone {
        spent: RecordedTime {
            wall,
            between: threads.iter().map(|thread| thread.between_ns).sum(),
            parts: TimeParts::of_all(threads.iter().map(|thread| thread.parts)),
        },
        operations: actors.iter().map(|actor| actor.operations).sum(),
        rows: actors.iter().map(|actor| actor.rows).sum(),
        actors,
        statements,
        verification: None,
        own: sum_of(threads.iter().map(|thread| &thread.own)),
    };
    KvActorsDone { performed, threads }
}

/// Adds up what the engine counted for each thread.
fn sum_of<'c>(threads: impl Iterator<Item = &'c EngineCounters>) -> EngineCounters {
    let mut sum = EngineCounters::default();
    threads.for_each(|one| sum.add(one));
    sum
}

/// Whether the actors' work can be checked against the invariants of accounts.
fn has_accounts(load: &KvActors) -> bool {
    let of_accounts = |operation: &Operation| {
        matches!(operation, Operation::Transfer { .. } | Operation::Audit { .. } | Operation::Hold)
    };
    load.actors.iter().flat_map(|actor| &actor.work.work).any(|work| of_accounts(&work.operation))
}

fn accounts<E: KvThreads>(engine: &E, test: &KvTest) -> Result<Accounts, EngineError> {
    if !engine.answers() {
        return Ok(Accounts::default());
    }
    let mut handle = engine.handle()?;
    let mut session = handle.session(&test.sql)?;
    Accounts::read(&mut session.read()?)
}

/// Whether the work is only reads, each of the state when it begins.
fn only_reads(work: &KvWork) -> bool {
    !work.writes() && !work.holds()
}

/// Returns the time from the start of the first thread to the end of the last one, ns. Threads with a fixed number of operations may not
/// work at the same time.
fn from_first_to_last(threads: &[&KvThreadDone]) -> u64 {
    let begun = threads.iter().map(|thread| thread.begun_ns).min();
    let ended = threads.iter().map(|thread| thread.begun_ns + thread.elapsed_ns).max();
    ended.unwrap_or(0) - begun.unwrap_or(0)
}

/// Returns the results under each name that an actor's work has.
fn named<'d>(actor: &KvActor, threads: impl Iterator<Item = &'d KvThreadDone>) -> Vec<StatementDone> {
    let mut all = vec![NamedResults::default(); actor.work.work.len()];
    threads.for_each(|thread| all.iter_mut().zip(&thread.named).for_each(|(all, one)| all.add(one)));
    let of_names = actor.work.work.iter().zip(&all).filter(|(work, _)| work.name.is_some());
    actor.names().zip(of_names).map(|(name, (_, named))| named.done(name, false)).collect()
}

fn actor_done(actor: &KvActor, counts: &ActorCounts, threads: &[&KvThreadDone], is_real: bool) -> ActorDone {
    let sum = |figure: fn(&KvThreadDone) -> u64| threads.iter().map(|thread| figure(thread)).sum::<u64>();
    let mean = |figure| sum(figure) / u64::from(actor.threads.max(1));
    // Simulated time is per thread.
    let wall_ns = match is_real {
        true => from_first_to_last(threads) - mean(|thread| thread.between_ns),
        false => mean(|thread| thread.wall_ns),
    };
    let service = counts.service();
    let mut counters = Counters::default();
    counters.set("failures", Some(sum(|thread| thread.failures)));
    counters.set("busy", Some(sum(|thread| thread.busy)));
    counters.set("retries", Some(sum(|thread| thread.retries)));
    counters.set("longest_wait_ns", (!service.is_empty()).then(|| service.max()));
    counters.set("fairness_ppm", fairness_ppm(threads.iter().map(|thread| thread.operations)));
    let parts = TimeParts::of_all(threads.iter().map(|thread| thread.parts));
    parts.iter().for_each(|parts| parts.add_to(&mut counters));
    counters.set("backlog", actor.is_due().then(|| sum(|thread| thread.backlog)));
    ActorDone {
        name: actor.name.clone(),
        threads: actor.threads,
        wall_ns,
        operations: sum(|thread| thread.operations),
        rows: sum(|thread| thread.rows),
        operations_per_sample: actor.together(),
        histogram: to_base64(&service),
        response: counts.response().map(|response| to_base64(&response)),
        counters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_work_one_after_the_other_take_the_time_of_both() {
        let thread = |begun_ns, elapsed_ns| KvThreadDone { begun_ns, elapsed_ns, ..KvThreadDone::default() };
        assert_eq!(from_first_to_last(&[&thread(200, 50), &thread(100, 60)]), 150);
        assert_eq!(
            from_first_to_last(&[&thread(100, 100), &thread(100, 100)]),
            100,
            "beside each other they take it once"
        );
    }
}
