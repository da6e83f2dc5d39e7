//! Messages to the application.

use crate::tui::{
    export::RefusedFile, filter, keys::KeyPress, palette, screens::ScreenResponse, widgets::Target, world,
};
use dbdyno_running::{jobs::JobKind, watching::JobEvent};
use std::{path::PathBuf, time::Duration};

/// An event that the application handles.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyPress),
    /// Text was pasted.
    Paste(String),
    /// Something on the screen was clicked.
    Click(Target),
    /// The wheel was turned: lines, down is positive.
    Wheel(i32),
    /// The terminal has this size now: columns, rows.
    Resized(u16, u16),
    /// Time since the program began. It comes before each other message. It comes alone while something on screen moves by itself.
    Time(Duration),
    /// The job to watch has begun. `is_own`: screens have started it, so nothing else would end it.
    JobBegan { is_own: bool, kind: JobKind },
    /// The watched job sent an event.
    Job(Box<JobEvent>),
    /// The watched job has ended, or the reason why it could not be run.
    JobOver(Result<(), String>),
    /// The response to a request.
    Response(Box<Response>),
    /// A signal asks the program to end. A job that screens have started is stopped first.
    Terminate,
}

impl Message {
    /// Whether the user did something.
    pub(super) fn is_by_user(&self) -> bool {
        matches!(self, Self::Key(_) | Self::Paste(_) | Self::Click(_) | Self::Wheel(_))
    }
}

/// The response to a request.
#[derive(Debug)]
pub enum Response {
    /// Data that all screens build on.
    World(world::Response),
    /// The path of the written file, or the reason why none was written.
    Written(Result<PathBuf, RefusedFile>),
    /// A name that no file has yet, similar to the requested one.
    FreeName {
        /// The requested name.
        asked: String,
        free: String,
    },
    /// The values that arguments are completed from.
    Palette(palette::Response),
    /// The values that filters are completed from, or the outcome of a save.
    Filter(filter::Response),
    /// Data that a screen has requested.
    Screen(ScreenResponse),
}
