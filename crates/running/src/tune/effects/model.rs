//! The results of the analysis of a grid.

use super::{GridCell, shares::Shares};
use dbdyno_comparing::compare::{JudgedRatio, Side};
use dbdyno_stats::median;
use dbdyno_store::RunTests;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The effects of all options on one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GridEffects {
    pub selection: String,
    pub engine: String,
    pub suite: String,
    pub size: String,
    pub test: u32,
    pub name: String,
    pub runs: usize,
    /// The options that vary, sorted by the share that they explain, largest first.
    pub factors: Vec<Factor>,
    /// Whether at least seven tenths of all combinations of values were measured. Otherwise shares are estimates, and interactions are not
    /// searched for.
    pub whole: bool,
    /// Pairs of options whose joint effect differs from the sum of their effects.
    pub interactions: Vec<Interaction>,
    /// The share of the variance that the sum of all options leaves unexplained.
    pub left: f64,
    /// All configurations, the fastest first.
    pub ranked: Vec<RankedConfiguration>,
    /// The fastest configuration of each tier, the safest tier first.
    pub best: Vec<Best>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    pub option: String,
    /// The value that the others are compared with.
    pub first: String,
    /// Share of the variance that it explains, 0 to 1.
    pub share: f64,
    /// Whether some value was shown to differ from the first.
    pub shown: bool,
    /// The other values.
    pub effects: Vec<ValueEffect>,
}

/// The effect of a value compared with the first value of its option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueEffect {
    pub value: String,
    /// How many pairs of configurations differ in this option alone.
    pub pairs: usize,
    /// Time with the value / time with the first; none without a pair.
    pub found: Option<JudgedRatio>,
}

/// Two options whose joint effect differs from the sum of their effects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    pub options: [String; 2],
    /// Share of the variance that it explains beyond their sum.
    pub share: f64,
    /// The ratio for each combination of values: mean time over its configurations / mean time over all of them (geometric).
    pub ratios: Vec<(String, String, f64)>,
}

/// A configuration in the ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedConfiguration {
    /// Its label in its session.
    pub label: String,
    /// The values of the options that vary.
    pub values: BTreeMap<String, String>,
    /// Durability tier.
    pub tier: Option<u8>,
    pub runs: usize,
    /// Median of their times, ns.
    pub median_ns: f64,
    /// Time / time of the fastest, by means over the same rounds.
    pub ratio: f64,
}

/// The fastest configuration of a tier. It was chosen among many, so its figure is partly luck.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The tier; none: not recorded.
    pub tier: Option<u8>,
    /// How many configurations the tier has.
    pub of: usize,
    /// The fastest of them.
    pub configuration: RankedConfiguration,
}

pub(super) fn effects(
    side: &Side,
    (test, name): (u32, String),
    cells: &[GridCell],
    factors: Vec<Factor>,
    shares: Shares,
) -> GridEffects {
    let ranked = ranked(cells);
    let first = side.runs.first();
    let of = |value: fn(&RunTests) -> &str| first.map_or_else(String::new, |run| value(run).to_owned());
    GridEffects {
        selection: side.selection.clone(),
        engine: of(|run| &run.configuration.engine),
        suite: of(|run| &run.configuration.suite),
        size: of(|run| &run.size),
        test,
        name,
        runs: cells.iter().map(|cell| cell.times.len()).sum(),
        whole: shares.whole,
        interactions: shares.pairs.into_iter().map(|(a, b, share)| interaction(cells, a, b, share)).collect(),
        left: shares.left,
        best: best(&ranked),
        factors,
        ranked,
    }
}

fn ranked(cells: &[GridCell]) -> Vec<RankedConfiguration> {
    let least = cells.iter().map(|cell| cell.log).fold(f64::INFINITY, f64::min);
    let mut ranked: Vec<RankedConfiguration> = cells
        .iter()
        .map(|cell| RankedConfiguration {
            label: cell.label.clone(),
            values: cell.values.clone(),
            tier: cell.tier,
            runs: cell.times.len(),
            // Every cell has a time, and times are positive.
            median_ns: median(&cell.times).unwrap_or_default(),
            ratio: (cell.log - least).exp(),
        })
        .collect();
    ranked.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    ranked
}

fn best(ranked: &[RankedConfiguration]) -> Vec<Best> {
    let mut tiers: BTreeMap<std::cmp::Reverse<Option<u8>>, Vec<&RankedConfiguration>> = BTreeMap::new();
    for one in ranked {
        tiers.entry(std::cmp::Reverse(one.tier)).or_default().push(one);
    }
    let first = |of: Vec<&RankedConfiguration>| Best { tier: of[0].tier, of: of.len(), configuration: of[0].clone() };
    tiers.into_values().map(first).collect()
}

fn interaction(cells: &[GridCell], first: String, second: String, share: f64) -> Interaction {
    let mut logs: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for cell in cells {
        if let (Some(a), Some(b)) = (cell.values.get(&first), cell.values.get(&second)) {
            logs.entry((a.clone(), b.clone())).or_default().push(cell.log);
        }
    }
    let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let all = mean(&cells.iter().map(|cell| cell.log).collect::<Vec<_>>());
    let ratios = logs.into_iter().map(|((a, b), logs)| (a, b, (mean(&logs) - all).exp())).collect();
    Interaction { options: [first, second], share, ratios }
}
