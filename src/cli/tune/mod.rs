//! `dbdyno tune`: what-if trials, the search for the best settings, and their results.

mod accept;
mod answer;
mod base;
mod effects;
mod lab;
mod ledger;
mod more;
mod progress;
mod search;
mod try_changes;

pub(super) use progress::{follow, show, worth_a_line};

use super::{args::Places, error::CliError};
use accept::AcceptArgs;
use answer::AnswerArgs;
use clap::Subcommand;
use effects::EffectsArgs;
use ledger::LedgerArgs;
use more::MoreArgs;
use search::SearchArgs;
use std::process::ExitCode;
use try_changes::TryArgs;

/// `dbdyno tune`.
#[derive(Debug, Subcommand)]
pub(super) enum TuneCommand {
    /// Try changes: measure a base with and without each of them.
    Try(Box<TryArgs>),
    /// Search for the fastest settings with at least a given durability tier.
    Search(Box<SearchArgs>),
    /// Run the same number of rounds again and add them to a trial.
    ///
    /// For a trial with --sql, give --sql again, and --database if the trial had it.
    More(Box<MoreArgs>),
    /// Make a trial's change part of the base of later trials.
    Accept(AcceptArgs),
    /// Show each trial: the change, its base, its gain and its cost.
    Ledger(LedgerArgs),
    /// Show how much each option matters in stored runs of a sweep.
    Effects(EffectsArgs),
    /// Write the resulting settings of a trial as PRAGMAs, Rust, an engine or a preset.
    Answer(AnswerArgs),
}

pub(super) fn tune(places: &Places, command: TuneCommand) -> Result<ExitCode, CliError> {
    match command {
        TuneCommand::Try(args) => try_changes::try_changes(places, &args),
        TuneCommand::Search(args) => search::find_best(places, &args),
        TuneCommand::More(args) => more::extend(places, &args),
        TuneCommand::Accept(args) => accept::accept_one(places, &args),
        TuneCommand::Ledger(args) => ledger::show(places, &args),
        TuneCommand::Effects(args) => effects::show(places, &args),
        TuneCommand::Answer(args) => answer::show(places, &args),
    }
}
