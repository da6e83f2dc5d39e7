//! Names that somebody typed: a list of the known ones, and the nearest of them.

use strsim::damerau_levenshtein;

/// The most names that an error lists.
const MOST_LISTED: usize = 12;
/// The most names that an error suggests.
const MOST_SUGGESTED: usize = 3;

/// Joins words as `a, b or c`.
pub fn one_of<T: AsRef<str>>(words: &[T]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}

/// Returns the end of an error about an unknown name: the nearest known names, or all of them if they are few.
///
/// ```
/// use dbdyno_engine::names::instead_of;
///
/// assert_eq!(instead_of("journal_moed", ["cache_size", "journal_mode"]), "did you mean `journal_mode`?");
/// assert_eq!(instead_of("x", ["delete", "truncate", "wal"]), "expected delete, truncate or wal");
/// ```
pub fn instead_of<T: AsRef<str>>(name: &str, known: impl IntoIterator<Item = T>) -> String {
    let known: Vec<T> = known.into_iter().collect();
    match nearest(name, &known).as_slice() {
        [] if known.len() <= MOST_LISTED => format!("expected {}", one_of(&known)),
        [] => format!("expected one of {} known names, but none is similar", known.len()),
        near => {
            let quoted: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            format!("did you mean {}?", one_of(&quoted))
        }
    }
}

/// Returns the known names that differ from a name by a slip of the fingers, or that begin with it; the nearest first, at most three.
fn nearest<'k, T: AsRef<str>>(name: &str, known: &'k [T]) -> Vec<&'k str> {
    let name = name.to_lowercase();
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .map(AsRef::as_ref)
        .filter_map(|known| {
            let lower = known.to_lowercase();
            let distance = damerau_levenshtein(&name, &lower);
            // A third of the letters wrong is how far compilers go.
            let length = name.chars().count();
            let is_near = distance <= length.max(3) / 3 && distance < length;
            let begins = name.len() > 1 && lower.starts_with(&name);
            (is_near || begins).then_some((distance, known))
        })
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, known)| known).take(MOST_SUGGESTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first_and_are_few() {
        let presets = ["lumosql-bdb", "lumosql-quick", "quick", "snkv-quick", "lumosql-rowsum", "lumosql-backends"];
        assert_eq!(instead_of("quik", presets), "did you mean `quick`?");
        assert_eq!(instead_of("QUICK", presets), "did you mean `quick`?");
        assert_eq!(instead_of("lumosql", presets), "did you mean `lumosql-bdb`, `lumosql-quick` or `lumosql-rowsum`?");
        assert_eq!(instead_of("lmbd", ["lmdb", "lmdb1", "redb"]), "did you mean `lmdb`?");
    }

    #[test]
    fn a_name_like_none_of_them_is_answered_with_all_of_a_few_but_never_of_many() {
        assert_eq!(instead_of("postgres", ["sqlite", "lmdb"]), "expected sqlite or lmdb");
        assert_eq!(instead_of("", ["sqlite"]), "expected sqlite");
        assert_eq!(instead_of("u", ["t"]), "expected t");
        assert_eq!(instead_of::<&str>("x", []), "expected nothing");
        let many: Vec<String> = (0..32).map(|number| format!("preset-{number}")).collect();
        assert_eq!(instead_of("quick", &many), "expected one of 32 known names, but none is similar");
    }
}
