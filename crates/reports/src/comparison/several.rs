//! Several sides beside one reference, as one table: each test's figure of the reference, then figure, ratio and interval of each other.

use super::{
    TableStyle, csv, facts, flat,
    looks::{estimate, looks},
    markdown::escaped,
    several_page::page,
    words::{self, Footnotes},
};
use crate::format::{Format, WriteError};
use console::{Alignment, truncate_str};
use dbdyno_comparing::compare::{COMPARISON_VERSION, Comparison, JudgedRatio, Line, Mean, RatioForm, SideFacts};
use dbdyno_foundation::{
    base::{
        csv::Cells,
        grid::Grid,
        names::told_apart,
        output::Output,
        units::{counted, plain},
    },
    metric::Metric,
};
use dbdyno_stats::Verdict;
use dbdyno_store::{Cell, write_parquet};
use serde_json::json;

/// How several sides can be written.
pub const SEVERAL_FORMATS: &[Format] =
    &[Format::Table, Format::Markdown, Format::Csv, Format::Json, Format::Html, Format::Parquet];

/// Room for the name of a test, and for that of a side.
const NAME: usize = 19;
const SIDE: usize = 16;
/// Columns that a side takes beside the reference, with the spaces before them.
const EACH: usize = 34;

/// A test at a size, with its line of each side.
pub struct SeveralRow<'c> {
    pub first: &'c Line,
    pub lines: Vec<Option<&'c Line>>,
}

/// The rows of a size, in the order of the first side that has them.
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
    // In the order of tests, unless a side was put in another.
    if sides.iter().all(|side| side.lines.iter().filter(|line| line.size == size).is_sorted_by_key(|line| line.test)) {
        rows.sort_by_key(|row| row.first.test);
    }
    rows
}

/// The sizes of all sides, in the order of the first that has them.
pub fn sizes(sides: &[Comparison]) -> Vec<&str> {
    let mut sizes: Vec<&str> = Vec::new();
    for mean in sides.iter().flat_map(|side| &side.means) {
        if !sizes.contains(&mean.size.as_str()) {
            sizes.push(&mean.size);
        }
    }
    sizes
}

/// What a side is called: the labels of its configurations.
pub fn name(side: &SideFacts) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for one in &side.configurations {
        if !labels.contains(&one.label.as_str()) {
            labels.push(&one.label);
        }
    }
    plain(&labels.join(" | "))
}

/// The reference's figure: that of the first side that has one.
pub fn reference(row: &SeveralRow<'_>, metric: Metric) -> String {
    let figure = row.lines.iter().flatten().find_map(|line| line.b.as_ref());
    words::value(figure, metric)
}

pub fn mean_of<'c>(side: &'c Comparison, size: &str) -> Option<&'c Mean> {
    side.means.iter().find(|mean| mean.size == size)
}

/// Ratio with its sign, and interval.
pub fn cells(line: Option<&Line>, form: RatioForm) -> [String; 2] {
    let Some(found) = line.and_then(|line| line.found.as_ref()) else {
        return [if line.is_some() { "n/c" } else { "-" }.to_owned(), "-".to_owned()];
    };
    let ratio = format!("{} {}", words::ratio_as(found.ratio, form), words::sign(Some(found.verdict)));
    [ratio, words::range_as(found.interval, form)]
}

/// The verdict with the names of side and reference in place of A and B.
pub fn verdict(found: &JudgedRatio, side: &Comparison) -> String {
    words::verdict_between(found, side.metric, [&name(&side.a), &name(&side.b)])
}

/// How a side does against the reference, in words.
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
        (count(|verdict| matches!(verdict, Verdict::TooFew { .. })), "of too few runs"),
        (tests.iter().filter(|line| line.found.is_none()).count(), "not comparable"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{word} in {count}")).collect();
    let tests = counted(tests.len(), "test");
    format!("{} against {}: {} of {tests}", name(&side.a), name(&side.b), counts.join(", "))
}

/// The geometric means of a side, in words; none without one.
fn means(side: &Comparison) -> Option<String> {
    let form = side.ratios;
    let means: Vec<String> = side
        .means
        .iter()
        .filter(|mean| mean.tests > 1)
        .filter_map(|mean| {
            let interval =
                mean.interval.map_or_else(String::new, |range| format!(" [{}]", words::range_as(Some(range), form)));
            let size = if side.means.len() > 1 { format!(" at {}", mean.size) } else { String::new() };
            Some(format!("{}{interval}{size}", words::ratio_as(mean.ratio?, form)))
        })
        .collect();
    (!means.is_empty()).then(|| format!("{}: geometric mean {}", name(&side.a), means.join(", ")))
}

/// Whether two sides stand beside the same reference.
pub fn is_same_reference(one: &Comparison, next: &Comparison) -> bool {
    one.b.selection == next.b.selection
}

/// The sides of each reference, which come one after the other.
pub fn by_reference(sides: &[Comparison]) -> impl Iterator<Item = &[Comparison]> {
    sides.chunk_by(is_same_reference)
}

/// What is said below the figures: once, whatever the number of sides.
fn below(sides: &[Comparison], notes: &Footnotes) -> Vec<String> {
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
    (1..).zip(&notes.texts).for_each(|(number, note)| add(format!("[{number}] {note}")));
    lines
}

/// What a reader should know of any side, once.
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

/// The verdicts on several sides as a table of text, without what is said of where they come from.
pub fn verdicts(sides: &[Comparison], style: TableStyle) -> String {
    let mut notes = Footnotes::default();
    let mut text = String::new();
    let fit = (style.width.saturating_sub(NAME + 10) / EACH).max(1);
    for group in by_reference(sides) {
        for part in (0..group.len()).collect::<Vec<_>>().chunks(fit) {
            text.push_str(&grid(group, part, &mut notes));
            text.push('\n');
        }
        let first = &group[0];
        let column = words::ratio_column(first.ratios);
        let signs = words::signs(first.metric);
        text.push_str(&format!("{column} {} against {} · {signs}\n", what(first), name(&first.b)));
        text.push_str(if group.len() < sides.len() { "\n" } else { "" });
    }
    for line in below(sides, &notes) {
        text.push_str(&plain(&line));
        text.push('\n');
    }
    text
}

fn what(side: &Comparison) -> &'static str {
    match side.metric {
        Metric::Wall => "time",
        metric => metric.title(),
    }
}

fn grid(sides: &[Comparison], part: &[usize], notes: &mut Footnotes) -> String {
    let mut columns = vec![Alignment::Left, Alignment::Right];
    columns.extend(part.iter().flat_map(|_| [Alignment::Right, Alignment::Left, Alignment::Left]));
    let mut grid = Grid::new(columns);
    let form = sides[part[0]].ratios;
    let short = |text: &str, room: usize| truncate_str(&plain(text), room, "…").into_owned();
    let names = [&sides[part[0]].b].into_iter().chain(part.iter().map(|&place| &sides[place].a));
    let mut names = told_apart(&names.map(|side| plain(&name(side))).collect::<Vec<_>>(), SIDE).into_iter();
    let mut titles: Vec<String> = [String::new()].into_iter().chain(names.next()).collect();
    titles.extend(names.flat_map(|name| [name, words::ratio_column(form).to_owned(), "95 %".to_owned()]));
    grid.row(titles);
    for size in sizes(sides) {
        grid.title(plain(&format!("size {size}")));
        for row in rows(sides, size) {
            let metric = sides[part[0]].metric;
            let mut line =
                vec![short(&format!("{} {}", row.first.test, row.first.name), NAME), reference(&row, metric)];
            for &place in part {
                let of_side = row.lines[place];
                let marks = of_side.map(|line| words::marks(&notes.numbers(line))).unwrap_or_default();
                let [ratio, interval] = cells(of_side, form);
                line.extend([
                    words::value(of_side.and_then(|line| line.a.as_ref()), metric),
                    format!("{ratio} {marks}").trim_end().to_owned(),
                    interval,
                ]);
            }
            grid.row(line);
        }
        if part.iter().any(|&place| mean_of(&sides[place], size).is_some_and(|mean| mean.tests > 1)) {
            let mut line = vec!["geometric mean".to_owned(), String::new()];
            for &place in part {
                let mean = mean_of(&sides[place], size);
                let ratio = mean.and_then(|mean| mean.ratio);
                let ratio = ratio.map_or("-".to_owned(), |ratio| words::ratio_as(ratio, form));
                let interval = mean.and_then(|mean| mean.interval);
                let interval = interval.map_or_else(String::new, |range| words::range_as(Some(range), form));
                line.extend([String::new(), ratio, interval]);
            }
            grid.row(line);
        }
    }
    grid.render()
}

fn table(sides: &[Comparison], style: TableStyle) -> String {
    let Some(first) = sides.first() else { return String::new() };
    let mut text = String::new();
    let mut add = |line: &str| text.push_str(&format!("{}\n", plain(line)));
    head(sides).iter().for_each(|line| add(line));
    text.push('\n');
    text.push_str(&verdicts(sides, style));
    text.push('\n');
    let warnings = warnings(sides).into_iter().map(|warning| format!("!  {warning}"));
    for line in warnings.chain(options(sides)).chain(facts::origin(first)) {
        text.push_str(&format!("{}\n", plain(&line)));
    }
    text
}

/// The options in force of all sides, what they have alike once.
pub fn options(sides: &[Comparison]) -> Vec<String> {
    let mut each: Vec<(&str, &SideFacts)> = Vec::new();
    for group in by_reference(sides) {
        each.push(("", &group[0].b));
        each.extend(group.iter().map(|side| ("", &side.a)));
    }
    facts::options_of(&each)
}

fn markdown(sides: &[Comparison]) -> String {
    let Some(first) = sides.first() else { return String::new() };
    let mut notes = Footnotes::default();
    let form = first.ratios;
    let mut out: String = head(sides).iter().map(|line| format!("{}  \n", escaped(line))).collect();
    by_reference(sides).for_each(|group| out.push_str(&markdown_table(group, form, &mut notes)));
    out.push('\n');
    let warnings = warnings(sides).into_iter().map(|warning| format!("Warning: {warning}"));
    let means = sides.iter().filter_map(means);
    for line in means.chain(below(sides, &notes)).chain(warnings).chain(options(sides)).chain(facts::origin(first)) {
        out.push_str(&format!("- {}\n", escaped(&line)));
    }
    out
}

/// The sides beside one reference.
fn markdown_table(sides: &[Comparison], form: RatioForm, notes: &mut Footnotes) -> String {
    let first = &sides[0];
    let column = words::ratio_column(form);
    let titles: String =
        sides.iter().map(|side| format!(" {} | {column} | 95 % | verdict |", escaped(&name(&side.a)))).collect();
    let mut out = format!("\n| test | size | {} |{titles}\n| :-- | --: | --: |", escaped(&name(&first.b)));
    out.push_str(&" --: | --: | --: | :-- |".repeat(sides.len()));
    out.push('\n');
    for size in sizes(sides) {
        for row in rows(sides, size) {
            let test = escaped(&format!("{} {}", row.first.test, row.first.name));
            out.push_str(&format!("| {test} | {} | {} |", escaped(size), reference(&row, first.metric)));
            for line in &row.lines {
                let marks = line.map(|line| escaped(&words::marks(&notes.numbers(line)))).unwrap_or_default();
                let found = line.and_then(|line| line.found.as_ref());
                let verdict =
                    found.map_or("not comparable".to_owned(), |found| words::verdict_as(found, first.metric, form));
                out.push_str(&format!(
                    " {} | {} | {} | {} |",
                    words::value(line.and_then(|line| line.a.as_ref()), first.metric),
                    found.map_or("-".to_owned(), |found| words::ratio_as(found.ratio, form)),
                    found.map_or("-".to_owned(), |found| words::range_as(found.interval, form)),
                    format!("{} {marks}", escaped(&verdict)).trim_end()
                ));
            }
            out.push('\n');
        }
    }
    out
}

/// Several sides as text. `cells`: what those of CSV are written as.
///
/// # Errors
/// Why it could not be written. Parquet is no text.
pub fn several(sides: &[Comparison], format: Format, style: TableStyle, cells: Cells) -> Result<String, WriteError> {
    Ok(match format {
        Format::Table => table(sides, style),
        Format::Markdown => markdown(sides),
        Format::Csv => csv::of_rows(flat_rows(sides)?, cells),
        Format::Json => {
            serde_json::to_string_pretty(&json!({ "version": COMPARISON_VERSION, "comparisons": sides }))? + "\n"
        }
        Format::Html => page(sides)?,
        _ => return Err(WriteError::Unsupported { asked: format, supported: SEVERAL_FORMATS }),
    })
}

/// Writes several sides to a file, which is replaced in one step or left as it is. `cells`: what those of CSV are written as.
///
/// # Errors
/// Why it could not be written.
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

fn flat_rows(sides: &[Comparison]) -> Result<Vec<Vec<Cell>>, serde_json::Error> {
    let each: Vec<_> = sides.iter().map(flat::rows).collect::<Result<_, _>>()?;
    Ok(each.into_iter().flatten().collect())
}
