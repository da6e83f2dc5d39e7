//! What the application wants done.

use crate::tui::{export::FileContent, filter, palette, screens::ScreenRequest, world};
use dbdyno_running::runner::Tell;
use std::path::PathBuf;

/// Something to be done outside the application.
#[derive(Debug)]
pub enum Command {
    /// End the program.
    Leave,
    /// Put the program into the background (Ctrl-Z).
    Suspend,
    /// Give the terminal back; what is measured goes on.
    Detach,
    /// Paint everything again.
    Repaint,
    /// Run this command as a job, and watch it.
    Measure(Vec<String>),
    /// Watch the job of this name.
    Watch(String),
    /// Tell what is measured.
    Tell(Tell),
    /// Find something out or change it, and respond with what came of it.
    Request(Request),
    /// Put text into the terminal's clipboard.
    Copy(String),
    /// Tell the terminal that something is over.
    Announce(String),
}

/// What is requested of the world outside.
#[derive(Debug)]
pub enum Request {
    /// What all screens build on.
    World(world::Request),
    /// A file that is not there yet is written.
    Write {
        /// The file, as the user typed it.
        path: PathBuf,
        /// What it is to hold.
        content: Box<dyn FileContent>,
    },
    /// A name like this one that no file has yet.
    FreeName(String),
    /// What the palette completes arguments from.
    Palette(palette::Request),
    /// What filters are completed from, or what is kept of them.
    Filter(filter::Request),
    /// What a screen wants to be told.
    Screen(ScreenRequest),
}
