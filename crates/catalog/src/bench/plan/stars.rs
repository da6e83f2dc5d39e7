//! A sample of a grid that is too large to run: stars. A star is one combination, its centre, and every combination that differs from it
//! in one option. So each option's effect can be read from pairs that differ in nothing else, once for each star, at different places of
//! the grid (radial sampling; Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics Communications
//! 181, 2010).

use dbdyno_workload::rng::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the combinations of some stars, each once, in the order of their centres. The seed determines the selection.
pub(super) fn stars(options: &BTreeMap<String, Vec<String>>, stars: u32, seed: u64) -> Vec<BTreeMap<String, String>> {
    let mut random = SplitMix64::new(seed);
    let mut seen = BTreeSet::new();
    let mut chosen = Vec::new();
    for _ in 0..stars {
        let draw = |(name, values): (&String, &Vec<String>)| {
            let value = values.get(random.below(values.len().max(1) as u64) as usize)?;
            Some((name.clone(), value.clone()))
        };
        let centre: BTreeMap<String, String> = options.iter().filter_map(draw).collect();
        let rays = options.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        let ray = |(name, value): (&String, &String)| {
            let mut combination = centre.clone();
            combination.insert(name.clone(), value.clone());
            combination
        };
        let star: Vec<_> = std::iter::once(centre.clone()).chain(rays.map(ray)).collect();
        chosen.extend(star.into_iter().filter(|combination| seen.insert(combination.clone())));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> BTreeMap<String, Vec<String>> {
        let values = |count: usize| (0..count).map(|value| value.to_string()).collect();
        BTreeMap::from([("a".to_owned(), values(2)), ("b".to_owned(), values(3)), ("c".to_owned(), values(4))])
    }

    #[test]
    fn a_star_has_its_centre_and_every_change_of_one_option() {
        let star = stars(&grid(), 1, 7);
        assert_eq!(star.len(), 1 + 1 + 2 + 3);
        let distance =
            |other: &BTreeMap<String, String>| star[0].iter().filter(|(name, value)| other[*name] != **value).count();
        assert!(star[1..].iter().all(|other| distance(other) == 1));
    }

    #[test]
    fn stars_follow_from_the_seed_and_never_repeat_a_combination() {
        let many = stars(&grid(), 50, 7);
        assert_eq!(many, stars(&grid(), 50, 7));
        assert_eq!(many.len(), 24, "fifty stars have covered the grid of 2 x 3 x 4");
        assert_eq!(many.iter().collect::<BTreeSet<_>>().len(), 24);
    }
}
