//! The command palette: completions while a command is typed, a preview of it, and its execution.

use super::{App, Command, OpenOverlay, Request};
use crate::tui::{
    filter,
    keys::{Action, Binding, ScreenId},
    launch::Opening,
    overlay::{CommandLine, ListItem, Outcome, Reply},
    palette::{
        self, Argument, ArgumentValues, CompletionData, DialogPrompt, PaletteCommand, ReplyForm, Stage, Stored, Takes,
        arguments, command_of, names, offered, opening_of, unknown,
    },
    screens::{
        ScreenDialog,
        intent::{Intent, Notice},
    },
};
use dbdyno_catalog::Theme;
use std::{collections::BTreeMap, mem};

/// The data for a command while it is typed.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    stage: Stage,
    /// The commands that do something here.
    offered: Vec<&'static PaletteCommand>,
    /// The key bindings in view.
    bindings: Vec<Binding>,
    /// The theme that was chosen before the palette opened.
    theme: Option<Theme>,
    /// The values found in the store, or the reason why there are none.
    stored: BTreeMap<Stored, Result<Vec<ListItem>, String>>,
}

impl Palette {
    fn command(&self) -> Option<&'static PaletteCommand> {
        match &self.stage {
            Stage::Name => None,
            Stage::Argument(argument) => Some(argument.command),
        }
    }
}

impl App {
    /// Opens the palette, in which the user types a command.
    pub(super) fn open_palette(&mut self) -> Vec<Command> {
        let does = |screen: ScreenId, action: Action| {
            let has_key = self.world.keys.of_screen(screen).iter().any(|binding| binding.action == action);
            has_key && self.screens.offers(screen, action, &context!(self))
        };
        let palette = Palette {
            stage: Stage::Name,
            offered: offered(self.screen, self.screens.view(self.screen).is_some(), does),
            bindings: self.bindings().cloned().collect(),
            theme: self.theme.clone(),
            stored: BTreeMap::new(),
        };
        self.follow(CommandLine::default(), Box::new(palette))
    }

    /// Takes values from the store, which complete arguments.
    pub(super) fn palette_told(&mut self, response: palette::Response) -> Vec<Command> {
        let Some((line, mut palette)) = OpenOverlay::take_palette(&mut self.open) else { return Vec::new() };
        palette.stored.insert(response.of, response.found);
        self.follow(line, palette)
    }

    /// Handles the outcome of a key in the palette.
    pub(super) fn palette_outcome(
        &mut self,
        line: CommandLine,
        mut palette: Box<Palette>,
        outcome: &Outcome,
    ) -> Vec<Command> {
        match outcome {
            Outcome::Stays(None) => {
                self.open = Some(OpenOverlay::palette(line, palette));
                Vec::new()
            }
            Outcome::Stays(Some(_)) => self.follow(line, palette),
            Outcome::Closed(Reply::Text(_)) => self.take_command(line, palette),
            Outcome::Closed(_) => {
                self.closed = Some(self.now);
                self.leave_argument(&mut palette)
            }
        }
    }

    /// Updates completions and preview for the typed line, and keeps the palette open.
    pub(super) fn follow(&mut self, mut line: CommandLine, mut palette: Box<Palette>) -> Vec<Command> {
        let mut commands = Vec::new();
        let typed = command_of(line.text(), &palette.offered);
        if typed.map(|command| command.words) != palette.command().map(|command| command.words) {
            commands.extend(self.leave_argument(&mut palette));
            palette.stage = match typed {
                None => Stage::Name,
                Some(command) => {
                    let values = self.values(command);
                    self.known = filter::StoredNames::default();
                    if matches!(values, ArgumentValues::Asked(DialogPrompt { form: ReplyForm::Filter { .. }, .. })) {
                        commands.push(Command::Request(Request::Filter(filter::Request::Names)));
                    }
                    if let ArgumentValues::Stored(of) = values
                        && !palette.stored.contains_key(&of)
                    {
                        commands.push(Command::Request(Request::Palette(palette::Request(of))));
                    }
                    Stage::Argument(Box::new(Argument { command, values, shown: None }))
                }
            };
        }
        if let Stage::Argument(argument) = &palette.stage
            && let ArgumentValues::Asked(DialogPrompt { form: ReplyForm::Filter { keys, .. }, .. }) = argument.values
        {
            let typed = line.text().get(argument.command.words.len() + 1..).unwrap_or_default().to_owned();
            commands.extend(self.want(&typed, keys));
        }
        line.offer(match &palette.stage {
            Stage::Name => names(&palette.offered, &palette.bindings),
            Stage::Argument(argument) => {
                let Argument { command, values, .. } = argument.as_ref();
                let theme = palette.theme.as_ref().map_or(&self.world.theme, |theme| &theme.name);
                let known = CompletionData { world: &self.world, theme, stored: &palette.stored, filter: &self.known };
                let typed = line.text().get(command.words.len() + 1..).unwrap_or_default().to_owned();
                arguments(command, values, &typed, known)
            }
        });
        commands.extend(self.show_meanwhile(&line, &mut palette));
        self.open = Some(OpenOverlay::palette(line, palette));
        commands
    }

    /// Returns the possible values of an argument. If it is the reply to a key's dialog, the screen supplies that dialog now.
    fn values(&self, command: &PaletteCommand) -> ArgumentValues {
        let (on, to) = match command.takes {
            Takes::Theme => return ArgumentValues::Themes,
            Takes::Screen => return ArgumentValues::Screens,
            Takes::View => return ArgumentValues::Views,
            Takes::NewView => return ArgumentValues::NewView,
            Takes::Stored(of) => return ArgumentValues::Stored(of),
            Takes::Reply { on, to } => (on.unwrap_or(self.screen), to),
        };
        let mut refused = format!("no {} is available here now", command.argument);
        let context = context!(self);
        for intent in self.screens.asks(on, to, &context).unwrap_or_default() {
            let (dialog, overlay, is_file) = match intent {
                Intent::Ask(dialog, overlay) | Intent::AskStart(dialog, overlay) => (dialog, overlay, false),
                Intent::AskFile(dialog, overlay) => (dialog, overlay, true),
                Intent::Say(notice) => {
                    refused = notice.text;
                    continue;
                }
                _ => continue,
            };
            if let Some(form) = ReplyForm::of(overlay, is_file) {
                return ArgumentValues::Asked(DialogPrompt { on, dialog, form });
            }
        }
        ArgumentValues::Refused(refused)
    }

    /// Previews the effect of an argument, if that is immediate and easy to undo.
    fn show_meanwhile(&mut self, line: &CommandLine, palette: &mut Palette) -> Vec<Command> {
        let Stage::Argument(argument) = &mut palette.stage else { return Vec::new() };
        let Argument { command, values, shown } = argument.as_mut();
        match values {
            ArgumentValues::Themes => {
                let theme = line.pointed().and_then(|at| self.world.themes.get(at));
                self.theme = theme.or(palette.theme.as_ref()).cloned();
                Vec::new()
            }
            ArgumentValues::Asked(DialogPrompt { on, dialog, form }) if *on == self.screen => {
                let Some(initial) = form.initial() else { return Vec::new() };
                let typed = line.text().get(command.words.len() + 1..).unwrap_or_default();
                if shown.as_deref().unwrap_or(initial) == typed {
                    return Vec::new();
                }
                let dialog = dialog.clone();
                *shown = Some(typed.to_owned());
                self.typing(&dialog, typed)
            }
            _ => Vec::new(),
        }
    }

    /// Undoes the preview of an argument.
    fn leave_argument(&mut self, palette: &mut Palette) -> Vec<Command> {
        let Stage::Argument(argument) = mem::replace(&mut palette.stage, Stage::Name) else { return Vec::new() };
        match (argument.values, argument.shown) {
            (ArgumentValues::Themes, _) => {
                self.theme.clone_from(&palette.theme);
                Vec::new()
            }
            (ArgumentValues::Asked(DialogPrompt { dialog, form, .. }), Some(shown)) => match form.initial() {
                Some(initial) if shown != initial => self.typing(&dialog, initial),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Passes the text typed so far to a screen.
    fn typing(&mut self, dialog: &ScreenDialog, text: &str) -> Vec<Command> {
        // A text that is refused while it is typed is refused again at the end, and reported then.
        self.replied_to_screen(dialog, Reply::Typing(text.to_owned())).unwrap_or_default()
    }

    /// Runs the typed line. If that fails, the line stays open with the reason.
    fn take_command(&mut self, mut line: CommandLine, palette: Box<Palette>) -> Vec<Command> {
        let done = match &palette.stage {
            Stage::Name => match Self::named(&line, &palette) {
                Ok(CommandOrKey::Key(action)) => {
                    self.closed = Some(self.now);
                    return self.act(action);
                }
                Ok(CommandOrKey::Command(command)) => {
                    line.set(format!("{} ", command.words));
                    return self.follow(line, palette);
                }
                Err(reason) => Err(reason),
            },
            Stage::Argument(argument) => self.take_argument(&line, argument),
        };
        match done {
            Ok(commands) => {
                self.closed = Some(self.now);
                self.wrote(&commands, OpenOverlay::palette(line, palette));
                commands
            }
            Err(reason) => {
                line.error = Some(reason);
                self.open = Some(OpenOverlay::palette(line, palette));
                Vec::new()
            }
        }
    }

    /// Returns the command or key that the typed name refers to.
    fn named(line: &CommandLine, palette: &Palette) -> Result<CommandOrKey, String> {
        let at = line.pointed();
        let command = at.and_then(|at| palette.offered.get(at));
        let binding = at.and_then(|at| palette.bindings.get(at.checked_sub(palette.offered.len())?));
        match (command, binding) {
            (Some(command), _) => Ok(CommandOrKey::Command(command)),
            (None, Some(binding)) => Ok(CommandOrKey::Key(binding.action)),
            (None, None) => {
                let words = palette.offered.iter().map(|command| command.words);
                Err(unknown(line.text().trim(), "a command", words))
            }
        }
    }

    fn take_argument(&mut self, line: &CommandLine, argument: &Argument) -> Result<Vec<Command>, String> {
        let Argument { command, values, .. } = argument;
        let items = &line.completions.items;
        let typed = line.text().get(command.words.len() + 1..).unwrap_or_default().trim();
        let chosen = || {
            let labels = items.iter().map(|item| item.label.as_str());
            line.pointed().ok_or_else(|| unknown(typed, command.argument, labels))
        };
        let text = line.pointed().and_then(|at| items.get(at)).map_or(typed, |item| &item.label);
        match values {
            ArgumentValues::Refused(reason) => Err(reason.clone()),
            ArgumentValues::Themes => {
                let theme = self.world.themes.get(chosen()?).cloned();
                let name = theme.as_ref().map_or_else(String::new, |theme| theme.name.clone());
                self.theme = theme;
                self.say(Notice::done(format!("{name}: `dbdyno --theme {name}` starts with it")));
                Ok(Vec::new())
            }
            ArgumentValues::Screens => {
                Ok(chosen().map(|at| ScreenId::tabs().nth(at).map_or_else(Vec::new, |screen| self.go(screen)))?)
            }
            ArgumentValues::Views => {
                let view = self.world.views.get(chosen()?).cloned();
                view.map_or_else(|| Ok(Vec::new()), |view| self.show_view(&view))
            }
            ArgumentValues::NewView => self.save_view(text),
            ArgumentValues::Stored(Stored::Engines) => opening_of(text).map(|opening| self.show(opening)),
            ArgumentValues::Stored(of) => {
                if line.completions.is_free {
                    return Err(line.completions.note.clone());
                }
                let id = items[chosen()?].label.clone();
                Ok(self.show(match of {
                    Stored::Sessions => Opening::Results { selection: format!("session={id}") },
                    _ => Opening::Run(id),
                }))
            }
            ArgumentValues::Asked(DialogPrompt { on, dialog, form }) => {
                let reply = match form {
                    ReplyForm::OneOf(_) => Reply::Chosen(vec![chosen()?]),
                    // A completion is only a part of a filter.
                    ReplyForm::Filter { .. } => Reply::Text(typed.to_owned()),
                    form => Reply::Text(form.text(text)?),
                };
                let context = context!(self);
                let intents = self.screens.replied(dialog, reply, &context)?;
                let mut commands = if *on == self.screen { Vec::new() } else { self.go(*on) };
                commands.extend(self.perform(intents));
                Ok(commands)
            }
        }
    }
}

/// The command or key that a typed name refers to.
enum CommandOrKey {
    Command(&'static PaletteCommand),
    Key(Action),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::{keys::KeyTable, palette::COMMANDS};

    #[test]
    fn what_a_command_answers_is_asked_by_a_key() {
        for command in COMMANDS {
            if let Takes::Reply { on, to } = command.takes {
                let mut screens = on.map_or(ScreenId::ALL.to_vec(), |screen| vec![screen]).into_iter();
                let keys = KeyTable::default();
                let has_key = |screen: ScreenId| keys.of_screen(screen).iter().any(|binding| binding.action == to);
                assert!(screens.any(has_key), "{}: no screen has a key for it", command.words);
                assert!(!to.begins(), "{}: its key may change something before it has a reply", command.words);
            }
        }
    }
}
