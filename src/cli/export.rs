//! `dbdyno export`: the results of a selection as a file for other programs, with the command that made it.

use super::{
    args::{ExportArgs, ExportFormat, Format, Places},
    bench::command_line,
    error::CliError,
    query::{opened, text_of},
};
use crate::{report::file, store::Selection};
use std::{fs, process::ExitCode};

/// Writes every column of the results of a selection. The file is replaced in one step, or left as it is.
pub(super) fn export(places: &Places, args: &ExportArgs) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&args.selection.terms).map_err(CliError::Usage)?;
    let store = opened(places)?;
    let command = command_line(std::env::args());
    let failed = |error: std::io::Error| CliError::Failed(format!("{}: {error}", args.out.display()));
    let written = file::replace(&args.out, |temporary| {
        let format = match args.format {
            ExportFormat::Parquet => return Ok(store.write_results_parquet(&selection, &command, temporary)?),
            ExportFormat::Csv => Format::Csv,
            ExportFormat::Json => Format::Json,
        };
        let text = text_of(&store.whole(&selection, &command)?, format)?;
        fs::write(temporary, text).map_err(failed)
    });
    written.map_err(failed)??;
    eprintln!("{} results in {}", store.count(&selection)?, args.out.display());
    Ok(ExitCode::SUCCESS)
}
