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
        // The comparison of a change belongs to its trend, although its screen has a tab.
        let way = matches!(opening, Opening::Since { .. }).then(|| {
            let behind = self.behind.iter().copied();
            behind.chain([self.screen]).collect()
        });
        match self.screens.show(opening, &context) {
            Some((screen, Ok(intents))) => {
                self.turn_to(screen);
                if let Some(way) = way {
                    self.behind = way;
                }
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
