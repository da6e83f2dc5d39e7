//! Carries out the intents of screens: in the application, or as commands for the driver.

use super::{App, Command, OpenOverlay, Request};
use crate::tui::{
    overlay::Overlay,
    screens::{Intents, intent::Intent},
};

impl App {
    /// Carries out the intents of a screen, and returns the commands for the driver.
    pub(super) fn perform(&mut self, intents: Intents) -> Vec<Command> {
        let mut commands = Vec::new();
        for intent in intents {
            match intent {
                Intent::Request(request) => commands.push(Command::Request(Request::Screen(request))),
                Intent::Write { path, content } => commands.push(Command::Request(Request::Write { path, content })),
                Intent::Copy(text) => commands.push(Command::Copy(text)),
                Intent::Tell(tell) => commands.push(Command::Tell(tell)),
                Intent::AskStart(..) if self.busy() => commands.extend(self.refuse()),
                Intent::Ask(dialog, overlay) | Intent::AskStart(dialog, overlay) => {
                    commands.extend(self.ask(dialog, overlay));
                }
                Intent::AskFile(dialog, overlay) => {
                    if let Overlay::Prompt(prompt) = &overlay {
                        let asked = prompt.input.value().to_owned();
                        commands.push(Command::Request(Request::FreeName(asked)));
                    }
                    self.open = Some(OpenOverlay::dialog(overlay, dialog));
                }
                Intent::Read(overlay) => self.open = Some(OpenOverlay::page(overlay)),
                Intent::Say(notice) => self.say(notice),
                Intent::Saved(preset) => self.world.take_preset(*preset),
                Intent::Suite(suite) => {
                    self.world.take_suite(*suite);
                    self.screens.world_changed(&self.world);
                }
                Intent::Open(what) => commands.extend(self.show(what)),
                Intent::Close => commands.extend(self.close_screen()),
                Intent::ReadNext(title, lines) => self.follow_up = Some((title, lines)),
                Intent::Measure(start) => commands.extend(self.measure(*start)),
            }
        }
        commands
    }
}
