//! `dbdyno export`: the results of a selection as a file for other programs, with the command that made it.

use super::{
    args::{CsvArgs, Places, Terms, format_of, say_unmatched},
    error::{CliError, unwritten},
    output::command_line,
};
use crate::{
    base::units::counted,
    report::{format::Format, results},
};
use clap::Args;
use dbdyno_engine::say;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// `dbdyno export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    selection: Terms,
    /// How to write the results: every column, a row for each run and test.
    #[arg(long, value_name = "FORMAT", value_parser = format_of(results::FILE_FORMATS))]
    format: Format,
    /// The file. One of that name is replaced, all at once.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    csv: CsvArgs,
}

pub(super) fn export(places: &Places, args: &ExportArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let output = places.output(&args.out)?;
    let store = places.opened()?;
    say_unmatched(&store, &selection, &[])?;
    let command = command_line();
    let catalog = places.catalog()?;
    let shape = (args.format, args.csv.cells);
    let write = |temporary: &Path| results::write(&store, &selection, shape, &command, &catalog, temporary);
    let written = output.replace(write).unwrap_or_else(|error| Err(error.into()));
    written.map_err(unwritten(&args.out))?;
    say!("{} in {}", counted(store.count(&selection)?, "result"), args.out.display());
    Ok(ExitCode::SUCCESS)
}
