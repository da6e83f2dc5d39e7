//! When a difference is called one.

use super::*;

fn ratio_of(ratio: f64, low: f64, high: f64) -> RatioInterval {
    RatioInterval { ratio, low, high, confidence: 0.96 }
}

fn verdict(ratio: f64, low: f64, high: f64, p: f64, noise_floor: f64) -> Verdict {
    let interval = Ok(ratio_of(ratio, low, high));
    let evidence = Evidence { interval, p_adjusted: p, noise_floor };
    evidence.verdict(|| None).unwrap()
}

#[test]
fn a_difference_is_called_only_when_p_interval_and_noise_floor_agree() {
    assert_eq!(verdict(0.80, 0.75, 0.85, 0.01, 0.01), Verdict::Faster);
    assert_eq!(verdict(1.25, 1.20, 1.30, 0.01, 0.01), Verdict::Slower);
    let undecided = |verdict| matches!(verdict, Verdict::Undecided { .. });
    assert!(undecided(verdict(0.80, 0.75, 0.85, 0.05, 0.01)), "p is not below 0.05");
    assert!(undecided(verdict(0.80, 0.75, 1.00, 0.01, 0.01)), "the interval touches 1");
    assert!(undecided(verdict(1.20, 1.00, 1.40, 0.01, 0.01)), "the interval touches 1");
    assert!(undecided(verdict(0.80, 0.75, 0.85, 0.01, 0.26)), "within the noise: 1/1.25");
    assert!(undecided(verdict(1.25, 1.20, 1.30, 0.01, 0.26)), "within the noise");
    assert!(undecided(verdict(0.80, 0.75, 0.85, f64::NAN, 0.01)), "p is unknown");
}

#[test]
fn an_interval_within_3_percent_without_a_shown_difference_is_the_same() {
    assert_eq!(verdict(1.0, 1.0 / 1.03, 1.03, 0.9, 0.01), Verdict::Same);
    assert_eq!(verdict(0.995, 0.99, 0.999, 0.001, 0.01), Verdict::Same, "shown, but within the noise");
    assert_ne!(verdict(1.0, 0.97, 1.02, 0.9, 0.01), Verdict::Same, "1/1.03 is 0.9709");
    assert_ne!(verdict(1.0, 0.98, 1.031, 0.9, 0.01), Verdict::Same);
}

#[test]
fn a_shown_difference_of_2_percent_is_a_difference_though_it_is_within_3_percent() {
    assert_eq!(verdict(0.98, 0.975, 0.985, 0.001, 0.01), Verdict::Faster);
    assert_eq!(verdict(1.02, 1.015, 1.025, 0.001, 0.01), Verdict::Slower);
}

#[test]
fn exchanging_the_sides_exchanges_their_names_and_changes_no_verdict() {
    let mut seen = [0; 4];
    for ratio in (0..400).map(|step| 0.95 + 0.00025 * f64::from(step)) {
        for (half, floor) in [(0.0005, 0.01), (0.0005, 0.03), (0.002, 0.01), (0.02, 0.01), (0.029, 0.01)] {
            let (low, high) = (ratio / (1.0 + half), ratio * (1.0 + half));
            let p = if low > 1.0 || high < 1.0 { 0.01 } else { 0.5 };
            let (one, other) =
                (verdict(ratio, low, high, p, floor), verdict(1.0 / ratio, 1.0 / high, 1.0 / low, p, floor));
            let (place, exchanged) = match one {
                Verdict::Faster => (0, Verdict::Slower),
                Verdict::Slower => (1, Verdict::Faster),
                Verdict::Same => (2, one),
                _ => (3, one),
            };
            seen[place] += 1;
            assert_eq!(other, exchanged, "{ratio} [{low}, {high}], floor {floor}");
        }
    }
    assert!(seen.into_iter().all(|count| count > 100), "{seen:?}");
    // A factor of 1.0101 and its inverse are both beyond 1 %.
    assert_eq!(verdict(1.0101, 1.0095, 1.0107, 0.01, 0.01), Verdict::Slower);
    assert_eq!(verdict(0.9900, 0.9894, 0.9906, 0.01, 0.01), Verdict::Faster);
}

#[test]
fn too_few_runs_are_a_verdict_and_other_reasons_are_handed_on() {
    let evidence = |interval| Evidence { interval, p_adjusted: 0.5, noise_floor: 0.01 };
    let few = paired_ratio(&[1.0; 5], &[1.0; 5]);
    assert_eq!(evidence(few).verdict(|| None), Ok(Verdict::TooFew { need: 6 }));
    let unequal = paired_ratio(&[1.0; 6], &[1.0; 7]);
    assert_eq!(evidence(unequal).verdict(|| None), Err(NoAnswer::UnequalLengths { a: 6, b: 7 }));
}

#[test]
fn sessions_that_were_not_repeated_decide_nothing() {
    let one = [1000.0];
    let alone = session_ratio(&one, &[2000.0], SessionSpread::of([&one]));
    assert_eq!(alone, Err(NoAnswer::Unreplicated));
    let evidence = |interval, p_adjusted| Evidence { interval, p_adjusted, noise_floor: DEFAULT_NOISE_FLOOR };
    let open = Ok(Verdict::Undecided { more_rounds: None });
    assert_eq!(evidence(alone.map(|(interval, _)| interval), 1.0).verdict(|| None), open);
    // Two sessions each, 2 % apart, and a difference of 2 %.
    let (a, b) = ([1000.0, 1020.0], [1020.0, 1040.0]);
    let (interval, p) = session_ratio(&a, &b, SessionSpread::of([a, b])).unwrap();
    assert!(p > 0.1 && interval.low < 1.0 && interval.high > 1.0);
    assert!(matches!(evidence(Ok(interval), p).verdict(|| None), Ok(Verdict::Undecided { .. })));
    // The same sessions, and a difference of half.
    let b = b.map(|time| time * 2.0);
    let (interval, p) = session_ratio(&a, &b, SessionSpread::of([a, b])).unwrap();
    assert_eq!(evidence(Ok(interval), p).verdict(|| None), Ok(Verdict::Faster));
}

#[test]
fn a_table_of_many_tests_asks_for_the_rounds_that_one_difference_among_them_needs() {
    assert_eq!([1, 2, 5, 18].map(rounds_needed), [6, 7, 8, 10]);
    for tests in 1..200 {
        let n = rounds_needed(tests);
        let p_of_the_clearest = |n: usize| signed_rank(&(1..=n).map(|i| i as f64).collect::<Vec<_>>()).unwrap().p;
        assert!(p_of_the_clearest(n) * (tests as f64) < ALPHA, "{tests}");
        assert!(p_of_the_clearest(n - 1) * (tests as f64) >= ALPHA, "{tests}");
    }
}
