//! Commands and requests that the application sends to the driver.

use crate::tui::{export::FileContent, filter, palette, screens::ScreenRequest, world};
use dbdyno_running::runner::SessionRequest;
use std::path::PathBuf;

/// An action outside the application.
#[derive(Debug)]
pub enum Command {
    /// End the program.
    Leave,
    /// Put the program into the background (Ctrl-Z).
    Suspend,
    /// Return the terminal to the shell; jobs keep running.
    Detach,
    /// Paint everything again.
    Repaint,
    /// Run this command as a job, and watch it.
    Measure(Vec<String>),
    /// Watch the job of this name.
    Watch(String),
    /// Send a control message to the watched job.
    Tell(SessionRequest),
    /// Read or change something, and respond with the outcome.
    Request(Request),
    /// Put text into the terminal's clipboard.
    Copy(String),
    /// Notify the terminal that a job has ended.
    Announce(String),
}

/// A request to the world outside.
#[derive(Debug)]
pub enum Request {
    /// Data that all screens build on.
    World(world::Request),
    /// Write a file that does not exist yet.
    Write {
        /// The file, as the user typed it.
        path: PathBuf,
        /// The content to write to the file.
        content: Box<dyn FileContent>,
    },
    /// A name like this one that no file has yet.
    FreeName(String),
    /// The values that the palette completes arguments from.
    Palette(palette::Request),
    /// The values that filters are completed from, or a filter or view to save.
    Filter(filter::Request),
    /// Data that a screen needs.
    Screen(ScreenRequest),
}
