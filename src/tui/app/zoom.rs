//! Zoom: the pane with the focus fills the screen. The screens know their panes, and those with several panes offer it. Where the terminal
//! is small, a pane always fills it.

use super::App;
use crate::tui::{keys::Action, screens::Context};

/// How much of a screen fits into the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// All panes with their borders.
    Whole,
    /// One pane at a time, without borders.
    Compact,
    /// Nothing: only leaving has an effect, because the effect of other keys could not be seen.
    TooSmall,
}

impl Room {
    /// The smallest terminal that shows all panes: columns and rows. tmux takes one of the usual 24 rows.
    pub(crate) const WHOLE: (u16, u16) = (80, 23);
    /// The smallest terminal that shows anything.
    pub(crate) const LEAST: (u16, u16) = (60, 18);

    /// Returns how much fits into this many columns and rows.
    pub(crate) fn of(size: (u16, u16)) -> Self {
        let fits = |least: (u16, u16)| size.0 >= least.0 && size.1 >= least.1;
        match (fits(Self::WHOLE), fits(Self::LEAST)) {
            (true, _) => Self::Whole,
            (false, true) => Self::Compact,
            (false, false) => Self::TooSmall,
        }
    }
}

impl App {
    /// Returns how much of a screen fits into the terminal.
    pub(super) fn room(&self) -> Room {
        Room::of(self.size)
    }

    /// Returns what screens may know in addition to their own state.
    pub(super) fn context(&self) -> Context<'_> {
        context!(self)
    }

    /// Whether the user made a pane fill the screen in view.
    pub(super) fn is_zoomed(&self) -> bool {
        self.zoomed && self.screens.offers(self.screen, Action::Zoom, &self.context())
    }

    /// Fills the screen with the pane that has the focus, or shows all panes again.
    pub(super) fn zoom(&mut self) {
        self.zoomed = !self.zoomed && self.screens.offers(self.screen, Action::Zoom, &self.context());
    }
}
