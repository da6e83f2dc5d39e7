//! The statistics against tables made with scipy (tests/tables/stats/make.py), published figures, their own laws, and
//! simulated sessions whose truth is known.

use std::time::{Duration, Instant};

use dbdyno::stats::*;
use dbdyno_workload::rng::SplitMix64;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The rows of a table; at least `fewest`, so that an empty table does not pass.
fn table<T: DeserializeOwned>(name: &str, fewest: usize) -> Vec<T> {
    let path = format!("{}/tests/tables/stats/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<T> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(rows.len() >= fewest, "{name} has only {} rows", rows.len());
    rows
}

#[track_caller]
fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    let scale = want.abs().max(f64::MIN_POSITIVE);
    assert!(got == want || (got - want).abs() <= tolerance * scale, "{what}: got {got}, want {want}");
}

/// Random numbers of the simulations.
struct Chance(SplitMix64);

impl Chance {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn gaussian(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn times(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| 100.0 * (0.05 * self.gaussian()).exp()).collect()
    }

    /// A session of `2 n` slots: 5 % linear drift, and noise of 2 % whose neighbours correlate by `rho` (AR(1)).
    fn session(&mut self, n: usize, rho: f64) -> Vec<f64> {
        let mut noise = 0.02 * self.gaussian();
        let slot = |k: usize| {
            let time = 100.0 * (1.0 + 0.05 * k as f64 / (2 * n) as f64) * noise.exp();
            noise = rho * noise + 0.02 * (1.0 - rho * rho).sqrt() * self.gaussian();
            time
        };
        (0..2 * n).map(slot).collect()
    }
}

// ---- Against scipy -------------------------------------------------------------------------------------------------

#[derive(Deserialize)]
struct RankTestRow {
    #[serde(default, alias = "d")]
    a: Vec<f64>,
    #[serde(default)]
    b: Vec<f64>,
    statistic: f64,
    p: f64,
    exact: bool,
}

impl RankTestRow {
    #[track_caller]
    fn check(&self, got: TestResult) {
        let what = format!("{:?} {:?}", self.a, self.b);
        assert_eq!(got.statistic, self.statistic, "{what}");
        assert_eq!(got.method == Method::Exact, self.exact, "{what}");
        close(got.p, self.p, 1e-11, &what);
    }
}

#[test]
fn the_signed_rank_test_agrees_with_scipy() {
    for row in table::<RankTestRow>("wilcoxon", 250) {
        row.check(signed_rank(&row.a).unwrap());
    }
}

#[test]
fn the_mann_whitney_test_agrees_with_scipy() {
    for row in table::<RankTestRow>("mann_whitney", 180) {
        row.check(rank_sum(&row.a, &row.b).unwrap());
    }
}

#[derive(Deserialize)]
struct RatioRow {
    a: Vec<f64>,
    b: Vec<f64>,
    ratio: f64,
    low: f64,
    high: f64,
    confidence: f64,
}

impl RatioRow {
    #[track_caller]
    fn check(&self, got: RatioInterval, runs: Runs) {
        let what = format!("{:?} {:?}", self.a, self.b);
        close(got.ratio, self.ratio, 1e-12, &what);
        close(got.low, self.low, 1e-12, &what);
        close(got.high, self.high, 1e-12, &what);
        close(got.confidence, self.confidence, 1e-12, &what);
        assert_eq!(got.runs, runs);
        assert!(got.low <= got.ratio && got.ratio <= got.high, "{what}");
        assert!(got.confidence >= CONFIDENCE);
    }
}

#[test]
fn the_paired_ratio_agrees_with_brute_force_over_all_walsh_averages() {
    for row in table::<RatioRow>("paired", 80) {
        row.check(paired_ratio(&row.a, &row.b).unwrap(), Runs::Paired(row.a.len()));
    }
}

#[derive(Deserialize)]
struct RatioAtRow {
    alpha: f64,
    #[serde(flatten)]
    row: RatioRow,
}

#[test]
fn the_paired_ratio_agrees_with_brute_force_at_other_confidences() {
    for RatioAtRow { alpha, row } in table::<RatioAtRow>("paired_at", 30) {
        let got = paired_ratio_at(&row.a, &row.b, alpha).unwrap();
        close(got.low, row.low, 1e-12, &format!("{alpha} low"));
        close(got.high, row.high, 1e-12, &format!("{alpha} high"));
        close(got.confidence, row.confidence, 1e-12, &format!("{alpha} confidence"));
        assert!(got.confidence >= 1.0 - alpha);
    }
    let few = [1.0; 6];
    assert_eq!(paired_ratio_at(&few, &few, 0.025).unwrap_err(), NoAnswer::TooFew { have: 6, need: 7 });
    assert_eq!(paired_ratio_at(&few, &few, 0.0).unwrap_err(), NoAnswer::NotAProbability(0.0));
}

#[test]
fn the_unpaired_ratio_agrees_with_brute_force_over_all_differences() {
    for row in table::<RatioRow>("unpaired", 80) {
        let runs = Runs::Unpaired(row.a.len(), row.b.len());
        row.check(unpaired_ratio(&row.a, &row.b).unwrap(), runs);
    }
}

#[derive(Deserialize)]
struct LeastSquaresRow {
    columns: Vec<Vec<f64>>,
    y: Vec<f64>,
    residual: f64,
    rank: usize,
    total: f64,
}

#[test]
fn least_squares_agree_with_numpy() {
    for row in table::<LeastSquaresRow>("least_squares", 10) {
        let got = least_squares(&row.columns, &row.y).unwrap();
        assert_eq!(got.rank, row.rank);
        // What is left of an exact fit is rounding.
        assert!((got.residual - row.residual).abs() <= 1e-10 * row.total, "{} {}", got.residual, row.residual);
    }
    assert!(least_squares(&[vec![1.0]], &[1.0, 2.0]).is_err());
    assert!(least_squares(&[], &[]).is_err());
}

#[derive(Deserialize)]
struct OrderRow {
    x: Vec<f64>,
    median: f64,
    quantiles: Vec<(f64, f64)>,
    interval: Option<(f64, f64, f64)>,
}

#[test]
fn medians_quantiles_and_median_intervals_agree_with_numpy_and_the_binomial() {
    for row in table::<OrderRow>("order", 40) {
        let what = format!("{:?}", row.x);
        close(median(&row.x).unwrap(), row.median, 1e-15, &what);
        for (q, want) in row.quantiles {
            close(quantile(&row.x, q).unwrap(), want, 1e-14, &format!("{q} of {what}"));
        }
        match (median_interval(&row.x), row.interval) {
            (Ok(got), Some((low, high, confidence))) => {
                assert_eq!((got.low, got.high), (low, high), "{what}");
                close(got.confidence, confidence, 1e-12, &what);
            }
            (Err(NoAnswer::TooFew { have, need: 6 }), None) => assert_eq!(have, row.x.len()),
            (got, want) => panic!("{what}: got {got:?}, want {want:?}"),
        }
    }
}

#[derive(Deserialize)]
struct NormalRow {
    x: f64,
    erfc: f64,
    upper_tail: f64,
}

#[derive(Deserialize)]
struct ZRow {
    p: f64,
    z: f64,
}

#[test]
fn the_normal_distribution_agrees_with_scipy_far_into_its_tail() {
    for NormalRow { x, erfc: want, upper_tail: tail } in table("normal", 250) {
        close(erfc(x), want, if x < 4.0 { 1e-15 } else { 1e-14 }, &format!("erfc({x})"));
        close(upper_tail(x), tail, if x < 8.0 { 1e-14 } else { 1e-12 }, &format!("upper_tail({x})"));
    }
    for ZRow { p, z } in table("quantiles_of_normal", 10) {
        close(two_sided_z(p), z, 1e-12, &format!("z of {p}"));
    }
    assert_eq!((erfc(f64::INFINITY), erfc(f64::NEG_INFINITY)), (0.0, 2.0));
    assert_eq!(two_sided_z(0.0), f64::INFINITY);
    assert!(erfc(f64::NAN).is_nan() && two_sided_z(f64::NAN).is_nan());
}

#[derive(Deserialize)]
struct HolmRow {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[test]
fn holm_agrees_with_its_definition_as_a_closed_test() {
    for HolmRow { p, adjusted } in table("holm", 30) {
        for (got, want) in holm(&p).unwrap().into_iter().zip(adjusted) {
            close(got, want, 1e-15, &format!("{p:?}"));
        }
    }
    assert_eq!(holm(&[]), Ok(vec![]));
}

#[derive(Deserialize)]
struct ValueRow {
    #[serde(alias = "r")]
    x: Vec<f64>,
    #[serde(alias = "floor")]
    mean: f64,
}

#[test]
fn the_geometric_mean_agrees_with_scipy() {
    for ValueRow { x, mean } in table("geometric_means", 15) {
        close(geometric_mean(&x).unwrap(), mean, 1e-13, &format!("{x:?}"));
    }
}

#[test]
fn the_noise_floor_is_the_95th_percentile_of_the_distance_from_1() {
    for ValueRow { x, mean: floor } in table("noise", 15) {
        close(noise_floor(&x).unwrap(), floor, 1e-12, &format!("{x:?}"));
    }
    assert_eq!(noise_floor(&[]), Err(NoAnswer::TooFew { have: 0, need: 1 }));
}

#[derive(Deserialize)]
struct BootstrapRow {
    x: Vec<f64>,
    seed: String,
    resamples: usize,
    low: f64,
    high: f64,
}

#[test]
fn the_bootstrap_is_the_same_in_every_language_for_a_seed() {
    for row in table::<BootstrapRow>("bootstrap", 4) {
        let mut rng = SplitMix64::new(row.seed.parse().unwrap());
        let mean = |drawn: &[&f64]| Some(drawn.iter().copied().sum::<f64>() / drawn.len() as f64);
        let got = bootstrap_interval(&row.x, row.resamples, &mut rng, mean).unwrap();
        close(got.low, row.low, 1e-13, "low");
        close(got.high, row.high, 1e-13, "high");
    }
}

// ---- Against publications ------------------------------------------------------------------------------------------

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
    // Their estimate is 0.46, with 96.1 % interval [0.01, 0.786]; exp makes ratios of the differences.
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

// ---- Laws ----------------------------------------------------------------------------------------------------------

#[test]
fn swapping_a_and_b_mirrors_everything() {
    let mut chance = Chance(SplitMix64::new(1));
    for n in [6, 7, 20, 50, 51] {
        let (a, b, longer) = (chance.times(n), chance.times(n), chance.times(n + 3));
        let mirrored: Vec<f64> = log_ratios(&b, &a).unwrap().iter().map(|r| -r).collect();
        assert_eq!(log_ratios(&a, &b).unwrap(), mirrored);
        assert_eq!(signed_rank(&mirrored).unwrap(), signed_rank(&log_ratios(&b, &a).unwrap()).unwrap());
        let (one, other) = (rank_sum(&a, &longer).unwrap(), rank_sum(&longer, &a).unwrap());
        assert_eq!(one.p, other.p);
        assert_eq!(one.statistic + other.statistic, (n * (n + 3)) as f64);
        for (one, other) in
            [(paired_ratio(&a, &b), paired_ratio(&b, &a)), (unpaired_ratio(&a, &longer), unpaired_ratio(&longer, &a))]
        {
            let (one, other) = (one.unwrap(), other.unwrap());
            close(one.ratio, 1.0 / other.ratio, 1e-14, "ratio");
            close(one.low, 1.0 / other.high, 1e-14, "low");
            close(one.high, 1.0 / other.low, 1e-14, "high");
        }
    }
}

#[test]
fn an_interval_excludes_1_exactly_when_its_test_is_significant_at_its_confidence() {
    let mut chance = Chance(SplitMix64::new(2));
    let (mut excluded, mut included) = (0, 0);
    for n in 6..=50 {
        for effect in [0.95, 0.97, 1.0, 1.04] {
            let a: Vec<f64> = chance.times(n).iter().map(|time| time * effect).collect();
            let (b, longer) = (chance.times(n), chance.times((n + 4).min(50)));
            let paired = signed_rank(&log_ratios(&a, &b).unwrap()).unwrap();
            for (interval, test) in [
                (paired_ratio(&a, &b).unwrap(), paired),
                (unpaired_ratio(&a, &longer).unwrap(), rank_sum(&a, &longer).unwrap()),
            ] {
                let excludes = interval.low > 1.0 || interval.high < 1.0;
                let significant = test.p <= (1.0 - interval.confidence) * (1.0 + 1e-9);
                assert_eq!(excludes, significant, "n={n} {interval:?} {test:?}");
                *(if excludes { &mut excluded } else { &mut included }) += 1;
            }
        }
    }
    assert!(excluded > 50 && included > 50, "{excluded} and {included}: one side is hardly tried");
}

#[test]
fn the_unit_of_time_does_not_matter() {
    let mut chance = Chance(SplitMix64::new(3));
    let (a, b) = (chance.times(12), chance.times(12));
    let scaled = |times: &[f64]| -> Vec<f64> { times.iter().map(|time| time * 1e9).collect() };
    let (one, other) = (paired_ratio(&a, &b).unwrap(), paired_ratio(&scaled(&a), &scaled(&b)).unwrap());
    close(one.ratio, other.ratio, 1e-14, "paired");
    let (one, other) = (unpaired_ratio(&a, &b).unwrap(), unpaired_ratio(&scaled(&a), &scaled(&b)).unwrap());
    close(one.low, other.low, 1e-13, "unpaired");
}

#[test]
fn pairs_with_a_ratio_and_its_inverse_are_ties() {
    assert_eq!(log_ratios(&[3.0, 7.0], &[7.0, 3.0]).unwrap()[0].abs(), (7.0_f64 / 3.0).ln());
    let test = signed_rank(&log_ratios(&[3.0, 7.0, 5.0], &[7.0, 3.0, 4.0]).unwrap()).unwrap();
    assert_eq!((test.statistic, test.method), (2.5, Method::Normal));
}

#[test]
fn times_too_far_apart_to_divide_still_have_a_ratio() {
    let logs = log_ratios(&[1e300], &[1e-300]).unwrap();
    close(logs[0], 600.0 * 10.0_f64.ln(), 1e-15, "log ratio");
    let no_ratio = paired_ratio(&[1e300; 6], &[1e-300; 6]);
    assert_eq!(no_ratio, Err(NoAnswer::NotFinite(f64::INFINITY)));
}

#[test]
fn equal_times_give_a_ratio_of_exactly_1_and_no_significance() {
    let same = [5.0; 8];
    let ratio = paired_ratio(&same, &same).unwrap();
    assert_eq!((ratio.low, ratio.ratio, ratio.high), (1.0, 1.0, 1.0));
    assert_eq!(unpaired_ratio(&same, &same).unwrap().ratio, 1.0);
    assert_eq!(signed_rank(&[0.0; 8]).unwrap().p, 1.0);
    assert_eq!(rank_sum(&same, &same).unwrap().p, 1.0);
}

#[test]
fn the_spread_is_relative_to_the_median() {
    let got = spread(&[30.0, 10.0, 20.0, 24.0]).unwrap();
    assert_eq!((got.low, got.high), (10.0 / 22.0, 30.0 / 22.0));
}

#[test]
fn a_quantile_between_extremes_of_both_signs_does_not_overflow() {
    close(quantile(&[-1.7e308, 1.7e308], 0.25).unwrap(), -0.85e308, 1e-15, "quarter");
    assert_eq!(median(&[1.7e308, 1.7e308]), Ok(1.7e308));
}

// ---- Refusals ------------------------------------------------------------------------------------------------------

#[test]
fn values_without_a_logarithm_are_refused_with_the_reason() {
    let good = [1.0; 6];
    for (bad, reason) in [
        (0.0, "0 is not positive, so it has no ratio"),
        (-2.5, "-2.5 is not positive, so it has no ratio"),
        (f64::NAN, "NaN is not a finite number"),
        (f64::INFINITY, "inf is not a finite number"),
    ] {
        let wrong = [1.0, 1.0, bad, 1.0, 1.0, 1.0];
        let refusals = [
            paired_ratio(&wrong, &good).unwrap_err(),
            paired_ratio(&good, &wrong).unwrap_err(),
            unpaired_ratio(&wrong, &good).unwrap_err(),
            unpaired_ratio(&good, &wrong).unwrap_err(),
            geometric_mean(&wrong).unwrap_err(),
            spread(&wrong).unwrap_err(),
        ];
        for refusal in refusals {
            assert_eq!(refusal.to_string(), reason);
        }
    }
}

#[test]
fn nan_and_infinity_are_refused_by_everything_that_sorts() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let wrong = [1.0, bad, 3.0, 4.0, 5.0, 6.0];
        let is_refused = |error: NoAnswer| matches!(error, NoAnswer::NotFinite(v) if v.to_bits() == bad.to_bits());
        assert!(is_refused(median(&wrong).unwrap_err()));
        assert!(is_refused(quantile(&wrong, 0.5).unwrap_err()));
        assert!(is_refused(median_interval(&wrong).unwrap_err()));
        assert!(is_refused(signed_rank(&wrong).unwrap_err()));
        assert!(is_refused(rank_sum(&wrong, &[1.0]).unwrap_err()));
        assert!(is_refused(rank_sum(&[1.0], &wrong).unwrap_err()));
        assert!(is_refused(noise_floor(&wrong).unwrap_err()));
        let result = bootstrap_interval(&wrong, 10, &mut SplitMix64::new(0), |_| Some(bad));
        assert!(is_refused(result.unwrap_err()));
    }
}

#[test]
fn too_few_values_are_refused_with_the_number_needed() {
    let five = [1.0, 2.0, 3.0, 4.0, 5.0];
    let six = [1.0; 6];
    let need_6 = NoAnswer::TooFew { have: 5, need: 6 };
    assert_eq!(need_6.to_string(), "need >= 6 runs, have 5");
    assert_eq!(median_interval(&five), Err(need_6));
    assert_eq!(paired_ratio(&five, &five), Err(need_6));
    assert_eq!(unpaired_ratio(&five, &six), Err(need_6));
    assert_eq!(unpaired_ratio(&six, &five), Err(need_6));
    let mut rng = SplitMix64::new(0);
    assert_eq!(bootstrap_interval(&five, 10, &mut rng, |_| Some(1.0)), Err(need_6));

    let need_1 = NoAnswer::TooFew { have: 0, need: 1 };
    assert_eq!(median(&[]), Err(need_1));
    assert_eq!(quantile(&[], 0.5), Err(need_1));
    assert_eq!(spread(&[]), Err(need_1));
    assert_eq!(geometric_mean(&[]), Err(need_1));
    assert_eq!(signed_rank(&[]), Err(need_1));
    assert_eq!(rank_sum(&[], &six), Err(need_1));
    assert_eq!(rank_sum(&six, &[]), Err(need_1));
    assert_eq!(bootstrap_interval(&six, 0, &mut rng, |_| Some(1.0)), Err(need_1));
    assert_eq!(bootstrap_interval(&six, 10, &mut rng, |_| None), Err(NoAnswer::Undefined));
}

#[test]
fn pairs_of_different_lengths_are_refused() {
    let refusal = NoAnswer::UnequalLengths { a: 6, b: 7 };
    assert_eq!(paired_ratio(&[1.0; 6], &[1.0; 7]), Err(refusal));
    assert_eq!(log_ratios(&[1.0; 6], &[1.0; 7]), Err(refusal));
}

#[test]
fn what_is_no_probability_is_refused() {
    for bad in [-0.01, 1.01, f64::NAN] {
        assert!(matches!(quantile(&[1.0], bad), Err(NoAnswer::NotAProbability(_))));
        assert!(matches!(holm(&[0.5, bad]), Err(NoAnswer::NotAProbability(_))));
    }
}

// ---- Speed ---------------------------------------------------------------------------------------------------------

#[test]
fn the_largest_exact_test_takes_well_under_10_milliseconds() {
    let a: Vec<f64> = (0..50).map(|i| f64::from(i * 2)).collect();
    let b: Vec<f64> = (0..50).map(|i| f64::from(i * 2 + 1)).collect();
    let timed = || {
        let start = Instant::now();
        assert_eq!(rank_sum(&a, &b).unwrap().method, Method::Exact);
        start.elapsed()
    };
    let fastest = (0..5).map(|_| timed()).min().unwrap();
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 100 } else { 10 });
    assert!(fastest < limit, "{fastest:?}");
}

#[test]
fn a_selection_of_many_thousand_runs_is_compared_without_making_all_its_pairs() {
    let b: Vec<f64> = (0..20_001).map(|i| 1.0 + f64::from(i) / 1e5).collect();
    let a: Vec<f64> = b.iter().map(|time| time * 2.0).collect();
    let paired = paired_ratio(&a, &b).unwrap();
    close(paired.low, 2.0, 1e-12, "paired low");
    close(paired.high, 2.0, 1e-12, "paired high");
    let unpaired = unpaired_ratio(&a, &b).unwrap();
    close(unpaired.ratio, 2.0, 1e-12, "unpaired");
    assert!(unpaired.low > 1.99 && unpaired.low < 2.0 && unpaired.high > 2.0 && unpaired.high < 2.01);
}

// ---- Verdicts ------------------------------------------------------------------------------------------------------

fn ratio_of(ratio: f64, low: f64, high: f64, runs: Runs) -> RatioInterval {
    RatioInterval { ratio, low, high, confidence: 0.96, runs }
}

fn verdict(ratio: f64, low: f64, high: f64, p: f64, noise_floor: f64) -> Verdict {
    let interval = Ok(ratio_of(ratio, low, high, Runs::Paired(10)));
    let evidence = Evidence { interval, p_adjusted: p, noise_floor, tests: 1 };
    evidence.verdict().unwrap()
}

#[test]
fn a_difference_is_called_only_when_p_interval_and_noise_floor_agree() {
    assert_eq!(verdict(0.80, 0.75, 0.85, 0.01, 0.01), Verdict::Faster);
    assert_eq!(verdict(1.25, 1.20, 1.30, 0.01, 0.01), Verdict::Slower);
    let undecided = |verdict| matches!(verdict, Verdict::Undecided { .. });
    assert!(undecided(verdict(0.80, 0.75, 0.85, 0.05, 0.01)), "p is not below 0.05");
    assert!(undecided(verdict(0.80, 0.75, 1.00, 0.01, 0.01)), "the interval touches 1");
    assert!(undecided(verdict(1.20, 1.00, 1.40, 0.01, 0.01)), "the interval touches 1");
    assert!(undecided(verdict(0.80, 0.75, 0.85, 0.01, 0.21)), "within the noise");
    assert!(undecided(verdict(1.20, 1.15, 1.25, 0.01, 0.21)), "within the noise");
    assert!(undecided(verdict(0.80, 0.75, 0.85, f64::NAN, 0.01)), "p is unknown");
}

#[test]
fn an_interval_within_3_percent_without_a_shown_difference_is_the_same() {
    assert_eq!(verdict(1.0, 0.97, 1.03, 0.9, 0.01), Verdict::Same);
    assert_eq!(verdict(0.995, 0.99, 0.999, 0.001, 0.01), Verdict::Same, "shown, but within the noise");
    assert_ne!(verdict(1.0, 0.969, 1.02, 0.9, 0.01), Verdict::Same);
    assert_ne!(verdict(1.0, 0.98, 1.031, 0.9, 0.01), Verdict::Same);
}

#[test]
fn a_shown_difference_of_2_percent_is_a_difference_though_it_is_within_3_percent() {
    assert_eq!(verdict(0.98, 0.975, 0.985, 0.001, 0.01), Verdict::Faster);
    assert_eq!(verdict(1.02, 1.015, 1.025, 0.001, 0.01), Verdict::Slower);
}

#[test]
fn too_few_runs_are_a_verdict_and_other_reasons_are_handed_on() {
    let evidence = |interval| Evidence { interval, p_adjusted: 0.5, noise_floor: 0.01, tests: 1 };
    let few = paired_ratio(&[1.0; 5], &[1.0; 5]);
    assert_eq!(evidence(few).verdict(), Ok(Verdict::TooFew { need: 6 }));
    let unequal = paired_ratio(&[1.0; 6], &[1.0; 7]);
    assert_eq!(evidence(unequal).verdict(), Err(NoAnswer::UnequalLengths { a: 6, b: 7 }));
}

#[test]
fn the_rounds_asked_for_decide_and_one_fewer_would_not() {
    let mut asked = vec![];
    for (ratio, half, floor) in
        [(1.02, 0.05, 0.01), (0.9, 0.2, 0.01), (1.0, 0.05, 0.01), (0.99, 0.04, 0.01), (1.5, 0.41, 0.3)]
    {
        // Intervals as they would be after `more` rounds, if the ratio stays.
        let after = |more: usize| {
            let half = half * (12.0 / (12 + more) as f64).sqrt();
            let ln = f64::ln(ratio);
            ratio_of(ratio, (ln - half).exp(), (ln + half).exp(), Runs::Paired(12 + more))
        };
        let decided = |interval: RatioInterval| {
            let p_adjusted = if interval.low > 1.0 || interval.high < 1.0 { 0.04 } else { 0.06 };
            let evidence = Evidence { interval: Ok(interval), p_adjusted, noise_floor: floor, tests: 1 };
            !matches!(evidence.verdict().unwrap(), Verdict::Undecided { .. })
        };
        let more = more_rounds(&after(0), floor, 1).unwrap() as usize;
        assert!(decided(after(more)), "{ratio}: {more} rounds do not decide");
        assert!(!decided(after(more - 1)), "{ratio}: fewer than {more} rounds decide");
        asked.push(more);
    }
    // (0.05 / ln 1.02)^2 = 6.375 times the rounds for the first.
    assert_eq!(asked[0], 65);
}

#[test]
fn unpaired_runs_narrow_with_both_sides() {
    // Needs the width to fall to ln 1.03 / 0.05 = 0.5912 of itself: 1/(8+k) + 1/(40+k) <= 0.3495 (1/8 + 1/40).
    let half = 0.05_f64;
    let interval = ratio_of(1.0, (-0.03_f64).exp(), half.exp(), Runs::Unpaired(8, 40));
    let width = |k: f64| 1.0 / (8.0 + k) + 1.0 / (40.0 + k);
    let narrow = (1.03_f64.ln() / half).powi(2) * width(0.0);
    let more = more_rounds(&interval, 0.01, 1).unwrap();
    assert!(width(f64::from(more)) <= narrow && width(f64::from(more - 1)) > narrow, "{more}");
}

#[test]
fn more_rounds_than_the_cap_are_out_of_reach() {
    let wide = ratio_of(1.0, 0.5, 2.0, Runs::Paired(6));
    assert_eq!(more_rounds(&wide, 0.01, 1), None);
    let beyond_the_band_and_within_the_noise = ratio_of(1.05, 0.9, 1.2, Runs::Paired(6));
    assert_eq!(more_rounds(&beyond_the_band_and_within_the_noise, 0.06, 1), None);
    assert!(more_rounds(&beyond_the_band_and_within_the_noise, 0.04, 1).is_some());
}

#[test]
fn a_table_of_many_tests_asks_for_the_rounds_that_holm_needs() {
    assert_eq!([1, 2, 5, 18].map(rounds_needed), [6, 7, 8, 10]);
    for tests in 1..200 {
        let n = rounds_needed(tests);
        let p_of_the_clearest = |n: usize| signed_rank(&(1..=n).map(|i| i as f64).collect::<Vec<_>>()).unwrap().p;
        assert!(p_of_the_clearest(n) * (tests as f64) < ALPHA, "{tests}");
        assert!(p_of_the_clearest(n - 1) * (tests as f64) >= ALPHA, "{tests}");
    }
    // Six clear rounds of 18 tests: p = 2/64 each, adjusted 0.56. Four more rounds make it possible.
    let clear = Evidence {
        interval: Ok(ratio_of(0.5, 0.49, 0.51, Runs::Paired(6))),
        p_adjusted: 18.0 * 2.0 / 64.0,
        noise_floor: 0.01,
        tests: 18,
    };
    assert_eq!(clear.verdict(), Ok(Verdict::Undecided { more_rounds: Some(4) }));
    // Unpaired, 6 and 6 runs have 924 rankings: enough for 23 tests, and 7 and 7 for more.
    let clear = |n| more_rounds(&ratio_of(0.5, 0.49, 0.51, Runs::Unpaired(n, n)), 0.01, 24);
    assert_eq!((clear(4), clear(5)), (Some(3), Some(2)));
}

#[test]
fn a_table_of_many_tests_asks_for_an_interval_as_narrow_as_holm_needs() {
    // Rounds go with the square of z: 1.960 for one test, 2.991 for 18 (0.05 / 18, two-sided).
    let interval = ratio_of(1.1, 1.1 / 1.2, 1.1 * 1.2, Runs::Paired(20));
    let needed = |z: f64| (20.0 * (1.2_f64.ln() / 1.1_f64.ln() * z / 1.959_964).powi(2)).ceil() as u32 - 20;
    assert_eq!(more_rounds(&interval, 0.01, 1), Some(needed(1.959_964)));
    assert_eq!(more_rounds(&interval, 0.01, 18), Some(needed(2.991_316)));
    assert_eq!(more_rounds(&interval, 0.01, 0), more_rounds(&interval, 0.01, 1));
}

#[test]
fn only_the_side_of_the_interval_towards_1_keeps_a_difference_undecided() {
    let [above, below] = [[1.1, 1.0, 9.0], [0.9, 0.1, 1.0]].map(|[ratio, low, high]| {
        let interval = ratio_of(ratio, low, high, Runs::Paired(10));
        more_rounds(&interval, 0.01, 1)
    });
    assert_eq!((above, below), (Some(1), Some(1)));
}

// ---- Simulated sessions --------------------------------------------------------------------------------------------

/// Of 2,000 sessions of 20 rounds with B's times made `effect` times A's: the part with p < 0.05, and the part whose
/// verdict is a difference.
fn found(effect: f64, rho: f64, slots: impl Fn(usize) -> (usize, usize)) -> (f64, f64) {
    const SESSIONS: u32 = 2000;
    let mut chance = Chance(SplitMix64::new(20_261_121));
    let (mut significant, mut called) = (0, 0);
    for _ in 0..SESSIONS {
        let session = chance.session(20, rho);
        let a: Vec<f64> = (0..20).map(|round| session[slots(round).0]).collect();
        let b: Vec<f64> = (0..20).map(|round| session[slots(round).1] * effect).collect();
        let p = signed_rank(&log_ratios(&a, &b).unwrap()).unwrap().p;
        let interval = paired_ratio(&a, &b);
        let evidence = Evidence { interval, p_adjusted: p, noise_floor: DEFAULT_NOISE_FLOOR, tests: 1 };
        let verdict = evidence.verdict().unwrap();
        significant += u32::from(p < ALPHA);
        called += u32::from(matches!(verdict, Verdict::Faster | Verdict::Slower));
    }
    (f64::from(significant) / f64::from(SESSIONS), f64::from(called) / f64::from(SESSIONS))
}

/// Rounds of A B, B A, A B, ...
fn abba(round: usize) -> (usize, usize) {
    if round.is_multiple_of(2) { (2 * round, 2 * round + 1) } else { (2 * round + 1, 2 * round) }
}

#[test]
fn abba_keeps_false_alarms_at_5_percent_under_drift_and_correlated_noise() {
    for rho in [0.0, 0.8] {
        let (significant, called) = found(1.0, rho, abba);
        assert!((0.035..=0.06).contains(&significant), "rho {rho}: {significant}");
        assert!(called <= 0.055, "rho {rho}: {called}");
    }
    // Its worst case: the runs of neighbouring rounds that touch are of the same side, and correlate.
    let (significant, called) = found(1.0, 0.5, abba);
    assert!(significant <= 0.08 && called <= 0.05, "rho 0.5: {significant} {called}");
}

#[test]
fn all_of_a_before_all_of_b_gives_false_alarms_in_most_sessions() {
    let (significant, called) = found(1.0, 0.8, |round| (round, 20 + round));
    assert!(significant > 0.6 && called > 0.6, "{significant} {called}");
}

#[test]
fn abba_finds_a_true_difference_of_2_percent() {
    let (_, white) = found(1.02, 0.0, abba);
    let (_, correlated) = found(1.02, 0.8, abba);
    assert!(white > 0.8, "{white}");
    assert!(correlated > 0.98, "{correlated}");
}

#[test]
fn intervals_hold_the_true_ratio_as_often_as_they_say() {
    let mut chance = Chance(SplitMix64::new(4));
    let mut rng = SplitMix64::new(5);
    let (mut paired, mut unpaired, mut medians, mut means) = (0, 0, 0, 0);
    for _ in 0..1000 {
        let (a, b) = (chance.times(12), chance.times(12));
        let holds = |low: f64, high: f64, truth: f64| u32::from(low <= truth && truth <= high);
        let interval = paired_ratio(&a, &b).unwrap();
        paired += holds(interval.low, interval.high, 1.0);
        let interval = unpaired_ratio(&a, &b).unwrap();
        unpaired += holds(interval.low, interval.high, 1.0);
        let interval = median_interval(&a).unwrap();
        medians += holds(interval.low, interval.high, 100.0);
        let log_mean = |drawn: &[&f64]| Some(drawn.iter().map(|time| time.ln()).sum::<f64>() / drawn.len() as f64);
        let interval = bootstrap_interval(&a, 200, &mut rng, log_mean).unwrap();
        means += holds(interval.low, interval.high, 100.0_f64.ln());
    }
    // Three standard errors of 1,000 trials are 2 %; the bootstrap of 12 runs is known to be too narrow.
    assert!((935..=980).contains(&paired), "{paired}");
    assert!((935..=980).contains(&unpaired), "{unpaired}");
    assert!((935..=985).contains(&medians), "{medians}");
    assert!((880..=950).contains(&means), "{means}");
}
