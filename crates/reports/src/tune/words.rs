//! Words that all texts about tuning share.

use super::trial::title;
use crate::comparison::{
    sentence::{self, JudgedPart},
    words::{interval, ratio, sense, times},
};
use dbdyno_catalog::is_script;
use dbdyno_comparing::compare::JudgedRatio;
use dbdyno_foundation::{base::units::counted, metric::Metric};
use dbdyno_running::tune::{Pair, Price, TestEffect, Trial, TrialKind, TrialState};
use dbdyno_stats::{MORE_ROUNDS_CAP, SAME_BAND, Verdict};
use std::cmp::Ordering;

/// Returns the verdict on a change: `1.10x faster`, `undecided, about 12 more rounds`.
pub fn verdict(effect: &TestEffect) -> String {
    let Some(found) = &effect.found else {
        return effect.obstacle.clone().unwrap_or_else(|| "not comparable".to_owned());
    };
    verdict_of(found, "round")
}

/// Returns the verdict in words; `unit` names what is repeated to decide it.
pub(super) fn verdict_of(found: &JudgedRatio, unit: &str) -> String {
    match found.verdict {
        Verdict::Faster => format!("{} faster", times(1.0 / found.ratio)),
        Verdict::Slower => format!("{} slower", times(found.ratio)),
        Verdict::Same => format!("same within {:.0} %", SAME_BAND * 100.0),
        Verdict::Undecided { more_rounds: Some(more) } => {
            format!("undecided, about {}", counted(more, &format!("more {unit}")))
        }
        Verdict::Undecided { more_rounds: None } => format!("undecided, over {MORE_ROUNDS_CAP} more {unit}s"),
        Verdict::TooFew { need } => format!("need >= {}", counted(need, unit)),
    }
}

/// Returns which parts of the tests gain and which lose with the change, in a sentence; none if no part is comparable:
/// `By statement: faster in newest of a feed (2.1x) and search (1.3x); slower in mark as read (1.2x); undecided in 3.`
pub fn by_part(trial: &Trial) -> Option<String> {
    let parts = trial.effects.iter().flat_map(|effect| &effect.parts);
    let parts = parts.map(|part| JudgedPart { name: part.name.clone(), found: part.found.as_ref() });
    sentence::by_part(is_script(&trial.suite), Metric::Wall, ["faster", "slower"], parts.collect())
}

/// Returns the verdict for narrow columns: `1.10x faster`, `undecided +12`.
pub fn short_verdict(effect: &TestEffect) -> String {
    match effect.found.as_ref().map(|found| found.verdict) {
        None => "not comparable".to_owned(),
        Some(Verdict::Same) => "same".to_owned(),
        Some(Verdict::Undecided { more_rounds: Some(more) }) => format!("undecided +{more}"),
        Some(Verdict::Undecided { more_rounds: None }) => format!("undecided +>{MORE_ROUNDS_CAP}"),
        Some(_) => verdict(effect),
    }
}

/// Returns the verdict for the narrowest columns: `1.10x faster`, `undecided`.
pub fn shortest_verdict(effect: &TestEffect) -> String {
    match effect.found.as_ref().map(|found| found.verdict) {
        Some(Verdict::Undecided { .. }) => "undecided".to_owned(),
        Some(Verdict::TooFew { .. }) => "too few rounds".to_owned(),
        _ => short_verdict(effect),
    }
}

/// Formats the ratio with its interval, without a verdict: `0.96 (0.90-1.02)`.
pub fn figures(effect: &TestEffect) -> String {
    match effect.found.as_ref().map(|found| found.interval) {
        Some(Some(_)) => format!("{} ({})", shown_ratio(effect), shown_interval(effect)),
        _ => shown_ratio(effect),
    }
}

/// Formats the ratio with its interval and the verdict: `0.96 (0.90-1.02), undecided, about 12 more rounds`.
pub fn measured(effect: &TestEffect) -> String {
    match effect.found {
        Some(_) => format!("{}, {}", figures(effect), verdict(effect)),
        None => verdict(effect),
    }
}

/// Returns the verdict's word for programs.
pub fn verdict_word(effect: &TestEffect) -> &'static str {
    sense(effect.found.as_ref().map(|found| found.verdict)).word()
}

/// `0.91`, or `-`.
pub fn shown_ratio(effect: &TestEffect) -> String {
    effect.found.as_ref().map_or_else(|| "-".to_owned(), |found| ratio(found.ratio))
}

/// `0.88-0.94`, or `-`.
pub fn shown_interval(effect: &TestEffect) -> String {
    effect.found.as_ref().map_or_else(|| "-".to_owned(), interval)
}

/// Returns the lowest confidence of the intervals, in percent: `97.5 %`.
pub fn confidence(trial: &Trial) -> Option<String> {
    let ranges = trial.effects.iter().chain(&trial.overall).filter_map(|effect| effect.found.as_ref()?.interval);
    let least = ranges.map(|range| range.confidence).reduce(f64::min)?;
    Some(format!("{:.1} %", least * 100.0))
}

/// Returns the state of a trial, in one word or with the reason.
pub fn state(trial: &Trial) -> String {
    match &trial.state {
        TrialState::Tried => "tried".to_owned(),
        TrialState::Stopped => "stopped before its last round".to_owned(),
        TrialState::CannotDiffer(reason) => format!("not run: it cannot differ ({reason})"),
        TrialState::Failed(reason) => format!("failed: {reason}"),
    }
}

/// Describes the change with its old values: `cache_size: -2000 -> 20000`.
pub fn change(trial: &Trial) -> String {
    let one = |(option, value): (&String, &String)| {
        let before = trial.base.get(option).map_or("?", String::as_str);
        format!("{option}: {before} -> {value}")
    };
    let all: Vec<String> = trial.change.0.iter().map(one).collect();
    if all.is_empty() { "no change".to_owned() } else { all.join(", ") }
}

/// Names what a trial measured, and the same for places with little room: `2 Random reads` and `test 2`, `8 tests` and `8 tests`.
pub fn tests(trial: &Trial) -> [String; 2] {
    match (trial.tests.as_slice(), trial.effects.as_slice()) {
        ([number], [only]) => [title(only), format!("test {number}")],
        ([number], _) => [format!("test {number}"), format!("test {number}")],
        (several, _) => [counted(several.len(), "test"), counted(several.len(), "test")],
    }
}

/// Returns the tiers before and after a change that loses durability: `tier 3→2`.
pub fn lost_tier(trial: &Trial) -> Option<String> {
    let Pair { before, after } = trial.tier;
    trial.loses_durability().then(|| format!("tier {}→{}", before.sign(), after.sign()))
}

/// Describes the durability, what a commit survives: `tier 3 power-safe, as before`, `tier 3 power-safe -> 1 process-safe: ...`.
pub fn durability(trial: &Trial) -> String {
    let reason = if trial.tier.before == trial.tier.after { "" } else { &trial.tier_reason.after };
    let colon = if reason.is_empty() { "" } else { ": " };
    format!("{}{colon}{reason}", tiers(trial))
}

/// Returns the tiers of the base and of the change, without the reason.
pub fn tiers(trial: &Trial) -> String {
    let Pair { before, after } = trial.tier;
    match before.cmp(&after) {
        Ordering::Equal => format!("tier {after}, as before"),
        Ordering::Greater => format!("tier {before} -> {after}"),
        Ordering::Less => format!("tier {before} -> {after}, which is more"),
    }
}

/// A figure of a price before and after the change.
#[derive(Debug, Clone)]
pub struct PriceLine {
    pub name: &'static str,
    /// `10 -> 0`, or `10, as before`.
    pub change: String,
    /// Whether the change left it as it was.
    pub is_same: bool,
}

/// Returns memory, disk, side files and syncs, each before and after.
pub fn price(price: &Price) -> impl Iterator<Item = PriceLine> {
    price.each().map(|(metric, pair)| {
        let (before, after) = (metric.shown(pair.before as f64), metric.shown(pair.after as f64));
        let is_same = before == after;
        let change = if is_same { format!("{after}, as before") } else { format!("{before} -> {after}") };
        PriceLine { name: metric.title(), change, is_same }
    })
}

/// Describes how the figures were judged, in a sentence.
pub fn spending(trial: &Trial) -> String {
    let mut rounds = counted(trial.rounds, "round");
    let pairs = trial.effects.iter().map(|effect| effect.pairs).min().unwrap_or(0);
    if pairs < trial.rounds as usize {
        rounds = format!("{rounds}, {pairs} of them with both runs");
    }
    if trial.kind == TrialKind::Search {
        return format!("{rounds} with fresh seeds; their number was fixed beforehand, and they are judged once");
    }
    let factor = 2_u64.saturating_pow(trial.looks.min(60)).saturating_mul(u64::from(trial.changes.max(1)));
    let changes =
        if trial.changes > 1 { format!(" and {} changes tried by one command", trial.changes) } else { String::new() };
    format!(
        "{rounds}, look {}: p is multiplied by {factor} and intervals are wider for all looks{changes}: more rounds add no false alarms",
        trial.looks
    )
}
