//! The effects that a screen requests.

use crate::tui::{
    export::FileContent,
    launch::{JobStart, Opening},
    overlay::{FilterKeys, ListItem, Overlay},
};
use dbdyno_catalog::{Suite, bench::Preset};
use dbdyno_reports::format::Format;
use dbdyno_running::runner::SessionRequest;
use std::path::PathBuf;

/// One requested effect. `R` is the screen's request to the store and the system, `D` its question to the user.
#[derive(Debug)]
pub enum Intent<R, D> {
    /// Reads or changes data in the background; the screen receives the response.
    Request(R),
    /// Asks the user; the screen receives the reply together with the question.
    Ask(D, Overlay),
    /// Asks the user whether to start a job, unless one is under way.
    AskStart(D, Overlay),
    /// Asks the user for a file that does not exist yet; the name that the prompt suggests is changed to such a name.
    AskFile(D, Overlay),
    /// Shows a page to read.
    Read(Overlay),
    /// Title and lines to read, shown once no other overlay is open.
    ReadNext(String, Vec<String>),
    /// Shows a one-line message.
    Say(Notice),
    /// Writes a file that does not exist yet.
    Write {
        /// The file, as the user typed it.
        path: PathBuf,
        /// The source of the bytes to write.
        content: Box<dyn FileContent>,
    },
    /// Copies text to the terminal's clipboard.
    Copy(String),
    /// Sends this message to the running job.
    Tell(SessionRequest),
    /// Adds a saved preset to the known ones.
    Saved(Box<Preset>),
    /// Adds a suite, whose file is written when it is used, to the known ones.
    Suite(Box<Suite>),
    /// Opens something in the screen that shows it.
    Open(Opening),
    /// Returns to the screen that opened this one.
    Close,
    /// Starts a measuring job in a process of its own.
    Measure(Box<JobStart>),
}

/// What a notice is about. Each kind has a sign and a colour of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something was done, or is under way.
    Done,
    /// A key or a reply has no effect in the present state, for the named reason.
    Refused,
    /// Something that was tried has failed.
    Failed,
}

/// A one-line message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub(crate) text: String,
    pub(crate) kind: NoticeKind,
}

impl Notice {
    /// Returns a message about something that was done.
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: NoticeKind::Done }
    }

    /// Returns the reason why a key or a reply has no effect now.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: NoticeKind::Refused }
    }

    /// Returns a message about a failure.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: NoticeKind::Failed }
    }
}

impl<R, D> Intent<R, D> {
    /// Asks for a text; `text` is the initial value.
    pub(crate) fn prompt(
        dialog: D,
        title: impl Into<String>,
        help: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::Ask(dialog, Overlay::prompt(title, help, text))
    }

    /// Asks for a file to write; `name` is the suggestion, with a number if that file exists.
    pub(crate) fn prompt_file(
        dialog: D,
        title: impl Into<String>,
        help: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self::AskFile(dialog, Overlay::prompt(title, help, name))
    }

    /// Asks for a file whose ending selects one of these formats.
    pub(crate) fn prompt_export(
        dialog: D,
        title: impl Into<String>,
        name: impl Into<String>,
        formats: &'static [Format],
    ) -> Self {
        let endings: Vec<String> = formats.iter().map(|format| format!(".{}", format.ending())).collect();
        let help = format!("a file that does not exist yet; its ending selects the format: {}", endings.join(" "));
        Self::prompt_file(dialog, title, help, name).in_formats(formats)
    }

    /// Adds formats to a question for a file; the file's ending selects one of them.
    pub(crate) fn in_formats(mut self, formats: &'static [Format]) -> Self {
        if let Self::AskFile(_, Overlay::Prompt(prompt)) = &mut self {
            prompt.formats = formats;
        }
        self
    }

    /// Asks for a filter below all panes; `title` names what it narrows or selects.
    pub(crate) fn filter(dialog: D, title: impl Into<String>, keys: FilterKeys, text: impl Into<String>) -> Self {
        Self::Ask(dialog, Overlay::filter(title, keys, text))
    }

    /// Asks for one item of a list.
    pub(crate) fn choose_one(dialog: D, title: impl Into<String>, items: Vec<ListItem>) -> Self {
        Self::Ask(dialog, Overlay::choose(title, items, false))
    }

    /// Asks for any number of items of a list.
    pub(crate) fn choose_several(dialog: D, title: impl Into<String>, items: Vec<ListItem>) -> Self {
        Self::Ask(dialog, Overlay::choose(title, items, true))
    }

    /// Asks yes or no; `lines` is the information for the decision.
    pub(crate) fn confirm(dialog: D, title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Ask(dialog, Overlay::confirm(title, lines))
    }

    /// Asks whether to start a job, which is refused without a question while another is under way.
    pub(crate) fn confirm_start(dialog: D, title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::AskStart(dialog, Overlay::confirm(title, lines))
    }

    /// Shows a page to read.
    pub(crate) fn page(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::Read(Overlay::page(title, lines))
    }

    /// Converts the request and the dialog to the types of all screens.
    pub(super) fn map<R2, D2>(self, request: impl Fn(R) -> R2, dialog: impl Fn(D) -> D2) -> Intent<R2, D2> {
        match self {
            Self::Request(one) => Intent::Request(request(one)),
            Self::Ask(one, overlay) => Intent::Ask(dialog(one), overlay),
            Self::AskStart(one, overlay) => Intent::AskStart(dialog(one), overlay),
            Self::AskFile(one, overlay) => Intent::AskFile(dialog(one), overlay),
            Self::Read(overlay) => Intent::Read(overlay),
            Self::ReadNext(title, lines) => Intent::ReadNext(title, lines),
            Self::Say(notice) => Intent::Say(notice),
            Self::Write { path, content } => Intent::Write { path, content },
            Self::Copy(text) => Intent::Copy(text),
            Self::Tell(tell) => Intent::Tell(tell),
            Self::Saved(preset) => Intent::Saved(preset),
            Self::Suite(suite) => Intent::Suite(suite),
            Self::Open(what) => Intent::Open(what),
            Self::Close => Intent::Close,
            Self::Measure(start) => Intent::Measure(start),
        }
    }

    /// Reports something that was done.
    pub(crate) fn said(text: impl Into<String>) -> Self {
        Self::Say(Notice::done(text))
    }

    /// Reports why a key or a reply has no effect now.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Say(Notice::refused(text))
    }

    /// Reports a failure.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Say(Notice::failed(text))
    }
}
