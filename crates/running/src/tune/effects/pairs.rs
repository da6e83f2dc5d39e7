//! The effect of a value, measured by pairs of configurations that differ in nothing else.

use super::{
    GridCell,
    model::{Factor, ValueEffect},
    shares::Shares,
};
use dbdyno_comparing::compare::{JudgedRatio, RatioRange};
use dbdyno_stats::{
    ALPHA, DEFAULT_NOISE_FLOOR, Evidence, Logs, NoAnswer, RatioInterval, Verdict, holm, log_ratios, median,
    more_rounds, paired_ratio, signed_rank,
};
use std::collections::BTreeMap;

/// A value compared with the first value of its option, before Holm's adjustment.
struct EffectDraft<'v> {
    option: &'v str,
    value: &'v str,
    times: (Vec<f64>, Vec<f64>),
    interval: Result<RatioInterval, NoAnswer>,
    median_ratio: Option<f64>,
    p: Option<f64>,
}

/// Returns every option with the effects of its values, the largest share first.
pub(super) fn factors(cells: &[GridCell], varying: &BTreeMap<String, Vec<String>>, shares: &Shares) -> Vec<Factor> {
    let by_values: BTreeMap<&BTreeMap<String, String>, f64> =
        cells.iter().map(|cell| (&cell.values, cell.log)).collect();
    let drafts: Vec<EffectDraft<'_>> = varying
        .iter()
        .flat_map(|(option, values)| values.iter().skip(1).map(move |value| (option, &values[0], value)))
        .map(|(option, first, value)| draft(&by_values, option, first, value))
        .collect();
    let p: Vec<f64> = drafts.iter().filter_map(|draft| draft.p).collect();
    // A p value is between 0 and 1, so there is an answer. Without one, nothing is significant.
    let mut adjusted = holm(&p).unwrap_or_else(|_| vec![1.0; p.len()]).into_iter();
    let mut effects: BTreeMap<&str, Vec<ValueEffect>> = BTreeMap::new();
    for draft in drafts {
        let p_adjusted = draft.p.and_then(|_| adjusted.next());
        let effect = ValueEffect {
            value: draft.value.to_owned(),
            pairs: draft.times.0.len(),
            found: found(&draft, p_adjusted, p.len()),
        };
        effects.entry(draft.option).or_default().push(effect);
    }
    let mut factors: Vec<Factor> = varying
        .iter()
        .map(|(option, values)| {
            let effects = effects.remove(option.as_str()).unwrap_or_default();
            let shown = |effect: &ValueEffect| {
                let verdict = effect.found.as_ref().map(|found| found.verdict);
                matches!(verdict, Some(Verdict::Faster | Verdict::Slower))
            };
            Factor {
                option: option.clone(),
                first: values[0].clone(),
                share: shares.of.get(option).copied().unwrap_or(0.0),
                shown: effects.iter().any(shown),
                effects,
            }
        })
        .collect();
    factors.sort_by(|a, b| b.share.total_cmp(&a.share));
    factors
}

fn draft<'v>(
    cells: &BTreeMap<&BTreeMap<String, String>, f64>,
    option: &'v str,
    first: &str,
    value: &'v str,
) -> EffectDraft<'v> {
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (values, log) in cells.iter().filter(|(values, _)| values.get(option).is_some_and(|of| of == value)) {
        let mut other = (*values).clone();
        other.insert(option.to_owned(), first.to_owned());
        pairs.extend(cells.get(&other).map(|of_first| (log.exp(), of_first.exp())));
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let interval = paired_ratio(&a, &b);
    let logs = log_ratios(&a, &b);
    let p = logs.as_ref().ok().and_then(|logs| signed_rank(logs).ok()).map(|test| test.p);
    EffectDraft {
        option,
        value,
        p: if interval.is_ok() { p } else { None },
        median_ratio: logs.ok().and_then(|logs| median(&logs).ok()).map(f64::exp),
        interval,
        times: (a, b),
    }
}

fn found(draft: &EffectDraft<'_>, p_adjusted: Option<f64>, tests: usize) -> Option<JudgedRatio> {
    let evidence =
        Evidence { interval: draft.interval, p_adjusted: p_adjusted.unwrap_or(1.0), noise_floor: DEFAULT_NOISE_FLOOR };
    let (a, b) = &draft.times;
    let more = || more_rounds(&Logs::new(a, b, true).ok()?, DEFAULT_NOISE_FLOOR, tests, ALPHA);
    let interval = draft.interval.ok();
    let median_ratio = draft.median_ratio?;
    Some(JudgedRatio {
        verdict: evidence.verdict(more).ok()?,
        ratio: interval.map_or(median_ratio, |interval| interval.ratio),
        median_ratio,
        interval: interval.map(|RatioInterval { low, high, confidence, .. }| RatioRange { low, high, confidence }),
        paired: true,
        exact: false,
        sessions: None,
        p: draft.p,
        p_adjusted,
    })
}
