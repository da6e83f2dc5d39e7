//! What reaches the application.

use crate::tui::{
    export::RefusedFile,
    filter,
    keys::KeyPress,
    palette,
    screens::{ScreenResponse, intent::Notice},
    widgets::Target,
    world,
};
use dbdyno_running::{
    runner::{Report, RunnerEvent},
    torture::SeriesEvent,
    tune::TuneEvent,
};
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
    /// The session under way says something.
    Runner(Box<RunnerEvent>),
    /// The session is over: its report, or why it could not be run.
    SessionOver(Box<Result<Report, String>>),
    /// What the session is followed by: a title and its lines, to be read.
    FollowUp(Box<(String, Vec<String>)>),
    /// The trial under way says something.
    Tune(Box<TuneEvent>),
    /// The trial is over, or why it could not be run.
    TuneOver(Result<(), String>),
    /// Torture says something.
    Torture(Box<SeriesEvent>),
    /// Torture is over, or why it could not be begun.
    TortureOver(Result<(), String>),
    /// A request was responded to.
    Response(Box<Response>),
    /// Something is to be known of the terminal.
    Terminal(Notice),
    /// The program was told to end by a signal, or its terminal is gone: a running session is stopped first.
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
