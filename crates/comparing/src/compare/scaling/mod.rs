//! Fits how the figures of each side grow with the size and with every numeric option that varies within the side.

mod axes;
mod model;

pub use model::{Corner, CurveFamily, Growing, ScalingCurve, ScalingFound, ScalingPoint, Segment, curve_families};

use super::{
    facts,
    layout::{SideSample, by_size},
    load::Side,
    model::{Part, SideFacts, SideName},
    sizes::without_numbers,
};
use axes::{AxisValue, SIZE, Varied, varied};
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::{Growth, LogSamples, MIN_SCALING_RUNS, NoAnswer, Scaling, scaling};
use dbdyno_store::ComparedTest;
use serde::Serialize;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};
use uuid::Uuid;

/// The facts that cannot be an axis, and are the same for a whole curve: engine, version, suite, host and disk.
type Identity<'s> = [&'s str; 4];

const IDENTITY: [&str; 4] = ["engine", "version", "suite", "host"];

/// How the figures of a session grow, over its configurations that differ in a number.
#[derive(Debug, Clone, Serialize)]
pub struct Grown {
    /// The measured side: where and with what it was measured.
    pub side: SideFacts,
    /// The curves; at least one is fitted.
    pub curves: Vec<ScalingCurve>,
}

/// Returns how the figures of a side grow; none if nothing could be fitted.
pub fn grown(side: &Side) -> Option<Grown> {
    let mut curves = curves(side, &Side { metric: side.metric, ..Side::default() });
    let is_fitted = |curve: &ScalingCurve| matches!(curve.found, ScalingFound::Fitted { .. });
    let fitted: BTreeSet<(u32, String, String)> =
        curves.iter().filter(|curve| is_fitted(curve)).map(of_family).collect();
    curves.retain(|curve| fitted.contains(&of_family(curve)));
    (!curves.is_empty()).then(|| Grown { side: facts::of_side(side), curves })
}

/// Returns the properties that curves of one family share.
fn of_family(curve: &ScalingCurve) -> (u32, String, String) {
    (curve.test, curve.name.clone(), curve.axis.clone())
}

/// Returns the curves of both sides, by test, axis, fixed settings, and side.
pub(super) fn curves(a: &Side, b: &Side) -> Vec<ScalingCurve> {
    let places = facts::places_as_measured(&[a, b]);
    let mut tests: BTreeMap<(u32, String), Vec<(SideName, SideSample<'_>)>> = BTreeMap::new();
    for (name, side) in [(SideName::A, a), (SideName::B, b)] {
        for run in &side.runs {
            let telling = run.tests.iter().filter(|result| !is_whole_test(result, &run.tests));
            let samples = telling.filter_map(|result| SideSample::from_result(run, result));
            for sample in samples.map(|sample| in_time(sample, side.metric)) {
                let key = (sample.result.test, without_numbers(&sample.result.name));
                tests.entry(key).or_default().push((name, sample));
            }
        }
    }
    let mut curves: Vec<ScalingCurve> = Vec::new();
    for ((test, folded), samples) in tests {
        let names: BTreeSet<&str> = samples.iter().map(|(_, sample)| &*sample.result.name).collect();
        let name = if names.len() == 1 { samples[0].1.result.name.to_string() } else { folded };
        for side in [SideName::A, SideName::B] {
            let of_side = samples.iter().filter(|(of, _)| *of == side).map(|(_, sample)| *sample);
            curves.extend(
                of_test(of_side, &places).into_iter().map(|(varied, held)| curve(test, &name, side, varied, held)),
            );
        }
    }
    curves.sort_by(in_order);
    curves
}

/// Whether a share belongs to the only actor of its test: it equals the whole test, which has a curve of its own.
fn is_whole_test(result: &ComparedTest, all: &[ComparedTest]) -> bool {
    let of_test = || all.iter().filter(|other| other.test == result.test);
    result.actor.is_some()
        && of_test().all(|other| other.actor.is_none() || other.actor == result.actor)
        && of_test().any(|other| other.actor.is_none())
}

/// Converts a sample of a side in operations per second back to the time that it was read for.
fn in_time(sample: SideSample<'_>, metric: Metric) -> SideSample<'_> {
    let operations = if sample.timed { 1 } else { sample.operations };
    match metric {
        Metric::Rate => SideSample { value: operations as f64 * 1e9 / sample.value, ..sample },
        _ => sample,
    }
}

fn in_order(one: &ScalingCurve, other: &ScalingCurve) -> Ordering {
    let key = |curve: &ScalingCurve| (curve.test, curve.name.clone(), curve.axis != SIZE, curve.axis.clone());
    key(one).cmp(&key(other)).then_with(|| by_held(&one.held, &other.held)).then_with(|| one.side.cmp(&other.side))
}

/// Compares values as numbers if they are numbers.
fn by_held(one: &Part, other: &Part) -> Ordering {
    let mut pairs = one.iter().zip(other);
    let differing = pairs.find_map(|((name, value), (other, other_value))| {
        Some(name.cmp(other).then_with(|| by_size(value, other_value))).filter(|order| order.is_ne())
    });
    differing.unwrap_or_else(|| one.len().cmp(&other.len()))
}

/// Returns the curves of one side's results of a test, each with the settings that distinguish it from the others along its axis.
fn of_test<'s>(
    samples: impl Iterator<Item = SideSample<'s>>,
    places: &'s BTreeMap<Uuid, String>,
) -> Vec<(Varied<'s>, Part)> {
    let mut parts: BTreeMap<Identity<'s>, Vec<SideSample<'s>>> = BTreeMap::new();
    for sample in samples {
        let configuration = &sample.run.configuration;
        let place = places.get(&sample.run.session_id).map_or("", String::as_str);
        let identity = [&configuration.engine, &configuration.version, &configuration.suite].map(String::as_str);
        let [engine, version, suite] = identity;
        parts.entry([engine, version, suite, place]).or_default().push(sample);
    }
    let mut curves: BTreeMap<&str, Vec<(Part, Varied<'s>)>> = BTreeMap::new();
    for (identity, samples) in parts {
        for varied in varied(&samples) {
            let fixed = varied.fixed.iter().map(|(name, value)| (*name, *value));
            let facts = fixed.chain(IDENTITY.into_iter().zip(identity));
            let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            curves.entry(varied.axis).or_default().push((facts, varied));
        }
    }
    curves.into_values().flat_map(told_apart).collect()
}

/// Reduces the facts of each curve to those that distinguish it from the others. An option that only some engines have adds nothing to the
/// name of the engine, so its absence counts only if curves could not be distinguished otherwise.
fn told_apart(curves: Vec<(Part, Varied<'_>)>) -> Vec<(Varied<'_>, Part)> {
    let names: BTreeSet<&String> = curves.iter().flat_map(|(facts, _)| facts.keys()).collect();
    let kept = |absence_counts: bool| -> Vec<Part> {
        let differs = |name: &String| {
            let values: BTreeSet<Option<&String>> = curves
                .iter()
                .map(|(facts, _)| facts.get(name))
                .filter(|value| absence_counts || value.is_some())
                .collect();
            values.len() > 1
        };
        let telling: BTreeSet<&String> = names.iter().copied().filter(|name| differs(name)).collect();
        let of_curve = |(facts, _): &(Part, _)| {
            facts
                .iter()
                .filter(|(name, _)| telling.contains(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect()
        };
        curves.iter().map(of_curve).collect()
    };
    let short = kept(false);
    let are_told = short.iter().collect::<BTreeSet<_>>().len() == short.len();
    let parts = if are_told { short } else { kept(true) };
    curves.into_iter().map(|(_, varied)| varied).zip(parts).collect()
}

fn curve(test: u32, name: &str, side: SideName, varied: Varied<'_>, held: Part) -> ScalingCurve {
    let mut moving = varied.moving;
    let all = || varied.by_x.values().flatten();
    // A test that ended after a fixed time took the same time at each size.
    let is_rate = varied.axis != SIZE || all().any(|sample| sample.timed);
    let figure = if is_rate { Growing::Rate } else { Growing::Time };
    let tiers: BTreeSet<Option<u8>> = all().map(|sample| sample.run.configuration.tier).collect();
    if tiers.len() > 1 {
        moving.push("tier".to_owned());
    }
    let count = all().count();
    let mut used = varied.by_x;
    let rounds = shared_rounds(&used);
    if rounds.len() >= MIN_SCALING_RUNS {
        used.values_mut().for_each(|samples| samples.retain(|sample| rounds.contains(&round(sample))));
    }
    let points: Vec<ScalingPoint> = used.iter().map(|(at, samples)| point(varied.axis, *at, samples, figure)).collect();
    ScalingCurve {
        test,
        name: name.to_owned(),
        axis: varied.axis.to_owned(),
        side,
        held,
        moving,
        no_numbers: varied.no_numbers.iter().map(ToString::to_string).collect(),
        figure,
        left_out: count - used.values().map(Vec::len).sum::<usize>(),
        found: found(&used, &rounds, figure),
        points,
    }
}

/// A session and the number of a round.
type SessionRound = (Uuid, u32);

fn round(sample: &SideSample<'_>) -> SessionRound {
    (sample.run.session_id, sample.run.round)
}

/// Returns the rounds in which every point was measured.
fn shared_rounds<'s>(by_x: &BTreeMap<AxisValue, Vec<SideSample<'s>>>) -> BTreeSet<SessionRound> {
    let of_point = |samples: &Vec<SideSample<'s>>| samples.iter().map(round).collect::<BTreeSet<_>>();
    by_x.values().map(of_point).reduce(|shared, rounds| &shared & &rounds).unwrap_or_default()
}

fn point(axis: &str, at: AxisValue, samples: &[SideSample<'_>], figure: Growing) -> ScalingPoint {
    let figures: Vec<f64> = samples.iter().map(|sample| of_sample(sample, figure)).collect();
    let first = samples.first();
    let value = first.and_then(|sample| axes::settings(sample).get(axis).map(ToString::to_string));
    ScalingPoint {
        value: value.unwrap_or_default(),
        x: at.x(),
        figure: figure.median(&figures).ok().filter(|figure| figure.is_finite()).unwrap_or(0.0),
        operations: first.map_or(0, |sample| sample.operations),
        times_ns: samples.iter().map(|sample| sample.value.round() as u64).collect(),
        run_ids: samples.iter().map(|sample| sample.run.run_id).collect(),
    }
}

/// Returns the time in ns, or the operations per second; not finite, or 0, if it has no logarithm.
fn of_sample(sample: &SideSample<'_>, figure: Growing) -> f64 {
    match figure {
        Growing::Time => sample.value,
        // The value of a test that ended after a fixed time is the time of one operation.
        Growing::Rate if sample.timed => 1e9 / sample.value,
        Growing::Rate => sample.operations as f64 * 1e9 / sample.value,
    }
}

fn found(
    by_x: &BTreeMap<AxisValue, Vec<SideSample<'_>>>,
    rounds: &BTreeSet<SessionRound>,
    figure: Growing,
) -> ScalingFound {
    let wrong = by_x.values().flatten().filter(|sample| sample.agrees == Some(false)).count();
    if wrong > 0 {
        return ScalingFound::FailedVerification { wrong, runs: by_x.values().map(Vec::len).sum() };
    }
    let log = |sample: &SideSample<'_>| of_sample(sample, figure).ln();
    let x: Vec<f64> = by_x.keys().map(|at| at.x()).collect();
    let shared = rounds.len() >= MIN_SCALING_RUNS;
    let fit = if shared {
        let means: Vec<BTreeMap<SessionRound, f64>> = by_x.values().map(|samples| round_means(samples, log)).collect();
        let of_round = |wanted: &SessionRound| means.iter().filter_map(|means| means.get(wanted).copied()).collect();
        scaling(&x, LogSamples::Rounds(&rounds.iter().map(of_round).collect::<Vec<_>>()))
    } else {
        let lists: Vec<Vec<f64>> = by_x.values().map(|samples| samples.iter().map(log).collect()).collect();
        scaling(&x, LogSamples::Apart(&lists))
    };
    match fit {
        Ok(fit) => fitted(&x, &fit, shared.then_some(rounds.len())),
        Err(NoAnswer::TooFewPoints { have, need }) => ScalingFound::TooFewPoints { have, need },
        Err(NoAnswer::TooFew { have, need }) => ScalingFound::TooFewRuns { have, need },
        Err(_) => ScalingFound::NoLogarithm,
    }
}

/// Returns the mean of each round of a point: a configuration and its twin both run in a round.
fn round_means<'s>(samples: &[SideSample<'s>], figure: impl Fn(&SideSample<'s>) -> f64) -> BTreeMap<SessionRound, f64> {
    let mut of_round: BTreeMap<SessionRound, (f64, usize)> = BTreeMap::new();
    for sample in samples {
        let (sum, count) = of_round.entry(round(sample)).or_default();
        *sum += figure(sample);
        *count += 1;
    }
    of_round.into_iter().map(|(round, (sum, count))| (round, sum / count as f64)).collect()
}

fn fitted(x: &[f64], fit: &Scaling, rounds: Option<usize>) -> ScalingFound {
    let corner = |at: usize| Corner { x: x[at], figure: fit.fitted[at].exp() };
    let segment = |from, to, slope| Segment { from: corner(from), to: corner(to), slope };
    let last = x.len() - 1;
    let segments = match fit.growth {
        Growth::Line(slope) => vec![segment(0, last, slope)],
        Growth::Knee { at, before, after } => vec![segment(0, at, before), segment(at, last, after)],
    };
    ScalingFound::Fitted { segments, off: fit.off, rounds }
}
