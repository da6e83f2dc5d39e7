//! `dbdyno delete`.

use super::{
    args::{AffectedRuns, Places},
    error::CliError,
    output::print,
};
use clap::Args;
use dbdyno_engine::say;
use dbdyno_foundation::base::units::counted;
use dbdyno_store::Extent;
use std::{
    io::{BufRead, IsTerminal},
    process::ExitCode,
};

/// `dbdyno delete`.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    runs: AffectedRuns,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

pub(super) fn delete(places: &Places, args: &DeleteArgs) -> Result<ExitCode, CliError> {
    let selection = args.runs.selection()?;
    let store = places.opened()?;
    let Extent { runs, running, .. } = store.extent(&selection)?;
    if runs == 0 {
        return Err(AffectedRuns::none());
    }
    if running > 0 {
        return Err(CliError::Failed(format!(
            "nothing was deleted: {} of these runs {} running and would store its remaining results without them: \
             stop it first, or select other sessions",
            counted(running, "session"),
            if running == 1 { "is" } else { "are" },
        )));
    }
    if !args.yes && !confirmed(runs)? {
        say!("nothing was deleted");
        return Ok(ExitCode::SUCCESS);
    }
    let deleted = store.delete(&selection)?;
    let (runs, sessions) = (counted(deleted.runs, "run"), counted(deleted.sessions, "session"));
    print(&format!("deleted {runs} and {sessions} without any runs left\n"))
}

/// Asks on the terminal. Without one, only `--yes` will do.
fn confirmed(runs: u64) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::Usage(format!(
            "this deletes {} for good, and there is no terminal to confirm it on: give --yes",
            counted(runs, "run")
        )));
    }
    say::question(&format!("delete {} for good? [y/N] ", counted(runs, "run")));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| CliError::Failed(format!("reading the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
