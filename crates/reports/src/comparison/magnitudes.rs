//! Configurations beside their reference, as bars: by the geometric mean of all tests that can be compared.

use super::{
    ratios::{as_much, factors, gain, times},
    several,
    wording::Wording,
    words::comparatives,
};
use crate::sheet::{BarInterval, Cell, Column, ColumnRole, Row, Section, Table, magnitude};
use dbdyno_comparing::compare::{Comparison, RatioForm};
use dbdyno_foundation::metric::Better;

/// The length of the longest bar of text, in characters.
const LONGEST: usize = 30;

/// Builds the bars of the sides of one reference, the best first. None if nothing is comparable, there is no better and worse, or another
/// view than the table of tests was asked for.
pub(super) fn magnitudes(sides: &[Comparison]) -> Option<Section> {
    let first = sides.first().filter(|side| side.metric.better() != Better::Neither)?;
    if first.pivot.is_some() || first.by_size.is_some() || first.scaling.is_some() || first.ratios != RatioForm::Words {
        return None;
    }
    let metric = first.metric;
    let tests = sides.iter().flat_map(|side| &side.means).map(|mean| mean.tests).sum::<usize>();
    let names = |side: &Comparison| match sides.len() {
        1 => Wording::of(side).sides.a,
        _ => several::name(&side.a),
    };
    let bar = |side: &Comparison| {
        let (ratio, interval) = side.whole()?;
        let [low, high] = interval.map_or([ratio; 2], |range| [range.low, range.high]).map(|end| gain(end, metric));
        Some((names(side), BarInterval { at: gain(ratio, metric), low: low.min(high), high: low.max(high) }))
    };
    let mut bars: Vec<(String, BarInterval)> = sides.iter().filter_map(bar).collect();
    if bars.is_empty() {
        return None;
    }
    let reference = if sides.len() == 1 { Wording::of(first).sides.b } else { several::name(&first.b) };
    bars.push((reference.clone(), BarInterval { at: 1.0, low: 1.0, high: 1.0 }));
    let is_speed = comparatives(metric).0 == "faster";
    bars.sort_by(|(_, one), (_, next)| if is_speed { next.at.total_cmp(&one.at) } else { one.at.total_cmp(&next.at) });
    let most = bars.iter().map(|(_, interval)| interval.high).fold(f64::MIN_POSITIVE, f64::max);
    let row = |(name, interval): (String, BarInterval)| {
        let range = match interval.low < interval.high {
            true => format!(" ({})", factors([interval.low, interval.high])),
            false => String::new(),
        };
        Row::Cells(vec![
            Cell::new(name.clone()),
            Cell { interval: Some(interval), ..Cell::new(magnitude(interval, LONGEST, most)) },
            Cell::new(if name == reference { "1".to_owned() } else { times(interval.at) + &range }),
        ])
    };
    let mean = if tests > 1 { ", geometric mean" } else { "" };
    let title = format!("Times {} as {reference}{mean}:", as_much(metric));
    let columns = [
        ("configuration", "", ColumnRole::Name),
        ("bar", "", ColumnRole::Magnitude),
        ("factor", "", ColumnRole::Interval),
    ];
    let table = Table { columns: Column::all(columns), rows: bars.into_iter().map(row).collect(), ..Table::default() };
    Some(Section { before: vec![title], ..Section::table(table) })
}
