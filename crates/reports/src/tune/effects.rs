//! What matters how much in a grid: a sheet, and one HTML page that needs nothing else.

use super::effects_words::{best, headline, interactions, left, pairs, ranked, title, verdict, what};
use crate::{
    comparison::{
        charts::{self, Forest},
        words::{interval, ratio},
    },
    format::{Format, WriteError},
    sheet::{self, Cell, Column, Role, Row, Section, Sheet, Table},
};
use dbdyno_foundation::base::{csv::Cells, units::duration};
use dbdyno_running::tune::effects::{Factor, GridEffects, Ranked, ValueEffect};
use dbdyno_store::tier_words;
use minijinja::{Environment, value::Serde};
use serde::Serialize;
use std::collections::BTreeMap;

const TEMPLATE: &str = include_str!("../../assets/effects.html");
/// Configurations that the text's ranking shows, at either end.
const SHOWN: usize = 5;

/// The analysis as text.
pub fn effects_text(effects: &GridEffects) -> String {
    sheet::text(&sheet(effects, ""))
}

/// The analysis in a format. `cells`: what those of CSV are written as; `command`: what asked for it.
///
/// # Errors
/// Why it could not be written.
pub fn effects_written(
    effects: &GridEffects,
    (format, cells): (Format, Cells),
    command: &str,
) -> Result<String, WriteError> {
    match format {
        // It has a chart of all configurations, and the means of what interacts.
        Format::Html => Ok(page(effects, command)?),
        format => sheet::written(&sheet(effects, command), effects, format, cells),
    }
}

/// The analysis as a sheet; a record for each value of an option.
fn sheet(effects: &GridEffects, command: &str) -> Sheet {
    let heading = Section { heading: Some(title(effects)), before: vec![what(effects)], ..Section::default() };
    let matters = Section { table: Some(matters(effects)), ..Section::default() };
    let best = Section {
        heading: Some("best of each tier (chosen among many, so partly lucky: confirm it with a trial)".to_owned()),
        before: best(effects).into_iter().map(|line| format!("  {line}")).collect(),
        ..Section::default()
    };
    Sheet {
        title: title(effects),
        sections: vec![heading, matters, Section::lines(interactions(effects)), best, ranking(effects)],
        records: Some(records(effects)),
        command: command.to_owned(),
    }
}

fn matters(effects: &GridEffects) -> Table {
    let columns = [
        ("value", "value", Role::Name),
        ("ratio", "ratio", Role::Figure),
        ("interval", "95 %", Role::Interval),
        ("pairs", "pairs", Role::Figure),
        ("verdict", "verdict", Role::Verdict),
    ];
    let of_factor = |factor: &Factor| {
        let row = |effect: &ValueEffect| {
            Row::Cells(
                [
                    format!("{} against {}", effect.value, factor.first),
                    shown(effect, |found| ratio(found.ratio)),
                    shown(effect, interval),
                    pairs(effect),
                    verdict(effect),
                ]
                .map(Cell::new)
                .to_vec(),
            )
        };
        [Row::Title(headline(factor))].into_iter().chain(factor.effects.iter().map(row)).collect::<Vec<_>>()
    };
    Table {
        columns: Column::all(columns),
        rows: effects.factors.iter().flat_map(of_factor).collect(),
        indent: 2,
        ..Table::default()
    }
}

fn records(effects: &GridEffects) -> Table {
    const COLUMNS: [&str; 10] =
        ["option", "share", "shown", "first", "value", "ratio", "low", "high", "p_adjusted", "pairs"];
    let of_factor = |factor: &Factor| {
        let record = |effect: &ValueEffect| {
            let found = effect.found.as_ref();
            let range = found.and_then(|found| found.interval);
            Row::Cells(vec![
                Cell::new(&factor.option),
                Cell::number(Some(factor.share)),
                Cell::new(factor.shown.to_string()),
                Cell::new(&factor.first),
                Cell::new(&effect.value),
                Cell::number(found.map(|found| found.ratio)),
                Cell::number(range.map(|range| range.low)),
                Cell::number(range.map(|range| range.high)),
                Cell::number(found.and_then(|found| found.p_adjusted)),
                Cell::new(effect.pairs.to_string()),
            ])
        };
        factor.effects.iter().map(record).collect::<Vec<_>>()
    };
    Table::records(COLUMNS, effects.factors.iter().flat_map(of_factor))
}

fn shown(effect: &ValueEffect, show: impl Fn(&dbdyno_comparing::compare::JudgedRatio) -> String) -> String {
    effect.found.as_ref().map_or_else(|| "-".to_owned(), show)
}

fn ranking(effects: &GridEffects) -> Section {
    let columns = [
        ("place", "place", Role::Figure),
        ("ratio", "time / fastest", Role::Figure),
        ("tier", "tier", Role::Name),
        ("configuration", "configuration", Role::Name),
    ];
    let all = effects.ranked.len();
    let row = |(place, one): (usize, &Ranked)| {
        let left_out = all > 2 * SHOWN && place == SHOWN + 1;
        let left_out = left_out
            .then(|| Row::Title(format!("... {} more; the formats json and html have every one", all - 2 * SHOWN)));
        let cells = [place.to_string(), ratio(one.ratio), tier_words(one.tier), ranked(one)];
        let is_shown = place <= SHOWN || place + SHOWN > all;
        left_out.into_iter().chain(is_shown.then(|| Row::Cells(cells.map(Cell::new).to_vec())))
    };
    Section {
        heading: Some("ranking (time / time of the fastest)".to_owned()),
        table: Some(Table {
            columns: Column::all(columns),
            rows: (1..).zip(&effects.ranked).flat_map(row).collect(),
            ..Table::default()
        }),
        ..Section::default()
    }
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
