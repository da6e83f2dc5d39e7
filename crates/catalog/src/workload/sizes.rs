//! Sizes of values: fixed, between bounds, from a weighted list, or log-normal.

use dbdyno_engine::suite::Template;
use std::{fmt, str::FromStr};

/// Sizes of values, bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sizes {
    /// As a format has them: `200`, `100-400`, `100*9/4000`.
    Listed(String),
    /// Their logarithms have a normal distribution, without what is beyond 3.25 standard deviations: one value in 900.
    LogNormal { median: u64, p99: u64 },
}

/// The 99th percentile of the standard normal distribution.
const Z_99: f64 = 2.326_347_874_040_841;
/// Upper bounds of the parts of a log-normal distribution, in standard deviations from the median, with the probability of each part in
/// ten thousandths (Φ of the bounds, rounded; they add up to 10,000). Parts have equal widths: the density changes little within one.
const PARTS: [(f64, u64); 26] = [
    (-3.0, 14),
    (-2.75, 16),
    (-2.5, 32),
    (-2.25, 60),
    (-2.0, 105),
    (-1.75, 173),
    (-1.5, 268),
    (-1.25, 388),
    (-1.0, 530),
    (-0.75, 680),
    (-0.5, 819),
    (-0.25, 928),
    (0.0, 987),
    (0.25, 987),
    (0.5, 928),
    (0.75, 819),
    (1.0, 680),
    (1.25, 530),
    (1.5, 388),
    (1.75, 268),
    (2.0, 173),
    (2.25, 105),
    (2.5, 60),
    (2.75, 32),
    (3.0, 16),
    (3.25, 14),
];

impl Sizes {
    /// Returns the lengths as a format has them.
    pub(super) fn lengths(&self) -> String {
        match self {
            Self::Listed(lengths) => lengths.clone(),
            Self::LogNormal { median, p99 } => log_normal(*median as f64, *p99 as f64),
        }
    }
}

/// Returns a list of ranges with the weights of a log-normal distribution.
fn log_normal(median: f64, p99: f64) -> String {
    let sigma = (p99 / median).ln() / Z_99;
    let at = |deviations: f64| ((median * (sigma * deviations).exp()).round() as u64).clamp(1, MOST);
    let mut least = at(-3.25);
    let mut parts: Vec<String> = Vec::new();
    for (bound, weight) in PARTS {
        let most = at(bound).max(least);
        parts.push(if least == most { format!("{least}*{weight}") } else { format!("{least}-{most}*{weight}") });
        least = (most + 1).min(MOST);
    }
    parts.join("/")
}

/// The most bytes of a value.
const MOST: u64 = 1 << 20;

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "value `{text}`: expected bytes (200), bounds (100-400), a list with weights (100*9/4000-8000*1) or \
                 lognormal:MEDIAN:P99, of at most 1 MiB"
            )
        };
        if let Some(numbers) = text.strip_prefix("lognormal:") {
            let (median, p99) = numbers.split_once(':').ok_or_else(expected)?;
            let number =
                |text: &str| text.parse().ok().filter(|bytes: &u64| (1..=MOST).contains(bytes)).ok_or_else(expected);
            let (median, p99) = (number(median)?, number(p99)?);
            return if median < p99 { Ok(Self::LogNormal { median, p99 }) } else { Err(expected()) };
        }
        let is_listed = format!("{{random:{text}}}").parse::<Template>().is_ok() && !text.contains(',');
        if is_listed { Ok(Self::Listed(text.to_owned())) } else { Err(expected()) }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(lengths) => f.write_str(lengths),
            Self::LogNormal { median, p99 } => write!(f, "lognormal:{median}:{p99}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_the_normal_distribution_are_all_of_it() {
        assert_eq!(PARTS.iter().map(|(_, weight)| weight).sum::<u64>(), 10_000);
    }

    /// The mean of a log-normal distribution is exp(mu + sigma^2 / 2).
    #[test]
    fn a_log_normal_list_has_its_median_its_percentile_and_its_mean() {
        for (median, p99) in [(200_u64, 4_000_u64), (1_000, 1_500), (50, 2_000)] {
            let sizes: Sizes = format!("lognormal:{median}:{p99}").parse().unwrap();
            let lengths = sizes.lengths();
            format!("{{random:{lengths}}}").parse::<Template>().unwrap();
            let parts: Vec<(f64, f64, f64)> = lengths
                .split('/')
                .map(|part| {
                    let (range, weight) = part.split_once('*').unwrap();
                    let (least, most) = range.split_once('-').unwrap_or((range, range));
                    (least.parse().unwrap(), most.parse().unwrap(), weight.parse().unwrap())
                })
                .collect();
            let below = |bytes: f64| {
                let part = |(least, most, weight): &(f64, f64, f64)| {
                    weight * ((bytes - least) / (most - least + 1.0)).clamp(0.0, 1.0)
                };
                parts.iter().map(part).sum::<f64>() / 10_000.0
            };
            assert!((below(median as f64) - 0.5).abs() < 0.01, "{}", below(median as f64));
            assert!((below(p99 as f64) - 0.99).abs() < 0.002, "{}", below(p99 as f64));
            let sigma = (p99 as f64 / median as f64).ln() / Z_99;
            let truth = median as f64 * (sigma * sigma / 2.0).exp();
            let mean = parts.iter().map(|(least, most, weight)| (least + most) / 2.0 * weight).sum::<f64>() / 10_000.0;
            assert!((mean / truth - 1.0).abs() < 0.06, "{mean} by the parts, {truth} by the law");
        }
    }
}
