//! The statistics compared with published numbers and textbooks.

use super::*;

#[test]
fn split_mix_64_gives_the_published_numbers() {
    let mut rng = SplitMix64::new(1_234_567);
    let want = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    assert_eq!(want.map(|_| rng.next_u64()), want);
}

#[test]
#[allow(clippy::approx_constant, reason = "3.14 is a depression score")]
fn the_textbook_examples_come_out() {
    // Hollander and Wolfe, Table 3.1 (Hamilton depression scale) and Table 4.1 (chorioamnion permeability), which R's
    // wilcox.test documents with p = 0.01953 and 0.1272, one-sided.
    let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let differences: Vec<f64> = before.iter().zip(after).map(|(x, y)| x - y).collect();
    let test = signed_rank(&differences).unwrap();
    assert_eq!(test.statistic, 5.0);
    close(test.p, 2.0 * 0.019_531_25, 1e-15, "signed rank");
    // Their estimate is 0.46, with 96.1 % interval [0.01, 0.786]; exp turns the differences into ratios.
    let ones = [1.0; 9];
    let ratio = paired_ratio(&differences.iter().map(|d| d.exp()).collect::<Vec<_>>(), &ones).unwrap();
    close(ratio.ratio, 0.46_f64.exp(), 1e-12, "estimate");
    close(ratio.low, 0.01_f64.exp(), 1e-12, "low");
    close(ratio.high, 0.786_f64.exp(), 1e-12, "high");
    close(ratio.confidence, 0.961, 1e-3, "confidence");

    let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    let early = [1.15, 0.88, 0.90, 0.74, 1.21];
    let test = rank_sum(&at_term, &early).unwrap();
    assert_eq!(test.statistic, 35.0);
    close(test.p, 0.254_412_254_412_254_4, 1e-14, "rank sum");
}

#[test]
fn the_smallest_p_of_two_samples_is_the_known_one() {
    for (n, want) in [(3, 0.1), (4, 2.0 / 70.0), (5, 2.0 / 252.0), (6, 2.0 / 924.0), (10, 2.0 / 184_756.0)] {
        let low: Vec<f64> = (0..n).map(f64::from).collect();
        let high: Vec<f64> = (n..2 * n).map(f64::from).collect();
        close(rank_sum(&low, &high).unwrap().p, want, 1e-15, &format!("{n}"));
    }
}
