//! `dbdyno export`: the results of a selection as a file for other programs, with the command that made it.

use super::{
    args::{ExportArgs, Places},
    bench::command_line,
    error::{CliError, unwritten},
    query::opened,
};
use crate::{report::results, store::Selection};
use dbdyno_engine::say;
use std::{path::Path, process::ExitCode};

/// Writes every column of the results of a selection. The file is replaced in one step, or left as it is.
pub(super) fn export(places: &Places, args: &ExportArgs) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&args.selection.terms).map_err(CliError::Usage)?;
    let output = places.output(&args.out, Vec::new())?;
    let store = opened(places)?;
    let command = command_line(std::env::args());
    let write = |temporary: &Path| results::write(&store, &selection, args.format, args.csv.cells, &command, temporary);
    let written = output.replace(write).unwrap_or_else(|error| Err(error.into()));
    written.map_err(unwritten(&args.out))?;
    say!("{} results in {}", store.count(&selection)?, args.out.display());
    Ok(ExitCode::SUCCESS)
}
