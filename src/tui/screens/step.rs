//! What a screen wants to happen next.

use crate::{
    catalog::Preset,
    tui::{
        event::Effect,
        keys::ScreenId,
        launch::{Resuming, Trying},
        overlay::Overlay,
    },
};

/// One thing that is to happen.
#[derive(Debug)]
pub enum Step {
    /// Outside the application.
    Do(Effect),
    /// Something is asked or shown over the screen.
    Open(Overlay),
    /// One line is said.
    Say(Notice),
    /// Another screen is shown.
    Go(ScreenId),
    /// Two selections are compared.
    Compare {
        /// Side A.
        a: String,
        /// Side B.
        b: String,
    },
    /// A run is replayed.
    Replay(String),
    /// A bench is put onto the Bench screen.
    Load(Box<Preset>),
    /// What the plan holds is run.
    Run,
    /// A session is finished that was interrupted.
    Resume(Box<Resuming>),
    /// A change of options is tried.
    Try(Box<Trying>),
}

/// What a screen wants; empty for nothing.
pub type Steps = Vec<Step>;

/// One line for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The line.
    pub text: String,
    /// Whether something went wrong.
    pub bad: bool,
}

impl Step {
    /// Says that something was done.
    pub fn said(text: impl Into<String>) -> Self {
        Self::Say(Notice { text: text.into(), bad: false })
    }

    /// Says what went wrong.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Say(Notice { text: text.into(), bad: true })
    }
}
