//! LumoSQL's tests by name. Their numbers differ between files, and the digits in their names differ between sizes.

use super::NAMESPACE;
use uuid::Uuid;

/// Folded names in the order of the suite; the first is test 1.
const TESTS: [&str; 18] = [
    "creating database and tables",
    "# inserts",
    "# updates without an index, upgrading a read-only transaction",
    "# inserts in a transaction",
    "# selects without an index",
    "# selects on a string comparison",
    "creating an index",
    "# selects with an index",
    "# updates without an index",
    "# updates with an index",
    "# text updates with an index",
    "inserts from a select",
    "delete without an index",
    "delete with an index",
    "a big insert after a big delete",
    "a big delete followed by many small inserts",
    "drop table",
    "transient :memory: databases attached and detached",
];

/// Folds a name so that it is the same at every size: digits become `#`, letters lower case, spaces single.
pub(super) fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().chars() {
        match c {
            c if c.is_ascii_digit() && folded.ends_with('#') => {}
            c if c.is_ascii_digit() => folded.push('#'),
            c => folded.push(c),
        }
    }
    folded
}

/// Returns a test's number: its place in the suite, or for other tests one of six digits. That number depends on the name alone, so it is
/// the same in every file.
pub(super) fn number(folded: &str) -> TestNumber {
    match TESTS.iter().position(|test| *test == folded) {
        Some(at) => TestNumber::Known(at as u32 + 1),
        None => {
            let hash = Uuid::new_v5(&NAMESPACE, folded.as_bytes()).as_u128();
            TestNumber::Unknown(100_000 + (hash % 900_000) as u32)
        }
    }
}

/// A test's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestNumber {
    /// The number of one of LumoSQL's tests.
    Known(u32),
    /// The number of another test.
    Unknown(u32),
}

impl TestNumber {
    /// Returns the number of either kind.
    pub(super) fn get(self) -> u32 {
        match self {
            Self::Known(number) | Self::Unknown(number) => number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_one_number_at_every_size() {
        assert_eq!(folded("25000 INSERTs in a  transaction"), "# inserts in a transaction");
        for name in ["25000 INSERTs in a transaction", "750000 INSERTs in a transaction"] {
            assert_eq!(number(&folded(name)), TestNumber::Known(4));
        }
        assert_eq!(number(&folded("DROP TABLE")), TestNumber::Known(17));
        let other = number(&folded("12 JOINs"));
        assert_eq!(other, number(&folded("144 JOINs")));
        assert!(matches!(other, TestNumber::Unknown(100_000..=999_999)));
    }
}
