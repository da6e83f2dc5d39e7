//! Where in a line is typed, and what fits there.

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

/// What is typed at.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// The words of a command, or what a key does.
    Name,
    /// What follows them.
    Argument(Box<Argument>),
}

/// The argument of a command.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) command: &'static PaletteCommand,
    pub(crate) values: Values,
    /// What a screen shows for the time being, while it is typed.
    pub(crate) shown: Option<String>,
}

/// What an argument can be.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    Themes,
    Screens,
    /// The views that were saved.
    Views,
    /// A name for what is shown.
    NewView,
    Stored(Stored),
    /// What a screen asks for.
    Asked(Asked),
    /// Nothing, and why.
    Refused(String),
}

/// What a screen asks the user.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) on: ScreenId,
    pub(crate) dialog: ScreenDialog,
    pub(crate) form: Form,
}

/// How it is answered.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// By one of these.
    OneOf(Vec<ListItem>),
    Text {
        /// What is expected.
        help: String,
        /// What was there to begin with.
        initial: String,
    },
    /// By a filter, which is typed as everywhere.
    Filter {
        /// What it narrows.
        title: String,
        keys: FilterKeys,
        initial: String,
    },
    /// By a file that is not there yet.
    File {
        /// What is expected.
        help: String,
        /// What it may be called.
        usual: String,
        /// Those that its ending can choose; none: text.
        formats: &'static [Format],
    },
}

impl Form {
    /// How the reply is given to an overlay; none for what takes several.
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

    /// What was there to begin with, where a screen follows what is typed.
    pub(crate) fn initial(&self) -> Option<&str> {
        match self {
            Self::Text { initial, .. } | Self::Filter { initial, .. } => Some(initial),
            Self::OneOf(_) | Self::File { .. } => None,
        }
    }

    /// The file that is meant by what is typed, or what is typed.
    pub(crate) fn text(&self, typed: &str) -> Result<String, String> {
        match self {
            Self::File { usual, formats, .. } => export::file_of(typed, formats, usual),
            _ => Ok(typed.trim().to_owned()),
        }
    }
}

/// What arguments are completed from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'k> {
    pub(crate) world: &'k World,
    /// The theme that is in use.
    pub(crate) theme: &'k str,
    /// What was found in the store, or why nothing was.
    pub(crate) stored: &'k BTreeMap<Stored, Result<Vec<ListItem>, String>>,
    /// What filters are completed from.
    pub(crate) filter: &'k filter::Known,
}

/// What is there to be done: commands, then what keys do.
pub(crate) fn names(offered: &[&'static PaletteCommand], bindings: &[&'static Binding]) -> Completions {
    let of_command = |command: &&'static PaletteCommand| {
        ListItem::new(command.words, format!("{}: {}", command.argument, command.help))
    };
    let of_key = |binding: &&'static Binding| {
        let key = binding.keys.first().map_or_else(String::new, |key| key.word());
        ListItem::new(binding.help, key)
    };
    let items = offered.iter().map(of_command).chain(bindings.iter().map(of_key)).collect();
    let note = "a command and its argument, or what a key does; both by some of their letters".to_owned();
    Completions { items, tail: " ", note, ..Completions::default() }
}

/// What fits an argument, of which so much is typed.
pub(crate) fn arguments(command: &PaletteCommand, values: &Values, typed: &str, known: Known<'_>) -> Completions {
    if let Values::Asked(Asked { form: Form::Filter { keys, .. }, .. }) = values {
        let filter = filter::completions(typed, *keys, known.filter);
        return Completions { head: format!("{} {}", command.words, filter.head), ..filter };
    }
    let (items, is_free, note) = match values {
        Values::Themes => (themes(known), false, String::new()),
        Values::Screens => (screens(), false, String::new()),
        Values::Views => (views(known), false, String::new()),
        Values::NewView => (views(known), true, "a name; one of these is written over".to_owned()),
        Values::Refused(reason) => (Vec::new(), true, reason.clone()),
        Values::Stored(of) => match (known.stored.get(of), of) {
            (None, _) => (Vec::new(), true, format!("reading {} …", known.world.store)),
            (Some(Err(reason)), _) => (Vec::new(), true, reason.clone()),
            (Some(Ok(found)), Stored::Engines) => (sides::completions(typed, found), true, sides::note(typed)),
            (Some(Ok(found)), Stored::Runs | Stored::Sessions) => (found.clone(), false, String::new()),
        },
        Values::Asked(Asked { form: Form::OneOf(items), .. }) => (items.clone(), false, String::new()),
        Values::Asked(Asked { form: Form::Text { help, .. }, .. }) => (Vec::new(), true, help.clone()),
        Values::Asked(Asked { form: Form::Filter { title, .. }, .. }) => (Vec::new(), true, title.clone()),
        Values::Asked(Asked { form: Form::File { help, usual, formats }, .. }) => {
            let note = export::file_of(typed, formats, usual)
                .map_or_else(|error| error, |file| format!("writes {file}: {help}"));
            (export::completions(formats, usual), true, note)
        }
    };
    let note = if note.is_empty() { format!("{}: {}", command.argument, command.help) } else { note };
    Completions { head: format!("{} ", command.words), items, tail: "", is_free, note }
}

fn themes(known: Known<'_>) -> Vec<ListItem> {
    let item =
        |theme: &Theme| ListItem { chosen: theme.name == known.theme, ..ListItem::new(&theme.name, &theme.title) };
    known.world.themes.iter().map(item).collect()
}

fn views(known: Known<'_>) -> Vec<ListItem> {
    let item = |view: &View| ListItem::new(&view.name, format!("{} {}", view.screen, view.filter));
    known.world.views.iter().map(item).collect()
}

fn screens() -> Vec<ListItem> {
    ScreenId::tabs().map(|screen| ListItem::new(screen.word(), screen.number().to_string())).collect()
}

/// The commands whose keys do something, which `does` tells of a screen's. `is_list`: what is in view can be kept as a view.
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
