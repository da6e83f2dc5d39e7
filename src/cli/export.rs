//! `dbdyno export`: the results of a selection as a file for other programs, with the command that made it.

use super::{
    args::{
        CsvArgs, OutArgs, OutputFormat, Places, SelectionTerms, chosen_format, format_or_tracker, metric, say_unmatched,
    },
    error::{CliError, unwritten, unwritten_file},
    output::{command_line, streamed},
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
    tracked::{self, TRACKERS, TrackError, Tracked, TrackedSummary, Tracker},
};
use dbdyno_store::{Selection, Store};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    process::ExitCode,
};

/// `dbdyno export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    selection: SelectionTerms,
    /// Format of the results [default: by the ending of --out, else csv].
    ///
    /// csv, json and parquet have every column, with a row for each run and test. The formats of benchmark trackers have the medians of
    /// sessions.
    #[arg(long, help_heading = "Output", value_name = "FORMAT", value_parser = format_or_tracker(results::FILE_FORMATS, TRACKERS))]
    format: Option<OutputFormat>,
    /// Same as --format json.
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    json: bool,
    /// Metrics of each test for a benchmark tracker [default: the wall time of an operation].
    #[arg(short, long, help_heading = "Output", value_name = "METRIC", value_delimiter = ',', value_parser = metric(), hide_possible_values = true)]
    metric: Vec<Metric>,
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn export(places: &Places, args: &ExportArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let output = args.out.checked(places)?;
    let requested = if args.json { Some(OutputFormat::Own(Format::Json)) } else { args.format };
    let format = chosen_format(requested, args.out.file(), results::FILE_FORMATS, Format::Csv)?;
    if let (OutputFormat::Own(format), false) = (format, args.metric.is_empty()) {
        return Err(CliError::Usage(format!(
            "--metric does not apply to {}, which has every figure: leave it out",
            format.name()
        )));
    }
    let store = places.opened()?;
    say_unmatched(&store, &selection, &[])?;
    match format {
        OutputFormat::Own(format) => of_rows(places, args, (&store, &selection), format, output.as_ref()),
        OutputFormat::Tracker(tracker) => of_figures(args, (&store, &selection), tracker, output.as_ref()),
    }
}

fn of_rows(
    places: &Places,
    args: &ExportArgs,
    (store, selection): (&Store, &Selection),
    format: Format,
    output: Option<&Output>,
) -> Result<ExitCode, CliError> {
    let command = command_line();
    let catalog = places.catalog()?;
    let shape = (format, args.csv.cells);
    let Some(output) = output else {
        return streamed(|mut stdout| results::write_as_text(store, selection, shape, &command, &catalog, &mut stdout));
    };
    let write = |temporary: &Path| results::write(store, selection, shape, &command, &catalog, temporary);
    // The count comes first: after the file is in its place, nothing can fail any more.
    let count = store.count(selection)?;
    let written = output.replace(write).unwrap_or_else(|error| Err(error.into()));
    written.map_err(unwritten(output.named()))?;
    say!("{} written to {}", counted(count, "result"), output.named().display());
    Ok(ExitCode::SUCCESS)
}

fn of_figures(
    args: &ExportArgs,
    (store, selection): (&Store, &Selection),
    tracker: Tracker,
    output: Option<&Output>,
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
    let named = output.map(Output::named);
    let tracked = Tracked { tracker, metrics: &metrics, cells: args.csv.cells, named };
    let mut summary = TrackedSummary::default();
    let Some(output) = output else {
        let code = streamed(|mut stdout| {
            summary = tracked::write(store, selection, &tracked, &mut stdout)?;
            Ok::<_, TrackError>(())
        })?;
        say_notes(&summary);
        return Ok(code);
    };
    let replaced = output.replace(|temporary| {
        let mut file = BufWriter::new(File::create(temporary)?);
        summary = tracked::write(store, selection, &tracked, &mut file)?;
        Ok(file.flush()?)
    });
    replaced.unwrap_or_else(|error| Err(TrackError::File(error))).map_err(|error| match error {
        TrackError::File(error) => unwritten_file(output.named(), &error),
        error => error.into(),
    })?;
    let TrackedSummary { figures, sessions, .. } = summary;
    say!("{} of {} written to {}", counted(figures, "figure"), counted(sessions, "session"), output.named().display());
    say_notes(&summary);
    Ok(ExitCode::SUCCESS)
}

fn say_notes(written: &TrackedSummary) {
    written.notes.iter().for_each(|note| say!("note: {}", plain(note)));
}
