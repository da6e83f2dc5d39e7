//! The drawbacks of the engine that a choice puts first.

use crate::tune::words::verdict;
use dbdyno_foundation::metric::Metric;
use dbdyno_running::{
    choose::{ChoiceAnswer, EngineAnswer},
    tune::TestEffect,
};
use dbdyno_stats::Verdict;

/// Returns the drawbacks of the first engine: the tests and figures in which another is better, and the cautions about its settings.
pub(super) fn given_up(choice: &ChoiceAnswer) -> Vec<String> {
    let Some(first) = choice.first() else { return Vec::new() };
    let confirmed = || choice.engines.iter().filter(|one| one.behind.is_some());
    let mut lines: Vec<String> = confirmed().flat_map(better_tests).collect();
    lines.extend(confirmed().flat_map(|one| better_figures(first, one)));
    let safer = confirmed().filter(|one| one.tier > first.tier);
    lines.extend(safer.map(|one| format!("{}: {} (tier {})", one.engine, one.tier.promise(), one.tier)));
    lines.extend(risks(first));
    lines.extend(choice.level().flat_map(|one| risks(one).map(move |risk| format!("{}: {risk}", one.engine))));
    lines
}

/// Returns the cautions about an engine's settings.
fn risks(one: &EngineAnswer) -> impl Iterator<Item = String> + '_ {
    one.settings.iter().filter_map(|one| Some(format!("{}={}: {}", one.option, one.value, one.risk.as_ref()?)))
}

/// Returns the tests in which an engine was found faster than the first.
pub(super) fn better_tests(one: &EngineAnswer) -> Vec<String> {
    let faster = |effect: &&TestEffect| effect.found.as_ref().is_some_and(|found| found.verdict == Verdict::Faster);
    let line = |effect: &TestEffect| format!("{} is {} in {}", one.engine, verdict(effect), effect.name);
    one.tests.iter().filter(faster).map(line).collect()
}

/// Returns the figures beside time in which an engine is better than the first by a tenth at least.
pub(super) fn better_figures(first: &EngineAnswer, one: &EngineAnswer) -> Vec<String> {
    let Some(price) = &one.price else { return Vec::new() };
    let better = price
        .each()
        .filter(|(metric, pair)| *metric != Metric::OutsideSyncs && (pair.after as f64) < 0.9 * pair.before as f64);
    better
        .map(|(metric, pair)| {
            let (own, its) = (metric.shown(pair.before as f64), metric.shown(pair.after as f64));
            format!("{}: {} {its}, {} {own}", metric.title(), one.engine, first.engine)
        })
        .collect()
}
