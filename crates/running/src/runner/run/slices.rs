//! The slices of a test under way, as they are stored.

use dbdyno_store::SliceRecord;

/// The most rows of a test. Beyond that, neighbouring slices become one row.
const MOST_ROWS: usize = 256;

/// The slices so far.
#[derive(Debug)]
pub(super) struct SliceLog {
    rows: Vec<SliceRow>,
    /// How many slices a row has.
    each: u32,
    /// The operations and the wall time (ns) at the end of the last slice.
    so_far: (u64, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SliceRow {
    slices: u32,
    operations: u64,
    wall_ns: u64,
}

impl Default for SliceLog {
    fn default() -> Self {
        Self { rows: Vec::new(), each: 1, so_far: (0, 0) }
    }
}

impl SliceLog {
    /// Adds a slice that ended with these operations and this wall time of the test so far.
    pub(super) fn add(&mut self, operations: u64, wall_ns: u64) {
        let own = SliceRow {
            slices: 1,
            operations: operations.saturating_sub(self.so_far.0),
            wall_ns: wall_ns.saturating_sub(self.so_far.1),
        };
        self.so_far = (operations, wall_ns);
        match self.rows.last_mut().filter(|last| last.slices < self.each) {
            Some(last) => *last = last.with(own),
            None => self.rows.push(own),
        }
        if self.rows.len() > MOST_ROWS {
            self.rows =
                self.rows.chunks(2).map(|pair| pair[1..].iter().fold(pair[0], |one, next| one.with(*next))).collect();
            self.each = self.each.saturating_mul(2);
        }
    }

    /// Takes the rows of a test that ends with these operations and this wall time; empty if it was not sliced.
    pub(super) fn take(&mut self, run_id: &str, test: u32, operations: u64, wall_ns: u64) -> Vec<SliceRecord> {
        if !self.rows.is_empty() {
            self.add(operations, wall_ns);
        }
        let mut from = 0;
        let record = |row: SliceRow| {
            let slice = from;
            from = row.slices.saturating_add(from);
            let SliceRow { slices, operations, wall_ns } = row;
            SliceRecord { run_id: run_id.to_owned(), test, slice, slices, operations, wall_ns }
        };
        std::mem::take(self).rows.into_iter().map(record).collect()
    }
}

impl SliceRow {
    fn with(self, next: Self) -> Self {
        Self {
            // Workers are not trusted: their figures may have any size.
            slices: self.slices.saturating_add(next.slices),
            operations: self.operations.saturating_add(next.operations),
            wall_ns: self.wall_ns.saturating_add(next.wall_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_what_came_since_the_last_and_a_test_of_one_slice_has_none() {
        let mut log = SliceLog::default();
        assert_eq!(log.take("r", 1, 10, 100), []);
        log.add(10, 100);
        log.add(25, 190);
        let rows = log.take("r", 1, 30, 200);
        let shown: Vec<_> = rows.iter().map(|row| (row.slice, row.slices, row.operations, row.wall_ns)).collect();
        assert_eq!(shown, [(0, 1, 10, 100), (1, 1, 15, 90), (2, 1, 5, 10)]);
        assert_eq!(log.take("r", 2, 1, 1), [], "the next test begins anew");
    }

    #[test]
    fn many_slices_become_fewer_rows_with_all_of_them() {
        let mut log = SliceLog::default();
        let count = 5_000;
        (1..count).for_each(|at| log.add(at * 3, at * 10));
        let rows = log.take("r", 1, count * 3, count * 10);
        assert!(rows.len() <= MOST_ROWS, "{}", rows.len());
        assert_eq!(rows.iter().map(|row| u64::from(row.slices)).sum::<u64>(), count);
        assert_eq!(rows.iter().map(|row| row.operations).sum::<u64>(), count * 3);
        assert_eq!(rows.iter().map(|row| row.wall_ns).sum::<u64>(), count * 10);
        assert!(rows.windows(2).all(|pair| pair[0].slice + pair[0].slices == pair[1].slice));
    }
}
