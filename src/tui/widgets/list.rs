//! Rows of a list, scrolled to the one under the cursor.

use super::{Target, cursor::ListCursor, paint::Paint};
use ratatui::layout::Rect;
use std::ops::Range;

/// A list of which only the rows around the cursor are visible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisibleRows {
    length: usize,
    under: usize,
    is_highlighted: bool,
    /// The lines of a row.
    height: u16,
}

impl VisibleRows {
    pub(crate) fn new(length: usize, cursor: ListCursor) -> Self {
        Self { length, under: cursor.at, is_highlighted: true, height: 1 }
    }

    /// Returns the same list. It highlights the row under the cursor only if `is_highlighted`, as in the pane with the focus.
    pub(crate) fn highlighted_if(self, is_highlighted: bool) -> Self {
        Self { is_highlighted, ..self }
    }

    /// Returns the same list with rows of several lines.
    pub(crate) fn of_height(self, height: u16) -> Self {
        Self { height, ..self }
    }

    /// Returns the rows that are visible in this many lines.
    pub(crate) fn seen(self, lines: u16) -> Range<usize> {
        let fitting = usize::from(lines / self.height);
        let first = ListCursor { at: self.under }.offset(self.length, fitting);
        first..(first + fitting).min(self.length)
    }

    /// Paints the visible rows with `draw`; `hit` gives the click target of a row. Returns the number of lines used.
    pub(crate) fn paint<'p>(
        self,
        paint: &mut Paint<'p>,
        area: Rect,
        hit: impl Fn(usize) -> Option<Target>,
        mut draw: impl FnMut(&mut Paint<'p>, usize, Rect),
    ) -> u16 {
        let mut taken = 0;
        for at in self.seen(area.height) {
            let place = Rect { y: area.y + taken, height: self.height, ..area };
            draw(paint, at, place);
            if self.is_highlighted && at == self.under {
                paint.highlight(place);
            }
            if let Some(target) = hit(at) {
                paint.hit(place, target);
            }
            taken += self.height;
        }
        taken
    }
}

/// Returns the click targets of a pane's rows.
pub(crate) fn in_pane(pane: usize) -> impl Fn(usize) -> Option<Target> {
    move |row| Some(Target::Spot { pane, row })
}
