//! A comparison as a sheet: its text, its tables, its charts.

use super::{
    SideNames, charts, facts,
    forests::forests,
    looks,
    magnitudes::magnitudes,
    over_several, reasons, scaling, sentences,
    wording::Wording,
    words::{self, Footnotes},
};
use crate::doubts::doubts_sections;
use crate::sheet::{Cell, Column, ColumnPart, ColumnRole, Row, Section, Sheet, Table, Tone};
use dbdyno_comparing::compare::{
    Comparison, Figure, JudgedRatio, Line, Mean, ObstacleKind, OverSizes, Part, Pivot, RatioForm, ScalingCurve,
    SecondaryLine, SecondaryMetric, SizeRatio, curve_families,
};
use dbdyno_comparing::doubt::Doubt;
use dbdyno_foundation::metric::Metric;
use std::collections::{BTreeMap, BTreeSet};

/// Width of a test's name in a narrow table.
pub(crate) const NAME: usize = 19;
/// Width of a value of a pivot's axis.
const VALUE: usize = 7;

/// A comparison as a sheet.
pub fn sheet(comparison: &Comparison) -> Sheet {
    let mut notes = Footnotes::default();
    let answer = if comparison.scaling.is_some() { Vec::new() } else { sentences(comparison) };
    let head = Section { tone: Tone::Head, before: facts::head(comparison), ..Section::default() };
    let mut sections: Vec<Section> = Section::toned(Tone::Answer, "", answer).into_iter().chain([head]).collect();
    sections.extend(magnitudes(std::slice::from_ref(comparison)));
    sections.extend(figures(comparison, &mut notes));
    sections.extend(reasons::sections(std::slice::from_ref(comparison)));
    sections.extend(Section::toned(Tone::Remarks, "", remarks(comparison)));
    sections.extend(growth(comparison, &mut notes));
    sections.extend(closing(notes, &comparison.doubts));
    sections.extend(charts::sections(comparison));
    sections.extend(Section::toned(Tone::Folded, "Options in force", facts::options(comparison)));
    sections.extend(Section::toned(Tone::Remarks, "How it was measured", vec![facts::origin(comparison)]));
    sections.extend(Section::toned(Tone::OnPage, facts::GLOSSARY, facts::glossary()));
    sections.extend(Section::toned(Tone::OnPage, "Sessions", sessions(comparison)));
    sections.extend(Section::toned(Tone::OnPage, "What the figures are", vec![method(comparison)]));
    Sheet { title: title(comparison), sections, ..Sheet::default() }
}

/// Returns the notes that rows refer to, and the doubts.
pub(super) fn closing(notes: Footnotes, doubts: &[Doubt]) -> impl Iterator<Item = Section> {
    let notes = Section::toned(Tone::Footnotes, "Notes", notes.texts);
    notes.into_iter().chain(doubts_sections(doubts))
}

/// Builds the requested tables. Long reports also get the rows that these tables sum up. How figures grow is a separate view.
fn figures(comparison: &Comparison, notes: &mut Footnotes) -> Vec<Section> {
    let wording = Wording::of(comparison);
    let signs = wording.signs();
    let folded = |each: Section| Section { tone: Tone::AtLength, heading: Some("Every test".to_owned()), ..each };
    if let Some(pivot) = &comparison.pivot {
        let about = format!("{}, 95 % · {}", wording.ratio_column(), words::PIVOT_CELLS);
        let summed = Section { after: vec![about, signs], ..Section::table(pivot_table(pivot, &wording)) };
        return vec![summed, folded(lines(comparison, notes))];
    }
    if let Some(tests) = &comparison.by_size {
        let about = format!("{}, 95 % · {signs}", wording.ratio_column());
        let summed = Section { after: vec![about], ..Section::table(by_size(tests, &wording)) };
        return vec![summed, folded(lines(comparison, notes))];
    }
    if comparison.scaling.is_some() {
        return Vec::new();
    }
    let tests = over_several(comparison);
    let over = (!tests.is_empty()).then(|| Section {
        heading: Some("over sizes:".to_owned()),
        after: vec![signs],
        ..Section::table(summary(&tests, &wording))
    });
    [lines(comparison, notes)].into_iter().chain(over).collect()
}

/// Lists every test of every size, with their forest plots.
fn lines(comparison: &Comparison, notes: &mut Footnotes) -> Section {
    let wording = Wording::of(comparison);
    let beside: Vec<SecondaryColumn<'_>> =
        comparison.beside.iter().map(|one| SecondaryColumn::new(one, &wording)).collect();
    let figure = |name: &'static str, title: &str| Column::new(name, title, ColumnRole::Figure);
    let on_page = |column: Column| column.part(ColumnPart::OnPage);
    let [a, b] = wording.columns();
    let mut columns = vec![
        Column::new("test", "test", ColumnRole::Name).at_least(NAME),
        Column::new("size", "size", ColumnRole::Group),
        figure("a", &a),
        figure("b", &b),
    ];
    if has_ratios(comparison) {
        columns.push(figure("ratio", &wording.ratio_column()));
        columns.extend(comparison.median_ratios.then(|| figure("median_ratio", looks::MEDIAN_RATIOS)));
        columns.push(Column::new("interval", "95 %", ColumnRole::Interval));
    }
    columns.push(Column::new("bar", &wording.bar_title(), ColumnRole::Bar));
    columns.push(Column::new("verdict", "verdict", ColumnRole::Verdict));
    columns.extend(beside.iter().map(|column| on_page(figure("beside", &column.title))));
    columns.extend([on_page(figure("runs", "runs A / B")), on_page(figure("p_adjusted", "p adjusted"))]);
    let mut rows = Vec::new();
    for mean in &comparison.means {
        let of_mean = |line: &&Line| line.part == mean.part && line.size == mean.size;
        for line in comparison.lines.iter().filter(of_mean) {
            rows.push(Row::Cells(cells(line, (comparison, &wording), &beside, notes.numbers(line))));
        }
        rows.extend(
            mean.ratio.filter(|_| mean.tests > 1).map(|ratio| Row::Total(total(mean, ratio, (comparison, &wording)))),
        );
    }
    let is_comparable = comparison.lines.iter().any(|line| line.found.is_some());
    let forests = if is_comparable { forests(comparison, &wording) } else { Vec::new() };
    Section { forests, ..Section::table(Table { columns, rows, is_headed: true, ..Table::default() }) }
}

/// Whether the ratios are columns of their own, and not part of the verdicts.
fn has_ratios(comparison: &Comparison) -> bool {
    comparison.ratios != RatioForm::Words
}

/// Names what is compared: `lmdb against redb`, `sqlite since 3.54.1 (2026-10-25)`, or the selections of sides without names.
fn title(comparison: &Comparison) -> String {
    let sides = SideNames::of(comparison);
    if let Some(since) = &comparison.since {
        let configurations = comparison.a.configurations.iter().chain(&comparison.b.configurations);
        let engines: BTreeSet<&str> = configurations.map(|one| one.configuration.engine.as_str()).collect();
        return format!("{} since {since}", engines.into_iter().collect::<Vec<_>>().join(", "));
    }
    match sides.are_letters() {
        true => format!("A: {} against B: {}", comparison.a.selection, comparison.b.selection),
        false => format!("{} against {}", sides.a, sides.b),
    }
}

/// Returns the property that the lines of a mean share: the size, with the part if there are several.
pub(super) fn group(size: &str, part: &Part) -> Cell {
    let part = words::part(part);
    let text = if part.is_empty() { size.to_owned() } else { format!("{size} · {part}") };
    of_size(&text)
}

/// Returns the cell of a size: with the word `size` in a title above its rows, the size alone in a column.
pub(super) fn of_size(size: &str) -> Cell {
    Cell::new(format!("size {size}")).at_length(size)
}

fn cells(
    line: &Line,
    (comparison, wording): (&Comparison, &Wording),
    beside: &[SecondaryColumn<'_>],
    notes: Vec<usize>,
) -> Vec<Cell> {
    let metric = comparison.metric;
    let found = line.found.as_ref();
    let of_found = |show: &dyn Fn(&JudgedRatio) -> String| Cell::new(found.map_or_else(|| "-".to_owned(), show));
    let mut cells = vec![
        Cell::new(wording.line_name(line)),
        group(&line.size, &line.part),
        Cell::new(words::value(line.a.as_ref(), metric)),
        Cell::new(words::value(line.b.as_ref(), metric)),
    ];
    if has_ratios(comparison) {
        cells.push(of_found(&|found| wording.ratio(found.ratio)));
        cells.extend(comparison.median_ratios.then(|| of_found(&|found| wording.ratio(found.median_ratio))));
        cells.push(of_found(&|found| wording.range(found.interval)));
    }
    cells.push(Cell { interval: found.map(words::estimate), ..Cell::default() });
    cells.push(Cell { notes, ..verdict(line, wording) });
    cells.extend(beside.iter().map(|column| column.cell(line)));
    let runs = |figure: &Option<Figure>| figure.as_ref().map_or(0, |figure| figure.values.len());
    let p = found.and_then(|found| found.p_adjusted).map_or_else(|| "-".to_owned(), words::short_p);
    cells.extend([Cell::new(format!("{} / {}", runs(&line.a), runs(&line.b))), Cell::new(p)]);
    cells
}

/// Returns the verdict on a line: a short and a long form.
pub(super) fn verdict(line: &Line, wording: &Wording) -> Cell {
    let cell = line.found.as_ref().map_or_else(
        || Cell::new("not comparable"),
        |found| match wording.form {
            RatioForm::Words => {
                Cell::new(wording.short_verdict_with_range(found)).at_length(wording.verdict_with_range(found))
            }
            _ => Cell::new(wording.short_verdict_beside_ratio(found)).at_length(wording.verdict_beside_ratio(found)),
        },
    );
    cell.sensed(words::sense(line.found.as_ref().map(|found| found.verdict)))
}

/// Places the geometric mean in the columns of the lines.
fn total(mean: &Mean, ratio: f64, (comparison, wording): (&Comparison, &Wording)) -> Vec<Cell> {
    let mut cells = vec![
        Cell::new(format!("geometric mean ({})", mean.tests)),
        group(&mean.size, &mean.part),
        Cell::default(),
        Cell::default(),
    ];
    match has_ratios(comparison) {
        true => {
            cells.push(Cell::new(wording.ratio(ratio)));
            cells.extend(comparison.median_ratios.then(Cell::default));
            let range = mean.interval.map_or_else(String::new, |interval| wording.range(Some(interval)));
            cells.push(Cell::new(range));
        }
        false => cells.extend([Cell::default(), Cell::new(wording.amount(ratio, mean.interval))]),
    }
    cells
}

/// A metric's values of all lines, shown alongside the compared one.
struct SecondaryColumn<'c> {
    title: String,
    ratio: String,
    metric: Metric,
    lines: BTreeMap<(u32, &'c str, &'c str, &'c Part), &'c SecondaryLine>,
}

impl<'c> SecondaryColumn<'c> {
    fn new(SecondaryMetric { metric, lines }: &'c SecondaryMetric, wording: &Wording) -> Self {
        Self {
            title: wording.both(*metric),
            ratio: wording.sides.ratio(),
            metric: *metric,
            lines: lines.iter().map(|line| ((line.test, &*line.size, &*line.name, &line.part), line)).collect(),
        }
    }

    /// Returns the medians of A and of B, with their ratio if they are comparable and differ.
    fn cell(&self, line: &Line) -> Cell {
        let Some(of) = self.lines.get(&(line.test, &*line.size, &*line.name, &line.part)) else {
            return Cell::new("-");
        };
        let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| self.metric.shown(value));
        let ratio = of.ratio.filter(|_| of.a != of.b);
        let below = ratio.map(|ratio| format!("{} {}", self.ratio, words::ratio(ratio)));
        Cell { below, ..Cell::new(format!("{} / {}", shown(of.a), shown(of.b))) }
    }
}

/// Returns the rows, with a title where a part begins.
fn by_part<'t>(tests: &'t [OverSizes], row: impl Fn(&'t OverSizes) -> Vec<Cell>) -> Vec<Row> {
    let mut titled: Option<&Part> = None;
    let mut rows = Vec::new();
    for test in tests {
        if titled != Some(&test.part) && !test.part.is_empty() {
            rows.push(Row::Title(words::part(&test.part)));
        }
        titled = Some(&test.part);
        rows.push(Row::Cells(row(test)));
    }
    rows
}

/// Summarises each test over its sizes in one row.
fn summary(tests: &[OverSizes], wording: &Wording) -> Table {
    let median = format!("{}, median", wording.ratio_column());
    let columns = [
        ("test", "test", ColumnRole::Name),
        ("median", &median, ColumnRole::Figure),
        ("range", "min, max", ColumnRole::Interval),
        ("sizes", "sizes", ColumnRole::Figure),
        ("verdicts", "verdicts", ColumnRole::Verdict),
    ];
    let row = |test: &OverSizes| {
        let [median, min, max] = [test.median, test.min, test.max].map(|ratio| wording.ratio(ratio));
        let sizes: Vec<String> = test.sizes.iter().map(|size| wording.at_size(size)).collect();
        vec![
            Cell::new(format!("{} {}", test.test, test.name)),
            Cell::new(median),
            Cell::new(format!("[{min}, {max}]")),
            Cell::new(test.sizes.len().to_string()),
            Cell::new(words::verdicts_over(&test.sizes)).at_length(sizes.join(" · ")),
        ]
    };
    Table { columns: Column::all(columns), rows: by_part(tests, row), is_headed: true, ..Table::default() }
}

/// Lists each test with a column for each size.
fn by_size(tests: &[OverSizes], wording: &Wording) -> Table {
    let mut sizes: Vec<&str> = Vec::new();
    for size in tests.iter().flat_map(|test| &test.sizes) {
        if !sizes.contains(&size.size.as_str()) {
            sizes.push(&size.size);
        }
    }
    let first = Column::new("test", "test", ColumnRole::Name).at_least(NAME);
    let of_sizes = sizes.iter().map(|size| Column::new("ratio", size, ColumnRole::Figure));
    let summary = ["median", "min", "max"].map(|name| Column::new(name, name, ColumnRole::Figure));
    let columns = [first.part(ColumnPart::Repeated)].into_iter().chain(of_sizes).chain(summary).collect();
    let cell = |found: Option<&SizeRatio>| match found {
        None => Cell::new("-"),
        Some(found) => {
            let ratio = format!("{} {}", wording.ratio(found.ratio), words::sign(Some(found.verdict)));
            Cell { below: Some(wording.range(found.interval)), ..Cell::new(ratio) }
        }
    };
    let row = |test: &OverSizes| {
        let at = |size: &&str| cell(test.sizes.iter().find(|found| found.size == *size));
        let summary = [test.median, test.min, test.max].map(|ratio| Cell::new(wording.ratio(ratio)));
        let name = Cell::new(format!("{} {}", test.test, test.name));
        [name].into_iter().chain(sizes.iter().map(at)).chain(summary).collect()
    };
    Table { columns, rows: by_part(tests, row), is_headed: true, ..Table::default() }
}

fn pivot_table(pivot: &Pivot, wording: &Wording) -> Table {
    let corner = Column::new("row", &format!("{} \\ {}", pivot.row, pivot.column), ColumnRole::Name).at_least(NAME + 6);
    let of_column = |name: &String| Column::new("ratio", name, ColumnRole::Figure).at_least(VALUE);
    let cell = |cell: &Option<dbdyno_comparing::compare::PivotCell>| {
        let [ratio, interval] = wording.pivot_cell(cell.as_ref());
        Cell { below: Some(interval), ..Cell::new(ratio) }
    };
    let row = |row: &dbdyno_comparing::compare::PivotRow| {
        Row::Cells([Cell::new(&row.value)].into_iter().chain(row.cells.iter().map(cell)).collect())
    };
    Table {
        columns: [corner].into_iter().chain(pivot.columns.iter().map(of_column)).collect(),
        rows: pivot.rows.iter().map(row).collect(),
        is_headed: true,
        ..Table::default()
    }
}

/// Returns the sentences about the figures, shown with their tables.
fn remarks(comparison: &Comparison) -> Vec<String> {
    let has_lines = comparison.pivot.is_none() && comparison.by_size.is_none() && comparison.scaling.is_none();
    let undecided = comparison.lines.iter().any(words::is_undecided);
    let more = (has_lines && undecided).then(|| words::MORE.to_owned());
    let wording = Wording::of(comparison);
    let ranges = wording.about_ranges(&comparison.lines).filter(|_| has_lines && !has_ratios(comparison));
    let adjusted = words::about_adjusted(comparison.lines.iter()).filter(|_| has_lines).map(str::to_owned);
    let method = if comparison.pivot.is_none() { looks::method(comparison) } else { Vec::new() };
    let overall = comparison.overall.iter().filter(|_| comparison.scaling.is_none());
    let overall = overall.map(|overall| wording.overall(overall));
    let left_out = comparison.means.iter().filter(|_| has_lines).filter_map(words::left_out);
    let unmatched = comparison.unmatched.iter().map(|what| format!("left out: {what}"));
    more.into_iter()
        .chain(ranges)
        .chain(adjusted)
        .chain(method)
        .chain(left_out)
        .chain(overall)
        .chain(unmatched)
        .collect()
}

fn growth(comparison: &Comparison, notes: &mut Footnotes) -> Option<Section> {
    let curves: &[ScalingCurve] = comparison.scaling.as_ref()?;
    let legend = if curves.is_empty() { scaling::NOTHING } else { scaling::LEGEND };
    // Elsewhere these differences are among the notes of the lines.
    let differences =
        if comparison.by_size.is_none() && comparison.pivot.is_none() { differences(comparison) } else { Vec::new() };
    let families = curve_families(curves);
    let table = (!curves.is_empty()).then(|| scaling::table(comparison, &families, notes));
    Some(Section {
        heading: Some("How figures grow".to_owned()),
        table,
        charts: families.iter().map(charts::growth_law).collect(),
        after: [legend.to_owned()].into_iter().chain(differences).collect(),
        ..Section::default()
    })
}

/// Lists the differences between the sides that a reader of their figures must know.
fn differences(comparison: &Comparison) -> Vec<String> {
    let obstacles = comparison.lines.iter().flat_map(|line| &line.obstacles);
    let mut messages: Vec<String> = Vec::new();
    for obstacle in obstacles.filter(|obstacle| matches!(obstacle.kind, ObstacleKind::Differ(_))) {
        let message = format!("!  {}", obstacle.message);
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

fn sessions(comparison: &Comparison) -> Vec<String> {
    let sides = [("A", &comparison.a), ("B", &comparison.b)];
    let of_side = |(name, side): (&'static str, &'_ dbdyno_comparing::compare::SideFacts)| -> Vec<String> {
        let line = |session: &dbdyno_store::SessionFacts| {
            format!(
                "{name}: {}, dbdyno {}: {} (session {})",
                session.started_at, session.dbdyno_version, session.command_line, session.session_id
            )
        };
        side.sessions.iter().map(line).collect()
    };
    sides.into_iter().flat_map(of_side).collect()
}

/// Explains how the figures of the table are calculated.
fn method(comparison: &Comparison) -> String {
    let wording = Wording::of(comparison);
    let beside: Vec<String> = comparison.beside.iter().map(|beside| wording.both(beside.metric)).collect();
    let beside = match beside.is_empty() {
        true => String::new(),
        false => format!(" The additional columns ({}) are medians, without a verdict.", beside.join(", ")),
    };
    format!(
        "{} is the ratio of the two sides' values: the Hodges-Lehmann estimate with its interval, by the signed-rank \
         statistic for pairs of runs of one round, and by the rank-sum statistic for other runs. If the sides have no \
         session in common, medians of sessions are compared. Values are medians over runs. p values are adjusted by Benjamini and Hochberg's method over the {} tests compared. \
         Faster and slower need p below 0.05, an interval without 1 and a ratio beyond the noise floor; same needs an interval within \
         3 %.{beside}",
        wording.sides.ratio(),
        comparison.compared
    )
}
