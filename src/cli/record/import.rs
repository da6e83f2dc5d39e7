//! Makes a recording of what another program wrote down.

use crate::cli::{error::CliError, output::print};
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_recorded::{CallImportError, ImportFormat, import};
use jiff::Timestamp;
use std::{path::Path, process::ExitCode};

pub(super) fn write(file: &Path, to: &Path) -> Result<ExitCode, CliError> {
    let imported = import(file, to, env!("CARGO_PKG_VERSION"), Timestamp::now().to_string());
    let imported = imported.map_err(|error| match error {
        CallImportError::Unreadable { .. } | CallImportError::Line { .. } => CliError::Usage(error.to_string()),
        CallImportError::Recording(_) | CallImportError::Io { .. } => CliError::Failed(error.to_string()),
    })?;
    let format = match imported.format {
        ImportFormat::Sql => "SQL",
        ImportFormat::Csv => "CSV",
    };
    print(&format!("{}: {} from {format}\n", plain(&to.display().to_string()), counted(imported.calls, "call")))
}
