//! The Live screen: the session under way, or the replay of a run.

use super::{
    super::bindings::Action,
    bench::Preview,
    overlay::{Given, Overlay},
    step::{Step, Steps},
    world::World,
};
use crate::runner::{Report, RunnerEvent};
use std::time::Duration;

/// What the Live screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {}

/// What it asks of the world outside.
#[derive(Debug)]
pub enum Question {}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {}

/// The screen.
#[derive(Debug, Default)]
pub struct Live {
    running: bool,
}

impl Live {
    /// Whether a session is under way.
    pub fn running(&self) -> bool {
        self.running
    }

    /// A session begins.
    pub fn begin(&mut self, _preview: &Preview, _now: Duration) {
        self.running = true;
    }

    /// The session says something.
    pub fn runner(&mut self, _event: RunnerEvent, _now: Duration) -> Steps {
        Steps::new()
    }

    /// The session is over.
    pub fn over(&mut self, outcome: Result<Report, String>, _now: Duration) -> Steps {
        self.running = false;
        match outcome {
            Ok(_) => vec![Step::said("the session is over")],
            Err(reason) => vec![Step::failed(reason)],
        }
    }

    /// Replays a run.
    pub fn replay(&mut self, _run: String) -> Steps {
        Steps::new()
    }

    /// Time has passed.
    pub fn time(&mut self, _now: Duration) -> Steps {
        Steps::new()
    }

    /// How often time has to be told.
    pub fn wakes(&self, _in_view: bool) -> Option<Duration> {
        None
    }

    /// What the status bar says of the session; none without one.
    pub fn status(&self) -> Option<String> {
        self.running.then(|| "running".to_owned())
    }

    /// How many findings there are.
    pub fn warning_count(&self) -> usize {
        0
    }

    /// What linters found in the last session.
    pub fn warnings(&self) -> Overlay {
        Overlay::page("Warnings", Vec::new())
    }

    /// Does what a key means.
    pub fn act(&mut self, _action: Action, _now: Duration) -> Steps {
        Steps::new()
    }

    /// A row was clicked.
    pub fn click(&mut self, _pane: usize, _row: usize) -> Steps {
        Steps::new()
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, _given: Given, _world: &World) -> Result<Steps, String> {
        match *asked {}
    }

    /// Takes an answer from outside.
    pub fn answered(&mut self, answer: Answer, _now: Duration) -> Steps {
        match answer {}
    }
}
