//! What if this option were set? One change compared with its base, in a number of rounds that is fixed beforehand.

use super::{
    change::{OptionChange, cannot_differ},
    effect::{BASE, CHANGED, judge, overall},
    event::TuneEvent,
    lab::{Lab, SessionLimits, TuneError},
    live::LiveSamples,
    price::{Pair, Price},
    samples::Samples,
    stored,
    trial::{Trial, TrialKind, TrialState},
    workload::TunedWorkload,
};
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_engine::settings::Settings;
use dbdyno_foundation::base::identifier::identifier;
use dbdyno_stats::{MIN_RUNS, Spending, rounds_needed};
use dbdyno_store::Status;
use dbdyno_workload::rng::SplitMix64;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A question about a workload.
#[derive(Debug, Clone)]
pub struct WhatIf {
    /// The ledger for the answer.
    pub ledger: String,
    /// The accepted trial that provides the base.
    pub parent_id: Option<String>,
    pub kind: TrialKind,
    pub base: Settings,
    pub change: OptionChange,
    /// Rounds of the first look. The plan has two runs a round.
    pub rounds: u32,
    /// How many changes share the allowed false alarms.
    pub changes: u32,
    /// Seed of the keys and values.
    pub seed: u64,
}

/// Returns the minimum number of rounds with which one of the judged figures of a first look can decide alone. It is even, so that A and B lead equally often.
pub fn default_rounds(judged: usize, changes: u32) -> u32 {
    let Spending { factor, .. } = Spending::at_look(1, changes);
    let needed = rounds_needed((judged.max(1) as f64 * factor) as usize).max(MIN_RUNS);
    needed.next_multiple_of(2) as u32
}

/// Tries a change, reports each round, and stores the trial.
///
/// # Errors
/// An unknown setting, a session that cannot begin, or a store that cannot be written.
pub async fn what_if(lab: &Lab<'_>, workload: &TunedWorkload, question: WhatIf) -> Result<Trial, TuneError> {
    let workload = &workload.with_files(&question.base)?;
    let mut trial = begun(lab, workload, &question)?;
    let engine = &workload.engine.description;
    let changed = question.change.made_to(&question.base, engine)?;
    if let Some(reason) = cannot_differ(engine, workload.suite.kind, &question.base, &changed) {
        trial.state = TrialState::CannotDiffer(reason);
        trial.rounds = 0;
        return concluded(lab, trial);
    }
    let plan = workload.plan(lab.registry, &[question.base, changed], question.rounds, question.seed)?;
    look(lab, workload, trial, &plan, Samples::default()).await
}

/// Adds as many rounds again to a trial.
///
/// # Errors
/// As for [`what_if`], or the trial cannot be extended.
pub async fn more(lab: &Lab<'_>, workload: &TunedWorkload, mut trial: Trial) -> Result<Trial, TuneError> {
    trial.extendable().map_err(TuneError::Asked)?;
    let base = workload.settings(&trial.base)?;
    let changed = workload.settings(&trial.changed())?;
    let rounds = trial.rounds;
    trial.looks += 1;
    trial.rounds += rounds;
    let seed = SplitMix64::stream(trial.seed, u64::from(trial.looks)).next_u64();
    let plan = workload.plan(lab.registry, &[base, changed], rounds, seed)?;
    let labels: Vec<&str> = plan.configurations.iter().map(|one| one.label.as_str()).collect();
    let samples = stored::samples(lab.store, &trial.trial_id, &labels)?;
    look(lab, workload, trial, &plan, samples).await
}

/// Runs the plan's rounds, which follow those of `samples`, and judges all of them.
async fn look(
    lab: &Lab<'_>,
    workload: &TunedWorkload,
    mut trial: Trial,
    plan: &BenchPlan,
    mut samples: Samples,
) -> Result<Trial, TuneError> {
    let tests = workload.tests();
    let spending = match trial.kind {
        TrialKind::WhatIf => Spending::at_look(trial.looks, trial.changes),
        TrialKind::Search => Spending::ONCE,
    };
    let before = trial.rounds - plan.rounds;
    trial.state = TrialState::Stopped;
    lab.tell(TuneEvent::TrialStarted { trial: Box::new(trial.clone()), rounds: plan.rounds, before });
    let mut tally = LiveSamples::new(plan, samples.clone());
    let report = lab
        .run(plan, keys(&trial), SessionLimits::default(), |event| {
            if let Some(round) = tally.hear(event) {
                let effects = judge(tally.samples(), BASE, CHANGED, &tests, spending);
                let (trial_id, of) = (trial.trial_id.clone(), trial.rounds);
                lab.tell(TuneEvent::Round { trial_id, round: before + round, of, effects });
            }
        })
        .await?;
    samples.add_report(plan, &report, |configuration| configuration);
    trial.session_id = Some(report.session.session_id.clone());
    let needs_syncs = trial.tier.before.needs_syncs() || trial.tier.after.needs_syncs();
    if let Some(doubt) = report.session.sync_doubt.as_ref().filter(|_| needs_syncs) {
        let risk = format!("measured where syncs reach no disk ({doubt}): no tier above 1 was upheld");
        if !trial.risks.contains(&risk) {
            trial.risks.push(risk);
        }
    }
    trial.effects = judge(&samples, BASE, CHANGED, &tests, spending);
    trial.overall = (trial.kind == TrialKind::Search && tests.len() > 1)
        .then(|| overall(&samples, BASE, CHANGED, &tests, spending));
    trial.price = Price::new(&samples, BASE, CHANGED, &tests);
    trial.state = state(&samples, report.session.status);
    concluded(lab, trial)
}

fn state(samples: &Samples, status: Status) -> TrialState {
    let failure = [BASE, CHANGED].into_iter().find_map(|variant| samples.failure(variant));
    match (samples.rounds(BASE, CHANGED).is_empty(), failure, status) {
        (true, Some(failure), _) => TrialState::Failed(failure.to_owned()),
        (_, _, Status::Cancelled | Status::Running) => TrialState::Stopped,
        _ => TrialState::Tried,
    }
}

/// Stores a trial and reports how it ended.
fn concluded(lab: &Lab<'_>, trial: Trial) -> Result<Trial, TuneError> {
    stored::keep(lab.store, &trial)?;
    lab.tell(TuneEvent::TrialEnded { trial: Box::new(trial.clone()) });
    Ok(trial)
}

/// Returns the keys of the trial's runs.
fn keys(trial: &Trial) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("tune".to_owned(), trial.kind.word().to_owned()),
        ("trial".to_owned(), trial.trial_id.clone()),
        ("ledger".to_owned(), trial.ledger.clone()),
    ])
}

fn begun(lab: &Lab<'_>, workload: &TunedWorkload, question: &WhatIf) -> Result<Trial, TuneError> {
    let engine = &workload.engine.description;
    let changed = question.change.made_to(&question.base, engine)?;
    let ((before, why_before), (after, why_after)) = (engine.tier(&question.base), engine.tier(&changed));
    let risk = |(option, value): (&String, &String)| {
        let risk = engine.option(option)?.tuning.risks.get(value)?;
        Some(format!("{option}={value}: {risk}"))
    };
    Ok(Trial {
        trial_id: identifier(),
        ledger: question.ledger.clone(),
        parent_id: question.parent_id.clone(),
        tried_at: Timestamp::now(),
        kind: question.kind,
        engine: engine.name.clone(),
        engine_version: engine.version.clone(),
        suite: workload.suite.name.clone(),
        suite_options: workload.suite_options.clone(),
        size: workload.size.to_string(),
        tests: workload.tests().into_iter().map(|(number, _)| number).collect(),
        base: question.base.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        change: OptionChange::between(&question.base, &changed),
        tier: Pair { before, after },
        tier_reason: Pair { before: why_before.to_owned(), after: why_after.to_owned() },
        risks: question.change.0.iter().filter_map(risk).collect(),
        seed: question.seed,
        rounds: question.rounds,
        looks: 1,
        changes: question.changes,
        state: TrialState::Stopped,
        effects: Vec::new(),
        overall: None,
        price: None,
        accepted: false,
        session_id: None,
        command_line: lab.launch.command_line.clone(),
    })
}
