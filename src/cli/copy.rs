//! `dbdyno copy`.

use super::{
    args::{Places, SelectionTerms},
    error::CliError,
    output::{command_line, print},
};
use clap::{ArgGroup, Args};
use dbdyno_foundation::base::units::counted;
use dbdyno_store::Store;
use std::{path::PathBuf, process::ExitCode};

/// `dbdyno copy`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").args(["to", "to_parquet"]).required(true))]
pub(super) struct CopyArgs {
    #[command(flatten)]
    selection: SelectionTerms,
    /// The store to copy to. dbdyno creates it if it does not exist.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// A new folder for Parquet files, partitioned by host and suite. `import` reads it back.
    #[arg(long, value_name = "FOLDER")]
    to_parquet: Option<PathBuf>,
}

pub(super) fn copy(places: &Places, args: &CopyArgs) -> Result<ExitCode, CliError> {
    let selection = args.selection.selection()?;
    let store = places.opened()?;
    if let Some(folder) = &args.to_parquet {
        let copied = store.copy_to_parquet(&selection, folder, &command_line())?;
        return print(&format!("copied {} with {}\n", counted(copied.runs, "run"), counted(copied.results, "result")));
    }
    let Some(to) = &args.to else { return Err(CliError::Usage("give --to FILE or --to-parquet FOLDER".to_owned())) };
    let merged = store.copy_to_store(&selection, &Store::new(to))?;
    let (runs, results) = (merged.runs, merged.results);
    print(&format!(
        "copied {} with {}; {} there already\n",
        counted(runs.new + runs.completed, "run"),
        counted(results.new + results.completed, "result"),
        counted(runs.known, "run")
    ))
}
