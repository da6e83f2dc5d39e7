//! Several sides compared with one reference, as one table: for each test the reference's figure, then figure, ratio and interval of each
//! other side.

use super::{
    csv, facts, flat,
    looks::{estimate, looks},
    sheet::{NAME, closing, of_size, verdict},
    words::{self, Footnotes},
};
use crate::{
    format::{Format, WriteError},
    sheet::{self, Cell, Column, ColumnPart, ColumnRole, Row, Section, Sheet, Table, TableStyle, Tone},
};
use dbdyno_comparing::compare::{COMPARISON_VERSION, Comparison, JudgedRatio, Line, Mean, RatioForm, SideFacts};
use dbdyno_foundation::{
    base::{
        csv::Cells,
        output::Output,
        units::{counted, plain},
    },
    metric::Metric,
};
use dbdyno_stats::Verdict;
use dbdyno_store::write_parquet;
use serde_json::json;

/// The formats in which several sides can be written.
pub const SEVERAL_FORMATS: &[Format] =
    &[Format::Table, Format::Markdown, Format::Csv, Format::Json, Format::Html, Format::Parquet];

/// Width of a side's name, in characters.
const SIDE: usize = 16;

/// A test at a size, with the line of each side.
pub struct SeveralRow<'c> {
    pub first: &'c Line,
    pub lines: Vec<Option<&'c Line>>,
}

/// Returns the rows of a size, in the order of the first side that has them.
pub fn rows<'c>(sides: &'c [Comparison], size: &str) -> Vec<SeveralRow<'c>> {
    let mut rows: Vec<SeveralRow<'c>> = Vec::new();
    for (place, side) in sides.iter().enumerate() {
        for line in side.lines.iter().filter(|line| line.size == size) {
            let is_same = |row: &&mut SeveralRow<'_>| row.first.test == line.test && row.first.name == line.name;
            match rows.iter_mut().find(is_same) {
                Some(row) => row.lines[place] = Some(line),
                None => {
                    let mut lines = vec![None; sides.len()];
                    lines[place] = Some(line);
                    rows.push(SeveralRow { first: line, lines });
                }
            }
        }
    }
    // In the order of tests, unless a side was sorted differently.
    if sides.iter().all(|side| side.lines.iter().filter(|line| line.size == size).is_sorted_by_key(|line| line.test)) {
        rows.sort_by_key(|row| row.first.test);
    }
    rows
}

/// Returns the sizes of all sides, in the order of the first side that has them.
pub fn sizes(sides: &[Comparison]) -> Vec<&str> {
    let mut sizes: Vec<&str> = Vec::new();
    for mean in sides.iter().flat_map(|side| &side.means) {
        if !sizes.contains(&mean.size.as_str()) {
            sizes.push(&mean.size);
        }
    }
    sizes
}

/// Returns the display name of a side: the labels of its configurations.
pub fn name(side: &SideFacts) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for one in &side.configurations {
        if !labels.contains(&one.label.as_str()) {
            labels.push(&one.label);
        }
    }
    plain(&labels.join(" | "))
}

/// Formats the reference's figure, from the first side that has one.
pub fn reference(row: &SeveralRow<'_>, metric: Metric) -> String {
    let figure = row.lines.iter().flatten().find_map(|line| line.b.as_ref());
    words::value(figure, metric)
}

pub fn mean_of<'c>(side: &'c Comparison, size: &str) -> Option<&'c Mean> {
    side.means.iter().find(|mean| mean.size == size)
}

/// Formats the ratio with its sign, and the interval.
pub fn cells(line: Option<&Line>, form: RatioForm) -> [String; 2] {
    let Some(found) = line.and_then(|line| line.found.as_ref()) else {
        return [if line.is_some() { "n/c" } else { "-" }.to_owned(), "-".to_owned()];
    };
    let ratio = format!("{} {}", words::ratio_as(found.ratio, form), words::sign(Some(found.verdict)));
    [ratio, words::range_as(found.interval, form)]
}

/// Returns the verdict with the names of side and reference in place of A and B.
pub fn named_verdict(found: &JudgedRatio, side: &Comparison) -> String {
    words::verdict_between(found, side.metric, [&name(&side.a), &name(&side.b)])
}

/// Sums up in words how a side compares with the reference.
pub fn summary(side: &Comparison) -> String {
    let tests: Vec<&Line> = side.lines.iter().filter(|line| line.actor.is_none()).collect();
    let count = |wanted: fn(&Verdict) -> bool| {
        let verdicts = tests.iter().filter_map(|line| line.found.as_ref()).map(|found| found.verdict);
        verdicts.filter(wanted).count()
    };
    let (better, worse) = words::comparatives(side.metric);
    let counts = [
        (count(|verdict| *verdict == Verdict::Faster), better),
        (count(|verdict| *verdict == Verdict::Slower), worse),
        (count(|verdict| *verdict == Verdict::Same), "the same"),
        (count(|verdict| matches!(verdict, Verdict::Undecided { .. })), "undecided"),
        (count(|verdict| matches!(verdict, Verdict::TooFew { .. })), "too few runs"),
        (tests.iter().filter(|line| line.found.is_none()).count(), "not comparable"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{word} in {count}")).collect();
    let tests = counted(tests.len(), "test");
    format!("{} against {}: {} of {tests}", name(&side.a), name(&side.b), counts.join(", "))
}

/// Whether two sides are compared with the same reference.
pub fn is_same_reference(one: &Comparison, next: &Comparison) -> bool {
    one.b.selection == next.b.selection
}

/// Groups consecutive sides by their reference.
pub fn by_reference(sides: &[Comparison]) -> impl Iterator<Item = &[Comparison]> {
    sides.chunk_by(is_same_reference)
}

/// Returns the text below the figures, each sentence once for all sides.
fn remarks(sides: &[Comparison]) -> Vec<String> {
    let mut lines: Vec<String> = sides.iter().map(summary).collect();
    let mut add = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for side in sides {
        let overall = side.overall.iter().map(|overall| words::overall(overall, side.ratios));
        overall.for_each(|overall| add(format!("{}: {overall}", name(&side.a))));
    }
    sides.iter().filter_map(words::about_sessions).for_each(|note| add(note.to_owned()));
    sides.iter().find_map(estimate).into_iter().for_each(&mut add);
    sides.first().and_then(words::family).into_iter().for_each(&mut add);
    sides.iter().filter_map(words::about_actors).for_each(|note| add(note.to_owned()));
    for side in sides {
        looks(side).into_iter().for_each(|note| add(format!("{}: {note}", name(&side.a))));
    }
    lines
}

/// Returns the warnings about any side, each once.
pub fn warnings(sides: &[Comparison]) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for warning in sides.iter().flat_map(|side| &side.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    warnings
}

pub fn head(sides: &[Comparison]) -> Vec<String> {
    let Some(first) = sides.first() else { return Vec::new() };
    let of_group = |group: &[Comparison]| {
        let reference = group.iter().take(1).map(|side| facts::side("B", &side.b));
        reference.chain(group.iter().map(|side| facts::side("A", &side.a))).collect::<Vec<_>>()
    };
    let mut lines: Vec<String> = by_reference(sides).flat_map(of_group).collect();
    let figure = words::figure(first.metric).into_iter();
    lines.push(figure.chain(words::basis(first)).chain([words::noise(first)]).collect::<Vec<_>>().join(" · "));
    lines
}

/// Returns the verdicts on several sides as text, without the lines about their origin.
pub fn verdicts(sides: &[Comparison], style: TableStyle) -> String {
    let mut notes = Footnotes::default();
    let tables = tables(sides, &mut notes);
    let remarks = Section::toned(Tone::Remarks, "", remarks(sides));
    let sections = tables.into_iter().chain(remarks).chain(closing(notes, &[])).collect();
    sheet::text(&Sheet { sections, ..Sheet::default() }, style)
}

/// Several sides as a sheet.
pub fn several_sheet(sides: &[Comparison]) -> Sheet {
    let Some(first) = sides.first() else { return Sheet::default() };
    let title = |sides: &[Comparison]| {
        let names: Vec<String> = sides.iter().map(|side| name(&side.a)).collect();
        format!("{} against {}", names.join(", "), name(&sides[0].b))
    };
    let mut notes = Footnotes::default();
    let mut sections = vec![Section { tone: Tone::Head, before: head(sides), ..Section::default() }];
    sections.extend(tables(sides, &mut notes));
    sections.extend(Section::toned(Tone::Remarks, "In words", remarks(sides)));
    sections.extend(closing(notes, &warnings(sides)));
    sections.extend(Section::toned(Tone::Folded, "Options in force", options(sides)));
    sections.extend(Section::toned(Tone::Remarks, "How it was measured", facts::origin(first)));
    Sheet { title: by_reference(sides).map(title).collect::<Vec<_>>().join("; "), sections, ..Sheet::default() }
}

/// Builds a table for each reference.
fn tables(sides: &[Comparison], notes: &mut Footnotes) -> Vec<Section> {
    if sides.iter().all(|side| side.lines.is_empty()) {
        return vec![Section::lines(vec!["No test has this figure: there is nothing to compare.".to_owned()])];
    }
    let groups: Vec<&[Comparison]> = by_reference(sides).collect();
    let of_group = |group: &&[Comparison]| {
        let first = &group[0];
        let what = match first.metric {
            Metric::Wall => "time",
            metric => metric.title(),
        };
        let column = words::ratio_column(first.ratios);
        let after = format!("{column} {what} against {} · {}", name(&first.b), words::signs(first.metric));
        Section {
            heading: (groups.len() > 1).then(|| format!("against {}", name(&first.b))),
            after: vec![after],
            ..Section::table(beside(group, notes))
        }
    };
    groups.iter().map(of_group).collect()
}

/// Builds the table of the sides of one reference: for each its figure, the ratio, the interval and the verdict.
fn beside(sides: &[Comparison], notes: &mut Footnotes) -> Table {
    let first = &sides[0];
    let (metric, form) = (first.metric, first.ratios);
    let reference_column = Column::new("reference", &name(&first.b), ColumnRole::Figure).at_least(SIDE);
    let mut columns = vec![
        Column::new("test", "test", ColumnRole::Name).at_least(NAME).part(ColumnPart::Repeated),
        Column::new("size", "size", ColumnRole::Group),
        reference_column.part(ColumnPart::Repeated),
    ];
    columns.extend(sides.iter().flat_map(|side| {
        let joined = |column: Column| column.part(ColumnPart::Joined);
        [
            Column::new("value", &name(&side.a), ColumnRole::Figure).at_least(SIDE),
            joined(Column::new("ratio", words::ratio_column(form), ColumnRole::Figure)),
            joined(Column::new("interval", "95 %", ColumnRole::Interval)),
            joined(Column::new("verdict", "verdict", ColumnRole::Verdict)).ranked(1),
        ]
    }));
    let found = sides.iter().flat_map(|side| &side.lines).filter_map(|line| line.found.as_ref());
    let farthest = found.map(|found| found.ratio.ln().abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut table_rows = Vec::new();
    for size in sizes(sides) {
        for row in rows(sides, size) {
            let own = [Cell::new(super::sheet::name(row.first)), of_size(size), Cell::new(reference(&row, metric))];
            let of_sides = row.lines.iter().flat_map(|line| side_cells(*line, metric, form, farthest, notes));
            table_rows.push(Row::Cells(own.into_iter().chain(of_sides.collect::<Vec<_>>()).collect()));
        }
        if sides.iter().any(|side| mean_of(side, size).is_some_and(|mean| mean.tests > 1)) {
            let own = [Cell::new("geometric mean"), of_size(size), Cell::default()];
            let of_sides = sides.iter().flat_map(|side| mean_cells(mean_of(side, size), form));
            table_rows.push(Row::Total(own.into_iter().chain(of_sides).collect()));
        }
    }
    Table { columns, rows: table_rows, is_headed: true, ..Table::default() }
}

fn side_cells(line: Option<&Line>, metric: Metric, form: RatioForm, farthest: f64, notes: &mut Footnotes) -> [Cell; 4] {
    let found = line.and_then(|line| line.found.as_ref());
    let [ratio, range] = cells(line, form);
    let ratio = Cell {
        notes: line.map(|line| notes.numbers(line)).unwrap_or_default(),
        sense: Some(words::sense(found.map(|found| found.verdict))),
        heat: Some(found.map_or(0.0, |found| found.ratio.ln().abs() / farthest)),
        ..Cell::new(ratio)
    };
    let value = words::value(line.and_then(|line| line.a.as_ref()), metric);
    let verdict = line.map_or_else(|| Cell::new("not comparable"), |line| verdict(line, metric, form));
    [Cell::new(value), ratio, Cell::new(range), Cell { sense: None, ..verdict }]
}

fn mean_cells(mean: Option<&Mean>, form: RatioForm) -> [Cell; 4] {
    let ratio = mean.and_then(|mean| mean.ratio);
    let ratio = ratio.map_or_else(|| "-".to_owned(), |ratio| words::ratio_as(ratio, form));
    let interval = mean.and_then(|mean| mean.interval);
    let interval = interval.map_or_else(String::new, |range| words::range_as(Some(range), form));
    [Cell::default(), Cell::new(ratio), Cell::new(interval), Cell::default()]
}

/// Lists the options in force of all sides, shared ones once.
pub fn options(sides: &[Comparison]) -> Vec<String> {
    let mut each: Vec<(&str, &SideFacts)> = Vec::new();
    for group in by_reference(sides) {
        each.push(("", &group[0].b));
        each.extend(group.iter().map(|side| ("", &side.a)));
    }
    facts::options_of(&each)
}

/// Returns several sides as text. `cells`: the form of CSV cells.
///
/// # Errors
/// Fails if it could not be written. Parquet is not text.
pub fn several(sides: &[Comparison], format: Format, style: TableStyle, cells: Cells) -> Result<String, WriteError> {
    match format {
        Format::Csv => Ok(csv::of_rows(flat_rows(sides)?, cells)),
        Format::Benchfmt | Format::Parquet | Format::Lines => {
            Err(WriteError::Unsupported { asked: format, supported: SEVERAL_FORMATS })
        }
        Format::Table | Format::Markdown | Format::Json | Format::Html => {
            let typed = json!({ "version": COMPARISON_VERSION, "comparisons": sides });
            sheet::written(&several_sheet(sides), &typed, format, style, cells)
        }
    }
}

/// Writes several sides to a file, which is replaced in one step or left unchanged. `cells`: the form of CSV cells.
///
/// # Errors
/// Fails if it could not be written.
pub fn export_several(
    sides: &[Comparison],
    format: Format,
    style: TableStyle,
    cells: Cells,
    output: &Output,
) -> Result<(), WriteError> {
    match format {
        Format::Parquet => {
            let rows = flat_rows(sides)?;
            output.replace(|temporary| Ok(write_parquet(flat::COLUMNS, &rows, temporary)?))?
        }
        _ => Ok(output.replace_text(&several(sides, format, style, cells)?)?),
    }
}

fn flat_rows(sides: &[Comparison]) -> Result<Vec<Vec<dbdyno_store::Cell>>, serde_json::Error> {
    let each: Vec<_> = sides.iter().map(flat::rows).collect::<Result<_, _>>()?;
    Ok(each.into_iter().flatten().collect())
}
