//! When a difference is called one.

use super::*;

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
    let evidence = |interval| Evidence { interval, p_adjusted: 0.5, noise_floor: 0.01, tests: 1 };
    let few = paired_ratio(&[1.0; 5], &[1.0; 5]);
    assert_eq!(evidence(few).verdict(), Ok(Verdict::TooFew { need: 6 }));
    let unequal = paired_ratio(&[1.0; 6], &[1.0; 7]);
    assert_eq!(evidence(unequal).verdict(), Err(NoAnswer::UnequalLengths { a: 6, b: 7 }));
}

#[test]
fn sessions_that_were_not_repeated_decide_nothing() {
    let one = [1000.0];
    let alone = session_ratio(&one, &[2000.0], SessionSpread::of([&one]));
    assert_eq!(alone, Err(NoAnswer::Unreplicated));
    let evidence = |interval, p_adjusted| Evidence { interval, p_adjusted, noise_floor: DEFAULT_NOISE_FLOOR, tests: 1 };
    let open = Ok(Verdict::Undecided { more_rounds: None });
    assert_eq!(evidence(alone.map(|(interval, _)| interval), 1.0).verdict(), open);
    // Two sessions each, 2 % apart, and a difference of 2 %.
    let (a, b) = ([1000.0, 1020.0], [1020.0, 1040.0]);
    let (interval, p) = session_ratio(&a, &b, SessionSpread::of([a, b])).unwrap();
    assert!(p > 0.1 && interval.low < 1.0 && interval.high > 1.0);
    assert!(matches!(evidence(Ok(interval), p).verdict(), Ok(Verdict::Undecided { .. })));
    // The same sessions, and a difference of half.
    let b = b.map(|time| time * 2.0);
    let (interval, p) = session_ratio(&a, &b, SessionSpread::of([a, b])).unwrap();
    assert_eq!(evidence(Ok(interval), p).verdict(), Ok(Verdict::Faster));
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
fn a_table_of_many_tests_asks_for_the_rounds_that_one_difference_among_them_needs() {
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
fn a_table_of_many_tests_asks_for_an_interval_as_narrow_as_one_difference_among_them_needs() {
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
