//! What keys can mean.

use super::ScreenId;

/// Something that can be done by a key, the palette or a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Show(ScreenId),
    /// Show the next screen.
    NextScreen,
    /// Show the screen before.
    PreviousScreen,
    /// Keys of this screen.
    Help,
    /// All that can be done, by name.
    Palette,
    /// Show only what matches.
    Filter,
    /// Write what is on screen to a file.
    Export,
    /// The findings of the last session.
    Warnings,
    /// What was said last.
    Messages,
    /// Explain the number under the cursor.
    Explain,
    /// Leave the program.
    Quit,
    /// Put the program into the background.
    Suspend,
    /// Give the terminal back while what is measured goes on.
    Detach,
    /// The pane with the focus on all of the screen, or no longer.
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
    /// Do what the screen is for with what is under the cursor.
    Enter,
    /// Choose what is under the cursor, or the next value.
    Toggle,
    /// The value before.
    Previous,
    /// Several values of an option: a sweep.
    Sweep,
    /// Set what is under the cursor back to its default.
    Reset,
    /// Type a value.
    Edit,
    /// One more of it: an engine with other options, a size.
    Add,
    /// Remove what was added.
    Remove,
    /// Choose tests.
    Tests,
    /// Load a preset.
    Presets,
    /// Save as a preset.
    Save,
    /// The first configuration twice a round.
    Twins,
    /// The notes of the suite.
    Notes,
    /// Pause or go on.
    Pause,
    /// Give up the run under way.
    Skip,
    /// End the session.
    Stop,
    /// Run what an interrupted session still owes.
    Resume,
    /// Slower or faster.
    Speed,
    NextTest,
    /// The test before.
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
    /// Compare what is marked.
    Compare,
    /// Give a tag.
    Tag,
    /// Write a note.
    Note,
    Delete,
    /// Run it again.
    Rerun,
    Replay,
    /// What the worker wrote to stderr.
    Log,
    /// Another way to show it.
    View,
    /// Choose rows and columns.
    Pivot,
    /// How figures grow.
    Scaling,
    /// All configurations of a session beside one reference.
    Matrix,
    /// Put all others beside what is under the cursor.
    Reference,
    /// Choose what is compared.
    Metric,
    /// Choose the columns of a list.
    Columns,
    /// Take back what was done last.
    Undo,
    /// Compare in spite of differences.
    Allow,
    /// Read it again.
    Refresh,
    /// Take the change over as the new base.
    Accept,
    /// Run as many rounds again.
    More,
    /// Put the answer into the clipboard.
    Copy,
    /// Look for the best settings.
    Search,
    /// Which option matters how much.
    Effects,
    /// A configuration over its sessions.
    Trend,
    /// Run the statement.
    Run,
    /// The statement that was run before.
    Older,
    /// The statement that was run after.
    Newer,
    /// Put the whole answer into the clipboard.
    CopyAll,
}

impl Action {
    /// Whether it may start, end or delete something: what nobody wants to happen by a key that was typed for a dialog.
    pub(crate) fn begins(self) -> bool {
        use Action::{Accept, Delete, Enter, More, Rerun, Resume, Skip, Stop};
        matches!(self, Enter | Accept | Delete | More | Rerun | Resume | Skip | Stop)
    }
}
