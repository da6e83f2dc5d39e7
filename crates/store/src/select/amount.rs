//! Amounts with units, with which terms compare figures: `1ms`, `100k`, `10MiB`.

use super::{SelectionKey, values::ValuePattern};
use dbdyno_foundation::metric::Unit;

/// The kind of amount of a term's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AmountKind {
    /// A time, with its unit unless the key names it (`_ns`); then the number is in ns.
    Time {
        is_named: bool,
    },
    Bytes,
    /// A number with `k`, `m` or `g` for thousands, millions or billions; of a rate also a second (`k/s`).
    Count,
    Rate,
    /// Parts per million.
    Share,
    /// A plain number, or bytes if it has a unit.
    Number,
}

type Units = &'static [(&'static str, f64)];

const TIMES: Units =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];
/// Units of memory are powers of 1024 in every spelling, as in engines' options.
const BYTES: Units = &[
    ("", 1.0),
    ("b", 1.0),
    ("k", 1024.0),
    ("kb", 1024.0),
    ("kib", 1024.0),
    ("m", 1_048_576.0),
    ("mb", 1_048_576.0),
    ("mib", 1_048_576.0),
    ("g", 1_073_741_824.0),
    ("gb", 1_073_741_824.0),
    ("gib", 1_073_741_824.0),
];
const COUNTS: Units = &[("", 1.0), ("k", 1e3), ("m", 1e6), ("g", 1e9)];
const RATES: Units =
    &[("", 1.0), ("k", 1e3), ("m", 1e6), ("g", 1e9), ("/s", 1.0), ("k/s", 1e3), ("m/s", 1e6), ("g/s", 1e9)];
const SHARES: Units = &[("ppm", 1.0), ("%", 1e4)];
const NUMBERS: Units = &[("", 1.0), ("kib", 1024.0), ("mib", 1_048_576.0), ("gib", 1_073_741_824.0)];

impl AmountKind {
    fn of(key: &SelectionKey) -> Self {
        match key {
            SelectionKey::Figure { metric, word } => match metric.unit() {
                Unit::Time => Self::Time { is_named: word.ends_with("_ns") },
                Unit::Bytes => Self::Bytes,
                Unit::Count => Self::Count,
                Unit::Rate => Self::Rate,
                Unit::Share => Self::Share,
            },
            SelectionKey::Column { column: "memory_limit_bytes", .. } => Self::Bytes,
            SelectionKey::Column { column: "size", .. } => Self::Count,
            _ => Self::Number,
        }
    }

    fn units(self) -> Units {
        match self {
            Self::Time { .. } => TIMES,
            Self::Bytes => BYTES,
            Self::Count => COUNTS,
            Self::Rate => RATES,
            Self::Share => SHARES,
            Self::Number => NUMBERS,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Time { .. } => "a time with its unit, such as 950us, 1.5ms or 2s",
            Self::Bytes => "bytes, such as 4096, 64KiB or 1.5GiB",
            Self::Count => "a number, such as 500, 10k or 1M",
            Self::Rate => "operations a second, such as 5000, 20k or 1M",
            Self::Share => "a share, such as 5% or 20ppm",
            Self::Number => "a number, such as 3 or 64MiB",
        }
    }
}

/// Parses a number into the unit in which a key's values are stored; `None` if it is not an amount of that kind.
pub(super) fn parse(key: &SelectionKey, text: &str) -> Option<ValuePattern> {
    let amount = AmountKind::of(key);
    let text = text.trim();
    if let Some(plain) = text.parse::<f64>().ok().filter(|_| plain_is_enough(amount)) {
        return written(plain);
    }
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.');
    let number: f64 = digits.replace('_', "").parse().ok()?;
    let unit = text[digits.len()..].trim().to_lowercase();
    let (_, factor) = amount.units().iter().find(|(name, _)| *name == unit)?;
    written(number * factor)
}

/// Returns the expected form of a key's amount.
pub(super) fn expected(key: &SelectionKey) -> &'static str {
    AmountKind::of(key).expected()
}

fn plain_is_enough(amount: AmountKind) -> bool {
    !matches!(amount, AmountKind::Time { is_named: false } | AmountKind::Share)
}

/// Returns a number in a form that DuckDB can read; `None` if it is not finite.
fn written(number: f64) -> Option<ValuePattern> {
    number.is_finite().then(|| ValuePattern::Exact(number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(word: &str, text: &str) -> Option<String> {
        let key = SelectionKey::figure(word).or_else(|| SelectionKey::parse(word).ok()).unwrap();
        parse(&key, text).map(|value| value.text().to_owned())
    }

    #[test]
    fn amounts_are_in_the_units_that_are_stored() {
        let number = |text: &str| Some(text.to_owned());
        assert_eq!(read("p99", "1ms"), number("1000000"));
        assert_eq!(read("wall", "1.5 s"), number("1500000000"));
        assert_eq!(read("wall", "10µs"), number("10000"));
        assert_eq!(read("wall_ns", "1000"), number("1000"));
        assert_eq!(read("database", "10MiB"), number("10485760"));
        assert_eq!(read("rate", "20k/s"), number("20000"));
        assert_eq!(read("size", "100k"), number("100000"));
        assert_eq!(read("fairness", "50%"), number("500000"));
        assert_eq!(read("mmap_size", "64MiB"), number("67108864"));
        assert_eq!(read("memory_limit_bytes", "1e6"), number("1000000"));
        for (word, wrong) in [("p99", "5"), ("p99", "1MiB"), ("wall", "fast"), ("database", "1ms"), ("tier", "1ms")] {
            assert_eq!(read(word, wrong), None, "{word} {wrong}");
        }
        assert_eq!(read("size", "1e999"), None);
    }
}
