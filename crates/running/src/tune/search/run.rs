//! Runs the search: rungs of sessions, until one candidate remains.

use super::{
    super::{
        effect::{BASE, TestEffect, overall},
        event::TuneEvent,
        lab::{Lab, TuneError},
        samples::Samples,
        trial::Trial,
        workload::TunedWorkload,
    },
    candidates::{Aim, Candidate, neighbours, pool},
    finish::TAKE_OUT_ROUNDS,
    halving::{halved, together},
    outcome::{CandidateFate, CandidateResult, SearchOutcome, SearchSpec},
    reduce::TakenOut,
};
use dbdyno_foundation::base::identifier::identifier;
use dbdyno_stats::{MIN_RUNS, Spending, median};
use dbdyno_workload::rng::SplitMix64;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// The share of the budget reserved for the confirmation.
pub(super) const CONFIRMATION: f64 = 0.25;
/// The share of the budget reserved for taking changes out of the winner.
const TAKING_OUT: f64 = 0.25;
/// The first rung's share of the time for rungs.
const FIRST_RUNG: f64 = 0.4;
/// Candidates of one session in addition to the base. More would increase the time between a candidate and its base.
const BATCH: usize = 7;
/// Rounds of the first rung.
const FIRST_ROUNDS: u32 = 2;
/// How many candidates are reported to the watchers each time.
const LEADERS: usize = 16;

/// Searches for the fastest settings of a tier, reports its progress, and stores the confirmation in the ledger.
///
/// # Errors
/// There is no candidate, a session cannot begin, or the store cannot be written.
pub async fn search(lab: &Lab<'_>, workload: &TunedWorkload, spec: SearchSpec) -> Result<SearchOutcome, TuneError> {
    let workload = &workload.with_files(&spec.base)?;
    let candidates = pool(aim(workload, &spec), spec.seed);
    if candidates.is_empty() {
        let (engine, tier) = (&workload.engine.description.name, spec.tier);
        return Err(TuneError::Asked(format!("{engine} has no setting to try that reaches tier {tier}")));
    }
    let mut race = Race {
        lab,
        workload,
        search_id: identifier(),
        begun: Instant::now(),
        candidates: candidates.len(),
        field: Vec::new(),
        samples: Samples::default(),
        sessions: 0,
        runs_apart: 0,
        spec,
    };
    lab.tell(TuneEvent::SearchStarted {
        search_id: race.search_id.clone(),
        tier: race.spec.tier,
        candidates: race.candidates,
        budget_ms: race.spec.budget.as_millis() as u64,
    });
    race.first_rung(candidates).await?;
    race.further_rungs().await?;
    let (left, taken_out) = race.reduce().await?;
    let confirmed = match left {
        Some(left) => race.confirm(left).await?,
        None => None,
    };
    let found = race.found(taken_out, confirmed);
    lab.tell(TuneEvent::SearchEnded { found: Box::new(found.clone()) });
    Ok(found)
}

pub(super) fn aim<'a>(workload: &'a TunedWorkload, spec: &'a SearchSpec) -> Aim<'a> {
    Aim { engine: &workload.engine.description, suite: workload.suite.kind, base: &spec.base, tier: spec.tier }
}

/// A candidate in the race. Its variant in the samples is its index in the field plus 1, because 0 is the base.
pub(super) struct Runner {
    pub(super) candidate: Candidate,
    rung: u32,
    fate: CandidateFate,
}

pub(super) struct Race<'r, 'l> {
    pub(super) lab: &'r Lab<'l>,
    pub(super) workload: &'r TunedWorkload,
    pub(super) spec: SearchSpec,
    search_id: String,
    pub(super) begun: Instant,
    candidates: usize,
    pub(super) field: Vec<Runner>,
    samples: Samples,
    sessions: u64,
    /// How many runs are not among the samples.
    pub(super) runs_apart: usize,
}

impl Race<'_, '_> {
    /// Returns the remaining time for the rungs.
    fn left(&self) -> Duration {
        self.spec.budget.mul_f64(1.0 - CONFIRMATION - TAKING_OUT).saturating_sub(self.begun.elapsed())
    }

    /// Returns the mean duration of a run so far, including its start and the storing of its results.
    pub(super) fn each(&self) -> Duration {
        self.begun.elapsed() / (self.samples.run_count() + self.runs_apart).max(1) as u32
    }

    /// Tries candidates until the following rungs need the rest of the time: single changes, then those one change away from the best of
    /// them, then combinations.
    async fn first_rung(&mut self, candidates: Vec<Candidate>) -> Result<(), TuneError> {
        let (singles, combinations): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|candidate| candidate.change.0.len() == 1);
        self.try_out(singles).await?;
        if let Some(best) = self.best().filter(|&at| self.score(at).is_some_and(|score| score < 0.0)) {
            let near = neighbours(aim(self.workload, &self.spec), &self.field[best].candidate.change);
            self.try_out(near).await?;
        }
        self.try_out(combinations).await
    }

    /// Tries the candidates that are not in the field yet, while time allows. The very first one is tried alone, to learn the duration of a
    /// run.
    async fn try_out(&mut self, candidates: Vec<Candidate>) -> Result<(), TuneError> {
        let is_new = |candidate: &Candidate| self.field.iter().all(|known| known.candidate.change != candidate.change);
        let fresh: Vec<Candidate> = candidates.into_iter().filter(is_new).collect();
        let mut waiting = fresh.into_iter();
        let first = if self.field.is_empty() { 1 } else { self.affordable() };
        let mut batch: Vec<Candidate> = waiting.by_ref().take(first).collect();
        while !batch.is_empty() && !self.lab.is_stopped() {
            let from = self.field.len();
            let runners = batch.into_iter().map(|candidate| Runner { candidate, rung: 1, fate: CandidateFate::Alive });
            self.field.extend(runners);
            let members: Vec<usize> = (from..self.field.len()).collect();
            self.measure(&members, FIRST_ROUNDS).await?;
            self.check_budget()?;
            batch = waiting.by_ref().take(self.affordable()).collect();
        }
        Ok(())
    }

    /// Returns how many more candidates the first rung can take, up to a batch.
    fn affordable(&self) -> usize {
        let share = self.spec.budget.mul_f64((1.0 - CONFIRMATION - TAKING_OUT) * FIRST_RUNG);
        let fits = |more: &usize| self.begun.elapsed() + self.each() * ((more + 1) as u32 * FIRST_ROUNDS) <= share;
        (1..=BATCH).rev().find(fits).unwrap_or(0)
    }

    /// Refuses a budget that is too short to take out even one change and confirm the rest.
    fn check_budget(&self) -> Result<(), TuneError> {
        let least = self.each() * ((MIN_RUNS as u32 + TAKE_OUT_ROUNDS.start()) * 2);
        if self.samples.run_count() == 0 || self.begun.elapsed() + least <= self.spec.budget {
            return Ok(());
        }
        let (run, needed) = (self.each().as_secs_f64(), (self.begun.elapsed() + least * 2).as_secs_f64());
        Err(TuneError::Asked(format!(
            "a run takes {run:.1} s, so the budget leaves no time for a confirmation: set a budget of {needed:.0}s or more"
        )))
    }

    /// Halves the field and doubles the rounds until one candidate remains, or the time for rungs is over.
    async fn further_rungs(&mut self) -> Result<(), TuneError> {
        let mut rounds = FIRST_ROUNDS;
        for rung in 2.. {
            rounds = rounds.saturating_mul(2);
            let mut alive = self.next_field(rung);
            // Fewer rather than none: the last ones have the worst figures.
            while alive.len() > 1 && self.expected(alive.len(), rounds) > self.left() {
                alive.pop();
            }
            if alive.len() < 2 || self.lab.is_stopped() {
                break;
            }
            for at in 0..self.field.len() {
                if alive.contains(&at) {
                    self.field[at].rung = rung;
                } else if self.field[at].fate == CandidateFate::Alive {
                    self.field[at].fate = CandidateFate::Outrun;
                }
            }
            for batch in alive.chunks(BATCH) {
                self.measure(batch, rounds).await?;
            }
        }
        Ok(())
    }

    /// Returns the candidates of the next rung, the most promising first: the better half and, after its first two, combinations of the
    /// best.
    fn next_field(&mut self, rung: u32) -> Vec<usize> {
        let alive: Vec<usize> =
            (0..self.field.len()).filter(|&at| self.field[at].fate == CandidateFate::Alive).collect();
        let scored = alive.iter().map(|at| (at, &self.field[*at].candidate.change, self.score(*at)));
        let mut next: Vec<usize> = halved(scored).into_iter().copied().collect();
        let unions = together(next.iter().map(|&at| &self.field[at].candidate.change), next.len() / 3);
        let mut place = 2;
        for change in unions {
            if let Some(candidate) = Candidate::new(aim(self.workload, &self.spec), change)
                && self.field.iter().all(|known| known.candidate.change != candidate.change)
            {
                next.insert(place, self.field.len());
                place += 1;
                self.field.push(Runner { candidate, rung, fate: CandidateFate::Alive });
            }
        }
        next
    }

    /// Returns the expected duration of a rung with this many members, according to the runs so far.
    fn expected(&self, members: usize, rounds: u32) -> Duration {
        let runs = (members + members.div_ceil(BATCH)) as u32 * rounds;
        self.each() * runs
    }

    /// Measures some of the field alongside the base, and excludes unfit candidates.
    async fn measure(&mut self, members: &[usize], rounds: u32) -> Result<(), TuneError> {
        let mut variants = vec![self.spec.base.clone()];
        variants.extend(members.iter().map(|&at| self.field[at].candidate.settings.clone()));
        let plan = self.workload.plan(self.lab.registry, &variants, rounds, self.fresh_seed())?;
        let report = self.lab.run(&plan, self.keys(), Some(self.left()), |_| {}).await?;
        self.samples.add_report(&plan, &report, |configuration| match configuration {
            0 => BASE,
            of => members[of - 1] + 1,
        });
        for &at in members {
            if let Some(reason) = unfit(&self.samples, at + 1, self.spec.memory_limit) {
                self.field[at].fate = CandidateFate::Dropped(reason.clone());
                let change = self.field[at].candidate.change.clone();
                self.lab.tell(TuneEvent::Dropped { change, reason });
            }
        }
        self.tell_standing();
        Ok(())
    }

    /// Returns the seed for another session.
    pub(super) fn fresh_seed(&mut self) -> u64 {
        self.sessions += 1;
        SplitMix64::stream(self.spec.seed, self.sessions).next_u64()
    }

    /// Returns the keys of the runs before the confirmation.
    pub(super) fn keys(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("tune".to_owned(), "search".to_owned()), ("search".to_owned(), self.search_id.clone())])
    }

    /// Returns the log ratio to the base: the median over the rounds of the mean over the tests.
    pub(super) fn score(&self, at: usize) -> Option<f64> {
        let tests = self.workload.tests();
        let each: Vec<f64> = self
            .samples
            .rounds(BASE, at + 1)
            .into_iter()
            .filter_map(|round| self.samples.mean_log_ratio(at + 1, BASE, round, &tests))
            .collect();
        median(&each).ok()
    }

    /// Returns the candidate in the race with the best figure.
    pub(super) fn best(&self) -> Option<usize> {
        let alive = (0..self.field.len()).filter(|&at| self.field[at].fate == CandidateFate::Alive);
        let scored = alive.filter_map(|at| Some((at, self.field[at].rung, self.score(at)?)));
        // Candidates with more rounds are preferred to those with a better figure from fewer rounds.
        scored.min_by(|a, b| b.1.cmp(&a.1).then(a.2.total_cmp(&b.2))).map(|(at, ..)| at)
    }

    fn so_far(&self, at: usize) -> TestEffect {
        overall(&self.samples, BASE, at + 1, &self.workload.tests(), Spending::ONCE)
    }

    fn tell_standing(&self) {
        let best = self.best();
        self.lab.tell(TuneEvent::Standing {
            tried: self.field.len(),
            alive: self.field.iter().filter(|runner| runner.fate == CandidateFate::Alive).count(),
            best: best.map(|at| (self.field[at].candidate.change.clone(), self.so_far(at))),
            leaders: self.ranked().take(LEADERS).collect(),
            left_ms: self.spec.budget.saturating_sub(self.begun.elapsed()).as_millis() as u64,
        });
    }

    /// Returns the candidates that ran, sorted by the last rung that they reached and then by their figure, the best first.
    fn ranked(&self) -> impl Iterator<Item = CandidateResult> {
        let mut order: Vec<(usize, Option<f64>)> = (0..self.field.len()).map(|at| (at, self.score(at))).collect();
        order.sort_by(|a, b| {
            let rung = |at: usize| self.field[at].rung;
            let (x, y) = (a.1.unwrap_or(f64::INFINITY), b.1.unwrap_or(f64::INFINITY));
            rung(b.0).cmp(&rung(a.0)).then(x.total_cmp(&y))
        });
        // The budget may have ended before the last candidates ran.
        let run =
            move |at: usize| self.samples.of_variant(at + 1).next().is_some() || self.samples.failure(at + 1).is_some();
        order.into_iter().filter(move |(at, _)| run(*at)).map(move |(at, score)| CandidateResult {
            change: self.field[at].candidate.change.clone(),
            tier: self.field[at].candidate.tier,
            rung: self.field[at].rung,
            pairs: self.samples.rounds(BASE, at + 1).len(),
            ratio: score.map(f64::exp),
            fate: self.field[at].fate.clone(),
        })
    }

    fn found(self, taken_out: Vec<TakenOut>, confirmed: Option<Trial>) -> SearchOutcome {
        SearchOutcome {
            tried: self.ranked().collect(),
            search_id: self.search_id.clone(),
            tier: self.spec.tier,
            took_ms: self.begun.elapsed().as_millis() as u64,
            candidates: self.candidates,
            taken_out,
            confirmed,
        }
    }
}

/// Returns why a variant may not be chosen.
pub(super) fn unfit(samples: &Samples, variant: usize, memory_limit: Option<u64>) -> Option<String> {
    if let Some(failure) = samples.failure(variant) {
        return Some(failure.to_owned());
    }
    if samples.of_variant(variant).any(|sample| sample.agrees == Some(false)) {
        return Some("its answers differ from the others".to_owned());
    }
    let peak = samples.of_variant(variant).filter_map(|sample| sample.figures.memory_bytes()).max()?;
    let limit = memory_limit.filter(|limit| peak > *limit)?;
    Some(format!("it used {peak} bytes of memory, more than the limit of {limit}"))
}
