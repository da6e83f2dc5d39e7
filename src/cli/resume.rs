//! `dbdyno resume`: the remaining runs of an interrupted session.

use super::{
    args::{Places, ProgressArgs},
    completions,
    error::CliError,
    session::{conclude, session_text, watched},
};
use clap::Args;
use dbdyno_catalog::engines::Registry;
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_running::runner::{Owed, ResumeError};
use std::process::ExitCode;

/// `dbdyno resume`.
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The session, by the beginning of its identifier [default: the last that was interrupted].
    #[arg(add = completions::sessions())]
    session: Option<String>,
    /// Resume it even if the version of dbdyno or of an engine has changed since it began.
    #[arg(long)]
    allow_differing_versions: bool,
    #[command(flatten)]
    progress: ProgressArgs,
}

impl From<ResumeError> for CliError {
    fn from(error: ResumeError) -> Self {
        match error {
            ResumeError::Store(error) => Self::Store(error),
            ResumeError::Request(error) => Self::Plan(error),
            ResumeError::Unknown(_) => Self::Usage(format!("{error}: `dbdyno results --group-by session` lists them")),
            ResumeError::Versions { .. } => Self::Usage(format!("{error}: add --allow-differing-versions")),
            other => Self::Usage(other.to_string()),
        }
    }
}

pub(super) fn resume(places: &Places, args: &ResumeArgs) -> Result<ExitCode, CliError> {
    let store = places.opened()?;
    let registry = Registry::discover();
    let owed = Owed::find(&store, &registry, args.session.as_deref(), args.allow_differing_versions)?;
    let style = args.progress.style();
    if !args.progress.quiet {
        let (runs, all) = (owed.runs(), owed.plan.runs.len());
        say!("session {}: {runs} of {} still to run", plain(owed.session_id()), counted(all, "run"));
    }
    let report = watched(places, style, async |events, control| owed.run(&registry, &store, events, control).await)?;
    conclude(&report, (&store, places), style, session_text)
}
