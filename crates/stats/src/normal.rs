//! The standard normal distribution.

use libm::erfc;
use std::f64::consts::FRAC_1_SQRT_2;

/// Returns the probability that a standard normal variable exceeds `z`: `erfc(z / sqrt 2) / 2`.
///
/// Accurate to about 1e-15 relative for |z| < 8, and 1e-12 out to where it vanishes (z = 38).
pub fn upper_tail(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// Returns the z, 0 or more, that a standard normal variable exceeds in absolute value with probability `p`: 1.96 for 0.05.
///
/// Infinite for `p <= 0`, 0 for `p >= 1`, NaN for NaN. Found by bisection on [`upper_tail`].
pub fn two_sided_z(p: f64) -> f64 {
    if p.is_nan() {
        return f64::NAN;
    }
    if p <= 0.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 40.0);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return low;
        }
        if 2.0 * upper_tail(middle) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
}
