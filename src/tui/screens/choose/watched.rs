//! The choice in progress: its events, and its end.

use super::{ChooseScreen, Intents};
use crate::tui::screens::intent::Intent;
use dbdyno_reports::choose::{news, phase};
use dbdyno_running::choose::{ChoiceAnswer, ChooseEvent, LeaderLine, NotConsidered};
use std::time::Duration;

/// Lines about what happened that are shown.
const NEWS: usize = 2;

/// A choice in progress.
#[derive(Debug, Default)]
pub(crate) struct WatchedChoice {
    /// What is chosen for; empty before it is known.
    pub(crate) suite: String,
    /// The engines that take part, and those that do not.
    pub(crate) engines: Vec<String>,
    pub(crate) left_out: Vec<NotConsidered>,
    /// What is measured.
    pub(crate) phase: &'static str,
    /// The engines that ran, the best first.
    pub(crate) standing: Vec<LeaderLine>,
    /// What was excluded or taken out, the latest last.
    pub(crate) news: Vec<String>,
    budget: Duration,
    /// The time that was left at a moment.
    left: Option<(Duration, Duration)>,
}

impl WatchedChoice {
    /// Returns the time that is left now; none before the choice has told it.
    pub(crate) fn left(&self, now: Duration) -> Option<Duration> {
        self.left.map(|(left, at)| left.saturating_sub(now.saturating_sub(at)))
    }

    /// Returns the spent share of the budget, from 0 to 1.
    pub(crate) fn spent(&self, now: Duration) -> f64 {
        let (budget, left) = (self.budget.as_secs_f64(), self.left(now).unwrap_or(self.budget).as_secs_f64());
        if budget > 0.0 { 1.0 - left / budget } else { 0.0 }
    }

    fn take(&mut self, event: ChooseEvent, now: Duration) -> Option<ChoiceAnswer> {
        match event {
            ChooseEvent::ChoiceStarted { question, engines, not_considered, .. } => {
                (self.suite, self.budget) = (question.suite.clone(), question.budget());
                (self.engines, self.left_out) = (engines, not_considered);
                self.left = Some((self.budget, now));
            }
            ChooseEvent::Phase { phase: entered } => self.phase = phase(entered),
            ChooseEvent::Leaderboard { lines, left_ms } => {
                self.standing = lines;
                self.left = Some((Duration::from_millis(left_ms), now));
            }
            ChooseEvent::ChoiceEnded { choice } => return Some(*choice),
            ChooseEvent::Session { .. } => {}
            event @ (ChooseEvent::Excluded { .. } | ChooseEvent::TakenOut { .. }) => {
                self.news.extend(news(&event));
                let surplus = self.news.len().saturating_sub(NEWS);
                self.news.drain(..surplus);
            }
        }
        None
    }
}

impl ChooseScreen {
    /// Whether a choice is in progress.
    pub(crate) fn is_running(&self) -> bool {
        self.watched.is_some()
    }

    pub(super) fn begins(&mut self) {
        self.answer = None;
        self.failed = None;
        self.unfinished = None;
        self.watched = Some(WatchedChoice { phase: "starting", ..WatchedChoice::default() });
        self.point_at_engines();
    }

    pub(super) fn takes(&mut self, event: ChooseEvent, now: Duration) {
        let Some(watched) = &mut self.watched else { return };
        if let Some(choice) = watched.take(event, now) {
            self.answer = Some(Box::new(choice));
        }
        let length = self.lines().len();
        self.row.kept_in(length);
    }

    /// Handles the end of the choice, or the error that prevented it.
    pub(super) fn ends(&mut self, outcome: Result<(), String>) -> Intents {
        self.watched = None;
        let length = self.lines().len();
        self.row.kept_in(length);
        match outcome {
            // A choice that found no engine ends with an answer too.
            Err(reason) if self.answer.is_none() => {
                self.failed = Some(reason.clone());
                vec![Intent::failed(reason), self.read()]
            }
            _ => vec![self.read()],
        }
    }
}
