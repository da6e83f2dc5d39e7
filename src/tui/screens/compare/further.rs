//! More rounds for an undecided verdict under the cursor.

use super::{CompareScreen, Intents, Request};
use crate::tui::{
    screens::{further, intent::Intent},
    world::World,
};
use dbdyno_comparing::compare::{AnotherLook, Comparison};

impl CompareScreen {
    /// Returns another look at the line under the cursor, or the reason why more rounds would decide nothing. Returns none if no test is
    /// under the cursor.
    pub(super) fn look_under_cursor(&self) -> Option<(&Comparison, Result<AnotherLook, String>)> {
        let (side, line) = match self.looked.view.is_of_session() {
            true => self.under_cursor()?,
            false => (&self.compared()?.plain, self.line()),
        };
        Some((side, side.another_look(line?)))
    }

    /// Plans the rounds that would decide the verdict under the cursor.
    pub(super) fn plan_further(&self, world: &World) -> Intents {
        match self.look_under_cursor() {
            Some((side, Ok(look))) => {
                let command = further::command(side, &look, &self.looked.allowed, &world.arguments);
                vec![Intent::Request(Request::Further { look: Box::new(look), command })]
            }
            Some((_, Err(reason))) => vec![Intent::refused(reason)],
            None => vec![Intent::refused("move the cursor to an undecided test")],
        }
    }
}
