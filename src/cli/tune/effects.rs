//! `dbdyno tune effects`: how much each option matters, from stored runs.

use crate::cli::{
    args::{Places, ReportArgs},
    error::CliError,
    output::command_line,
};
use clap::Args;
use dbdyno_comparing::compare::load;
use dbdyno_foundation::metric::Metric;
use dbdyno_reports::tune::effects_sheet;
use dbdyno_running::tune::effects::effects;
use dbdyno_store::{Latencies, Selection};
use std::process::ExitCode;

/// `dbdyno tune effects`.
#[derive(Debug, Args)]
pub(in crate::cli) struct EffectsArgs {
    /// Runs of one test of one suite at one size, in which options differ: terms as for `compare`, as in
    /// 'preset=pragma-grid test=1'.
    selection: String,
    #[command(flatten)]
    written: ReportArgs,
}

pub(super) fn show(places: &Places, args: &EffectsArgs) -> Result<ExitCode, CliError> {
    let selected = args.selection.trim();
    let wrong = |message: String| CliError::Usage(format!("'{selected}': {message}"));
    if selected.is_empty() {
        return Err(wrong("expected terms, as in 'preset=pragma-grid test=1'".to_owned()));
    }
    let selection = Selection::parse_line(selected).map_err(wrong)?;
    let report = args.written.checked(places)?;
    let side = load(&places.opened()?, selected, &selection, Metric::Wall, Latencies::Left)?;
    let found = effects(&side).map_err(|error| wrong(error.to_string()))?;
    report.write(&effects_sheet(&found, &command_line()), &found)
}
