//! The cost and resolution of a clock.

const READINGS: u64 = 100_000;
/// A clock with a timer's steps of 10 ms has made one step after this number of readings; otherwise it has stopped.
const MOST_READINGS: u64 = 10_000_000;

/// The result of reading a clock repeatedly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockReading {
    /// Cost of one reading, ns.
    pub cost_ns: f64,
    /// The smallest difference between two different readings, ns; none if all were equal.
    pub step_ns: Option<u64>,
}

impl ClockReading {
    /// Measures a clock of nanoseconds. This takes a few milliseconds, and longer for a clock that has stopped.
    pub fn of(mut now: impl FnMut() -> u64) -> Self {
        let begin = now();
        let (mut before, mut step_ns, mut count) = (begin, None::<u64>, 0);
        while count < READINGS || step_ns.is_none() && count < MOST_READINGS {
            let reading = now();
            count += 1;
            let step = reading.saturating_sub(before);
            if step > 0 {
                step_ns = Some(step_ns.map_or(step, |least| least.min(step)));
            }
            before = reading;
        }
        Self { cost_ns: before.saturating_sub(begin) as f64 / count as f64, step_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a clock whose reading takes `cost` and that has steps of `step`.
    fn clock(cost: u64, step: u64) -> impl FnMut() -> u64 {
        let mut time = 0;
        move || {
            time += cost;
            time / step * step
        }
    }

    #[test]
    fn cost_and_step_are_told_apart() {
        assert_eq!(ClockReading::of(clock(20, 1)), ClockReading { cost_ns: 20.0, step_ns: Some(20) });
        let coarse = ClockReading::of(clock(25, 4_000_000));
        assert_eq!(coarse.step_ns, Some(4_000_000));
        assert!((coarse.cost_ns - 25.0).abs() < 0.1, "{coarse:?}");
        assert_eq!(ClockReading::of(|| 7), ClockReading { cost_ns: 0.0, step_ns: None });
    }

    #[test]
    fn the_smallest_step_counts() {
        let mut readings = (0..).map(|n: u64| n * 100 + n % 2 * 30);
        assert_eq!(ClockReading::of(|| readings.next().unwrap()).step_ns, Some(70));
    }
}
