//! `dbdyno tune try`: measures the effect of changed options.

use super::{
    base::{BaseArgs, questions},
    lab::{conclude, prepared, with_lab},
};
use crate::cli::{
    args::{MeasureArgs, Places, ProgressArgs, SheetArgs, whole},
    error::CliError,
};
use clap::Args;
use dbdyno_engine::say;
use dbdyno_foundation::base::units::plain;
use dbdyno_running::tune::{OptionChange, Trial, TrialKind, TrialState, WhatIf, accept, default_rounds, what_if};
use dbdyno_workload::rng::SplitMix64;
use std::process::ExitCode;

/// `dbdyno tune try`.
#[derive(Debug, Args)]
pub(in crate::cli) struct TryArgs {
    /// A change to try against the base, as in sqlite.cache_size=20000 or cache_size=20000; separate options that change
    /// together by commas. Several changes are tried one after the other.
    #[arg(value_name = "CHANGE", required = true)]
    changes: Vec<String>,
    /// Accept each change with at least one test faster, none slower, and durability not reduced. The next is tried on top.
    #[arg(long)]
    accept: bool,
    /// Rounds of each trial, fixed before it begins [default: the fewest that can decide].
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000_u32))]
    rounds: Option<u32>,
    #[command(flatten)]
    base: BaseArgs,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    progress: ProgressArgs,
    #[command(flatten)]
    written: SheetArgs,
}

pub(super) fn try_changes(places: &Places, args: &TryArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let (registry, store) = prepared(places)?;
    let mut questions = questions(places, &args.base, &args.measure.work, &registry, &store)?;
    let engine = questions.workload.engine.description.clone();
    let changes: Vec<OptionChange> =
        args.changes.iter().map(|text| OptionChange::parse(&engine, text)).collect::<Result<_, _>>()?;
    let count = changes.len() as u32;
    let rounds = args.rounds.unwrap_or_else(|| default_rounds(questions.workload.judged(), count));
    let seed = args.base.seed();
    let trials = with_lab(places, &registry, &store, &args.measure, &args.progress, async |lab| {
        let mut trials = Vec::new();
        for (at, change) in (0..).zip(changes) {
            let question = WhatIf {
                ledger: questions.ledger.clone(),
                parent_id: questions.parent_id.clone(),
                kind: TrialKind::WhatIf,
                base: questions.base.clone(),
                change,
                rounds,
                changes: count,
                seed: SplitMix64::stream(seed, at).next_u64(),
            };
            let mut trial = what_if(&lab, &questions.workload, question).await?;
            if args.accept && trial.is_gain() && !trial.loses_durability() {
                accept(&store, &mut trial)?;
                questions.base = questions.workload.settings(&trial.changed())?;
                questions.parent_id = Some(trial.trial_id.clone());
            }
            let stopped = trial.state == TrialState::Stopped;
            trials.push(trial);
            if stopped {
                break;
            }
        }
        Ok(trials)
    })?;
    if args.accept {
        say_not_accepted(&trials);
    }
    conclude(&trials, &args.progress, &report)
}

/// Says of each change that `--accept` was asked for why it was not accepted.
fn say_not_accepted(trials: &[Trial]) {
    for trial in trials.iter().filter(|trial| !trial.accepted && trial.state == TrialState::Tried) {
        let why = if trial.is_gain() {
            "commits would be less durable"
        } else {
            "it made no test faster, or it made one slower"
        };
        let (change, id) = (plain(&trial.change.to_string()), &trial.trial_id);
        say!("{change}: not accepted, {why}; `dbdyno tune accept {id}` accepts it anyway");
    }
}
