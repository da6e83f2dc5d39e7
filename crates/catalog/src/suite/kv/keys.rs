//! How a suite file says which keys are drawn: a word, or a popularity with its numbers.

use dbdyno_engine::{
    names::instead_of,
    suite::{KeyChoice, Popularity},
};
use serde::Deserialize;
use std::{fmt, str::FromStr};

/// The keys of a test: `"uniform"`, `"zipf:1.1"`, `"hot:20/80"`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum FileKeys {
    /// An order that is the same at every size.
    Named(KeyChoice),
    /// Zipf's law with this exponent, scattered over all records.
    Zipf(f64),
    /// A percentage of the records gets a percentage of the draws.
    Hot { records: f64, draws: f64 },
}

const NAMED: [KeyChoice; 5] =
    [KeyChoice::Ascending, KeyChoice::Shuffled, KeyChoice::Uniform, KeyChoice::Zipfian, KeyChoice::Latest];
/// The highest exponent: with it, one record gets 96 % of the draws.
const MOST_EXPONENT: f64 = 5.0;
/// Ranks up to this one have a group of their own.
const SINGLE_RANKS: u64 = 64;
/// Above that, a group has this part of the ranks below it. The most popular of its records should be drawn this much times the exponent
/// more often than the least popular one, and all are drawn equally often.
const GROUP_PART: u64 = 32;
/// The weight of all draws together, about.
const WEIGHT: f64 = (1_u64 << 40) as f64;

impl FileKeys {
    /// Returns the choice among this many records.
    pub(super) fn at_size(&self, records: u64) -> KeyChoice {
        match self {
            Self::Named(choice) => choice.clone(),
            // One record is drawn every time.
            _ => self.groups(records).map_or(KeyChoice::Uniform, KeyChoice::Popular),
        }
    }

    /// Returns the groups of equally popular records among two or more; `None` if it is not by groups that they are drawn.
    pub(in crate::suite) fn groups(&self, records: u64) -> Option<Vec<Popularity>> {
        if records < 2 {
            return None;
        }
        match self {
            Self::Named(_) => None,
            Self::Zipf(exponent) => Some(zipf(*exponent, records)),
            Self::Hot { records: percent, draws } => {
                let hot = ((records as f64 * percent / 100.0).round() as u64).clamp(1, records - 1);
                let weight = |percent: f64| ((percent / 100.0 * WEIGHT).round() as u64).max(1);
                Some(vec![
                    Popularity { records: hot, weight: weight(*draws) },
                    Popularity { records: records - hot, weight: weight(100.0 - draws) },
                ])
            }
        }
    }

    /// Whether records are drawn by how popular they are, equally popular ones included.
    pub(crate) fn is_popularity(&self) -> bool {
        !self.is_each_once() && *self != Self::Named(KeyChoice::Zipfian)
    }

    /// Whether each record is used once.
    pub(super) fn is_each_once(&self) -> bool {
        matches!(self, Self::Named(KeyChoice::Ascending | KeyChoice::Shuffled))
    }
}

/// Returns groups of ranks, each with the sum of `rank^-exponent` over its ranks as its weight.
fn zipf(exponent: f64, records: u64) -> Vec<Popularity> {
    let mut groups = Vec::new();
    let mut rank = 1;
    while rank <= records {
        let width = if rank <= SINGLE_RANKS { 1 } else { (rank / GROUP_PART).min(records - rank + 1) };
        groups.push((width, share(exponent, rank, width)));
        rank += width;
    }
    let whole: f64 = groups.iter().map(|(_, share)| share).sum();
    let weight = |share: f64| ((share / whole * WEIGHT).round() as u64).max(1);
    groups.into_iter().map(|(records, share)| Popularity { records, weight: weight(share) }).collect()
}

/// Returns the sum of `k^-exponent` over `width` numbers from `rank` on: for one number exactly, for more by the integral between the
/// middles, which from [`SINGLE_RANKS`] on differs by less than a ten thousandth.
fn share(exponent: f64, rank: u64, width: u64) -> f64 {
    if width == 1 {
        return (rank as f64).powf(-exponent);
    }
    let (from, to) = (rank as f64 - 0.5, (rank + width) as f64 - 0.5);
    if (exponent - 1.0).abs() < 1e-9 {
        return (to / from).ln();
    }
    (from.powf(1.0 - exponent) - to.powf(1.0 - exponent)) / (exponent - 1.0)
}

impl FromStr for FileKeys {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str, least: f64, most: f64| {
            text.parse().ok().filter(|number: &f64| *number > least && *number < most)
        };
        match text.split_once(':') {
            Some(("zipf", exponent)) => number(exponent, 0.0, MOST_EXPONENT + 1e-9)
                .map(Self::Zipf)
                .ok_or_else(|| format!("keys `{text}`: expected an exponent above 0 and at most {MOST_EXPONENT}, as in zipf:0.99")),
            Some(("hot", shares)) => shares
                .split_once('/')
                .and_then(|(records, draws)| {
                    let percent = |text| number(text, 0.0, 100.0);
                    Some(Self::Hot { records: percent(records)?, draws: percent(draws)? })
                })
                .ok_or_else(|| {
                    format!("keys `{text}`: expected two percentages between 0 and 100, of the records and of their draws, as in hot:20/80")
                }),
            _ => NAMED.iter().find(|choice| choice.name() == text).cloned().map(Self::Named).ok_or_else(|| {
                let names = NAMED.iter().map(KeyChoice::name).chain(["zipf:0.99", "hot:20/80"]);
                format!("keys `{text}`: {}", instead_of(text, names))
            }),
        }
    }
}

/// Formats it as a file has it.
impl fmt::Display for FileKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(choice) => f.write_str(choice.name()),
            Self::Zipf(exponent) => write!(f, "zipf:{exponent}"),
            Self::Hot { records, draws } => write!(f, "hot:{records}/{draws}"),
        }
    }
}

/// Reads the keys of a suite's file. Those of a recording have no other words, and are for suites that are made of recordings.
impl TryFrom<String> for FileKeys {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == KeyChoice::Recorded.name() { Ok(Self::Named(KeyChoice::Recorded)) } else { text.parse() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(text: &str, records: u64) -> Vec<Popularity> {
        match text.parse::<FileKeys>().unwrap().at_size(records) {
            KeyChoice::Popular(groups) => groups,
            other => panic!("{other:?}"),
        }
    }

    /// Sums of `k^-s`, by Python's `math.fsum`.
    #[test]
    fn groups_of_zipf_have_the_weight_of_their_ranks() {
        for (text, records, of_first, of_first_thousand) in [
            ("zipf:0.5", 1_000_000, 0.000_500_365_2, 0.030_923_08),
            ("zipf:0.99", 1_000_000, 0.064_969_45, 0.502_145_83),
            ("zipf:1", 1_000_000, 0.069_479_54, 0.520_087_06),
            ("zipf:1.5", 100_000_000, 0.382_822_69, 0.975_870_78),
        ] {
            let groups = groups(text, records);
            assert_eq!(groups.iter().map(|group| group.records).sum::<u64>(), records, "{text}");
            let whole = groups.iter().map(|group| group.weight).sum::<u64>() as f64;
            let first = groups[0].weight as f64 / whole;
            assert!((first / of_first - 1.0).abs() < 1e-4, "{text}: {first}");
            let (mut ranks, mut weight) = (0, 0.0);
            for group in &groups {
                let inside = group.records.min(1_000_u64.saturating_sub(ranks));
                weight += group.weight as f64 * inside as f64 / group.records as f64;
                ranks += inside;
            }
            let found = weight / whole;
            assert!((found / of_first_thousand - 1.0).abs() < 1e-3, "{text}: {found}");
            assert!(groups.len() < 700, "{text}: {} groups", groups.len());
        }
    }

    #[test]
    fn hot_records_get_their_draws() {
        let found = groups("hot:20/80", 1_000);
        assert_eq!([found[0].records, found[1].records], [200, 800]);
        assert!((found[0].weight as f64 / found[1].weight as f64 - 4.0).abs() < 1e-6);
        assert_eq!(groups("hot:0.1/50", 10)[0].records, 1, "at least one record");
        assert_eq!("hot:20/80".parse::<FileKeys>().unwrap().at_size(1), KeyChoice::Uniform);
    }

    #[test]
    fn what_is_no_order_is_refused_with_what_was_meant() {
        let refused = |text: &str| text.parse::<FileKeys>().unwrap_err();
        assert_eq!(refused("zipfain"), "keys `zipfain`: did you mean `zipfian`?");
        assert!(refused("zipf:9").contains("at most 5"));
        assert!(refused("zipf:x").contains("zipf:0.99"));
        assert!(refused("hot:20").contains("hot:20/80") && refused("hot:0/80").contains("hot:20/80"));
        assert!(refused("popular").contains("expected") || refused("popular").contains("did you mean"));
    }
}
