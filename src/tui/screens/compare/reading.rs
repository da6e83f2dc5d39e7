//! Reading a comparison: started, watched, cancelled, and shown once it has loaded.

use super::{
    BesideReference, CompareScreen, CompareView, FirstView, Intents, Looked, Request, Response, WantedComparison,
    WantedMatrix,
};
use crate::tui::screens::intent::Intent;
use dbdyno_store::{Latencies, ReadWatch};
use std::{mem, time::Duration};

/// A request in progress.
#[derive(Debug)]
pub(crate) struct Reading {
    /// Time of the request, from the start of the program.
    pub(crate) since: Duration,
    pub(crate) watch: ReadWatch,
    of: RequestContent,
    /// The previous state, restored on cancelling.
    before: Looked,
}

/// The content of a request.
#[derive(Debug)]
enum RequestContent {
    /// The configurations that can be compared.
    Offers,
    Pair(Box<WantedComparison>),
    Matrix(Box<WantedMatrix>),
}

impl CompareScreen {
    /// Saves the current state before a change.
    pub(super) fn remember(&mut self) {
        if self.reading.is_none() {
            self.before = self.looked.clone();
        }
    }

    /// Starts reading, and cancels a request in progress.
    fn begin_reading(&mut self, of: RequestContent) -> (u64, ReadWatch) {
        self.ticket += 1;
        let before = match self.reading.take() {
            Some(Reading { watch, before, .. }) => {
                watch.give_up();
                before
            }
            None => self.before.clone(),
        };
        let watch = ReadWatch::endless();
        self.reading = Some(Reading { since: self.now, watch: watch.clone(), of, before });
        (self.ticket, watch)
    }

    /// Cancels reading, and restores the previous comparison.
    pub(super) fn give_up(&mut self) -> Intents {
        let Some(Reading { watch, before, .. }) = self.reading.take() else { return Intents::new() };
        watch.give_up();
        // A response to the cancelled request has an old number and is dropped.
        self.ticket += 1;
        let given_up = mem::replace(&mut self.looked, before);
        if self.looked.choosing {
            // The user can correct the selections that they typed.
            (self.looked.a, self.looked.b) = (given_up.a, given_up.b);
        }
        let mut intents = vec![Intent::said("cancelled: this is the previous view")];
        if self.looked.choosing {
            intents.extend(self.read());
        }
        intents
    }

    /// Reads the data of the current view, unless it is known and up to date.
    pub(super) fn read(&mut self) -> Intents {
        let known = match (self.looked.choosing, self.looked.view.is_of_session()) {
            (true, _) => self.offers.is_some(),
            (false, true) => self.found_matrix().is_some(),
            (false, false) => self.found_pair().is_some(),
        };
        if known && !self.stale {
            return Intents::new();
        }
        self.stale = false;
        if !self.looked.choosing {
            return self.ask();
        }
        let (ticket, _) = self.begin_reading(RequestContent::Offers);
        vec![Intent::Request(Request::Offers { ticket })]
    }

    pub(super) fn read_again(&mut self) -> Intents {
        self.stale = true;
        self.read()
    }

    /// Requests the data of the current view.
    pub(super) fn ask(&mut self) -> Intents {
        match self.looked.wanted_matrix().filter(|_| self.looked.view.is_of_session()) {
            Some(wanted) => {
                let wanted = Box::new(wanted);
                let (ticket, watch) = self.begin_reading(RequestContent::Matrix(wanted.clone()));
                vec![Intent::Request(Request::Matrix { ticket, wanted, watch })]
            }
            None => self.ask_pair(FirstView::Pair),
        }
    }

    pub(super) fn ask_pair(&mut self, first: FirstView) -> Intents {
        let wanted = Box::new(self.looked.wanted());
        let (ticket, watch) = self.begin_reading(RequestContent::Pair(wanted.clone()));
        vec![Intent::Request(Request::Compare { ticket, wanted, first, watch })]
    }

    /// Requests latencies if the view shows them and they were not read.
    pub(super) fn with_latencies(&mut self) -> Intents {
        let missing = self.compared().is_some_and(|compared| compared.latencies == Latencies::Left);
        if missing && self.looked.view == CompareView::Latencies { self.ask() } else { Intents::new() }
    }

    /// Accepts a response, unless it was cancelled or another request was made since.
    pub(super) fn take(&mut self, response: Response) -> Intents {
        let reading = self.reading.take_if(|_| response.ticket() == Some(self.ticket));
        match (response, reading.map(|reading| reading.of)) {
            (Response::Offers { found, .. }, Some(_)) => {
                self.offers = Some(found);
                let length = self.pairs().len();
                self.offered.kept_in(length);
            }
            (Response::Compared { found, .. }, Some(RequestContent::Pair(wanted))) => {
                self.pair = Some((*wanted, found));
                self.kept_in();
                self.seek();
            }
            (Response::Matrix { found, .. }, Some(RequestContent::Matrix(wanted))) => self.take_matrix(*wanted, found),
            // A request for two configurations returned all configurations of their session.
            (Response::Matrix { found, .. }, Some(RequestContent::Pair(wanted))) => {
                let WantedComparison { b, metric, allowed, .. } = *wanted;
                let reference = found.as_ref().map_or(b, |matrix| matrix.reference.clone());
                let beside = BesideReference { reference, with: None };
                self.looked.beside = Some(beside.clone());
                self.looked.view = CompareView::Matrix;
                self.take_matrix(WantedMatrix { beside, metric, allowed }, found);
            }
            _ => return Intents::new(),
        }
        self.with_latencies()
    }
}
