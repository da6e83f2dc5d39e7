//! Selects the candidates for the next rung.

use super::super::change::OptionChange;

/// The minimum gain of each changed option, on the log scale. Of two equally fast candidates, the one that changes less is better.
const WORTH: f64 = 0.003;

/// Returns the better half of the candidates, best first. `score` is the log ratio to the base, and candidates without one are out. For an
/// odd number the half is rounded up, so a single candidate stays.
pub fn halved<'c, C>(candidates: impl IntoIterator<Item = (&'c C, &'c OptionChange, Option<f64>)>) -> Vec<&'c C> {
    let mut ranked: Vec<(f64, &C)> = candidates
        .into_iter()
        .filter_map(|(candidate, change, score)| Some((score? + WORTH * change.0.len() as f64, candidate)))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.truncate(ranked.len().div_ceil(2));
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Combines the changes of the best candidates: the best with the second, with the third and so on, `wanted` of them. If two set different
/// values of one option, the better one's value is used.
pub fn together<'c>(ranked: impl IntoIterator<Item = &'c OptionChange>, wanted: usize) -> Vec<OptionChange> {
    let mut ranked = ranked.into_iter();
    let Some(best) = ranked.next() else { return Vec::new() };
    let with_best = |other: &OptionChange| {
        let mut union = other.0.clone();
        union.extend(best.0.clone());
        OptionChange(union)
    };
    ranked.map(with_best).filter(|union| union != best).take(wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn change(parts: &[(&str, &str)]) -> OptionChange {
        OptionChange(
            parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>(),
        )
    }

    #[test]
    fn the_faster_half_goes_on_and_what_could_not_be_measured_does_not() {
        let one = change(&[("a", "1")]);
        let scores = [Some(0.3), Some(-0.5), None, Some(-0.1), Some(-0.7), Some(0.0)];
        let numbers: Vec<usize> = (0..scores.len()).collect();
        let field = || numbers.iter().zip(scores).map(|(number, score)| (number, &one, score));
        assert_eq!(halved(field()), [&4, &1, &3]);
        assert_eq!(halved(field().take(1)), [&0]);
    }

    #[test]
    fn of_two_equally_fast_the_smaller_change_is_better() {
        let (small, large) = (change(&[("a", "1")]), change(&[("a", "1"), ("b", "2")]));
        assert_eq!(
            halved([("large", &large, -0.2), ("small", &small, -0.2)].iter().map(|(n, c, s)| (n, *c, Some(*s)))),
            [&"small"]
        );
    }

    #[test]
    fn the_best_keeps_its_values_in_what_two_make_together() {
        let ranked = [change(&[("a", "1")]), change(&[("a", "2"), ("b", "1")]), change(&[("c", "1")])];
        let expected = [change(&[("a", "1"), ("b", "1")]), change(&[("a", "1"), ("c", "1")])];
        assert_eq!(together(&ranked, 5), expected);
        assert_eq!(together(&ranked, 1), expected[..1]);
        assert!(together(&ranked[..1], 5).is_empty());
    }
}
