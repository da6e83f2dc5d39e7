//! `dbdyno results`.

use super::{
    args::{Places, ReportArgs, SelectionTerms, say_unmatched, whole},
    error::CliError,
    output::{command_line, print},
};
use clap::{ArgGroup, Args};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_reports::{
    details::details,
    matrix::{MatrixKind, TimeMatrix},
    soak,
};
use dbdyno_running::soak::Soak;
use dbdyno_store::{ListKind, ListOrder, ListedRows, Selection, SelectionKey, SortKey, Store, TestTime};
use std::process::ExitCode;

/// `dbdyno results`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("shape").args(["count", "group_by", "matrix", "transpose", "details", "followed"]))]
pub(super) struct ResultsArgs {
    #[command(flatten)]
    selection: SelectionTerms,
    /// Show only the number of results of tests; with --runs, the number of runs, including those without a finished test.
    #[arg(long)]
    count: bool,
    /// Show counts and figures for each value of a key, or of several keys separated by commas. Test names that differ only in
    /// their numbers count as one (`test_name`).
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    group_by: Vec<String>,
    /// Show one line for each run, including runs without a finished test.
    #[arg(long, conflicts_with_all = ["group_by", "matrix", "transpose", "details"])]
    runs: bool,
    /// Show the times of tests, with a column for each run.
    #[arg(long)]
    matrix: bool,
    /// Show the times of runs, with a column for each test.
    #[arg(long)]
    transpose: bool,
    /// In a matrix, show medians per configuration instead of each run: engine with options, version and size.
    #[arg(long, conflicts_with_all = ["count", "group_by", "details", "runs", "columns"])]
    by_configuration: bool,
    /// In a matrix, show each time as a percentage of the total of its run or configuration.
    #[arg(long, conflicts_with_all = ["count", "group_by", "details", "runs", "columns"])]
    normalise: bool,
    /// Show all stored details of the runs.
    #[arg(long)]
    details: bool,
    /// Show tests that were recorded second by second, such as those of suite soak: stalls, drift, space.
    #[arg(long, conflicts_with = "runs")]
    followed: bool,
    /// Columns to list: columns of the view `results` (or `runs`), options, or keys of your own; `all` for all columns of the view.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', conflicts_with_all = ["count", "group_by", "matrix", "transpose", "details", "followed"])]
    columns: Vec<String>,
    /// Sort a list or groups by this column, numbers as numbers; `COLUMN:desc` puts the greatest first. Rows without a value come last.
    #[arg(long, value_name = "COLUMN[:desc]", value_parser = SortKey::parse, conflicts_with_all = UNSORTED)]
    sort: Option<SortKey>,
    /// Show at most this many rows of a list, or groups, and report how many are left out [default: all].
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX), conflicts_with_all = UNSORTED)]
    limit: Option<u64>,
    /// Exit with 2 if a name or value of the selection occurs in no stored run.
    #[arg(long, help_heading = "Selection")]
    strict: bool,
    #[command(flatten)]
    written: ReportArgs,
}

/// The options whose answers are not lists.
const UNSORTED: [&str; 7] = ["count", "matrix", "transpose", "normalise", "by_configuration", "details", "followed"];

pub(super) fn results(places: &Places, args: &ResultsArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let keys: Vec<SelectionKey> =
        args.group_by.iter().map(|key| SelectionKey::parse(key)).collect::<Result<_, _>>().map_err(CliError::Usage)?;
    let report = args.written.checked(places)?;
    let store = places.opened()?;
    let is_unmatched = say_unmatched(&store, &selection, &keys)?;
    if is_unmatched && args.strict {
        return Ok(ExitCode::from(2));
    }
    let shown_part = |listed: &ListedRows| {
        let code = report.rows(&listed.rows)?;
        if listed.rows.rows.is_empty() && !is_unmatched && !selection.is_all() {
            let line = plain(&args.selection.line());
            say!("note: nothing matches '{line}': `dbdyno results --group-by engine` lists the stored engines");
        }
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
        return report.rows_as(&found, details);
    }
    if args.followed {
        let soaks = followed(&store, &selection)?;
        return report.write(&soak::sheet(&soaks, &command_line()), &soaks);
    }
    if args.matrix || args.transpose || args.normalise || args.by_configuration {
        let matrix = matrix(args, &store.test_times(&selection)?);
        return report.table(matrix.table(args.transpose));
    }
    let listed = if args.runs { ListKind::Runs } else { ListKind::Results };
    shown_part(&store.listed(&selection, listed, &args.columns, &order)?)
}

/// Returns the followed tests of these runs.
fn followed(store: &Store, selection: &Selection) -> Result<Vec<Soak>, CliError> {
    let columns = ["run_id".to_owned()];
    let runs = store.listed(selection, ListKind::Runs, &columns, &ListOrder::default())?.rows;
    let mut soaks = Vec::new();
    for run in runs.rows.iter().filter_map(|row| row.get(0)) {
        soaks.extend(store.followed_in_run(run)?.iter().map(Soak::new));
    }
    Ok(soaks)
}

fn matrix(args: &ResultsArgs, times: &[TestTime]) -> TimeMatrix {
    let kind = if args.by_configuration { MatrixKind::Configurations } else { MatrixKind::Runs };
    let matrix = TimeMatrix::new(times, kind);
    let matrix = if args.normalise { matrix.normalised() } else { matrix };
    if matrix.incomplete > 0 {
        let columns = counted(matrix.incomplete, kind.word());
        say!("no total for {columns}: tests that others have are missing or do not count");
    }
    matrix
}
