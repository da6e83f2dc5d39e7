//! The keys that split sides of several configurations, so that the configurations that agree are compared.

use super::{
    load::Side,
    options::{Axis, Options, Several},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

/// The most pairs of configurations, if the configurations of each side differ in something that cannot agree. More pairs would answer
/// another question.
const MOST_PAIRS: usize = 64;

/// The keys that split the sides.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SplitKeys {
    /// Keys in which compared configurations must agree.
    pub(super) shared: Vec<Axis>,
    /// Keys of A alone: each value is compared with everything in B that agrees in the shared keys.
    pub(super) of_a: Vec<Axis>,
    /// Keys of B alone, used in the same way.
    pub(super) of_b: Vec<Axis>,
}

/// The facts of a configuration at a size, without the pooled ones.
struct UnpooledFacts<'s> {
    size: &'s str,
    facts: BTreeMap<&'s str, String>,
}

/// Returns the keys of a pivot. If sides are matched, adds the keys in which configurations of a side differ at one size.
pub(super) fn keys(a: &Side, b: &Side, options: &Options) -> SplitKeys {
    let mut keys = SplitKeys::default();
    let axes = options.pivot.iter().flat_map(|(row, column)| [row, column]);
    let [of_a, of_b] = [a, b].map(|side| kinds(side, &options.pooled));
    let is_matched = options.several == Several::Matched;
    for axis in axes {
        match axis {
            // Tests and sizes separate the lines anyway.
            Axis::Test | Axis::Size => {}
            Axis::Suite | Axis::Host | Axis::Session => keys.shared.push(axis.clone()),
            Axis::Property(word) if is_matched && varies(&of_b, word) => keys.shared.push(axis.clone()),
            Axis::Property(_) => keys.of_a.push(axis.clone()),
        }
    }
    if is_matched {
        add_matched(&mut keys, &of_a, &of_b);
    }
    keys
}

fn add_matched(keys: &mut SplitKeys, a: &[UnpooledFacts<'_>], b: &[UnpooledFacts<'_>]) {
    let (in_a, in_b) = (values(a), values(b));
    let words: BTreeSet<&str> =
        in_a.keys().chain(in_b.keys()).copied().filter(|w| varies(a, w) || varies(b, w)).collect();
    let mut words: Vec<&str> = words.into_iter().collect();
    // Keys that determine others come first, then keys with the same values on both sides.
    words.sort_by_key(|word| {
        let place = ["suite", "engine", "version"].iter().position(|known| known == word);
        (*word == "tier", place.unwrap_or(3), in_a.get(word) != in_b.get(word))
    });
    let agree = |word: &&str| match (in_a.get(word), in_b.get(word)) {
        // Different tiers can be allowed, so nothing is left out because of them.
        _ if *word == "tier" => false,
        (Some(a), Some(b)) => !a.is_disjoint(b),
        _ => false,
    };
    let (common, own): (Vec<&str>, Vec<&str>) = words.into_iter().partition(agree);
    let names = |axes: &[Axis]| axes.iter().map(Axis::to_string).collect::<Vec<_>>();
    for word in common {
        let known = names(&keys.shared);
        if !known.iter().any(|known| known == word) && (separates(a, &known, word) || separates(b, &known, word)) {
            keys.shared.push(Axis::from_fact(word));
        }
    }
    let shared = names(&keys.shared);
    let own_of = |kinds: &[UnpooledFacts<'_>], known: &mut Vec<Axis>| {
        for word in &own {
            let others = [shared.clone(), names(known)].concat();
            if !others.iter().any(|other| other == word) && separates(kinds, &others, word) {
                known.push(Axis::from_fact(word));
            }
        }
        parts(kinds, &[shared.clone(), names(known)].concat())
    };
    let (mut of_a, mut of_b) = (keys.of_a.clone(), Vec::new());
    let pairs = own_of(a, &mut of_a) * own_of(b, &mut of_b);
    if of_a.is_empty() || of_b.is_empty() || pairs <= MOST_PAIRS {
        (keys.of_a, keys.of_b) = (of_a, of_b);
    }
}

fn kinds<'s>(side: &'s Side, pooled: &BTreeSet<String>) -> Vec<UnpooledFacts<'s>> {
    let mut seen = HashSet::new();
    let first = side.runs.iter().filter(|run| seen.insert((Arc::as_ptr(&run.configuration), &*run.size)));
    let kind = |run: &'s dbdyno_store::RunTests| {
        let mut facts = run.configuration.facts();
        facts.retain(|word, _| !is_pooled(word, pooled));
        UnpooledFacts { size: &run.size, facts }
    };
    first.map(kind).collect()
}

/// Whether the values of a word are pooled. The tier follows from the options.
pub(super) fn is_pooled(word: &str, pooled: &BTreeSet<String>) -> bool {
    pooled.contains(word) || (word == "tier" && !pooled.is_empty())
}

/// Returns the values of each word.
fn values<'k>(kinds: &'k [UnpooledFacts<'_>]) -> BTreeMap<&'k str, BTreeSet<&'k str>> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (word, value) in kinds.iter().flat_map(|kind| &kind.facts) {
        values.entry(word).or_default().insert(value);
    }
    values
}

/// Whether configurations of one size differ in a word. A value that follows from the size is not a difference.
fn varies(kinds: &[UnpooledFacts<'_>], word: &str) -> bool {
    separates(kinds, &[], word)
}

/// Whether a word distinguishes configurations of one size that the known words do not.
fn separates(kinds: &[UnpooledFacts<'_>], known: &[String], word: &str) -> bool {
    parts(kinds, &[known, &[word.to_owned()]].concat()) > parts(kinds, known)
}

/// Returns the number of parts into which these words split the configurations of each size.
fn parts(kinds: &[UnpooledFacts<'_>], words: &[String]) -> usize {
    let part = |kind: &UnpooledFacts<'_>| -> (String, Vec<Option<String>>) {
        (kind.size.to_owned(), words.iter().map(|word| kind.facts.get(word.as_str()).cloned()).collect())
    };
    kinds.iter().map(part).collect::<HashSet<_>>().len()
}
