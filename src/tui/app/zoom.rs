//! Zoom: the pane with the focus fills the screen. The screens know their panes, and those with several panes offer it.

use super::{App, context};
use crate::tui::{keys::Action, screens::Context};

impl App {
    /// Returns what screens may know in addition to their own state.
    pub(super) fn context(&self) -> Context<'_> {
        context(&self.world, &self.job, self.now, self.size, self.zoomed)
    }

    /// Whether a pane fills the screen in view.
    pub(super) fn is_zoomed(&self) -> bool {
        self.zoomed && self.screens.offers(self.screen, Action::Zoom, &self.context())
    }

    /// Fills the screen with the pane that has the focus, or shows all panes again.
    pub(super) fn zoom(&mut self) {
        self.zoomed = !self.zoomed && self.screens.offers(self.screen, Action::Zoom, &self.context());
    }
}
