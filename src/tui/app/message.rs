//! What reaches the application.

use crate::tui::{
    export::RefusedFile, filter, keys::KeyPress, palette, screens::ScreenResponse, widgets::Target, world,
};
use dbdyno_running::{jobs::JobKind, watching::JobEvent};
use std::{path::PathBuf, time::Duration};

/// Something happened.
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
    /// Time since the program began; comes before other messages and, while something on screen moves by itself, alone.
    Time(Duration),
    /// What is to be watched has begun. `is_own`: screens have started it, and nobody else would end it.
    JobBegan { is_own: bool, kind: JobKind },
    /// What is watched says something.
    Job(Box<JobEvent>),
    /// What is watched is over, or why it could not be run.
    JobOver(Result<(), String>),
    /// A request was responded to.
    Response(Box<Response>),
    /// The program was told to end by a signal: what it measures is stopped first.
    Terminate,
}

/// What came of a request.
#[derive(Debug)]
pub enum Response {
    /// What all screens build on.
    World(world::Response),
    /// The file that was written, or why none was.
    Written(Result<PathBuf, RefusedFile>),
    /// A name that no file has yet, like the one that was asked about.
    FreeName {
        /// What was asked about.
        asked: String,
        free: String,
    },
    /// What arguments are completed from.
    Palette(palette::Response),
    /// What filters are completed from, or what was kept of them.
    Filter(filter::Response),
    /// What a screen wanted to be told.
    Screen(ScreenResponse),
}
