//! `dbdyno sql`: any SQL query on the store.

use super::{
    args::{CsvArgs, Places, format_of},
    error::CliError,
    output::print_rows,
};
use clap::Args;
use dbdyno_reports::{format::Format, results};
use std::process::ExitCode;

/// `dbdyno sql`.
#[derive(Debug, Args)]
pub(super) struct SqlArgs {
    /// One SELECT. The view `results` has one row for each run and test.
    query: String,
    /// How to write the answer. In JSON it is an array of objects, in which numbers are numbers.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(results::FORMATS))]
    format: Format,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn sql(places: &Places, args: &SqlArgs) -> Result<ExitCode, CliError> {
    let answer = places.opened()?.ask(&args.query)?;
    print_rows(&answer, args.format, args.csv.cells)
}
