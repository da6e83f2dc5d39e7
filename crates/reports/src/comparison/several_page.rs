//! Several sides beside one reference as one HTML page: a heat table.

use super::{
    facts, html,
    looks::looks,
    several::{by_reference, head, mean_of, name, options, reference, rows, sizes, summary, warnings},
    words::{self, Footnotes},
};
use dbdyno_comparing::compare::{Comparison, Line};
use dbdyno_foundation::metric::Metric;
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../assets/several.html");
/// Colour of the farthest ratio, percent.
const DEEPEST: f64 = 60.0;

#[derive(Debug, Serialize)]
struct SeveralPage {
    dbdyno_version: String,
    title: String,
    /// Whether there are several references.
    several: bool,
    head: Vec<String>,
    summaries: Vec<String>,
    groups: Vec<SeveralGroup>,
    signs: String,
    warnings: Vec<String>,
    notes: Vec<String>,
    method: Vec<String>,
    options: Vec<String>,
    origin: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SeveralGroup {
    reference: String,
    names: Vec<String>,
    size: String,
    rows: Vec<HeatRow>,
    means: Vec<String>,
}

#[derive(Debug, Serialize)]
struct HeatRow {
    name: String,
    reference: String,
    cells: Vec<HeatCell>,
}

#[derive(Debug, Serialize)]
struct HeatCell {
    /// A class of the style sheet.
    word: &'static str,
    /// Depth of the colour, percent.
    heat: u32,
    value: String,
    ratio: String,
    interval: String,
    verdict: String,
    notes: Vec<usize>,
}

/// The page.
///
/// # Errors
/// The template does not fit.
pub(super) fn page(sides: &[Comparison]) -> Result<String, minijinja::Error> {
    let mut notes = Footnotes::default();
    let mut groups: Vec<SeveralGroup> = Vec::new();
    for sides in by_reference(sides) {
        groups.extend(sizes(sides).into_iter().map(|size| group(sides, size, &mut notes)));
    }
    let title = |sides: &[Comparison]| {
        let names: Vec<String> = sides.iter().map(|side| name(&side.a)).collect();
        format!("{} against {}", names.join(", "), name(&sides[0].b))
    };
    let first = sides.first();
    let metric = first.map_or(Metric::Wall, |side| side.metric);
    let sessions = sides.iter().find_map(words::about_sessions).map(str::to_owned);
    let actors = sides.iter().find_map(words::about_actors).map(str::to_owned);
    let looked = |side: &Comparison| {
        let name = name(&side.a);
        looks(side).into_iter().map(move |note| format!("{name}: {note}"))
    };
    let looked = sides.iter().flat_map(looked);
    let page = SeveralPage {
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        title: by_reference(sides).map(title).collect::<Vec<_>>().join("; "),
        several: by_reference(sides).count() > 1,
        head: head(sides),
        summaries: sides.iter().map(summary).collect(),
        groups,
        signs: words::signs(metric),
        warnings: warnings(sides),
        notes: notes.texts,
        method: sessions.into_iter().chain(first.and_then(words::family)).chain(actors).chain(looked).collect(),
        options: options(sides),
        origin: first.map_or_else(Vec::new, facts::origin),
    };
    html::rendered("several.html", TEMPLATE, page)
}

fn group(sides: &[Comparison], size: &str, notes: &mut Footnotes) -> SeveralGroup {
    let found = sides.iter().flat_map(|side| &side.lines).filter_map(|line| line.found.as_ref());
    let reach = found.map(|found| found.ratio.ln().abs()).fold(f64::MIN_POSITIVE, f64::max);
    let metric = sides.first().map_or(Metric::Wall, |side| side.metric);
    let mean = |side: &Comparison| {
        let mean = mean_of(side, size).filter(|mean| mean.tests > 1)?;
        let interval = mean.interval.map_or_else(String::new, |range| format!(" [{}]", words::range(Some(range))));
        Some(format!("{}{interval}", words::ratio(mean.ratio?)))
    };
    SeveralGroup {
        reference: sides.first().map_or_else(String::new, |side| name(&side.b)),
        names: sides.iter().map(|side| name(&side.a)).collect(),
        size: size.to_owned(),
        rows: rows(sides, size)
            .into_iter()
            .map(|row| HeatRow {
                name: format!("{} {}", row.first.test, row.first.name),
                reference: reference(&row, metric),
                cells: row.lines.iter().map(|line| cell(*line, metric, reach, notes)).collect(),
            })
            .collect(),
        means: sides.iter().map(|side| mean(side).unwrap_or_default()).collect(),
    }
}

fn cell(line: Option<&Line>, metric: Metric, reach: f64, notes: &mut Footnotes) -> HeatCell {
    let found = line.and_then(|line| line.found.as_ref());
    HeatCell {
        word: line.map_or("not_comparable", words::verdict_word),
        heat: found.map_or(0, |found| (found.ratio.ln().abs() / reach * DEEPEST).round() as u32),
        value: words::value(line.and_then(|line| line.a.as_ref()), metric),
        ratio: found.map_or("-".to_owned(), |found| {
            format!("{} {}", words::ratio(found.ratio), words::sign(Some(found.verdict)))
        }),
        interval: found.map_or("-".to_owned(), words::interval),
        verdict: found.map_or("not comparable".to_owned(), |found| words::verdict(found, metric)),
        notes: line.map(|line| notes.numbers(line)).unwrap_or_default(),
    }
}
