//! What matters how much in a grid: text, and one HTML page that needs nothing else.

use super::effects_words::{best, headline, interactions, left, pairs, ranked, title, verdict, what};
use crate::{
    base::{
        grid::Grid,
        units::{duration, plain},
    },
    report::{
        comparison::{
            charts::{self, Forest},
            words::{interval, ratio},
        },
        format::{Format, WriteError},
    },
    store::tier_words,
    tune::effects::{Factor, GridEffects, Ranked, ValueEffect},
};
use console::Alignment;
use minijinja::{Environment, value::Serde};
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write as _};

const TEMPLATE: &str = include_str!("../../../assets/effects.html");
/// Configurations that the text's ranking shows, at either end.
const SHOWN: usize = 5;

/// How an analysis can be written.
pub const EFFECTS_FORMATS: &[Format] = &[Format::Table, Format::Json, Format::Html];

/// The analysis. `command`: what asked for it, which the page carries.
///
/// # Errors
/// Why it could not be written.
pub fn effects_text(effects: &GridEffects, format: Format, command: &str) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => table(effects),
        Format::Json => serde_json::to_string_pretty(effects)? + "\n",
        Format::Html => page(effects, command)?,
        _ => return Err(WriteError::Unsupported { asked: format, supported: EFFECTS_FORMATS }),
    })
}

/// The analysis as text.
fn table(effects: &GridEffects) -> String {
    // Writing to a string cannot fail.
    let mut text = format!("{}\n", title(effects));
    let _ = writeln!(text, "{}\n", what(effects));
    let mut grid = Grid::new([Alignment::Left, Alignment::Right, Alignment::Right, Alignment::Right, Alignment::Left]);
    for factor in &effects.factors {
        grid.title(headline(factor));
        for effect in &factor.effects {
            grid.row([
                format!("  {} against {}", plain(&effect.value), plain(&factor.first)),
                shown(effect, |found| ratio(found.ratio)),
                shown(effect, interval),
                pairs(effect),
                verdict(effect),
            ]);
        }
    }
    text += &grid.render();
    text.push('\n');
    for line in interactions(effects) {
        let _ = writeln!(text, "{line}");
    }
    text += "\nbest of each tier (chosen among many, so partly lucky: confirm it with a trial)\n";
    for line in best(effects) {
        let _ = writeln!(text, "  {line}");
    }
    text + &ranking(effects)
}

fn shown(effect: &ValueEffect, show: impl Fn(&crate::compare::JudgedRatio) -> String) -> String {
    effect.found.as_ref().map_or_else(|| "-".to_owned(), show)
}

fn ranking(effects: &GridEffects) -> String {
    let mut grid = Grid::new([Alignment::Right, Alignment::Right, Alignment::Left, Alignment::Left]);
    let all = effects.ranked.len();
    for (place, one) in (1..).zip(&effects.ranked) {
        if all > 2 * SHOWN && place == SHOWN + 1 {
            grid.title(format!("... {} more; the formats json and html have every one", all - 2 * SHOWN));
        }
        if place <= SHOWN || place + SHOWN > all {
            grid.row([place.to_string(), ratio(one.ratio), tier_words(one.tier), ranked(one)]);
        }
    }
    format!("\nranking (time / time of the fastest)\n{}", grid.render())
}

/// What the template shows.
#[derive(Debug, Serialize)]
struct EffectsPage<'e> {
    effects: &'e GridEffects,
    title: String,
    what: String,
    left: String,
    command: &'e str,
    version: &'static str,
    factors: Vec<FactorRows>,
    best: Vec<[String; 3]>,
    ranked: Vec<[String; 5]>,
    chart: Dots,
}

#[derive(Debug, Serialize)]
struct FactorRows {
    headline: String,
    share: f64,
    rows: Vec<EffectRow>,
}

#[derive(Debug, Serialize)]
struct EffectRow {
    cells: [String; 5],
    forest: Option<Forest>,
}

/// Every configuration as a dot: its place in the ranking, and its time / time of the fastest on a log axis.
#[derive(Debug, Serialize)]
struct Dots {
    dots: Vec<Dot>,
    /// Height and ratio of each line of the axis.
    ticks: Vec<(f64, String)>,
    /// Tiers in words, by the number of their class.
    tiers: Vec<(u8, String)>,
}

#[derive(Debug, Serialize)]
struct Dot {
    x: f64,
    y: f64,
    tier: u8,
    about: String,
}

/// Width and height of the ranking's chart; the template adds margins.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 200.0;

fn dots(all: &[Ranked]) -> Dots {
    let slowest = all.iter().map(|one| one.ratio).fold(1.1, f64::max);
    let y = |ratio: f64| ((1.0 - ratio.ln() / slowest.ln()) * HEIGHT * 10.0).round() / 10.0;
    let step = WIDTH / all.len().max(1) as f64;
    // The tier that is not recorded has a class of its own.
    let class = |tier: Option<u8>| tier.unwrap_or(4);
    let dot = |(place, one): (usize, &Ranked)| Dot {
        x: ((place as f64 + 0.5) * step * 10.0).round() / 10.0,
        y: y(one.ratio),
        tier: class(one.tier),
        about: format!("{}: {}x, {}", place + 1, ratio(one.ratio), ranked(one)),
    };
    let tiers: BTreeMap<u8, String> = all.iter().map(|one| (class(one.tier), tier_words(one.tier))).collect();
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0];
    Dots {
        dots: all.iter().enumerate().map(dot).collect(),
        ticks: steps.into_iter().filter(|at| *at <= slowest).map(|at| (y(at), format!("{at}x"))).collect(),
        tiers: tiers.into_iter().rev().collect(),
    }
}

/// The analysis as a page.
fn page(effects: &GridEffects, command: &str) -> Result<String, minijinja::Error> {
    let all = effects.factors.iter().flat_map(|factor| &factor.effects);
    let reach = charts::reach(all.filter_map(|effect| effect.found.as_ref()));
    let rows = |factor: &Factor| {
        let row = |effect: &ValueEffect| EffectRow {
            cells: [
                format!("{} against {}", effect.value, factor.first),
                shown(effect, |found| ratio(found.ratio)),
                shown(effect, interval),
                effect.pairs.to_string(),
                verdict(effect),
            ],
            forest: effect.found.as_ref().map(|found| charts::forest(found, reach)),
        };
        FactorRows {
            headline: headline(factor),
            share: factor.share * 100.0,
            rows: factor.effects.iter().map(row).collect(),
        }
    };
    let placed = |(place, one): (usize, &Ranked)| {
        let values: Vec<String> = one.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        [place.to_string(), ratio(one.ratio), duration(one.median_ns), tier_words(one.tier), values.join(" ")]
    };
    let page = EffectsPage {
        effects,
        title: title(effects),
        what: what(effects),
        left: left(effects),
        command,
        version: env!("CARGO_PKG_VERSION"),
        factors: effects.factors.iter().map(rows).collect(),
        best: effects
            .best
            .iter()
            .map(|best| [tier_words(best.tier), best.of.to_string(), ranked(&best.configuration)])
            .collect(),
        ranked: (1..).zip(&effects.ranked).map(placed).collect(),
        chart: dots(&effects.ranked),
    };
    let mut environment = Environment::new();
    environment.add_template("effects.html", TEMPLATE)?;
    environment.get_template("effects.html")?.render(Serde(&page))
}
