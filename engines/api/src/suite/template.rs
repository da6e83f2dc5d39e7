//! Key and value formats of a suite: text with numbers in it.
//!
//! Grammar: any text with any of `{key}`, `{op}` and `{hash}`, each alone or with `:W` or `:uN`, `{random:N}` and `{scattered:N}`, and
//! `{uuid4}` and `{uuid7}`, each alone or with `:u16`.
//! `key` is the record's index and `op` the operation's ordinal in its test, both from 0. `hash` is the record's index scattered by
//! FNV-1a, as in YCSB. `W` is the least number of digits, padded with zeros (C's `%0Wd`). `uN` is the lowest N bytes of the number, the
//! highest first. `random` gives N random bytes. `scattered` gives N bytes that look random and follow from the record's index. With
//! `:A-B` in place of `:N`, the number of bytes is drawn too. `:A-B*3/N*1` is a list of such lengths with their weights (1 without `*`),
//! one of which is drawn first. `,P%` at the end says which part of the bytes repeats the bytes before, so that it can be compressed away.
//! `uuid4` and `uuid7` give the record's UUID in its 36 characters, or with `:u16` in its bytes; those of version 7 rise with the index.

use serde::{Deserialize, Serialize};
use std::{fmt, ops::RangeInclusive, str::FromStr};

/// A parsed format.
///
/// ```
/// use dbdyno_engine::suite::Template;
///
/// let key: Template = "key_{key:8}".parse()?;
/// assert_eq!(key.len(), "key_00000000".len());
/// assert!("key_{day}".parse::<Template>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub struct Template {
    /// Each text, with the placeholder after it.
    parts: Vec<(String, Variable)>,
    suffix: String,
}

/// A placeholder in a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variable {
    Number(NumberSource, NumberForm),
    /// Bytes that are drawn for each operation.
    Random(Bytes),
    /// Bytes that follow from the record's index.
    Scattered(Bytes),
    /// The record's UUID.
    Uuid(UuidVersion, UuidForm),
}

/// A number of bytes, and how much of them repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes {
    /// The lengths, one of which is drawn by its weight if there are several. At least one.
    pub lengths: Vec<Length>,
    /// The sum of the weights.
    pub weights: u64,
    /// The percentage of the bytes that repeats those before, from 0 to 100. 100: every byte is an `x`.
    pub repeated: u8,
}

/// A number of bytes, which is drawn if it can be more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// At least 1.
    pub least: usize,
    /// `least` or more.
    pub most: usize,
    /// At least 1.
    pub weight: u64,
}

/// How a record's UUID (RFC 9562) follows from its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UuidVersion {
    /// All bits but version and variant are scattered.
    Four,
    /// The time is that of [`UUID_EPOCH_MS`] and a millisecond a record, the other bits are scattered.
    Seven,
}

/// The form in which a UUID is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UuidForm {
    /// 36 characters, in lower case.
    Text,
    /// 16 bytes.
    Bytes,
}

/// The time in the UUID of version 7 of record 0: 2026-01-01, ms.
pub const UUID_EPOCH_MS: u64 = 1_767_225_600_000;

/// The number that a placeholder is replaced with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberSource {
    /// The record's index, from 0.
    Key,
    /// The operation's ordinal in its test, from 0.
    Operation,
    /// The 64-bit FNV-1a hash of the record's index, without its sign.
    Hash,
}

/// The form in which a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberForm {
    /// In digits, at least this many.
    Digits(usize),
    /// Its lowest bytes, this many, the highest first.
    Bytes(usize),
}

const COUNTED: [(&str, NumberSource); 3] =
    [("key", NumberSource::Key), ("op", NumberSource::Operation), ("hash", NumberSource::Hash)];
const DIGITS: RangeInclusive<usize> = 1..=20;
const NUMBER_BYTES: RangeInclusive<usize> = 1..=8;
const BYTES: RangeInclusive<usize> = 1..=1 << 20;
const WEIGHT: RangeInclusive<u64> = 1..=1_000_000;
const LENGTHS: RangeInclusive<usize> = 1..=64;

impl Bytes {
    /// Parses `1000`, `8000-12000`, `100*9/4000-8000`, `1000,50%`.
    fn parse(text: &str) -> Option<Self> {
        let (lengths, repeated) = match text.split_once(',') {
            Some((lengths, percent)) => (lengths, percent.strip_suffix('%')?.parse().ok().filter(|part| *part <= 100)?),
            None => (text, 0),
        };
        let lengths = lengths.split('/').map(Length::parse).collect::<Option<Vec<_>>>()?;
        let weights = lengths.iter().map(|length| length.weight).sum();
        LENGTHS.contains(&lengths.len()).then_some(Self { lengths, weights, repeated })
    }

    fn most(&self) -> usize {
        self.lengths.iter().map(|length| length.most).max().unwrap_or(0)
    }

    /// Returns the expected number of bytes.
    fn mean(&self) -> f64 {
        let of = |length: &Length| (length.least + length.most) as f64 / 2.0 * length.weight as f64;
        self.lengths.iter().map(of).sum::<f64>() / self.weights as f64
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, length) in self.lengths.iter().enumerate() {
            write!(f, "{}{length}", if at > 0 { "/" } else { "" })?;
        }
        if self.repeated > 0 { write!(f, ",{}%", self.repeated) } else { Ok(()) }
    }
}

impl Length {
    /// Parses `1000`, `8000-12000` or `100*9`.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse().ok().filter(|number| BYTES.contains(number));
        let (bytes, weight) = match text.split_once('*') {
            Some((bytes, weight)) => (bytes, weight.parse().ok().filter(|weight| WEIGHT.contains(weight))?),
            None => (text, 1),
        };
        let (least, most) = bytes.split_once('-').unwrap_or((bytes, bytes));
        let (least, most) = (number(least)?, number(most)?);
        (least <= most).then_some(Self { least, most, weight })
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, weight } = self;
        write!(f, "{least}")?;
        if least != most {
            write!(f, "-{most}")?;
        }
        if *weight != 1 { write!(f, "*{weight}") } else { Ok(()) }
    }
}

impl UuidForm {
    fn parse(form: Option<&str>) -> Option<Self> {
        match form {
            None => Some(Self::Text),
            Some("u16") => Some(Self::Bytes),
            Some(_) => None,
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Text => 36,
            Self::Bytes => 16,
        }
    }
}

impl Variable {
    /// Parses the text between the brackets.
    fn parse(text: &str) -> Option<Self> {
        let (name, form) = text.split_once(':').map_or((text, None), |(name, form)| (name, Some(form)));
        let number =
            |text: &str, within: RangeInclusive<usize>| text.parse().ok().filter(|number| within.contains(number));
        match name {
            "random" => return Bytes::parse(form?).map(Self::Random),
            "scattered" => return Bytes::parse(form?).map(Self::Scattered),
            "uuid4" => return UuidForm::parse(form).map(|form| Self::Uuid(UuidVersion::Four, form)),
            "uuid7" => return UuidForm::parse(form).map(|form| Self::Uuid(UuidVersion::Seven, form)),
            _ => {}
        }
        let counted = COUNTED.iter().find(|(word, _)| *word == name)?.1;
        Some(Self::Number(
            counted,
            match form {
                None => NumberForm::Digits(0),
                Some(form) => match form.strip_prefix('u') {
                    Some(bytes) => NumberForm::Bytes(number(bytes, NUMBER_BYTES)?),
                    None => NumberForm::Digits(number(form, DIGITS)?),
                },
            },
        ))
    }

    /// Returns the most bytes that it takes, for a number that fits its digits.
    fn len(&self) -> usize {
        match self {
            Self::Number(_, NumberForm::Digits(digits)) => *digits.max(&1),
            Self::Number(_, NumberForm::Bytes(bytes)) => *bytes,
            Self::Random(bytes) | Self::Scattered(bytes) => bytes.most(),
            Self::Uuid(_, form) => form.len(),
        }
    }

    /// Returns the bytes that are expected of it.
    fn mean(&self) -> f64 {
        match self {
            Self::Random(bytes) | Self::Scattered(bytes) => bytes.mean(),
            Self::Number(..) | Self::Uuid(..) => self.len() as f64,
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (counted, form) = match self {
            Self::Random(bytes) => return write!(f, "{{random:{bytes}}}"),
            Self::Scattered(bytes) => return write!(f, "{{scattered:{bytes}}}"),
            Self::Uuid(version, form) => {
                let version = if *version == UuidVersion::Four { 4 } else { 7 };
                return write!(f, "{{uuid{version}{}}}", if *form == UuidForm::Bytes { ":u16" } else { "" });
            }
            Self::Number(counted, form) => (counted, form),
        };
        let name = COUNTED.iter().find(|(_, one)| one == counted).map_or("", |(name, _)| name);
        match form {
            NumberForm::Digits(0) => write!(f, "{{{name}}}"),
            NumberForm::Digits(digits) => write!(f, "{{{name}:{digits}}}"),
            NumberForm::Bytes(bytes) => write!(f, "{{{name}:u{bytes}}}"),
        }
    }
}

impl Template {
    /// Returns each text with the placeholder behind it, and the text at the end.
    #[inline]
    pub fn parts(&self) -> (&[(String, Variable)], &str) {
        (&self.parts, &self.suffix)
    }

    /// Returns the greatest length of the rendered format in bytes, for numbers that fit their digits.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|(text, variable)| text.len() + variable.len()).sum::<usize>() + self.suffix.len()
    }

    /// Returns the expected length of the rendered format in bytes, rounded up.
    pub fn mean_len(&self) -> usize {
        let texts = self.parts.iter().map(|(text, _)| text.len()).sum::<usize>() + self.suffix.len();
        texts + self.parts.iter().map(|(_, variable)| variable.mean()).sum::<f64>().ceil() as usize
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
                "format `{text}`: expected text with any of {{key}}, {{op}}, {{hash}} (each alone, with :DIGITS from 1 to 20, \
                 or with :uBYTES from 1 to 8), {{random:BYTES}} and {{scattered:BYTES}} (up to 1048576 bytes, FEWEST-MOST, or a list \
                 such as 100*9/4000; with ,50% half of them repeats), {{uuid4}} and {{uuid7}} (alone or with :u16)"
            )
        };
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, after) = after.split_once('}').ok_or_else(expected)?;
            if before.contains('}') {
                return Err(expected());
            }
            parts.push((before.to_owned(), Variable::parse(inside).ok_or_else(expected)?));
            rest = after;
        }
        if rest.contains('}') {
            return Err(expected());
        }
        Ok(Self { parts, suffix: rest.to_owned() })
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
        self.parts.iter().try_for_each(|(text, variable)| write!(f, "{text}{variable}"))?;
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
        let length = |format: &str| format.parse::<Template>().unwrap().len();
        assert_eq!(length("value_{key:08}_with_some_additional_data_to_make_it_realistic"), 61);
        assert_eq!(length("{key:u4}-{op}-{scattered:24}"), 4 + 1 + 1 + 1 + 24);
        assert_eq!(length("{random:8000-12000}"), 12_000, "the most that it can be");
        assert_eq!(length("{random:100*9/4000,50%}"), 4_000);
        assert_eq!(length("{uuid7}{uuid4:u16}"), 36 + 16);
        let mean = |format: &str| format.parse::<Template>().unwrap().mean_len();
        assert_eq!(mean("v{random:100*9/1000}"), 1 + 190, "nine tenths are short");
        assert_eq!(mean("{random:8000-12000}{key:08}"), 10_008);
    }

    #[test]
    fn a_format_survives_the_wire() {
        for format in [
            "key_{key:8}",
            "{op}",
            "constant",
            "a{key}b",
            "",
            "user{hash}",
            "{random:1000}",
            "{key:u4}\u{18}",
            "{key}{op} {hash:u8}{scattered:24}",
            "{random:8000-12000}{scattered:1-2}",
            "{random:100*9/4000-8000/7*1000000,35%}",
            "{scattered:24,100%}{uuid4}-{uuid7:u16}{uuid7}",
        ] {
            assert_eq!(format.parse::<Template>().unwrap().to_string(), format);
        }
    }

    #[test]
    fn a_malformed_format_is_refused() {
        for format in [
            "{",
            "}",
            "{row}",
            "{key:0}",
            "{key:21}",
            "a}b{key}",
            "{key",
            "{random}",
            "{random:0}",
            "{key:u0}",
            "{key:u9}",
            "{scattered}",
            "{random:u4}",
            "{random:2-1}",
            "{random:0-1}",
            "{random:1-}",
            "{key:1-2}",
            "{random:1/}",
            "{random:1*0}",
            "{random:1,101%}",
            "{random:1,5}",
            "{random:,5%}",
            "{uuid4:u8}",
            "{uuid5}",
            "{uuid7:36}",
            "{key}}",
        ] {
            assert!(format.parse::<Template>().is_err(), "{format}");
        }
    }
}
