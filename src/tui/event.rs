//! What reaches the application, and what it asks to be done. Nothing here knows a terminal or a store.

use super::{
    app::{bench, claims, compare, live, results, tune},
    bindings::Screen,
};
use crate::{
    bench::Spec,
    engines::Registry,
    runner::{Report, RunnerEvent},
    store::StoreHistory,
    tune::{Ledger, Trial, TuneEvent, WhatIf, Workload},
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

/// A key as the application knows it, whatever the terminal sends for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character, as typed.
    Char(char),
    /// A character with Ctrl, in lower case.
    Ctrl(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
}

impl Key {
    /// How the key is written in hints and help.
    pub fn word(self) -> String {
        match self {
            Self::Char(' ') => "Space".to_owned(),
            Self::Char(c) => c.to_string(),
            Self::Ctrl(c) => format!("Ctrl-{c}"),
            Self::BackTab => "Shift-Tab".to_owned(),
            Self::PageUp => "PgUp".to_owned(),
            Self::PageDown => "PgDn".to_owned(),
            key => format!("{key:?}"),
        }
    }
}

/// What a click can hit; the painted screen says where each is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A screen's tab.
    Screen(Screen),
    /// A hint, which stands for its key.
    Press(Key),
    /// A row of a pane, counted from the first of the list and not from the first shown.
    Spot {
        /// The pane, as its screen counts them.
        pane: usize,
        /// The row.
        row: usize,
    },
    /// A row of the overlay.
    Overlay(usize),
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

/// A bench to be run.
#[derive(Debug, Clone)]
pub struct Start {
    /// What.
    pub spec: Spec,
    /// The preset it came from, if unchanged.
    pub preset: Option<String>,
    /// The command that does the same.
    pub command_line: String,
}

/// A trial to be run.
#[derive(Debug, Clone)]
pub enum Trying {
    /// A new one.
    New {
        /// On what.
        workload: Workload,
        /// What is tried. The seed is chosen when it starts.
        question: WhatIf,
        /// The command that does the same.
        command_line: String,
    },
    /// As many rounds again.
    More {
        /// On what.
        workload: Workload,
        /// The trial.
        trial: Box<Trial>,
        /// The command that does the same.
        command_line: String,
    },
}

/// What a session is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// To end.
    Stop,
    /// To end without patience for its worker.
    Hurry,
    /// To begin no further run.
    Pause,
    /// To go on.
    Resume,
    /// To give up the run of this place.
    Skip(u32),
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

/// What a file is to hold.
#[derive(Debug)]
pub enum Content {
    /// This text.
    Text(String),
    /// A comparison, in the format of the file's ending.
    Comparison(Box<crate::compare::Comparison>),
    /// A ledger, in the format of the file's ending, with the command that shows it.
    Ledger(Box<Ledger>, String),
    /// Results that a selection means, in the format of the file's ending.
    Results(String),
}

/// An answer.
#[derive(Debug)]
pub enum Answer {
    /// The engines.
    Engines(Registry),
    /// The work folder.
    Place(super::app::Place),
    /// Earlier runs.
    History(StoreHistory),
    /// Noise: a word for the status bar.
    Noise(super::app::Noise),
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
