//! The Tune screen.

use super::{super::bindings::Action, overlay::Given, step::Steps, world::World};

/// What the Tune screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {}

/// The screen.
#[derive(Debug, Default)]
pub struct Tune {}

impl Tune {
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
}
