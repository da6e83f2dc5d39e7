//! The values of every run: a small chart a line, A and B on one axis, in the order of the runs.

use super::{
    super::charts::{HEIGHT, Tick, WIDTH},
    axis::Axis,
    rounded, title,
};
use dbdyno_comparing::compare::{Comparison, Figure, Line};
use dbdyno_foundation::{base::units::counted, metric::Metric};
use serde::Serialize;

/// The charts of all lines.
#[derive(Debug, Serialize)]
pub(in super::super) struct PointsPage {
    panels: Vec<PointsPanel>,
    /// Whether there are so many that they are shown when asked for.
    folded: bool,
    /// What is not drawn.
    left_out: Option<String>,
}

#[derive(Debug, Serialize)]
struct PointsPanel {
    title: String,
    /// Of the values.
    ticks: Vec<Tick>,
    /// The first and the last run.
    runs: Vec<Tick>,
    sides: Vec<Strip>,
    /// Both sides in words.
    about: Vec<String>,
}

/// The runs of a side.
#[derive(Debug, Serialize)]
struct Strip {
    /// A class of the style sheet.
    class: &'static str,
    median: f64,
    median_text: String,
    dots: Vec<Dot>,
}

#[derive(Debug, Serialize)]
struct Dot {
    x: f64,
    y: f64,
    text: String,
}

/// The most values of a side that are drawn: more cannot be told apart.
const MOST_A_SIDE: usize = 200;
/// The most values on a page, so that it stays of a size that a browser shows at once.
const MOST_ON_PAGE: usize = 40_000;
/// Fewer values of a side than this show nothing of how they are spread.
const LEAST_A_SIDE: usize = 6;
/// From so many charts on they are folded.
const MANY: usize = 60;

/// A chart for each line that has values.
pub(in super::super) fn points(comparison: &Comparison) -> PointsPage {
    let lines: Vec<&Line> = comparison.lines.iter().filter(|line| line.a.is_some() || line.b.is_some()).collect();
    let most = (MOST_ON_PAGE / 2 / lines.len().max(1)).min(MOST_A_SIDE);
    if most < LEAST_A_SIDE {
        let left_out =
            format!("The runs of {} are too many for a page: CSV and JSON have them.", counted(lines.len(), "line"));
        return PointsPage { panels: Vec::new(), folded: true, left_out: Some(left_out) };
    }
    let thinned = lines.iter().flat_map(|line| [&line.a, &line.b]).flatten().any(|side| side.values.len() > most);
    PointsPage {
        folded: lines.len() > MANY,
        panels: lines.into_iter().map(|line| panel(line, comparison.metric, most)).collect(),
        left_out: thinned.then(|| {
            format!("Of more than {most} runs of a side only {most} are drawn, the least and the greatest among them; medians are of all.")
        }),
    }
}

fn panel(line: &Line, metric: Metric, most: usize) -> PointsPanel {
    let sides: Vec<(&str, &Figure)> =
        [("A", &line.a), ("B", &line.b)].into_iter().filter_map(|(name, side)| Some((name, side.as_ref()?))).collect();
    let axis = Axis::over(sides.iter().flat_map(|(_, side)| side.values.iter().copied()), metric);
    let y = |value: f64| rounded(HEIGHT * (1.0 - axis.share(value)));
    let runs = sides.iter().map(|(_, side)| side.values.len()).max().unwrap_or(0).max(1);
    let step = WIDTH / runs as f64;
    let x = |at: usize| step * (at as f64 + 0.5);
    let word = if line.found.as_ref().is_some_and(|found| found.paired) { "pair" } else { "run" };
    let strip = |(name, side): &(&str, &Figure)| {
        // Beside each other, so that equal values of a pair are both seen.
        let (class, aside) = if *name == "A" { ("run-a", -1.0) } else { ("run-b", 1.0) };
        let dot = |at: usize| Dot {
            x: rounded(x(at) + aside * (step / 5.0).min(2.0)),
            y: y(side.values[at]),
            text: format!("{name}, {word} {}: {}", at + 1, metric.shown(side.values[at])),
        };
        Strip {
            class,
            median: y(side.median),
            median_text: format!("median of {name}: {}", metric.shown(side.median)),
            dots: drawn(&side.values, most).into_iter().map(dot).collect(),
        }
    };
    let run = |at: usize| Tick { at: rounded(x(at - 1)), label: format!("{word} {at}") };
    PointsPanel {
        title: title(line),
        ticks: axis.ticks.iter().map(|tick| Tick { at: y(*tick), label: metric.shown(*tick) }).collect(),
        runs: if runs > 1 { vec![run(1), run(runs)] } else { vec![run(1)] },
        about: sides.iter().map(|(name, side)| about(name, side, metric)).collect(),
        sides: sides.iter().map(strip).collect(),
    }
}

/// `A: median 1.00 ms, 985 µs to 1.02 ms, 8 runs`.
fn about(name: &str, side: &Figure, metric: Metric) -> String {
    let [least, most] = extremes(&side.values).map(|value| metric.shown(value));
    format!("{name}: median {}, {least} to {most}, {}", metric.shown(side.median), counted(side.values.len(), "run"))
}

/// The least and the greatest.
pub(super) fn extremes(values: &[f64]) -> [f64; 2] {
    [values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

/// Which values are drawn: all, or so many at even distances with the least and the greatest.
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
