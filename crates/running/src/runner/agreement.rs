//! Whether engines gave the correct answers.

use std::collections::{BTreeMap, BTreeSet};

/// An answer to a question that several configurations were asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenAnswer<'a> {
    /// The digest; none if there was no answer.
    pub(super) digest: Option<&'a str>,
    /// The implementation that gave the answer. Configurations of one library share its mistakes, and together have one vote.
    pub(super) implementation: &'a str,
    /// Whether this implementation is the reference for the others.
    pub(super) is_reference: bool,
}

/// Returns which of the answers to one question are correct. `None`: no answer, or nothing to compare it with.
///
/// The `known` answer decides. Without it, the reference decides if all its configurations agree. Otherwise the digest that more than half
/// of the implementations gave decides. If there is no such digest, the correct answer is unknown, and all disagree.
pub(super) fn agreement(known: Option<&str>, answers: &[GivenAnswer<'_>]) -> Vec<Option<bool>> {
    let equal = |right: &str| answers.iter().map(|answer| Some(answer.digest? == right)).collect();
    if let Some(known) = known {
        return equal(known);
    }
    let mut digests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut reference = BTreeSet::new();
    for answer in answers {
        let Some(digest) = answer.digest else { continue };
        digests.entry(answer.implementation).or_default().insert(digest);
        if answer.is_reference {
            reference.insert(digest);
        }
    }
    let all: BTreeSet<&str> = digests.values().flatten().copied().collect();
    // A single implementation can only be found to contradict itself.
    if digests.len() < 2 && all.len() < 2 {
        return vec![None; answers.len()];
    }
    if let (1, Some(right)) = (reference.len(), reference.first()) {
        return equal(right);
    }
    let voices: Vec<&str> = digests.values().filter(|own| own.len() == 1).flatten().copied().collect();
    let has_majority = |digest: &&&str| voices.iter().filter(|voice| voice == digest).count() * 2 > digests.len();
    match all.iter().find(has_majority) {
        Some(right) => equal(right),
        None => answers.iter().map(|answer| answer.digest.map(|_| false)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges answers written as `implementation:digest`, with `?` for none. SQLite is the reference.
    fn judged(known: Option<&str>, answers: &[&str]) -> Vec<Option<bool>> {
        let answer = |text: &&'static str| {
            let (implementation, digest) = text.split_once(':').unwrap();
            let digest = (digest != "?").then_some(digest);
            GivenAnswer { digest, implementation, is_reference: implementation == "sqlite" }
        };
        let answers: Vec<&'static str> = answers.iter().map(|text| &*String::leak((*text).to_owned())).collect();
        agreement(known, &answers.iter().map(answer).collect::<Vec<_>>())
    }

    #[test]
    fn a_minority_of_implementations_disagrees() {
        let found = judged(None, &["lmdb:a", "redb:b", "fjall:a", "null:?"]);
        assert_eq!(found, [Some(true), Some(false), Some(true), None]);
    }

    #[test]
    fn configurations_of_one_library_have_one_voice() {
        let wrong = judged(None, &["sqlite:a", "broken:b", "broken:b"]);
        assert_eq!(wrong, [Some(true), Some(false), Some(false)]);
        let undecided = judged(None, &["redb:a", "broken:b", "broken:b"]);
        assert_eq!(undecided, [Some(false); 3], "one against one: nobody can tell");
        let outvoted = judged(None, &["redb:a", "lmdb:a", "broken:b", "broken:b", "broken:b"]);
        assert_eq!(outvoted, [Some(true), Some(true), Some(false), Some(false), Some(false)]);
    }

    #[test]
    fn the_reference_is_not_outvoted() {
        assert_eq!(judged(None, &["sqlite:a", "lmdb:b", "redb:b"]), [Some(true), Some(false), Some(false)]);
    }

    #[test]
    fn who_contradicts_himself_has_no_voice() {
        let reference = judged(None, &["sqlite:a", "sqlite:b", "lmdb:b", "redb:b"]);
        assert_eq!(reference, [Some(false), Some(true), Some(true), Some(true)]);
        assert_eq!(judged(None, &["lmdb:a", "lmdb:b"]), [Some(false), Some(false)]);
        assert_eq!(judged(None, &["lmdb:a", "lmdb:b", "redb:a"]), [Some(false); 3]);
    }

    #[test]
    fn one_implementation_is_not_cross_checked() {
        assert_eq!(judged(None, &["lmdb:a", "lmdb:a", "null:?"]), [None, None, None]);
        assert_eq!(judged(None, &[]), []);
    }

    #[test]
    fn what_is_known_comes_before_every_vote() {
        let found = judged(Some("c"), &["sqlite:a", "lmdb:a", "redb:c", "null:?"]);
        assert_eq!(found, [Some(false), Some(false), Some(true), None]);
        assert_eq!(judged(Some("a"), &["lmdb:a"]), [Some(true)]);
    }
}
