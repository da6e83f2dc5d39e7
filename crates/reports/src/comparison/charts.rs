//! The charts of a comparison, as sections of pages.

use super::{SideNames, Wording, scaling, words};
use crate::sheet::{Chart, ChartAxis, ChartKind, ChartMark, ChartSeries, ChartTick, Scale, Section, SeriesStyle, Tone};
use dbdyno_comparing::compare::{
    Comparison, CurveFamily, Figure, JudgedRatio, Latency, Line, ScalingCurve, ScalingFound, ScalingPoint, SideName,
    TestKey, by_test,
};
use dbdyno_engine::size::Size;
use dbdyno_foundation::{
    base::units::{counted, duration},
    metric::Metric,
};
use dbdyno_stats::median;
use std::collections::BTreeMap;

/// The most values of a side that are drawn: more cannot be distinguished.
const MOST_A_SIDE: usize = 200;
/// The most values on a page, so that a browser can show it at once.
const MOST_ON_PAGE: usize = 40_000;
/// The fewest values of a side that show a distribution.
const LEAST_A_SIDE: usize = 6;
/// The number of lines from which their charts are folded.
const MANY: usize = 60;
/// The share of an axis that a label below it needs: for a size, and for a value of an option.
const SIZE_ROOM: f64 = 0.17;
const VALUE_ROOM: f64 = 0.13;
/// Room at both ends of an axis of sizes.
const END_ROOM: f64 = 0.05;
/// Buckets of latencies per power of ten.
const PER_DECADE: u32 = 20;

/// The drawing styles of the sides.
const SIDES: &str = "A filled, B hollow and dashed";

/// Returns the sections of charts of a comparison.
pub(super) fn sections(comparison: &Comparison) -> impl Iterator<Item = Section> {
    let of = |heading: &str, about: String, charts: Vec<Chart>| {
        let (heading, before) = (Some(heading.to_owned()), vec![about]);
        (!charts.is_empty()).then(|| Section { heading, before, charts, ..Section::default() })
    };
    let wording = Wording::of(comparison);
    let sizes = "Medians of the runs at each size, and the range of the runs as a bar.";
    let both = of(
        "Over sizes: both sides",
        format!("{sizes} {SIDES}. Sizes that are single numbers are on a log scale."),
        by_tests(comparison, |title, lines| both_sides(title, &lines, &wording)),
    );
    let [below, above] = wording.directions();
    let name = wording.sides.ratio();
    let ratios = of(
        &format!("Over sizes: {name}"),
        format!(
            "{name} on a log scale, below 1: {below}, above 1: {above}. ● the ratio at a size, with its interval; ◇ the median of the sizes."
        ),
        by_tests(comparison, |title, lines| ratios(title, &lines, &name)),
    );
    let folded = comparison.lines.iter().filter(|line| line.a.is_some() || line.b.is_some()).count() > MANY;
    let latencies = comparison.lines.iter().filter(|line| line.found.is_some()).filter_map(|line| {
        let latency = |figure: &'_ Option<Figure>| figure.as_ref().and_then(|figure| figure.latency.clone());
        Some(latencies(line, [&latency(&line.a)?, &latency(&line.b)?], &wording.sides))
    });
    let latencies = of(
        "Latency of operations",
        "Share of operations by latency, log scale. A filled, B dashed.".to_owned(),
        latencies.collect(),
    );
    let latencies = latencies.map(|section| match folded {
        true => Section {
            tone: Tone::OnPage,
            heading: Some(format!("The latencies of {}", counted(section.charts.len(), "line"))),
            ..section
        },
        false => section,
    });
    both.into_iter().chain(ratios).chain(every_run(comparison, &wording)).chain(latencies)
}

/// Builds a chart for each test that has one.
fn by_tests(comparison: &Comparison, chart: impl Fn(String, Vec<&Line>) -> Option<Chart>) -> Vec<Chart> {
    let of_test = |(TestKey { part, test, name }, lines): (TestKey<'_>, Vec<&Line>)| {
        chart(format!("{test} {name} {}", words::part(part)).trim_end().to_owned(), lines)
    };
    by_test(&comparison.lines).into_iter().filter_map(|(key, lines)| of_test((key, lines))).collect()
}

/// Returns a line's name for a chart with lines of several sizes and parts.
fn title(line: &Line) -> String {
    format!("{} {} · size {} {}", line.test, line.name, line.size, words::part(&line.part)).trim_end().to_owned()
}

/// Returns what a side is called.
fn called(side: SideName, sides: &SideNames) -> &str {
    if side == SideName::A { &sides.a } else { &sides.b }
}

fn style(side: SideName) -> SeriesStyle {
    if side == SideName::A { SeriesStyle::A } else { SeriesStyle::B }
}

/// Returns the sides of a line that have values.
fn sides(line: &Line) -> impl Iterator<Item = (SideName, &Figure)> {
    let sides = [(SideName::A, &line.a), (SideName::B, &line.b)];
    sides.into_iter().filter_map(|(name, side)| Some((name, side.as_ref()?)))
}

/// Draws the values of every run, in the order of the runs.
fn every_run(comparison: &Comparison, wording: &Wording) -> Option<Section> {
    let lines: Vec<&Line> = comparison.lines.iter().filter(|line| sides(line).next().is_some()).collect();
    let most = (MOST_ON_PAGE / 2 / lines.len().max(1)).min(MOST_A_SIDE);
    let lines_of = counted(lines.len(), "line");
    if most < LEAST_A_SIDE {
        let left_out = format!("The runs of {lines_of} are too many for a page: CSV and JSON have them.");
        return Some(Section {
            before: vec![left_out],
            heading: Some("Every run".to_owned()),
            tone: Tone::OnPage,
            ..Section::default()
        });
    }
    let thinned = lines.iter().flat_map(|line| sides(line)).any(|(_, side)| side.values.len() > most);
    let is_paired = lines.iter().filter_map(|line| line.found.as_ref()).any(|found| found.paired);
    let pairs = if is_paired { "; runs of a pair are beside each other" } else { "" };
    let about =
        format!("The value of each run, in the order of the runs of its side{pairs}; lines are medians. {SIDES}.");
    let left_out = thinned.then(|| {
        format!("If a side has more than {most} runs, only {most} are drawn, including the smallest and the largest; medians are of all runs.")
    });
    let is_folded = lines.len() > MANY;
    let heading = if is_folded { format!("The runs of {lines_of}") } else { "Every run".to_owned() };
    (!lines.is_empty()).then(|| Section {
        tone: if is_folded { Tone::OnPage } else { Tone::Plain },
        heading: Some(heading),
        before: [about].into_iter().chain(left_out).collect(),
        charts: lines.iter().map(|line| runs(line, wording, most)).collect(),
        ..Section::default()
    })
}

fn runs(line: &Line, wording: &Wording, most: usize) -> Chart {
    let metric = wording.metric;
    let count = sides(line).map(|(_, side)| side.values.len()).max().unwrap_or(0).max(1);
    let word = if line.found.as_ref().is_some_and(|found| found.paired) { "pair" } else { "run" };
    let end = count as f64 + 0.5;
    let series = |(name, side): (SideName, &Figure)| {
        // Side by side, so that equal values of a pair are both visible.
        let aside = if name == SideName::A { -1.0 } else { 1.0 } * (count as f64 / 130.0).min(0.2);
        let mark = |at: usize| ChartMark {
            x: at as f64 + 1.0 + aside,
            y: side.values[at],
            range: None,
            about: format!("{}, {word} {}: {}", called(name, &wording.sides), at + 1, metric.shown(side.values[at])),
        };
        ChartSeries {
            name: called(name, &wording.sides).to_owned(),
            line: vec![(0.5, side.median), (side.values.len() as f64 + 0.5, side.median)],
            line_about: format!("median of {}: {}", called(name, &wording.sides), metric.shown(side.median)),
            ..ChartSeries::marks(style(name), drawn(&side.values, most).into_iter().map(mark).collect())
        }
    };
    let run = |at: usize| ChartTick { at: at as f64, label: format!("{word} {at}") };
    let notes: Vec<String> =
        sides(line).map(|(name, side)| about(called(name, &wording.sides), side, metric)).collect();
    let values = sides(line).flat_map(|(_, side)| side.values.iter().copied());
    Chart {
        kind: ChartKind::Runs,
        name: title(line),
        about: format!("Runs. {}", notes.join(". ")),
        across: ChartAxis {
            scale: Scale::straight(0.5, end),
            ticks: if count > 1 { vec![run(1), run(count)] } else { vec![run(1)] },
        },
        up: ChartAxis::labelled(Scale::over(values, metric), |value| metric.shown(value)),
        series: sides(line).map(series).collect(),
        notes,
    }
}

/// `lmdb: median 1.00 ms, 985 µs to 1.02 ms, 8 runs`.
fn about(name: &str, side: &Figure, metric: Metric) -> String {
    let [least, most] = extremes(&side.values).map(|value| metric.shown(value));
    format!("{name}: median {}, {least} to {most}, {}", metric.shown(side.median), counted(side.values.len(), "run"))
}

/// Returns the least and the greatest value.
fn extremes(values: &[f64]) -> [f64; 2] {
    [values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

/// Returns the indices of the drawn values: all, or `most` at even distances, including the least and the greatest.
fn drawn(values: &[f64], most: usize) -> Vec<usize> {
    if values.len() <= most {
        return (0..values.len()).collect();
    }
    let order = |one: &usize, other: &usize| values[*one].total_cmp(&values[*other]);
    let ends = [(0..values.len()).min_by(order), (0..values.len()).max_by(order)];
    let even = most.saturating_sub(2).max(2);
    let mut places: Vec<usize> = (0..even).map(|at| at * (values.len() - 1) / (even - 1)).collect();
    places.extend(ends.into_iter().flatten());
    places.sort_unstable();
    places.dedup();
    places
}

/// Draws the values of both sides of a test over its sizes.
fn both_sides(name: String, lines: &[&Line], wording: &Wording) -> Option<Chart> {
    let metric = wording.metric;
    let lines: Vec<&Line> = lines.iter().copied().filter(|line| sides(line).next().is_some()).collect();
    if lines.len() < 2 {
        return None;
    }
    let (scale, places) = size_axis(&lines);
    let mark = |line: &Line, x: f64, name: SideName, side: &Figure| {
        let [least, most] = extremes(&side.values);
        let [median, from, to] = [side.median, least, most].map(|value| metric.shown(value));
        let name = called(name, &wording.sides);
        let about = format!("{name}, size {}: {median}, runs {from} to {to}", line.size);
        ChartMark { x, y: side.median, range: Some((least, most)), about }
    };
    let series = |name: SideName, side: fn(&Line) -> Option<&Figure>| {
        let marks = lines.iter().zip(&places).filter_map(|(line, x)| Some(mark(line, *x, name, side(line)?)));
        let name_shown = called(name, &wording.sides).to_owned();
        ChartSeries { name: name_shown, ..ChartSeries::joined(style(name), marks.collect()) }
    };
    let values = lines.iter().flat_map(|line| sides(line)).flat_map(|(_, side)| side.values.iter().copied());
    let series = vec![series(SideName::A, |line| line.a.as_ref()), series(SideName::B, |line| line.b.as_ref())];
    let labels = lines.iter().zip(&places).map(|(line, at)| (*at, line.size.clone()));
    Some(Chart {
        kind: ChartKind::Growth,
        about: described(&format!("{name} over sizes"), &series),
        name,
        across: ChartAxis::spaced(scale, labels, SIZE_ROOM),
        up: ChartAxis::labelled(Scale::over(values, metric), |value| metric.shown(value)),
        series,
        notes: Vec::new(),
    })
}

/// Joins the texts of all marks of a chart.
fn described(name: &str, series: &[ChartSeries]) -> String {
    let marks: Vec<&str> = series.iter().flat_map(|series| &series.marks).map(|mark| mark.about.as_str()).collect();
    format!("{name}: {}", marks.join("; "))
}

/// Returns an axis of sizes, and the positions of the sizes: by their logarithms, or in equal steps if they are not single numbers.
fn size_axis(lines: &[&Line]) -> (Scale, Vec<f64>) {
    let single = |line: &&Line| line.size.parse::<Size>().ok().filter(|size| size.second.is_none());
    let room = |share: f64| END_ROOM + share * (1.0 - 2.0 * END_ROOM);
    let places = match lines.iter().map(single).collect::<Option<Vec<Size>>>() {
        Some(sizes) => {
            let scale = Scale::logarithmic(sizes.iter().map(|size| size.first as f64));
            sizes.iter().map(|size| room(scale.share(size.first as f64))).collect()
        }
        None => {
            let last = (lines.len() - 1).max(1) as f64;
            (0..lines.len()).map(|at| room(at as f64 / last)).collect()
        }
    };
    (Scale::straight(0.0, 1.0), places)
}

/// Draws the ratios of a test that was compared at two sizes or more.
fn ratios(name: String, lines: &[&Line], ratio_name: &str) -> Option<Chart> {
    let lines: Vec<(&Line, &JudgedRatio)> =
        lines.iter().filter_map(|line| Some((*line, line.found.as_ref()?))).collect();
    let ratios: Vec<f64> = lines.iter().map(|(_, found)| found.ratio).collect();
    let median = median(&ratios).ok().filter(|_| lines.len() > 1)?;
    let ends = |found: &JudgedRatio| found.interval.map_or((found.ratio, found.ratio), |range| (range.low, range.high));
    let mark = |(at, (line, found)): (usize, &(&Line, &JudgedRatio))| ChartMark {
        x: at as f64,
        y: found.ratio,
        range: Some(ends(found)),
        about: format!(
            "size {}: {ratio_name} {}, 95 % {}",
            line.size,
            words::ratio(found.ratio),
            words::interval(found)
        ),
    };
    let last = lines.len() as f64;
    let of_median =
        ChartMark { x: last, y: median, range: None, about: format!("median of the sizes: {}", words::ratio(median)) };
    let series = vec![
        ChartSeries::marks(SeriesStyle::Plain, lines.iter().enumerate().map(mark).collect()),
        ChartSeries::marks(SeriesStyle::Mean, vec![of_median]),
    ];
    let sizes = lines.iter().enumerate().map(|(at, (line, _))| (at as f64, line.size.clone()));
    let labels = sizes.chain([(last, "median".to_owned())]);
    let all = lines.iter().flat_map(|(_, found)| [ends(found).0, ends(found).1, found.ratio]).chain([1.0]);
    let up = Scale::logarithmic(all);
    let readable = |end: &f64| (up.share(*end) - up.share(1.0)).abs() > 0.2;
    let ticks: Vec<f64> = [1.0].into_iter().chain(up.ticks.iter().copied().filter(readable)).collect();
    Some(Chart {
        kind: ChartKind::Ratios,
        about: described(&format!("{ratio_name} by size, {name}"), &series),
        name,
        across: ChartAxis::spaced(Scale::straight(-0.5, last + 0.5), labels, VALUE_ROOM),
        up: ChartAxis::labelled(up.with_ticks(ticks), words::ratio),
        series,
        notes: Vec::new(),
    })
}

/// Draws the latencies of both sides, one on top of the other.
fn latencies(line: &Line, [a, b]: [&Latency; 2], sides: &SideNames) -> Chart {
    let ends = || a.buckets.iter().chain(&b.buckets).map(|bucket| bucket.end);
    let first = ends().min().unwrap_or(1).saturating_sub(1);
    let last = ends().max().unwrap_or(1).max(first + 1);
    let share = |latency: &Latency, operations: u64| operations as f64 / latency.operations as f64;
    let tallest =
        |latency: &Latency| latency.buckets.iter().map(|bucket| share(latency, bucket.operations)).fold(0.0, f64::max);
    let outline = |latency: &Latency| {
        let counts: BTreeMap<u32, u64> = latency.buckets.iter().map(|bucket| (bucket.end, bucket.operations)).collect();
        let step = |end: u32| {
            let height = share(latency, counts.get(&end).copied().unwrap_or(0));
            [(f64::from(end - 1), height), (f64::from(end), height)]
        };
        let steps = (first + 1..=last).flat_map(step);
        [(f64::from(first), 0.0)].into_iter().chain(steps).chain([(f64::from(last), 0.0)]).collect()
    };
    let area = |name: SideName, latency: &Latency| ChartSeries {
        is_area: true,
        name: called(name, sides).to_owned(),
        ..ChartSeries::line(style(name), outline(latency))
    };
    let quantile = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64));
    let about = |name, of: &Latency| {
        format!("{}: p50 {}, p99 {}", called(name, sides), quantile(of.p50_ns), quantile(of.p99_ns))
    };
    let notes = vec![about(SideName::A, a), about(SideName::B, b)];
    let most = tallest(a).max(tallest(b)).max(f64::MIN_POSITIVE);
    let decade = |decade: u32| ChartTick {
        at: f64::from(decade * PER_DECADE),
        label: duration(10_f64.powi(decade as i32)).replace(".00", "").replace(".0", ""),
    };
    Chart {
        kind: ChartKind::Latency,
        name: title(line),
        about: format!("Latencies. {}", notes.join(". ")),
        across: ChartAxis {
            scale: Scale::straight(first.into(), last.into()),
            ticks: (first.div_ceil(PER_DECADE)..=last / PER_DECADE).map(decade).collect(),
        },
        up: ChartAxis::labelled(Scale::straight(0.0, most).with_ticks(vec![most]), |share| {
            format!("{:.0} %", share * 100.0)
        }),
        series: vec![area(SideName::A, a), area(SideName::B, b)],
        notes,
    }
}

/// Draws a test along an axis: the points and fitted lines of both sides, on logarithmic axes.
pub(super) fn growth_law(family: &CurveFamily<'_>) -> Chart {
    let points = || family.curves.iter().flat_map(|curve| &curve.points);
    let lines = family.curves.iter().flat_map(corners).map(|(_, figure)| figure);
    let mut values: Vec<&ScalingPoint> = points().collect();
    values.sort_by(|one, other| one.x.total_cmp(&other.x));
    let labels = values.iter().map(|point| (point.x, point.value.clone()));
    let label = |figure: f64| family.curves.first().map_or(String::new(), |curve| scaling::figure(curve, figure));
    let mark = |curve: &ScalingCurve, point: &ScalingPoint| ChartMark {
        x: point.x,
        y: point.figure,
        range: None,
        about: format!(
            "{} {}={}: {}",
            scaling::side(curve),
            curve.axis,
            point.value,
            scaling::figure(curve, point.figure)
        ),
    };
    let series = |curve: &ScalingCurve| ChartSeries {
        line: corners(curve).collect(),
        ..ChartSeries::marks(style(curve.side), curve.points.iter().map(|point| mark(curve, point)).collect())
    };
    let notes: Vec<String> =
        family.curves.iter().map(|curve| format!("{}: {}", scaling::side(curve), scaling::growth(curve))).collect();
    Chart {
        kind: ChartKind::Scaling,
        name: format!("{} · {}", scaling::name(family), family.axis),
        about: notes.join("; "),
        across: ChartAxis::spaced(Scale::logarithmic(points().map(|point| point.x)), labels, VALUE_ROOM),
        up: ChartAxis::labelled(Scale::logarithmic(points().map(|point| point.figure).chain(lines)), label),
        series: family.curves.iter().map(series).collect(),
        notes,
    }
}

/// Returns the ends and the knee of the fitted line.
pub fn corners(curve: &ScalingCurve) -> impl Iterator<Item = (f64, f64)> {
    let segments = match &curve.found {
        ScalingFound::Fitted { segments, .. } => segments.as_slice(),
        _ => &[],
    };
    let first = segments.first().map(|segment| segment.from);
    first.into_iter().chain(segments.iter().map(|segment| segment.to)).map(|corner| (corner.x, corner.figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_of_many_values_has_the_first_the_last_and_the_extremes() {
        let mut values: Vec<f64> = (0..1000).map(|at| f64::from(at % 7)).collect();
        (values[333], values[334]) = (100.0, -1.0);
        let places = drawn(&values, 200);
        assert!((199..=200).contains(&places.len()) && places.is_sorted(), "{places:?}");
        assert!([0, 333, 334, 999].iter().all(|place| places.contains(place)), "{places:?}");
        assert_eq!(drawn(&values[..5], 6), [0, 1, 2, 3, 4]);
    }
}
