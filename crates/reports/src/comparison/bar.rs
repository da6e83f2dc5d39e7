//! The interval of a ratio as a line of characters.

use dbdyno_comparing::compare::{JudgedRatio, Line};

/// How far the bars of these lines reach to either side of 1, as a factor.
pub fn reach(lines: &[Line]) -> f64 {
    let away = |ratio: f64| ratio.max(1.0 / ratio);
    let ends = |found: &JudgedRatio| found.interval.map_or(1.0, |interval| away(interval.low).max(away(interval.high)));
    let found = lines.iter().filter_map(|line| line.found.as_ref());
    found.map(|found| away(found.ratio).max(ends(found))).fold(1.1, f64::max).min(100.0)
}

/// The interval as a line, the ratio as a diamond, 1 as a bar in the middle; on a log axis. An end that lies beyond the
/// axis is an arrow.
pub fn draw(found: &JudgedRatio, width: usize, reach: f64) -> String {
    let last = width.saturating_sub(1);
    let middle = last as f64 / 2.0;
    let place = |ratio: f64| (middle + middle * ratio.ln() / reach.ln()).round();
    let at = |ratio: f64| (place(ratio).max(0.0) as usize).min(last);
    let mut cells = vec![' '; width];
    if let Some(interval) = found.interval {
        cells[at(interval.low)..=at(interval.high)].fill('━');
    }
    cells[at(1.0)] = '│';
    cells[at(found.ratio)] = '◆';
    let (low, high) = found.interval.map_or((found.ratio, found.ratio), |interval| (interval.low, interval.high));
    // The ratio itself is never hidden by an arrow, unless it lies beyond too.
    if place(low) < 0.0 && (at(found.ratio) > 0 || place(found.ratio) < 0.0) {
        cells[0] = '◀';
    }
    if place(high) > last as f64 && (at(found.ratio) < last || place(found.ratio) > last as f64) {
        cells[last] = '▶';
    }
    cells.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_comparing::compare::RatioRange;
    use dbdyno_stats::Verdict;

    fn drawn(ratio: f64, low: f64, high: f64, width: usize) -> String {
        let interval = Some(RatioRange { low, high, confidence: 0.95 });
        let verdict = Verdict::Undecided { more_rounds: None };
        let found = JudgedRatio {
            verdict,
            ratio,
            median_ratio: ratio,
            interval,
            paired: true,
            exact: false,
            sessions: None,
            p: None,
            p_adjusted: None,
        };
        draw(&found, width, 10.0)
    }

    #[test]
    fn the_axis_is_logarithmic_and_ends_beyond_it_are_arrows() {
        assert_eq!(drawn(1.0, 0.1, 10.0, 11), "━━━━━◆━━━━━");
        assert_eq!(drawn(0.1, 0.05, 0.2, 11), "◆━━  │     ");
        assert_eq!(drawn(0.05, 0.05, 0.05, 11), "◀    │     ");
        assert_eq!(drawn(3.2, 2.0, 20.0, 11), "     │ ━◆━▶");
    }
}
