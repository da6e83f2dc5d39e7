//! Words that all texts about effects share.

use super::words::verdict_of;
use crate::comparison::words::ratio;
use dbdyno_foundation::base::units::{counted, duration, plain};
use dbdyno_running::tune::effects::{Best, Factor, GridEffects, RankedConfiguration, ValueEffect};
use dbdyno_store::tier_words;

pub fn title(effects: &GridEffects) -> String {
    let GridEffects { engine, suite, size, test, name, .. } = effects;
    plain(&format!("{engine} on {suite} at {size}, test {test} {name}"))
}

pub fn what(effects: &GridEffects) -> String {
    format!(
        "{}, {}. A ratio is time with the value / time with the option's first value, over pairs of configurations \
         that differ only in it. A share is a part of the variance of log times.",
        counted(effects.ranked.len(), "configuration"),
        counted(effects.runs, "run")
    )
}

/// Returns the headline: `journal_mode explains 61 % of the variance`, or that nothing was found.
pub fn headline(factor: &Factor) -> String {
    if factor.shown {
        format!("{} explains {} of the variance", plain(&factor.option), percent(factor.share))
    } else {
        format!("{}: no effect found ({} of the variance)", plain(&factor.option), percent(factor.share))
    }
}

/// Describes the variance that no option explains, and the interactions of two options beyond their sum: one line each.
pub fn interactions(effects: &GridEffects) -> Vec<String> {
    let mut lines: Vec<String> = left(effects).lines().map(str::to_owned).collect();
    for one in &effects.interactions {
        let [a, b] = &one.options;
        lines.push(format!("{} and {} together: {} of the variance", plain(a), plain(b), percent(one.share)));
        lines.extend(one.ratios.iter().map(|(value_a, value_b, times)| {
            format!("  {} {}: {} of the mean time", plain(value_a), plain(value_b), ratio(*times))
        }));
    }
    lines
}

/// Names the fastest configuration of each tier, one per line.
pub fn best(effects: &GridEffects) -> Vec<String> {
    let line = |best: &Best| {
        let of = counted(best.of, "configuration");
        format!("{} ({of}): {}", tier_words(best.tier), ranked(&best.configuration))
    };
    effects.best.iter().map(line).collect()
}

pub(super) fn left(effects: &GridEffects) -> String {
    let left = format!("interactions and noise: {} of the variance", percent(effects.left));
    if effects.whole {
        return left;
    }
    format!(
        "{left}\na sample of the grid: shares are estimates; to see interactions, run the whole grid of a few options"
    )
}

pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

pub fn pairs(effect: &ValueEffect) -> String {
    counted(effect.pairs, "pair")
}

pub fn verdict(effect: &ValueEffect) -> String {
    effect.found.as_ref().map_or_else(|| "no pairs".to_owned(), |found| verdict_of(found, "pair"))
}

/// Describes a configuration in the ranking: its time and the options that vary.
pub fn ranked(one: &RankedConfiguration) -> String {
    let values: Vec<String> = one.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}  {}", duration(one.median_ns), plain(&values.join(" ")))
}
