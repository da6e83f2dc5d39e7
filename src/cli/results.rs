//! `dbdyno results`.

use super::{
    args::{CsvArgs, Places, Terms, format_of, say_unmatched},
    error::CliError,
    output::{print, print_rows},
};
use clap::{ArgGroup, Args};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::{
    details::details,
    format::Format,
    matrix::{Matrix, MatrixColumns},
    results::FORMATS,
};
use dbdyno_store::{ListOrder, Listed, ListedRows, SelectionKey, SortKey, TestTime, TextRows};
use std::process::ExitCode;

/// `dbdyno results`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("shape").args(["count", "group_by", "matrix", "transpose", "details"]))]
pub(super) struct ResultsArgs {
    #[command(flatten)]
    selection: Terms,
    /// Show only how many results of tests there are; with --runs, how many runs, also those without a finished test.
    #[arg(long)]
    count: bool,
    /// Show counts and figures for each value of a key, or of several keys separated by commas. Names of a test that differ in their
    /// numbers only are one (`test_name`).
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    group_by: Vec<String>,
    /// Show one line for each run, also for runs without a finished test.
    #[arg(long, conflicts_with_all = ["group_by", "matrix", "transpose", "details"])]
    runs: bool,
    /// Show the times of tests, with a column for each run.
    #[arg(long)]
    matrix: bool,
    /// Show the times of runs, with a column for each test.
    #[arg(long)]
    transpose: bool,
    /// In a matrix, show the medians of configurations over their runs, in place of each run: label, version and size.
    #[arg(long, conflicts_with_all = ["count", "group_by", "details", "runs", "columns"])]
    by_configuration: bool,
    /// In a matrix, show each time as its share of the total of its run or configuration.
    #[arg(long, conflicts_with_all = ["count", "group_by", "details", "runs", "columns"])]
    normalise: bool,
    /// Show everything that is known of the runs.
    #[arg(long)]
    details: bool,
    /// Columns to list: columns of the view `results` (or `runs`), options, or keys of your own; `all` for all of the view.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', conflicts_with_all = ["count", "group_by", "matrix", "transpose", "details"])]
    columns: Vec<String>,
    /// Sort a list, or groups, by this column, numbers as numbers; `COLUMN:desc` puts the greatest first. What has no value comes last.
    #[arg(long, value_name = "COLUMN[:desc]", value_parser = SortKey::parse, conflicts_with_all = UNSORTED)]
    sort: Option<SortKey>,
    /// Show no more than so many rows of a list, or groups, and say how many there are beyond. Without it, all are shown.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = UNSORTED)]
    limit: Option<u64>,
    /// How to write the answer. In JSON it is an array of objects, in which numbers are numbers.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(FORMATS))]
    format: Format,
    #[command(flatten)]
    csv: CsvArgs,
}

/// Shapes of an answer that are no lists.
const UNSORTED: [&str; 6] = ["count", "matrix", "transpose", "normalise", "by_configuration", "details"];

pub(super) fn results(places: &Places, args: &ResultsArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let keys: Vec<SelectionKey> =
        args.group_by.iter().map(|key| SelectionKey::parse(key)).collect::<Result<_, _>>().map_err(CliError::Usage)?;
    let store = places.opened()?;
    say_unmatched(&store, &selection, &keys)?;
    let shown = |rows: &TextRows| print_rows(rows, args.format, args.csv.cells);
    let shown_part = |listed: &ListedRows| {
        let code = shown(&listed.rows)?;
        if listed.beyond > 0 {
            say!("{} beyond --limit", counted(listed.beyond, "row"));
        }
        Ok(code)
    };
    if args.count {
        let count = if args.runs { store.count_runs(&selection)? } else { store.count(&selection)? };
        return print(&format!("{count}\n"));
    }
    let order = ListOrder { sort: args.sort.clone(), limit: args.limit };
    if !keys.is_empty() {
        return shown_part(&store.grouped(&selection, &keys, &order)?);
    }
    if args.details {
        let found = store.details(&selection)?;
        return if args.format == Format::Table { print(&details(&found)) } else { shown(&found) };
    }
    if args.matrix || args.transpose || args.normalise || args.by_configuration {
        let matrix = matrix(args, &store.test_times(&selection)?);
        return shown(&matrix.rows(args.transpose, args.format != Format::Table));
    }
    let listed = if args.runs { Listed::Runs } else { Listed::Results };
    shown_part(&store.listed(&selection, listed, &args.columns, &order)?)
}

fn matrix(args: &ResultsArgs, times: &[TestTime]) -> Matrix {
    let kind = if args.by_configuration { MatrixColumns::Configurations } else { MatrixColumns::Runs };
    let matrix = Matrix::new(times, kind);
    let matrix = if args.normalise { matrix.normalised() } else { matrix };
    if matrix.incomplete > 0 {
        let columns = counted(matrix.incomplete, kind.word());
        say!("{columns} without a total, because tests that others have are missing or do not count");
    }
    matrix
}
