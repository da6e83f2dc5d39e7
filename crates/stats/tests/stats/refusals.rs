//! Inputs without an answer return the reason as an error.

use super::*;

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
        assert!(is_refused(SelfNoise::of(&wrong).unwrap_err()));
        assert!(is_refused(session_ratio(&wrong, &[1.0], SessionSpread::default()).unwrap_err()));
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
    assert_eq!(SelfNoise::of(&[]), Err(need_1));
    assert_eq!(noise_floors(&[]), Err(need_1));
    assert_eq!(session_ratio(&[], &six, SessionSpread::default()), Err(need_1));
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
        assert!(matches!(benjamini_hochberg(&[0.5, bad]), Err(NoAnswer::NotAProbability(_))));
    }
}
