//! The geometry of the HTML report's charts: plain numbers that the template puts into SVG.

use super::words;
use dbdyno_comparing::compare::{Comparison, Figure, JudgedRatio, Latency, Line, TestKey, by_test};
use dbdyno_foundation::base::units::duration;
use dbdyno_stats::median;
use serde::Serialize;
use std::collections::BTreeMap;

/// An interval beside the line of no difference, in a box of 100 by 20.
#[derive(Debug, Serialize)]
pub struct Forest {
    low: f64,
    high: f64,
    at: f64,
}

/// A test's ratio over its sizes.
#[derive(Debug, Serialize)]
pub(super) struct SizePanel {
    title: String,
    points: Vec<Point>,
    /// The median of the sizes.
    median: Point,
    grid: Vec<Tick>,
}

/// A ratio at a size.
#[derive(Debug, Serialize)]
struct Point {
    x: f64,
    y: f64,
    /// Ends of the interval; the ratio itself where there is none.
    low: f64,
    high: f64,
    label: String,
    text: String,
}

/// A line of an axis with its label.
#[derive(Debug, Serialize)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// The latencies of A and B over each other.
#[derive(Debug, Serialize)]
pub(super) struct LatencyPanel {
    title: String,
    /// Outlines, as SVG paths.
    a: String,
    b: String,
    ticks: Vec<Tick>,
    /// Medians and 99th percentiles in words.
    about: Vec<String>,
}

/// Width and height of a panel's plot; the template adds margins.
pub(super) const WIDTH: f64 = 260.0;
pub(super) const HEIGHT: f64 = 110.0;

/// The farthest ratio from 1 that is drawn, as a factor.
pub fn reach<'f>(found: impl Iterator<Item = &'f JudgedRatio>) -> f64 {
    let away = |ratio: f64| ratio.max(1.0 / ratio);
    let ends = |found: &JudgedRatio| found.interval.map_or(1.0, |interval| away(interval.low).max(away(interval.high)));
    found.map(|found| away(found.ratio).max(ends(found))).fold(1.1, f64::max).min(1e6)
}

/// The forest line of a comparison.
pub fn forest(found: &JudgedRatio, reach: f64) -> Forest {
    let x = |ratio: f64| rounded((50.0 + 48.0 * ratio.ln() / reach.ln()).clamp(0.0, 100.0));
    let (low, high) = found.interval.map_or((found.ratio, found.ratio), |interval| (interval.low, interval.high));
    Forest { low: x(low), high: x(high), at: x(found.ratio) }
}

/// A panel for each test that was compared at two sizes or more.
pub(super) fn size_panels(comparison: &Comparison) -> Vec<SizePanel> {
    by_test(&comparison.lines)
        .into_iter()
        .filter_map(|(TestKey { part, test, name }, lines)| {
            let lines: Vec<(&Line, &JudgedRatio)> =
                lines.into_iter().filter_map(|line| Some((line, line.found.as_ref()?))).collect();
            let ratios: Vec<f64> = lines.iter().map(|(_, found)| found.ratio).collect();
            let title = format!("{test} {name} {}", words::part(part)).trim_end().to_owned();
            let median = median(&ratios).ok()?;
            (lines.len() > 1).then(|| size_panel(title, &lines, median))
        })
        .collect()
}

fn size_panel(title: String, lines: &[(&Line, &JudgedRatio)], median: f64) -> SizePanel {
    let ends = |found: &JudgedRatio| found.interval.map_or([found.ratio; 2], |interval| [interval.low, interval.high]);
    let all = lines.iter().flat_map(|(_, found)| ends(found)).chain([1.0]);
    let logs: Vec<f64> = all.chain(lines.iter().map(|(_, found)| found.ratio)).map(f64::ln).collect();
    let low = logs.iter().copied().fold(f64::INFINITY, f64::min) - 0.05;
    let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 0.05;
    let y = |ratio: f64| rounded(HEIGHT * (high - ratio.ln()) / (high - low));
    // One more place at the right is the median's.
    let step = WIDTH / (lines.len() + 1) as f64;
    let x = |at: usize| rounded(step * (at as f64 + 0.5));
    let points = lines.iter().enumerate().map(|(at, (line, found))| {
        let [low, high] = ends(found);
        let text = format!("size {}: A/B {}, 95 % {}", line.size, words::ratio(found.ratio), words::interval(found));
        Point { x: x(at), y: y(found.ratio), low: y(low), high: y(high), label: line.size.clone(), text }
    });
    let at = y(median);
    SizePanel {
        title,
        points: points.collect(),
        median: Point {
            x: x(lines.len()),
            y: at,
            low: at,
            high: at,
            label: "median".to_owned(),
            text: format!("median of the sizes: {}", words::ratio(median)),
        },
        grid: ratio_ticks(low, high).into_iter().map(|tick| Tick { at: y(tick), label: words::ratio(tick) }).collect(),
    }
}

/// 1, and the ends of the axis where they are far enough from it to be read.
fn ratio_ticks(low: f64, high: f64) -> Vec<f64> {
    let readable = |end: &f64| end.abs() > (high - low) * 0.2;
    [0.0].into_iter().chain([low, high].into_iter().filter(readable)).map(f64::exp).collect()
}

/// A panel for each comparable line whose operations were timed one by one.
pub(super) fn latency_panels(comparison: &Comparison) -> Vec<LatencyPanel> {
    comparison
        .lines
        .iter()
        .filter(|line| line.found.is_some())
        .filter_map(|line| {
            let latency = |figure: &Option<Figure>| figure.as_ref().and_then(|figure| figure.latency.clone());
            Some(latency_panel(line, &latency(&line.a)?, &latency(&line.b)?))
        })
        .collect()
}

fn latency_panel(line: &Line, a: &Latency, b: &Latency) -> LatencyPanel {
    let ends = || a.buckets.iter().chain(&b.buckets).map(|bucket| bucket.end);
    let first = ends().min().unwrap_or(1).saturating_sub(1);
    let last = ends().max().unwrap_or(1).max(first + 1);
    let x = |end: f64| rounded(WIDTH * (end - f64::from(first)) / f64::from(last - first));
    let share = |latency: &Latency, operations: u64| operations as f64 / latency.operations as f64;
    let tallest =
        |latency: &Latency| latency.buckets.iter().map(|bucket| share(latency, bucket.operations)).fold(0.0, f64::max);
    let top = tallest(a).max(tallest(b)).max(f64::MIN_POSITIVE);
    let outline = |latency: &Latency| {
        let counts: BTreeMap<u32, u64> = latency.buckets.iter().map(|bucket| (bucket.end, bucket.operations)).collect();
        let mut path = format!("M0 {HEIGHT}");
        for end in first + 1..=last {
            let height = HEIGHT * share(latency, counts.get(&end).copied().unwrap_or(0)) / top;
            path.push_str(&format!("V{}H{}", rounded(HEIGHT - height), x(f64::from(end))));
        }
        path + &format!("V{HEIGHT}")
    };
    let per_decade = 20;
    let decades = first.div_ceil(per_decade)..=last / per_decade;
    let ticks = decades.map(|decade| Tick {
        at: x(f64::from(decade * per_decade)),
        label: duration(10_f64.powi(decade as i32)).replace(".00", "").replace(".0", ""),
    });
    let quantile = |ns: Option<u64>| ns.map_or("-".to_owned(), |ns| duration(ns as f64));
    let about = |side: &str, of: &Latency| format!("{side}: p50 {}, p99 {}", quantile(of.p50_ns), quantile(of.p99_ns));
    LatencyPanel {
        title: format!("{} {} · size {} {}", line.test, line.name, line.size, words::part(&line.part))
            .trim_end()
            .to_owned(),
        a: outline(a),
        b: outline(b),
        ticks: ticks.collect(),
        about: vec![about("A", a), about("B", b)],
    }
}

/// A tenth of a pixel is enough.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
