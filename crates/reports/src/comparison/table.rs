//! A comparison as text for a terminal of 80 columns or more.

use super::{
    bar::{draw, reach},
    facts, looks, over_several, scaling,
    words::{self, Footnotes},
};
use crate::text::Colouring;
use console::{Alignment, truncate_str};
use dbdyno_comparing::compare::{
    Comparison, JudgedRatio, Line, ObstacleKind, OverSizes, Part, Pivot, RatioForm, ScalingCurve, SizeRatio,
    curve_families,
};
use dbdyno_foundation::base::{grid::Grid, names::told_apart, units::plain};
use dbdyno_stats::Verdict;

/// How a table is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableStyle {
    /// Whether verdicts are coloured; their words say the same.
    pub colour: Colouring,
    /// Columns there are.
    pub width: usize,
}

/// Columns that the table takes without a bar, names of tests cut to [`NAME`].
const NARROW: usize = 80;
/// Room for the name of a test in a narrow table.
const NAME: usize = 19;
/// The narrowest and the widest bar.
const BARS: (usize, usize) = (9, 25);

pub fn table(comparison: &Comparison, style: TableStyle) -> String {
    let mut text = Text::default();
    facts::head(comparison).iter().for_each(|line| text.line(line));
    let mut notes = Footnotes::default();
    let form = comparison.ratios;
    if let Some(pivot) = &comparison.pivot {
        text.block(&pivot_table(pivot, form, style));
        text.line(&words::signs(comparison.metric));
        comparison.lines.iter().for_each(|line| drop(notes.numbers(line)));
    } else if let Some(tests) = &comparison.by_size {
        text.block(&over_sizes(tests, form));
        text.line(&words::signs(comparison.metric));
        looks::method(comparison).iter().for_each(|note| text.line(note));
        comparison.lines.iter().for_each(|line| drop(notes.numbers(line)));
    } else if comparison.scaling.is_none() {
        text.block(&lines(comparison, style, &mut notes));
        let tests = over_several(comparison);
        if !tests.is_empty() {
            text.line("over sizes:");
            text.block(&summary(&tests, form));
            text.line(&words::signs(comparison.metric));
        }
        let undecided =
            |found: &JudgedRatio| matches!(found.verdict, Verdict::Undecided { .. }) && found.sessions.is_none();
        if comparison.lines.iter().filter_map(|line| line.found.as_ref()).any(undecided) {
            text.line(words::MORE);
        }
        looks::method(comparison).iter().for_each(|note| text.line(note));
        comparison.means.iter().filter_map(words::left_out).for_each(|note| text.line(&note));
    }
    for overall in comparison.overall.iter().filter(|_| comparison.scaling.is_none()) {
        text.line(&words::overall(overall, form));
    }
    comparison.unmatched.iter().for_each(|what| text.line(&format!("left out: {what}")));
    if let Some(curves) = &comparison.scaling {
        text.block(&growth(comparison, curves, &mut notes));
        text.line(if curves.is_empty() { scaling::NOTHING } else { scaling::LEGEND });
        // Other tables have them among their notes.
        if comparison.by_size.is_none() && comparison.pivot.is_none() {
            differences(comparison).iter().for_each(|difference| text.line(&format!("!  {difference}")));
        }
    }
    for (number, note) in (1..).zip(&notes.texts) {
        text.line(&format!("[{number}] {note}"));
    }
    comparison.warnings.iter().for_each(|warning| text.line(&format!("!  {warning}")));
    text.0.push('\n');
    facts::options(comparison).iter().for_each(|line| text.line(line));
    facts::origin(comparison).iter().for_each(|line| text.line(line));
    text.0
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(&plain(line));
        self.0.push('\n');
    }

    /// Lines whose cells are plain already.
    fn block(&mut self, block: &str) {
        self.0.push('\n');
        self.0.push_str(block);
        self.0.push('\n');
    }
}

fn lines(comparison: &Comparison, style: TableStyle, notes: &mut Footnotes) -> String {
    // What room there is beyond the narrow table goes to the names first.
    let spare = style.width.saturating_sub(NARROW);
    let longest = comparison.lines.iter().map(|line| name(line).chars().count()).max().unwrap_or(0);
    let more = longest.saturating_sub(NAME).min(spare);
    let bar = (spare - more).saturating_sub(2);
    let bar = (bar >= BARS.0).then(|| bar.min(BARS.1));
    let medians = comparison.median_ratios;
    let mut columns = vec![Alignment::Left, Alignment::Right, Alignment::Right, Alignment::Right];
    columns.extend(medians.then_some(Alignment::Right));
    columns.push(Alignment::Left);
    columns.extend(bar.map(|_| Alignment::Left));
    columns.push(Alignment::Left);
    let mut grid = Grid::new(columns);
    let mut head: Vec<String> = vec![
        String::new(),
        words::column(comparison.metric, "A"),
        words::column(comparison.metric, "B"),
        words::ratio_column(comparison.ratios).to_owned(),
    ];
    head.extend(medians.then(|| looks::MEDIAN_RATIOS.to_owned()));
    head.push("95 %".to_owned());
    head.extend(bar.map(|width| format!("{:^width$}", words::bar_title(comparison.metric))));
    head.push("verdict".to_owned());
    grid.row(head);
    let reach = reach(&comparison.lines);
    for mean in &comparison.means {
        let part = words::part(&mean.part);
        grid.title(plain(&format!("size {}{}{part}", mean.size, if part.is_empty() { "" } else { " · " })));
        let of_mean = |line: &&Line| line.part == mean.part && line.size == mean.size;
        for line in comparison.lines.iter().filter(of_mean) {
            let numbers = notes.numbers(line);
            let shown = truncate_str(&name(line), NAME + more, "…").into_owned();
            let bar = bar.map(|width| (width, reach));
            grid.row([shown].into_iter().chain(cells(line, comparison, &numbers, bar, style.colour)));
        }
        if let Some(ratio) = mean.ratio.filter(|_| mean.tests > 1) {
            let name = format!("geometric mean ({})", mean.tests);
            let form = comparison.ratios;
            let interval = mean.interval.map_or_else(String::new, |interval| words::range_as(Some(interval), form));
            let mut mean = vec![name, String::new(), String::new(), words::ratio_as(ratio, form)];
            mean.extend(medians.then(String::new));
            mean.push(interval);
            grid.row(mean);
        }
    }
    grid.render()
}

fn name(line: &Line) -> String {
    plain(&format!("{} {}", line.test, line.name))
}

/// All cells but the name.
fn cells(
    line: &Line,
    comparison: &Comparison,
    notes: &[usize],
    bar: Option<(usize, f64)>,
    colour: Colouring,
) -> Vec<String> {
    let (metric, form, medians) = (comparison.metric, comparison.ratios, comparison.median_ratios);
    let mut cells = vec![words::value(line.a.as_ref(), metric), words::value(line.b.as_ref(), metric)];
    let marks = words::marks(notes);
    match &line.found {
        Some(found) => {
            cells.push(words::ratio_as(found.ratio, form));
            cells.extend(medians.then(|| words::ratio_as(found.median_ratio, form)));
            cells.push(words::range_as(found.interval, form));
            cells.extend(bar.map(|(width, reach)| draw(found, width, reach)));
            let text = format!("{} {marks}", words::short_verdict_as(found, metric, form)).trim_end().to_owned();
            cells.push(coloured(text, found.verdict, colour));
        }
        None => {
            cells.extend(vec!["-".to_owned(); 2 + usize::from(medians)]);
            cells.extend(bar.map(|_| String::new()));
            cells.push(format!("not comparable {marks}"));
        }
    }
    cells
}

fn coloured(text: String, verdict: Verdict, colour: Colouring) -> String {
    let code = match verdict {
        Verdict::Faster => 32,
        Verdict::Slower => 31,
        _ => return text,
    };
    if colour == Colouring::On { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text }
}

/// Each test over its sizes in one row, by parts.
fn summary(tests: &[OverSizes], form: RatioForm) -> String {
    let mut grid = Grid::new([Alignment::Left, Alignment::Right, Alignment::Left, Alignment::Right, Alignment::Left]);
    grid.row(["", "median", "min, max", "sizes", "verdicts"].map(str::to_owned));
    let mut titled = None;
    for test in tests {
        title(&mut grid, &test.part, &mut titled);
        let [median, min, max] = [test.median, test.min, test.max].map(|ratio| words::ratio_as(ratio, form));
        grid.row([
            plain(&format!("{} {}", test.test, test.name)),
            median,
            format!("[{min}, {max}]"),
            test.sizes.len().to_string(),
            words::verdicts_over(&test.sizes),
        ]);
    }
    grid.render()
}

/// The title of a part, above its first row.
fn title<'p>(grid: &mut Grid, part: &'p Part, titled: &mut Option<&'p Part>) {
    if *titled != Some(part) {
        *titled = Some(part);
        if !part.is_empty() {
            grid.title(plain(&words::part(part)));
        }
    }
}

fn over_sizes(tests: &[OverSizes], form: RatioForm) -> String {
    let mut sizes: Vec<&str> = Vec::new();
    for size in tests.iter().flat_map(|test| &test.sizes) {
        if !sizes.contains(&size.size.as_str()) {
            sizes.push(&size.size);
        }
    }
    let mut columns = vec![Alignment::Right; sizes.len() + 4];
    columns[0] = Alignment::Left;
    let mut grid = Grid::new(columns);
    let head = [format!("{}, 95 %", words::ratio_column(form))].into_iter();
    let summary = ["median", "min", "max"].map(str::to_owned);
    grid.row(head.chain(sizes.iter().map(|size| plain(size))).chain(summary));
    let mut titled = None;
    for test in tests {
        title(&mut grid, &test.part, &mut titled);
        let name = plain(&format!("{} {}", test.test, test.name));
        let at = |cell: fn(&SizeRatio, RatioForm) -> String| {
            let found = |size: &&str| test.sizes.iter().find(|found| found.size == *size);
            sizes.iter().map(move |size| found(size).map_or("-".to_owned(), |found| cell(found, form)))
        };
        let ratio = |found: &SizeRatio, form| {
            format!("{} {}", words::ratio_as(found.ratio, form), words::sign(Some(found.verdict)))
        };
        let summary = [test.median, test.min, test.max].map(|ratio| words::ratio_as(ratio, form));
        grid.row([name].into_iter().chain(at(ratio)).chain(summary));
        let below = [const { String::new() }; 3];
        grid.row(
            [String::new()].into_iter().chain(at(|found, form| words::range_as(found.interval, form))).chain(below),
        );
    }
    grid.render()
}

/// What differs between the sides, that a reader of figures beside each other has to know.
fn differences(comparison: &Comparison) -> Vec<&str> {
    let obstacles = comparison.lines.iter().flat_map(|line| &line.obstacles);
    let mut messages: Vec<&str> = Vec::new();
    for obstacle in obstacles.filter(|obstacle| matches!(obstacle.kind, ObstacleKind::Differ(_))) {
        if !messages.contains(&obstacle.message.as_str()) {
            messages.push(&obstacle.message);
        }
    }
    messages
}

fn growth(comparison: &Comparison, curves: &[ScalingCurve], notes: &mut Footnotes) -> String {
    let mut grid = Grid::new([Alignment::Left; 3]);
    for [name, side, growth] in scaling::rows(comparison, &curve_families(curves), notes) {
        grid.row([truncate_str(&plain(&name), NAME, "…").into_owned(), plain(&side), plain(&growth)]);
    }
    grid.render()
}

fn pivot_table(pivot: &Pivot, form: RatioForm, style: TableStyle) -> String {
    let mut columns = vec![Alignment::Right; pivot.columns.len() + 1];
    columns[0] = Alignment::Left;
    let mut grid = Grid::new(columns);
    let corner = plain(&format!("{} \\ {}", pivot.row, pivot.column));
    // Long names share the line; the full ones are in the other formats.
    let room = (style.width.max(NARROW).saturating_sub(NAME) / pivot.columns.len().max(1)).saturating_sub(2).max(7);
    let names: Vec<String> = pivot.columns.iter().map(|name| plain(name)).collect();
    grid.row([corner].into_iter().chain(told_apart(&names, room)));
    for row in &pivot.rows {
        let cells = || row.cells.iter().map(|cell| words::pivot_cell(cell.as_ref(), form));
        let name = truncate_str(&plain(&row.value), NAME + 6, "…").into_owned();
        grid.row([name].into_iter().chain(cells().map(|[ratio, _]| ratio)));
        grid.row([String::new()].into_iter().chain(cells().map(|[_, interval]| interval)));
    }
    format!("{}{}, 95 % · {}\n", grid.render(), words::ratio_column(form), words::PIVOT_CELLS)
}
