//! What reaches the application, and what it asks to be done. Nothing here knows a terminal or a store.

use crate::{
    engines::Registry,
    runner::{Report, RunnerEvent},
    store::StoreHistory,
    tui::{
        export::Content,
        keys::Key,
        launch::{Start, Tell, Trying},
        screens::{bench, claims, compare, live, results, tune},
        widgets::Target,
    },
    tune::TuneEvent,
};
use std::{path::PathBuf, time::Duration};

/// Something happened.
#[derive(Debug)]
pub enum Event {
    /// A key.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// Something on the screen was clicked.
    Click(Target),
    /// The wheel was turned: lines, down is positive.
    Wheel(i32),
    /// The terminal has this size now: columns, rows.
    Resized(u16, u16),
    /// Time since the program began; comes before other events and, while [`App::wakes`](super::App::wakes) asks for it, by itself.
    Time(Duration),
    /// The session under way says something.
    Runner(Box<RunnerEvent>),
    /// The session is over: its report, or why it could not be run.
    SessionOver(Box<Result<Report, String>>),
    /// The trial under way says something.
    Tune(Box<TuneEvent>),
    /// The trial is over, or why it could not be run.
    TuneOver(Result<(), String>),
    /// A question was answered.
    Answer(Box<Answer>),
    /// The program was told to end by a signal, or its terminal is gone: a running session is stopped first.
    Terminate,
}

/// Something to be done outside the application.
#[derive(Debug)]
pub enum Effect {
    /// End the program.
    Leave,
    /// Put the program into the background (Ctrl-Z).
    Suspend,
    /// Paint everything again.
    Repaint,
    /// Run a bench.
    Start(Box<Start>),
    /// Run what the session of this identifier still owes.
    Resume(String),
    /// Try a change of options.
    Try(Box<Trying>),
    /// Tell the session under way.
    Tell(Tell),
    /// Find something out, and answer with it.
    Ask(Question),
    /// Put text into the terminal's clipboard.
    Copy(String),
}

/// Something to find out or to write; each has an answer.
#[derive(Debug)]
pub enum Question {
    /// Which engines there are, programs of their own included.
    Engines,
    /// The work folder's facts and what it takes to sync.
    Place,
    /// What earlier runs took.
    History,
    /// How busy the machine is.
    Noise,
    /// Of the Bench screen.
    Bench(bench::Question),
    /// Of the Live screen.
    Live(live::Question),
    /// Of the Results screen.
    Results(results::Question),
    /// Of the Compare screen.
    Compare(compare::Question),
    /// Of the Tune screen.
    Tune(tune::Question),
    /// Of the Claims screen.
    Claims(claims::Question),
    /// Write a file that is not there yet.
    Write {
        /// The file.
        path: PathBuf,
        /// What it is to hold.
        content: Content,
    },
}

/// An answer.
#[derive(Debug)]
pub enum Answer {
    /// The engines.
    Engines(Registry),
    /// The work folder.
    Place(crate::tui::world::Place),
    /// Earlier runs.
    History(StoreHistory),
    /// Noise: a word for the status bar.
    Noise(crate::tui::world::Noise),
    /// For the Bench screen.
    Bench(bench::Answer),
    /// For the Live screen.
    Live(live::Answer),
    /// For the Results screen.
    Results(results::Answer),
    /// For the Compare screen.
    Compare(compare::Answer),
    /// For the Tune screen.
    Tune(tune::Answer),
    /// For the Claims screen.
    Claims(claims::Answer),
    /// A file was written, or why not.
    Written(Result<PathBuf, String>),
}
