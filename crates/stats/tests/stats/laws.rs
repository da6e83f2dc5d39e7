//! Laws that hold for any values.

use super::*;

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
