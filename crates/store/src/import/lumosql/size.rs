//! The data size of a run.

use super::{names::folded, read::RawRun};

/// A data size, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DataSize {
    /// The option `datasize`.
    Told(String),
    /// The numbers in the names of its tests.
    FromNames(String),
    /// The file does not give the size: LumoSQL's default applies.
    Default,
}

/// Tests whose names contain how much is written and read, with the factor by which the size is multiplied.
const WRITES: (&str, u64) = ("# inserts", 1000);
const READS: (&str, u64) = ("# selects without an index", 100);

impl DataSize {
    /// Determines the size of a run.
    pub(super) fn of(raw: &RawRun) -> Self {
        if let Some(told) = raw.facts.get("option-datasize").map(|size| size.trim()).filter(|size| !size.is_empty()) {
            return Self::Told(told.to_owned());
        }
        let names: Vec<&str> =
            raw.tests.values().filter_map(|test| test.get("test-name").map(String::as_str)).collect();
        in_names(&names).map_or(Self::Default, Self::FromNames)
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Told(size) | Self::FromNames(size) => size,
            Self::Default => "1",
        }
    }
}

/// Returns the size by the names of tests: `2`, or `2,3` if the amount read is that of size 2 and the amount written that of size 3.
fn in_names(names: &[&str]) -> Option<String> {
    let of = |(test, factor): (&str, u64)| {
        let name = names.iter().find(|name| folded(name) == test)?;
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        let number = digits.parse::<u64>().ok().filter(|number| *number > 0 && number % factor == 0)?;
        Some(number / factor)
    };
    match (of(READS), of(WRITES)) {
        (Some(reads), Some(writes)) if reads != writes => Some(format!("{reads},{writes}")),
        (Some(size), _) | (None, Some(size)) => Some(size.to_string()),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_tell_a_size() {
        let size = |names: &[&str]| in_names(names);
        assert_eq!(size(&["3000 INSERTs", "300 SELECTs without an index"]).as_deref(), Some("3"));
        assert_eq!(size(&["DROP TABLE", "3000 INSERTs", "200 SELECTs without an index"]).as_deref(), Some("2,3"));
        assert_eq!(size(&["25000 INSERTs"]).as_deref(), Some("25"));
        for nothing in ["1234 INSERTs", "0 INSERTs", "INSERTs", "25000 INSERTs in a transaction"] {
            assert_eq!(size(&[nothing]), None, "{nothing}");
        }
    }
}
