//! The crash tests in progress: their progress and their end.

use super::{Intents, TortureScreen};
use crate::tui::screens::intent::Intent;
use dbdyno_running::torture::{SeriesEvent, TortureProgress, TortureTerms};
use std::collections::BTreeMap;

/// Configurations that are crash-tested one after the other.
#[derive(Debug)]
pub struct WatchedSeries {
    /// Engines with the options that are not at their default; empty before they are known.
    pub(crate) choices: Vec<String>,
    pub(crate) terms: TortureTerms,
    /// Index of the configuration in progress.
    pub(crate) at: usize,
    pub(crate) step: Option<TortureProgress>,
    /// Number of configurations for each verdict.
    verdicts: BTreeMap<String, usize>,
}

impl WatchedSeries {
    fn choice(&self) -> &str {
        self.choices.get(self.at).map_or("", String::as_str)
    }

    /// Returns the finished share of the current step, from 0 to 1; none if it has no parts.
    pub(crate) fn share(&self) -> Option<f64> {
        let (done, of) = match *self.step.as_ref()? {
            TortureProgress::Waiting { .. } | TortureProgress::Recording => return None,
            TortureProgress::Kill { done } => (done, self.terms.kills),
            TortureProgress::Image { done } => (done, self.terms.images),
            TortureProgress::Mutant { number, of } => (number as u32, of as u32),
        };
        Some(f64::from(done) / f64::from(of.max(1)))
    }
}

impl TortureScreen {
    /// Whether a crash test is in progress.
    pub(crate) fn running(&self) -> bool {
        self.watched.is_some()
    }

    /// Begins a series of crash tests.
    pub(super) fn series_begins(&mut self) {
        self.failures.clear();
        let (choices, terms) = (Vec::new(), self.terms.clone());
        self.watched = Some(WatchedSeries { choices, terms, at: 0, step: None, verdicts: BTreeMap::new() });
    }

    /// Handles an event of the series.
    pub(super) fn series_tells(&mut self, event: SeriesEvent) -> Intents {
        let Some(watched) = &mut self.watched else { return Intents::new() };
        match event {
            SeriesEvent::SeriesStarted { choices, terms } => (watched.choices, watched.terms) = (choices, terms),
            SeriesEvent::Began { at } => (watched.at, watched.step) = (at, None),
            SeriesEvent::Step { step } => watched.step = Some(step),
            SeriesEvent::Failed { reason } => self.failures.push(format!("{}: {reason}", watched.choice())),
            SeriesEvent::Found { stopped: true, .. } => {}
            SeriesEvent::Found { verdict, stopped: false } => {
                *watched.verdicts.entry(verdict).or_default() += 1;
                return self.ask();
            }
        }
        Intents::new()
    }

    /// Handles the end of the series, or the error that prevented it.
    pub(super) fn series_ends(&mut self, outcome: Result<(), String>) -> Intents {
        let watched = self.watched.take();
        let mut counts: Vec<String> = watched
            .map_or_else(BTreeMap::new, |watched| watched.verdicts)
            .iter()
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        if !self.failures.is_empty() {
            counts.push(format!("{} failed", self.failures.len()));
        }
        match outcome {
            Ok(()) if counts.is_empty() => {
                vec![Intent::said("stopped: nothing is stored of the configuration under way")]
            }
            Ok(()) => vec![Intent::said(counts.join(" · "))],
            Err(reason) => vec![Intent::failed(reason)],
        }
    }
}
