//! The configurations that are tortured: how far it is, and how it ended.

use super::{Intents, TortureScreen};
use crate::tui::screens::intent::Intent;
use dbdyno_running::torture::{SeriesEvent, Step, Terms};
use std::collections::BTreeMap;

/// Configurations that are tortured one after the other.
#[derive(Debug)]
pub struct WatchedSeries {
    /// Engines with the options that are not at their default; none before they are known.
    pub(crate) choices: Vec<String>,
    pub(crate) terms: Terms,
    /// Which of them is under way, from 0.
    pub(crate) at: usize,
    pub(crate) step: Option<Step>,
    /// How many have each verdict.
    verdicts: BTreeMap<String, usize>,
}

impl WatchedSeries {
    fn choice(&self) -> &str {
        self.choices.get(self.at).map_or("", String::as_str)
    }

    /// The share of what is under way that is done, from 0 to 1; none where it has no parts.
    pub(crate) fn share(&self) -> Option<f64> {
        let (done, of) = match self.step? {
            Step::Waiting | Step::Recording => return None,
            Step::Kill { done } => (done, self.terms.kills),
            Step::Image { done } => (done, self.terms.images),
            Step::Mutant { number, of } => (number as u32, of as u32),
        };
        Some(f64::from(done) / f64::from(of.max(1)))
    }
}

impl TortureScreen {
    /// Whether configurations are tortured.
    pub(crate) fn running(&self) -> bool {
        self.watched.is_some()
    }

    /// Torture begins.
    pub(super) fn series_begins(&mut self) {
        self.failures.clear();
        let (choices, terms) = (Vec::new(), self.terms.clone());
        self.watched = Some(WatchedSeries { choices, terms, at: 0, step: None, verdicts: BTreeMap::new() });
    }

    /// What torture tells.
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

    /// Torture is over, or could not be begun.
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
            Ok(()) if counts.is_empty() => vec![Intent::said("stopped: nothing is stored of what was under way")],
            Ok(()) => vec![Intent::said(counts.join(" · "))],
            Err(reason) => vec![Intent::failed(reason)],
        }
    }
}
