//! Runs the search: a race of one engine's settings against its base, and the confirmation of the best.

use super::{
    super::{
        event::TuneEvent,
        lab::{Lab, TuneError},
        race::{
            Arm, Candidate, CandidateResult, Entrant, LabTrack, Race, RaceListener, RaceNews, RaceStanding, RaceStep,
            RaceTerms, TAKE_OUT_ROUNDS, TakenOut, Track, affordable_rounds, pool,
        },
        trial::{Trial, TrialKind},
        what_if::{WhatIf, what_if},
        workload::TunedWorkload,
    },
    outcome::{SearchOutcome, SearchSpec},
};
use dbdyno_foundation::base::identifier::identifier;
use dbdyno_stats::MIN_RUNS;
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, time::Duration};

/// The share of the budget reserved for the confirmation.
const CONFIRMATION: f64 = 0.25;
/// The share of the budget reserved for taking changes out of the winner.
const TAKING_OUT: f64 = 0.25;
/// The first rung's share of the time for rungs.
const FIRST_RUNG: f64 = 0.4;
/// How many candidates are reported to the watchers each time.
const LEADERS: usize = 16;
/// The maximum number of rounds of a confirmation: beyond it, an interval hardly narrows.
const MOST_ROUNDS: u32 = 40;

/// Searches for the fastest settings of a tier, reports its progress, and stores the confirmation in the ledger.
///
/// # Errors
/// There is no candidate, a session cannot begin, or the store cannot be written.
pub async fn search(lab: &Lab<'_>, workload: &TunedWorkload, spec: SearchSpec) -> Result<SearchOutcome, TuneError> {
    let workload = workload.with_files(&spec.base)?;
    let entrants = [Entrant { workload, base: spec.base.clone() }];
    let entrant = &entrants[0];
    let aim = entrant.aim(spec.tier);
    let candidates = pool(aim, spec.seed);
    if candidates.is_empty() {
        let (engine, tier) = (&aim.engine.name, spec.tier);
        return Err(TuneError::Asked(format!("{engine} has no setting to try that reaches tier {tier}")));
    }
    let (search_id, count) = (identifier(), candidates.len());
    lab.tell(TuneEvent::SearchStarted {
        search_id: search_id.clone(),
        tier: spec.tier,
        candidates: count,
        budget_ms: spec.budget.as_millis() as u64,
    });
    let keys = BTreeMap::from([("tune".to_owned(), "search".to_owned()), ("search".to_owned(), search_id.clone())]);
    let terms = RaceTerms {
        tier: spec.tier,
        memory_limit: spec.memory_limit,
        disk_limit: None,
        seed: spec.seed,
        rungs_end: spec.budget.mul_f64(1.0 - CONFIRMATION - TAKING_OUT),
        undecided_loss: f64::INFINITY,
        reference_competes: false,
    };
    let mut track = LabTrack::new(lab, &entrants, keys, Vec::new(), Teller { lab, budget: spec.budget });
    let mut race = Race::new(&mut track, &entrants, &terms);
    let base = Candidate::of_base(aim);
    race.set_reference(Arm { entrant: 0, candidate: base });
    race.first_rung(0, candidates, terms.rungs_end.mul_f64(FIRST_RUNG)).await?;
    check_budget(&race, spec.budget)?;
    race.further_rungs(u32::MAX).await?;
    let (left, taken_out) = reduced(&mut race, spec.budget).await?;
    let each = race.mean_run();
    let tried = race.ranked().into_iter().map(|one| one.result).collect::<Vec<CandidateResult>>();
    let (elapsed, is_stopped) = (track.elapsed(), track.is_stopped());
    let confirmed = match left {
        Some(best) if !is_stopped => Some(confirm(lab, entrant, &spec, best, (elapsed, each)).await?),
        _ => None,
    };
    let found = SearchOutcome {
        tried,
        search_id,
        tier: spec.tier,
        took_ms: track.since_begun().as_millis() as u64,
        candidates: count,
        taken_out,
        confirmed,
    };
    lab.tell(TuneEvent::SearchEnded { found: Box::new(found.clone()) });
    Ok(found)
}

/// Passes the progress of a race on as events of a search.
struct Teller<'l> {
    lab: &'l Lab<'l>,
    budget: Duration,
}

impl RaceListener for Teller<'_> {
    fn hear(&self, news: RaceNews<'_>, elapsed: Duration) {
        self.lab.tell(match news {
            RaceNews::Dropped { arm, reason } => {
                TuneEvent::Dropped { change: arm.candidate.change.clone(), reason: reason.to_owned() }
            }
            RaceNews::TakenOut { what, .. } => TuneEvent::TakenOut { what: Box::new(what.clone()) },
            RaceNews::Standing(standing) => {
                let RaceStanding { tried, alive, best, best_effect, ranked, .. } = *standing;
                TuneEvent::Standing {
                    tried,
                    alive,
                    best: best.map(|arm| arm.candidate.change).zip(best_effect),
                    leaders: ranked.into_iter().take(LEADERS).map(|one| one.result).collect(),
                    left_ms: self.budget.saturating_sub(elapsed).as_millis() as u64,
                }
            }
        });
    }

    /// A search begins anew after an interruption.
    fn keep(&self, _: &[RaceStep]) -> Result<(), TuneError> {
        Ok(())
    }
}

/// Refuses a budget that is too short to take out even one change and confirm the rest.
fn check_budget<T: Track>(race: &Race<'_, T>, budget: Duration) -> Result<(), TuneError> {
    let Some(each) = race.mean_run() else { return Ok(()) };
    let least = each * ((MIN_RUNS as u32 + TAKE_OUT_ROUNDS.start()) * 2);
    if race.elapsed() + least <= budget {
        return Ok(());
    }
    let (run, needed) = (each.as_secs_f64(), (race.elapsed() + least * 2).as_secs_f64());
    Err(TuneError::Asked(format!(
        "a run takes {run:.1} s, so the budget leaves no time for a confirmation: set a budget of {needed:.0}s or more"
    )))
}

/// Returns the best candidate without the changes that do not make it faster, and the changes that were taken out.
async fn reduced<T: Track>(
    race: &mut Race<'_, T>,
    budget: Duration,
) -> Result<(Option<Candidate>, Vec<TakenOut>), TuneError> {
    let Some(best) = race.best_gain() else { return Ok((None, Vec::new())) };
    let reduced = race.reduce(best, budget.mul_f64(1.0 - CONFIRMATION)).await?;
    Ok(reduced.map_or((None, Vec::new()), |(left, taken_out)| {
        (Some(left).filter(|left| !left.change.0.is_empty()), taken_out)
    }))
}

/// Compares the reduced best candidate with the base on fresh seeds.
async fn confirm(
    lab: &Lab<'_>,
    entrant: &Entrant,
    spec: &SearchSpec,
    best: Candidate,
    (elapsed, each): (Duration, Option<Duration>),
) -> Result<Trial, TuneError> {
    let (left, round) = (spec.budget.saturating_sub(elapsed), each.unwrap_or_default() * 2);
    let affordable = affordable_rounds(left, round, MIN_RUNS as u32..=MOST_ROUNDS);
    let question = WhatIf {
        ledger: spec.ledger.clone(),
        parent_id: spec.parent_id.clone(),
        kind: TrialKind::Search,
        base: spec.base.clone(),
        change: best.change,
        rounds: spec.rounds.unwrap_or(affordable),
        changes: 1,
        seed: SplitMix64::stream(spec.seed, u64::MAX).next_u64(),
    };
    what_if(lab, &entrant.workload, question).await
}
