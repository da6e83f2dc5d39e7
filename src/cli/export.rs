//! `dbdyno export`: the results of a selection as a file for other programs, with the command that made it.

use super::{
    args::{ExportArgs, ExportFormat, Places},
    bench::command_line,
    error::CliError,
    query::opened,
};
use crate::{
    report::results::{self, ResultsFileError, ResultsFormat},
    store::Selection,
};
use dbdyno_engine::say;
use std::process::ExitCode;

/// Writes every column of the results of a selection. The file is replaced in one step, or left as it is.
pub(super) fn export(places: &Places, args: &ExportArgs) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&args.selection.terms).map_err(CliError::Usage)?;
    let output = places.output(&args.out, Vec::new())?;
    let store = opened(places)?;
    let command = command_line(std::env::args());
    let format = match args.format {
        ExportFormat::Csv => ResultsFormat::Csv,
        ExportFormat::Json => ResultsFormat::Json,
        ExportFormat::Parquet => ResultsFormat::Parquet,
    };
    let failed = |error: ResultsFileError| match error {
        ResultsFileError::Store(error) => CliError::Store(error),
        error => CliError::Failed(format!("{}: {error}", args.out.display())),
    };
    let write =
        |temporary: &std::path::Path| results::write(&store, &selection, format, args.csv.cells, &command, temporary);
    let written = output.replace(write).map_err(|error| failed(error.into()))?;
    written.map_err(failed)?;
    say!("{} results in {}", store.count(&selection)?, args.out.display());
    Ok(ExitCode::SUCCESS)
}
