//! The order of runs. Rounds come in pairs that mirror each other, so that drift (heat, a filling disk) affects all configurations
//! equally, and no configuration always runs after the same one.

use dbdyno_workload::rng::SplitMix64;

/// The number of the random stream, of a session's seed, that determines how its orders continue: no round uses this number.
const START: u64 = 1 << 32;

/// Returns the order in which a round, from 0, runs its configurations. The first round has them in the requested order. Two
/// configurations run A B B A.
///
/// A round with an even number is a row of Williams' design, and the next round is the same row reversed. So over any even number of
/// rounds each configuration has the same mean position. Take as many rounds as there are configurations, or twice that if the number of
/// configurations is odd. Then each configuration is at each position equally often, and within rounds each runs directly after each
/// other one equally often. A row is the first one with a number added to each position; the seed determines which number comes second.
///
/// Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian Journal of
/// Scientific Research A 2 (1949), 149-168.
pub fn round_order(configurations: usize, round: u32, seed: u64) -> Vec<usize> {
    // If the number is even, half of the rows are the reverse of the others.
    let rows = if configurations.is_multiple_of(2) { configurations / 2 } else { configurations }.max(1);
    let later = rows.saturating_sub(1).max(1);
    let start = SplitMix64::stream(seed, START).below(later as u64) as usize;
    let row = match round as usize / 2 % rows {
        0 => 0,
        pair => (pair - 1 + start) % later + 1,
    };
    // The first row is 0, 1, -1, 2, -2 and so on: the distance between neighbours is different for every pair. The configuration at a
    // position of that row is the one that was requested at that position. So a number in a later row refers to a configuration by its
    // position in the first.
    let first = |place: usize| if place % 2 == 1 { place.div_ceil(2) } else { configurations - place / 2 };
    let place_of = |number: usize| {
        if number <= configurations / 2 { (2 * number).saturating_sub(1) } else { 2 * (configurations - number) }
    };
    let mut order: Vec<usize> =
        (0..configurations).map(|place| place_of((first(place) + row) % configurations)).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// Returns the runs as (round, configuration): every round runs each configuration once.
pub(super) fn rounds(configurations: usize, rounds: u32, seed: u64) -> impl Iterator<Item = (u32, usize)> {
    (0..rounds).flat_map(move |round| round_order(configurations, round, seed).into_iter().map(move |at| (round, at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn two_configurations_run_abba_whatever_the_seed() {
        for seed in 0..20 {
            let order: String = rounds(2, 4, seed).map(|(_, at)| ["A", "B"][at]).collect();
            assert_eq!(order, "ABBAABBA");
        }
        assert_eq!(rounds(1, 3, 7).collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(rounds(0, 3, 7).count(), 0);
    }

    #[test]
    fn every_configuration_has_the_same_mean_place_over_each_pair_of_rounds() {
        for configurations in 1..10 {
            for pair in 0..12 {
                let mut places = vec![0; configurations];
                for round in [2 * pair, 2 * pair + 1] {
                    for (place, at) in round_order(configurations, round, 5).into_iter().enumerate() {
                        places[at] += place;
                    }
                }
                assert!(places.iter().all(|&sum| sum == configurations - 1), "{configurations}: {places:?}");
            }
        }
    }

    #[test]
    fn over_a_whole_design_each_stands_at_each_place_and_behind_each_other_one_equally_often() {
        for configurations in 3..10 {
            let whole = if configurations % 2 == 0 { configurations } else { 2 * configurations };
            for seed in 0..10 {
                let (mut places, mut behind) = (BTreeMap::new(), BTreeMap::new());
                for round in 0..whole as u32 {
                    let order = round_order(configurations, round, seed);
                    for (place, &at) in order.iter().enumerate() {
                        *places.entry((place, at)).or_insert(0) += 1;
                    }
                    for pair in order.windows(2) {
                        *behind.entry((pair[0], pair[1])).or_insert(0) += 1;
                    }
                }
                let each = whole / configurations;
                assert_eq!(places.len(), configurations * configurations);
                assert_eq!(behind.len(), configurations * (configurations - 1), "{configurations}: {behind:?}");
                assert!(places.values().chain(behind.values()).all(|&count| count == each), "{configurations} {seed}");
            }
        }
    }

    #[test]
    fn the_first_round_has_the_order_that_was_asked_for() {
        for configurations in 0..10 {
            for seed in 0..10 {
                assert!(
                    round_order(configurations, 0, seed).into_iter().eq(0..configurations),
                    "{configurations} {seed}"
                );
            }
        }
    }

    #[test]
    fn more_rounds_begin_with_those_that_fewer_have_and_seeds_go_on_with_different_rows() {
        for configurations in [3, 4, 7] {
            let few: Vec<_> = rounds(configurations, 3, 11).collect();
            assert!(rounds(configurations, 9, 11).take(few.len()).eq(few));
        }
        let seconds: std::collections::BTreeSet<Vec<usize>> = (0..50).map(|seed| round_order(5, 2, seed)).collect();
        assert_eq!(seconds.len(), 4);
    }
}
