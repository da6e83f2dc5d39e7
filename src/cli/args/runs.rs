//! Selections of stored results or runs.

use super::Places;
use crate::cli::{completions::terms, error::CliError, output::print};
use clap::{ArgGroup, Args};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_store::{Annotation, Selection, SelectionKey, Store};
use std::process::ExitCode;

/// Which results or runs are meant.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
pub(in crate::cli) struct SelectionTerms {
    /// Terms that all must hold, as in engine=lmdb or 'size>=1000'; a word matches tests, and engines with their options, that
    /// contain it.
    ///
    /// KEY=VALUE[|VALUE], KEY!=VALUE, KEY>=N (also <=, >, <, as in p99>1ms) or KEY=N..M. KEY! selects results that have no value of
    /// this key.
    #[arg(value_name = "TERM", add = terms())]
    terms: Vec<String>,
}

impl SelectionTerms {
    pub(in crate::cli) fn selection(&self) -> Result<Selection, CliError> {
        Selection::parse(&self.terms).map_err(CliError::Usage)
    }

    /// The terms as one line.
    pub(in crate::cli) fn line(&self) -> String {
        if self.terms.is_empty() { "all results".to_owned() } else { self.terms.join(" ") }
    }
}

/// Reports the names and values in a selection, or in keys, that no stored run has. Returns whether there are any.
pub(in crate::cli) fn say_unmatched(
    store: &Store,
    selection: &Selection,
    keys: &[SelectionKey],
) -> Result<bool, CliError> {
    let unmatched = store.unmatched(selection, keys)?;
    // An empty store has no name that could be suggested.
    if !unmatched.is_empty() && store.count_runs(&Selection::default())? == 0 {
        say!("note: {} has no runs yet: `dbdyno --preset quick` runs a first benchmark", store.path().display());
        return Ok(true);
    }
    unmatched.iter().for_each(|sentence| say!("note: {}", plain(sentence)));
    Ok(!unmatched.is_empty())
}

/// Runs that are changed or deleted. All runs must be requested explicitly.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selection")]
#[command(group = ArgGroup::new("which").args(["terms", "all"]).required(true))]
pub(in crate::cli) struct AffectedRuns {
    /// Only KEY=VALUE terms, as for `dbdyno results`. A run is selected if at least one of its results matches.
    #[arg(value_name = "TERM", add = terms())]
    terms: Vec<String>,
    /// Every run in the store.
    #[arg(long)]
    all: bool,
}

impl AffectedRuns {
    pub(in crate::cli) fn selection(&self) -> Result<Selection, CliError> {
        let selection = Selection::parse(&self.terms).map_err(CliError::Usage)?;
        match selection.has_words() {
            true => Err(CliError::Usage(format!(
                "`{}`: expected only KEY=VALUE terms: a word would select everything that contains it",
                self.terms.join(" ")
            ))),
            false => Ok(selection),
        }
    }

    /// Applies these changes to each of the runs, and prints the number of runs.
    pub(in crate::cli) fn annotate(
        &self,
        places: &Places,
        annotations: impl Iterator<Item = Annotation>,
    ) -> Result<ExitCode, CliError> {
        let annotations: Vec<Annotation> = annotations.collect();
        match places.opened()?.annotate(&self.selection()?, &annotations)? {
            0 => Err(Self::none()),
            changed => print(&format!("{}\n", counted(changed, "run"))),
        }
    }

    /// Returns the error for a selection without a run, which is usually a mistyped term.
    pub(in crate::cli) fn none() -> CliError {
        CliError::Usage("no run matches: `dbdyno results --runs` lists them".to_owned())
    }
}
