//! The effects of options in a grid, by importance, as a sheet.

use super::effects_words::{best, headline, interactions, pairs, ranked, title, verdict, what};
use crate::{
    comparison::words::{estimate, interval, ratio, sense},
    sheet::{
        Cell, Chart, ChartAxis, ChartKind, ChartMark, ChartSeries, Column, ColumnRole, Row, Scale, Section,
        SeriesStyle, Sheet, Table, TableStyle, Tone, text,
    },
};
use dbdyno_running::tune::effects::{Factor, GridEffects, RankedConfiguration, ValueEffect};
use dbdyno_store::tier_words;
use std::collections::BTreeMap;

/// The number of configurations that the text's ranking shows, at either end.
const SHOWN: usize = 5;

/// Returns the analysis as text.
pub fn effects_text(effects: &GridEffects) -> String {
    text(&effects_sheet(effects, ""), TableStyle::FILE)
}

/// Builds the analysis as a sheet, with a record for each value of an option. `command`: the command that requested it.
pub fn effects_sheet(effects: &GridEffects, command: &str) -> Sheet {
    let heading = Section { heading: Some(title(effects)), before: vec![what(effects)], ..Section::default() };
    let matters = Section { table: Some(matters(effects)), ..Section::default() };
    let best = Section {
        heading: Some("best of each tier (chosen among many, so partly lucky: confirm it with a trial)".to_owned()),
        before: best(effects).into_iter().map(|line| format!("  {line}")).collect(),
        ..Section::default()
    };
    Sheet {
        title: title(effects),
        sections: [heading, matters, Section::lines(interactions(effects)), best, ranking(effects)]
            .into_iter()
            .chain(all_ranked(effects))
            .collect(),
        records: Some(records(effects)),
        command: command.to_owned(),
    }
}

fn matters(effects: &GridEffects) -> Table {
    let columns = [
        ("value", "value", ColumnRole::Name),
        ("ratio", "ratio", ColumnRole::Figure),
        ("interval", "95 %", ColumnRole::Interval),
        ("bar", "", ColumnRole::Bar),
        ("pairs", "pairs", ColumnRole::Figure),
        ("verdict", "verdict", ColumnRole::Verdict),
    ];
    let of_factor = |factor: &Factor| {
        let row = |effect: &ValueEffect| {
            Row::Cells(vec![
                Cell::new(format!("{} against {}", effect.value, factor.first)),
                Cell::new(shown(effect, |found| ratio(found.ratio))),
                Cell::new(shown(effect, interval)),
                Cell { interval: effect.found.as_ref().map(estimate), ..Cell::default() },
                Cell::new(pairs(effect)),
                Cell::new(verdict(effect)).sensed(sense(effect.found.as_ref().map(|found| found.verdict))),
            ])
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

/// The columns of the ranking, which shows which change matters most.
const RANKING: [(&str, &str, ColumnRole); 4] = [
    ("place", "place", ColumnRole::Figure),
    ("ratio", "time / fastest", ColumnRole::Figure),
    ("tier", "tier", ColumnRole::Name),
    ("configuration", "configuration", ColumnRole::Name),
];

fn ranking(effects: &GridEffects) -> Section {
    let all = effects.ranked.len();
    let row = |(place, one): (usize, &RankedConfiguration)| {
        let left_out = all > 2 * SHOWN && place == SHOWN + 1;
        let left_out = left_out.then(|| Row::Title(format!("... {} more; json and html list all", all - 2 * SHOWN)));
        let cells = [place.to_string(), ratio(one.ratio), tier_words(one.tier), ranked(one)];
        let is_shown = place <= SHOWN || place + SHOWN > all;
        left_out.into_iter().chain(is_shown.then(|| Row::Cells(cells.map(Cell::new).to_vec())))
    };
    Section {
        heading: Some("ranking (time / time of the fastest)".to_owned()),
        table: Some(Table {
            columns: Column::all(RANKING),
            rows: (1..).zip(&effects.ranked).flat_map(row).collect(),
            ..Table::default()
        }),
        ..Section::default()
    }
}

/// Ranks every configuration, on pages: a chart of its place and its time / time of the fastest on a log axis, and the table.
fn all_ranked(effects: &GridEffects) -> impl Iterator<Item = Section> {
    let mark = |(place, one): (usize, &RankedConfiguration)| ChartMark {
        x: place as f64,
        y: one.ratio,
        range: None,
        about: format!("{place}: {}x, {}", ratio(one.ratio), ranked(one)),
    };
    let mut tiers: BTreeMap<Option<u8>, Vec<ChartMark>> = BTreeMap::new();
    for (place, one) in (1..).zip(&effects.ranked) {
        tiers.entry(one.tier).or_default().push(mark((place, one)));
    }
    let series = |(tier, marks): (Option<u8>, Vec<ChartMark>)| ChartSeries {
        name: tier_words(tier),
        ..ChartSeries::marks(SeriesStyle::Tier(tier), marks)
    };
    let slowest = effects.ranked.iter().map(|one| one.ratio).fold(1.1, f64::max);
    let chart = Chart {
        kind: ChartKind::Ranking,
        name: "Every configuration, the fastest on the left".to_owned(),
        about: "The ranking as a chart".to_owned(),
        across: ChartAxis { scale: Scale::straight(0.5, effects.ranked.len() as f64 + 0.5), ticks: Vec::new() },
        up: ChartAxis::labelled(Scale::of_ratios(1.0, slowest), |ratio| {
            format!("{ratio:.3}").trim_end_matches('0').trim_end_matches('.').to_owned() + "x"
        }),
        series: tiers.into_iter().rev().map(series).collect(),
        notes: vec!["height: time / time of the fastest".to_owned()],
    };
    let row = |(place, one): (usize, &RankedConfiguration)| {
        Row::texts([place.to_string(), ratio(one.ratio), tier_words(one.tier), ranked(one)])
    };
    let table = (effects.ranked.len() > 2 * SHOWN).then(|| Table {
        columns: Column::all(RANKING),
        rows: (1..).zip(&effects.ranked).map(row).collect(),
        is_headed: true,
        ..Table::default()
    });
    let heading = Some("the whole ranking".to_owned());
    let table = table.map(|table| Section { tone: Tone::OnPage, heading, ..Section::table(table) });
    [Section { charts: vec![chart], ..Section::default() }].into_iter().chain(table)
}
