//! The share of the variance that each option explains, and the pairs of options that interact.

use super::GridCell;
use dbdyno_stats::{Fit, least_squares};
use std::collections::BTreeMap;

/// An interaction is reported only from this share of the variance.
const WORTH_KNOWING: f64 = 0.01;
/// It is also reported only if its mean square is at least this many times the residual one. Without an interaction this ratio is near 1.
const BEYOND_CHANCE: f64 = 4.0;

/// Interactions are searched for if this share of all combinations was measured. Grids omit combinations that cannot differ.
const NEARLY_ALL: f64 = 0.7;

/// The shares of the variance, by their explanation.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    /// The share of each option.
    pub(super) of: BTreeMap<String, f64>,
    /// Shares of pairs of options beyond their sum, largest first.
    pub(super) pairs: Vec<(String, String, f64)>,
    /// The share that the options' sum leaves: interactions and noise.
    pub(super) left: f64,
    /// Whether all or nearly all combinations of values were measured.
    pub(super) whole: bool,
}

/// The options with their values.
type VaryingValues = BTreeMap<String, Vec<String>>;

pub(super) fn shares(cells: &[GridCell], varying: &VaryingValues) -> Shares {
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
    let combinations = varying.values().map(Vec::len).product::<usize>() as f64;
    let whole_grid = cells.len() as f64 >= NEARLY_ALL * combinations;
    // In a sample of a grid, the centres of its stars would be mistaken for interactions.
    let pairs = if whole_grid { interactions(cells, varying, &whole, total.residual) } else { Vec::new() };
    Shares {
        of: names.iter().filter_map(|name| without(name)).collect(),
        pairs,
        left: whole.residual / total.residual,
        whole: whole_grid,
    }
}

/// Returns the pairs of options that explain more together than their sum does, the largest share first. Each pair is fitted together with
/// the pairs already found, so that one interaction is not mistaken for another if some combinations are missing.
fn interactions(cells: &[GridCell], varying: &VaryingValues, sum: &Fit, total: f64) -> Vec<(String, String, f64)> {
    let y: Vec<f64> = cells.iter().map(|cell| cell.log).collect();
    let of = |name: &String| columns(cells, name, &varying[name]);
    let mut taken: Vec<Vec<f64>> = varying.keys().flat_map(&of).collect();
    let (mut before, mut found) = (*sum, Vec::new());
    let names: Vec<&String> = varying.keys().collect();
    let mut candidates: Vec<(&String, &String)> = names
        .iter()
        .enumerate()
        .flat_map(|(at, first)| names[at + 1..].iter().map(|second| (*first, *second)))
        .collect();
    loop {
        let with = candidates.iter().enumerate().filter_map(|(at, (first, second))| {
            let products = products(&of(first), &of(second));
            let fit = fit(cells.len(), [taken.clone(), products.clone()].concat(), &y)?;
            Some((at, fit, products))
        });
        let Some((at, fit, products)) = with.min_by(|a, b| a.1.residual.total_cmp(&b.1.residual)) else { break };
        let share = (before.residual - fit.residual) / total;
        if share < WORTH_KNOWING || !is_beyond_chance(&before, &fit, cells.len()) {
            break;
        }
        let (first, second) = candidates.swap_remove(at);
        found.push((first.clone(), second.clone(), share));
        taken.extend(products);
        before = fit;
    }
    found
}

fn is_beyond_chance(whole: &Fit, found: &Fit, cells: usize) -> bool {
    let (more, left) = (found.rank.saturating_sub(whole.rank), cells.saturating_sub(found.rank));
    // A model with as many terms as configurations explains everything and means nothing.
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

/// Returns a column for each value of an option except the first: 1 if a configuration has the value.
fn columns(cells: &[GridCell], name: &str, values: &[String]) -> Vec<Vec<f64>> {
    let has = |cell: &GridCell, value: &String| f64::from(u8::from(cell.values.get(name) == Some(value)));
    values.iter().skip(1).map(|value| cells.iter().map(|cell| has(cell, value)).collect()).collect()
}

fn products(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect();
    a.iter().flat_map(|a| b.iter().map(move |b| product(a, b))).collect()
}
