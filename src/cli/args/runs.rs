//! Selections of stored results or runs.

use super::Places;
use crate::cli::{error::CliError, output::print};
use clap::{ArgGroup, Args};
use dbdyno_engine::say;
use dbdyno_foundation::base::units::{counted, plain};
use dbdyno_store::{Annotation, Selection, SelectionKey, Store};
use std::process::ExitCode;

/// Which results or runs are meant.
#[derive(Debug, Args)]
pub(in crate::cli) struct Terms {
    /// Which results: KEY=VALUE[|VALUE], KEY!=VALUE, KEY>=N (<=, >, <; p99>1ms), KEY=N..M, KEY! (has no value), or words that the label, the engine or
    /// the test's name contains. All terms must hold.
    #[arg(value_name = "TERM")]
    terms: Vec<String>,
}

impl Terms {
    pub(in crate::cli) fn selection(&self) -> Result<Selection, CliError> {
        Selection::parse(&self.terms).map_err(CliError::Usage)
    }

    /// The terms as one line.
    pub(in crate::cli) fn line(&self) -> String {
        if self.terms.is_empty() { "all results".to_owned() } else { self.terms.join(" ") }
    }
}

/// Says what in a selection, or in keys, no stored run has.
pub(in crate::cli) fn say_unmatched(
    store: &Store,
    selection: &Selection,
    keys: &[SelectionKey],
) -> Result<(), CliError> {
    for name in store.unknown_names(selection, keys)? {
        say!("note: no stored run has an option or a key `{}`", plain(&name));
    }
    for sentence in store.unmatched_commas(selection)? {
        say!("note: {}", plain(&sentence));
    }
    Ok(())
}

/// Runs that are changed or deleted: everything only where that is said.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").args(["terms", "all"]).required(true))]
pub(in crate::cli) struct AffectedRuns {
    /// Terms as for `results`, without words. Runs with at least one such result are meant.
    #[arg(value_name = "TERM")]
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
                "`{}`: expected KEY=VALUE terms alone: a word means all that contains it, which is more than should be changed by mistake",
                self.terms.join(" ")
            ))),
            false => Ok(selection),
        }
    }

    /// Makes these changes to each of the runs, and prints how many they were.
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

    /// No run is meant: a mistyped term far more often than what was wanted.
    pub(in crate::cli) fn none() -> CliError {
        CliError::Usage("no run matches: `dbdyno results --runs` lists them".to_owned())
    }
}
