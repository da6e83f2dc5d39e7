//! Trials in the store: stored, found, accepted.

use super::{
    ledger::Ledger,
    price::Pair,
    samples::{Sample, Samples},
    trial::{Trial, TrialKind, TrialState},
};
use dbdyno_store::{Batch, Store, StoreError, TrialRecord, TrialTest};
use serde::{Serialize, de::DeserializeOwned};

/// Stores a trial, and replaces its previous record.
pub(super) fn keep(store: &Store, trial: &Trial) -> Result<(), StoreError> {
    store.append(&Batch { trials: vec![record(trial)?], ..Batch::default() })?;
    store.settle().map(drop)
}

/// Returns the names of all ledgers, the most recently used first.
///
/// # Errors
/// The store cannot be read.
pub fn ledgers(store: &Store) -> Result<Vec<String>, StoreError> {
    store.ledgers()
}

/// Returns the name of the most recently used ledger.
///
/// # Errors
/// The store cannot be read.
pub fn last_ledger(store: &Store) -> Result<Option<String>, StoreError> {
    Ok(ledgers(store)?.into_iter().next())
}

/// Returns a ledger by its name; without entries if no ledger has that name.
///
/// # Errors
/// The store cannot be read.
pub fn ledger(store: &Store, name: &str) -> Result<Ledger, StoreError> {
    let trials = store.trials_of(name)?.into_iter().map(trial).collect::<Result<_, _>>()?;
    Ok(Ledger::new(name, trials))
}

/// Returns the trial whose identifier begins with `id`, or the last of all trials for `last`. None if no trial, or more than one, matches.
///
/// # Errors
/// The store cannot be read.
pub fn find_trial(store: &Store, id: &str) -> Result<Option<Trial>, StoreError> {
    let mut records = if id == "last" { store.last_trial()? } else { store.trials_named(id)? };
    match (records.pop(), records.is_empty()) {
        (Some(record), true) => trial(record).map(Some),
        _ => Ok(None),
    }
}

/// Accepts a trial as the base of further trials.
///
/// # Errors
/// The store cannot be written.
pub fn accept(store: &Store, trial: &mut Trial) -> Result<(), StoreError> {
    trial.accepted = true;
    keep(store, trial)
}

/// Returns the measurements of a trial: variant `i` is the configuration with the label `labels[i]`.
pub(super) fn samples(store: &Store, trial_id: &str, labels: &[&str]) -> Result<Samples, StoreError> {
    let mut samples = Samples::default();
    for TrialTest { label, session_id, round, test, actor, agrees, figures } in store.trial_tests(trial_id)? {
        let Some(variant) = labels.iter().position(|one| *one == label) else { continue };
        if let Some(sample) = Sample::new(figures, agrees) {
            samples.add(variant, (session_id, round), (test, actor), sample);
        }
    }
    Ok(samples)
}

fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Query { message: error.to_string() })
}

fn record(trial: &Trial) -> Result<TrialRecord, StoreError> {
    let (state, reason) = match &trial.state {
        TrialState::Tried => ("tried", None),
        TrialState::Stopped => ("stopped", None),
        TrialState::CannotDiffer(reason) => ("cannot_differ", Some(reason.clone())),
        TrialState::Failed(reason) => ("failed", Some(reason.clone())),
    };
    Ok(TrialRecord {
        trial_id: trial.trial_id.clone(),
        session_id: trial.session_id.clone(),
        ledger: trial.ledger.clone(),
        parent_id: trial.parent_id.clone(),
        tried_at: trial.tried_at,
        kind: trial.kind.word().to_owned(),
        engine: trial.engine.clone(),
        engine_version: trial.engine_version.clone(),
        suite: trial.suite.clone(),
        suite_options: json(&trial.suite_options)?,
        size: trial.size.clone(),
        tests: json(&trial.tests)?,
        base: json(&trial.base)?,
        change: json(&trial.change)?,
        tier_before: trial.tier.before,
        tier_after: trial.tier.after,
        tier_reason_before: trial.tier_reason.before.clone(),
        tier_reason_after: trial.tier_reason.after.clone(),
        risks: json(&trial.risks)?,
        seed: trial.seed,
        rounds: trial.rounds,
        looks: trial.looks,
        changes: trial.changes,
        state: state.to_owned(),
        reason,
        effects: json(&trial.effects)?,
        overall: trial.overall.as_ref().map(json).transpose()?,
        price: trial.price.as_ref().map(json).transpose()?,
        accepted: trial.accepted,
        command_line: trial.command_line.clone(),
    })
}

fn trial(record: TrialRecord) -> Result<Trial, StoreError> {
    let reason = record.reason.clone().unwrap_or_default();
    Ok(Trial {
        kind: match record.kind.as_str() {
            "search" => TrialKind::Search,
            _ => TrialKind::WhatIf,
        },
        state: match record.state.as_str() {
            "tried" => TrialState::Tried,
            "cannot_differ" => TrialState::CannotDiffer(reason),
            "failed" => TrialState::Failed(reason),
            _ => TrialState::Stopped,
        },
        suite_options: parsed(&record, &record.suite_options)?,
        tests: parsed(&record, &record.tests)?,
        base: parsed(&record, &record.base)?,
        change: parsed(&record, &record.change)?,
        tier: Pair { before: record.tier_before, after: record.tier_after },
        tier_reason: Pair { before: record.tier_reason_before.clone(), after: record.tier_reason_after.clone() },
        risks: parsed(&record, &record.risks)?,
        effects: parsed(&record, &record.effects)?,
        overall: record.overall.as_ref().map(|text| parsed(&record, text)).transpose()?,
        price: record.price.as_ref().map(|text| parsed(&record, text)).transpose()?,
        seed: record.seed,
        rounds: record.rounds,
        looks: record.looks,
        changes: record.changes,
        accepted: record.accepted,
        trial_id: record.trial_id,
        session_id: record.session_id,
        ledger: record.ledger,
        parent_id: record.parent_id,
        tried_at: record.tried_at,
        engine: record.engine,
        engine_version: record.engine_version,
        suite: record.suite,
        size: record.size,
        command_line: record.command_line,
    })
}

fn parsed<T: DeserializeOwned>(record: &TrialRecord, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| unreadable(&record.trial_id, &error.to_string()))
}

fn unreadable(trial_id: &str, message: &str) -> StoreError {
    StoreError::Query { message: format!("trial {trial_id} cannot be read: {message}") }
}
