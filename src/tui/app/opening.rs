//! What is shown where more is said than a screen.

use super::{App, Command};
use crate::tui::{launch::Opening, screens::intent::Notice};

impl App {
    /// Shows something on the screen whose it is, and returns what is to be done for it.
    pub fn show(&mut self, opening: Opening) -> Vec<Command> {
        let opening = match opening {
            Opening::Screen(screen) => return self.go(screen),
            Opening::Job(id) => return self.watch(id),
            opening => opening,
        };
        let context = super::context(&self.world, &self.job, self.now, self.size, self.zoomed);
        match self.screens.show(opening, &context) {
            Some((screen, Ok(intents))) => {
                self.turn_to(screen);
                self.perform(intents)
            }
            Some((_, Err(reason))) => {
                self.say(Notice::bad(reason));
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}
