//! Scales of charts, with ticks at round numbers: 1, 2 and 5 times powers of ten.

use dbdyno_foundation::metric::{Metric, Unit};

/// The positions of values between two ends, and the labelled values among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    /// From the lowest to the highest.
    pub ticks: Vec<f64>,
}

/// The factor between its ends from which a scale is logarithmic. Below it, a linear scale shows small differences better.
const WIDE: f64 = 3.0;
/// The most labels of a scale.
const MOST_TICKS: usize = 6;

/// The smallest distance between the ends of a logarithmic scale, as a logarithm, so that figures that hardly differ do not draw a steep
/// line.
const LEAST_SPAN: f64 = 0.05;

impl Scale {
    /// Builds a linear scale without labels.
    pub fn straight(low: f64, high: f64) -> Self {
        Self { low, high: if high > low { high } else { low + 1.0 }, is_logarithmic: false, ticks: Vec::new() }
    }

    /// Builds a logarithmic scale that ends at the least and the greatest of these values, which are its ticks. Values without a logarithm
    /// are skipped.
    pub fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = range(values.filter(|value| *value > 0.0 && value.is_finite()));
        if low > high {
            return Self { low: 1.0, high: LEAST_SPAN.exp(), is_logarithmic: true, ticks: Vec::new() };
        }
        let ticks = if low < high { vec![low, high] } else { vec![low] };
        Self { low, high: high.max(low * LEAST_SPAN.exp()), is_logarithmic: true, ticks }
    }

    /// Builds a scale that covers these values, and ends at round numbers. A wide one is logarithmic.
    pub fn over(values: impl Iterator<Item = f64>, metric: Metric) -> Self {
        let (least, most) = range(values.filter(|value| value.is_finite()));
        if least > most {
            return Self::straight(0.0, 1.0);
        }
        let unit = unit(metric, most);
        let [least, most] = [least / unit, most / unit];
        let scaled = if least > 0.0 && most / least > WIDE { decades(least, most) } else { steps(least, most, metric) };
        let ticks = scaled.ticks.iter().map(|tick| tick * unit).collect();
        Self { low: scaled.low * unit, high: scaled.high * unit, ticks, ..scaled }
    }

    /// Builds a logarithmic scale of ratios between two ends, which need not be ticks; 1 is a tick.
    pub fn of_ratios(low: f64, high: f64) -> Self {
        let ticks = if high / low > WIDE {
            thinned(numbers(low, high))
        } else {
            let step = step((high - low) / (MOST_TICKS - 1) as f64);
            let (first, last) = (((low - 1.0) / step).ceil(), ((high - 1.0) / step).floor());
            (0..=(last - first) as usize).map(|at| 1.0 + (first + at as f64) * step).collect()
        };
        Self { low, high, is_logarithmic: true, ticks }
    }

    /// Returns the scale with other ticks.
    #[must_use]
    pub fn with_ticks(self, ticks: Vec<f64>) -> Self {
        Self { ticks, ..self }
    }

    /// Returns the position of a value, from 0 at the low end to 1 at the high one; values beyond an end are placed at that end.
    pub fn share(&self, value: f64) -> f64 {
        let place = |value: f64| if self.is_logarithmic { value.ln() } else { value };
        let (low, high) = (place(self.low), place(self.high));
        ((place(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Returns the value at a position, from 0 to 1, along the scale's length.
    pub fn value_at(&self, share: f64) -> f64 {
        match self.is_logarithmic {
            true => (self.low.ln() + share * (self.high / self.low).ln()).exp(),
            false => self.low + share * (self.high - self.low),
        }
    }

    /// Whether a value is beyond the low end, and whether it is beyond the high one.
    pub fn beyond(&self, value: f64) -> [bool; 2] {
        [value < self.low, value > self.high]
    }
}

/// Returns the least and the greatest value.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// Returns the unit that ticks are counted in: bytes have units of powers of 1024.
fn unit(metric: Metric, most: f64) -> f64 {
    match metric.unit() {
        Unit::Bytes => 1024_f64.powf(most.max(1.0).log(1024.0).floor()),
        Unit::Time | Unit::Count | Unit::Rate | Unit::Share => 1.0,
    }
}

/// Builds a logarithmic scale from the round number at or below the least value to the one at or above the greatest.
fn decades(least: f64, most: f64) -> Scale {
    let ticks = numbers(least / 2.5, most * 2.5);
    let low = ticks.iter().copied().rfind(|tick| *tick <= least).unwrap_or(least);
    let high = ticks.iter().copied().find(|tick| *tick >= most).unwrap_or(most);
    let within = ticks.into_iter().filter(|tick| (low..=high).contains(tick)).collect();
    Scale { low, high, is_logarithmic: true, ticks: thinned(within) }
}

/// Builds a linear scale. Its steps are no finer than labels of three digits can distinguish, and steps of counts are whole numbers.
fn steps(least: f64, most: f64, metric: Metric) -> Scale {
    let finest = match metric.unit() {
        Unit::Count => 1.0,
        // A tenth of a percent.
        Unit::Share => 1_000.0,
        Unit::Time | Unit::Bytes | Unit::Rate => f64::MIN_POSITIVE,
    };
    let step = step(((most - least) / (MOST_TICKS - 2) as f64).max(most.abs() * 0.01).max(finest));
    let (mut first, mut last) = ((least / step).floor(), (most / step).ceil());
    if first == last {
        (first, last) = ((first - 1.0).max(0.0), last + 1.0);
    }
    let ticks: Vec<f64> = (0..=(last - first) as usize).map(|at| (first + at as f64) * step).collect();
    Scale { low: first * step, high: last * step, is_logarithmic: false, ticks }
}

/// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least `at_least`.
fn step(at_least: f64) -> f64 {
    let power = 10_f64.powf(at_least.max(1e-12).log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= at_least * 0.999)
        .unwrap_or(10.0 * power)
}

/// Returns 1, 2 and 5 times the powers of ten between two ends.
fn numbers(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all = (first..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
    all.filter(|number| (low * 0.999..=high * 1.001).contains(number)).collect()
}

/// Reduces the ticks to a readable number: only the powers of ten, then every second of these, and so on. Keeps 1.
fn thinned(ticks: Vec<f64>) -> Vec<f64> {
    if ticks.len() <= MOST_TICKS {
        return ticks;
    }
    let power = |tick: f64| tick.log10().round() as i32;
    let powers: Vec<f64> =
        ticks.into_iter().filter(|tick| (tick / 10_f64.powi(power(*tick)) - 1.0).abs() < 1e-9).collect();
    let every = powers.len().div_ceil(MOST_TICKS).max(1) as i32;
    powers.into_iter().filter(|tick| power(*tick) % every == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], metric: Metric) -> Vec<String> {
        Scale::over(values.iter().copied(), metric).ticks.into_iter().map(|tick| metric.shown(tick)).collect()
    }

    #[test]
    fn values_are_between_ticks_that_read_as_what_they_are() {
        assert_eq!(labels(&[985e3, 1.02e6], Metric::Wall), ["980 µs", "1.00 ms", "1.02 ms"]);
        assert_eq!(labels(&[1e6, 1e6], Metric::Wall), ["990 µs", "1.00 ms", "1.01 ms"]);
        assert_eq!(labels(&[1e6, 3.1e6], Metric::Wall), ["1.00 ms", "2.00 ms", "5.00 ms"]);
        assert_eq!(labels(&[2e3, 7e9], Metric::Wall), ["10.0 µs", "1.00 ms", "100 ms", "10.0 s"]);
        assert_eq!(labels(&[0.0, 7.0], Metric::Syncs), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(&[3.0, 3.0], Metric::Syncs), ["2", "3", "4"]);
        assert_eq!(labels(&[0.0, 0.0], Metric::Syncs), ["0", "1"]);
        assert_eq!(labels(&[1.5 * 1_048_576.0, 2.5 * 1_048_576.0], Metric::Database)[..2], ["1.50 MiB", "2.00 MiB"]);
    }

    #[test]
    fn ratios_have_ticks_at_readable_numbers() {
        assert_eq!(Scale::of_ratios(0.15, 6.0).ticks, [0.2, 0.5, 1.0, 2.0, 5.0]);
        assert_eq!(Scale::of_ratios(0.009, 110.0).ticks, [0.01, 0.1, 1.0, 10.0, 100.0]);
        let narrow = Scale::of_ratios(0.97, 1.04);
        assert_eq!(
            narrow.ticks.iter().map(|tick| format!("{tick:.2}")).collect::<Vec<_>>(),
            ["0.98", "1.00", "1.02", "1.04"]
        );
        assert!(
            (Scale::of_ratios(0.1, 10.0).share(1.0) - 0.5).abs() < 1e-12,
            "1 is in the middle of a logarithmic scale"
        );
        assert_eq!(Scale::of_ratios(0.1, 10.0).share(100.0), 1.0);
    }
}
