//! The answer of a choice in sentences.

use super::{configured, ratio_to, settings};
use crate::{
    comparison::words::{ratio, times},
    tune::words::{shown_interval, shown_ratio, verdict},
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::units::{counted, duration};
use dbdyno_running::{
    choose::{ChoiceAnswer, ChoiceVerdict, EngineAnswer, EngineState},
    tune::{Setting, TestEffect},
};
use dbdyno_stats::Verdict;

/// Returns the answer in sentences, the most important first.
pub fn sentences(choice: &ChoiceAnswer) -> Vec<String> {
    let Some(first) = choice.first() else { return vec![without_first(choice)] };
    let level: Vec<&EngineAnswer> = choice.level().collect();
    let mut lines = match (choice.verdict, level.as_slice()) {
        (ChoiceVerdict::Level, level) => vec![level_line(first, level)],
        (ChoiceVerdict::Alone, _) => {
            vec![format!(
                "Take {}: no other engine here meets the constraints, so nothing was compared.",
                configured(first)
            )]
        }
        _ => vec![format!("Take {}{}.", configured(first), lead(choice))],
    };
    lines.extend(gain(first));
    lines.extend(absolute(choice));
    let (sign, best) = (first.tier.sign(), Tier::PowerSafe.sign());
    let name = first.tier.name();
    // How the counts of syncs show it is for the pages about durability.
    let reason = first.tier_reason.split("; ").next().unwrap_or_default();
    lines.push(format!("Tier {sign} of {best}, {name}: {} ({reason}).", first.tier.promise()));
    lines
}

/// `Median time of a run: Random reads 527 µs.` None: no other engine was confirmed.
fn absolute(choice: &ChoiceAnswer) -> Option<String> {
    let tests = choice.engines.iter().find(|one| !one.tests.is_empty())?.tests.iter();
    let time = |effect: &TestEffect| Some(format!("{} {}", effect.name, duration(effect.base_ns?)));
    let times: Vec<String> = tests.filter_map(time).collect();
    let more = match times.len().saturating_sub(TIMES) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more test")),
    };
    let shown = times[..times.len().min(TIMES)].join(", ");
    (!times.is_empty()).then(|| format!("Median time of a run: {shown}{more}."))
}

/// The most tests whose time is in the answer's sentences.
const TIMES: usize = 4;

fn without_first(choice: &ChoiceAnswer) -> String {
    match choice.verdict {
        ChoiceVerdict::Stopped => {
            "No answer: the choice was stopped before its confirmation. `dbdyno choose --resume` goes on.".to_owned()
        }
        _ => "No engine here meets the constraints: the reasons are below.".to_owned(),
    }
}

/// `: 1.34x faster than sqlite, which is second (1.21-1.48x)`
fn lead(choice: &ChoiceAnswer) -> String {
    let second = choice.engines.iter().find(|one| one.state == EngineState::Behind);
    let confirmed = second.and_then(|one| Some((one, one.behind.as_ref()?)));
    if let Some((one, behind)) = confirmed {
        let found = shown_interval(behind);
        let ratio = behind.found.as_ref().map_or(1.0, |found| found.ratio);
        return format!(": {} faster than {}, which is second ({found}x)", times(ratio), one.engine);
    }
    let others = choice.engines.iter().filter(|one| one.state == EngineState::Outrun);
    let nearest = others.filter_map(|one| Some((one, ratio_to(choice, one)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or_else(String::new, |(one, ratio)| {
        format!(": {} is second, about {} slower (in the search, not confirmed)", one.engine, times(ratio))
    })
}

/// `lmdb and redb are level, choose by taste: ...`
fn level_line(first: &EngineAnswer, level: &[&EngineAnswer]) -> String {
    let names: Vec<String> =
        std::iter::once(configured(first)).chain(level.iter().map(|one| configured(one))).collect();
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    let figures: Vec<String> = level
        .iter()
        .filter_map(|one| {
            let behind = one.behind.as_ref()?;
            let (ratio, interval) = (shown_ratio(behind), shown_interval(behind));
            Some(format!("{} takes {ratio} times as long ({interval})", one.engine))
        })
        .collect();
    let simplest =
        simplest(first, level).map_or_else(String::new, |engine| format!(" {engine} needs the fewest settings."));
    format!(
        "{} and {last} are level, choose by taste: {}, so no difference is shown.{simplest}",
        others.join(", "),
        figures.join(", ")
    )
}

/// Returns the engine with the fewest settings; none if another needs as few.
fn simplest<'a>(first: &'a EngineAnswer, level: &[&'a EngineAnswer]) -> Option<&'a str> {
    let all = || std::iter::once(first).chain(level.iter().copied());
    let least = all().min_by_key(|one| one.settings.len())?;
    let is_only = all().filter(|one| one.settings.len() == least.settings.len()).count() == 1;
    is_only.then_some(&*least.engine)
}

/// `wal_autocheckpoint=250 makes sqlite 1.07x faster (1.04-1.10x) than journal_mode=wal alone.`
fn gain(first: &EngineAnswer) -> Option<String> {
    let gain = first.gain.as_ref()?;
    let found = gain.found.as_ref()?;
    let (change, start): (Vec<Setting>, Vec<Setting>) =
        first.settings.iter().cloned().partition(|one| first.change.0.contains_key(&one.option));
    let (changed, engine) = (settings(&change), &first.engine);
    let start = match start.as_slice() {
        [] => "its defaults".to_owned(),
        some => format!("{} alone (its defaults are less durable than you ask for)", settings(some)),
    };
    let (makes, does) = if change.len() == 1 { ("makes", "does") } else { ("make", "do") };
    Some(match (found.verdict, found.interval) {
        (Verdict::Faster, Some(range)) => {
            let (low, high) = (ratio(1.0 / range.high), ratio(1.0 / range.low));
            format!("{changed} {makes} {engine} {} ({low}-{high}x) than {start}.", verdict(gain))
        }
        _ => {
            let interval = shown_interval(gain);
            format!(
                "{changed} {does} not make {engine} faster than {start}, as far as shown ({interval} times the time)."
            )
        }
    })
}
