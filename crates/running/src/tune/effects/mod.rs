//! The effect of each option: the analysis of a grid of configurations, complete or a sample of stars.
//!
//! Times are compared as logarithms, without the effect that a round has on all of its runs, and with one value for each configuration.
//!
//! - The effect of a value compared with its option's first: pairs of configurations that differ in nothing else, judged like the pairs of
//!   a comparison (Hodges-Lehmann ratio, signed-rank interval and p, Holm over the table).
//! - The share of an option: how much less of the variance a sum of effects explains without it (least squares). In a complete grid these
//!   are the shares of the analysis of variance.
//! - Interactions: the variance that the products of two options explain beyond their sum.

mod model;
mod pairs;
mod shares;

pub use model::{Best, Factor, GridEffects, Interaction, RankedConfiguration, ValueEffect};

use dbdyno_comparing::compare::Side;
use dbdyno_store::RunTests;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A configuration with the times of its runs.
#[derive(Debug, Clone)]
struct GridCell {
    /// The values of the options that vary.
    values: BTreeMap<String, String>,
    label: String,
    tier: Option<u8>,
    /// ns, one a run.
    times: Vec<f64>,
    /// Mean over the runs of the logarithm of the time, minus the round's mean.
    log: f64,
}

/// The reason why a selection is not a grid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoGrid(pub String);

/// Analyses the runs of one test of one engine and suite at one size.
///
/// # Errors
/// What the selection is instead, and how to narrow it.
pub fn effects(side: &Side) -> Result<GridEffects, NoGrid> {
    let test = single(side)?;
    let varying = varying(side);
    let cells = cells(side, test.0, &varying);
    if varying.is_empty() || cells.len() < 2 {
        return Err(NoGrid("it has one configuration only: a grid needs several".to_owned()));
    }
    let shares = shares::shares(&cells, &varying);
    let factors = pairs::factors(&cells, &varying, &shares);
    Ok(model::effects(side, test, &cells, factors, shares))
}

/// Returns the only test, or reports which property has more than one value.
fn single(side: &Side) -> Result<(u32, String), NoGrid> {
    let several = |what: &str, values: BTreeSet<String>| match values.len() {
        0 => Err(NoGrid("it matches no results".to_owned())),
        1 => Ok(()),
        _ => {
            let values: Vec<String> = values.into_iter().collect();
            Err(NoGrid(format!("it matches several values of {what} ({}): narrow it", values.join(", "))))
        }
    };
    let of = |value: fn(&RunTests) -> String| side.runs.iter().map(value).collect::<BTreeSet<_>>();
    several("engine", of(|run| run.configuration.engine.clone()))?;
    several("suite", of(|run| run.configuration.suite.clone()))?;
    several("size", of(|run| run.size.to_string()))?;
    let tests: BTreeSet<(u32, String)> =
        side.runs.iter().flat_map(|run| &run.tests).map(|test| (test.test, test.name.to_string())).collect();
    several("test", tests.iter().map(|(number, _)| number.to_string()).collect())?;
    if side.runs.iter().flat_map(|run| &run.tests).any(|test| test.agrees == Some(false)) {
        return Err(NoGrid("some of its runs gave wrong answers: leave them out with status=ok".to_owned()));
    }
    tests.into_iter().next().ok_or_else(|| NoGrid("it matches no results".to_owned()))
}

/// Returns the options that vary, with their values in sorted order.
fn varying(side: &Side) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for run in &side.runs {
        for (name, value) in &run.configuration.options {
            let known = values.entry(name.clone()).or_default();
            if !known.contains(value) {
                known.push(value.clone());
            }
        }
    }
    values.retain(|_, values| values.len() > 1);
    // Numbers are sorted by size, words alphabetically. The others are compared with the first.
    for values in values.values_mut() {
        values.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.total_cmp(&b),
            _ => a.cmp(b),
        });
    }
    values
}

fn cells(side: &Side, test: u32, varying: &BTreeMap<String, Vec<String>>) -> Vec<GridCell> {
    type Round = (Uuid, u32);
    let mut measured: Vec<(Round, &RunTests, f64)> = Vec::new();
    for run in &side.runs {
        let time = run.tests.iter().find(|result| result.test == test).and_then(|result| result.value);
        measured.extend(time.filter(|time| *time > 0.0).map(|time| ((run.session_id, run.round), run, time)));
    }
    let mut rounds: BTreeMap<Round, (f64, f64)> = BTreeMap::new();
    for (round, _, time) in &measured {
        let (sum, count) = rounds.entry(*round).or_default();
        *sum += time.ln();
        *count += 1.0;
    }
    let mut cells: BTreeMap<BTreeMap<String, String>, GridCell> = BTreeMap::new();
    for (round, run, time) in measured {
        let options = &run.configuration.options;
        let values: BTreeMap<String, String> =
            varying.keys().filter_map(|name| Some((name.clone(), options.get(name)?.clone()))).collect();
        let cell = cells.entry(values.clone()).or_insert_with(|| GridCell {
            values,
            label: run.label.to_string(),
            tier: run.configuration.tier,
            times: Vec::new(),
            log: 0.0,
        });
        let (sum, count) = rounds.get(&round).copied().unwrap_or((0.0, 1.0));
        cell.log += time.ln() - sum / count;
        cell.times.push(time);
    }
    let mean = |mut cell: GridCell| {
        cell.log /= cell.times.len() as f64;
        cell
    };
    cells.into_values().map(mean).collect()
}
