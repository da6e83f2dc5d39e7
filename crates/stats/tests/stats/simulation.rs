//! Simulated sessions whose truth is known.

use super::*;

/// Simulates 2,000 sessions of 20 rounds, with B's times `effect` times A's. Returns the share with p < 0.05, and the share whose verdict
/// is a difference.
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
        let evidence = Evidence { interval, p_adjusted: p, noise_floor: DEFAULT_NOISE_FLOOR };
        let verdict = evidence.verdict(|| None).unwrap();
        significant += u32::from(p < ALPHA);
        called += u32::from(matches!(verdict, Verdict::Faster | Verdict::Slower));
    }
    (f64::from(significant) / f64::from(SESSIONS), f64::from(called) / f64::from(SESSIONS))
}

/// Returns the slots of A and of B in a round: A comes first in every other round.
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
    // The worst case of ABBA order: adjacent runs of neighbouring rounds are of the same side, and correlate.
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

/// Returns the p values of 18 tests at ten sizes, each with whether A and B differ: `share` of the lines by 8 %, with 3 % of noise from
/// pair to pair.
fn table_of_180(chance: &mut Chance, rounds: usize, share: f64) -> Vec<(f64, bool)> {
    (0..180)
        .map(|line| {
            let differs = (f64::from(line) * 0.618_034).fract() < share;
            let logs: Vec<f64> =
                (0..rounds).map(|_| 0.03 * chance.gaussian() + if differs { 0.08 } else { 0.0 }).collect();
            (signed_rank(&logs).unwrap().p, differs)
        })
        .collect()
}

/// Returns the results of 300 tables with p values adjusted by `adjust`: the share of false ones among the reported differences, the share
/// of tables with any, and the share of true differences that are found.
fn of_tables(rounds: usize, share: f64, adjust: impl Fn(&[f64]) -> Vec<f64>) -> (f64, f64, f64) {
    let mut chance = Chance(SplitMix64::new(1995));
    let (mut discoveries, mut any, mut found, mut true_ones) = (0.0, 0, 0, 0);
    for _ in 0..300 {
        let lines = table_of_180(&mut chance, rounds, share);
        let p: Vec<f64> = lines.iter().map(|(p, _)| *p).collect();
        let called = adjust(&p).into_iter().map(|p| p < ALPHA);
        let (mut right, mut wrong) = (0_u32, 0_u32);
        for (called, (_, differs)) in called.zip(&lines) {
            right += u32::from(called && *differs);
            wrong += u32::from(called && !differs);
        }
        discoveries += f64::from(wrong) / f64::from((right + wrong).max(1));
        any += u32::from(wrong > 0);
        found += right;
        true_ones += lines.iter().filter(|(_, differs)| *differs).count() as u32;
    }
    (discoveries / 300.0, f64::from(any) / 300.0, f64::from(found) / f64::from(true_ones.max(1)))
}

#[test]
#[expect(clippy::print_stdout, reason = "docs/comparing.md has these rates")]
fn the_family_of_a_table_is_the_one_that_finds_most_with_one_false_in_twenty() {
    let of_sizes = |adjust: fn(&[f64]) -> Result<Vec<f64>, NoAnswer>| {
        move |p: &[f64]| p.chunks(18).flat_map(|size| adjust(size).unwrap()).collect::<Vec<f64>>()
    };
    for (rounds, share) in [(6, 0.25), (6, 1.0), (10, 0.05), (10, 0.25), (10, 1.0), (10, 0.0), (6, 0.0)] {
        let holm_table = of_tables(rounds, share, |p| holm(p).unwrap());
        let holm_size = of_tables(rounds, share, of_sizes(holm));
        let chosen = of_tables(rounds, share, |p| benjamini_hochberg(p).unwrap());
        println!("{rounds} rounds, {share} differ: Holm {holm_table:?}, Holm a size {holm_size:?}, chosen {chosen:?}");
        // Three standard errors of 300 tables are about 1 % for the share of false ones, and 4 % for the share of tables with any.
        assert!(chosen.0 <= 0.06, "{rounds} rounds, {share} differ: {chosen:?}");
        assert!(share > 0.0 || chosen.1 <= 0.09, "{rounds} rounds: {chosen:?}");
        assert!(chosen.2 >= holm_table.2 - 1e-9, "{rounds} rounds, {share} differ: {chosen:?} {holm_table:?}");
        assert!(share < 0.25 || chosen.2 >= holm_size.2 - 1e-9, "{rounds} rounds, {share}: {chosen:?} {holm_size:?}");
    }
}
