//! The requests of the Results screen to read the store and to change it.

use super::{ChosenRuns, KeptRuns, WINDOW, kept};
use crate::tui::{
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_foundation::base::units::counted;
use dbdyno_store::{Annotation, Page, PageListing, ReadWatch, Selection, Store, StoreError, StoredRun};
use std::{collections::BTreeMap, sync::Arc};

#[derive(Debug)]
pub enum Request {
    Page {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
        selection: Selection,
        /// The order of the rows or their groups.
        listing: PageListing,
        /// The first row.
        offset: u64,
        /// Cancels the read.
        watch: ReadWatch,
    },
    /// The names of all options and kept keys, and of the options that distinguish configurations of one label.
    Names,
    /// Everything that is stored of a run.
    Run {
        /// Number of the request; a response to an earlier one is dropped.
        ticket: u64,
        /// UUID.
        run: String,
        purpose: Purpose,
    },
    /// A list of everything that a deletion would remove.
    Extent(ChosenRuns),
    /// Adds tags or notes to runs, or removes tags.
    Annotate(ChosenRuns, Vec<Annotation>),
    /// Deletes runs, and keeps a copy for undo.
    Delete(ChosenRuns),
    /// Restores deleted runs.
    Restore(Arc<KeptRuns>),
}

/// The purpose of reading a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To open it, with this test selected.
    Open(Option<u32>),
    /// To be run again.
    Rerun,
    /// To show its worker's output.
    Log,
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Page { watch, .. } => Subject::watched("page", watch),
            Self::Names => Subject::read("names"),
            Self::Run { .. } => Subject::read("run"),
            Self::Extent(_) => Subject::read("extent"),
            Self::Annotate(..) | Self::Delete(_) | Self::Restore(_) => Subject::Change,
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// Rows, or the reason why they cannot be read.
    Page { ticket: u64, page: Result<Box<Page>, String> },
    /// The names of options and keys and, for each label of several configurations, the options that distinguish them.
    Names(Vec<String>, BTreeMap<String, Vec<String>>),
    /// Everything that is stored of a run, or the reason why it cannot be read.
    Run { ticket: u64, run: Result<Box<StoredRun>, String>, purpose: Purpose },
    /// The parts that a deletion would remove, one per line.
    Extent(ChosenRuns, Result<Vec<String>, String>),
    /// A summary of the change, or the reason why nothing was changed.
    Changed(Result<String, String>),
    /// A summary of the deleted runs and their copy, or the reason why nothing was deleted.
    Deleted(Result<(String, Arc<KeptRuns>), String>),
    /// A summary of the restored runs, or the reason why nothing was restored.
    Restored(Result<String, String>),
}

/// Reads or changes the store.
pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let store = &setup.store;
    match request {
        Request::Page { ticket, selection, listing, offset, watch } => {
            let read = store.watched(&watch);
            let page = watch
                .check()
                .and_then(|()| taken_in(store))
                .and_then(|()| read.page(&selection, &listing, offset, WINDOW));
            Response::Page { ticket, page: page.map(Box::new).map_err(said) }
        }
        // Without the names, every name in a filter is accepted.
        Request::Names => {
            Response::Names(store.names().unwrap_or_default(), store.telling_options().unwrap_or_default())
        }
        Request::Run { ticket, run, purpose } => {
            let gone = || format!("run {run} is no longer stored: Ctrl-r reads again");
            let found = store.run(&run).map_err(said).and_then(|found| found.map(Box::new).ok_or_else(gone));
            Response::Run { ticket, run: found, purpose }
        }
        Request::Extent(target) => {
            let lines = extent(store, &target);
            Response::Extent(target, lines)
        }
        Request::Annotate(target, annotations) => Response::Changed(annotate(store, &target, &annotations)),
        Request::Delete(target) => {
            Response::Deleted(kept::delete(store, &target).map(|(words, kept)| (words, Arc::new(kept))))
        }
        Request::Restore(kept) => Response::Restored(kept::restore(store, &kept)),
    }
}

/// Imports runs that could not be stored earlier.
fn taken_in(store: &Store) -> Result<(), StoreError> {
    if store.exists() || store.has_journals() { store.settle().map(drop) } else { Ok(()) }
}

fn said(error: StoreError) -> String {
    error.to_string()
}

fn extent(store: &Store, target: &ChosenRuns) -> Result<Vec<String>, String> {
    let extent = store.extent(&target.filter.selection).map_err(said)?;
    if extent.runs == 0 {
        return Err(format!("{}: no longer stored", target.words));
    }
    let mut lines = vec![format!(
        "{} with {} and all measured data",
        counted(extent.runs, "run"),
        counted(extent.results, "result")
    )];
    if extent.tags + extent.notes > 0 {
        lines.push(format!("{} and {} that you gave", counted(extent.tags, "tag"), counted(extent.notes, "note")));
    }
    if extent.sessions > 0 {
        lines.push(format!("{} without any runs left", counted(extent.sessions, "session")));
    }
    if extent.unfinished > 0 {
        lines.push(format!(
            "! {} not ended: data that is being measured now comes back",
            counted(extent.unfinished, "run")
        ));
    }
    Ok(lines)
}

fn annotate(store: &Store, target: &ChosenRuns, annotations: &[Annotation]) -> Result<String, String> {
    match store.annotate(&target.filter.selection, annotations).map_err(said)? {
        0 => Err(format!("{}: no longer stored", target.words)),
        runs => {
            Ok(format!("{}: {}", counted(runs, "run"), annotations.iter().map(word).collect::<Vec<_>>().join(", ")))
        }
    }
}

fn word(annotation: &Annotation) -> String {
    match annotation {
        Annotation::Tag(tag) => format!("tagged {tag}"),
        Annotation::Untag(tag) => format!("no longer tagged {tag}"),
        Annotation::Note(_) => "noted".to_owned(),
        Annotation::SetKey { key, .. } => format!("{key} set"),
        Annotation::NameHost(name) => format!("ran on {name}"),
        Annotation::RemoveKey(key) => format!("{key} removed"),
    }
}
