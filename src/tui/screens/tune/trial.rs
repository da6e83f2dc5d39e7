//! The watched trial: its events and its end.

use super::{Intents, JobInProgress, TunePane, TuneScreen, TuneView, WatchedSearch, search::is_of_search};
use crate::tui::screens::intent::Intent;
use dbdyno_comparing::compare::RatioRange;
use dbdyno_engine::protocol;
use dbdyno_running::{
    runner::{RunnerEvent, waiting_for_lock},
    tune::{TestEffect, Trial, TrialKind, TrialState, TuneEvent},
};

use dbdyno_stats::Verdict;
use std::time::Duration;

/// The current trial, or the last one.
#[derive(Debug, Clone)]
pub struct WatchedTrial {
    /// The trial in its current state.
    pub(crate) trial: Trial,
    /// Finished rounds of all looks.
    pub(crate) round: u32,
    pub(crate) effects: Vec<TestEffect>,
    /// The first test after each round.
    pub(crate) narrowing: Vec<RoundFound>,
    /// A description of the current step: `round 3 · sqlite[cache_size=20000] · Random reads`.
    pub(crate) doing: String,
}

/// What is known of a test after a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundFound {
    pub(crate) round: u32,
    pub(crate) ratio: Option<f64>,
    /// None before there are enough rounds.
    pub(crate) interval: Option<RatioRange>,
}

impl WatchedTrial {
    /// Returns a stored trial that was not watched.
    pub(crate) fn stored(trial: Trial) -> Self {
        let measured = trial.effects.iter().map(|effect| effect.pairs as u32).max().unwrap_or(0);
        let round = if trial.state == TrialState::Tried { trial.rounds } else { measured };
        let effects = trial.effects.clone();
        Self { trial, round, effects, narrowing: Vec::new(), doing: String::new() }
    }
}

impl TuneScreen {
    /// Handles an event of the trial or the search.
    pub fn event(&mut self, event: TuneEvent) {
        if let TuneEvent::SearchStarted { tier, budget_ms, .. } = &event {
            self.search = Some(WatchedSearch::new(*tier, Duration::from_millis(*budget_ms)));
            (self.running, self.view) = (Some(JobInProgress::Search), TuneView::Search);
        }
        if let Some(search) = self.search.as_mut().filter(|_| self.running == Some(JobInProgress::Search)) {
            search.hear(&event);
        }
        if is_of_search(&event) {
            return;
        }
        match event {
            TuneEvent::TrialStarted { trial, before, .. } => {
                let kept = self.watched.take().filter(|watched| watched.trial.trial_id == trial.trial_id);
                let (effects, narrowing) =
                    kept.map_or_else(Default::default, |watched| (watched.effects, watched.narrowing));
                let doing = "starting".to_owned();
                self.watched = Some(WatchedTrial { trial: *trial, round: before, effects, narrowing, doing });
            }
            TuneEvent::Session { says } => {
                if let Some(watched) = &mut self.watched {
                    tell_doing(&mut watched.doing, &says);
                }
            }
            TuneEvent::Round { round, effects, .. } => {
                if let Some(watched) = &mut self.watched {
                    let found = effects.first().and_then(|effect| effect.found.as_ref());
                    let (ratio, interval) = (found.map(|found| found.ratio), found.and_then(|found| found.interval));
                    watched.narrowing.push(RoundFound { round, ratio, interval });
                    (watched.round, watched.effects) = (round, effects);
                }
            }
            TuneEvent::TrialEnded { trial } => {
                let kept = self.watched.take().filter(|watched| watched.trial.trial_id == trial.trial_id);
                let narrowing = kept.map_or_else(Vec::new, |watched| watched.narrowing);
                self.watched = Some(WatchedTrial { narrowing, ..WatchedTrial::stored(*trial) });
            }
            _ => {}
        }
    }

    /// Handles the end of the trial or the search, or the error that prevented it.
    pub(super) fn tuned(&mut self, outcome: Result<(), String>) -> Intents {
        let ran = self.running.take();
        let mut intents = self.read_ledger();
        match (outcome, ran) {
            (Ok(()), Some(JobInProgress::Search)) => intents.push(Intent::said(self.after_search())),
            (Ok(()), _) => intents.push(Intent::said(self.after_trial())),
            (Err(reason), ran) => {
                if let Some(search) = self.search.as_mut().filter(|_| ran == Some(JobInProgress::Search)) {
                    search.failed = Some(reason.clone());
                }
                intents.push(Intent::failed(reason));
            }
        }
        intents
    }

    /// Returns the actions that are possible with the trial that has just ended.
    fn after_trial(&self) -> String {
        let Some(WatchedTrial { trial, .. }) = &self.watched else { return "no trial was run".to_owned() };
        if self.pane == TunePane::Ledger {
            // In the ledger, keys apply to another trial.
            return format!("the trial of {} is over", trial.change);
        }
        let more = if trial.kind == TrialKind::WhatIf { ", m adds rounds" } else { "" };
        match &trial.state {
            TrialState::Tried if trial.is_gain() => format!("the trial is over: A accepts the change{more}"),
            TrialState::Tried => {
                let found = trial.effects.first().and_then(|effect| effect.found.as_ref());
                let found = match found.map(|found| found.verdict) {
                    Some(Verdict::Undecided { .. } | Verdict::TooFew { .. }) => "undecided",
                    Some(Verdict::Same) => "it makes no difference",
                    Some(Verdict::Slower) => "it is slower",
                    Some(Verdict::Faster) | None => "no gain",
                };
                let undo = if self.form.change.is_empty() { "" } else { ", d undoes the change" };
                format!("the trial is over: {found}{more}{undo}")
            }
            TrialState::Stopped => {
                "the trial was stopped, and decides nothing: Enter tries the change again".to_owned()
            }
            TrialState::CannotDiffer(_) | TrialState::Failed(_) => "the trial was not measured".to_owned(),
        }
    }

    fn after_search(&mut self) -> String {
        self.view = TuneView::Search;
        let confirmed = self.search.as_ref().and_then(|search| search.outcome.as_ref()?.confirmed.as_ref());
        match confirmed {
            Some(trial) if trial.is_gain() && self.pane == TunePane::Options => {
                "the search is over: A accepts what it found, y copies it".to_owned()
            }
            Some(trial) if trial.is_gain() => "the search is over: it found faster settings".to_owned(),
            Some(trial) if trial.state == TrialState::Tried => "the search is over: no gain was confirmed".to_owned(),
            Some(_) => "the search was stopped before its winner was confirmed".to_owned(),
            None => "the search is over: nothing was confirmed".to_owned(),
        }
    }
}

/// Updates the description of the current step with a session's event.
pub(super) fn tell_doing(doing: &mut String, says: &RunnerEvent) {
    match says {
        RunnerEvent::Calibrating => *doing = "measuring the harness".to_owned(),
        RunnerEvent::WaitingForLock { holder } => *doing = waiting_for_lock(holder.as_deref()),
        RunnerEvent::RunStarted { label, .. } => doing.clone_from(label),
        RunnerEvent::Worker { says: protocol::Event::TestStarted { name, measured, .. }, .. } => {
            let run = doing.split(" · ").next().unwrap_or_default();
            let what = if *measured { "" } else { " (preparing)" };
            *doing = format!("{run} · {name}{what}");
        }
        _ => {}
    }
}
