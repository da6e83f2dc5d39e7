//! The forest plots of a comparison.

use super::{Wording, sheet::group, words};
use crate::sheet::{Forest, ForestMark, ForestRow, ratio_axis};
use dbdyno_comparing::compare::{Comparison, Line, Mean};

/// Builds a forest plot for each size and part, all on one axis so that they can be compared.
pub(super) fn forests(comparison: &Comparison, wording: &Wording) -> Vec<Forest> {
    let ratio_name = wording.sides.ratio();
    let scale = ratio_axis(comparison.lines.iter().filter_map(|line| line.found.as_ref()).map(words::estimate));
    let [below, above] = wording.directions();
    let directions = [format!("◄ {below}"), format!("{above} ►")];
    let row = |line: &Line| {
        let name = wording.line_name(line);
        let found = line.found.as_ref();
        let figure = found.map_or_else(
            || "not comparable".to_owned(),
            |found| format!("{} {}", words::ratio(found.ratio), words::sign(Some(found.verdict))),
        );
        let about = found.map_or_else(
            || format!("{name}: not comparable"),
            |found| {
                let (ratio, range, verdict) =
                    (words::ratio(found.ratio), words::interval(found), wording.verdict(found));
                format!("{name}: {ratio_name} {ratio}, 95 % {range}: {verdict}")
            },
        );
        let mark = found.map(|found| ForestMark {
            interval: words::estimate(found),
            sense: Some(words::sense(Some(found.verdict))),
        });
        ForestRow { name, figure, about, mark }
    };
    let of_mean = |mean: &Mean, ratio: f64| {
        let (name, figure) = (format!("geometric mean ({})", mean.tests), words::ratio(ratio));
        let about = format!("{name}: {ratio_name} {figure}, 95 % {}", words::range(mean.interval));
        ForestRow {
            name,
            figure,
            about,
            mark: Some(ForestMark { interval: words::around(ratio, mean.interval), sense: None }),
        }
    };
    let plot = |mean: &Mean| {
        let lines = comparison.lines.iter().filter(|line| line.part == mean.part && line.size == mean.size);
        let total = mean.ratio.filter(|_| mean.tests > 1).map(|ratio| of_mean(mean, ratio));
        Forest {
            name: format!("{} · {ratio_name}", group(&mean.size, &mean.part).text),
            scale: scale.clone(),
            directions: directions.clone(),
            rows: lines.map(row).chain(total).collect(),
        }
    };
    comparison.means.iter().map(plot).collect()
}
