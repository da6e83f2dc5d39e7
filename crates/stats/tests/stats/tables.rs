//! The statistics compared with tables generated with scipy and numpy.

use super::*;

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
    fn check(&self, got: RatioInterval) {
        let what = format!("{:?} {:?}", self.a, self.b);
        close(got.ratio, self.ratio, 1e-12, &what);
        close(got.low, self.low, 1e-12, &what);
        close(got.high, self.high, 1e-12, &what);
        close(got.confidence, self.confidence, 1e-12, &what);
        assert!(got.low <= got.ratio && got.ratio <= got.high, "{what}");
        assert!(got.confidence >= CONFIDENCE);
    }
}

#[test]
fn the_paired_ratio_agrees_with_brute_force_over_all_walsh_averages() {
    for row in table::<RatioRow>("paired", 80) {
        row.check(paired_ratio(&row.a, &row.b).unwrap());
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
        row.check(unpaired_ratio(&row.a, &row.b).unwrap());
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
        // The residual of an exact fit is rounding error.
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
    upper_tail: f64,
}

#[derive(Deserialize)]
struct ZRow {
    p: f64,
    z: f64,
}

#[test]
fn the_normal_distribution_agrees_with_scipy_far_into_its_tail() {
    for NormalRow { x, upper_tail: tail } in table("normal", 250) {
        close(upper_tail(x), tail, if x < 8.0 { 1e-14 } else { 1e-12 }, &format!("upper_tail({x})"));
    }
    for ZRow { p, z } in table("quantiles_of_normal", 10) {
        close(two_sided_z(p), z, 1e-12, &format!("z of {p}"));
    }
    assert_eq!((upper_tail(f64::INFINITY), upper_tail(f64::NEG_INFINITY)), (0.0, 1.0));
    assert_eq!(two_sided_z(0.0), f64::INFINITY);
    assert!(upper_tail(f64::NAN).is_nan() && two_sided_z(f64::NAN).is_nan());
}

#[derive(Deserialize)]
struct AdjustedRow {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[test]
fn benjamini_and_hochberg_agree_with_scipy() {
    for AdjustedRow { p, adjusted } in table("benjamini_hochberg", 15) {
        for (got, want) in benjamini_hochberg(&p).unwrap().into_iter().zip(adjusted) {
            close(got, want, 1e-14, &format!("{p:?}"));
        }
    }
    assert_eq!(benjamini_hochberg(&[]), Ok(vec![]));
}

#[test]
fn holm_agrees_with_its_definition_as_a_closed_test() {
    for AdjustedRow { p, adjusted } in table("holm", 30) {
        for (got, want) in holm(&p).unwrap().into_iter().zip(adjusted) {
            close(got, want, 1e-15, &format!("{p:?}"));
        }
    }
    assert_eq!(holm(&[]), Ok(vec![]));
}

#[derive(Deserialize)]
struct ValueRow {
    x: Vec<f64>,
    mean: f64,
}

#[test]
fn the_geometric_mean_agrees_with_scipy() {
    for ValueRow { x, mean } in table("geometric_means", 15) {
        close(geometric_mean(&x).unwrap(), mean, 1e-13, &format!("{x:?}"));
    }
}

#[derive(Deserialize)]
struct NoiseRow {
    /// The log ratios of each configuration with itself, for each test.
    shown: Vec<Vec<Vec<f64>>>,
    floors: Vec<f64>,
    others: f64,
}

#[test]
fn noise_floors_agree_with_sums_over_all_pairs() {
    for NoiseRow { shown, floors, others } in table("noise", 10) {
        let of_test = |configurations: &Vec<Vec<f64>>| {
            let each: Vec<SelfNoise> = configurations.iter().map(|logs| SelfNoise::of(logs).unwrap()).collect();
            SelfNoise::pooled(&each).unwrap()
        };
        let found = noise_floors(&shown.iter().map(of_test).collect::<Vec<_>>()).unwrap();
        assert_eq!(found.tests.len(), floors.len());
        for (got, want) in found.tests.into_iter().chain([found.others]).zip(floors.into_iter().chain([others])) {
            close(got, want, 1e-11, &format!("{shown:?}"));
        }
    }
}

#[derive(Deserialize)]
struct SessionsRow {
    a: Vec<f64>,
    b: Vec<f64>,
    others: Vec<Vec<f64>>,
    p: f64,
    ratio: f64,
    low: f64,
    high: f64,
    apart: f64,
}

#[test]
fn sessions_agree_with_students_test_and_an_analysis_of_variance() {
    for row in table::<SessionsRow>("sessions", 27) {
        let what = format!("{:?} {:?} {:?}", row.a, row.b, row.others);
        let spread = SessionSpread::of([&row.a, &row.b].into_iter().chain(&row.others));
        let (found, p) = session_ratio(&row.a, &row.b, spread).unwrap();
        assert!((p - row.p).abs() < 1e-12, "{what}: p {p}, want {}", row.p);
        for (got, want) in [(found.ratio, row.ratio), (found.low, row.low), (found.high, row.high)] {
            close(got, want, 1e-9, &what);
        }
        close(spread.apart().unwrap(), row.apart, 1e-9, &what);
    }
}

#[derive(Deserialize)]
struct PairedSessionsRow {
    ratios: Vec<f64>,
    alpha: f64,
    ratio: f64,
    low: f64,
    high: f64,
    p: f64,
}

#[test]
fn ratios_of_sessions_agree_with_students_test_of_one_sample() {
    for row in table::<PairedSessionsRow>("paired_sessions", 36) {
        let what = format!("{:?} at {}", row.ratios, row.alpha);
        let (found, p) = paired_session_ratio(&row.ratios, row.alpha).unwrap();
        assert!((p - row.p).abs() < 1e-12, "{what}: p {p}, want {}", row.p);
        for (got, want) in [(found.ratio, row.ratio), (found.low, row.low), (found.high, row.high)] {
            close(got, want, 1e-9, &what);
        }
        close(found.confidence, 1.0 - row.alpha, 1e-12, &what);
    }
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
