//! What a screen wants to happen next.

use crate::tui::{
    export::FileContent,
    launch::{JobStart, Opening},
    overlay::{FilterKeys, ListItem, Overlay},
};
use dbdyno_catalog::bench::Preset;
use dbdyno_reports::format::Format;
use dbdyno_running::runner::Tell;
use std::path::PathBuf;

/// One thing that is to happen. `R` is what the screen requests of the world outside, `D` what it asks the user.
#[derive(Debug)]
pub enum Intent<R, D> {
    /// Something is found out, or changed in the store; the screen is given the response.
    Request(R),
    /// The user is asked; the screen is given the reply together with what it is a reply to.
    Ask(D, Overlay),
    /// The user is asked for a file that is not there yet: what is offered in the prompt is made such a name.
    AskFile(D, Overlay),
    /// The user is shown something to read.
    Read(Overlay),
    /// Title and lines to read, once nothing else lies over the screens.
    ReadNext(String, Vec<String>),
    /// One line is said.
    Say(Notice),
    /// A file is written that is not there yet.
    Write {
        /// The file, as the user typed it.
        path: PathBuf,
        /// What it is to hold.
        content: Box<dyn FileContent>,
    },
    /// Text goes into the terminal's clipboard.
    Copy(String),
    /// What is measured is told this.
    Tell(Tell),
    /// A preset was saved: it is among those that are known.
    Saved(Box<Preset>),
    /// Something is shown, by the screen whose it is.
    Open(Opening),
    /// The screen that this one was opened from is shown again.
    Close,
    /// Something is measured.
    Measure(Box<JobStart>),
}

/// One line for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub(crate) text: String,
    /// Whether something went wrong.
    pub(crate) bad: bool,
}

impl Notice {
    /// Says that something was done, or how things stand.
    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self { text: text.into(), bad: false }
    }

    /// Says what went wrong.
    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self { text: text.into(), bad: true }
    }
}

impl<R, D> Intent<R, D> {
    /// Asks for a text; `text` is there to begin with.
    pub(crate) fn prompt(
        dialog: D,
        title: impl Into<String>,
        help: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::Ask(dialog, Overlay::prompt(title, help, text))
    }

    /// Asks for a file that is to be written; `name` is what it may be called, and is offered with a number where it is taken.
    pub(crate) fn prompt_file(
        dialog: D,
        title: impl Into<String>,
        help: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self::AskFile(dialog, Overlay::prompt(title, help, name))
    }

    /// Asks for a file whose ending chooses one of these formats.
    pub(crate) fn prompt_export(
        dialog: D,
        title: impl Into<String>,
        name: impl Into<String>,
        formats: &'static [Format],
    ) -> Self {
        let endings: Vec<String> = formats.iter().map(|format| format!(".{}", format.ending())).collect();
        let help = format!("a file that is not there yet; its ending chooses the format: {}", endings.join(" "));
        Self::prompt_file(dialog, title, help, name).in_formats(formats)
    }

    /// The same, where a file is asked for whose ending chooses one of these formats.
    pub(crate) fn in_formats(mut self, formats: &'static [Format]) -> Self {
        if let Self::AskFile(_, Overlay::Prompt(prompt)) = &mut self {
            prompt.formats = formats;
        }
        self
    }

    /// Has a filter typed below everything; `title` is what it narrows or chooses.
    pub(crate) fn filter(dialog: D, title: impl Into<String>, keys: FilterKeys, text: impl Into<String>) -> Self {
        Self::Ask(dialog, Overlay::filter(title, keys, text))
    }

    /// Has one of a list chosen.
    pub(crate) fn choose_one(dialog: D, title: impl Into<String>, items: Vec<ListItem>) -> Self {
        Self::Ask(dialog, Overlay::choose(title, items, false))
    }

    /// Has any number of a list chosen.
    pub(crate) fn choose_several(dialog: D, title: impl Into<String>, items: Vec<ListItem>) -> Self {
        Self::Ask(dialog, Overlay::choose(title, items, true))
    }

    /// Asks yes or no; `lines` is what to know before.
    pub(crate) fn confirm(dialog: D, title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Ask(dialog, Overlay::confirm(title, lines))
    }

    /// Shows something to read.
    pub(crate) fn page(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Read(Overlay::page(title, lines))
    }

    /// The same with the request and the dialog as parts of others.
    pub(super) fn map<R2, D2>(self, request: impl Fn(R) -> R2, dialog: impl Fn(D) -> D2) -> Intent<R2, D2> {
        match self {
            Self::Request(one) => Intent::Request(request(one)),
            Self::Ask(one, overlay) => Intent::Ask(dialog(one), overlay),
            Self::AskFile(one, overlay) => Intent::AskFile(dialog(one), overlay),
            Self::Read(overlay) => Intent::Read(overlay),
            Self::ReadNext(title, lines) => Intent::ReadNext(title, lines),
            Self::Say(notice) => Intent::Say(notice),
            Self::Write { path, content } => Intent::Write { path, content },
            Self::Copy(text) => Intent::Copy(text),
            Self::Tell(tell) => Intent::Tell(tell),
            Self::Saved(preset) => Intent::Saved(preset),
            Self::Open(what) => Intent::Open(what),
            Self::Close => Intent::Close,
            Self::Measure(start) => Intent::Measure(start),
        }
    }

    /// Says that something was done.
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self::Say(Notice::good(text))
    }

    /// Says what went wrong.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Say(Notice::bad(text))
    }
}
