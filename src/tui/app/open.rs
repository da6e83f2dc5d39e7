//! Overlays above the screens, and the handling of the user's replies.

use super::{App, Command, Request};
use crate::tui::{
    app::palette::Palette,
    export::RefusedFile,
    keys::{Binding, FILE, KeyTable, ScreenId},
    launch::Opening,
    overlay::{CommandLine, FilterLine, Outcome, Overlay, Reply},
    screens::{ScreenDialog, intent::Notice},
};
use std::path::PathBuf;
use tui_input::Input;

/// An overlay with the purpose of its reply.
#[derive(Debug)]
pub struct OpenOverlay {
    /// The part that is painted and takes the keys.
    pub(crate) overlay: Overlay,
    purpose: ReplyTo,
}

/// The purpose of a reply.
#[derive(Debug, Clone)]
enum ReplyTo {
    /// Running the query of the page, if it has one.
    Read,
    /// Running the typed command.
    Palette(Box<Palette>),
    /// Leaving while a job runs.
    Leave,
    /// Answering the dialog of a screen.
    Screen(ScreenDialog),
}

impl OpenOverlay {
    /// Returns a page to read.
    pub(super) fn page(overlay: Overlay) -> Self {
        Self { overlay, purpose: ReplyTo::Read }
    }

    /// Returns an overlay whose reply goes to a screen.
    pub(super) fn dialog(overlay: Overlay, dialog: ScreenDialog) -> Self {
        Self { overlay, purpose: ReplyTo::Screen(dialog) }
    }

    /// Returns the question whether to leave while a job runs. `kept` describes which of its results stay.
    pub(super) fn leave(what: &str, kept: &str) -> Self {
        let others = ["You can use other screens while it runs.", "Z leaves and keeps it running."];
        let lines = [kept].into_iter().chain(others).map(str::to_owned).collect();
        let title = format!("{}{}. Leave?", what[..1].to_uppercase(), &what[1..]);
        Self { overlay: Overlay::confirm(title, lines), purpose: ReplyTo::Leave }
    }

    /// Returns the page with the keys of a screen, and those of all screens.
    pub(super) fn help(screen: ScreenId, keys: &KeyTable) -> Self {
        let line = |binding: &Binding| format!("{:<12} {}", binding.words(), binding.help);
        let mut lines: Vec<String> = keys.of_screen(screen).iter().map(line).collect();
        lines.extend([String::new(), "On every screen".to_owned()]);
        lines.extend(keys.everywhere().iter().map(line));
        lines.extend([String::new(), format!("Your own keys: {FILE}; `dbdyno list keys` has the names.")]);
        Self::page(Overlay::page(format!("Keys of {}", screen.name()), lines))
    }

    /// Returns an overlay for typing a command.
    pub(super) fn palette(line: CommandLine, palette: Box<Palette>) -> Self {
        Self { overlay: Overlay::Command(line), purpose: ReplyTo::Palette(palette) }
    }

    /// Returns the filter that is being typed, if there is one.
    pub(super) fn filter(&mut self) -> Option<&mut FilterLine> {
        if let Overlay::Filter(filter) = &mut self.overlay { Some(filter) } else { None }
    }

    /// Takes the filter that is being typed and its purpose, if there is one.
    fn take_filter(open: &mut Option<Self>) -> Option<(FilterLine, ScreenDialog)> {
        match open.take()? {
            Self { overlay: Overlay::Filter(filter), purpose: ReplyTo::Screen(dialog) } => Some((filter, dialog)),
            other => {
                *open = Some(other);
                None
            }
        }
    }

    /// Takes the command that is being typed, if there is one.
    pub(super) fn take_palette(open: &mut Option<Self>) -> Option<(CommandLine, Box<Palette>)> {
        match open.take()? {
            Self { overlay: Overlay::Command(line), purpose: ReplyTo::Palette(palette) } => Some((line, palette)),
            other => {
                *open = Some(other);
                None
            }
        }
    }
}

impl App {
    /// Whether the question is open whether to leave while a job runs.
    pub(super) fn asks_to_leave(&self) -> bool {
        self.open.as_ref().is_some_and(|open| matches!(open.purpose, ReplyTo::Leave))
    }

    /// Handles the outcome of a key in an overlay. A refused reply keeps the overlay open, with the reason.
    pub(super) fn outcome(&mut self, outcome: Outcome) -> Vec<Command> {
        if let Some((line, palette)) = OpenOverlay::take_palette(&mut self.open) {
            return self.palette_outcome(line, palette, &outcome);
        }
        if let Some((filter, dialog)) = OpenOverlay::take_filter(&mut self.open) {
            return self.filter_outcome(filter, dialog, outcome);
        }
        let Some(open) = self.open.take() else { return Vec::new() };
        let (reply, closed) = match outcome {
            Outcome::Stays(reply) => {
                let purpose = open.purpose.clone();
                self.open = Some(open);
                // A text that is refused while it is typed is refused again at the end, and reported then.
                return reply.map_or_else(Vec::new, |reply| self.replied(&purpose, reply).unwrap_or_default());
            }
            Outcome::Closed(reply) => (reply, open),
        };
        self.closed = Some(self.now);
        match self.replied(&closed.purpose, reply) {
            Ok(commands) => {
                self.wrote(&commands, closed);
                commands
            }
            Err(error) => {
                self.open = Some(self.refused(closed, error));
                Vec::new()
            }
        }
    }

    /// Keeps the dialog that asked for a file, to ask again if the file cannot be written.
    pub(super) fn wrote(&mut self, commands: &[Command], asked: OpenOverlay) {
        if commands.iter().any(|command| matches!(command, Command::Request(Request::Write { .. }))) {
            self.asked_for_file = Some(asked);
        }
    }

    /// Reports the written file. After a failure, asks for the name again, with the reason and a free name.
    pub(super) fn written(&mut self, written: Result<PathBuf, RefusedFile>) {
        let asked = self.asked_for_file.take();
        let RefusedFile { reason, name } = match written {
            Ok(path) => return self.say(Notice::done(format!("written: {}", path.display()))),
            Err(refused) => refused,
        };
        match (asked, &self.open) {
            // Another overlay is open by now.
            (_, Some(_)) | (None, _) => self.say(Notice::failed(reason)),
            (Some(mut asked), None) => {
                match &mut asked.overlay {
                    Overlay::Prompt(prompt) => prompt.input = Input::new(name),
                    Overlay::Command(line) => line.set(format!("{}{name}", line.completions.head)),
                    _ => {}
                }
                self.open = Some(self.refused(asked, reason));
            }
        }
    }

    /// Offers a name that no file has yet in place of the requested one, unless the user has typed another.
    pub(super) fn offer(&mut self, asked: &str, free: String) {
        if let Some(OpenOverlay { overlay: Overlay::Prompt(prompt), .. }) = &mut self.open
            && prompt.input.value() == asked
        {
            prompt.input = Input::new(free);
        }
    }

    /// Returns the overlay again, with the reason why its reply was refused.
    fn refused(&mut self, mut closed: OpenOverlay, error: String) -> OpenOverlay {
        match &mut closed.overlay {
            Overlay::Prompt(prompt) => prompt.error = Some(error),
            Overlay::Command(line) => line.error = Some(error),
            _ => self.say(Notice::failed(error)),
        }
        closed
    }

    fn replied(&mut self, purpose: &ReplyTo, reply: Reply) -> Result<Vec<Command>, String> {
        match purpose {
            // Typed commands are handled in `palette_outcome`.
            ReplyTo::Palette(_) => Ok(Vec::new()),
            ReplyTo::Read => Ok(match reply {
                Reply::Text(sql) => self.show(Opening::Query(sql)),
                _ => Vec::new(),
            }),
            ReplyTo::Leave => Ok(if reply == Reply::Yes { self.leave_now() } else { Vec::new() }),
            ReplyTo::Screen(dialog) => self.replied_to_screen(dialog, reply),
        }
    }

    /// Passes the reply to the screen that asked for it.
    pub(super) fn replied_to_screen(&mut self, dialog: &ScreenDialog, reply: Reply) -> Result<Vec<Command>, String> {
        let context = context!(self);
        let intents = self.screens.replied(dialog, reply, &context)?;
        Ok(self.perform(intents))
    }
}
