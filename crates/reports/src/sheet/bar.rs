//! An interval as a line of characters.

use serde::Serialize;

/// An estimate with its interval; without an interval both ends are the estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BarInterval {
    pub at: f64,
    pub low: f64,
    pub high: f64,
}

/// The farthest distance of a bar's end from 1 in either direction, as a factor.
const FARTHEST: f64 = 100.0;

/// Returns how far the bars of these ratios reach from 1 in either direction, as a factor.
pub fn reach(ratios: impl Iterator<Item = BarInterval>) -> f64 {
    let away = |ratio: f64| ratio.max(1.0 / ratio);
    let farthest = |ratio: BarInterval| away(ratio.at).max(away(ratio.low)).max(away(ratio.high));
    ratios.map(farthest).fold(1.1, f64::max).min(FARTHEST)
}

/// Draws the interval as a line, the ratio as a diamond and 1 as a bar in the middle, on a log axis. An end that is beyond the axis is an
/// arrow.
pub fn bar(ratio: BarInterval, width: usize, reach: f64) -> String {
    let BarInterval { at: estimate, low, high } = ratio;
    let last = width.saturating_sub(1);
    let middle = last as f64 / 2.0;
    let place = |ratio: f64| (middle + middle * ratio.ln() / reach.ln()).round();
    let at = |ratio: f64| (place(ratio).max(0.0) as usize).min(last);
    let mut cells = vec![' '; width];
    if low < high {
        cells[at(low)..=at(high)].fill('━');
    }
    cells[at(1.0)] = '│';
    cells[at(estimate)] = '◆';
    // An arrow never hides the ratio itself, unless the ratio is beyond the axis too.
    if place(low) < 0.0 && (at(estimate) > 0 || place(estimate) < 0.0) {
        cells[0] = '◀';
    }
    if place(high) > last as f64 && (at(estimate) < last || place(estimate) > last as f64) {
        cells[last] = '▶';
    }
    cells.into_iter().collect()
}

/// Draws a magnitude as a bar from 0, which has the length `width` at `most`: full up to the low end of its interval, lighter up to the estimate, and
/// lightest up to the high end.
pub fn magnitude(of: BarInterval, width: usize, most: f64) -> String {
    let cells = |value: f64| ((value / most * width as f64).round() as usize).clamp(1, width);
    let [low, at, high] = [of.low, of.at, of.high].map(cells);
    let part = |from: usize, to: usize, sign: &str| sign.repeat(to.saturating_sub(from));
    part(0, low.min(at), "█") + &part(low, at, "▓") + &part(at, high, "░")
}

/// A part of a stacked bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Its class in the style sheet.
    pub class: &'static str,
    /// The character that text is filled with.
    pub fill: char,
    /// Its name and its value, for the key; empty: it is too small to be named.
    pub about: String,
    pub value: f64,
}

/// Draws the slices one after the other. Together they have the length `width` at `most`.
pub fn stacked(slices: &[Slice], width: usize, most: f64) -> String {
    let cells = |value: f64| (value / most * width as f64).round() as usize;
    let mut drawn = String::new();
    let mut sum = 0.0;
    for slice in slices {
        let from = cells(sum);
        sum += slice.value;
        drawn.extend(std::iter::repeat_n(slice.fill, cells(sum).min(width).saturating_sub(from)));
    }
    drawn
}

/// Returns the key of a stacked bar: `█ CPU 6.1 ms · ▒ syncs 9.8 ms`, the largest first.
pub fn key(slices: &[Slice]) -> String {
    let named: Vec<String> =
        largest_first(slices).into_iter().map(|slice| format!("{} {}", slice.fill, slice.about)).collect();
    named.join(" · ")
}

/// Returns the slices that are named.
pub fn largest_first(slices: &[Slice]) -> Vec<&Slice> {
    let mut named: Vec<&Slice> = slices.iter().filter(|slice| !slice.about.is_empty()).collect();
    named.sort_by(|one, next| next.value.total_cmp(&one.value));
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(at: f64, low: f64, high: f64, width: usize) -> String {
        bar(BarInterval { at, low, high }, width, 10.0)
    }

    #[test]
    fn a_magnitude_begins_at_0_and_its_interval_is_lighter() {
        let drawn = |at, low, high| magnitude(BarInterval { at, low, high }, 10, 5.0);
        assert_eq!(drawn(4.0, 3.0, 5.0), "██████▓▓░░");
        assert_eq!(drawn(1.0, 1.0, 1.0), "██");
        assert_eq!(drawn(0.01, 0.01, 0.02), "█", "something is there");
    }

    #[test]
    fn slices_are_as_long_as_their_sum() {
        let slice = |fill, value| Slice { class: "", fill, about: String::new(), value };
        let drawn = |most| stacked(&[slice('a', 3.0), slice('b', 0.4), slice('c', 2.6)], 12, most);
        assert_eq!(drawn(6.0), "aaaaaabccccc");
        assert_eq!(drawn(12.0), "aaaccc", "a slice may be too thin to be seen");
        assert_eq!(stacked(&[], 12, 1.0), "");
    }

    #[test]
    fn the_axis_is_logarithmic_and_ends_beyond_it_are_arrows() {
        assert_eq!(drawn(1.0, 0.1, 10.0, 11), "━━━━━◆━━━━━");
        assert_eq!(drawn(0.1, 0.05, 0.2, 11), "◆━━  │     ");
        assert_eq!(drawn(0.05, 0.05, 0.05, 11), "◀    │     ");
        assert_eq!(drawn(3.2, 2.0, 20.0, 11), "     │ ━◆━▶");
    }
}
