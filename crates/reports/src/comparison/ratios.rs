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
    format!("{of:.*}", factor_decimals(of))
}

fn factor_decimals(of: f64) -> usize {
    match of {
        of if of >= 9.95 => 0,
        of if of >= 1.995 => 1,
        of if (0.99..1.01).contains(&of) || of < 0.0995 => 3,
        _ => 2,
    }
}

/// The most decimals of a range. Ends that they do not tell apart are equal for a reader.
const MOST_DECIMALS: usize = 3;
/// The factor between the ends of a range up to which they have equally many decimals.
const NEAR: f64 = 2.0;

/// Formats the ends of a range so that they differ: `3.98-4.02`, not `4.0-4.0`.
fn ends([low, high]: [f64; 2], decimals: fn(f64) -> usize) -> String {
    let mut of = [decimals(low), decimals(high)];
    if high / low < NEAR {
        of = [of[0].max(of[1]); 2];
    }
    let shown = |of: [usize; 2]| [format!("{low:.*}", of[0]), format!("{high:.*}", of[1])];
    let is_apart = |of: &[usize; 2]| shown(*of)[0] != shown(*of)[1];
    let more = (of[0]..=MOST_DECIMALS).map(|decimals| [decimals; 2]).find(is_apart);
    shown(if is_apart(&of) { of } else { more.unwrap_or(of) }).join("-")
}

/// A ratio in four or five characters: `0.081`, `0.96`, `1.65`, `12.3`.
pub fn ratio(ratio: f64) -> String {
    format!("{ratio:.*}", ratio_decimals(ratio))
}

fn ratio_decimals(ratio: f64) -> usize {
    match ratio {
        ratio if ratio < 0.0995 => 3,
        ratio if ratio < 9.995 => 2,
        ratio if ratio < 99.95 => 1,
        _ => 0,
    }
}

/// Formats a range of ratios: `0.91-1.02`, or `-` without one.
pub fn range(range: Option<RatioRange>) -> String {
    range.map_or("-".to_owned(), |range| ends([range.low, range.high], ratio_decimals))
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

/// Says how much better one side is, with the interval: `lmdb 2.8x faster (2.5-3.1)`, `1.4x slower (1.3-1.5)` without names. If the interval
/// has 1 in it, neither is: `lmdb 1.003x as fast (0.998-1.007)`.
pub(super) fn amount(ratio: f64, interval: Option<RatioRange>, metric: Metric, sides: Option<&SideNames>) -> String {
    let (better, worse) = comparatives(metric);
    if let Some(range) = interval.filter(|range| range.low <= 1.0 && 1.0 <= range.high) {
        let who = sides.map_or_else(String::new, |sides| format!("{} ", sides.a));
        let [of, low, high] = [ratio, range.low, range.high].map(|of| gain(of, metric));
        return format!("{who}{} {} ({})", times(of), as_much(metric), factors([low, high]));
    }
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
pub(super) fn factors(of: [f64; 2]) -> String {
    ends(ordered(of), factor_decimals)
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
    fn the_ends_of_a_range_can_be_told_apart() {
        let ranges = [[3.98, 4.02], [1.047, 1.051], [1.98, 2.04], [0.096, 12.0], [2.0, 2.00001], [1.4, 2.4]];
        let shown = ["3.98-4.02", "1.047-1.051", "1.98-2.04", "0.096-12", "2.0-2.0", "1.40-2.40"];
        assert_eq!(ranges.map(factors), shown);
        assert_eq!(range(Some(RatioRange { low: 1.047, high: 1.0512, confidence: 0.95 })), "1.047-1.051");
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
        assert_eq!(said(0.98, range(0.9, 1.1), Metric::Wall), "lmdb 1.02x as fast (0.91-1.11)");
        assert_eq!(amount(4.0, range(2.0, 5.0), Metric::Wall, None), "4.0x slower (2.0-5.0)");
        assert_eq!(amount(2.0, None, Metric::Database, None), "2.0x more");
    }
}
