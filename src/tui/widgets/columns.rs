//! Which columns fit, and how wide they are.

use crate::tui::widgets::paint::{fit, pad, width};

/// Spaces between columns.
pub(crate) const GAP: usize = 2;

/// A column that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FittedColumn {
    /// Its index in the listing.
    pub(crate) place: usize,
    /// The columns of the terminal that it takes.
    pub(crate) width: usize,
    /// Whether it is aligned to the right: numbers are.
    pub(crate) right: bool,
    /// The order of dropping: the greatest rank is dropped first.
    pub(crate) rank: usize,
    /// The width of its widest cell.
    widest: usize,
}

impl FittedColumn {
    /// Returns a column as wide as its title and its cells, but at most `most` if room is short.
    pub(crate) fn new<'c>(
        place: usize,
        rank: usize,
        right: bool,
        title: &str,
        most: usize,
        cells: impl Iterator<Item = &'c str>,
    ) -> Self {
        let widest = cells.map(width).max().unwrap_or(0);
        Self { place, width: widest.min(most).max(width(title)), right, rank, widest }
    }

    /// Returns text in the width of the column.
    pub(crate) fn aligned(&self, text: &str) -> String {
        if !self.right {
            return pad(text, self.width);
        }
        let text = fit(text, self.width);
        " ".repeat(self.width - width(&text)) + &text
    }
}

/// Returns the columns that fit into `room`, in the order of the listing. Remaining room goes to truncated columns, the most important
/// first.
pub(crate) fn fitting(mut all: Vec<FittedColumn>, room: usize) -> Vec<FittedColumn> {
    all.sort_by_key(|candidate| candidate.rank);
    let mut left = room + GAP;
    let mut shown: Vec<FittedColumn> = Vec::new();
    for candidate in all {
        if let Some(rest) = left.checked_sub(candidate.width + GAP) {
            left = rest;
            shown.push(candidate);
        } else if shown.is_empty() {
            // Nothing else would identify the row.
            shown.push(FittedColumn { width: room, ..candidate });
            break;
        }
    }
    for column in &mut shown {
        let more = column.widest.saturating_sub(column.width).min(left);
        column.width += more;
        left -= more;
    }
    shown.sort_by_key(|candidate| candidate.place);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_less_is_dropped_whole() {
        let column = |place, width, rank| FittedColumn { place, width, right: false, rank, widest: width };
        let all = vec![column(0, 10, 2), column(1, 10, 0), column(2, 10, 1)];
        let places = |room| fitting(all.clone(), room).iter().map(|column| column.place).collect::<Vec<_>>();
        assert_eq!(places(34), [0, 1, 2]);
        assert_eq!(places(33), [1, 2]);
        assert_eq!(places(10), [1]);
        assert_eq!(places(4), [1], "one column is always there");
    }

    #[test]
    fn what_is_cut_gets_the_room_that_is_left() {
        let column = |place, rank, widest| FittedColumn { place, width: 10, right: false, rank, widest };
        let widths = |room| {
            let columns = fitting(vec![column(0, 1, 12), column(1, 0, 40)], room);
            columns.iter().map(|column| column.width).collect::<Vec<_>>()
        };
        assert_eq!(widths(22), [10, 10]);
        assert_eq!(widths(30), [10, 18]);
        assert_eq!(widths(53), [11, 40]);
        assert_eq!(widths(90), [12, 40], "no more than is needed");
    }
}
