//! The Compare screen.

use super::{super::app::App, paint::Paint};
use ratatui::layout::Rect;

/// Paints the screen.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, _app: &App) {
    paint.pane(area, "Compare", true);
}
