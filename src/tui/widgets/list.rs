//! Rows of a list, scrolled to the one under the cursor.

use super::{
    Target,
    cursor::ListCursor,
    paint::{Paint, width},
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::count;
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

    /// Returns the visible range in words and the number of lines for the rows, if the list goes on beyond this area. In very few lines the
    /// rows are more important.
    fn range(self, area: Rect) -> Option<(String, u16)> {
        let for_rows = area.height.saturating_sub(1);
        if area.height <= 2 || self.seen(area.height).len() == self.length {
            return None;
        }
        let seen = self.seen(for_rows);
        let [first, last, all] = [seen.start + 1, seen.end, self.length].map(|number| count(number as u64));
        let place = format!("{first} to {last} of {all}");
        let more = more_below(self.length - seen.end);
        let fits = |words: &String| width(words) <= usize::from(area.width);
        let words = match seen.end < self.length {
            true => Some(format!("{place} · {more}")).filter(fits).or_else(|| Some(more).filter(fits)),
            false => None,
        };
        Some((words.unwrap_or(place), for_rows))
    }

    /// Paints the visible rows with `draw`, and the visible range below them if the list goes on; `hit` gives the click target of a row.
    /// Returns the number of lines used.
    pub(crate) fn paint<'p>(
        self,
        paint: &mut Paint<'p>,
        area: Rect,
        hit: impl Fn(usize) -> Option<Target>,
        mut draw: impl FnMut(&mut Paint<'p>, usize, Rect),
    ) -> u16 {
        let mut taken = 0;
        let range = self.range(area);
        let lines = range.as_ref().map_or(area.height, |(_, for_rows)| *for_rows);
        for at in self.seen(lines) {
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
        if let Some((words, _)) = range {
            paint.text(Rect { y: area.y + taken, height: 1, ..area }, &words, Role::Dim);
            taken += 1;
        }
        taken
    }
}

/// Says how many rows or lines follow the last one that is shown.
pub(crate) fn more_below(hidden: usize) -> String {
    format!("{} more below", count(hidden as u64))
}

/// Returns the click targets of a pane's rows.
pub(crate) fn in_pane(pane: usize) -> impl Fn(usize) -> Option<Target> {
    move |row| Some(Target::Spot { pane, row })
}
