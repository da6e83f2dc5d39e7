//! Key and value formats of a suite: text with at most one zero-padded number.
//!
//! Grammar: any text, with one optional `{key}`, `{op}` or `{hash}`, each with or without `:W`, or `{random:N}`; `W` is the least number of
//! digits, padded with zeros (C's `%0Wd`). `key` is the record's index, `op` the operation's ordinal in its test, both from 0;
//! `hash` is the record's index scattered by FNV-1a, as YCSB has it; `random` stands for N random bytes.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A parsed format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Template {
    prefix: String,
    number: Option<(Variable, usize)>,
    suffix: String,
}

/// Which number stands in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// The record's index, from 0.
    Key,
    /// The operation's ordinal in its test, from 0.
    Operation,
    /// The 64-bit FNV-1a hash of the record's index, without its sign.
    Hash,
    /// Random bytes, as many as the width says.
    Random,
}

impl Variable {
    const ALL: [(&str, Self); 4] =
        [("key", Self::Key), ("op", Self::Operation), ("hash", Self::Hash), ("random", Self::Random)];

    /// The widths that it takes.
    fn widths(self) -> std::ops::RangeInclusive<usize> {
        match self {
            Self::Key | Self::Operation | Self::Hash => 1..=20,
            Self::Random => 1..=1 << 20,
        }
    }
}

impl Template {
    /// The text before the number, the number with its least count of digits, and the text behind it.
    #[inline]
    pub fn parts(&self) -> (&str, Option<(Variable, usize)>, &str) {
        (&self.prefix, self.number, &self.suffix)
    }

    /// Length in bytes of the rendered format, for numbers that fit the width.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.number.map_or(0, |(_, width)| width.max(1)) + self.suffix.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FromStr for Template {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "format `{text}`: expected text with at most one of {{key}}, {{op}} and {{hash}}, each with or without \
                 :WIDTH from 1 to 20, or {{random:BYTES}} of up to 1048576 bytes"
            )
        };
        let Some((prefix, rest)) = text.split_once('{') else {
            if text.contains('}') {
                return Err(expected());
            }
            return Ok(Self { prefix: text.to_owned(), number: None, suffix: String::new() });
        };
        let (inside, suffix) = rest.split_once('}').ok_or_else(expected)?;
        if prefix.contains('}') || suffix.contains(['{', '}']) {
            return Err(expected());
        }
        let (name, width) = match inside.split_once(':') {
            None => (inside, None),
            Some((name, width)) => (name, Some(width.parse().map_err(|_| expected())?)),
        };
        let variable = Variable::ALL.iter().find(|(word, _)| *word == name).ok_or_else(expected)?.1;
        if width.map_or(variable == Variable::Random, |width| !variable.widths().contains(&width)) {
            return Err(expected());
        }
        let width = width.unwrap_or(0);
        Ok(Self { prefix: prefix.to_owned(), number: Some((variable, width)), suffix: suffix.to_owned() })
    }
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.prefix)?;
        if let Some((variable, width)) = self.number {
            let name = Variable::ALL.iter().find(|(_, one)| *one == variable).map_or("", |(name, _)| name);
            match width {
                0 => write!(f, "{{{name}}}")?,
                width => write!(f, "{{{name}:{width}}}")?,
            }
        }
        f.write_str(&self.suffix)
    }
}

impl From<Template> for String {
    fn from(template: Template) -> Self {
        template.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_told_without_rendering() {
        let value = "value_{key:08}_with_some_additional_data_to_make_it_realistic";
        assert_eq!(value.parse::<Template>().unwrap().len(), 61);
    }

    #[test]
    fn a_format_survives_the_wire() {
        for format in ["key_{key:8}", "{op}", "constant", "a{key}b", "", "user{hash}", "{random:1000}"] {
            assert_eq!(format.parse::<Template>().unwrap().to_string(), format);
        }
    }

    #[test]
    fn a_malformed_format_is_refused() {
        for format in
            ["{", "}", "{row}", "{key:0}", "{key:21}", "{key}{op}", "a}b{key}", "{key", "{random}", "{random:0}"]
        {
            assert!(format.parse::<Template>().is_err(), "{format}");
        }
    }
}
