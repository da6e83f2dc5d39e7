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
    due: Due,
}

/// When the time is to be requested.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Due {
    #[default]
    Never,
    /// After the choices have not changed for a moment, which begins when the clock is next read.
    Soon,
    /// At this time from the start of the program.
    At(Duration),
}

impl Due {
    /// After a change of a bench, or of the store. Only rounds until all is decided have a forecast.
    fn after_change(spec: &Spec) -> Self {
        if spec.until_decided.is_some() { Self::Soon } else { Self::Never }
    }
}

impl Forecast {
    /// Adds the expected time to the preview of a bench if it is known. Otherwise it will be requested.
    pub(super) fn add_to(&mut self, preview: &mut Preview, spec: Spec) {
        if self.of.as_ref() != Some(&spec) {
            let due = Due::after_change(&spec);
            *self = Self { of: Some(spec), time: None, due };
        }
        preview.estimate.until_decided = self.time;
    }

    /// Requests the time again, because the store has changed. The old one stays in view until then.
    pub(super) fn expire(&mut self) {
        self.due = self.of.as_ref().map_or(Due::Never, Due::after_change);
    }

    /// Returns how soon the time is to be requested, if it is.
    pub(super) fn wakes(&self) -> Option<Duration> {
        (self.due != Due::Never).then_some(SETTLED)
    }

    /// Returns the request for the time of this preview, if it is due.
    pub(super) fn request(&mut self, preview: &Preview, now: Duration) -> Option<Request> {
        match self.due {
            Due::Soon => self.due = Due::At(now + SETTLED),
            Due::At(due) if now >= due => self.due = Due::Never,
            Due::Never | Due::At(_) => return None,
        }
        let spec = self.of.clone().filter(|_| self.due == Due::Never)?;
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
