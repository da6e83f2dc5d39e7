//! The Claims screen.

use super::{super::bindings::Action, overlay::Given, step::Steps, world::World};

/// What the Claims screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {}

/// What it asks of the world outside.
#[derive(Debug)]
pub enum Question {}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {}

/// The screen.
#[derive(Debug)]
pub struct Claims {}

impl Claims {
    /// The screen at the start.
    pub fn new(_world: &World) -> Self {
        Self {}
    }

    /// Does what a key means.
    pub fn act(&mut self, _action: Action, _world: &World) -> Steps {
        Steps::new()
    }

    /// A row was clicked.
    pub fn click(&mut self, _pane: usize, _row: usize, _world: &World) -> Steps {
        Steps::new()
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, _given: Given, _world: &World) -> Result<Steps, String> {
        match *asked {}
    }

    /// Takes an answer from outside.
    pub fn answered(&mut self, answer: Answer) -> Steps {
        match answer {}
    }

    /// What is stored has changed.
    pub fn stale(&mut self) {}

    /// The screen came into view.
    pub fn shown(&mut self, _world: &World) -> Steps {
        Steps::new()
    }
}
