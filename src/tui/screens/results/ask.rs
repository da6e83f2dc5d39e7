//! What the Results screen asks of the world outside: to read the store, and to change it.

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
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
        selection: Selection,
        /// In which order, or in which groups.
        listing: PageListing,
        /// The first row.
        offset: u64,
        /// Tells that nobody waits for it any more.
        watch: ReadWatch,
    },
    /// The names of all options and kept keys, and those that tell configurations of one label apart.
    Names,
    /// All that is stored of a run.
    Run {
        /// Counts requests: a response to an earlier one is dropped.
        ticket: u64,
        /// UUID.
        run: String,
        purpose: Purpose,
    },
    /// What a deletion would take away.
    Extent(ChosenRuns),
    /// Say something of runs.
    Annotate(ChosenRuns, Vec<Annotation>),
    /// Delete runs, and keep them for the way back.
    Delete(ChosenRuns),
    /// Store again what was deleted.
    Restore(Arc<KeptRuns>),
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
    /// Rows, or why they cannot be read.
    Page { ticket: u64, page: Result<Box<Page>, String> },
    /// The names of options and keys; for labels of several configurations, those that tell them apart.
    Names(Vec<String>, BTreeMap<String, Vec<String>>),
    /// All that is stored of a run, or why it cannot be read.
    Run { ticket: u64, run: Result<Box<StoredRun>, String>, purpose: Purpose },
    /// What a deletion would take away, a line each.
    Extent(ChosenRuns, Result<Vec<String>, String>),
    /// What was changed, in words, or why nothing was.
    Changed(Result<String, String>),
    /// What was deleted, in words, and kept; or why nothing was.
    Deleted(Result<(String, Arc<KeptRuns>), String>),
    /// What was stored again, in words, or why nothing was.
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
        // Without them no name is known to be wrong.
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

/// Takes in what could not be stored before.
fn taken_in(store: &Store) -> Result<(), StoreError> {
    if store.exists() || store.has_journals() { store.settle().map(drop) } else { Ok(()) }
}

fn said(error: StoreError) -> String {
    error.to_string()
}

fn extent(store: &Store, target: &ChosenRuns) -> Result<Vec<String>, String> {
    let extent = store.extent(&target.filter.selection).map_err(said)?;
    if extent.runs == 0 {
        return Err(format!("{}: nothing is stored of it any more", target.words));
    }
    let mut lines = vec![format!(
        "{} with {} and all that was measured",
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
        lines.push(format!("! {} not ended: what is being measured now comes back", counted(extent.unfinished, "run")));
    }
    Ok(lines)
}

fn annotate(store: &Store, target: &ChosenRuns, annotations: &[Annotation]) -> Result<String, String> {
    match store.annotate(&target.filter.selection, annotations).map_err(said)? {
        0 => Err(format!("{}: nothing is stored of it any more", target.words)),
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
