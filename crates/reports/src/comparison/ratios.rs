//! Ratios and their intervals as text: bare ratios, factors, percent.

use super::{SideNames, words::comparatives};
use dbdyno_comparing::compare::{JudgedRatio, RatioRange};
use dbdyno_foundation::metric::{Better, Metric};

/// A factor: `13x`, `3.1x`, `1.42x`, `1.004x`.
pub fn times(of: f64) -> String {
    format!("{}x", factor(of))
}

/// A factor without its `x`: `13`, `3.1`, `1.42`, `1.004`, `0.95`.
fn factor(of: f64) -> String {
    match of {
        of if of >= 9.95 => format!("{of:.0}"),
        of if of >= 1.995 => format!("{of:.1}"),
        of if (0.99..1.01).contains(&of) || of < 0.0995 => format!("{of:.3}"),
        of => format!("{of:.2}"),
    }
}

/// A ratio in four or five characters: `0.081`, `0.96`, `1.65`, `12.3`.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.0995 => format!("{ratio:.3}"),
        ratio if ratio < 9.995 => format!("{ratio:.2}"),
        ratio if ratio < 99.95 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.0}"),
    }
}

/// Formats a range of ratios: `0.91-1.02`, or `-` without one.
pub fn range(range: Option<RatioRange>) -> String {
    range.map_or("-".to_owned(), |range| format!("{}-{}", ratio(range.low), ratio(range.high)))
}

/// Formats an interval: `0.91-1.02`, or `-` with too few runs.
pub fn interval(found: &JudgedRatio) -> String {
    range(found.interval)
}

/// By how much one side is better than the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Advantage {
    /// Whether it is A that is better.
    pub is_a: bool,
    /// `2.8x`
    pub factor: String,
    /// `2.5-3.1`; an end below 1 is on the other side.
    pub range: Option<String>,
}

impl Advantage {
    pub(super) fn new(ratio: f64, interval: Option<RatioRange>, metric: Metric) -> Self {
        let is_a = advantage(metric, ratio) >= 1.0;
        // The factor of the better side is above 1.
        let of = |ratio: f64| if is_a { advantage(metric, ratio) } else { 1.0 / advantage(metric, ratio) };
        let range = interval.map(|range| factors([of(range.low), of(range.high)]));
        Self { is_a, factor: times(of(ratio)), range }
    }

    /// ` (2.5-3.1)`, or nothing.
    pub(super) fn in_brackets(&self) -> String {
        self.range.as_ref().map_or_else(String::new, |range| format!(" ({range})"))
    }
}

/// Says how much better one side is, with the interval: `lmdb 2.8x faster (2.5-3.1)`, `1.4x slower (1.3-1.5)` without names. An interval
/// end below 1 is on the other side.
pub(super) fn amount(ratio: f64, interval: Option<RatioRange>, metric: Metric, sides: Option<&SideNames>) -> String {
    let (better, worse) = comparatives(metric);
    let advantage = Advantage::new(ratio, interval, metric);
    let (factor, range) = (&advantage.factor, advantage.in_brackets());
    match (sides, advantage.is_a) {
        (Some(sides), true) => format!("{} {factor} {better}{range}", sides.a),
        (Some(sides), false) => format!("{} {factor} {better}{range}", sides.b),
        (None, true) => format!("{factor} {better}{range}"),
        (None, false) => format!("{factor} {worse}{range}"),
    }
}

/// Formats the factors in a range, from the smaller: `0.95-1.09`.
pub(super) fn factors(ends: [f64; 2]) -> String {
    let [low, high] = ordered(ends);
    format!("{}-{}", factor(low), factor(high))
}

/// `as fast` or `as much`.
pub(super) fn as_much(metric: Metric) -> &'static str {
    if is_speed(metric) { "as fast" } else { "as much" }
}

/// How many times as fast as B side A is; for other metrics, how many times as much it has.
pub(super) fn gain(ratio: f64, metric: Metric) -> f64 {
    if is_speed(metric) { advantage(metric, ratio) } else { ratio }
}

fn is_speed(metric: Metric) -> bool {
    metric.comparative() == "faster"
}

/// The factor by which A is better, above 1 where it is. Of what is neither good nor bad, less counts as better.
fn advantage(metric: Metric, ratio: f64) -> f64 {
    if metric.better() == Better::More { ratio } else { 1.0 / ratio }
}

fn ordered([one, other]: [f64; 2]) -> [f64; 2] {
    if one <= other { [one, other] } else { [other, one] }
}

/// Formats the difference of A from B, in percent with its sign: `-25`, `+4.1`, `+0.3`.
pub(super) fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 9.95 { format!("{percent:+.1}") } else { format!("{percent:+.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_and_factors_are_short_and_tell_small_differences() {
        assert_eq!([0.0812, 0.9604, 1.65, 12.34, 250.0].map(ratio), ["0.081", "0.96", "1.65", "12.3", "250"]);
        assert_eq!([13.2, 3.13, 1.416, 1.004, 0.95].map(times), ["13x", "3.1x", "1.42x", "1.004x", "0.95x"]);
    }

    #[test]
    fn a_factor_is_that_of_the_better_side_in_every_metric() {
        let sides = SideNames { a: "lmdb".to_owned(), b: "redb".to_owned() };
        let range = |low, high| Some(RatioRange { low, high, confidence: 0.95 });
        let said = |ratio, interval, metric| amount(ratio, interval, metric, Some(&sides));
        assert_eq!(said(0.25, range(0.2, 0.5), Metric::Wall), "lmdb 4.0x faster (2.0-5.0)");
        assert_eq!(said(4.0, range(2.0, 5.0), Metric::Wall), "redb 4.0x faster (2.0-5.0)");
        assert_eq!(said(4.0, range(2.0, 5.0), Metric::Rate), "lmdb 4.0x faster (2.0-5.0)");
        assert_eq!(said(0.25, None, Metric::Rate), "redb 4.0x faster");
        assert_eq!(said(0.5, range(0.4, 0.5), Metric::Database), "lmdb 2.0x less (2.0-2.5)");
        assert_eq!(said(0.98, range(0.9, 1.1), Metric::Wall), "lmdb 1.02x faster (0.91-1.11)");
        assert_eq!(amount(4.0, range(2.0, 5.0), Metric::Wall, None), "4.0x slower (2.0-5.0)");
        assert_eq!(amount(2.0, None, Metric::Database, None), "2.0x more");
    }
}
