//! `dbdyno trend`: a configuration over its sessions, with the places at which it changed.

use super::{
    args::{CsvArgs, OutArgs, Places, Terms, format_of, metric},
    error::CliError,
    output::{command_line, written},
};
use crate::{
    compare::{as_rates, load, trend},
    metric::Metric,
    report::{
        format::Format,
        trend::{FORMATS, text},
    },
    store::Latencies,
};
use clap::Args;
use std::process::ExitCode;

/// `dbdyno trend`.
#[derive(Debug, Args)]
pub(super) struct TrendArgs {
    #[command(flatten)]
    selection: Terms,
    /// What is looked at: the wall time, or any other figure of a test.
    #[arg(long, value_name = "METRIC", default_value = "wall_ns", value_parser = metric())]
    metric: Metric,
    /// How to write it. CSV has a row for each session.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(FORMATS))]
    format: Format,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn over_sessions(places: &Places, args: &TrendArgs) -> Result<ExitCode, CliError> {
    let (selection, words) = (args.selection.selection()?, args.selection.line());
    let output = args.out.checked(places)?;
    let store = places.opened()?;
    let mut side = load(&store, &words, &selection, args.metric, Latencies::Left)?;
    if side.runs.is_empty() {
        return Err(CliError::Usage(format!(
            "no result matches in {}: `dbdyno results --group-by KEY` lists the values that a key has",
            store.path().display()
        )));
    }
    as_rates([&mut side]);
    written(&text(&trend(&side, &command_line()), args.format, args.csv.cells)?, output.as_ref())
}
