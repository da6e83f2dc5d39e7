//! What the Results screen wants to know, and what it is answered.

use crate::{
    store::{Annotation, Listing, Page, Selection, StoredRun},
    tui::screens::results::Target,
};

/// What the Results screen asks of the world outside.
#[derive(Debug)]
pub enum Question {
    /// Rows.
    Page {
        /// Which question this is.
        ticket: u64,
        /// What is meant.
        selection: Selection,
        /// In which order, or in which groups.
        listing: Listing,
        /// The first row.
        offset: u64,
    },
    /// The names of all options and kept keys.
    Names,
    /// All that is stored of a run.
    Run {
        /// Which question this is.
        ticket: u64,
        /// The run.
        run: String,
        /// What for.
        purpose: Purpose,
    },
    /// What a deletion would take away.
    Extent(Target),
    /// Say something of runs.
    Annotate(Target, Vec<Annotation>),
    /// Delete runs.
    Delete(Target),
}

/// What a run is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be opened, with this test chosen.
    Open(Option<u32>),
    /// To be run again.
    Rerun,
    /// For what its worker wrote.
    Log,
}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {
    /// Rows, or why they cannot be read.
    Page {
        /// Which question it answers.
        ticket: u64,
        /// The rows.
        page: Result<Box<Page>, String>,
    },
    /// The names of options and keys.
    Names(Vec<String>),
    /// A run.
    Run {
        /// Which question it answers.
        ticket: u64,
        /// The run.
        run: Result<Box<StoredRun>, String>,
        /// What for.
        purpose: Purpose,
    },
    /// What a deletion would take away, a line each.
    Extent(Target, Result<Vec<String>, String>),
    /// What was changed, in words, or why nothing was.
    Changed(Result<String, String>),
}
