//! The number of further rounds that decide: the forecast is right in nine of ten cases.

use super::*;

/// Whether the verdict of one test on log ratios of rounds is decided; more rounds are judged as they are forecast.
fn is_decided(logs: &[f64]) -> bool {
    let a: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
    let p_adjusted = signed_rank(logs).unwrap().p;
    let interval = paired_ratio(&a, &vec![1.0; a.len()]);
    let evidence = Evidence { interval, p_adjusted, noise_floor: DEFAULT_NOISE_FLOOR };
    !matches!(evidence.verdict(|| None).unwrap(), Verdict::Undecided { .. })
}

fn told(logs: &[f64]) -> Option<usize> {
    more_rounds(&Logs::Paired(logs.to_vec()), DEFAULT_NOISE_FLOOR, 1, ALPHA).map(|more| more as usize)
}

/// Noise of a round, in units of its usual size.
type Noise = fn(&mut Chance, usize) -> f64;

const NOISES: [(&str, Noise); 5] = [
    ("lognormal", |chance, _| chance.gaussian()),
    ("heavy tail", |chance, _| {
        let squares: f64 = (0..3).map(|_| chance.gaussian().powi(2)).sum();
        chance.gaussian() / (squares / 3.0).sqrt()
    }),
    ("one outlier", |chance, round| if round == 0 { 100.0 } else { chance.gaussian() }),
    ("bimodal", |chance, _| if chance.uniform() < 0.5 { -1.0 } else { 1.0 } + 0.3 * chance.gaussian()),
    ("spikes", |chance, _| {
        let spike = if chance.uniform() < 0.08 { 20.0 * chance.uniform() } else { 0.0 };
        chance.gaussian() + spike
    }),
];

#[test]
#[expect(clippy::print_stdout, reason = "docs/comparing.md has these rates")]
fn of_lines_that_are_told_n_more_rounds_nine_in_ten_are_decided_with_n_more() {
    let mut all = (0_u32, 0_u32);
    for (name, noise) in NOISES {
        let mut chance = Chance(SplitMix64::new(2_026));
        let (mut hold, mut told_any, mut beyond) = (0, 0, 0);
        for n in [6, 10, 20] {
            for deviation in [0.01, 0.03, 0.06] {
                for effect in [0.0, 0.02, 0.05, 0.15] {
                    for _ in 0..10 {
                        let mut round = |at: usize| effect + deviation * noise(&mut chance, at);
                        let mut logs: Vec<f64> = (0..n).map(&mut round).collect();
                        if is_decided(&logs) {
                            continue;
                        }
                        let Some(more) = told(&logs) else {
                            beyond += 1;
                            continue;
                        };
                        logs.extend((n..n + more).map(&mut round));
                        told_any += 1;
                        hold += u32::from(is_decided(&logs));
                    }
                }
            }
        }
        println!("{name}: {hold} of {told_any} are decided as told; {beyond} are told that none is in reach");
        assert!(told_any >= 40 && hold * 100 >= told_any * 88, "{name}: {hold} of {told_any}");
        assert!(beyond * 20 <= told_any, "{name}: {beyond} beyond reach beside {told_any}");
        all = (all.0 + hold, all.1 + told_any);
    }
    println!("all: {} of {}", all.0, all.1);
    assert!(all.0 * 10 >= all.1 * 9, "{} of {}", all.0, all.1);
}

#[test]
fn one_outlier_does_not_multiply_the_rounds() {
    // Two engines that are equal to 0.1 %, and one round of A a hundred times slower.
    let log = |round: usize| {
        let a = 100_000 + (round * 37 % 11) * 20;
        let b = 100_100 + (round * 53 % 13) * 20;
        let slow = if round == 0 { 100.0 } else { 1.0 };
        (slow * a as f64 / b as f64).ln()
    };
    let mut open = 0;
    for n in 6..12 {
        let logs: Vec<f64> = (0..n).map(log).collect();
        if is_decided(&logs) {
            continue;
        }
        open += 1;
        let more = told(&logs).unwrap();
        // With six or seven rounds, the outlier's share is so large that few intervals survive it.
        let most = if n < 8 { 100 } else { 40 };
        assert!((1..=most).contains(&more), "{n} rounds: {more} more");
        assert!(is_decided(&(0..n + more).map(log).collect::<Vec<_>>()), "{n} rounds and {more} more do not decide");
    }
    assert!(open >= 4, "the outlier leaves little undecided: {open}");
}

#[test]
fn what_no_number_of_rounds_decides_has_none() {
    let wide = [-6.0, -3.5, -0.5, 1.0, 3.0, 5.5];
    assert_eq!(told(&wide), None);
    let clear = Logs::Paired(vec![0.0488, 0.0485, 0.049, 0.0487, 0.0492, 0.0489]);
    assert_eq!(more_rounds(&clear, 0.06, 1, ALPHA), None, "5 % are beyond the band and within the noise");
    assert_eq!(more_rounds(&clear, 0.04, 1, ALPHA), Some(1));
    assert_eq!(told(&wide[..5]), None, "five rounds say too little of those to come");
}

#[test]
fn a_table_of_many_tests_and_a_later_look_ask_for_the_rounds_that_their_p_needs() {
    let clear = |n: usize| (0..n).map(|at| -0.7 + 0.001 * at as f64).collect::<Vec<f64>>();
    // Six pairs have p = 2/64, so 18 tests need ten rounds, and an interval of 98.75 % needs eight.
    let paired = |tests, alpha| more_rounds(&Logs::Paired(clear(6)), 0.01, tests, alpha);
    assert_eq!((paired(18, ALPHA), paired(4, Spending::at_look(2, 1).alpha)), (Some(4), Some(2)));
    // Six and six runs have 924 rankings: enough for 23 tests.
    let b: Vec<f64> = clear(6).iter().map(|log| log + 0.7).collect();
    assert_eq!(more_rounds(&Logs::Unpaired(clear(6), b), 0.01, 24, ALPHA), Some(1));
    let mut chance = Chance(SplitMix64::new(3));
    let noisy: Vec<f64> = (0..12).map(|_| 0.06 + 0.1 * chance.gaussian()).collect();
    let [one, many] = [1, 18].map(|tests| more_rounds(&Logs::Paired(noisy.clone()), 0.01, tests, ALPHA).unwrap());
    assert!(many > one, "{many} and {one}");
    let mut backwards = noisy.clone();
    backwards.reverse();
    assert_eq!(told(&backwards), Some(one as usize), "the order of rounds says nothing");
}
