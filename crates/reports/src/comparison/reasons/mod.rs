//! Why sides differ, in words and as bars: what their time went to.

mod functions;
mod sentence;

pub use sentence::difference;
pub(in crate::comparison) use sentence::{because, mostly_because};

use super::{plans, wording::Wording};
use crate::sheet::{Cell, Column, ColumnRole, Row, Section, Slice, Table, Tone, key, stacked};
use dbdyno_comparing::compare::{Comparison, Line, Reason, SplitTime, TimePart};
use dbdyno_foundation::base::units::duration;
use functions::SidesFunctions;

/// The length of the longest bar of text, in characters.
const LONGEST: usize = 30;
/// The least share of a bar whose part is named below it.
const NAMED: f64 = 0.01;
/// The most tests whose call stacks are drawn.
const MOST_FLAMES: usize = 5;
/// The most tests on pages; text has the one that differs most, unless all are wanted.
const MOST: usize = 40;

/// How times are divided.
pub const METHOD: &str = "Each time is the median of its runs, divided like the runs in the middle half of the times. A part is named if it differs by more than twice its standard error.";

/// Builds the bars of the line that differs most, with its difference in a sentence, then those of the others.
pub(super) fn sections(sides: &[Comparison]) -> Vec<Section> {
    let mut explained: Vec<(&Comparison, &Line, &Reason)> = Vec::new();
    for side in sides {
        explained.extend(side.explained().map(|(line, reason)| (side, line, reason)));
    }
    let effect = |at: &usize| explained[*at].1.effect();
    let most = (0..explained.len()).max_by(|one, next| effect(one).total_cmp(&effect(next)));
    let Some(most) = most else { return Vec::new() };
    explained[..=most].rotate_right(1);
    let all = sides.iter().any(|side| side.all_reasons);
    let of = |(at, (comparison, line, reason)): (usize, &(&Comparison, &Line, &Reason))| {
        let wording = Wording::of(comparison);
        let tone = if at == 0 || all { Tone::Plain } else { Tone::AtLength };
        let whole = Section {
            tone,
            heading: Some(heading(comparison, &wording, line)),
            before: vec![difference(reason, &wording)],
            after: functions::about(reason, &wording),
            ..Section::table(bars(reason, &wording))
        };
        let functions = SidesFunctions::of(reason, &wording).map(|functions| {
            let flames = if at < MOST_FLAMES { functions.flames(&line.name) } else { Vec::new() };
            Section { tone, flames, ..functions.section() }
        });
        // A short text has the first reason only.
        let tone = if all { tone } else { Tone::AtLength };
        let after = plans::sentences(reason, &wording);
        let planned = (!after.is_empty()).then(|| Section { tone, after, ..Section::default() });
        [Some(whole), planned, functions].into_iter().flatten()
    };
    explained.iter().take(if all { explained.len() } else { MOST }).enumerate().flat_map(of).collect()
}

fn heading(comparison: &Comparison, wording: &Wording, line: &Line) -> String {
    let size = if comparison.means.len() > 1 { format!(", size {}", line.size) } else { String::new() };
    let part = super::words::part(&line.part);
    let part = if part.is_empty() { part } else { format!(", {part}") };
    format!("Where the time went in {}{size}{part}", wording.line_name(line))
}

/// Returns a reason as lines of text: the difference, then each side's time as a bar with its key.
pub fn text(reason: &Reason, wording: &Wording) -> Vec<String> {
    let sides = bars_of(reason, wording).into_iter().flat_map(|bar| {
        let text = stacked(&bar.slices, LONGEST, bar.most_ns);
        [format!("{text} {} {}", bar.time, bar.name), format!("  {}", key(&bar.slices))]
    });
    let functions = SidesFunctions::of(reason, wording).map(|functions| functions.lines());
    std::iter::once(difference(reason, wording))
        .chain(sides)
        .chain(functions::about(reason, wording))
        .chain(plans::sentences(reason, wording))
        .chain(functions.unwrap_or_default())
        .collect()
}

/// A side's time as a bar.
pub struct ReasonBar {
    pub name: String,
    /// The time in words.
    pub time: String,
    pub slices: Vec<Slice>,
    /// The time of the longer bar, ns.
    pub most_ns: f64,
}

/// Returns the times of both sides as bars.
pub fn bars_of(reason: &Reason, wording: &Wording) -> [ReasonBar; 2] {
    let most_ns = reason.a.total_ns.max(reason.b.total_ns);
    let bar = |(name, side): (&String, &SplitTime)| ReasonBar {
        name: name.clone(),
        time: duration(side.total_ns),
        slices: side.parts.iter().map(|(part, ns)| slice(*part, *ns, side.total_ns)).collect(),
        most_ns,
    };
    [(&wording.sides.a, &reason.a), (&wording.sides.b, &reason.b)].map(bar)
}

/// Builds a row for each side: its name, its time as a bar of parts, and its time.
fn bars(reason: &Reason, wording: &Wording) -> Table {
    let row = |ReasonBar { name, time, slices, most_ns }| {
        let text = stacked(&slices, LONGEST, most_ns);
        Row::Cells(vec![Cell::new(name), Cell { slices, ..Cell::new(text) }, Cell::new(time)])
    };
    let columns =
        [("configuration", "", ColumnRole::Name), ("parts", "", ColumnRole::Stack), ("time", "", ColumnRole::Figure)];
    let rows = bars_of(reason, wording).into_iter().map(row).collect();
    Table { columns: Column::all(columns), rows, ..Table::default() }
}

/// Names a part in a few words.
pub fn title(part: TimePart) -> &'static str {
    match part {
        TimePart::Cpu => "CPU",
        TimePart::User => "user mode",
        TimePart::Kernel => "kernel",
        TimePart::Sync => "syncs",
        TimePart::Sleep => "asleep",
        TimePart::Queue => "waiting for a CPU",
        TimePart::Read => "reads",
        TimePart::Write => "writes",
        TimePart::Lock => "locks",
        TimePart::Fault => "page faults",
        TimePart::Rest => "other waiting",
    }
}

/// Returns a part of a time as a slice of its bar.
fn slice(part: TimePart, ns: f64, total_ns: f64) -> Slice {
    let (class, fill) = match part {
        TimePart::Cpu => ("cpu", '█'),
        TimePart::User => ("user", '█'),
        TimePart::Kernel => ("kernel", '▓'),
        TimePart::Sync => ("sync", '▒'),
        TimePart::Sleep => ("sleep", '░'),
        TimePart::Queue => ("queue", '╱'),
        TimePart::Read => ("read", '▞'),
        TimePart::Write => ("write", '▚'),
        TimePart::Lock => ("lock", '╳'),
        TimePart::Fault => ("fault", '▖'),
        TimePart::Rest => ("rest", '·'),
    };
    let share = ns / total_ns;
    let about = format!("{} {} ({:.0} %)", title(part), duration(ns), share * 100.0);
    Slice { class, fill, about: if share < NAMED { String::new() } else { about }, value: ns }
}
