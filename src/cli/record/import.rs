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
        ImportFormat::Cache => "a cache trace",
        ImportFormat::RocksDb => "a trace of RocksDB",
        ImportFormat::Ycsb => "what YCSB printed",
    };
    let left_out: Vec<String> = imported.left_out.iter().map(|one| counted(one.operations, one.name)).collect();
    let left_out = if left_out.is_empty() { String::new() } else { format!("; left out: {}", left_out.join(", ")) };
    let calls = counted(imported.calls, "call");
    print(&format!("{}: {calls} from {format}{left_out}\n", plain(&to.display().to_string())))
}
