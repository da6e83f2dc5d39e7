//! `dbdyno tune search`: the fastest settings whose commits have at least a durability tier.

use super::{
    answer::answer_of,
    base::{BaseArgs, Questions, questions},
    lab::{code, prepared, with_lab},
};
use crate::cli::{
    args::{MeasureArgs, Places, ProgressArgs, SheetArgs, duration, memory, whole},
    error::CliError,
    output::{command_line, print},
};
use clap::Args;
use dbdyno_engine::durability::Tier;
use dbdyno_reports::tune::{AnswerForm, search_sheet};
use dbdyno_running::tune::search::{SearchSpec, search};
use std::{process::ExitCode, time::Duration};

/// `dbdyno tune search`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SearchArgs {
    /// The lowest durability tier that settings may have: 3 power-safe, 2 consistent, 1 process-safe, 0 unsafe.
    #[arg(long, value_name = "TIER", value_parser = whole(0..=3_u8))]
    tier: u8,
    /// How long the search may take, including the trial that confirms its winner.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    budget: Duration,
    /// Drop settings with which the program uses more memory than this: 64MiB, 1GiB.
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory_limit: Option<u64>,
    /// Rounds of the trial that confirms the winner [default: 6 to 40, by the time left].
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

pub(super) fn find_best(places: &Places, args: &SearchArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let (registry, store) = prepared(places)?;
    let Questions { workload, base, parent_id, ledger, _own } =
        questions(places, &args.base, &args.measure.work, &registry, &store)?;
    let spec = SearchSpec {
        ledger,
        parent_id,
        base,
        tier: Tier::try_from(args.tier).map_err(CliError::Usage)?,
        budget: args.budget,
        memory_limit: args.memory_limit,
        rounds: args.rounds,
        seed: args.base.seed(),
    };
    let found = with_lab(places, &registry, &store, &args.measure, &args.progress, async |lab| {
        search(&lab, &workload, spec).await
    })?;
    if !args.progress.json || report.has_file() {
        report.write(&search_sheet(&found, &command_line()), &found)?;
        // Other formats are for programs and files, which get the answer from `tune answer`.
        let gain = found.confirmed.as_ref().filter(|trial| trial.is_gain() && report.is_for_people());
        if let Some(trial) = gain {
            print(&format!("\n{}", answer_of(&registry, &store, trial, AnswerForm::Pragma)?))?;
        }
    }
    Ok(found.confirmed.as_ref().map_or(ExitCode::SUCCESS, |trial| code(std::slice::from_ref(trial))))
}
