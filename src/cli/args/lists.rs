//! Several values in one word, with commas between them.

use dbdyno_catalog::bench::{EngineChoice, SpecError};
use dbdyno_engine::size::Size;
use std::str::FromStr;

/// Engines separated by commas: `sqlite:journal_mode=wal,synchronous=off,lmdb`.
#[derive(Debug, Clone)]
pub(in crate::cli) struct EngineList(Vec<EngineChoice>);

impl EngineList {
    /// The engines of several lists.
    pub(in crate::cli) fn joined(lists: impl IntoIterator<Item = Self>) -> Vec<EngineChoice> {
        lists.into_iter().flat_map(|list| list.0).collect()
    }
}

impl FromStr for EngineList {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        EngineChoice::parse_list(text).map(Self)
    }
}

/// Sizes separated by commas: `1000,10k`.
#[derive(Debug, Clone)]
pub(in crate::cli) struct SizeList(Vec<Size>);

impl SizeList {
    /// The sizes of several lists.
    pub(in crate::cli) fn joined(lists: &[Self]) -> Vec<Size> {
        lists.iter().flat_map(|list| list.0.iter().copied()).collect()
    }
}

impl FromStr for SizeList {
    type Err = String;

    /// Two numbers stay one size until the suite is known: some suites have sizes of two numbers.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let sizes = if parts.len() < 3 { vec![text] } else { parts };
        sizes.into_iter().map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_separated_by_commas() {
        let sizes = |text: &str| text.parse::<SizeList>().map(|list| SizeList::joined(&[list]));
        assert_eq!(sizes("10k"), Ok(vec![Size::one(10_000)]));
        assert_eq!(sizes("1000,10k"), Ok(vec![Size { first: 1000, second: Some(10_000) }]));
        assert_eq!(sizes("10,100,1k"), Ok([10, 100, 1000].map(Size::one).to_vec()));
        assert!(sizes("10,,100").is_err() && sizes("").is_err());
    }
}
