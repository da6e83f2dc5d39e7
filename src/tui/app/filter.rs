//! The filter line: completions while it is typed, the history of filters, and saved views.

use super::{App, Command, OpenOverlay, Request};
use crate::tui::{
    filter::{self, View, completions, remembered, wanted},
    keys::ScreenId,
    overlay::{FilterKeys, FilterLine, Outcome, Overlay, Reply},
    screens::{ScreenDialog, intent::Notice},
};

impl App {
    /// Asks the user for the input that a screen needs.
    pub(super) fn ask(&mut self, dialog: ScreenDialog, mut overlay: Overlay) -> Vec<Command> {
        let Overlay::Filter(filter) = &mut overlay else {
            self.open = Some(OpenOverlay::dialog(overlay, dialog));
            return Vec::new();
        };
        filter.remember(self.world.filters.clone());
        // The store may have changed since the last filter.
        self.known = filter::StoredNames::default();
        let mut commands = Vec::new();
        if filter.keys == FilterKeys::Stored {
            commands.push(Command::Request(Request::Filter(filter::Request::Names)));
        }
        self.open = Some(OpenOverlay::dialog(overlay, dialog));
        commands.extend(self.complete_filter());
        commands
    }

    /// Offers completions for the end of the filter, and requests the values that must be read for them.
    pub(super) fn complete_filter(&mut self) -> Vec<Command> {
        let Some(filter) = self.open.as_mut().and_then(OpenOverlay::filter) else { return Vec::new() };
        let (text, keys) = (filter.line.text().to_owned(), filter.keys);
        let commands = self.want(&text, keys);
        let offered = completions(&text, keys, &self.known);
        if let Some(filter) = self.open.as_mut().and_then(OpenOverlay::filter) {
            filter.offer(offered);
        }
        commands
    }

    /// Requests the values that must be read before the end of a filter can be completed.
    pub(super) fn want(&mut self, text: &str, keys: FilterKeys) -> Vec<Command> {
        let key = wanted(text, keys).filter(|key| !self.known.values.contains_key(key.word()));
        let command = key.map(|key| {
            self.known.values.insert(key.word().to_owned(), None);
            Command::Request(Request::Filter(filter::Request::Values(key)))
        });
        command.into_iter().collect()
    }

    /// Handles the outcome of a key in a filter line. The screen applies any filter that can be read; errors appear below the line.
    pub(super) fn filter_outcome(
        &mut self,
        mut filter: FilterLine,
        dialog: ScreenDialog,
        outcome: Outcome,
    ) -> Vec<Command> {
        let open = |filter| Some(OpenOverlay::dialog(Overlay::Filter(filter), dialog.clone()));
        match outcome {
            Outcome::Stays(Some(reply)) => {
                let replied = self.replied_to_screen(&dialog, reply);
                let mut commands = taken(&mut filter, replied);
                self.open = open(filter);
                commands.extend(self.complete_filter());
                commands
            }
            Outcome::Stays(None) => {
                self.open = open(filter);
                Vec::new()
            }
            Outcome::Closed(reply @ Reply::Text(_)) => {
                let text = filter.line.text().trim().to_owned();
                match self.replied_to_screen(&dialog, reply) {
                    Ok(mut commands) => {
                        self.closed = Some(self.now);
                        commands.extend(self.keep_filter(text));
                        commands
                    }
                    Err(reason) => {
                        filter.line.error = Some(reason);
                        self.open = open(filter);
                        Vec::new()
                    }
                }
            }
            Outcome::Closed(_) => {
                self.closed = Some(self.now);
                let initial = Reply::Typing(filter.initial.clone());
                let mut commands = self.replied_to_screen(&dialog, initial).unwrap_or_default();
                commands.extend(self.replied_to_screen(&dialog, Reply::Nothing).unwrap_or_default());
                commands
            }
        }
    }

    /// Handles a response about filters: values for completions, or the outcome of a save.
    pub(super) fn filter_told(&mut self, response: filter::Response) -> Vec<Command> {
        match response {
            filter::Response::Names(names) => self.known.names = Some(names),
            filter::Response::Values(key, values) => drop(self.known.values.insert(key, Some(values))),
            filter::Response::Kept(kept) => {
                if let Err(reason) = kept {
                    self.say(Notice::failed(format!("the filter is applied, but not saved in the history: {reason}")));
                }
            }
            filter::Response::Saved(name, saved) => match saved {
                Ok(views) => {
                    self.world.views = views;
                    self.say(Notice::done(format!("saved: `view {name}` shows it again")));
                }
                Err(reason) => self.say(Notice::failed(format!("the view is not saved: {reason}"))),
            },
        }
        match OpenOverlay::take_palette(&mut self.open) {
            Some((line, palette)) => self.follow(line, palette),
            None => self.complete_filter(),
        }
    }

    /// Adds a filter to the history.
    fn keep_filter(&mut self, text: String) -> Option<Command> {
        if text.is_empty() {
            return None;
        }
        self.world.filters = remembered(std::mem::take(&mut self.world.filters), &text);
        Some(Command::Request(Request::Filter(filter::Request::Keep(text))))
    }

    /// Saves the view of the current screen under a name.
    ///
    /// # Errors
    /// The name is empty, or the screen has no list to save.
    pub(super) fn save_view(&mut self, name: &str) -> Result<Vec<Command>, String> {
        let name = name.trim();
        if name.is_empty() {
            return Err("expected a name for the view".to_owned());
        }
        let view =
            self.screens.view(self.screen).ok_or("expected a screen with a list that can be saved: 3 shows Results")?;
        let view = View { name: name.to_owned(), screen: self.screen.word().to_owned(), ..view };
        Ok(vec![Command::Request(Request::Filter(filter::Request::Save(Box::new(view))))])
    }

    /// Shows a saved view.
    ///
    /// # Errors
    /// The screen of the view does not exist, or it cannot show the view.
    pub(super) fn show_view(&mut self, view: &View) -> Result<Vec<Command>, String> {
        let screen = ScreenId::ALL.into_iter().find(|screen| screen.word() == view.screen);
        let screen = screen.ok_or_else(|| format!("view `{}`: there is no screen `{}`", view.name, view.screen))?;
        let intents =
            self.screens.show_view(screen, view).map_err(|reason| format!("view `{}`: {reason}", view.name))?;
        let mut commands = self.go(screen);
        commands.extend(self.perform(intents));
        Ok(commands)
    }
}

/// Shows below the line why a screen did not apply the filter.
fn taken(filter: &mut FilterLine, replied: Result<Vec<Command>, String>) -> Vec<Command> {
    replied.unwrap_or_else(|reason| {
        filter.line.error = Some(reason);
        Vec::new()
    })
}
