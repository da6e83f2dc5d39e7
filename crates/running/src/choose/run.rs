//! Runs a choice on this machine, keeps it in the store, and goes on with one that was interrupted.

use super::{
    answer::{ChoiceAnswer, ChoiceVerdict, EngineAnswer, EngineState, PromiseResult},
    compete::{ChooseTrack, Competition, CompetitionTerms, ConfirmedArm, compete, fall},
    entrants::{ChosenWorkload, Considered, NotConsidered, starts},
    event::{ChooseEvent, ChoosePhase, LeaderLine},
    question::{Constraints, Question, RatePromise},
    stored::{StoredChoice, json, keep},
};
use crate::{
    capacity::{CapacityError, CapacityLab, CapacityTerms, RateProbe, RateTarget, at_rate},
    tune::{
        Lab, OptionChange, Setting, TuneError,
        race::{
            Arm, ArmResult, Entrant, LabTrack, RaceListener, RaceNews, RaceSamples, RaceSession, RaceStanding,
            RaceStep, Track, pool,
        },
    },
};
use dbdyno_catalog::bench::{EngineChoice, Spec};
use dbdyno_engine::suite::Gaps;
use dbdyno_foundation::{base::identifier::identifier, host::HostFacts};
use dbdyno_store::{ChoiceRecord, StoreError};
use jiff::Timestamp;
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::mpsc;

/// Rounds, seconds and warm-up of the runs that check the promised response times.
const PROMISE_ROUNDS: u32 = 3;
const PROMISE_SECONDS: u64 = 5;
const PROMISE_WARM_UP: u64 = 1;
/// How close rates would have to be in a search for the highest; there is none here.
const PRECISION: f64 = 0.05;

/// Chooses an engine with its settings for a workload, reports its progress, and stores the answer. `earlier` is a choice that was
/// interrupted: its finished sessions are read again, and it goes on.
///
/// # Errors
/// A session cannot begin, or the store cannot be written.
pub async fn choose(
    lab: &Lab<'_, ChooseEvent>,
    workload: &ChosenWorkload,
    considered: Considered,
    question: Question,
    earlier: Option<StoredChoice>,
) -> Result<ChoiceAnswer, TuneError> {
    let Considered { entrants, left_out } = considered;
    let record = match &earlier {
        Some(earlier) => earlier.record.clone(),
        None => record(lab, &question)?,
    };
    keep(lab.store, record.clone())?;
    let finished = match earlier {
        Some(earlier) => sessions(lab, earlier.steps)?,
        None => Vec::new(),
    };
    let choice_id = record.choice_id.clone();
    lab.tell(ChooseEvent::ChoiceStarted {
        choice_id: choice_id.clone(),
        question: Box::new(question.clone()),
        engines: entrants.iter().map(name).collect(),
        not_considered: left_out.clone(),
    });
    let keys = BTreeMap::from([("choice".to_owned(), choice_id)]);
    let listener = Listener { lab, entrants: &entrants, record: record.clone(), budget: question.budget() };
    let mut track = ChoiceTrack {
        inner: LabTrack::new(lab, &entrants, keys, finished, listener),
        workload,
        promise: question.constraints.promise.clone(),
        seed: question.seed,
    };
    let terms = terms(&question);
    let pools: Vec<_> = entrants.iter().map(|entrant| pool(entrant.aim(terms.tier), terms.seed)).collect();
    let found = match entrants.is_empty() {
        true => None,
        false => Some(compete(&mut track, &entrants, starts(&entrants, terms.tier), &pools, &terms).await?),
    };
    let took = track.inner.since_begun();
    let candidates: Vec<usize> = pools.iter().map(Vec::len).collect();
    let steps = track.inner.steps.clone();
    let choice = answered(&entrants, &candidates, found, Beside { record: &record, question, left_out, took });
    let is_answered = choice.verdict != ChoiceVerdict::Stopped;
    keep(
        lab.store,
        ChoiceRecord {
            state: if is_answered { "answered" } else { "stopped" }.to_owned(),
            steps: json(&steps)?,
            answer: is_answered.then(|| json(&choice)).transpose()?,
            ..record
        },
    )?;
    lab.tell(ChooseEvent::ChoiceEnded { choice: Box::new(choice.clone()) });
    Ok(choice)
}

fn terms(question: &Question) -> CompetitionTerms {
    let Constraints { tier, memory_limit, disk_limit, .. } = question.constraints;
    CompetitionTerms { tier, memory_limit, disk_limit, budget: question.budget(), seed: question.seed }
}

fn name(entrant: &Entrant) -> String {
    entrant.workload.engine.description.name.clone()
}

/// Returns the record of a choice that begins.
fn record(lab: &Lab<'_, ChooseEvent>, question: &Question) -> Result<ChoiceRecord, StoreError> {
    Ok(ChoiceRecord {
        choice_id: identifier(),
        host_id: HostFacts::read().id(),
        begun_at: Timestamp::now(),
        suite: question.suite.clone(),
        state: "running".to_owned(),
        question: json(question)?,
        steps: json(&Vec::<RaceStep>::new())?,
        answer: None,
        command_line: lab.launch.command_line.clone(),
    })
}

/// Reads the sessions that an earlier process has finished, up to the first that the store no longer has.
fn sessions(
    lab: &Lab<'_, ChooseEvent>,
    steps: Vec<RaceStep>,
) -> Result<Vec<(RaceStep, dbdyno_store::LeftSession)>, StoreError> {
    let mut found = Vec::new();
    let host = [String::new(), String::new()];
    for step in steps {
        match lab.store.left_session(Some(&step.session_id), &host)? {
            Some(session) => found.push((step, session)),
            None => break,
        }
    }
    Ok(found)
}

/// Passes the progress of the race on, and keeps its finished sessions.
struct Listener<'l> {
    lab: &'l Lab<'l, ChooseEvent>,
    entrants: &'l [Entrant],
    record: ChoiceRecord,
    budget: Duration,
}

impl RaceListener for Listener<'_> {
    fn hear(&self, news: RaceNews<'_>, elapsed: Duration) {
        let engine = |entrant: usize| name(&self.entrants[entrant]);
        self.lab.tell(match news {
            RaceNews::Dropped { arm, reason } => ChooseEvent::Excluded {
                engine: engine(arm.entrant),
                settings: arm.candidate.change.to_string(),
                reason: reason.to_owned(),
            },
            RaceNews::TakenOut { entrant, what } => {
                ChooseEvent::TakenOut { engine: engine(entrant), what: Box::new(what.clone()) }
            }
            RaceNews::Standing(standing) => {
                let RaceStanding { entrants, .. } = *standing;
                let mut lines: Vec<LeaderLine> = entrants
                    .into_iter()
                    .flatten()
                    .map(|one| {
                        let Entrant { workload, base } = &self.entrants[one.result.entrant];
                        let description = &workload.engine.description;
                        let settings = one.result.result.change.made_to(base, description);
                        LeaderLine {
                            engine: description.name.clone(),
                            tried: one.tried,
                            settings: Setting::of(description, &settings.unwrap_or_else(|_| base.clone()).to_map()),
                            result: one.result.result,
                            behind: one.behind,
                        }
                    })
                    .collect();
                let place =
                    |line: &LeaderLine| (fall(&line.result.fate).is_some(), line.result.ratio.unwrap_or(f64::INFINITY));
                lines.sort_by(|a, b| place(a).0.cmp(&place(b).0).then(place(a).1.total_cmp(&place(b).1)));
                let left_ms = self.budget.saturating_sub(elapsed).as_millis() as u64;
                ChooseEvent::Leaderboard { lines, left_ms }
            }
        });
    }

    fn keep(&self, steps: &[RaceStep]) -> Result<(), TuneError> {
        Ok(keep(self.lab.store, ChoiceRecord { steps: json(&steps)?, ..self.record.clone() })?)
    }
}

/// The track of a choice: the sessions of its race, and runs at the promised rate.
struct ChoiceTrack<'l> {
    inner: LabTrack<'l, Listener<'l>, ChooseEvent>,
    workload: &'l ChosenWorkload,
    promise: Option<RatePromise>,
    seed: u64,
}

impl Track for ChoiceTrack<'_> {
    async fn measure(&mut self, session: RaceSession<'_>) -> Result<RaceSamples, TuneError> {
        self.inner.measure(session).await
    }

    fn elapsed(&self) -> Duration {
        self.inner.elapsed()
    }

    fn is_stopped(&self) -> bool {
        self.inner.is_stopped()
    }

    fn tell(&self, news: RaceNews<'_>) {
        self.inner.tell(news);
    }
}

impl ChooseTrack for ChoiceTrack<'_> {
    fn enter(&self, phase: ChoosePhase) {
        if phase != ChoosePhase::Promises || self.promise.is_some() {
            self.inner.lab.tell(ChooseEvent::Phase { phase });
        }
    }

    async fn promises(&mut self, arms: &[&Arm]) -> Result<Vec<Option<Result<PromiseResult, String>>>, TuneError> {
        let Some(RatePromise { rate, promises }) = &self.promise else { return Ok(vec![None; arms.len()]) };
        let lab = self.inner.lab;
        let one = |(name, value): (&str, &str)| (name.to_owned(), vec![value.to_owned()]);
        let spec = Spec {
            suite: self.workload.suite.name.clone(),
            suite_options: self.workload.suite_options.iter().map(|(name, value)| one((name, value))).collect(),
            engines: arms
                .iter()
                .map(|arm| EngineChoice {
                    name: name(&self.inner.entrants()[arm.entrant]),
                    options: arm.candidate.settings.iter().map(one).collect(),
                    optional: false,
                })
                .collect(),
            sizes: vec![self.workload.size],
            tests: self.workload.pick.words(),
            seed: Some(self.seed),
            ..Spec::default()
        };
        let terms = CapacityTerms {
            promises: promises.clone(),
            gaps: Gaps::Poisson,
            seconds: PROMISE_SECONDS,
            warm_up: PROMISE_WARM_UP,
            from: None,
            to: None,
            precision: PRECISION,
            rounds: PROMISE_ROUNDS,
        };
        let target = RateTarget::new(self.workload.suite.clone(), None, spec, terms, lab.registry)?;
        // The progress of its runs is told by the race's events.
        let (events, _) = mpsc::unbounded_channel();
        let capacity =
            CapacityLab { store: lab.store, launch: lab.launch.clone(), events, control: lab.control.clone() };
        let found = at_rate(capacity, &target, *rate).await.map_err(of_capacity)?;
        Ok(found.into_iter().map(|probes| Some(kept(probes))).collect())
    }
}

fn of_capacity(error: CapacityError) -> TuneError {
    match error {
        CapacityError::Plan(error) => error.into(),
        CapacityError::Session(error) => error.into(),
        CapacityError::NoRoom(message) => TuneError::Asked(message),
        CapacityError::Lost(message) => TuneError::Lost(message),
    }
}

/// Returns what the probes of an arm kept, or why it has no result.
fn kept(probes: Vec<Result<RateProbe, String>>) -> Result<PromiseResult, String> {
    let probes: Vec<RateProbe> = probes.into_iter().collect::<Result<_, _>>()?;
    let mut found: Vec<Option<u64>> =
        probes.iter().filter_map(|probe| probe.quantiles.first()).map(|(_, found)| *found).collect();
    found.sort_by_key(|ns| ns.unwrap_or(u64::MAX));
    let middle = found.len().checked_sub(1).map(|last| last / 2);
    let kept = probes.iter().filter(|probe| probe.holds()).count() as u32;
    Ok(PromiseResult { kept, of: probes.len() as u32, found_ns: middle.and_then(|middle| found[middle]) })
}

/// The facts of an answer that do not come from the competition.
struct Beside<'b> {
    record: &'b ChoiceRecord,
    question: Question,
    left_out: Vec<NotConsidered>,
    took: Duration,
}

fn answered(
    entrants: &[Entrant],
    candidates: &[usize],
    found: Option<Competition>,
    beside: Beside<'_>,
) -> ChoiceAnswer {
    let Beside { record, question, left_out, took } = beside;
    let verdict = found.as_ref().map_or(ChoiceVerdict::Nothing, verdict);
    let rounds = found.as_ref().map_or(0, |found| found.rounds);
    ChoiceAnswer {
        choice_id: record.choice_id.clone(),
        question,
        took_ms: took.as_millis() as u64,
        verdict,
        engines: found.map_or_else(Vec::new, |found| engines(entrants, candidates, &found)),
        not_considered: left_out,
        confirmed_rounds: rounds,
    }
}

fn verdict(found: &Competition) -> ChoiceVerdict {
    match (found.is_stopped, found.confirmed.as_slice()) {
        (true, _) => ChoiceVerdict::Stopped,
        (false, []) => ChoiceVerdict::Nothing,
        (false, [_]) if found.in_race.iter().flatten().count() == 1 => ChoiceVerdict::Alone,
        (false, confirmed) if confirmed.iter().any(Competition::is_level) => ChoiceVerdict::Level,
        (false, _) => ChoiceVerdict::One,
    }
}

/// Returns the engines that took part: the confirmed ones, then those that ran by their time in the race, then the others.
fn engines(entrants: &[Entrant], candidates: &[usize], found: &Competition) -> Vec<EngineAnswer> {
    let confirmed = |entrant: usize| found.confirmed.iter().position(|one| one.arm.entrant == entrant);
    let mut order: Vec<usize> = (0..entrants.len()).collect();
    let race = |entrant: usize| found.in_race[entrant].as_ref();
    order.sort_by(|&a, &b| {
        let place = |entrant| confirmed(entrant).unwrap_or(usize::MAX);
        let out = |entrant| race(entrant).is_none_or(|one| fall(&one.result.fate).is_some());
        let ratio = |entrant| race(entrant).and_then(|one| one.result.ratio).unwrap_or(f64::INFINITY);
        place(a).cmp(&place(b)).then(out(a).cmp(&out(b))).then(ratio(a).total_cmp(&ratio(b)))
    });
    let of = |entrant: usize| {
        let at = confirmed(entrant);
        engine(
            &entrants[entrant],
            at.map(|at| (at, &found.confirmed[at])),
            race(entrant),
            EngineCounts { tried: found.tried[entrant], candidates: candidates[entrant] },
            found.promises.iter().find(|(of, _)| *of == entrant).map(|(_, result)| result.clone()),
        )
    };
    order.into_iter().map(of).collect()
}

/// How many settings of an engine were tried, and how many there are.
struct EngineCounts {
    tried: usize,
    candidates: usize,
}

fn engine(
    entrant: &Entrant,
    confirmed: Option<(usize, &ConfirmedArm)>,
    race: Option<&ArmResult>,
    EngineCounts { tried, candidates }: EngineCounts,
    promise: Option<PromiseResult>,
) -> EngineAnswer {
    let description = &entrant.workload.engine.description;
    let state = match (confirmed, race) {
        (Some((0, _)), _) => EngineState::First,
        (Some((_, one)), _) if Competition::is_level(one) => EngineState::Level,
        (Some(_), _) => EngineState::Behind,
        (None, Some(one)) => {
            fall(&one.result.fate).map_or(EngineState::Outrun, |reason| EngineState::Dropped(reason.to_owned()))
        }
        (None, None) => EngineState::NotRun,
    };
    let change = match (confirmed, race) {
        (Some((_, one)), _) => one.arm.candidate.change.clone(),
        (None, Some(one)) => one.result.change.clone(),
        (None, None) => OptionChange::default(),
    };
    let settings = change.made_to(&entrant.base, description).unwrap_or_else(|_| entrant.base.clone());
    let (tier, tier_reason) = description.tier(&settings);
    let one = confirmed.map(|(_, one)| one);
    EngineAnswer {
        engine: description.name.clone(),
        version: description.version.clone(),
        about: description.about.clone(),
        state,
        base: entrant.base.to_map(),
        settings: Setting::of(description, &settings.to_map()),
        tier_settings: Setting::keeping_tier(description, &settings),
        change,
        tier,
        tier_reason: tier_reason.to_owned(),
        taken_out: one.map_or_else(Vec::new, |one| one.taken_out.clone()),
        tried,
        candidates,
        race: race.map(|one| one.result.clone()),
        behind: one.and_then(|one| one.behind.clone()),
        tests: one.map_or_else(Vec::new, |one| one.tests.clone()),
        gain: one.and_then(|one| one.gain.clone()),
        price: one.and_then(|one| one.price.clone()),
        promise,
    }
}
