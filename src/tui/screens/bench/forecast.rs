//! When everything on the Bench screen is expected to be decided, by the noise of an earlier session.

use super::{ask::Request, preview::Preview};
use dbdyno_catalog::bench::Spec;
use std::time::Duration;

/// Time after a change until the store is read. Several keys in a row cause only one read.
const SETTLED: Duration = Duration::from_millis(300);

/// The expected time of a bench.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    /// The bench that the time belongs to.
    of: Option<Spec>,
    time: Option<Duration>,
    is_due: bool,
}

impl Forecast {
    /// Adds the expected time to the preview of a bench if it is known. Otherwise it will be requested.
    pub(super) fn add_to(&mut self, preview: &mut Preview, spec: Spec) {
        if self.of.as_ref() != Some(&spec) {
            let is_due = spec.until_decided.is_some();
            *self = Self { of: Some(spec), time: None, is_due };
        }
        preview.estimate.until_decided = self.time;
    }

    /// Requests the time again, because the store has changed. The old one stays in view until then.
    pub(super) fn expire(&mut self) {
        self.is_due = self.of.as_ref().is_some_and(|spec| spec.until_decided.is_some());
    }

    /// Returns how soon the time is to be requested, if it is.
    pub(super) fn wakes(&self) -> Option<Duration> {
        self.is_due.then_some(SETTLED)
    }

    /// Returns the request for the time of this preview, if it is due.
    pub(super) fn request(&mut self, preview: &Preview) -> Option<Request> {
        let spec = self.of.clone().filter(|_| self.is_due)?;
        self.is_due = false;
        Some(Request::Forecast { spec: Box::new(spec), plan: Box::new(preview.plan.clone()) })
    }

    /// Stores the time of a bench. Returns whether it is still the one in view.
    pub(super) fn take(&mut self, spec: &Spec, time: Option<Duration>) -> bool {
        let is_same = self.of.as_ref() == Some(spec);
        if is_same {
            self.time = time;
        }
        is_same
    }
}
