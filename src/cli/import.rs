//! `dbdyno import`.

use super::{
    args::{Places, notices},
    error::CliError,
    output::print,
};
use clap::Args;
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{count, plain};
use dbdyno_store::{Imported, Taken};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// `dbdyno import`.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Stores, folders of `copy --to-parquet`, listings of `export` or `results --columns all`, LumoSQL benchmark databases and their
    /// text exports.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Takes in each file by itself: one that cannot be taken does not keep the others out.
pub(super) fn import(places: &Places, args: &ImportArgs) -> Result<ExitCode, CliError> {
    let store = places.store()?;
    notices(&store.prepare()?);
    let mut failed = None;
    for file in &args.files {
        match store.import(file) {
            Ok(imported) => {
                print(&summary(file, &imported))?;
            }
            Err(error) => {
                let error = CliError::from(error);
                if let Some(before) = failed.replace(error) {
                    say!("error: {}", before.shown());
                }
            }
        }
    }
    failed.map_or(Ok(ExitCode::SUCCESS), Err)
}

fn summary(file: &Path, imported: &Imported) -> String {
    let mut text = format!("{}: {}\n", plain(&file.to_string_lossy()), imported.kind);
    for (what, taken) in [("runs", imported.merged.runs), ("results", imported.merged.results)] {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {what:<8}{}", line(taken));
    }
    for note in &imported.notes {
        let _ = writeln!(text, "  !  {}", plain(note));
    }
    text
}

fn line(taken: Taken) -> String {
    let completed =
        if taken.completed > 0 { format!(" · {} completed", count(taken.completed)) } else { String::new() };
    format!("{} new{completed} · {} here already", count(taken.new), count(taken.known))
}
