//! Writes a recording that can be passed on.

use crate::cli::{error::CliError, output::print};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_recorded::{AnonymiseError, anonymise};
use std::{path::Path, process::ExitCode};

/// What an anonymous recording still has.
const NOT_HIDDEN: &str = "not hidden: numbers, dates and times, lengths, which texts are equal or share a prefix, names of tables, columns \
                          and files, and the program's name";

pub(super) fn write(from: &Path, to: &Path) -> Result<ExitCode, CliError> {
    let done = anonymise(from, to).map_err(|error| match error {
        AnonymiseError::Recording(_) => CliError::Usage(error.to_string()),
        AnonymiseError::Io { .. } | AnonymiseError::Database { .. } => CliError::Failed(error.to_string()),
    })?;
    for what in &done.lacking {
        say!("note: left out: {}", plain(what));
    }
    print(&format!(
        "{}: replaced {} of calls, {} in statements, and every text of {}\n{NOT_HIDDEN}\n",
        plain(&to.display().to_string()),
        counted(done.parameters, "value"),
        counted(done.literals, "value"),
        counted(done.databases, "database"),
    ))
}
