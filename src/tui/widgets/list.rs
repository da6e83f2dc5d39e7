//! Rows of a list, scrolled to the one under the cursor.

use super::{
    Target,
    cursor::ListCursor,
    paint::{Paint, rows},
};
use ratatui::layout::Rect;

/// A list of which some rows are seen: those around the cursor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeenRows {
    length: usize,
    under: usize,
    is_lit: bool,
}

impl SeenRows {
    pub(crate) fn new(length: usize, cursor: ListCursor) -> Self {
        Self { length, under: cursor.at, is_lit: true }
    }

    /// The same; the row under the cursor stands out only where `is_lit`, as in the pane with the focus.
    pub(crate) fn lit_if(self, is_lit: bool) -> Self {
        Self { is_lit, ..self }
    }

    /// The first row that is seen in so many lines.
    pub(crate) fn first(self, height: u16) -> usize {
        ListCursor { at: self.under }.offset(self.length, usize::from(height))
    }

    /// Paints a row a line with `draw`; a click on one is what `hit` says. Returns how many lines were taken.
    pub(crate) fn paint<'p>(
        self,
        paint: &mut Paint<'p>,
        area: Rect,
        hit: impl Fn(usize) -> Option<Target>,
        mut draw: impl FnMut(&mut Paint<'p>, usize, Rect),
    ) -> u16 {
        let mut taken = 0;
        for (at, place) in (self.first(area.height)..self.length).zip(rows(area)) {
            draw(paint, at, place);
            if self.is_lit && at == self.under {
                paint.highlight(place);
            }
            if let Some(target) = hit(at) {
                paint.hit(place, target);
            }
            taken += 1;
        }
        taken
    }
}

/// Clicks on rows of a pane.
pub(crate) fn in_pane(pane: usize) -> impl Fn(usize) -> Option<Target> {
    move |row| Some(Target::Spot { pane, row })
}

/// Which rows the cursor goes to, where others are titles.
#[derive(Debug)]
pub(crate) struct Places(Vec<usize>);

impl Places {
    pub(crate) fn new<R>(all: &[R], is_place: impl Fn(&R) -> bool) -> Self {
        Self(all.iter().enumerate().filter(|(_, row)| is_place(row)).map(|(at, _)| at).collect())
    }

    /// The row that the cursor is on.
    pub(crate) fn under(&self, cursor: ListCursor) -> ListCursor {
        ListCursor { at: self.0.get(cursor.at).copied().unwrap_or(0) }
    }

    /// The place that a row is; none of a title.
    pub(crate) fn of(&self, row: usize) -> Option<usize> {
        self.0.binary_search(&row).ok()
    }

    /// Clicks on rows of a pane that are places.
    pub(crate) fn in_pane(&self, pane: usize) -> impl Fn(usize) -> Option<Target> {
        move |row| self.of(row).map(|row| Target::Spot { pane, row })
    }
}
