//! Several sides compared with one reference, as one table: for each test the reference's figure, then figure, ratio and interval of each
//! other side.

use super::{
    csv, facts, flat,
    leader::leading,
    looks::{estimate, looks},
    magnitudes::magnitudes,
    ratios, reasons,
    sentence::{of_parts, sentence},
    sheet::{NAME, closing, of_size, verdict},
    wording::{Wording, chance},
    words::{self, Footnotes},
};
use crate::{
    doubts::doubts_sentence,
    format::{Format, WriteError},
    sheet::{self, Cell, Column, ColumnPart, ColumnRole, ReportStyle, Row, Section, Sheet, Table, TableStyle, Tone},
};
use dbdyno_comparing::compare::{
    COMPARISON_VERSION, ComparedGroups, Comparison, Leader, Line, Mean, RatioForm, SideFacts, by_reference,
};
use dbdyno_comparing::doubt::Doubt;
use dbdyno_foundation::{
    base::{output::Output, units::plain},
    metric::Metric,
};
use dbdyno_store::write_parquet;
use serde_json::json;

/// The formats in which several sides can be written.
pub const SEVERAL_FORMATS: &[Format] = SEVERAL_COMMAND_FORMATS.split_at(SEVERAL_COMMAND_FORMATS.len() - 2).0;

/// The formats of the command: [`SEVERAL_FORMATS`], then two with only or mainly the answer.
pub const SEVERAL_COMMAND_FORMATS: &[Format] = &[
    Format::Table,
    Format::Markdown,
    Format::Csv,
    Format::Json,
    Format::Html,
    Format::Svg,
    Format::Png,
    Format::Parquet,
    Format::Summary,
    Format::Comment,
];

/// Width of a side's name, in characters.
const SIDE: usize = 16;
/// The most sides of a group whose parts of tests the answer describes.
const PARTS: usize = 2;

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
pub fn cells(line: Option<&Line>, wording: &Wording) -> [String; 2] {
    let Some(found) = line.and_then(|line| line.found.as_ref()) else {
        return [if line.is_some() { "n/c" } else { "-" }.to_owned(), "-".to_owned()];
    };
    let ratio = format!("{} {}", wording.ratio(found.ratio), words::sign(Some(found.verdict)));
    [ratio, wording.range(found.interval)]
}

/// Returns the text below the figures, each sentence once for all sides.
fn remarks(sides: &[Comparison]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for side in sides {
        let overall = side.overall.iter().map(|overall| Wording::of(side).overall(overall));
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

/// Returns the doubts about any side, each once.
pub fn doubts(sides: &[Comparison]) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    for doubt in sides.iter().flat_map(|side| &side.doubts) {
        if !doubts.contains(doubt) {
            doubts.push(doubt.clone());
        }
    }
    doubts
}

/// Returns what the verdicts say, in sentences: about each group, whether all are equally durable, and which doubts there are.
pub fn answers(compared: &ComparedGroups) -> Vec<String> {
    let of_groups = compared.groups().flat_map(|(sides, leader)| group_answers(sides, leader));
    of_groups.chain(reliance(&compared.sides)).collect()
}

/// Returns how durable all sides are, and how doubtful their comparisons.
pub fn reliance(sides: &[Comparison]) -> Vec<String> {
    let of_sides = sides.iter().flat_map(|side| [&side.b, &side.a]);
    facts::durability(of_sides).into_iter().chain(doubts_sentence(&doubts(sides))).collect()
}

/// Returns what the verdicts say about the leader of a group, or about its only candidate.
pub fn group_answers(sides: &[Comparison], leader: Option<&Leader>) -> Vec<String> {
    let whole = match leader {
        Some(leader) => leading(&leader.duels(sides)),
        None => sides.iter().map(sentence).collect(),
    };
    let parts = match sides {
        [only] => of_parts(only).into_iter().collect(),
        few if few.len() <= PARTS => few.iter().filter_map(parts_of_one).collect(),
        _ => Vec::new(),
    };
    whole.into_iter().chain(parts).collect()
}

/// Returns which parts gain and which lose in one of several comparisons, and says in which one.
fn parts_of_one(comparison: &Comparison) -> Option<String> {
    let names = Wording::of(comparison).sides;
    Some(format!("{} against {}, {}", names.a, names.b, lower_first(&of_parts(comparison)?)))
}

fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Returns the lines above the tables: what is compared, with the counts of all sides.
pub fn head(sides: &[Comparison]) -> Vec<String> {
    let Some(first) = sides.first() else { return Vec::new() };
    let of_group = |group: &[Comparison]| {
        let reference = group.iter().take(1).map(|side| facts::side("B", &side.b));
        reference.chain(group.iter().map(|side| facts::side("A", &side.a))).collect::<Vec<_>>()
    };
    let mut lines: Vec<String> = by_reference(sides).flat_map(of_group).collect();
    let figure = words::figure(first.metric).into_iter();
    lines.push(figure.chain(words::basis(first)).chain([words::noise(first)]).collect::<Vec<_>>().join(" · "));
    for line in sides.iter().flat_map(words::days_and_places) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Returns the verdicts on several sides as text, without the lines about their origin.
pub fn verdicts(compared: &ComparedGroups, style: TableStyle) -> String {
    let mut notes = Footnotes::default();
    let sides = &compared.sides;
    let tables = tables(sides, &mut notes);
    let figure = sides.first().and_then(|side| words::figure(side.metric));
    let answers = Section::lines(answers(compared).into_iter().chain(figure).collect());
    let remarks = Section::toned(Tone::Remarks, "", remarks(sides));
    let bars = by_reference(sides).filter_map(magnitudes);
    let tables = tables.into_iter().chain(reasons::sections(sides));
    let sections = [answers].into_iter().chain(bars).chain(tables).chain(remarks).chain(closing(notes, &[])).collect();
    sheet::text(&Sheet { sections, ..Sheet::default() }, style)
}

/// Several sides as a sheet.
pub fn several_sheet(compared: &ComparedGroups) -> Sheet {
    let sides = compared.sides.as_slice();
    let Some(first) = sides.first() else { return Sheet::default() };
    let title = |sides: &[Comparison]| {
        let names: Vec<String> = sides.iter().map(|side| name(&side.a)).collect();
        format!("{} against {}", names.join(", "), name(&sides[0].b))
    };
    let mut notes = Footnotes::default();
    let mut sections: Vec<Section> = Section::toned(Tone::Answer, "", answers(compared)).into_iter().collect();
    sections.push(Section { tone: Tone::Head, before: head(sides), ..Section::default() });
    sections.extend(by_reference(sides).filter_map(magnitudes));
    sections.extend(tables(sides, &mut notes));
    sections.extend(reasons::sections(sides));
    sections.extend(Section::toned(Tone::Remarks, "In words", remarks(sides)));
    sections.extend(closing(notes, &doubts(sides)));
    sections.extend(Section::toned(Tone::Folded, "Options in force", options(sides)));
    sections.extend(Section::toned(Tone::Remarks, "How it was measured", vec![facts::origin(first)]));
    sections.extend(Section::toned(Tone::OnPage, facts::GLOSSARY, facts::glossary()));
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
        let (better, worse) = words::comparatives(first.metric);
        let reference = name(&first.b);
        let signs = format!("▼ {better}  ▲ {worse} than {reference}  = same  ? undecided  … too few runs");
        let of_ratio = match first.ratios {
            RatioForm::Words => None,
            RatioForm::Factor => Some(format!("ratio: {what} of each / {what} of {reference}")),
            RatioForm::Percent => Some(format!("change: {what} of each to {what} of {reference}")),
            RatioForm::Speedup => Some(format!("speedup: of each over {reference}")),
        };
        let of_ratio = of_ratio.map(|ratio| format!("{ratio} · {signs}"));
        let lines = || group.iter().flat_map(|side| &side.lines);
        let has_words = first.ratios == RatioForm::Words;
        let more = (has_words && lines().any(words::is_undecided)).then(|| words::MORE.to_owned());
        let mut open =
            lines().filter(|line| words::has_open_range(line)).filter_map(|line| chance(line.found.as_ref()?));
        let ranges = open.next().filter(|_| has_words).map(|range| {
            let ends = ratios::factors([range.low, range.high].map(|end| ratios::gain(end, first.metric)));
            let (words, much) = (ends.replacen('-', " to ", 1), ratios::as_much(first.metric));
            format!("({ends}x): {words} times {much} as {reference}, with 95 % confidence")
        });
        let has_notes = lines().any(|line| !line.obstacles.is_empty());
        let letters = has_notes.then(|| format!("notes call {reference} B, and the other side A"));
        let adjusted = words::about_adjusted(lines()).filter(|_| has_words).map(str::to_owned);
        let after = of_ratio.into_iter().chain(more).chain(ranges).chain(adjusted).chain(letters).collect();
        Section {
            heading: (has_words || groups.len() > 1).then(|| format!("against {reference}")),
            after,
            ..Section::table(beside(group, notes))
        }
    };
    groups.iter().map(of_group).collect()
}

/// Builds the table of the sides of one reference: for each its figure and the verdict, with the ratio and its interval if ratios were
/// asked for.
fn beside(sides: &[Comparison], notes: &mut Footnotes) -> Table {
    let first = &sides[0];
    let (metric, has_ratios) = (first.metric, first.ratios != RatioForm::Words);
    let wordings: Vec<Wording> = sides.iter().map(Wording::of).collect();
    let reference_column = Column::new("reference", &name(&first.b), ColumnRole::Figure).at_least(SIDE);
    let mut columns = vec![
        Column::new("test", "test", ColumnRole::Name).at_least(NAME).part(ColumnPart::Repeated),
        Column::new("size", "size", ColumnRole::Group),
        reference_column.part(ColumnPart::Repeated),
    ];
    let joined = |column: Column| column.part(ColumnPart::Joined);
    for (side, wording) in sides.iter().zip(&wordings) {
        columns.push(Column::new("value", &name(&side.a), ColumnRole::Figure).at_least(SIDE));
        if has_ratios {
            let ratio = wording.ratio_column();
            columns.push(joined(Column::new("ratio", &ratio, ColumnRole::Figure)));
            columns.push(joined(Column::new("interval", "95 %", ColumnRole::Interval)));
        }
        let verdict = joined(Column::new("verdict", "verdict", ColumnRole::Verdict));
        columns.push(if has_ratios { verdict.ranked(1) } else { verdict });
    }
    let found = sides.iter().flat_map(|side| &side.lines).filter_map(|line| line.found.as_ref());
    let farthest = found.map(|found| found.ratio.ln().abs()).fold(f64::MIN_POSITIVE, f64::max);
    let mut table_rows = Vec::new();
    for size in sizes(sides) {
        for row in rows(sides, size) {
            let mut cells =
                vec![Cell::new(wordings[0].line_name(row.first)), of_size(size), Cell::new(reference(&row, metric))];
            for (line, wording) in row.lines.iter().zip(&wordings) {
                cells.extend(side_cells(*line, wording, farthest, notes));
            }
            table_rows.push(Row::Cells(cells));
        }
        if sides.iter().any(|side| mean_of(side, size).is_some_and(|mean| mean.tests > 1)) {
            let own = [Cell::new("geometric mean"), of_size(size), Cell::default()];
            let of_sides = sides.iter().zip(&wordings).flat_map(|(side, one)| mean_cells(mean_of(side, size), one));
            table_rows.push(Row::Total(own.into_iter().chain(of_sides).collect()));
        }
    }
    Table { columns, rows: table_rows, is_headed: true, ..Table::default() }
}

fn side_cells(line: Option<&Line>, wording: &Wording, farthest: f64, notes: &mut Footnotes) -> Vec<Cell> {
    let found = line.and_then(|line| line.found.as_ref());
    let mut marked = |text: String| Cell {
        notes: line.map(|line| notes.numbers(line)).unwrap_or_default(),
        sense: Some(words::sense(found.map(|found| found.verdict))),
        heat: Some(found.map_or(0.0, |found| found.ratio.ln().abs() / farthest)),
        ..Cell::new(text)
    };
    let value = Cell::new(words::value(line.and_then(|line| line.a.as_ref()), wording.metric));
    if wording.form == RatioForm::Words {
        let missing = if line.is_some() { "not comparable" } else { "-" };
        return vec![value, marked(found.map_or_else(|| missing.to_owned(), |found| wording.verdict_on_a(found)))];
    }
    let [ratio, range] = cells(line, wording);
    let ratio = marked(ratio);
    let verdict = line.map_or_else(|| Cell::new("not comparable"), |line| verdict(line, wording));
    vec![value, ratio, Cell::new(range), Cell { sense: None, ..verdict }]
}

fn mean_cells(mean: Option<&Mean>, wording: &Wording) -> Vec<Cell> {
    let ratio = mean.and_then(|mean| mean.ratio);
    let interval = mean.and_then(|mean| mean.interval);
    if wording.form == RatioForm::Words {
        let amount = ratio.map_or_else(|| "-".to_owned(), |ratio| wording.amount_of_a(ratio, interval));
        return vec![Cell::default(), Cell::new(amount)];
    }
    let ratio = ratio.map_or_else(|| "-".to_owned(), |ratio| wording.ratio(ratio));
    let interval = interval.map_or_else(String::new, |range| wording.range(Some(range)));
    vec![Cell::default(), Cell::new(ratio), Cell::new(interval), Cell::default()]
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

/// Returns several sides as text.
///
/// # Errors
/// Fails if it could not be written. Parquet is not text.
pub fn several(compared: &ComparedGroups, format: Format, style: ReportStyle<'_>) -> Result<String, WriteError> {
    match format {
        Format::Csv => Ok(csv::of_rows(flat_rows(&compared.sides)?, style.cells)),
        Format::Benchfmt | Format::Parquet | Format::Lines => {
            Err(WriteError::Unsupported { asked: format, supported: SEVERAL_COMMAND_FORMATS })
        }
        Format::Table
        | Format::Markdown
        | Format::Json
        | Format::Html
        | Format::Svg
        | Format::Png
        | Format::Summary
        | Format::Comment => {
            let answer = answers(compared);
            let typed = json!({ "version": COMPARISON_VERSION, "answer": answer, "comparisons": compared.sides });
            sheet::written(&several_sheet(compared), &typed, format, style)
        }
    }
}

/// Writes several sides to a file, which is replaced in one step or left unchanged.
///
/// # Errors
/// Fails if it could not be written.
pub fn export_several(
    compared: &ComparedGroups,
    format: Format,
    style: ReportStyle<'_>,
    output: &Output,
) -> Result<(), WriteError> {
    match format {
        Format::Parquet => {
            let rows = flat_rows(&compared.sides)?;
            output.replace(|temporary| Ok(write_parquet(flat::COLUMNS, &rows, temporary)?))?
        }
        _ => Ok(output.replace_with(&sheet::encoded(&several(compared, format, style)?, format)?)?),
    }
}

fn flat_rows(sides: &[Comparison]) -> Result<Vec<Vec<dbdyno_store::FlatValue>>, serde_json::Error> {
    let each: Vec<_> = sides.iter().map(flat::rows).collect::<Result<_, _>>()?;
    Ok(each.into_iter().flatten().collect())
}
