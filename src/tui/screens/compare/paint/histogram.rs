//! The latencies of both sides as curves on one logarithmic axis.

use crate::tui::widgets::curves::{Curve, CurveAxis};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::Latency;
use dbdyno_foundation::base::units::duration;

/// Buckets in a power of ten, as [`Bucket::end`](dbdyno_comparing::compare::Bucket) counts them.
const PER_DECADE: u32 = 20;

/// Buckets between ends that are close.
const CLOSE: f64 = 40.0;

/// Returns the share of a side's operations in each bucket, from the first to the last that has any.
pub(super) fn curve(latency: &Latency, mark: char, role: Role) -> Curve {
    let ends = || latency.buckets.iter().map(|bucket| bucket.end);
    let (first, last) = (ends().min().unwrap_or(1), ends().max().unwrap_or(1));
    let mut points = vec![(f64::from(first) - 1.0, 0.0)];
    for end in first..=last {
        let operations: u64 = latency.buckets.iter().filter(|one| one.end == end).map(|one| one.operations).sum();
        points.push((f64::from(end), operations as f64 / latency.operations.max(1) as f64));
    }
    points.push((f64::from(last) + 1.0, 0.0));
    Curve { mark, role, points }
}

/// Returns the axis of both curves, with the powers of ten.
pub(super) fn axis(curves: &[Curve]) -> CurveAxis {
    let all = || curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| *x);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let decades = low.max(0.0) as u32 / PER_DECADE..=high.max(0.0) as u32 / PER_DECADE;
    // Between close ends, powers of ten alone are too few.
    let steps: &[f64] = if high - low < CLOSE { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let label = |decade: u32, step: f64| {
        let word = duration(step * 10_f64.powi(decade as i32)).replace(".00", "").replace(".0", "");
        (f64::from(PER_DECADE) * (f64::from(decade) + step.log10()), word)
    };
    let labels = decades.flat_map(|decade| steps.iter().map(move |step| label(decade, *step)));
    CurveAxis { low, high, labels: labels.filter(|(at, _)| (low..=high).contains(at)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_comparing::compare::Bucket;

    fn latency(buckets: &[(u32, u64)]) -> Latency {
        let operations = buckets.iter().map(|(_, operations)| operations).sum();
        let buckets = buckets.iter().map(|&(end, operations)| Bucket { end, operations }).collect();
        Latency { operations, p50_ns: None, p90_ns: None, p99_ns: None, p999_ns: None, buckets }
    }

    #[test]
    fn a_curve_has_the_share_of_each_bucket_and_falls_to_nothing_between_them() {
        let curve = curve(&latency(&[(60, 75), (62, 25)]), 'A', Role::A);
        assert_eq!(curve.points, [(59.0, 0.0), (60.0, 0.75), (61.0, 0.0), (62.0, 0.25), (63.0, 0.0)]);
    }

    #[test]
    fn ticks_are_powers_of_ten() {
        let wide = axis(&[curve(&latency(&[(41, 1), (101, 1)]), 'A', Role::A)]);
        let labels: Vec<(f64, &str)> = wide.labels.iter().map(|(at, label)| (*at, label.as_str())).collect();
        assert_eq!(labels, [(40.0, "100 ns"), (60.0, "1 µs"), (80.0, "10 µs"), (100.0, "100 µs")]);
        assert_eq!((wide.low, wide.high), (40.0, 102.0));
    }
}
