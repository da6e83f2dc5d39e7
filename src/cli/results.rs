//! `dbdyno results`.

use super::{
    args::{CsvArgs, Places, Terms, format_of},
    error::CliError,
    output::print,
};
use crate::{
    base::units::plain,
    report::{
        format::Format,
        matrix::Matrix,
        results::{FORMATS, text},
        text::details,
    },
    store::{Listed, SelectionKey, TextRows},
};
use clap::{ArgGroup, Args};
use dbdyno_engine::say;
use std::process::ExitCode;

/// `dbdyno results`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("shape").args(["count", "group_by", "matrix", "transpose", "details", "runs"]))]
pub(super) struct ResultsArgs {
    #[command(flatten)]
    selection: Terms,
    /// Show only how many results there are.
    #[arg(long)]
    count: bool,
    /// Show counts and figures for each value of a key, or of several keys separated by commas.
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    group_by: Vec<String>,
    /// Show one line for each run, also for runs without a finished test.
    #[arg(long)]
    runs: bool,
    /// Show the times of tests, with a column for each run.
    #[arg(long)]
    matrix: bool,
    /// Show the times of runs, with a column for each test.
    #[arg(long)]
    transpose: bool,
    /// In a matrix, show each time as its share of the run's total.
    #[arg(long, conflicts_with_all = ["count", "group_by", "details", "runs", "columns"])]
    normalise: bool,
    /// Show everything that is known of the runs.
    #[arg(long)]
    details: bool,
    /// Columns to list: columns of the view `results` (or `runs`), options, or keys of your own; `all` for all of the view.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', conflicts_with_all = ["count", "group_by", "matrix", "transpose", "details"])]
    columns: Vec<String>,
    /// How to write the answer. In JSON it is an array of objects, and every value is a text or null.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(FORMATS))]
    format: Format,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn results(places: &Places, args: &ResultsArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let keys: Vec<SelectionKey> =
        args.group_by.iter().map(|key| SelectionKey::parse(key)).collect::<Result<_, _>>().map_err(CliError::Usage)?;
    let store = places.opened()?;
    for name in store.unknown_names(&selection, &keys)? {
        say!("note: no stored run has an option or a key `{}`", plain(&name));
    }
    let shown = |rows: &TextRows| print(&text(rows, args.format, args.csv.cells)?);
    if args.count {
        return print(&format!("{}\n", store.count(&selection)?));
    }
    if !keys.is_empty() {
        return shown(&store.grouped(&selection, &keys)?);
    }
    if args.details {
        let found = store.details(&selection)?;
        return if args.format == Format::Table { print(&details(&found)) } else { shown(&found) };
    }
    if args.matrix || args.transpose || args.normalise {
        let mut matrix = Matrix::new(&store.test_times(&selection)?);
        if args.normalise {
            matrix = matrix.normalised();
        }
        if matrix.incomplete > 0 {
            say!(
                "{} runs have no total, because tests that others have are missing or do not count",
                matrix.incomplete
            );
        }
        return shown(&matrix.rows(args.transpose, args.format != Format::Table));
    }
    let listed = if args.runs { Listed::Runs } else { Listed::Results };
    shown(&store.listed(&selection, listed, &args.columns)?)
}
