//! A comparison as one HTML page that needs nothing else.

use super::{
    charts, facts, looks, over_several,
    page::{self, BesideCell, BesideColumn, ForestAxis, ForestPlot, GrowthPanel, PointsPage},
    scaling,
    scaling_chart::{self, ScalingPanel},
    words::{self, Footnotes},
};
use dbdyno_comparing::compare::{Comparison, Line, PivotCell, RatioForm, curve_families};
use dbdyno_foundation::{base::units::plain, metric::Metric};
use minijinja::{Environment, Value, value::Serde};
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../assets/comparison.html");
const STYLE: &str = include_str!("../../assets/report.css");

/// What the template shows.
#[derive(Debug, Serialize)]
struct HtmlPage<'c> {
    comparison: &'c Comparison,
    head: Vec<String>,
    groups: Vec<HtmlGroup>,
    over_sizes: Vec<[String; 5]>,
    pivot: Option<HtmlTable>,
    /// What its cells say beside ratios and signs.
    pivot_cells: &'static str,
    scaling: Option<HtmlScaling>,
    signs: String,
    /// What a column of ratios is called.
    ratio_column: &'static str,
    column_a: String,
    column_b: String,
    /// Titles of the other metrics' columns.
    beside: Vec<String>,
    /// What ratios below and above 1 mean.
    directions: String,
    points: PointsPage,
    growth_panels: Vec<GrowthPanel>,
    size_panels: Vec<charts::SizePanel>,
    latency_panels: Vec<charts::LatencyPanel>,
    footnotes: Vec<String>,
    left_out: Vec<String>,
    options: Vec<String>,
    origin: Vec<String>,
}

/// How figures grow.
#[derive(Debug, Serialize)]
struct HtmlScaling {
    legend: &'static str,
    rows: Vec<[String; 3]>,
    panels: Vec<ScalingPanel>,
}

/// The tests of one part and size.
#[derive(Debug, Serialize)]
struct HtmlGroup {
    title: String,
    forest: ForestPlot,
    rows: Vec<HtmlRow>,
    mean: Option<String>,
    mean_interval: String,
    tests: usize,
}

#[derive(Debug, Serialize)]
struct HtmlRow {
    name: String,
    time_a: String,
    time_b: String,
    runs: String,
    ratio: String,
    /// That of the medians; none where it is not asked for.
    of_medians: Option<String>,
    interval: String,
    p: String,
    sign: &'static str,
    /// A class of the style sheet.
    word: &'static str,
    verdict: String,
    beside: Vec<BesideCell>,
    notes: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct HtmlTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The page.
///
/// # Errors
/// The template does not fit.
pub fn html(comparison: &Comparison) -> Result<String, minijinja::Error> {
    let mut notes = Footnotes::default();
    let found = comparison.lines.iter().filter_map(|line| line.found.as_ref());
    let axis = ForestAxis::new(found, comparison.metric);
    let beside = page::columns(comparison);
    let groups = groups(comparison, &axis, &beside, &mut notes);
    let overall = comparison.overall.iter().map(|overall| words::overall(overall, comparison.ratios));
    let unmatched = comparison.unmatched.iter().map(|what| format!("left out: {what}"));
    let about = overall.chain(looks::method(comparison)).chain(unmatched);
    let page = HtmlPage {
        comparison,
        head: facts::head(comparison),
        groups,
        over_sizes: over_sizes(comparison),
        pivot: pivot(comparison),
        pivot_cells: words::PIVOT_CELLS,
        scaling: scaling(comparison, &mut notes),
        signs: words::signs(comparison.metric),
        ratio_column: words::ratio_column(comparison.ratios),
        column_a: words::column(comparison.metric, "A"),
        column_b: words::column(comparison.metric, "B"),
        beside: beside.into_iter().map(|column| column.title).collect(),
        directions: axis.directions(),
        points: page::points(comparison),
        growth_panels: page::growth_panels(comparison),
        size_panels: charts::size_panels(comparison),
        latency_panels: charts::latency_panels(comparison),
        footnotes: notes.texts,
        left_out: about.chain(comparison.means.iter().filter_map(words::left_out)).collect(),
        options: facts::options(comparison),
        origin: facts::origin(comparison),
    };
    rendered("comparison.html", TEMPLATE, page)
}

/// A template with what it shows. All text in it is escaped.
pub fn rendered(name: &str, template: &str, page: impl Serialize) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    // Control characters are no legal HTML, escaped or not.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => minijinja::escape_formatter(out, state, &plain(text).into()),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_global("style", Value::from_safe_string(STYLE.to_owned()));
    environment.add_template_owned(name.to_owned(), template.to_owned())?;
    environment.get_template(name)?.render(Serde(page))
}

fn groups(
    comparison: &Comparison,
    axis: &ForestAxis,
    beside: &[BesideColumn<'_>],
    notes: &mut Footnotes,
) -> Vec<HtmlGroup> {
    let form = comparison.ratios;
    comparison
        .means
        .iter()
        .map(|mean| {
            let of_mean = |line: &&Line| line.part == mean.part && line.size == mean.size;
            let lines: Vec<&Line> = comparison.lines.iter().filter(of_mean).collect();
            let part = words::part(&mean.part);
            let shown = (comparison.metric, form, comparison.median_ratios);
            HtmlGroup {
                title: format!("size {}{}{part}", mean.size, if part.is_empty() { "" } else { " · " }),
                forest: axis.plot(&lines, mean),
                rows: lines.into_iter().map(|line| row(line, shown, beside, notes)).collect(),
                mean: mean.ratio.map(|ratio| words::ratio_as(ratio, form)),
                mean_interval: mean.interval.map_or_else(String::new, |range| words::range_as(Some(range), form)),
                tests: mean.tests,
            }
        })
        .collect()
}

fn row(
    line: &Line,
    (metric, form, medians): (Metric, RatioForm, bool),
    beside: &[BesideColumn<'_>],
    notes: &mut Footnotes,
) -> HtmlRow {
    let found = line.found.as_ref();
    let runs =
        |figure: &Option<dbdyno_comparing::compare::Figure>| figure.as_ref().map_or(0, |figure| figure.values.len());
    HtmlRow {
        name: format!("{} {}", line.test, line.name),
        time_a: words::value(line.a.as_ref(), metric),
        time_b: words::value(line.b.as_ref(), metric),
        runs: format!("{} / {}", runs(&line.a), runs(&line.b)),
        ratio: found.map_or("-".to_owned(), |found| words::ratio_as(found.ratio, form)),
        of_medians: medians.then(|| found.map_or("-".to_owned(), |found| words::ratio_as(found.median_ratio, form))),
        interval: found.map_or("-".to_owned(), |found| words::range_as(found.interval, form)),
        p: found.and_then(|found| found.p_adjusted).map_or("-".to_owned(), |p| format!("{p:.2}")),
        sign: words::sign(found.map(|found| found.verdict)),
        word: words::verdict_word(line),
        verdict: found.map_or("not comparable".to_owned(), |found| words::verdict_as(found, metric, form)),
        beside: beside.iter().map(|column| column.cell(line)).collect(),
        notes: notes.numbers(line),
    }
}

fn over_sizes(comparison: &Comparison) -> Vec<[String; 5]> {
    let form = comparison.ratios;
    let tests = comparison.by_size.clone().unwrap_or_else(|| over_several(comparison));
    tests
        .into_iter()
        .map(|test| {
            let sizes = test.sizes.iter().map(|size| words::at_size(size, form));
            [
                format!("{} {} {}", test.test, test.name, words::part(&test.part)).trim_end().to_owned(),
                sizes.collect::<Vec<_>>().join(" · "),
                words::ratio_as(test.median, form),
                words::ratio_as(test.min, form),
                words::ratio_as(test.max, form),
            ]
        })
        .collect()
}

fn scaling(comparison: &Comparison, notes: &mut Footnotes) -> Option<HtmlScaling> {
    let curves = comparison.scaling.as_ref()?;
    let families = curve_families(curves);
    Some(HtmlScaling {
        legend: if curves.is_empty() { scaling::NOTHING } else { scaling::LEGEND },
        rows: scaling::rows(comparison, &families, notes),
        panels: families.iter().map(scaling_chart::panel).collect(),
    })
}

fn pivot(comparison: &Comparison) -> Option<HtmlTable> {
    let pivot = comparison.pivot.as_ref()?;
    let cell = |cell: &Option<PivotCell>| {
        let [ratio, interval] = words::pivot_cell(cell.as_ref(), comparison.ratios);
        if interval.is_empty() { ratio } else { format!("{ratio} [{interval}]") }
    };
    let corner = format!("{} \\ {}", pivot.row, pivot.column);
    Some(HtmlTable {
        columns: [corner].iter().chain(&pivot.columns).cloned().collect(),
        rows: pivot
            .rows
            .iter()
            .map(|row| [row.value.clone()].into_iter().chain(row.cells.iter().map(cell)).collect())
            .collect(),
    })
}
