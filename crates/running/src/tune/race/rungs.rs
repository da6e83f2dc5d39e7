//! The rungs of a race: sessions with fewer and fewer arms in more and more rounds.

use super::{
    super::{change::OptionChange, lab::TuneError, samples::Samples, workload::TunedWorkload},
    candidates::{Aim, Candidate, neighbours},
    field::{ArmResult, CandidateFate, RaceField},
    halving::{halved, together},
    looks::affordable_rounds,
    main_effects::{Known, proposal},
    track::{Arm, RaceNews, RaceSession, Track},
};
use dbdyno_engine::{durability::Tier, settings::Settings};
use dbdyno_foundation::{base::units::bytes, metric::Metric};
use dbdyno_workload::rng::SplitMix64;
use std::time::Duration;

/// Arms of one session in addition to the reference. More would increase the time between an arm and its reference.
const BATCH: usize = 7;
/// Rounds of the first rung.
pub(in crate::tune) const FIRST_ROUNDS: u32 = 2;
/// How far an entrant may be behind the best when the rung with this many rounds is over, as a factor of time. It grows with the noise of
/// few rounds, and with what settings that were not tried yet may still gain.
const BEHIND: [(u32, f64); 5] = [(2, 2.0), (4, 1.5), (8, 1.3), (16, 1.2), (u32::MAX, 1.15)];

/// An engine on the workload, with the settings that changes are made to.
#[derive(Debug, Clone)]
pub struct Entrant {
    pub workload: TunedWorkload,
    pub base: Settings,
}

impl Entrant {
    /// Returns the goal of changes that keep at least a tier.
    pub fn aim(&self, tier: Tier) -> Aim<'_> {
        let TunedWorkload { engine, suite, .. } = &self.workload;
        Aim { engine: &engine.description, suite: suite.kind, base: &self.base, tier }
    }
}

/// The terms of a race.
#[derive(Debug, Clone)]
pub struct RaceTerms {
    /// The lowest acceptable tier.
    pub tier: Tier,
    /// The maximum memory of a program, bytes.
    pub memory_limit: Option<u64>,
    /// The maximum of the database with its logs and side files, bytes.
    pub disk_limit: Option<u64>,
    /// The seed of all keys and values.
    pub seed: u64,
    /// When the rungs are to be over, since the start of the race.
    pub rungs_end: Duration,
    /// The estimated loss, as a ratio of times, from which on a change stays in the best arm although it is undecided; infinity: never.
    pub undecided_loss: f64,
    /// Whether the reference is one of the arms that may win.
    pub reference_competes: bool,
}

/// The terms of the first session of a race between entrants.
#[derive(Debug, Clone, Copy)]
pub struct StartTerms {
    /// How long it may take.
    pub left: Duration,
    /// Runs that take longer fail, so that a very slow engine does not use up the time of the others.
    pub deadline: Duration,
    /// Entrants that take this many times as long as the best are out.
    pub hopeless: f64,
}

/// A race between arms of one or more entrants.
#[derive(Debug)]
pub struct Race<'r, T> {
    pub(super) track: &'r mut T,
    pub(super) entrants: &'r [Entrant],
    pub(super) terms: &'r RaceTerms,
    pub(super) field: RaceField,
    sessions: u64,
}

impl<'r, T: Track> Race<'r, T> {
    /// Returns a race without arms. All entrants have the same tests.
    pub fn new(track: &'r mut T, entrants: &'r [Entrant], terms: &'r RaceTerms) -> Self {
        let tests = entrants.first().map_or_else(Vec::new, |entrant| entrant.workload.tests());
        Self { track, entrants, terms, field: RaceField::new(tests), sessions: 0 }
    }

    pub(super) fn tests(&self) -> Vec<(u32, String)> {
        self.entrants.first().map_or_else(Vec::new, |entrant| entrant.workload.tests())
    }

    /// Adds the arm that all others are compared with.
    pub fn set_reference(&mut self, arm: Arm) {
        self.field.reference = self.field.add(arm, 1);
    }

    /// Measures the arms that entrants start with in one session, and makes the best of them the reference.
    ///
    /// # Errors
    /// The session cannot begin, or results are lost.
    pub async fn starts(&mut self, arms: Vec<Arm>, terms: StartTerms) -> Result<(), TuneError> {
        let StartTerms { left, deadline, hopeless } = terms;
        let members: Vec<usize> = arms.into_iter().map(|arm| self.field.add(arm, 1)).collect();
        if members.is_empty() {
            return Ok(());
        }
        self.session(&members, FIRST_ROUNDS, (Some(left), Some(deadline))).await?;
        // Figures are relative to the reference, so it has to be an arm that ran.
        self.field.reference = members.iter().copied().find(|&at| self.field.is_alive(at)).unwrap_or_default();
        if let Some(best) = self.field.best_of(members.into_iter()) {
            self.field.reference = best;
        }
        self.leave_behind(hopeless);
        self.tell_standing();
        Ok(())
    }

    /// Tries the candidates of an entrant until a point in time: single changes, then those one change away from the best of them, then
    /// combinations.
    ///
    /// # Errors
    /// A session cannot begin, or results are lost.
    pub async fn first_rung(
        &mut self,
        entrant: usize,
        candidates: Vec<Candidate>,
        until: Duration,
    ) -> Result<(), TuneError> {
        let (singles, combinations): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|candidate| candidate.change.0.len() == 1);
        self.try_out(entrant, singles, until).await?;
        let best = self.field.best_of(self.field.of_entrant(entrant).filter(|&at| self.competes(at)));
        if let Some(best) = best.filter(|&at| !self.field.runners[at].arm.candidate.change.0.is_empty())
            && self.gain(best).is_some_and(|gain| gain < 0.0)
        {
            let change = self.field.runners[best].arm.candidate.change.clone();
            let near = neighbours(self.entrants[entrant].aim(self.terms.tier), &change);
            self.try_out(entrant, near, until).await?;
        }
        self.try_out(entrant, combinations, until).await
    }

    /// Tries the candidates that are not in the field yet, while time allows. If nothing was measured yet, the first one is tried alone, to
    /// learn the duration of a run.
    async fn try_out(&mut self, entrant: usize, candidates: Vec<Candidate>, until: Duration) -> Result<(), TuneError> {
        let fresh: Vec<Candidate> =
            candidates.into_iter().filter(|candidate| !self.field.has(entrant, candidate)).collect();
        let mut waiting = fresh.into_iter();
        let is_first = self.field.samples.run_count() == 0;
        let first = if is_first { 1 } else { self.affordable(entrant, until) };
        let mut batch: Vec<Candidate> = waiting.by_ref().take(first).collect();
        while !batch.is_empty() && !self.track.is_stopped() {
            let arms = batch.into_iter().map(|candidate| Arm { entrant, candidate });
            let members: Vec<usize> = arms.map(|arm| self.field.add(arm, 1)).collect();
            let left = self.terms.rungs_end.saturating_sub(self.track.elapsed());
            self.measure(&members, FIRST_ROUNDS, Some(left)).await?;
            batch = waiting.by_ref().take(self.affordable(entrant, until)).collect();
        }
        Ok(())
    }

    /// Returns how many more candidates of an entrant can be tried until a point in time, up to a batch.
    fn affordable(&self, entrant: usize, until: Duration) -> usize {
        let (each, reference) = (self.field.expected_of(entrant), self.field.expected(self.field.reference));
        let fits = |more: &usize| self.track.elapsed() + (each * *more as u32 + reference) * FIRST_ROUNDS <= until;
        (1..=BATCH).rev().find(fits).unwrap_or(0)
    }

    /// Halves the field and doubles the rounds until one arm remains, a rung would have more than `most_rounds` rounds, or the time for rungs
    /// is over. Where there is time for more, a rung has more rounds. The best arm of each entrant stays as long as it is not too far behind.
    ///
    /// # Errors
    /// A session cannot begin, or results are lost.
    pub async fn further_rungs(&mut self, most_rounds: u32) -> Result<(), TuneError> {
        let until = self.terms.rungs_end;
        let mut rounds = FIRST_ROUNDS;
        for rung in 2.. {
            self.leave_behind(behind(rounds));
            rounds = rounds.saturating_mul(2);
            let mut alive = self.next_field(rung);
            rounds = rounds.max(self.spare_rounds(&alive, most_rounds));
            // Fewer rather than none: those with the worst figures go first, and the best of each entrant last.
            while alive.len() > 1 && self.track.elapsed() + self.expected(&alive, rounds) > until {
                let spare = (0..alive.len()).rev().find(|&place| !self.leads_entrant(alive[place], &alive[..place]));
                alive.remove(spare.unwrap_or(alive.len() - 1));
            }
            let competitors = alive.len() + usize::from(self.terms.reference_competes);
            if alive.is_empty() || competitors < 2 || rounds > most_rounds || self.track.is_stopped() {
                break;
            }
            if self.track.elapsed() + self.expected(&alive, rounds) > until && self.terms.reference_competes {
                break;
            }
            for at in 0..self.field.runners.len() {
                if alive.contains(&at) || at == self.field.reference {
                    self.field.runners[at].rung = rung;
                } else if self.field.is_alive(at) && self.is_led(at, &alive) {
                    self.field.runners[at].fate = CandidateFate::Outrun;
                }
            }
            for batch in alive.chunks(BATCH) {
                let left = until.saturating_sub(self.track.elapsed());
                self.measure(batch, rounds, Some(left)).await?;
            }
        }
        Ok(())
    }

    /// Returns the rounds of a rung with these members if all rungs that are left get the same share of the time, and the last one has no
    /// more than `most_rounds`.
    fn spare_rounds(&self, members: &[usize], most_rounds: u32) -> u32 {
        let after = members.len().max(1).ilog2();
        let time = self.terms.rungs_end.saturating_sub(self.track.elapsed()) / (after + 1);
        affordable_rounds(time, self.expected(members, 1), 0..=most_rounds >> after)
    }

    /// Whether an arm is the first of its entrant, those before it being `better`.
    fn leads_entrant(&self, at: usize, better: &[usize]) -> bool {
        let entrant = |at: usize| self.field.runners[at].arm.entrant;
        let of_reference = self.terms.reference_competes && entrant(at) == entrant(self.field.reference);
        !of_reference && better.iter().all(|&other| entrant(other) != entrant(at))
    }

    /// Whether another arm of its entrant goes on. If none does for lack of time, the best one keeps its place.
    fn is_led(&self, at: usize, alive: &[usize]) -> bool {
        let entrant = self.field.runners[at].arm.entrant;
        let goes_on = |other: usize| self.field.runners[other].arm.entrant == entrant;
        let reference = self.terms.reference_competes.then_some(self.field.reference);
        alive.iter().copied().chain(reference).any(goes_on)
            || self.field.best_of(self.field.of_entrant(entrant)) != Some(at)
    }

    /// Excludes the entrants whose best arm takes more than so many times as long as the best of all.
    fn leave_behind(&mut self, factor: f64) {
        if self.entrants.len() < 2 {
            return;
        }
        let best = |at: Option<usize>, field: &RaceField| at.and_then(|at| field.score(at));
        let Some(leader) = best(self.field.best_of(0..self.field.runners.len()), &self.field) else { return };
        for entrant in 0..self.entrants.len() {
            let places: Vec<usize> = self.field.of_entrant(entrant).filter(|&at| self.field.is_alive(at)).collect();
            let scores: Vec<f64> = places.iter().filter_map(|&at| self.field.score(at)).collect();
            let least = scores.into_iter().reduce(f64::min);
            if least.is_some_and(|least| least > leader + factor.ln()) {
                places.into_iter().for_each(|at| self.field.runners[at].fate = CandidateFate::Outrun);
            }
        }
    }

    /// Returns the arms of the next rung without the reference, the most promising first: the changes of an entrant that gain by themselves,
    /// the better half, the best of each entrant and, after the first two, combinations of the best of an entrant.
    fn next_field(&mut self, rung: u32) -> Vec<usize> {
        let alive: Vec<usize> = self.field.alive().filter(|&at| self.competes(at)).collect();
        let scored = alive.iter().map(|at| (at, &self.field.runners[*at].arm.candidate.change, self.field.score(*at)));
        let half: Vec<usize> = halved(scored).into_iter().copied().collect();
        let mut next: Vec<usize> = half.clone();
        for entrant in 0..self.entrants.len() {
            let best = self.field.best_of(self.field.of_entrant(entrant));
            next.extend(best.filter(|best| !half.contains(best) && self.competes(*best)));
        }
        let mut place = 2.min(next.len());
        for entrant in 0..self.entrants.len() {
            if let Some(change) = self.proposed(entrant, &next) {
                let candidate = Candidate::new(self.entrants[entrant].aim(self.terms.tier), change);
                if let Some(candidate) = candidate.filter(|candidate| !self.field.has(entrant, candidate)) {
                    next.insert(0, self.field.add(Arm { entrant, candidate }, rung));
                    place += 1;
                }
            }
        }
        for entrant in 0..self.entrants.len() {
            let own = || half.iter().filter(|&&at| self.field.runners[at].arm.entrant == entrant);
            let changes = own().map(|&at| &self.field.runners[at].arm.candidate.change);
            let unions = together(changes.filter(|change| !change.0.is_empty()), own().count() / 3);
            for change in unions {
                if let Some(candidate) = Candidate::new(self.entrants[entrant].aim(self.terms.tier), change)
                    && !self.field.has(entrant, &candidate)
                {
                    next.insert(place, self.field.add(Arm { entrant, candidate }, rung));
                    place += 1;
                }
            }
        }
        next.retain(|&at| at != self.field.reference);
        next
    }

    /// Returns the changes that gain by themselves, of an entrant that goes on.
    fn proposed(&self, entrant: usize, going_on: &[usize]) -> Option<OptionChange> {
        let is_in = |at: &usize| self.field.runners[*at].arm.entrant == entrant;
        going_on.iter().chain([&self.field.reference]).any(is_in).then_some(())?;
        let fit = self.field.of_entrant(entrant).filter(|&at| !self.field.is_dropped(at));
        let known: Vec<Known<'_>> = fit
            .filter_map(|at| {
                let change = &self.field.runners[at].arm.candidate.change;
                Some(Known { change, score: self.field.score(at)?, pairs: self.field.pairs(at) })
            })
            .collect();
        proposal(&known)
    }

    /// Whether an arm may win.
    fn competes(&self, at: usize) -> bool {
        self.terms.reference_competes || at != self.field.reference
    }

    /// Returns the log ratio of an arm to the settings that its entrant starts with.
    pub(super) fn gain(&self, at: usize) -> Option<f64> {
        let entrant = self.field.runners[at].arm.entrant;
        let start = self.field.of_entrant(entrant).find(|&at| self.field.runners[at].arm.candidate.change.0.is_empty());
        Some(self.field.score(at)? - start.and_then(|start| self.field.score(start)).unwrap_or(0.0))
    }

    /// Returns the expected duration of a rung with these members, according to the runs so far.
    fn expected(&self, members: &[usize], rounds: u32) -> Duration {
        let reference = self.field.expected(self.field.reference);
        let arms: Duration = members.iter().map(|&at| self.field.expected(at)).sum();
        (arms + reference * members.len().div_ceil(BATCH) as u32) * rounds
    }

    /// Measures some of the field alongside the reference, and reports the state of the race.
    async fn measure(&mut self, members: &[usize], rounds: u32, left: Option<Duration>) -> Result<(), TuneError> {
        let with_reference: Vec<usize> = std::iter::once(self.field.reference).chain(members.iter().copied()).collect();
        self.session(&with_reference, rounds, (left, None)).await?;
        self.tell_standing();
        Ok(())
    }

    /// Measures some of the field, and excludes unfit arms.
    async fn session(
        &mut self,
        members: &[usize],
        rounds: u32,
        (left, deadline): (Option<Duration>, Option<Duration>),
    ) -> Result<(), TuneError> {
        let seed = self.fresh_seed();
        let arms: Vec<Arm> = members.iter().map(|&at| self.field.runners[at].arm.clone()).collect();
        let arms: Vec<&Arm> = arms.iter().collect();
        let measured = self.track.measure(RaceSession { arms: &arms, rounds, seed, left, deadline }).await?;
        for (&at, time) in members.iter().zip(&measured.run_times) {
            if let Some(time) = time {
                self.field.took(at, *time, rounds);
            }
        }
        self.field.samples.absorb(measured.samples, |variant| members[variant]);
        for &at in members {
            if self.field.is_alive(at)
                && let Some(reason) = unfit(&self.field.samples, at, self.terms)
            {
                self.track.tell(RaceNews::Dropped { arm: &self.field.runners[at].arm, reason: &reason });
                self.field.runners[at].fate = CandidateFate::Dropped(reason);
            }
        }
        Ok(())
    }

    fn tell_standing(&self) {
        let standing = self.field.standing(self.entrants.len(), self.terms.reference_competes);
        self.track.tell(RaceNews::Standing(Box::new(standing)));
    }

    /// Returns the seed for another session.
    pub(super) fn fresh_seed(&mut self) -> u64 {
        self.sessions += 1;
        SplitMix64::stream(self.terms.seed, self.sessions).next_u64()
    }

    /// Returns the places of the best arm of each entrant in the race, the best first.
    pub fn leaders(&self) -> Vec<usize> {
        let of_entrant = |entrant| self.field.best_of(self.field.of_entrant(entrant));
        let mut leaders: Vec<usize> = (0..self.entrants.len()).filter_map(of_entrant).collect();
        leaders.sort_by(|&a, &b| {
            let score = |at: usize| self.field.score(at).unwrap_or(f64::INFINITY);
            score(a).total_cmp(&score(b))
        });
        leaders
    }

    /// Returns the best arm that may win, if it is faster than the reference.
    pub fn best_gain(&self) -> Option<usize> {
        let best = self.field.best_of((0..self.field.runners.len()).filter(|&at| self.competes(at)));
        best.filter(|&at| self.field.score(at).is_some_and(|score| score < 0.0))
    }

    /// Returns the mean time of a run so far; none before the first.
    pub fn mean_run(&self) -> Option<Duration> {
        (self.field.samples.run_count() > 0).then(|| self.field.expected(self.field.reference))
    }

    /// Returns what the race is measured with.
    pub fn track(&self) -> &T {
        self.track
    }

    pub fn track_mut(&mut self) -> &mut T {
        self.track
    }

    /// Whether everything has to stop.
    pub fn is_stopped(&self) -> bool {
        self.track.is_stopped()
    }

    /// Returns the best arm that was outrun, of all entrants but one.
    pub fn runner_up(&self, but: usize) -> Option<usize> {
        let places = (0..self.field.runners.len()).filter(|&at| self.arm(at).entrant != but && self.is_outrun(at));
        let scored = places.filter_map(|at| Some((at, self.field.score(at)?)));
        scored.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// Whether an arm is out because others were faster.
    pub fn is_outrun(&self, at: usize) -> bool {
        self.field.runners[at].fate == CandidateFate::Outrun
    }

    /// Returns how many times as long one arm takes as another, as far as the race tells; infinity if it does not.
    pub fn ratio(&self, one: usize, other: usize) -> f64 {
        let scores = self.field.score(one).zip(self.field.score(other));
        scores.map_or(f64::INFINITY, |(one, other)| (one - other).exp())
    }

    /// Returns the best arm of an entrant: among those in the race, else among those that ran. None: none ran.
    pub fn best_result(&self, entrant: usize) -> Option<ArmResult> {
        self.field.best_or_last(entrant).map(|at| self.field.result(at))
    }

    /// Returns how many arms of an entrant ran.
    pub fn tried(&self, entrant: usize) -> usize {
        self.field.tried(entrant)
    }

    /// Returns the time since the race began.
    pub fn elapsed(&self) -> Duration {
        self.track.elapsed()
    }

    /// Returns the arms that ran, sorted by the last rung that they reached and then by their figure, the best first.
    pub fn ranked(&self) -> Vec<ArmResult> {
        self.field.ranked(self.terms.reference_competes)
    }

    /// Returns the arm at a place.
    pub fn arm(&self, at: usize) -> &Arm {
        &self.field.runners[at].arm
    }

    /// Excludes an arm for a reason that its runs do not show.
    pub fn drop_arm(&mut self, at: usize, reason: String) {
        self.track.tell(RaceNews::Dropped { arm: &self.field.runners[at].arm, reason: &reason });
        self.field.runners[at].fate = CandidateFate::Dropped(reason);
    }

    /// Excludes all arms of an entrant that are still in the race.
    pub fn drop_entrant(&mut self, entrant: usize, reason: &str) {
        let places: Vec<usize> = self.field.of_entrant(entrant).filter(|&at| self.field.is_alive(at)).collect();
        places.into_iter().for_each(|at| self.drop_arm(at, reason.to_owned()));
    }

    /// Returns the log ratio of single changes of an entrant to its start, by change.
    pub(super) fn gained(&self, entrant: usize, change: &OptionChange) -> Option<f64> {
        let at = self.field.of_entrant(entrant).find(|&at| self.field.runners[at].arm.candidate.change == *change)?;
        self.gain(at)
    }
}

/// Returns how far an entrant may be behind after so many rounds.
fn behind(rounds: u32) -> f64 {
    BEHIND.iter().find(|(most, _)| rounds <= *most).map_or(1.0, |(_, factor)| *factor)
}

/// Returns why a variant may not be chosen.
pub(in crate::tune) fn unfit(samples: &Samples, variant: usize, terms: &RaceTerms) -> Option<String> {
    if let Some(failure) = samples.failure(variant) {
        return Some(failure.to_owned());
    }
    if samples.of_variant(variant).any(|sample| sample.agrees == Some(false)) {
        return Some("its answers differ from the others".to_owned());
    }
    let memory = samples.of_variant(variant).filter_map(|sample| sample.figures.memory_bytes()).max();
    if let (Some(used), Some(limit)) = (memory, terms.memory_limit)
        && used > limit
    {
        return Some(format!("it used {} of memory, more than the limit of {}", bytes(used), bytes(limit)));
    }
    let on_disk = samples.of_variant(variant).filter_map(|sample| sample.figures.get(Metric::Database));
    if let (Some(used), Some(limit)) = (on_disk.max(), terms.disk_limit)
        && used > limit
    {
        return Some(format!("it used {} of disk, more than the limit of {}", bytes(used), bytes(limit)));
    }
    None
}
