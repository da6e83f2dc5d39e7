//! `dbdyno export`: the results of a selection as a file for other programs, with the command that made it.

use super::{
    args::{CsvArgs, OutputFormat, Places, Terms, format_or_tracker, metric, say_unmatched},
    error::{CliError, unwritten, unwritten_file},
    output::command_line,
};
use clap::Args;
use dbdyno_engine::say;
use dbdyno_foundation::{
    base::{
        output::Output,
        units::{counted, plain},
    },
    metric::Metric,
};
use dbdyno_reports::{
    format::Format,
    results,
    tracked::{TRACKERS, TrackError, Tracked, Tracker, Written, write},
};
use dbdyno_store::{Selection, Store};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// `dbdyno export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    selection: Terms,
    /// How to write the results: every column, a row for each run and test; or medians of sessions for a program that follows benchmarks.
    #[arg(long, value_name = "FORMAT", value_parser = format_or_tracker(results::FILE_FORMATS, TRACKERS))]
    format: OutputFormat,
    /// What a program that follows benchmarks is told of each test. Without it, the wall time of an operation.
    #[arg(long, value_name = "METRIC", value_delimiter = ',', value_parser = metric(), hide_possible_values = true)]
    metric: Vec<Metric>,
    /// The file. One of that name is replaced, all at once.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn export(places: &Places, args: &ExportArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let format = args.format;
    if let (OutputFormat::Own(format), false) = (format, args.metric.is_empty()) {
        return Err(CliError::Usage(format!(
            "--metric does not apply to {}, which has every figure: leave it out",
            format.name()
        )));
    }
    let output = places.output(&args.out)?;
    let store = places.opened()?;
    say_unmatched(&store, &selection, &[])?;
    match format {
        OutputFormat::Own(format) => of_rows(places, args, (&store, &selection), format, &output),
        OutputFormat::Tracker(tracker) => of_figures(args, (&store, &selection), tracker, &output),
    }
}

fn of_rows(
    places: &Places,
    args: &ExportArgs,
    (store, selection): (&Store, &Selection),
    format: Format,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let command = command_line();
    let catalog = places.catalog()?;
    let shape = (format, args.csv.cells);
    let write = |temporary: &Path| results::write(store, selection, shape, &command, &catalog, temporary);
    // The count comes first: after the file is in its place, nothing can fail any more.
    let count = store.count(selection)?;
    let written = output.replace(write).unwrap_or_else(|error| Err(error.into()));
    written.map_err(unwritten(&args.out))?;
    say!("{} written to {}", counted(count, "result"), args.out.display());
    Ok(ExitCode::SUCCESS)
}

fn of_figures(
    args: &ExportArgs,
    (store, selection): (&Store, &Selection),
    tracker: Tracker,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let mut metrics: Vec<Metric> = Vec::new();
    for metric in &args.metric {
        if !metrics.contains(metric) {
            metrics.push(*metric);
        }
    }
    if metrics.is_empty() {
        metrics.push(Metric::default());
    }
    let tracked = Tracked { tracker, metrics: &metrics, cells: args.csv.cells, named: &args.out };
    let mut told = Written::default();
    let replaced = output.replace(|temporary| {
        told = write(store, selection, &tracked, temporary)?;
        Ok(())
    });
    replaced.unwrap_or_else(|error| Err(TrackError::File(error))).map_err(|error| match error {
        TrackError::File(error) => unwritten_file(&args.out, &error),
        error => error.into(),
    })?;
    let Written { figures, sessions, notes } = told;
    say!("{} of {} written to {}", counted(figures, "figure"), counted(sessions, "session"), args.out.display());
    for note in notes {
        say!("note: {}", plain(&note));
    }
    Ok(ExitCode::SUCCESS)
}
