//! The order of runs: rounds of ABBA, so that what drifts (heat, a filling disk) drifts alike for all.

/// The runs as (round, configuration): every round runs each configuration once, and each second round in reverse.
/// Every configuration's mean place is then the same over any even number of rounds.
pub(super) fn rounds(configurations: usize, rounds: u32) -> impl Iterator<Item = (u32, usize)> {
    (0..rounds).flat_map(move |round| {
        (0..configurations).map(move |at| (round, if round % 2 == 0 { at } else { configurations - 1 - at }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_configurations_run_abba() {
        let order: String = rounds(2, 4).map(|(_, at)| ["A", "B"][at]).collect();
        assert_eq!(order, "ABBAABBA");
    }

    #[test]
    fn every_configuration_has_the_same_mean_place() {
        for configurations in 1..7 {
            let mut places = vec![0; configurations];
            for (place, (_, at)) in rounds(configurations, 6).enumerate() {
                places[at] += place;
            }
            assert!(places.iter().all(|&sum| sum == places[0]), "{configurations}: {places:?}");
        }
    }
}
