//! `dbdyno compare`.

use super::{
    args::{CompareArgs, Places, SummaryKey},
    bench::command_line,
    colour,
    error::CliError,
    print,
    query::opened,
};
use crate::{
    base::units::plain,
    catalog::Difference,
    compare::{Axis, Gate, Options, compare, gate, load},
    report::{
        comparison::{ExportError, Format, TableStyle, export, text},
        text::Colour,
    },
    store::{Latencies, Selection, Store},
};
use dbdyno_engine::say;
use std::process::ExitCode;

/// `--fail-if-slower` could not be decided.
const UNDECIDED: u8 = 3;
/// A is slower than `--fail-if-slower` allows.
const SLOWER: u8 = 4;
/// Columns of a file, or of a terminal that does not tell.
const WIDTH: usize = 80;

impl From<ExportError> for CliError {
    fn from(error: ExportError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(super) fn compare_sides(places: &Places, args: &CompareArgs) -> Result<ExitCode, CliError> {
    let (a, b) = (selection("--a", &args.a)?, selection("--b", &args.b)?);
    let options = options(args)?;
    if args.format == Format::Parquet && args.out.is_none() {
        return Err(CliError::Usage("--format parquet is no text: give --out FILE".to_owned()));
    }
    let output = args.out.as_deref().map(|out| places.output(out, Vec::new())).transpose()?;
    let store = opened(places)?;
    let latencies = match args.format {
        Format::Table | Format::Markdown | Format::Benchfmt => Latencies::Left,
        Format::Csv | Format::Json | Format::Html | Format::Parquet => Latencies::Read,
    };
    let side = |flag, text, selection| side(&store, flag, text, selection, latencies);
    let (a, b) = (side("--a", &args.a, &a)?, side("--b", &args.b, &b)?);
    let comparison = compare(&a, &b, &options);
    match &output {
        Some(output) => {
            let style = TableStyle { colour: Colour::Off, width: WIDTH };
            export(&comparison, args.format, style, args.csv.cells, output)?;
        }
        None => {
            if let Some(text) = text(&comparison, args.format, style(), args.csv.cells)? {
                print(&text)?;
            }
        }
    }
    Ok(match args.fail_if_slower.map(|limit| (limit, gate(&comparison, limit))) {
        None | Some((_, Gate::Passed)) => ExitCode::SUCCESS,
        Some((limit, Gate::Undecided(tests))) => {
            let what = if tests.is_empty() { "no test was compared".to_owned() } else { plain(&tests.join("; ")) };
            say!("undecided whether A is slower by more than {} %: {what}", limit * 100.0);
            ExitCode::from(UNDECIDED)
        }
        Some((limit, Gate::Slower(tests))) => {
            say!("A is slower by more than {} %: {}", limit * 100.0, plain(&tests.join("; ")));
            ExitCode::from(SLOWER)
        }
    })
}

fn selection(flag: &str, text: &str) -> Result<Selection, CliError> {
    if text.trim().is_empty() {
        return Err(CliError::Usage(format!("{flag}: expected terms, as in {flag} 'engine=lmdb size=10000'")));
    }
    Selection::parse_line(text).map_err(|error| CliError::Usage(format!("{flag}: {error}")))
}

/// A side that has results. One without is a mistyped selection far more often than a question.
fn side(
    store: &Store,
    flag: &str,
    text: &str,
    selection: &Selection,
    latencies: Latencies,
) -> Result<crate::compare::Side, CliError> {
    let side = load(store, text, selection, latencies)?;
    if side.runs.is_empty() {
        return Err(CliError::Usage(format!(
            "{flag} '{text}' means no result of {}: `dbdyno results --group-by KEY` lists the values that a key has",
            store.path().display()
        )));
    }
    Ok(side)
}

fn options(args: &CompareArgs) -> Result<Options, CliError> {
    let flags = [
        (args.allow_tiers, Difference::Tiers),
        (args.allow_hosts, Difference::Hosts),
        (args.allow_sizes, Difference::Sizes),
        (args.allow_suites, Difference::Suites),
        (args.allow_suite_options, Difference::SuiteOptions),
    ];
    let pivot = args.pivot.as_deref().map(Axis::parse_pair).transpose();
    Ok(Options {
        allowed: flags.into_iter().filter(|(given, _)| *given).map(|(_, difference)| difference).collect(),
        by_size: args.by == Some(SummaryKey::Size),
        pivot: pivot.map_err(|error| CliError::Usage(format!("--pivot {error}")))?,
        command: command_line(std::env::args()),
    })
}

/// How the terminal shows a table.
fn style() -> TableStyle {
    let terminal = console::Term::stdout();
    TableStyle { colour: colour(), width: terminal.size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns)) }
}
