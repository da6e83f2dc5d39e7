//! `dbdyno tune accept`.

use super::lab::trial_of;
use crate::cli::{args::Places, error::CliError, output::print};
use clap::Args;
use dbdyno_foundation::base::units::plain;
use dbdyno_running::tune::accept;
use std::process::ExitCode;

/// `dbdyno tune accept`.
#[derive(Debug, Args)]
pub(in crate::cli) struct AcceptArgs {
    /// The trial, by its identifier or the beginning of it; `last` is the last one.
    #[arg(default_value = "last")]
    trial: String,
}

pub(super) fn accept_one(places: &Places, args: &AcceptArgs) -> Result<ExitCode, CliError> {
    let store = places.opened()?;
    let mut trial = trial_of(&store, &args.trial)?;
    trial.acceptable().map_err(CliError::Usage)?;
    accept(&store, &mut trial)?;
    let lost = if trial.loses_durability() {
        format!(" Durability drops from tier {} to {}.", trial.tier.before, trial.tier.after)
    } else {
        String::new()
    };
    let change = plain(&trial.change.to_string());
    print(&format!("{change} is now the base: go on with `dbdyno tune try --from last CHANGE`.{lost}\n"))
}
