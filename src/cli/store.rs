//! `dbdyno store`: checks whether the store is sound, and rescues the data of one that is not.

use super::{
    args::{Places, notices},
    error::CliError,
    output::print,
};
use clap::Subcommand;
use dbdyno_foundation::base::units::{count, counted, plain};
use std::process::ExitCode;

/// `dbdyno store`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum StoreCommand {
    /// Read the whole store and report for each part whether it is readable. Changes nothing.
    Check,
    /// Replace the store with a copy of its readable data, and keep the damaged file next to it.
    Repair,
}

pub(super) fn store(places: &Places, command: StoreCommand) -> Result<ExitCode, CliError> {
    match command {
        StoreCommand::Check => check(places),
        StoreCommand::Repair => repair(places),
    }
}

/// One line a finding. Exit code 1 when something cannot be read.
fn check(places: &Places) -> Result<ExitCode, CliError> {
    let store = places.store()?;
    if !store.exists() {
        return Err(CliError::Usage(format!("there is no store {}", store.path().display())));
    }
    let findings = store.check();
    let line = |sound: bool, what: &str| format!("{}  {}\n", if sound { '✓' } else { '✗' }, plain(what));
    print(&findings.iter().map(|finding| line(finding.sound, &finding.what)).collect::<String>())?;
    let sound = findings.iter().all(|finding| finding.sound);
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Exit code 1 when rows were lost.
fn repair(places: &Places) -> Result<ExitCode, CliError> {
    let store = places.store()?;
    if !store.exists() {
        return Err(CliError::Usage(format!("there is no store {}", store.path().display())));
    }
    let Some(repaired) = store.repair()? else {
        return print("the store is sound: nothing was changed\n");
    };
    for (table, (saved, lost)) in &repaired.rows {
        let lost = if *lost > 0 { format!(", {} LOST", count(*lost)) } else { String::new() };
        print(&format!("{table:<13} {} saved{lost}\n", counted(*saved, "row")))?;
    }
    for what in &repaired.missing {
        print(&format!("LOST: {}\n", plain(what)))?;
    }
    print(&format!("the damaged file is kept as {}\n", plain(&repaired.damaged.to_string_lossy())))?;
    notices(&store.settle()?);
    let lost = repaired.rows.values().any(|(_, lost)| *lost > 0) || !repaired.missing.is_empty();
    Ok(if lost { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
