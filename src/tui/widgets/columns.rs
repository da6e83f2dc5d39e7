//! Which columns fit, and how wide they are.

/// The room that a column needs, in columns of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnRoom {
    /// The order of dropping: the greatest rank is dropped first, and 0 never.
    pub(crate) rank: usize,
    /// Spaces after it, unless it is the last.
    pub(crate) gap: usize,
    /// Its width if even the columns that are never dropped do not fit.
    pub(crate) least: usize,
    /// Its width if room is short.
    pub(crate) width: usize,
    /// Its width if there is room for everything.
    pub(crate) widest: usize,
}

/// Returns the columns that fit into `room`, in their order, as indices and widths. Remaining room goes to columns that can be wider, the most
/// important first.
pub(crate) fn fitting(all: &[ColumnRoom], room: usize) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| all[*at].rank);
    let mut shown: Vec<(usize, usize)> = Vec::new();
    for &at in &order {
        let mut with = shown.clone();
        with.push((at, all[at].width));
        with.sort_unstable();
        // Without any column, nothing would identify the row.
        if all[at].rank == 0 || shown.is_empty() || taken(all, &with) <= room {
            shown = with;
        }
    }
    cut(all, &mut shown, room);
    let mut left = room.saturating_sub(taken(all, &shown));
    for at in order {
        let Some((_, width)) = shown.iter_mut().find(|(shown, _)| *shown == at) else { continue };
        let more = all[at].widest.saturating_sub(*width).min(left);
        *width += more;
        left -= more;
    }
    shown
}

/// Returns the first `fixed` columns, the column `under` the cursor, and as many of its neighbours as fit, those before it first. The last
/// column may be narrower than its width.
pub(crate) fn scrolled(all: &[ColumnRoom], fixed: usize, under: usize, room: usize) -> Vec<(usize, usize)> {
    let from = |first: usize| (0..fixed).chain(first..=under).map(|at| (at, all[at].width)).collect::<Vec<_>>();
    let first = (fixed..under).find(|first| taken(all, &from(*first)) <= room).unwrap_or(under.max(fixed));
    let mut shown = from(first);
    cut(all, &mut shown, room);
    for (at, column) in all.iter().enumerate().skip(under + 1) {
        let left = room.saturating_sub(taken(all, &shown) + all[at - 1].gap);
        if left < column.least {
            break;
        }
        shown.push((at, column.width.min(left)));
    }
    shown
}

/// Narrows columns in their order until they fit, each at most to its least width.
fn cut(all: &[ColumnRoom], shown: &mut [(usize, usize)], room: usize) {
    for place in 0..shown.len() {
        let excess = taken(all, shown).saturating_sub(room);
        let (at, width) = shown[place];
        shown[place].1 = width.saturating_sub(excess).max(all[at].least.min(width));
    }
}

/// Returns the room that columns take, with the gaps between them.
fn taken(all: &[ColumnRoom], shown: &[(usize, usize)]) -> usize {
    let after = shown.last().map_or(0, |(at, _)| all[*at].gap);
    shown.iter().map(|(at, width)| width + all[*at].gap).sum::<usize>() - after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(rank: usize, width: usize, widest: usize) -> ColumnRoom {
        ColumnRoom { rank, gap: 2, least: 1, width, widest }
    }

    fn places(shown: &[(usize, usize)]) -> Vec<usize> {
        shown.iter().map(|(at, _)| *at).collect()
    }

    fn widths(shown: &[(usize, usize)]) -> Vec<usize> {
        shown.iter().map(|(_, width)| *width).collect()
    }

    #[test]
    fn what_matters_less_is_dropped_whole() {
        let all = [column(3, 10, 10), column(1, 10, 10), column(2, 10, 10)];
        let shown = |room| places(&fitting(&all, room));
        assert_eq!(shown(34), [0, 1, 2]);
        assert_eq!(shown(33), [1, 2]);
        assert_eq!(shown(10), [1]);
        assert_eq!(fitting(&all, 4), [(1, 4)], "one column is always there");
    }

    #[test]
    fn what_is_cut_gets_the_room_that_is_left() {
        let shown = |room| widths(&fitting(&[column(1, 10, 12), column(0, 10, 40)], room));
        assert_eq!(shown(22), [10, 10]);
        assert_eq!(shown(30), [10, 18]);
        assert_eq!(shown(53), [11, 40]);
        assert_eq!(shown(90), [12, 40], "no more than is needed");
    }

    #[test]
    fn columns_that_are_never_dropped_are_cut_in_their_order() {
        let name = ColumnRoom { least: 8, ..column(0, 30, 30) };
        let verdict = ColumnRoom { least: 15, ..column(0, 20, 20) };
        let shown = |room| fitting(&[name, column(1, 9, 61), verdict], room);
        assert_eq!(shown(63), [(0, 30), (1, 9), (2, 20)]);
        assert_eq!(shown(62), [(0, 30), (2, 20)]);
        assert_eq!(shown(40), [(0, 18), (2, 20)]);
        assert_eq!(shown(27), [(0, 8), (2, 17)]);
        assert_eq!(shown(80), [(0, 30), (1, 26), (2, 20)], "what is drawn takes what is left");
    }

    #[test]
    fn the_columns_shown_go_with_the_cursor() {
        let all = [10; 4].map(|width| column(0, width, width));
        assert_eq!(scrolled(&all[..3], 0, 0, 24), [(0, 10), (1, 10)]);
        assert_eq!(scrolled(&all[..3], 0, 1, 24), [(0, 10), (1, 10)]);
        assert_eq!(scrolled(&all[..3], 0, 2, 24), [(1, 10), (2, 10)]);
        assert_eq!(scrolled(&all[..3], 0, 2, 4), [(2, 4)], "one column is always there");
        assert_eq!(scrolled(&all, 1, 3, 30), [(0, 10), (3, 10)]);
        assert_eq!(scrolled(&all, 1, 1, 30), [(0, 10), (1, 10), (2, 6)], "the last may be cut");
        let whole = all.map(|column| ColumnRoom { least: 10, ..column });
        assert_eq!(scrolled(&whole, 1, 1, 30), [(0, 10), (1, 10)]);
    }
}
