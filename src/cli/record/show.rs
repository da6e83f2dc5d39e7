//! Shows what a recording has in it.

use crate::cli::{
    args::{Places, ReportArgs},
    error::CliError,
    output::command_line,
};
use dbdyno_recorded::{RecordingSummary, plans};
use dbdyno_reports::recording::{RecordingReport, sheet};
use std::{path::Path, process::ExitCode};

/// The most statements whose plans are asked for.
const PLANS: usize = 30;

pub(super) fn show(places: &Places, folder: &Path, written: &ReportArgs) -> Result<ExitCode, CliError> {
    let target = written.checked(places)?;
    let wrong = |error: dbdyno_recording::RecordingError| CliError::Usage(error.to_string());
    let summary = RecordingSummary::read(folder).map_err(wrong)?;
    let plans = plans(folder, &summary, PLANS).map_err(wrong)?;
    let report = RecordingReport { summary, plans };
    target.write(&sheet(&report, &command_line()), &report)
}
