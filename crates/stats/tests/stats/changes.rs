//! Places at which a series moves to another level.

use dbdyno_stats::{ChangePoint, NoAnswer, change_points};
use dbdyno_workload::rng::SplitMix64;

/// Returns approximately normal noise, from the sum of twelve uniform numbers.
fn noise(rng: &mut SplitMix64) -> f64 {
    (0..12).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0
}

/// Returns the logarithms of `sessions` figures with noise of 1 %, and optionally a step: the index of its first session, and its height in
/// percent.
fn series(rng: &mut SplitMix64, sessions: usize, step: Option<(usize, f64)>) -> Vec<f64> {
    let level = |at: usize| step.filter(|(from, _)| at >= *from).map_or(0.0, |(_, percent)| (percent / 100.0).ln_1p());
    (0..sessions).map(|at| level(at) + 0.01 * noise(rng)).collect()
}

fn places(found: &[ChangePoint]) -> Vec<usize> {
    found.iter().map(|change| change.at).collect()
}

#[test]
fn a_step_of_5_percent_among_30_sessions_is_found_at_its_session_and_none_without() {
    let mut rng = SplitMix64::new(15);
    let (mut exact, mut near, mut false_alarms) = (0, 0, 0);
    for turn in 0..200 {
        let at = 5 + turn % 21;
        let found = places(&change_points(&series(&mut rng, 30, Some((at, 5.0))), 1).unwrap());
        exact += usize::from(found == [at]);
        near += usize::from(found.len() == 1 && found[0].abs_diff(at) <= 1);
        false_alarms += usize::from(!change_points(&series(&mut rng, 30, None), 1).unwrap().is_empty());
    }
    // Noise of 1 % puts one session in 160 on the other side of the middle of a 5 % step; a further change has p <= 0.01.
    assert!(exact >= 190 && near >= 194, "{exact} at their session, {near} within one of it, of 200");
    assert!(false_alarms <= 6, "{false_alarms} of 200 without a step");
}

#[test]
fn two_steps_are_found_and_an_outlier_is_none() {
    let mut rng = SplitMix64::new(7);
    let mut values = series(&mut rng, 45, Some((15, 10.0)));
    values[30..].iter_mut().for_each(|value| *value -= 0.2);
    assert_eq!(places(&change_points(&values, 1).unwrap()), [15, 30]);
    let mut flat = series(&mut rng, 30, None);
    flat[12] += 1.0;
    assert_eq!(change_points(&flat, 1).unwrap(), []);
}

/// Of 12 values in two levels, 2 of 924 orders are as good as the best, and 999 random ones are drawn. The order itself counts too.
#[test]
fn the_p_of_a_clear_step_is_the_share_of_orders_as_good() {
    let steps: Vec<f64> = (0..12).map(|at| if at < 6 { 1.0 } else { 2.0 }).collect();
    for seed in 0..20 {
        let found = change_points(&steps, seed).unwrap();
        let as_good = found[0].p * 1000.0;
        assert!((as_good - as_good.round()).abs() < 1e-9 && (1.0..=8.0).contains(&as_good.round()), "{found:?}");
    }
}

#[test]
fn what_is_too_short_or_no_number_has_no_change() {
    assert_eq!(change_points(&[], 1).unwrap(), []);
    assert_eq!(change_points(&[1.0, 1.0, 1.0, 9.0, 9.0], 1).unwrap(), []);
    // For six values in two levels, 2 in 20 orders are as good.
    assert_eq!(change_points(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0], 1).unwrap(), []);
    assert!(matches!(change_points(&[1.0, f64::NAN], 1), Err(NoAnswer::NotFinite(_))));
    let equal = [1.0; 40];
    assert_eq!(change_points(&equal, 1).unwrap(), [], "what does not move does not change");
}
