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
    /// Whether the slice under way follows one of this test directly, without a turn of others between them.
    is_direct: bool,
    /// The last slice, if it came after turns of others.
    returned: Option<SliceRow>,
    /// The wall time of all slices after turns of others, ns.
    after_others_ns: u64,
    pairs: PairSums,
}

/// Sums over pairs: a slice after turns of others, and the slice that followed it directly.
#[derive(Debug, Default)]
struct PairSums {
    pairs: u32,
    after_others: (u64, u64),
    direct: (u64, u64),
}

/// The fewest pairs that tell what the turns of others cost.
const FEWEST_PAIRS: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SliceRow {
    slices: u32,
    operations: u64,
    wall_ns: u64,
}

impl Default for SliceLog {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            each: 1,
            so_far: (0, 0),
            is_direct: false,
            returned: None,
            after_others_ns: 0,
            pairs: PairSums::default(),
        }
    }
}

impl SliceLog {
    /// Begins a slice. `is_direct`: it follows another one of this test directly, without a turn of others between them.
    pub(super) fn begin(&mut self, is_direct: bool) {
        self.is_direct = is_direct;
    }

    /// Adds a slice that ended with these operations and this wall time of the test so far.
    pub(super) fn add(&mut self, operations: u64, wall_ns: u64) {
        let own = SliceRow {
            slices: 1,
            operations: operations.saturating_sub(self.so_far.0),
            wall_ns: wall_ns.saturating_sub(self.so_far.1),
        };
        self.so_far = (operations, wall_ns);
        self.compare(own);
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

    /// Compares a slice with the one before.
    fn compare(&mut self, slice: SliceRow) {
        let before = self.returned.take();
        if !self.is_direct {
            self.after_others_ns = self.after_others_ns.saturating_add(slice.wall_ns);
            self.returned = Some(slice);
        } else if let Some(before) = before {
            self.pairs.add(before, slice);
        }
    }

    /// Returns how much longer the test took because the turns of others came between its slices, ns: they leave other data in the caches
    /// of the CPU. Slices that others preceded are compared with those that followed them directly. None: there are too few.
    pub(super) fn returning_ns(&self) -> Option<u64> {
        let slowdown = self.pairs.slowdown()?;
        Some((self.after_others_ns as f64 * (1.0 - 1.0 / slowdown.max(1.0))).round() as u64)
    }

    /// Adds the last slice of a test that ends with these operations and this wall time. A test of one slice has none.
    pub(super) fn end(&mut self, operations: u64, wall_ns: u64) {
        if !self.rows.is_empty() {
            self.add(operations, wall_ns);
        }
    }

    /// Takes the rows of a test that has ended; empty if it was not sliced.
    pub(super) fn take(&mut self, run_id: &str, test: u32) -> Vec<SliceRecord> {
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

impl PairSums {
    fn add(&mut self, after_others: SliceRow, direct: SliceRow) {
        self.pairs = self.pairs.saturating_add(1);
        for (sum, slice) in [(&mut self.after_others, after_others), (&mut self.direct, direct)] {
            *sum = (sum.0.saturating_add(slice.operations), sum.1.saturating_add(slice.wall_ns));
        }
    }

    /// Returns the time of an operation after turns of others, relative to the time without them.
    fn slowdown(&self) -> Option<f64> {
        let time = |(operations, ns): (u64, u64)| (operations > 0).then(|| ns as f64 / operations as f64);
        let direct = time(self.direct).filter(|ns| *ns > 0.0 && self.pairs >= FEWEST_PAIRS)?;
        Some(time(self.after_others)? / direct)
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
        log.end(10, 100);
        assert_eq!(log.take("r", 1), []);
        log.add(10, 100);
        log.add(25, 190);
        log.end(30, 200);
        let rows = log.take("r", 1);
        let shown: Vec<_> = rows.iter().map(|row| (row.slice, row.slices, row.operations, row.wall_ns)).collect();
        assert_eq!(shown, [(0, 1, 10, 100), (1, 1, 15, 90), (2, 1, 5, 10)]);
        log.end(1, 1);
        assert_eq!(log.take("r", 2), [], "the next test begins anew");
    }

    #[test]
    fn what_the_turns_of_others_cost_is_the_difference_to_slices_that_follow_directly() {
        let mut log = SliceLog::default();
        let (mut operations, mut wall_ns) = (0, 0);
        for at in 0..10 {
            // Turns of A B B A: every second slice follows its own. After a turn of others, 100 operations take 1.25 times as long.
            for (is_direct, ns) in [(false, 1_250), (true, 1_000)] {
                assert_eq!(
                    log.returning_ns(),
                    (at >= 4).then_some(1_250 * (2 * at + u64::from(is_direct)).div_ceil(2) / 5)
                );
                (operations, wall_ns) = (operations + 100, wall_ns + ns);
                log.begin(is_direct);
                log.add(operations, wall_ns);
            }
        }
        // Those that take no longer cost nothing.
        let mut log = SliceLog::default();
        for at in 1..20 {
            log.begin(at % 2 == 0);
            log.add(at * 100, at * 1_000 - at % 2);
        }
        assert_eq!(log.returning_ns(), Some(0));
    }

    #[test]
    fn many_slices_become_fewer_rows_with_all_of_them() {
        let mut log = SliceLog::default();
        let count = 5_000;
        (1..count).for_each(|at| log.add(at * 3, at * 10));
        log.end(count * 3, count * 10);
        let rows = log.take("r", 1);
        assert!(rows.len() <= MOST_ROWS, "{}", rows.len());
        assert_eq!(rows.iter().map(|row| u64::from(row.slices)).sum::<u64>(), count);
        assert_eq!(rows.iter().map(|row| row.operations).sum::<u64>(), count * 3);
        assert_eq!(rows.iter().map(|row| row.wall_ns).sum::<u64>(), count * 10);
        assert!(rows.windows(2).all(|pair| pair[0].slice + pair[0].slices == pair[1].slice));
    }
}
