//! `dbdyno tune ledger`: each trial with its base, its gain and its cost.

use super::lab::NO_TRIALS;
use crate::cli::{
    args::{Places, ReportArgs},
    error::CliError,
    output::command_line,
};
use clap::Args;
use dbdyno_engine::names::instead_of;
use dbdyno_foundation::base::units::plain;
use dbdyno_reports::tune::ledger_sheet;
use dbdyno_running::tune::{last_ledger, ledger, ledgers};
use std::process::ExitCode;

/// `dbdyno tune ledger`.
#[derive(Debug, Args)]
pub(in crate::cli) struct LedgerArgs {
    /// Name of the ledger; `last` is the ledger used last.
    #[arg(default_value = "last")]
    name: String,
    #[command(flatten)]
    written: ReportArgs,
}

pub(super) fn show(places: &Places, args: &LedgerArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let store = places.opened()?;
    let none = || CliError::Usage(NO_TRIALS.to_owned());
    let name = if args.name == "last" { last_ledger(&store)?.ok_or_else(none)? } else { args.name.clone() };
    let found = ledger(&store, &name)?;
    if found.entries.is_empty() {
        let known = ledgers(&store)?;
        if known.is_empty() {
            return Err(none());
        }
        let instead = instead_of(&name, known);
        return Err(CliError::Usage(format!("unknown ledger `{name}`: {}", plain(&instead))));
    }
    let command = command_line();
    let typed = serde_json::json!({ "command": command, "name": found.name, "entries": found.entries });
    report.write(&ledger_sheet(&found, &command), &typed)
}
