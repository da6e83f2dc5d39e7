//! The command line's shape for stored results.

use super::formats::{CsvArgs, format_of};
use crate::report::{format::Format, results};
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// Which results or runs are meant.
#[derive(Debug, Args)]
pub(super) struct Terms {
    /// Terms KEY=VALUE[|VALUE], KEY!=VALUE, KEY>=N, KEY<=N, KEY=N..M, KEY! (has none); all must hold.
    #[arg(value_name = "TERM")]
    pub(super) terms: Vec<String>,
}

/// `dbdyno results`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("shape").args(["count", "group_by", "matrix", "transpose", "details", "runs"]))]
pub(super) struct ResultsArgs {
    #[command(flatten)]
    pub(super) selection: Terms,
    /// Only the number of results.
    #[arg(long)]
    pub(super) count: bool,
    /// Counts and figures for each value of a key, or of several with commas between.
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub(super) group_by: Vec<String>,
    /// One line a run, those without a finished test too.
    #[arg(long)]
    pub(super) runs: bool,
    /// Times of tests, a column a run.
    #[arg(long)]
    pub(super) matrix: bool,
    /// Times of runs, a column a test.
    #[arg(long)]
    pub(super) transpose: bool,
    /// In a matrix, each time as its share of the run's total.
    #[arg(long, conflicts_with_all = ["count", "group_by", "details", "runs", "columns"])]
    pub(super) normalise: bool,
    /// All that is known of the runs.
    #[arg(long)]
    pub(super) details: bool,
    /// Columns to list: those of the view `results` (or `runs`), options, kept keys; `all` for every one of the view.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', conflicts_with_all = ["count", "group_by", "matrix", "transpose", "details"])]
    pub(super) columns: Vec<String>,
    /// How to write the answer.
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_of(results::FORMATS))]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) csv: CsvArgs,
}

/// `dbdyno import`.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Stores, folders of `copy --to-parquet`, listings of `results --columns all`, LumoSQL benchmark databases.
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
}

/// Runs that are changed or deleted: everything only where that is said.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").args(["terms", "all"]).required(true))]
pub(super) struct Runs {
    /// Terms as for `results`; runs that have such a result are meant.
    #[arg(value_name = "TERM")]
    pub(super) terms: Vec<String>,
    /// Every run in the store.
    #[arg(long)]
    all: bool,
}

/// `dbdyno copy`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").args(["to", "to_parquet"]).required(true))]
pub(super) struct CopyArgs {
    #[command(flatten)]
    pub(super) selection: Terms,
    /// The store to copy to; it is made where there is none.
    #[arg(long, value_name = "FILE")]
    pub(super) to: Option<PathBuf>,
    /// A new folder: Parquet files partitioned by host and suite, which `import` takes back.
    #[arg(long, value_name = "FOLDER")]
    pub(super) to_parquet: Option<PathBuf>,
}

/// `dbdyno tag`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(["add", "remove"]).multiple(true).required(true))]
pub(super) struct TagArgs {
    #[command(flatten)]
    pub(super) runs: Runs,
    /// Give them this tag.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    pub(super) add: Vec<String>,
    /// Take this tag from them.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    pub(super) remove: Vec<String>,
}

/// `dbdyno note`.
#[derive(Debug, Args)]
pub(super) struct NoteArgs {
    #[command(flatten)]
    pub(super) runs: Runs,
    /// What to note.
    #[arg(long, value_name = "TEXT", value_parser = filled)]
    pub(super) text: String,
}

/// `dbdyno key`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").args(["set", "remove"]).multiple(true).required(true))]
pub(super) struct KeyArgs {
    #[command(flatten)]
    pub(super) runs: Runs,
    /// Give them this key with this value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) set: Vec<(String, String)>,
    /// Take this key from them.
    #[arg(long, value_name = "NAME", value_parser = filled)]
    pub(super) remove: Vec<String>,
}

/// `dbdyno delete`.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    pub(super) runs: Runs,
    /// Do not ask.
    #[arg(long)]
    pub(super) yes: bool,
}

fn filled(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err("expected a text that is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("`{text}`: expected NAME=VALUE"))?;
    Ok((filled(key)?, value.trim().to_owned()))
}
