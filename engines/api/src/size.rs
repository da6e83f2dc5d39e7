//! The value of a suite's data-size axis.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// One positive number (`10000`), or two (`2,3`: reads and writes), as a suite defines.
///
/// ```
/// use dbdyno_engine::size::Size;
///
/// assert_eq!("10k".parse(), Ok(Size::one(10_000)));
/// assert_eq!("2,3".parse(), Ok(Size { first: 2, second: Some(3) }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    /// The first number, or the only one.
    pub first: u64,
    /// The second number, where there are two.
    pub second: Option<u64>,
}

impl Size {
    /// Creates a size of one number.
    pub fn one(first: u64) -> Self {
        Self { first, second: None }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            let part = part.trim();
            let with = |suffix: [char; 2], factor| Some((part.strip_suffix(suffix)?, factor));
            let (digits, factor) = with(['k', 'K'], 1_000).or_else(|| with(['m', 'M'], 1_000_000)).unwrap_or((part, 1));
            digits
                .replace('_', "")
                .parse::<u64>()
                .ok()
                .and_then(|number| number.checked_mul(factor))
                .filter(|&number| number > 0)
                .ok_or_else(|| {
                    format!("size `{text}`: expected a positive whole number (10000, 10k, 1M), or two as READS,WRITES")
                })
        };
        match text.split_once(',') {
            None => Ok(Self::one(number(text)?)),
            Some((first, second)) => Ok(Self { first: number(first)?, second: Some(number(second)?) }),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.second {
            None => write!(f, "{}", self.first),
            Some(second) => write!(f, "{},{second}", self.first),
        }
    }
}

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> Self {
        size.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!("10k".parse(), Ok(Size::one(10_000)));
        assert_eq!("1M".parse(), Ok(Size::one(1_000_000)));
        assert_eq!("1_000".parse(), Ok(Size::one(1_000)));
        assert_eq!("2,3".parse(), Ok(Size { first: 2, second: Some(3) }));
        assert_eq!("2,3".parse::<Size>().unwrap().to_string(), "2,3");
        for wrong in ["0", "-1", "", "1,0", "ten", "k", "1kk", "1mk"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
