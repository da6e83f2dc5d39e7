//! The part of the line that is being typed, and the completions for it.

use super::{COMMANDS, PaletteCommand, Stored, Takes, export, sides};
use crate::tui::{
    filter::{self, View},
    keys::{Action, Binding, ScreenId},
    overlay::{Completions, FilterKeys, ListItem, Overlay},
    screens::ScreenDialog,
    world::World,
};
use dbdyno_catalog::Theme;
use dbdyno_reports::format::Format;
use std::collections::BTreeMap;

/// The part of the line that is being typed.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// The words of a command, or the help of a key.
    Name,
    /// The text after the words of a command.
    Argument(Box<Argument>),
}

/// The argument of a command.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) command: &'static PaletteCommand,
    pub(crate) values: ArgumentValues,
    /// The text that a screen previews while the argument is typed.
    pub(crate) shown: Option<String>,
}

/// The possible values of an argument.
#[derive(Debug, Clone)]
pub(crate) enum ArgumentValues {
    Themes,
    Screens,
    /// The saved views.
    Views,
    /// A name for the current view.
    NewView,
    Stored(Stored),
    /// The reply to a screen's dialog.
    Asked(DialogPrompt),
    /// No value, for this reason.
    Refused(String),
}

/// A dialog in which a screen asks the user.
#[derive(Debug, Clone)]
pub(crate) struct DialogPrompt {
    pub(crate) on: ScreenId,
    pub(crate) dialog: ScreenDialog,
    pub(crate) form: ReplyForm,
}

/// The form of the reply.
#[derive(Debug, Clone)]
pub(crate) enum ReplyForm {
    /// One of these items.
    OneOf(Vec<ListItem>),
    Text {
        /// The expected input.
        help: String,
        /// The text at the start.
        initial: String,
    },
    /// A filter, which is typed as everywhere else.
    Filter {
        /// The name of the list that it narrows.
        title: String,
        keys: FilterKeys,
        initial: String,
    },
    /// A file that does not exist yet.
    File {
        /// The expected input.
        help: String,
        /// The default name.
        usual: String,
        /// The formats that the ending can choose; none: text.
        formats: &'static [Format],
    },
}

impl ReplyForm {
    /// Returns the form of the reply to an overlay; none if there is no single reply.
    pub(crate) fn of(overlay: Overlay, is_file: bool) -> Option<Self> {
        match overlay {
            Overlay::Choose(choose) => (!choose.several).then_some(Self::OneOf(choose.items)),
            Overlay::Prompt(prompt) => {
                let (help, text) = (prompt.help, prompt.input.value().to_owned());
                Some(match is_file {
                    true => Self::File { help, usual: text, formats: prompt.formats },
                    false => Self::Text { help, initial: text },
                })
            }
            Overlay::Filter(filter) => {
                Some(Self::Filter { title: filter.title, keys: filter.keys, initial: filter.initial })
            }
            _ => None,
        }
    }

    /// Returns the text at the start, if a screen follows the typing.
    pub(crate) fn initial(&self) -> Option<&str> {
        match self {
            Self::Text { initial, .. } | Self::Filter { initial, .. } => Some(initial),
            Self::OneOf(_) | Self::File { .. } => None,
        }
    }

    /// Returns the file that the typed text names, or the typed text itself.
    pub(crate) fn text(&self, typed: &str) -> Result<String, String> {
        match self {
            Self::File { usual, formats, .. } => export::file_of(typed, formats, usual),
            _ => Ok(typed.trim().to_owned()),
        }
    }
}

/// The data that arguments are completed from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompletionData<'k> {
    pub(crate) world: &'k World,
    /// The name of the current theme.
    pub(crate) theme: &'k str,
    /// The values found in the store, or the reason why there are none.
    pub(crate) stored: &'k BTreeMap<Stored, Result<Vec<ListItem>, String>>,
    /// The data that filters are completed from.
    pub(crate) filter: &'k filter::StoredNames,
}

/// Returns the completions of a name: commands, then the help of keys.
pub(crate) fn names(offered: &[&'static PaletteCommand], bindings: &[Binding]) -> Completions {
    let of_command = |command: &&'static PaletteCommand| {
        ListItem::new(command.words, format!("{}: {}", command.argument, command.help))
    };
    let of_key = |binding: &Binding| {
        let key = binding.keys.first().map_or_else(String::new, |key| key.word());
        ListItem::new(binding.help, key)
    };
    let items = offered.iter().map(of_command).chain(bindings.iter().map(of_key)).collect();
    let note = "a command and its argument, or the action of a key; some letters are enough".to_owned();
    Completions { items, tail: " ", note, ..Completions::default() }
}

/// Returns the completions of an argument, of which `typed` is typed so far.
pub(crate) fn arguments(
    command: &PaletteCommand,
    values: &ArgumentValues,
    typed: &str,
    known: CompletionData<'_>,
) -> Completions {
    if let ArgumentValues::Asked(DialogPrompt { form: ReplyForm::Filter { keys, .. }, .. }) = values {
        let filter = filter::completions(typed, *keys, known.filter);
        return Completions { head: format!("{} {}", command.words, filter.head), ..filter };
    }
    let (items, is_free, note) = match values {
        ArgumentValues::Themes => (themes(known), false, String::new()),
        ArgumentValues::Screens => (screens(), false, String::new()),
        ArgumentValues::Views => (views(known), false, String::new()),
        ArgumentValues::NewView => (views(known), true, "a name; choosing one of these replaces it".to_owned()),
        ArgumentValues::Refused(reason) => (Vec::new(), true, reason.clone()),
        ArgumentValues::Stored(of) => match (known.stored.get(of), of) {
            (None, _) => (Vec::new(), true, format!("reading {} …", known.world.store)),
            (Some(Err(reason)), _) => (Vec::new(), true, reason.clone()),
            (Some(Ok(found)), Stored::Engines) => (sides::completions(typed, found), true, sides::note(typed)),
            (Some(Ok(found)), Stored::Runs | Stored::Sessions) => (found.clone(), false, String::new()),
        },
        ArgumentValues::Asked(DialogPrompt { form: ReplyForm::OneOf(items), .. }) => {
            (items.clone(), false, String::new())
        }
        ArgumentValues::Asked(DialogPrompt { form: ReplyForm::Text { help, .. }, .. }) => {
            (Vec::new(), true, help.clone())
        }
        ArgumentValues::Asked(DialogPrompt { form: ReplyForm::Filter { title, .. }, .. }) => {
            (Vec::new(), true, title.clone())
        }
        ArgumentValues::Asked(DialogPrompt { form: ReplyForm::File { help, usual, formats }, .. }) => {
            let note = export::file_of(typed, formats, usual)
                .map_or_else(|error| error, |file| format!("writes {file}: {help}"));
            (export::completions(formats, usual), true, note)
        }
    };
    let note = if note.is_empty() { format!("{}: {}", command.argument, command.help) } else { note };
    Completions { head: format!("{} ", command.words), items, tail: "", is_free, note }
}

fn themes(known: CompletionData<'_>) -> Vec<ListItem> {
    let item =
        |theme: &Theme| ListItem { chosen: theme.name == known.theme, ..ListItem::new(&theme.name, &theme.title) };
    known.world.themes.iter().map(item).collect()
}

fn views(known: CompletionData<'_>) -> Vec<ListItem> {
    let item = |view: &View| ListItem::new(&view.name, format!("{} {}", view.screen, view.filter));
    known.world.views.iter().map(item).collect()
}

fn screens() -> Vec<ListItem> {
    ScreenId::tabs().map(|screen| ListItem::new(screen.word(), screen.number().to_string())).collect()
}

/// Returns the commands whose keys do something, which `does` decides for a screen. `is_list`: the current view can be saved.
pub(crate) fn offered(
    in_view: ScreenId,
    is_list: bool,
    does: impl Fn(ScreenId, Action) -> bool,
) -> Vec<&'static PaletteCommand> {
    let is_offered = |command: &&PaletteCommand| match command.takes {
        Takes::Reply { on, to } => does(on.unwrap_or(in_view), to),
        Takes::NewView => is_list,
        _ => true,
    };
    COMMANDS.iter().filter(is_offered).collect()
}
