//! Whether engines gave the same answers.

use std::collections::BTreeMap;

/// Which of several answers to one question agree. `None` where there is nothing to compare: no answer, or only one.
///
/// A value that more than half of the answers have is taken as right, and the others disagree. Without such a majority
/// nobody can tell who is right, and all disagree.
pub(super) fn agreement(answers: &[Option<&str>]) -> Vec<Option<bool>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in answers.iter().flatten() {
        *counts.entry(answer).or_default() += 1;
    }
    let given: usize = counts.values().sum();
    if given < 2 {
        return vec![None; answers.len()];
    }
    let majority = counts.iter().find(|(_, count)| **count * 2 > given).map(|(answer, _)| *answer);
    answers.iter().map(|answer| answer.map(|answer| Some(answer) == majority)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minority_disagrees() {
        let found = agreement(&[Some("a"), Some("b"), Some("a"), None]);
        assert_eq!(found, [Some(true), Some(false), Some(true), None]);
    }

    #[test]
    fn without_a_majority_all_disagree() {
        assert_eq!(agreement(&[Some("a"), Some("b")]), [Some(false), Some(false)]);
    }

    #[test]
    fn one_answer_is_not_compared() {
        assert_eq!(agreement(&[Some("a"), None]), [None, None]);
        assert_eq!(agreement(&[]), []);
    }
}
