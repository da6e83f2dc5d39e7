//! The actions that keys can have.

use super::ScreenId;

/// An action of a key, of the palette or of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Show(ScreenId),
    /// Show the next screen.
    NextScreen,
    /// Show the previous screen.
    PreviousScreen,
    /// Keys of this screen.
    Help,
    /// List all commands and keys by name.
    Palette,
    /// Show only what matches.
    Filter,
    /// Write what is on screen to a file.
    Export,
    /// The findings of the last session.
    Warnings,
    /// Show the latest messages to the user.
    Messages,
    /// Explain the number under the cursor.
    Explain,
    /// Leave the program.
    Quit,
    /// Put the program into the background.
    Suspend,
    /// Return the terminal to the shell while jobs keep running.
    Detach,
    /// Toggle whether the pane with the focus fills the screen.
    Zoom,
    /// Draw everything again.
    Redraw,
    /// Go back: close what is open, clear marks and filters.
    Back,
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One pane or column to the left.
    Left,
    /// One pane or column to the right.
    Right,
    PageUp,
    PageDown,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Run the main action of the screen on the item under the cursor.
    Enter,
    /// Choose the item under the cursor, or the next value.
    Toggle,
    /// Choose the previous value.
    Previous,
    /// Several values of an option: a sweep.
    Sweep,
    /// Reset the item under the cursor to its default.
    Reset,
    /// Type a value.
    Edit,
    /// Add an engine with other options, or a size.
    Add,
    /// Remove what was added.
    Remove,
    /// Choose tests.
    Tests,
    /// Load a preset.
    Presets,
    /// Save as a preset.
    Save,
    /// Run the first configuration twice in each round.
    Twins,
    /// Repeat rounds at the end, to find out what the time goes to.
    Why,
    /// The notes of the suite.
    Notes,
    /// Pause or continue.
    Pause,
    /// Cancel the current run.
    Skip,
    /// End the session.
    Stop,
    /// Run the remaining runs of an interrupted session.
    Resume,
    /// Slower or faster.
    Speed,
    NextTest,
    /// Go to the previous test.
    PreviousTest,
    /// Sort by another column.
    Sort,
    /// Choose the column to sort by.
    SortBy,
    /// The other way round.
    Reverse,
    /// Group by a key.
    Group,
    /// Mark as side A.
    MarkA,
    /// Mark as side B.
    MarkB,
    /// Exchange A and B.
    Swap,
    /// Compare the marked sides.
    Compare,
    /// Give a tag.
    Tag,
    /// Write a note.
    Note,
    Delete,
    /// Run it again.
    Rerun,
    Replay,
    /// The worker's output on stderr.
    Log,
    /// Another way to show it.
    View,
    /// The previous way to show it.
    PreviousView,
    /// Choose rows and columns.
    Pivot,
    /// How figures grow.
    Scaling,
    /// Compare all configurations of a session with one reference.
    Matrix,
    /// Compare all others with the item under the cursor.
    Reference,
    /// Choose the figure to compare.
    Metric,
    /// Choose the columns of a list.
    Columns,
    /// Undo the last deletion.
    Undo,
    /// Compare anyway despite differences.
    Allow,
    /// Choose the differences that are allowed.
    AllowSome,
    /// Read it again.
    Refresh,
    /// Make the change part of the new base.
    Accept,
    /// Run the same number of rounds again.
    More,
    /// Copy the shown table or text to the clipboard.
    Copy,
    /// Look for the best settings.
    Search,
    /// How much each option matters.
    Effects,
    /// A configuration over its sessions.
    Trend,
    /// Run the statement.
    Run,
    /// The statement that was run before.
    Older,
    /// The statement that was run after.
    Newer,
    /// Copy the whole, or its source, to the clipboard.
    CopyAll,
}

impl Action {
    /// Returns its name in the user's file of keys, in lower case with hyphens.
    pub(crate) fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars().filter(char::is_ascii_alphanumeric) {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    /// Whether it may start, end or delete something. A key that was typed for a dialog must not trigger such an action.
    pub(crate) fn begins(self) -> bool {
        use Action::{Accept, Delete, Enter, More, Rerun, Resume, Skip, Stop};
        matches!(self, Enter | Accept | Delete | More | Rerun | Resume | Skip | Stop)
    }
}
