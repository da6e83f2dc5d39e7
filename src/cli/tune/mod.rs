//! `dbdyno tune`: what-if trials, the search for the best settings, and what is known of both.

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

pub(super) use progress::show;

use super::{args::Places, error::CliError};
use accept::AcceptArgs;
use answer::AnswerArgs;
use clap::Subcommand;
use effects::EffectsArgs;
use ledger::LedgerArgs;
use more::MoreArgs;
use search::SearchArgs;
use std::{ffi::OsString, process::ExitCode};
use try_changes::TryArgs;

/// `dbdyno tune`.
#[derive(Debug, Subcommand)]
pub(super) enum TuneCommand {
    /// Try changes: measure a base with and without each of them.
    Try(Box<TryArgs>),
    /// Search for the fastest settings that keep a durability tier.
    Search(Box<SearchArgs>),
    /// Run as many rounds again, and add them to a trial.
    More(MoreArgs),
    /// Make a trial's change part of the base of later trials.
    Accept(AcceptArgs),
    /// Show what was tried, from which base, and what it gained and cost.
    Ledger(LedgerArgs),
    /// Show which option matters how much in stored runs of a sweep.
    Effects(EffectsArgs),
    /// Write the settings that a trial came to as PRAGMAs, Rust, an engine or a preset.
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

/// What `dbdyno tune FLAG` did before there were subcommands.
const OLD_FLAGS: [(&str, &str); 7] = [
    ("--what-if", "try"),
    ("--tier", "search"),
    ("--more", "more"),
    ("--accept", "accept"),
    ("--ledger", "ledger"),
    ("--effects", "effects"),
    ("--answer", "answer"),
];

/// The subcommand that does what the arguments mean, where they are those of `tune` without one.
pub(super) fn subcommand_meant(arguments: impl Iterator<Item = OsString>) -> Option<&'static str> {
    let words: Vec<OsString> = arguments.skip_while(|word| word != "tune").skip(1).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    if words.is_empty() || OLD_FLAGS.iter().any(|(_, subcommand)| has(subcommand)) {
        return None;
    }
    Some(OLD_FLAGS.iter().find(|(flag, _)| has(flag)).map_or("try", |(_, subcommand)| subcommand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_tune_without_a_subcommand_mean_one() {
        let meant = |line: &str| subcommand_meant(line.split(' ').map(OsString::from));
        assert_eq!(meant("dbdyno tune --engine sqlite --what-if synchronous=off --accept"), Some("try"));
        assert_eq!(meant("dbdyno tune --engine sqlite --tier 2"), Some("search"));
        assert_eq!(meant("dbdyno --store x tune --set a.b=c"), Some("try"));
        assert_eq!(meant("dbdyno tune try --what-if a=b"), None);
        assert_eq!(meant("dbdyno results --tier"), None);
    }
}
