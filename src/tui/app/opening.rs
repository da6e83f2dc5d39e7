//! Opens a screen together with the content to show on it.

use super::{App, Command};
use crate::tui::{launch::Opening, screens::intent::Notice};

impl App {
    /// Shows something on the screen that it belongs to, and returns the commands for the driver.
    pub fn show(&mut self, opening: Opening) -> Vec<Command> {
        let opening = match opening {
            Opening::Screen(screen) => return self.go(screen),
            Opening::Job(id) => return self.watch(id),
            opening => opening,
        };
        let context = context!(self);
        match self.screens.show(opening, &context) {
            Some((screen, Ok(intents))) => {
                self.turn_to(screen);
                self.perform(intents)
            }
            Some((_, Err(reason))) => {
                self.say(Notice::refused(reason));
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}
