//! The output of the screen: explanations, the SQL behind a number, files.

use super::{
    CompareScreen, CompareView, Compared, Dialog, Intents, PivotPlace, TableRow, WantedComparison, ask::whole,
    rows::name,
};
use crate::tui::{
    export::{FileContent, NewFile},
    launch::{Opening, TrendOf},
    overlay::Overlay,
    screens::{
        copying::{Copyable, nothing_to_copy},
        intent::Intent,
    },
    setup::TuiSetup,
    world::World,
};
use dbdyno_catalog::Role;
use dbdyno_comparing::compare::{ComparedGroups, Comparison, Line, Mean, Obstacle, ObstacleKind};
use dbdyno_foundation::metric::Metric;
use dbdyno_reports::{
    command::shell,
    comparison::{
        self, FORMATS, SCALING_FORMATS, SEVERAL_FORMATS, Wording, explain, facts, looks, scaling, sentences,
        several::several_sheet, words,
    },
    doubts::doubt_messages,
    format::Format,
    sheet::ReportStyle,
};
use std::path::Path;

impl CompareScreen {
    /// Explains the number under the cursor.
    pub(super) fn explain(&self) -> Intents {
        let Some((title, lines)) = self.compared().and_then(|compared| self.explanation(compared)) else {
            return Intents::new();
        };
        vec![Intent::Read(Overlay::explanation(title, lines, self.sql()))]
    }

    fn explanation(&self, compared: &Compared) -> Option<(String, Vec<String>)> {
        let at_size = |line: &Line| {
            let text = format!("{} · size {} {}", name(line), line.size, words::part(&line.part));
            text.trim_end().to_owned()
        };
        Some(match self.looked.view {
            CompareView::Table => match self.row()? {
                TableRow::Line(line) => (at_size(line), explain::line(&compared.plain, line, obstacle)),
                TableRow::Mean(mean) | TableRow::Title(mean) => {
                    let title = format!("Geometric mean · size {}", mean.size);
                    (title, explain::mean(mean, &of_mean(&compared.plain, mean)))
                }
            },
            CompareView::Sizes => {
                let test = self.test()?;
                (format!("{} over sizes", test.name), explain::over_sizes(&compared.plain, test.over, &test.lines))
            }
            CompareView::Latencies => {
                let line = self.line()?;
                (format!("Latencies of {}", at_size(line)), explain::latencies(line))
            }
            CompareView::Pivot => {
                let PivotPlace { row, column, cell, lines } = self.cell()?;
                let text = match lines.as_slice() {
                    [only] => explain::line(&compared.pivot, only, obstacle),
                    lines => explain::cell(&compared.pivot, lines, cell.and_then(|cell| cell.interval)),
                };
                (format!("{row} · {column}"), text)
            }
            CompareView::Scaling => {
                let family = self.family()?;
                let title = format!("{} along {}", scaling::name(&family), family.axis);
                (title, scaling::explanation(&compared.plain, &family))
            }
            CompareView::Matrix | CompareView::Sweep => return None,
        })
    }

    /// Copies the answer and the tables to the clipboard, as Markdown.
    pub(super) fn copy_tables(&self, world: &World) -> Intents {
        let sheet = match self.looked.view.is_of_session() {
            true => several_sheet(&self.exported_session(world)),
            false => match self.exported(world) {
                Some(comparison) => comparison::sheet(&comparison),
                None => return nothing_to_copy(),
            },
        };
        Copyable::new("the answer and the tables, as Markdown", sheet.tables_to_paste()).copied()
    }

    /// Copies the SQL that fetches the data under the cursor to the clipboard.
    pub(super) fn copy_sql(&self) -> Intents {
        copied(self.sql())
    }

    /// Copies the command that compares the offered pair under the cursor.
    pub(super) fn copy_offer(&self, world: &World) -> Intents {
        let pairs = self.pairs();
        let Some((a, b)) = pairs.get(self.offered.at) else { return nothing_to_copy() };
        let words = ["dbdyno", "compare", "--a", &a.selection(), "--b", &b.selection()].map(str::to_owned);
        let command = shell(words.into_iter().chain(world.arguments.iter().cloned()));
        Copyable::new("the command that compares this pair", command).copied()
    }

    /// Returns the SQL that fetches a pair's data under the cursor.
    fn sql(&self) -> Option<String> {
        match self.looked.view {
            CompareView::Table => self.line().and_then(|line| explain::sql(&[line], self.metric())),
            CompareView::Sizes => self.test().and_then(|test| explain::sql(&test.lines, self.metric())),
            CompareView::Latencies => self.line().and_then(explain::latency_sql),
            CompareView::Pivot => self.cell().and_then(|cell| explain::sql(&cell.lines, self.metric())),
            CompareView::Scaling => self.family().and_then(|family| scaling::sql(&family)),
            CompareView::Matrix | CompareView::Sweep => None,
        }
    }

    /// Shows the history, over its sessions, of the configuration under the cursor, or of both sides of a pair.
    pub(super) fn trend(&self) -> Intents {
        let of_session = self.looked.view.is_of_session();
        let under = self.under_cursor();
        let (selections, line) = match &under {
            Some((side, line)) if of_session => (vec![side.a.selection.clone()], *line),
            None if of_session => return Intents::new(),
            _ => (vec![self.looked.a.clone(), self.looked.b.clone()], self.line()),
        };
        let test = line.map(|line| (line.test, line.size.clone()));
        vec![Intent::Open(Opening::Trend(TrendOf { selections, metric: self.looked.metric, test }))]
    }

    /// Shows the remarks to read before trusting the comparison.
    pub(super) fn notes(&self, world: &World) -> Intents {
        let Some(comparison) = self.exported(world) else { return Intents::new() };
        let mut lines = sentences(&comparison);
        lines.extend(facts::head(&comparison));
        lines.push(String::new());
        lines.extend(remarks(&comparison).iter().map(Remark::text));
        lines.push(String::new());
        lines.extend(facts::options(&comparison));
        lines.push(facts::origin(&comparison));
        vec![Intent::page("Notes on this comparison", lines)]
    }

    pub(super) fn ask_export(&self) -> Intents {
        if self.lines_shown().is_empty() {
            return vec![Intent::refused("there is no comparison to export")];
        }
        let endings: Vec<String> = self.formats().iter().map(|format| format!(".{}", format.ending())).collect();
        let help = format!("a file that does not exist yet; its ending selects the format: {}", endings.join(" "));
        let asked = Intent::prompt_file(Dialog::Export, "Export the comparison", help, "dbdyno-compare.md");
        vec![asked.in_formats(self.formats())]
    }

    pub(super) fn export(&self, path: &str, world: &World) -> Result<Intents, String> {
        Format::of_file(Path::new(path), self.formats()).map_err(|error| error.to_string())?;
        if self.looked.view.is_of_session() {
            let content = Box::new(ComparisonsFile(self.exported_session(world)));
            return Ok(vec![Intent::Write { path: path.into(), content }]);
        }
        let comparison = self.exported(world).ok_or("there is no comparison to export")?;
        let content = Box::new(ComparisonFile(comparison, self.looked.wanted()));
        Ok(vec![Intent::Write { path: path.into(), content }])
    }

    /// Returns the formats that can represent the view.
    fn formats(&self) -> &'static [Format] {
        match self.looked.view {
            CompareView::Scaling => SCALING_FORMATS,
            view if view.is_of_session() => SEVERAL_FORMATS,
            _ => FORMATS,
        }
    }

    /// Returns the comparison as the view shows it, with the command that reproduces it.
    fn exported(&self, world: &World) -> Option<Comparison> {
        let compared = self.compared()?;
        let shown = if self.looked.view == CompareView::Pivot { &compared.pivot } else { &compared.plain };
        let by_size = shown.by_size.clone().filter(|_| self.looked.view == CompareView::Sizes);
        let scaling = shown.scaling.clone().filter(|_| self.looked.view == CompareView::Scaling);
        Some(Comparison { command: self.command(shown, world), by_size, scaling, ..shown.clone() })
    }

    /// Returns the command that prints the same comparison.
    fn command(&self, shown: &Comparison, world: &World) -> String {
        let sides = [&shown.a.selection, &shown.b.selection];
        let mut words = ["dbdyno", "compare", "--a", sides[0], "--b", sides[1]].map(str::to_owned).to_vec();
        if shown.metric != Metric::Wall {
            words.extend(["--metric".to_owned(), shown.metric.name().to_owned()]);
        }
        match self.looked.view {
            CompareView::Sizes => words.extend(["--by", "size"].map(str::to_owned)),
            CompareView::Pivot => {
                words.extend(["--pivot".to_owned(), format!("{},{}", self.looked.axes.0, self.looked.axes.1)])
            }
            CompareView::Scaling => words.push("--scaling".to_owned()),
            _ => {}
        }
        words.extend(self.looked.allowed.iter().map(|difference| format!("--allow-{}", difference.name())));
        words.extend(world.arguments.iter().cloned());
        shell(words)
    }
}

/// A remark about the figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    Note(String),
    /// A remark that makes the figures doubtful.
    Warning(String),
}

impl Remark {
    /// Returns the text, with a sign before a warning.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Note(text) => text.clone(),
            Self::Warning(text) => format!("! {text}"),
        }
    }

    pub(super) fn role(&self) -> Role {
        match self {
            Self::Note(_) => Role::Dim,
            Self::Warning(_) => Role::Warn,
        }
    }
}

/// Returns the obstacles of lines, the tests left out and the linters' findings, each once.
pub fn remarks(comparison: &Comparison) -> Vec<Remark> {
    let mut notes = words::Footnotes::default();
    comparison.lines.iter().for_each(|line| drop(numbers(&mut notes, line)));
    let numbered = (1..).zip(notes.texts).map(|(number, note)| format!("[{number}] {note}"));
    let overall = comparison.overall.iter().map(|overall| Wording::of(comparison).overall(overall));
    overall.chain(numbered).map(Remark::Note).chain(others(comparison)).collect()
}

/// Returns the remarks on several comparisons with one reference, each once.
pub(super) fn remarks_of(sides: &[Comparison]) -> Vec<Remark> {
    let mut all: Vec<Remark> = Vec::new();
    for side in sides {
        let obstacles = side.lines.iter().flat_map(|line| &line.obstacles).map(obstacle).map(Remark::Note);
        for remark in obstacles.chain(others(side)) {
            if !all.contains(&remark) {
                all.push(remark);
            }
        }
    }
    all
}

fn others(comparison: &Comparison) -> impl Iterator<Item = Remark> {
    let unmatched = comparison.unmatched.iter().map(|what| format!("left out: {what}"));
    let left_out = comparison.means.iter().filter_map(words::left_out);
    let warnings = doubt_messages(&comparison.doubts).into_iter().map(Remark::Warning);
    unmatched.chain(left_out).chain(looks::method(comparison)).map(Remark::Note).chain(warnings)
}

/// Returns the numbers of a line's obstacles among all the notes.
pub(super) fn numbers(notes: &mut words::Footnotes, line: &Line) -> Vec<usize> {
    line.obstacles.iter().map(|found| notes.number(obstacle(found))).collect()
}

/// Returns an obstacle's text, with the key that allows the difference.
pub(super) fn obstacle(found: &Obstacle) -> String {
    match found.kind {
        ObstacleKind::Differ(_) if !found.allowed => format!("{}: o compares anyway", found.message),
        _ => words::obstacle(found),
    }
}

/// Copies SQL to the clipboard.
pub(super) fn copied(sql: Option<String>) -> Intents {
    match sql {
        Some(sql) => vec![
            Intent::Copy(sql),
            Intent::said("the SQL that fetches these values is in the clipboard; `dbdyno sql` runs it"),
        ],
        None => vec![Intent::refused("there are no values under the cursor")],
    }
}

fn of_mean<'c>(comparison: &'c Comparison, mean: &Mean) -> Vec<&'c Line> {
    comparison.lines.iter().filter(|line| line.part == mean.part && line.size == mean.size).collect()
}

/// A comparison as shown, with the request for it, since some formats include more data.
#[derive(Debug)]
struct ComparisonFile(Comparison, WantedComparison);

impl FileContent for ComparisonFile {
    fn write(&self, file: &NewFile<'_>, setup: &TuiSetup) -> Result<(), String> {
        let Self(shown, wanted) = self;
        let format = file.format(FORMATS)?;
        let comparison = match format {
            Format::Csv | Format::Json | Format::Html | Format::Svg | Format::Png | Format::Parquet => {
                &whole(shown, wanted, &setup.store)?
            }
            Format::Table | Format::Markdown | Format::Benchfmt | Format::Lines | Format::Summary | Format::Comment => {
                shown
            }
        };
        comparison::export(comparison, format, ReportStyle::FILE, file.output()).map_err(|error| file.failed(&error))
    }
}

/// Several comparisons with one reference.
#[derive(Debug)]
struct ComparisonsFile(ComparedGroups);

impl FileContent for ComparisonsFile {
    fn write(&self, file: &NewFile<'_>, _: &TuiSetup) -> Result<(), String> {
        let format = file.format(SEVERAL_FORMATS)?;
        comparison::export_several(&self.0, format, ReportStyle::FILE, file.output())
            .map_err(|error| file.failed(&error))
    }
}
