//! What leaves the screen: explanations, the SQL behind a number, files.

use super::{CompareScreen, CompareView, Compared, Dialog, Intents, TableRow, rows::name};
use crate::{
    compare::{Comparison, Line, Mean},
    metric::Metric,
    report::{
        command::shell,
        comparison::{FORMATS, SCALING_FORMATS, explain, facts, scaling, words},
        format::Format,
    },
    tui::{export::FileContent, screens::intent::Intent, world::World},
};
use std::path::Path;

impl CompareScreen {
    /// Explains the number under the cursor.
    pub(super) fn explain(&self) -> Intents {
        let Some((title, lines)) = self.compared().and_then(|compared| self.explanation(compared)) else {
            return Intents::new();
        };
        vec![Intent::page(title, lines)]
    }

    fn explanation(&self, compared: &Compared) -> Option<(String, Vec<String>)> {
        let at_size = |line: &Line| {
            let text = format!("{} · size {} {}", name(line), line.size, words::part(&line.part));
            text.trim_end().to_owned()
        };
        Some(match self.view {
            CompareView::Table => match self.row()? {
                TableRow::Line(line) => (at_size(line), explain::line(&compared.plain, line)),
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
                let (row, column, lines) = self.cell()?;
                let text = match lines.as_slice() {
                    [only] => explain::line(&compared.pivot, only),
                    lines => explain::cell(&compared.pivot, lines),
                };
                (format!("{row} · {column}"), text)
            }
            CompareView::Scaling => {
                let family = self.family()?;
                let title = format!("{} along {}", scaling::name(&family), family.axis);
                (title, scaling::explanation(&compared.plain, &family))
            }
        })
    }

    /// Puts the SQL that fetches what is under the cursor into the clipboard.
    pub(super) fn copy(&self) -> Intents {
        let sql = match self.view {
            CompareView::Table => self.line().and_then(|line| explain::sql(&[line], self.metric)),
            CompareView::Sizes => self.test().and_then(|test| explain::sql(&test.lines, self.metric)),
            CompareView::Latencies => self.line().and_then(explain::latency_sql),
            CompareView::Pivot => self.cell().and_then(|(_, _, lines)| explain::sql(&lines, self.metric)),
            CompareView::Scaling => self.family().and_then(|family| scaling::sql(&family)),
        };
        match sql {
            Some(sql) => vec![
                Intent::Copy(sql),
                Intent::said("the SQL that fetches these values is in the clipboard; `dbdyno sql` runs it"),
            ],
            None => vec![Intent::failed("there are no values under the cursor")],
        }
    }

    /// What to know before believing the comparison.
    pub(super) fn notes(&self, world: &World) -> Intents {
        let Some(comparison) = self.exported(world) else { return Intents::new() };
        let mut lines = facts::head(&comparison);
        lines.push(String::new());
        lines.extend(remarks(&comparison));
        lines.push(String::new());
        lines.extend(facts::options(&comparison));
        lines.extend(facts::origin(&comparison));
        vec![Intent::page("What to know about this comparison", lines)]
    }

    pub(super) fn ask_export(&self) -> Intents {
        if self.compared().is_none() {
            return vec![Intent::failed("there is no comparison to export")];
        }
        let endings: Vec<String> = self.formats().iter().map(|format| format!(".{}", format.ending())).collect();
        let help = format!("a file that is not there yet; its ending chooses the format: {}", endings.join(" "));
        vec![Intent::prompt(Dialog::Export, "Export the comparison", help, "dbdyno-compare.md")]
    }

    pub(super) fn export(&self, path: &str, world: &World) -> Result<Intents, String> {
        Format::of_file(Path::new(path), self.formats()).map_err(|error| error.to_string())?;
        let comparison = self.exported(world).ok_or("there is no comparison to export")?;
        let content = FileContent::Comparison(Box::new(comparison), Box::new(self.wanted()));
        Ok(vec![Intent::Write { path: path.into(), content }])
    }

    /// The formats that can say what the view shows.
    fn formats(&self) -> &'static [Format] {
        if self.view == CompareView::Scaling { SCALING_FORMATS } else { FORMATS }
    }

    /// The comparison as the view shows it, with the command that makes it again.
    fn exported(&self, world: &World) -> Option<Comparison> {
        let compared = self.compared()?;
        let shown = if self.view == CompareView::Pivot { &compared.pivot } else { &compared.plain };
        let by_size = shown.by_size.clone().filter(|_| self.view == CompareView::Sizes);
        let scaling = shown.scaling.clone().filter(|_| self.view == CompareView::Scaling);
        Some(Comparison { command: self.command(shown, world), by_size, scaling, ..shown.clone() })
    }

    /// The command that shows the same.
    fn command(&self, shown: &Comparison, world: &World) -> String {
        let sides = [&shown.a.selection, &shown.b.selection];
        let mut words = ["dbdyno", "compare", "--a", sides[0], "--b", sides[1]].map(str::to_owned).to_vec();
        if shown.metric != Metric::Wall {
            words.extend(["--metric".to_owned(), shown.metric.name().to_owned()]);
        }
        match self.view {
            CompareView::Sizes => words.extend(["--by", "size"].map(str::to_owned)),
            CompareView::Pivot => words.extend(["--pivot".to_owned(), format!("{},{}", self.axes.0, self.axes.1)]),
            CompareView::Scaling => words.push("--scaling".to_owned()),
            CompareView::Table | CompareView::Latencies => {}
        }
        words.extend(self.allowed.iter().map(|difference| format!("--allow-{}", difference.name())));
        words.extend(world.arguments.iter().cloned());
        shell(words)
    }
}

/// What stands against lines, what is left out, and what linters said: each once.
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let mut notes = words::Footnotes::default();
    comparison.lines.iter().for_each(|line| drop(notes.numbers(line)));
    let numbered = (1..).zip(notes.texts).map(|(number, note)| format!("[{number}] {note}"));
    let overall = comparison.overall.iter().map(|overall| words::overall(overall, comparison.ratios));
    let unmatched = comparison.unmatched.iter().map(|what| format!("left out: {what}"));
    let left_out = comparison.means.iter().filter_map(words::left_out);
    let method = words::about_sessions(comparison).map(str::to_owned).into_iter().chain(words::family(comparison));
    let warnings = comparison.warnings.iter().map(|warning| format!("! {warning}"));
    overall.chain(numbered).chain(unmatched).chain(left_out).chain(method).chain(warnings).collect()
}

fn of_mean<'c>(comparison: &'c Comparison, mean: &Mean) -> Vec<&'c Line> {
    comparison.lines.iter().filter(|line| line.part == mean.part && line.size == mean.size).collect()
}
