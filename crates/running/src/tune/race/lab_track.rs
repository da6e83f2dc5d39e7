//! The track of real races: each session is run and stored, or read again from the store when a race goes on after an interruption.

use super::{
    super::{
        event::TuneEvent,
        lab::{Lab, SessionLimits, TuneError},
        samples::Samples,
    },
    rungs::Entrant,
    track::{RaceNews, RaceSamples, RaceSession, Track},
};
use crate::runner::RunnerEvent;
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_foundation::base::units;
use dbdyno_store::{ActorRecord, FailureKind, LeftSession, RunRecord, Status, TestRecord};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

/// A session that a race has finished. With these, a race that was interrupted repeats its decisions and goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceStep {
    pub session_id: String,
    /// When it ended, since the start of the race without interruptions, ms.
    pub ended_ms: u64,
}

/// What hears of a race on this machine.
pub trait RaceListener {
    /// Hears of progress. `elapsed`: the time since the race began.
    fn hear(&self, news: RaceNews<'_>, elapsed: Duration);

    /// Keeps the sessions that were finished, so that the race can go on after an interruption.
    ///
    /// # Errors
    /// They cannot be kept.
    fn keep(&self, steps: &[RaceStep]) -> Result<(), TuneError>;
}

/// A track that measures on this machine.
#[derive(Debug)]
pub struct LabTrack<'l, L, E = TuneEvent> {
    pub lab: &'l Lab<'l, E>,
    entrants: &'l [Entrant],
    /// The keys of all runs.
    keys: BTreeMap<String, String>,
    /// Sessions that an earlier process has finished, in order.
    earlier: VecDeque<(RaceStep, LeftSession)>,
    pub steps: Vec<RaceStep>,
    /// The time at the end of the last session. Decisions depend on it alone, so that they can be repeated.
    clock: Duration,
    /// When this process began to measure, and the clock at that time.
    begun: (Instant, Duration),
    pub listener: L,
}

impl<'l, L: RaceListener, E: From<RunnerEvent>> LabTrack<'l, L, E> {
    /// Returns a track on which an earlier process has finished some sessions.
    pub fn new(
        lab: &'l Lab<'l, E>,
        entrants: &'l [Entrant],
        keys: BTreeMap<String, String>,
        earlier: Vec<(RaceStep, LeftSession)>,
        listener: L,
    ) -> Self {
        let begun = (Instant::now(), Duration::ZERO);
        Self { lab, entrants, keys, earlier: earlier.into(), steps: Vec::new(), clock: Duration::ZERO, begun, listener }
    }

    /// Returns the entrants of the race.
    pub fn entrants(&self) -> &'l [Entrant] {
        self.entrants
    }

    /// Returns the time since the race began, with what came after its last session.
    pub fn since_begun(&self) -> Duration {
        self.begun.1 + self.begun.0.elapsed()
    }

    /// Returns the measurements of a session that an earlier process has finished, if it is the same.
    fn replayed(&mut self, plan: &BenchPlan, deadline: Option<Duration>) -> Option<RaceSamples> {
        let (step, session) = self.earlier.pop_front()?;
        if session.session.seed != plan.seed {
            // Another version decided otherwise: the race goes on from here with sessions of its own.
            self.earlier.clear();
            return None;
        }
        let measured = Session { runs: &session.runs, results: &session.results, actors: &session.actors, deadline };
        let took = Duration::from_millis(step.ended_ms).saturating_sub(self.clock);
        self.clock = Duration::from_millis(step.ended_ms);
        self.begun = (Instant::now(), self.clock);
        self.steps.push(step);
        Some(measured.samples(plan, took))
    }
}

impl<L: RaceListener, E: From<RunnerEvent>> Track for LabTrack<'_, L, E> {
    async fn measure(&mut self, session: RaceSession<'_>) -> Result<RaceSamples, TuneError> {
        let RaceSession { arms, rounds, seed, left, deadline } = session;
        let of = |arm: usize| &self.entrants[arm].workload;
        let engines =
            arms.iter().map(|arm| (of(arm.entrant).engine.description.name.as_str(), &arm.candidate.settings));
        let Some(workload) = arms.first().map(|arm| of(arm.entrant)) else { return Ok(RaceSamples::default()) };
        let plan = workload.plan_of(self.lab.registry, &engines.collect::<Vec<_>>(), rounds, seed)?;
        if let Some(measured) = self.replayed(&plan, deadline) {
            return Ok(measured);
        }
        let limits = SessionLimits { budget: left, deadline };
        let report = self.lab.run(&plan, self.keys.clone(), limits, |_| {}).await?;
        let before = self.clock;
        self.clock = self.begun.1 + self.begun.0.elapsed();
        if matches!(report.session.status, Status::Done | Status::Failed) {
            let ended_ms = self.clock.as_millis() as u64;
            self.steps.push(RaceStep { session_id: report.session.session_id.clone(), ended_ms });
            self.listener.keep(&self.steps)?;
            self.clock = Duration::from_millis(ended_ms);
        }
        let measured = Session { runs: &report.runs, results: &report.results, actors: &report.actors, deadline };
        Ok(measured.samples(&plan, self.clock.saturating_sub(before)))
    }

    fn elapsed(&self) -> Duration {
        self.clock
    }

    fn is_stopped(&self) -> bool {
        self.lab.is_stopped()
    }

    fn tell(&self, news: RaceNews<'_>) {
        self.listener.hear(news, self.clock);
    }
}

/// The records of a session.
struct Session<'s> {
    runs: &'s [RunRecord],
    results: &'s [TestRecord],
    actors: &'s [ActorRecord],
    /// The longest time that the race gives a run.
    deadline: Option<Duration>,
}

impl Session<'_> {
    /// Returns its measurements. `took`: its whole duration, which is shared out among the arms by the time of their runs.
    fn samples(&self, plan: &BenchPlan, took: Duration) -> RaceSamples {
        let mut samples = Samples::default();
        // First, because the first reason is kept: what the run was too slow for says more than that it was.
        for run in self.runs.iter().filter(|run| run.failure_kind == Some(FailureKind::Deadline)) {
            if let (Some(planned), Some(deadline)) = (plan.runs.get(run.ordinal as usize), self.deadline) {
                let reason = format!("a run takes more than {}, too long for this budget", units::clock(deadline));
                samples.fail(planned.configuration, reason);
            }
        }
        samples.add_session(plan, (self.runs, self.results, self.actors), |configuration| configuration);
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); plan.configurations.len()];
        for run in self.runs {
            if let (Some(planned), Some(ended)) = (plan.runs.get(run.ordinal as usize), run.finished_at) {
                let time = Duration::try_from(ended.duration_since(run.started_at)).unwrap_or_default();
                times[planned.configuration].push(time);
            }
        }
        let all: Duration = times.iter().flatten().sum();
        let whole = if all.is_zero() { 1.0 } else { (took.as_secs_f64() / all.as_secs_f64()).max(1.0) };
        let mean = |times: &Vec<Duration>| {
            (!times.is_empty()).then(|| (times.iter().sum::<Duration>() / times.len() as u32).mul_f64(whole))
        };
        RaceSamples { samples, run_times: times.iter().map(mean).collect() }
    }
}
