//! `dbdyno trend`: a configuration over its sessions, with the places at which it changed.

use super::{
    args::{Places, ReportArgs, SelectionTerms, metric},
    error::CliError,
    output::command_line,
};
use clap::Args;
use dbdyno_comparing::compare::{as_rates, load, trend};
use dbdyno_foundation::metric::Metric;
use dbdyno_reports::trend::sheet;
use dbdyno_store::Latencies;
use std::process::ExitCode;

/// `dbdyno trend`.
#[derive(Debug, Args)]
pub(super) struct TrendArgs {
    #[command(flatten)]
    selection: SelectionTerms,
    /// The metric: any figure of a test [default: the wall time; operations a second if tests end after a time].
    #[arg(long, value_name = "METRIC", value_parser = metric())]
    metric: Option<Metric>,
    #[command(flatten)]
    written: ReportArgs,
}

pub(super) fn over_sessions(places: &Places, args: &TrendArgs) -> Result<ExitCode, CliError> {
    let (selection, words) = (args.selection.selection()?, args.selection.line());
    let report = args.written.checked(places)?;
    let store = places.opened()?;
    let mut side = load(&store, &words, &selection, args.metric.unwrap_or_default(), Latencies::Left)?;
    if side.runs.is_empty() {
        return Err(CliError::Usage(format!(
            "no result matches in {}: `dbdyno results --group-by KEY` lists the values that a key has",
            store.path().display()
        )));
    }
    if args.metric.is_none() {
        as_rates([&mut side]);
    }
    let trend = trend(&side, &command_line());
    report.write(&sheet(&trend), &trend)
}
