//! `dbdyno sql`: any SQL query on the store.

use super::{
    args::{Places, ReportArgs},
    error::CliError,
};
use clap::Args;
use std::{
    io::{IsTerminal, read_to_string, stdin},
    process::ExitCode,
};

/// `dbdyno sql`.
#[derive(Debug, Args)]
pub(super) struct SqlArgs {
    /// One SELECT, or `-` to read it from stdin.
    ///
    /// The view `results` has one row for each run and test, the view `runs` one row for each run.
    query: Option<String>,
    #[command(flatten)]
    written: ReportArgs,
}

pub(super) fn sql(places: &Places, args: &SqlArgs) -> Result<ExitCode, CliError> {
    let report = args.written.checked(places)?;
    let query = match args.query.as_deref() {
        Some(query) if query != "-" => query.to_owned(),
        query => typed_or_piped(query.is_some())?,
    };
    report.rows(&places.opened()?.ask(&query)?)
}

/// Reads a query from stdin. Without a request for that, a terminal there means that the query was forgotten.
fn typed_or_piped(is_requested: bool) -> Result<String, CliError> {
    if !is_requested && stdin().is_terminal() {
        let message =
            "expected a query, as in 'SELECT engine, test_name, wall_ns FROM results', or `-` to type it on stdin";
        return Err(CliError::Usage(message.to_owned()));
    }
    let query =
        read_to_string(stdin()).map_err(|error| CliError::Failed(format!("reading SQL from stdin: {error}")))?;
    match query.trim().is_empty() {
        true => Err(CliError::Usage("no SQL on stdin: expected one SELECT".to_owned())),
        false => Ok(query),
    }
}
