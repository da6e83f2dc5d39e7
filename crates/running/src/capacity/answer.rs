//! Turns the results of searches into a rate with its interval, and the rates of two engines into a verdict.

use super::{
    probe::{Broken, Quantile, RateProbe},
    promise::{Promise, Promises},
};
use dbdyno_stats::{
    ALPHA, DEFAULT_NOISE_FLOOR, Evidence, Logs, Verdict, holm, log_ratios, median, median_interval, more_rounds,
    paired_ratio, signed_rank,
};
use serde::Serialize;

/// The result of one search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum SearchResult {
    Rate(Box<RateEstimate>),
    /// Every rate that could be tried kept its promises.
    AtLeast {
        rate: u64,
        limit: Limit,
    },
    /// No rate that could be tried kept its promises.
    NoRate {
        lowest: Box<RateProbe>,
    },
    /// A run gave no result.
    Failed {
        reason: String,
    },
    /// The search was asked to stop.
    Stopped,
}

/// A rate between one that holds and one that breaks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateEstimate {
    /// From 1; 0 is the first search.
    pub round: u32,
    /// Operations a second.
    pub rate: f64,
    pub held: RateProbe,
    pub broke: RateProbe,
}

/// The reason why no higher rate was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The generator cannot offer more operations.
    Generator,
    /// Higher rates were not asked for.
    Asked,
}

impl RateEstimate {
    /// Interpolates on the straight line between the two probes, in the logarithms of rate and response time. The rate is where the first
    /// quantile reaches its promised limit. If no quantile was measured at both probes, the rate is their geometric mean.
    pub fn between(round: u32, held: RateProbe, broke: RateProbe) -> Self {
        let (low, high) = ((held.rate as f64).ln(), (broke.rate as f64).ln());
        let part = broke.quantiles.iter().zip(&held.quantiles).filter_map(part).reduce(f64::min).unwrap_or(0.5);
        Self { round, rate: (low + (high - low) * part).exp(), held, broke }
    }
}

/// Returns how far from the held to the broken probe a quantile reaches its limit (0 to 1), or none if it does not.
fn part(((promise, above), (_, below)): (&Quantile, &Quantile)) -> Option<f64> {
    let Promise::Quantile { most_ns, .. } = promise else { return None };
    let (below, above, most) = ((*below)? as f64, (*above)? as f64, *most_ns as f64);
    (above > most && below <= most && below > 0.0).then(|| (most / below).ln() / (above / below).ln())
}

/// The result for one engine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Capacity {
    /// The engine with the options that distinguish it from the others.
    pub label: String,
    /// What a commit survives, in a word.
    pub tier: String,
    pub threads: u32,
    pub answer: CapacityAnswer,
    /// The estimates of the rounds, in order. The first search's estimate enters no statistic.
    pub rounds: Vec<RateEstimate>,
    /// Probes that contradict the answer far from it: something other than the rate decides there.
    pub contrary: Vec<Contrary>,
    /// How many probes of this engine were run.
    pub probes: usize,
}

/// The conclusion about an engine.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum CapacityAnswer {
    Rate {
        /// The median of the rounds, operations a second.
        rate: f64,
        /// None for fewer than six rounds.
        interval: Option<RateRange>,
        /// Medians of the probes that held just below the rate, one a round.
        at: AtRate,
        /// The promises that broke just above the rate, most frequent first.
        broken: Vec<String>,
    },
    AtLeast {
        rate: f64,
        limit: Limit,
    },
    NoRate {
        lowest: Box<RateProbe>,
    },
    Failed {
        reason: String,
    },
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RateRange {
    pub low: f64,
    pub high: f64,
    /// The probability, 0 to 1, that the interval contains the rate.
    pub confidence: f64,
}

/// Response times in ns, and the share of the threads' time that was spent in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtRate {
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub p999_ns: Option<f64>,
    pub busy: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Contrary {
    pub rate: u64,
    pub held: bool,
}

/// A probe is far from the answer if it is beyond the interval by this factor.
const FAR: f64 = 1.25;

impl CapacityAnswer {
    /// Combines the first search with the rounds. A search that found no rate takes precedence over those that did.
    pub fn of(first: &SearchResult, rounds: &[SearchResult]) -> Self {
        let all = || std::iter::once(first).chain(rounds);
        let failed = all().find_map(|found| match found {
            SearchResult::Failed { reason } => Some(Self::Failed { reason: reason.clone() }),
            _ => None,
        });
        let no_rate = || {
            all().find_map(|found| match found {
                SearchResult::NoRate { lowest } => Some(Self::NoRate { lowest: lowest.clone() }),
                _ => None,
            })
        };
        failed.or_else(no_rate).or_else(|| at_least(all())).unwrap_or_else(|| Self::median(&estimates(rounds)))
    }

    fn median(estimates: &[RateEstimate]) -> Self {
        let rates: Vec<f64> = estimates.iter().map(|estimate| estimate.rate).collect();
        let Ok(rate) = median(&rates) else { return Self::Stopped };
        let interval = median_interval(&rates).ok();
        let middle = |of: fn(&RateProbe) -> Option<u64>| {
            let figures: Vec<f64> = estimates.iter().filter_map(|one| of(&one.held)).map(|ns| ns as f64).collect();
            // The figure is missing if some rounds had too few operations for it.
            median(&figures).ok().filter(|_| figures.len() == estimates.len())
        };
        let busy: Vec<f64> = estimates.iter().map(|one| one.held.busy).collect();
        Self::Rate {
            rate,
            interval: interval.map(|found| RateRange {
                low: found.low,
                high: found.high,
                confidence: found.confidence,
            }),
            at: AtRate {
                p50_ns: middle(|probe| probe.p50_ns),
                p99_ns: middle(|probe| probe.p99_ns),
                p999_ns: middle(|probe| probe.p999_ns),
                busy: median(&busy).unwrap_or(0.0),
            },
            broken: oftenest(estimates.iter().flat_map(|one| &one.broke.broken).map(Broken::name)),
        }
    }

    /// Returns the probes that contradict this answer far from its interval.
    pub fn contrary<'p>(&self, probes: impl Iterator<Item = &'p RateProbe>) -> Vec<Contrary> {
        let Self::Rate { rate, interval, .. } = self else { return Vec::new() };
        let (low, high) = interval.map_or((*rate, *rate), |range| (range.low, range.high));
        let of = |probe: &RateProbe| Contrary { rate: probe.rate, held: probe.holds() };
        let is_far = |one: &Contrary| match one.held {
            true => one.rate as f64 > high * FAR,
            false => (one.rate as f64) < low / FAR,
        };
        probes.filter(|probe| probe.rate > 0).map(of).filter(is_far).collect()
    }
}

/// Returns the lowest rate that any search reached, if one of the searches kept its promises at every rate.
fn at_least<'f>(all: impl Iterator<Item = &'f SearchResult>) -> Option<CapacityAnswer> {
    let (mut rate, mut limit) = (f64::INFINITY, None);
    for found in all {
        match found {
            SearchResult::Rate(estimate) => rate = rate.min(estimate.rate),
            SearchResult::AtLeast { rate: highest, limit: why } => {
                (rate, limit) = (rate.min(*highest as f64), Some(*why))
            }
            SearchResult::NoRate { .. } | SearchResult::Failed { .. } | SearchResult::Stopped => {}
        }
    }
    limit.map(|limit| CapacityAnswer::AtLeast { rate, limit })
}

pub(super) fn estimates(rounds: &[SearchResult]) -> Vec<RateEstimate> {
    let estimate = |found: &SearchResult| match found {
        SearchResult::Rate(estimate) => Some(RateEstimate::clone(estimate)),
        _ => None,
    };
    rounds.iter().filter_map(estimate).collect()
}

fn oftenest(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: Vec<(usize, String)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(_, known)| *known == name) {
            Some((count, _)) => *count += 1,
            None => counts.push((1, name)),
        }
    }
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counts.into_iter().map(|(_, name)| name).collect()
}

/// A comparison of two engines, paired by round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Duel {
    pub a: String,
    pub b: String,
    /// Rate of B / rate of A, which equals time A / time B: below 1, A holds a higher rate. None unless both have a rate.
    pub ratio: Option<f64>,
    pub interval: Option<RateRange>,
    pub verdict: Option<Verdict>,
    /// How many rounds found a rate for both engines.
    pub pairs: usize,
}

/// Compares the first engine with each other one, with Holm's adjustment over all comparisons.
pub fn duels(capacities: &[Capacity]) -> Vec<Duel> {
    let Some((a, others)) = capacities.split_first() else { return Vec::new() };
    let paired: Vec<RoundPairs> = others.iter().map(|b| pairs(a, b)).collect();
    let p = |(a, b): &RoundPairs| log_ratios(a, b).and_then(|logs| signed_rank(&logs)).map_or(1.0, |test| test.p);
    let p: Vec<f64> = paired.iter().map(p).collect();
    let adjusted = holm(&p).unwrap_or_else(|_| vec![1.0; p.len()]);
    let duel = |((b, (times_a, times_b)), p_adjusted): ((&Capacity, &RoundPairs), f64)| {
        let interval = paired_ratio(times_a, times_b);
        let medians = || Some(median(times_a).ok()? / median(times_b).ok()?);
        let noise_floor = DEFAULT_NOISE_FLOOR;
        let evidence = Evidence { interval, p_adjusted, noise_floor };
        let more = || more_rounds(&Logs::new(times_a, times_b, true).ok()?, noise_floor, others.len(), ALPHA);
        Duel {
            a: a.label.clone(),
            b: b.label.clone(),
            ratio: interval.ok().map(|interval| interval.ratio).or_else(medians),
            interval: interval.ok().map(|one| RateRange { low: one.low, high: one.high, confidence: one.confidence }),
            verdict: evidence.verdict(more).ok().filter(|_| !times_a.is_empty()),
            pairs: times_a.len(),
        }
    };
    others.iter().zip(&paired).zip(adjusted).map(duel).collect()
}

/// The values of A and of B, one of each a round.
type RoundPairs = (Vec<f64>, Vec<f64>);

/// Returns the time between operations, s, at the rates of both engines, for the rounds in which both have a rate. Empty if either engine
/// has no overall rate.
fn pairs(a: &Capacity, b: &Capacity) -> RoundPairs {
    let has_rate = |one: &Capacity| matches!(one.answer, CapacityAnswer::Rate { .. });
    if !has_rate(a) || !has_rate(b) {
        return (Vec::new(), Vec::new());
    }
    let pair = |of_a: &RateEstimate| {
        let of_b = b.rounds.iter().find(|of_b| of_b.round == of_a.round)?;
        Some((1.0 / of_a.rate, 1.0 / of_b.rate))
    };
    a.rounds.iter().filter_map(pair).unzip()
}

/// The results of the whole measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapacityReport {
    pub session_id: String,
    pub suite: String,
    pub test: u32,
    pub test_name: String,
    pub actor: String,
    pub size: String,
    pub arrival: String,
    pub seconds: u64,
    pub precision: f64,
    pub promises: Promises,
    pub seed: u64,
    pub cores: usize,
    /// The most operations a second that could be offered: half of what the engine that does nothing achieves.
    pub offered: u64,
    pub capacities: Vec<Capacity>,
    pub duels: Vec<Duel>,
    /// Cautions that a reader of the figures needs.
    pub warnings: Vec<String>,
    /// Whether the measurement was stopped before its end.
    pub stopped: bool,
}
