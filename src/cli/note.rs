//! `dbdyno note`.

use super::{
    args::{AffectedRuns, Places, filled},
    error::CliError,
};
use clap::Args;
use dbdyno_store::Annotation;
use std::process::ExitCode;

/// `dbdyno note`.
#[derive(Debug, Args)]
pub(super) struct NoteArgs {
    #[command(flatten)]
    runs: AffectedRuns,
    /// The text of the note. A run can have several notes.
    #[arg(long, value_name = "TEXT", value_parser = filled)]
    text: String,
}

pub(super) fn note(places: &Places, args: &NoteArgs) -> Result<ExitCode, CliError> {
    args.runs.annotate(places, std::iter::once(Annotation::Note(args.text.clone())))
}
