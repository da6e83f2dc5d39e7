//! How much of the variance each option explains, and which pairs of options do something together.

use super::Cell;
use crate::stats::{Fit, least_squares};
use std::collections::BTreeMap;

/// A pair of options is worth knowing from this share of the variance on.
const WORTH_KNOWING: f64 = 0.01;
/// ... and when its mean square is at least this many times what is left: with no interaction this is near 1.
const BEYOND_CHANCE: f64 = 4.0;

/// What explains the variance.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    /// The share of each option.
    pub(super) of: BTreeMap<String, f64>,
    /// Shares of pairs of options beyond their sum, largest first.
    pub(super) pairs: Vec<(String, String, f64)>,
    /// What the options' sum leaves: interactions and noise.
    pub(super) left: f64,
    /// Whether every combination of values was measured.
    pub(super) whole: bool,
}

/// The options with their values.
type Options = BTreeMap<String, Vec<String>>;

pub(super) fn shares(cells: &[Cell], varying: &Options) -> Shares {
    let y: Vec<f64> = cells.iter().map(|cell| cell.log).collect();
    let names: Vec<&String> = varying.keys().collect();
    let of = |names: &[&String]| names.iter().flat_map(|name| columns(cells, name, &varying[*name])).collect();
    let fit = |columns: Vec<Vec<f64>>| fit(cells.len(), columns, &y);
    let (Some(total), Some(whole)) = (fit(Vec::new()), fit(of(&names))) else { return Shares::default() };
    if total.residual <= 0.0 {
        return Shares::default();
    }
    let without = |name: &String| {
        let others: Vec<&String> = names.iter().copied().filter(|other| *other != name).collect();
        let share = (fit(of(&others))?.residual - whole.residual) / total.residual;
        Some((name.clone(), share.max(0.0)))
    };
    let whole_grid = varying.values().map(Vec::len).product::<usize>() == cells.len();
    // In a sample of a grid the centres of its stars would pass for interactions.
    let candidates: &[&String] = if whole_grid { &names } else { &[] };
    let mut pairs = Vec::new();
    for (at, first) in candidates.iter().enumerate() {
        for second in &candidates[at + 1..] {
            let mut together: Vec<Vec<f64>> = of(&names);
            together
                .extend(products(&columns(cells, first, &varying[*first]), &columns(cells, second, &varying[*second])));
            let Some(found) = fit(together).filter(|found| is_beyond_chance(&whole, found, cells.len())) else {
                continue;
            };
            let share = (whole.residual - found.residual) / total.residual;
            if share >= WORTH_KNOWING {
                pairs.push(((*first).clone(), (*second).clone(), share));
            }
        }
    }
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
    Shares {
        of: names.iter().filter_map(|name| without(name)).collect(),
        pairs,
        left: whole.residual / total.residual,
        whole: whole_grid,
    }
}

fn is_beyond_chance(whole: &Fit, found: &Fit, cells: usize) -> bool {
    let (more, left) = (found.rank.saturating_sub(whole.rank), cells.saturating_sub(found.rank));
    // As many terms as configurations explain everything, and mean nothing.
    if more == 0 || left < cells / 4 || left == 0 {
        return false;
    }
    let explained = (whole.residual - found.residual) / more as f64;
    explained >= BEYOND_CHANCE * found.residual / left as f64
}

fn fit(rows: usize, columns: Vec<Vec<f64>>, y: &[f64]) -> Option<Fit> {
    let mut all = vec![vec![1.0; rows]];
    all.extend(columns);
    least_squares(&all, y).ok()
}

/// A column for each value of an option but the first: 1 where a configuration has it.
fn columns(cells: &[Cell], name: &str, values: &[String]) -> Vec<Vec<f64>> {
    let has = |cell: &Cell, value: &String| f64::from(u8::from(cell.values.get(name) == Some(value)));
    values.iter().skip(1).map(|value| cells.iter().map(|cell| has(cell, value)).collect()).collect()
}

fn products(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect();
    a.iter().flat_map(|a| b.iter().map(move |b| product(a, b))).collect()
}
