//! Runs the searches, run by run, in one session.

use super::{
    answer::{Capacity, CapacityAnswer, CapacityReport, Limit, RateEstimate, SearchResult, duels, estimates},
    event::CapacityEvent,
    probe::RateProbe,
    search::{RateBounds, Search, SearchEnd},
    target::RateTarget,
};
use crate::runner::{Control, OpenSession, SessionError, SessionLaunch, SessionReport, fit};
use dbdyno_catalog::{
    MOST_RATE,
    bench::{Configuration, PlanError, round_order},
};
use dbdyno_store::{Status, Store, StoreHistory};
use serde::Serialize;
use std::{collections::BTreeMap, time::Duration};
use tokio::{
    sync::mpsc::{self, UnboundedSender},
    task::JoinHandle,
};

/// The reason why no capacity could be measured.
#[derive(Debug, thiserror::Error)]
pub enum CapacityError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The disk has too little room.
    #[error("{0}")]
    NoRoom(String),
    /// Results were measured but could not be stored anywhere.
    #[error("some results could not be saved: {0}")]
    Lost(String),
}

/// The store, launch, events and control that the probes run with.
#[derive(Debug)]
pub struct CapacityLab<'l> {
    pub store: &'l Store,
    pub launch: SessionLaunch,
    /// The receiver of the events.
    pub events: UnboundedSender<CapacityEvent>,
    pub control: Control,
}

/// The part of the measurement that a probe belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CapacityPhase {
    /// Measures how many operations can be offered at all.
    Generator,
    /// Measures the rate when each operation waits for the previous one.
    Closed,
    /// The first search.
    First,
    /// The search of a round.
    Round,
}

/// Time that a probe takes in addition to its measured time, for estimates.
const AROUND: Duration = Duration::from_millis(300);
/// The key of all runs of the session, which distinguishes them from the runs of benches.
const KEY: &str = "capacity";

/// Searches for the highest rate of each engine, and reports its results as events.
///
/// # Errors
/// The disk has too little room, the session cannot begin, or results are lost.
pub async fn measure(lab: CapacityLab<'_>, target: &RateTarget) -> Result<CapacityReport, CapacityError> {
    let launch = with_key(lab.launch.clone(), target);
    let mut running = CapacityMeasurement::begin(lab, &launch, target).await?;
    let (offered, found) = running.all().await?;
    let events = running.events.clone();
    let found = running.ended(|target, probed, report| concluded(target, offered, found, probed, report)).await?;
    let _ = events.send(CapacityEvent::CapacityEnded { found: Box::new(found.clone()) });
    Ok(found)
}

/// Returns the settings of a session whose runs have the key of the promises.
fn with_key(launch: SessionLaunch, target: &RateTarget) -> SessionLaunch {
    let keys = BTreeMap::from([(KEY.to_owned(), target.terms.promises.key())]);
    SessionLaunch { keys: launch.keys.into_iter().chain(keys).collect(), ..launch }
}

/// Runs each configuration of a target at one rate in every round, and returns the probes of each: the inner error says why a run has no
/// result. No round follows once everything has to stop.
///
/// # Errors
/// The disk has too little room, the session cannot begin, or results are lost.
pub async fn at_rate(
    lab: CapacityLab<'_>,
    target: &RateTarget,
    rate: u64,
) -> Result<Vec<Vec<Result<RateProbe, String>>>, CapacityError> {
    let launch = with_key(lab.launch.clone(), target);
    let mut running = CapacityMeasurement::begin(lab, &launch, target).await?;
    let count = target.plan.configurations.len();
    let mut found: Vec<Vec<Result<RateProbe, String>>> = vec![Vec::new(); count];
    for round in 1..=target.terms.rounds {
        for configuration in round_order(count, round - 1, target.plan.seed) {
            let of = &target.plan.configurations[configuration];
            match running.probe(of, (CapacityPhase::Round, round), rate).await? {
                Ok(probe) => found[configuration].push(Ok(probe)),
                Err(SearchResult::Failed { reason }) => found[configuration].push(Err(reason)),
                Err(_) => return running.ended(|_, _, _| found).await,
            }
        }
    }
    running.ended(|_, _, _| found).await
}

/// The results of the first search and of the rounds, for each configuration.
type FoundByRound = Vec<FoundOfEngine>;
type FoundOfEngine = (SearchResult, Vec<SearchResult>);

struct CapacityMeasurement<'r> {
    target: &'r RateTarget,
    session: OpenSession<'r>,
    events: UnboundedSender<CapacityEvent>,
    /// The probes of each configuration, in the order in which they ran.
    probed: Vec<Vec<RateProbe>>,
    /// Probes before the rounds. Each of them has its own seed.
    before_rounds: u32,
    /// The task that passes the session's events on.
    passing: JoinHandle<()>,
}

impl<'r> CapacityMeasurement<'r> {
    /// Begins the session in which all probes run.
    async fn begin(
        lab: CapacityLab<'r>,
        launch: &'r SessionLaunch,
        target: &'r RateTarget,
    ) -> Result<Self, CapacityError> {
        let CapacityLab { store, events, control, .. } = lab;
        let estimate =
            fit(&target.plan, &launch.work_dir, &StoreHistory::read(store)).map_err(CapacityError::NoRoom)?;
        let longest = Duration::from_secs(target.seconds(1) + target.terms.warm_up);
        let expected = estimate.time / target.plan.runs.len().max(1) as u32 + longest + AROUND;
        let (said, mut heard) = mpsc::unbounded_channel();
        let passed_on = events.clone();
        let passing = tokio::spawn(async move {
            while let Some(says) = heard.recv().await {
                // Watchers are optional, so the receiver may be gone.
                let _ = passed_on.send(CapacityEvent::Session { says });
            }
        });
        let session = OpenSession::begin(&target.plan, &target.null, launch, store, expected, said, control).await?;
        let probed = vec![Vec::new(); target.plan.configurations.len()];
        Ok(Self { target, session, events, probed, before_rounds: 0, passing })
    }

    /// Ends the session, and returns what its report and the probes of each configuration come to.
    async fn ended<A>(
        self,
        answer: impl FnOnce(&RateTarget, &[Vec<RateProbe>], &SessionReport) -> A,
    ) -> Result<A, CapacityError> {
        let Self { target, session, probed, passing, .. } = self;
        let report = session.finish().await?;
        let _ = passing.await;
        match &report.unkept {
            Some(reason) => Err(CapacityError::Lost(reason.clone())),
            None => Ok(answer(target, &probed, &report)),
        }
    }
    async fn all(&mut self) -> Result<(u64, FoundByRound), PlanError> {
        let plan = &self.target.plan;
        let offered = self.offered().await?;
        let bounds = self.target.bounds(offered);
        let mut found: FoundByRound = Vec::new();
        for configuration in 0..plan.configurations.len() {
            let first = self.first(configuration, bounds, offered).await?;
            found.push((first, Vec::new()));
        }
        for round in 1..=self.target.terms.rounds {
            if self.session.is_over() {
                break;
            }
            for configuration in round_order(found.len(), round - 1, plan.seed) {
                let (first, rounds) = &mut found[configuration];
                let SearchResult::Rate(estimate) = first else { continue };
                // A round without a rate has already decided the answer.
                if rounds.iter().any(|found| !matches!(found, SearchResult::Rate(_))) {
                    continue;
                }
                let search = Search::near(bounds, estimate.rate.round() as u64, self.target.terms.precision);
                rounds.push(self.search(search, configuration, (CapacityPhase::Round, round), offered).await?);
            }
        }
        Ok((offered, found))
    }

    /// Returns how many operations a second can be offered while the generator waits at least as long as it works. Beyond that, response
    /// times would be the generator's own.
    async fn offered(&mut self) -> Result<u64, PlanError> {
        if self.target.is_of_accounts() {
            // The engine that does nothing has no accounts.
            return Ok(MOST_RATE);
        }
        let made = self.probe(&self.target.generator, (CapacityPhase::Generator, 0), 0).await?;
        // An unknown generator rate sets no limit: the engines' own results do.
        Ok(made.map_or(MOST_RATE, |probe| (probe.achieved / 2.0) as u64))
    }

    async fn first(
        &mut self,
        configuration: usize,
        bounds: RateBounds,
        offered: u64,
    ) -> Result<SearchResult, PlanError> {
        let closed =
            match self.probe(&self.target.plan.configurations[configuration], (CapacityPhase::Closed, 0), 0).await? {
                Ok(probe) => probe,
                Err(found) => return Ok(found),
            };
        // No queue forms in a closed loop, so its rate is above any rate that keeps a promise. Half of it is not far off.
        let search = Search::wide(bounds, (closed.achieved / 2.0) as u64, self.target.terms.precision);
        self.search(search, configuration, (CapacityPhase::First, 0), offered).await
    }

    async fn search(
        &mut self,
        mut search: Search,
        configuration: usize,
        (phase, round): (CapacityPhase, u32),
        offered: u64,
    ) -> Result<SearchResult, PlanError> {
        let of = &self.target.plan.configurations[configuration];
        let mut probes: Vec<RateProbe> = Vec::new();
        let found = loop {
            let rate = match search.next() {
                Ok(rate) => rate,
                Err(end) => break ended(end, &probes, round, offered),
            };
            match self.probe(of, (phase, round), rate).await? {
                Ok(probe) => {
                    search.tell(rate, probe.holds());
                    probes.push(probe);
                }
                Err(found) => break found,
            }
        };
        self.probed[configuration].extend(probes);
        let _ =
            self.events.send(CapacityEvent::Searched { label: of.label.clone(), phase, round, found: found.clone() });
        Ok(found)
    }

    /// Runs a probe. The inner error is the result with which its search ends.
    async fn probe(
        &mut self,
        configuration: &Configuration,
        (phase, round): (CapacityPhase, u32),
        rate: u64,
    ) -> Result<Result<RateProbe, SearchResult>, PlanError> {
        if self.session.is_over() {
            return Ok(Err(SearchResult::Stopped));
        }
        let RateTarget { pace, terms, .. } = self.target;
        let at_rate = self.target.at(configuration, rate)?;
        // Probes of a round have the same seed for all engines. Each probe before the rounds has a different one.
        let number = if round == 0 { self.before_rounds } else { 0 };
        self.before_rounds += u32::from(round == 0);
        let chosen = self.session.run(&at_rate, round, self.target.seed(round, number)).await;
        if self.session.is_over() {
            return Ok(Err(SearchResult::Stopped));
        }
        let probe = match RateProbe::of(&chosen, (pace.test, &pace.actor), rate, &terms.promises) {
            Ok(probe) => probe,
            Err(why) => {
                let at = if rate == 0 { "at full speed".to_owned() } else { format!("at {rate}/s") };
                return Ok(Err(SearchResult::Failed { reason: format!("the probe {at} failed: {why}") }));
            }
        };
        let (label, rounds) = (configuration.label.clone(), terms.rounds);
        let _ = self.events.send(CapacityEvent::Probed { label, phase, round, rounds, probe: Box::new(probe.clone()) });
        Ok(Ok(probe))
    }
}

/// Returns the result of a search that ended there.
fn ended(end: SearchEnd, probes: &[RateProbe], round: u32, offered: u64) -> SearchResult {
    // If a rate was tried again, this is the first probe that agrees with the majority.
    let at = |rate: u64, holds: bool| probes.iter().find(|probe| probe.rate == rate && probe.holds() == holds).cloned();
    let missing = || SearchResult::Failed { reason: "a search ended at a rate that it had not tried".to_owned() };
    match end {
        SearchEnd::Between { held, broke } => match (at(held, true), at(broke, false)) {
            (Some(held), Some(broke)) => SearchResult::Rate(Box::new(RateEstimate::between(round, held, broke))),
            _ => missing(),
        },
        SearchEnd::AllHold { highest } => {
            let limit = if highest >= offered { Limit::Generator } else { Limit::Asked };
            SearchResult::AtLeast { rate: highest, limit }
        }
        SearchEnd::NothingHolds { lowest } => {
            at(lowest, false).map_or_else(missing, |probe| SearchResult::NoRate { lowest: Box::new(probe) })
        }
    }
}

fn concluded(
    target: &RateTarget,
    offered: u64,
    found: FoundByRound,
    probed: &[Vec<RateProbe>],
    report: &SessionReport,
) -> CapacityReport {
    let plan = &target.plan;
    let capacity = |((configuration, (first, rounds)), probes): ((&Configuration, FoundOfEngine), &Vec<RateProbe>)| {
        let answer = CapacityAnswer::of(&first, &rounds);
        let contrary = answer.contrary(probes.iter());
        Capacity {
            label: configuration.label.clone(),
            tier: configuration.tier.to_string(),
            threads: target.actor(configuration).map_or(0, |actor| actor.threads),
            answer,
            rounds: estimates(&rounds),
            contrary,
            probes: probes.len(),
        }
    };
    let capacities: Vec<Capacity> = plan.configurations.iter().zip(found).zip(probed).map(capacity).collect();
    let test = plan.suite.tests().find(|test| test.number == target.pace.test);
    CapacityReport {
        session_id: report.session.session_id.clone(),
        suite: plan.suite.name.clone(),
        test: target.pace.test,
        test_name: test.map(|test| test.name).unwrap_or_default(),
        actor: target.pace.actor.clone(),
        size: plan.configurations.first().map(|one| one.size.to_string()).unwrap_or_default(),
        arrival: target.terms.gaps.word().to_owned(),
        seconds: target.terms.seconds,
        precision: target.terms.precision,
        promises: target.terms.promises.clone(),
        seed: plan.seed,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        offered,
        duels: duels(&capacities),
        capacities,
        warnings: report
            .warnings
            .iter()
            .map(|warning| warning.message.clone())
            .chain(report.unmerged.clone())
            .collect(),
        stopped: report.session.status == Status::Cancelled,
    }
}
