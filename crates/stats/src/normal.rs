//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The probability that a standard normal variable exceeds `z`: `erfc(z / sqrt 2) / 2`.
///
/// Accurate to about 1e-15 relative for |z| < 8, and 1e-12 out to where it vanishes (z = 38).
pub fn upper_tail(z: f64) -> f64 {
    0.5 * erfc(z * FRAC_1_SQRT_2)
}

/// The z, 0 or more, that a standard normal variable exceeds in absolute value with probability `p`: 1.96 for 0.05.
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

// The coefficients of CALERF (netlib.org/specfun/erf): W. J. Cody, "Rational Chebyshev approximations for the error
// function", Mathematics of Computation 23 (1969), 631-637. Highest power first.

/// erf(x) / x over x^2, for |x| <= 0.46875.
const SMALL: ([f64; 5], [f64; 5]) = (
    [
        1.857_777_061_846_031_5e-1,
        3.161_123_743_870_565_5,
        1.138_641_541_510_501_6e2,
        3.774_852_376_853_02e2,
        3.209_377_589_138_469_4e3,
    ],
    [1.0, 2.360_129_095_234_412_2e1, 2.440_246_379_344_441_7e2, 1.282_616_526_077_372_3e3, 2.844_236_833_439_171e3],
);

/// erfc(x) exp(x^2) over x, for 0.46875 < x <= 4.
const MIDDLE: ([f64; 9], [f64; 9]) = (
    [
        2.153_115_354_744_038_3e-8,
        5.641_884_969_886_701e-1,
        8.883_149_794_388_377,
        6.611_919_063_714_163e1,
        2.986_351_381_974_001e2,
        8.819_522_212_417_69e2,
        1.712_047_612_634_070_7e3,
        2.051_078_377_826_071_6e3,
        1.230_339_354_797_997_2e3,
    ],
    [
        1.0,
        1.574_492_611_070_983_5e1,
        1.176_939_508_913_125e2,
        5.371_811_018_620_099e2,
        1.621_389_574_566_690_3e3,
        3.290_799_235_733_459_7e3,
        4.362_619_090_143_247e3,
        3.439_367_674_143_721_6e3,
        1.230_339_354_803_749_3e3,
    ],
);

/// x^2 (1 - sqrt(pi) x erfc(x) exp(x^2)) / sqrt(pi) over 1 / x^2, for x > 4.
const LARGE: ([f64; 6], [f64; 6]) = (
    [
        1.631_538_713_730_209_7e-2,
        3.053_266_349_612_323_6e-1,
        3.603_448_999_498_044_5e-1,
        1.257_817_261_112_292_6e-1,
        1.608_378_514_874_228e-2,
        6.587_491_615_298_378e-4,
    ],
    [
        1.0,
        2.568_520_192_289_822,
        1.872_952_849_923_467_3,
        5.279_051_029_514_285e-1,
        6.051_834_131_244_132e-2,
        2.335_204_976_268_691_8e-3,
    ],
);

/// The complementary error function, `2 / sqrt(pi)` times the integral of `exp(-t^2)` from `x` to infinity.
///
/// W. J. Cody's rational approximations (1969); within 1e-15 relative for x < 4, within 1e-14 beyond.
pub fn erfc(x: f64) -> f64 {
    let y = x.abs();
    if y <= 0.468_75 {
        return 1.0 - x * fraction(&SMALL, y * y);
    }
    let tail = if y <= 4.0 {
        exp_minus_square(y) * fraction(&MIDDLE, y)
    } else {
        let inverse = 1.0 / (y * y);
        let correction = inverse * fraction(&LARGE, inverse);
        exp_minus_square(y) * (1.0 / PI.sqrt() - correction) / y
    };
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// One polynomial over another, at `x`.
fn fraction<const N: usize>((above, below): &([f64; N], [f64; N]), x: f64) -> f64 {
    let at = |polynomial: &[f64; N]| polynomial.iter().fold(0.0, |sum, term| sum * x + term);
    at(above) / at(below)
}

/// `exp(-y^2)` without the rounding error of `y^2`: the square is split at a multiple of 1/16, as CALERF does.
fn exp_minus_square(y: f64) -> f64 {
    let coarse = (y * 16.0).trunc() / 16.0;
    if !coarse.is_finite() {
        return 0.0;
    }
    let rest = (y - coarse) * (y + coarse);
    (-coarse * coarse).exp() * (-rest).exp()
}
