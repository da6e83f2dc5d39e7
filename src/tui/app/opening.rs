//! What is shown where more is said than a screen.

use super::{App, Command};
use crate::tui::{
    keys::ScreenId,
    launch::Opening,
    screens::{
        intent::{Intent, Notice},
        joined,
    },
};

impl App {
    /// Shows something, and returns what is to be done for it.
    pub fn show(&mut self, opening: Opening) -> Vec<Command> {
        let intents = match opening {
            Opening::Screen(screen) => return self.go(screen),
            Opening::Pair { a, b } => vec![Intent::ComparePair { a, b }],
            Opening::Beside { reference } => {
                self.screen = ScreenId::Compare;
                joined(self.screens.compare.compare_beside(reference))
            }
            Opening::Results { selection } => match self.screens.results.show_selection(&selection) {
                Ok(intents) => {
                    self.screen = ScreenId::Results;
                    joined(intents)
                }
                Err(reason) => vec![Intent::Say(Notice::bad(reason))],
            },
            Opening::Run(run) => {
                self.screen = ScreenId::Results;
                joined(self.screens.results.open_run(run))
            }
        };
        self.perform(intents)
    }
}
