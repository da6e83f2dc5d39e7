//! Sampled call stacks of one side, and the CPU time that their samples stand for.

use super::names::without_hash;
use std::collections::BTreeMap;

/// The standard errors by which two times must differ to be called different.
const NOISE: f64 = 2.0;

/// Sampled call stacks of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacks {
    /// The side's name.
    pub name: String,
    /// The samples of each stack. A stack is its functions from the outermost, separated by `;`. A `; ` with a space is part of a name: of
    /// an array like `[u8; 4]`.
    pub stacks: BTreeMap<String, u64>,
    /// The CPU time that a sample stands for, ns. Divide it by the number of operations for times of an operation.
    pub ns_per_sample: f64,
}

/// CPU time that is estimated from samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampledTime {
    pub samples: u64,
    pub ns_per_sample: f64,
}

impl Stacks {
    /// Returns the time of all its samples.
    pub fn total(&self) -> SampledTime {
        self.time(self.stacks.values().sum())
    }

    /// Returns the time that some of its samples stand for.
    pub(super) fn time(&self, samples: u64) -> SampledTime {
        SampledTime { samples, ns_per_sample: self.ns_per_sample }
    }

    /// Returns the functions of each stack, from the outermost, with its samples.
    pub(super) fn each(&self) -> impl Iterator<Item = (Vec<&str>, u64)> {
        self.stacks.iter().map(|(stack, samples)| (functions(stack), *samples))
    }

    /// Returns the samples of each function whose innermost function it is.
    pub(super) fn of_functions_alone(&self) -> BTreeMap<&str, u64> {
        let mut samples = BTreeMap::new();
        for (stack, of_stack) in &self.stacks {
            if let Some(innermost) = functions(stack).pop() {
                *samples.entry(innermost).or_default() += of_stack;
            }
        }
        samples
    }
}

fn functions(stack: &str) -> Vec<&str> {
    let mut begin = 0;
    let ends = stack.match_indices(';').map(|(at, _)| at).filter(|at| !stack[at + 1..].starts_with(' '));
    let functions = ends.chain([stack.len()]).map(|end| {
        let name = without_hash(&stack[begin..end]);
        begin = end + 1;
        name
    });
    functions.filter(|name| !name.is_empty()).collect()
}

impl SampledTime {
    /// Returns the time, ns.
    pub fn ns(self) -> f64 {
        self.samples as f64 * self.ns_per_sample
    }

    /// Whether two times differ by more than the noise of their samples.
    pub(super) fn differs_from(self, other: Self) -> bool {
        // Samples are counts of independent events, so their variance is their number. One sample is the least, because a function
        // without samples may have had some.
        let variance = |time: Self| time.samples.max(1) as f64 * time.ns_per_sample.powi(2);
        (self.ns() - other.ns()).abs() >= NOISE * (variance(self) + variance(other)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(samples: u64, ns_per_sample: f64) -> SampledTime {
        SampledTime { samples, ns_per_sample }
    }

    #[test]
    fn times_differ_if_their_samples_do_by_more_than_chance() {
        assert!(!time(100, 1.0).differs_from(time(128, 1.0)), "2 * sqrt(228) is 30.2");
        assert!(time(100, 1.0).differs_from(time(131, 1.0)));
        assert!(!time(100, 1.0).differs_from(time(50, 2.0)), "the same time from fewer samples");
        assert!(time(100, 1.0).differs_from(time(50, 4.0)));
        assert!(!time(4, 1.0).differs_from(time(0, 1.0)), "a few samples may be absent by chance");
        assert!(time(5, 1.0).differs_from(time(0, 1.0)));
    }

    #[test]
    fn the_innermost_function_has_the_samples_and_empty_names_are_none() {
        let stacks =
            [("a;b", 2), (";a;;b;", 3), ("a", 5), ("b;a::h0123456789abcdef", 7), ("a;c<[u8; 4]>", 4), ("", 11)];
        let stacks = stacks.map(|(stack, samples)| (stack.to_owned(), samples)).into();
        let side = Stacks { name: String::new(), stacks, ns_per_sample: 2.0 };
        assert_eq!(side.of_functions_alone(), BTreeMap::from([("a", 12), ("b", 5), ("c<[u8; 4]>", 4)]));
        assert_eq!(side.total().ns(), 64.0);
    }
}
