//! The promises about an actor: quantiles of its response times, and how many of its operations may fail.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr, time::Duration};

/// A latency quantile or a failure limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Promise {
    /// This quantile (0.5 to 0.999) of the response times is at most this many ns.
    Quantile { quantile: f64, most_ns: u64 },
    /// At most this share (0 to 1) of the attempted operations failed.
    Failures { most: f64 },
}

/// The promises of an actor, with at least one quantile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Promises(Vec<Promise>);

/// A quantile with fewer samples beyond it is not reported.
const BEYOND: f64 = 10.0;

impl Promises {
    /// # Errors
    /// There is no quantile, so any rate would hold, or the same thing is promised twice.
    pub fn new(promises: Vec<Promise>) -> Result<Self, String> {
        let kind = |promise: &Promise| match promise {
            Promise::Quantile { quantile, .. } => Some(*quantile),
            Promise::Failures { .. } => None,
        };
        if !promises.iter().any(|promise| kind(promise).is_some()) {
            return Err("--slo: expected at least one quantile, as in p99=5ms".to_owned());
        }
        for (place, promise) in promises.iter().enumerate() {
            if promises[..place].iter().any(|before| kind(before) == kind(promise)) {
                return Err(format!("--slo {promise}: duplicate: expected each quantile and failures once"));
            }
        }
        Ok(Self(promises))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Promise> {
        self.0.iter()
    }

    /// Returns the share of operations that may fail.
    pub fn failures(&self) -> f64 {
        let failures = |promise: &Promise| match promise {
            Promise::Failures { most } => Some(*most),
            Promise::Quantile { .. } => None,
        };
        self.0.iter().find_map(failures).unwrap_or(0.0)
    }

    /// Returns the promises as one word, by which runs are selected.
    pub fn key(&self) -> String {
        let texts: Vec<String> = self.0.iter().map(Promise::to_string).collect();
        texts.join("+")
    }

    /// Returns the operations that a probe needs to have ten of them beyond each quantile, with a margin for the random number of Poisson
    /// arrivals.
    pub fn operations(&self) -> u64 {
        let needed = |promise: &Promise| match promise {
            Promise::Quantile { quantile, .. } => BEYOND / (1.0 - quantile),
            Promise::Failures { .. } => 0.0,
        };
        let needed = self.0.iter().map(needed).fold(0.0, f64::max);
        (needed + 4.0 * needed.sqrt()).ceil() as u64
    }
}

impl FromStr for Promise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "`{text}`: expected p50 to p99.9 with a time, or failures with a share, as in p99=5ms or failures=0.1%"
            )
        };
        let (what, most) = text.split_once('=').ok_or_else(expected)?;
        let (what, most) = (what.trim(), most.trim());
        if what == "failures" {
            let percent: f64 = most.strip_suffix('%').ok_or_else(expected)?.trim().parse().map_err(|_| expected())?;
            return if (0.0..=100.0).contains(&percent) {
                Ok(Self::Failures { most: percent / 100.0 })
            } else {
                Err(expected())
            };
        }
        let percent: f64 = what.strip_prefix('p').ok_or_else(expected)?.parse().map_err(|_| expected())?;
        let most = time(most).filter(|most| !most.is_zero()).ok_or_else(expected)?;
        if !(50.0..=99.9).contains(&percent) {
            return Err(expected());
        }
        // A thousandth of a percent is as fine as the samples can resolve.
        let quantile = (percent * 1e3).round() / 1e5;
        Ok(Self::Quantile { quantile, most_ns: most.as_nanos() as u64 })
    }
}

/// Parses `5ms`, `250us`, `1.5s`. The limit is an hour, which is the longest time that is recorded.
fn time(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = match &text[digits.len()..] {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return None,
    };
    let seconds = digits.trim().parse::<f64>().ok()? * unit;
    (0.0..=3600.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

impl Promise {
    /// `p99`, `failures`.
    pub fn name(&self) -> String {
        match self {
            // 0.57 * 100 is not quite 57.
            Self::Quantile { quantile, .. } => format!("p{}", (quantile * 1e5).round() / 1e3),
            Self::Failures { .. } => "failures".to_owned(),
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, shown) = (self.name(), |number: f64, unit: &str| format!("{}{unit}", (number * 1e3).round() / 1e3));
        let most = match *self {
            Self::Failures { most } => shown(most * 100.0, "%"),
            Self::Quantile { most_ns, .. } => match most_ns as f64 {
                ns if ns >= 1e9 => shown(ns / 1e9, "s"),
                ns if ns >= 1e6 => shown(ns / 1e6, "ms"),
                ns if ns >= 1e3 => shown(ns / 1e3, "us"),
                ns => shown(ns, "ns"),
            },
        };
        write!(f, "{name}={most}")
    }
}

impl Serialize for Promise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Promise {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl fmt::Display for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(Promise::to_string).collect();
        f.write_str(&texts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_read_back_from_what_is_shown() {
        for text in ["p99=5ms", "p99.9=250us", "p50=1.5s", "failures=0.1%", "p57=800ns"] {
            assert_eq!(text.parse::<Promise>().unwrap().to_string(), text);
        }
        for wrong in [
            "p99",
            "p100=5ms",
            "p49=5ms",
            "p99.99=1s",
            "p99=5",
            "p99=0ms",
            "p99=2h",
            "failures=1",
            "failures=101%",
            "rate=5",
        ] {
            assert!(wrong.parse::<Promise>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ten_operations_lie_beyond_each_quantile() {
        let promises = |texts: &[&str]| Promises::new(texts.iter().map(|text| text.parse().unwrap()).collect());
        assert_eq!(promises(&["p50=1ms", "p99=5ms"]).unwrap().operations(), 1_127);
        assert!(promises(&["failures=1%"]).is_err() && promises(&["p99=1ms", "p99=2ms"]).is_err());
    }
}
