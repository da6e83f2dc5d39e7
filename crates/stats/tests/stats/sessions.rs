//! Several sessions of pairs, each of which shifts A/B by its own amount.

use super::*;

/// Simulates log ratios of `rounds` rounds in each of `sessions` sessions: a difference of `effect`, noise of 3 % per round, and a shift
/// per session with standard deviation `interaction`.
fn measure(chance: &mut Chance, sessions: usize, rounds: usize, interaction: f64, effect: f64) -> Vec<Vec<f64>> {
    let session = |chance: &mut Chance| {
        let shift = effect + interaction * chance.gaussian();
        (0..rounds).map(|_| shift + 0.03 * chance.gaussian()).collect()
    };
    (0..sessions).map(|_| session(chance)).collect()
}

/// Returns the interval of ln(A/B) with rounds as the unit of replication, and with sessions.
fn intervals(sessions: &[Vec<f64>]) -> [(f64, f64); 2] {
    let rounds: Vec<f64> = sessions.concat().iter().map(|log| log.exp()).collect();
    let pooled = paired_ratio(&rounds, &vec![1.0; rounds.len()]).unwrap();
    let (each, p) = paired_session_ratio(&ratios_of_sessions(sessions).unwrap(), ALPHA).unwrap();
    assert_eq!(p < ALPHA, each.low > 1.0 || each.high < 1.0, "p and interval are of one test");
    [pooled, each].map(|found| (found.low.ln(), found.high.ln()))
}

/// Returns the shares of 600 comparisons, by rounds and by sessions, whose interval misses the truth.
fn missed(sessions: usize, rounds: usize, interaction: f64) -> [f64; 2] {
    let mut chance = Chance(SplitMix64::new(2_013));
    let mut missed = [0.0; 2];
    for _ in 0..600 {
        let found = intervals(&measure(&mut chance, sessions, rounds, interaction, 0.0));
        for (missed, (low, high)) in missed.iter_mut().zip(found) {
            *missed += f64::from(u8::from(low > 0.0 || high < 0.0)) / 600.0;
        }
    }
    missed
}

/// Returns the share of 300 comparisons that find a difference of `effect`, by rounds and by sessions.
fn power(sessions: usize, rounds: usize, interaction: f64, effect: f64) -> [f64; 2] {
    let mut chance = Chance(SplitMix64::new(2_014));
    let mut found = [0.0; 2];
    for _ in 0..300 {
        let intervals = intervals(&measure(&mut chance, sessions, rounds, interaction, effect));
        for (found, (low, _)) in found.iter_mut().zip(intervals) {
            *found += f64::from(u8::from(low > 0.0)) / 300.0;
        }
    }
    found
}

#[test]
#[expect(clippy::print_stdout, reason = "docs/comparing.md has these rates")]
fn by_sessions_one_in_twenty_is_wrong_whatever_differs_between_them_and_by_rounds_many_are() {
    for (sessions, rounds) in [(2, 10), (3, 10), (4, 6), (4, 10), (4, 20), (6, 10), (10, 10)] {
        for interaction in [0.0, 0.01, 0.02, 0.05] {
            let [by_rounds, by_sessions] = missed(sessions, rounds, interaction);
            println!("{sessions} x {rounds}, interaction {interaction}: missed {by_rounds:.3}, {by_sessions:.3}");
            // The level is 5 %, and 600 draws scatter by 0.9 %.
            assert!(by_sessions <= 0.077, "{sessions} x {rounds}, {interaction}: {by_sessions}");
            assert!(interaction < 0.02 || by_rounds > 0.15, "there is nothing to mend: {by_rounds}");
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "docs/comparing.md has these rates")]
fn a_few_sessions_find_what_is_larger_than_their_difference() {
    let mut found = Vec::new();
    for sessions in [2, 3, 4, 6, 10] {
        for (interaction, effect) in [(0.0, 0.05), (0.0, 0.2), (0.02, 0.05), (0.02, 0.2)] {
            let [by_rounds, by_sessions] = power(sessions, 10, interaction, effect);
            println!("{sessions} x 10, interaction {interaction}, {effect}: {by_rounds:.2}, {by_sessions:.2}");
            found.push((sessions, interaction, effect, by_sessions));
        }
    }
    for (sessions, interaction, effect, share) in found {
        let least = match (sessions, effect) {
            (2, _) => continue,
            (3, 0.2) | (4 | 6 | 10, 0.2) => 0.95,
            (4 | 6 | 10, _) if interaction == 0.0 => 0.95,
            (6 | 10, _) => 0.9,
            _ => continue,
        };
        assert!(share >= least, "{sessions} sessions, interaction {interaction}, {effect}: {share}");
    }
}

#[test]
fn sessions_that_are_equal_to_the_digit_say_nothing_of_how_far_they_come_apart() {
    let ratio = |sessions: usize| paired_session_ratio(&vec![1.08; sessions], ALPHA);
    assert_eq!(ratio(3), Err(NoAnswer::Unreplicated));
    assert_eq!(ratio(1), Err(NoAnswer::Unreplicated));
    let (found, p) = ratio(6).unwrap();
    assert!((p - 2.0 / 64.0).abs() < 1e-12 && found.low == found.high, "as clear as six sessions can be: {p}");
    let (same, p) = paired_session_ratio(&[1.0, 1.0], ALPHA).unwrap();
    assert_eq!((same.low, same.high, p), (1.0, 1.0, 1.0));
    // Three counts per side, equal on each: 2 / C(6, 3) is no proof.
    let spread = SessionSpread::of([[100.0; 3], [108.0; 3]]);
    assert_eq!(session_ratio(&[100.0; 3], &[108.0; 3], spread), Err(NoAnswer::Unreplicated));
    assert_eq!(spread.apart(), None);
    let spread = SessionSpread::of([[100.0; 4], [108.0; 4]]);
    assert!(session_ratio(&[100.0; 4], &[108.0; 4], spread).unwrap().1 < ALPHA);
}
