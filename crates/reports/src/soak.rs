//! The results of followed tests, as a sheet and in words.

use super::sheet::{Cell, Row, Section, Sheet, Table, TableStyle, text};
use dbdyno_foundation::base::units::{bytes, count, duration, rate};
use dbdyno_running::soak::{HeldStretch, Soak, SoakActor, SpaceStep, Stall};

/// The most stalls that are listed individually.
const STALLS_TOLD: usize = 3;

/// Describes a test in lines: its actors, its space, its memory.
pub fn soak_lines(soak: &Soak) -> Vec<String> {
    let actors = soak.actors.iter().map(actor_line);
    let held = soak.held.iter().flat_map(held_lines);
    let mut lines: Vec<String> = actors.chain(held).collect();
    if let Some((first, last)) = soak.database_bytes {
        let written =
            soak.written_bytes.map_or_else(String::new, |written| format!(" · {} written in total", bytes(written)));
        lines.push(format!(
            "database with its side files: {} at first, {} at the end{written}",
            bytes(first),
            bytes(last)
        ));
    }
    if let Some((first, most)) = soak.rss_bytes {
        lines.push(format!("resident memory: {} at first, {} at the most", bytes(first), bytes(most)));
    }
    lines
}

/// Returns all followed tests of a session as text.
pub fn soaks_text(soaks: &[Soak]) -> String {
    text(&sheet(soaks, ""), TableStyle::FILE)
}

/// Builds a sheet of followed tests: a section for each, and a record for each of its actors. `command`: the command that requested it.
pub fn sheet(soaks: &[Soak], command: &str) -> Sheet {
    let has_rounds = |soak: &Soak| soaks.iter().any(|other| other.round > 0 && other.label == soak.label);
    let section = |soak: &Soak| {
        let Soak { test, test_name, label, size, duration_ns, .. } = soak;
        let round = if has_rounds(soak) { format!(" · round {}", soak.round) } else { String::new() };
        let seconds = duration(*duration_ns as f64);
        Section {
            heading: Some(format!("{test} {test_name} · {label} · {size}{round}, second by second for {seconds}")),
            before: soak_lines(soak).into_iter().map(|line| format!("  {line}")).collect(),
            ..Section::default()
        }
    };
    Sheet {
        title: "Second by second".to_owned(),
        sections: soaks.iter().map(section).collect(),
        records: Some(records(soaks)),
        command: command.to_owned(),
    }
}

fn records(soaks: &[Soak]) -> Table {
    const COLUMNS: [&str; 17] = [
        "label",
        "size",
        "round",
        "test",
        "test_name",
        "duration_ns",
        "actor",
        "operations_a_second",
        "stalls",
        "longest_stall_ns",
        "p99_change",
        "p99_change_low",
        "p99_change_high",
        "busy",
        "backlog",
        "database_bytes",
        "rss_bytes",
    ];
    let record = |soak: &Soak, actor: &SoakActor| {
        let drift = actor.drift.as_ref().ok();
        let whole = |value: Option<u64>| Cell::number(value.map(|value| value as f64));
        Row::Cells(vec![
            Cell::new(&soak.label),
            Cell::new(&soak.size),
            Cell::new(soak.round.to_string()),
            Cell::new(soak.test.to_string()),
            Cell::new(&soak.test_name),
            Cell::new(soak.duration_ns.to_string()),
            Cell::new(&actor.name),
            Cell::number(Some(actor.median)),
            Cell::new(actor.stalls.len().to_string()),
            whole(actor.stalls.iter().map(|stall| stall.duration_ns).max()),
            Cell::number(drift.map(|drift| drift.change)),
            Cell::number(drift.map(|drift| drift.low)),
            Cell::number(drift.map(|drift| drift.high)),
            Cell::new(actor.busy.to_string()),
            whole(actor.backlog),
            whole(soak.database_bytes.map(|(_, last)| last)),
            whole(soak.rss_bytes.map(|(_, most)| most)),
        ])
    };
    let of_test = |soak: &Soak| soak.actors.iter().map(|actor| record(soak, actor)).collect::<Vec<_>>();
    Table::records(COLUMNS, soaks.iter().flat_map(of_test))
}

fn actor_line(actor: &SoakActor) -> String {
    let mut parts = vec![format!("{}: {} in the median second", actor.name, rate(actor.median)), stalls(&actor.stalls)];
    parts.push(match &actor.drift {
        Ok(drift) => {
            let percent = |change: f64| format!("{:+.0}", change * 100.0);
            let word = match (drift.is_shown(), drift.change > 0.0) {
                (false, _) => "no drift found",
                (true, true) => "rises",
                (true, false) => "falls",
            };
            let [change, low, high] = [drift.change, drift.low, drift.high].map(percent);
            format!("p99 from beginning to end {change} % [{low}, {high}]: {word}")
        }
        Err(_) => "too short to show a drift of its p99".to_owned(),
    });
    if actor.busy > 0 {
        parts.push(format!("{} times busy", count(actor.busy)));
    }
    if let Some(backlog) = actor.backlog.filter(|backlog| *backlog > actor.median as u64) {
        parts.push(format!("up to {} were due but not started", count(backlog)));
    }
    parts.join(" · ")
}

fn stalls(stalls: &[Stall]) -> String {
    if stalls.is_empty() {
        return "no stall".to_owned();
    }
    let one = |stall: &Stall| format!("{} at {}", duration(stall.duration_ns as f64), clock(stall.from_ns));
    let told: Vec<String> = stalls.iter().take(STALLS_TOLD).map(one).collect();
    let rest = match stalls.len().saturating_sub(STALLS_TOLD) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    format!("{} stall{}: {}{rest}", stalls.len(), if stalls.len() == 1 { "" } else { "s" }, told.join(", "))
}

fn held_lines(stretch: &HeldStretch) -> Vec<String> {
    let head = format!("snapshot held from {} to {}", clock(stretch.from_ns), clock(stretch.until_ns));
    let steps = [("database with its side files", stretch.all), ("side files alone", stretch.side)];
    let line = |(name, step): (&str, SpaceStep)| {
        let SpaceStep { before, most, after } = step;
        let verdict = match (step.grew(), step.came_back()) {
            (false, _) => "no growth",
            (true, true) => "the space comes back",
            (true, false) => "the space does not come back",
        };
        format!(
            "{head}: {name} {} before, {} at the most, {} after: {verdict}",
            bytes(before),
            bytes(most),
            bytes(after)
        )
    };
    let known: Vec<(&str, SpaceStep)> = steps.into_iter().filter_map(|(name, step)| Some((name, step?))).collect();
    if known.is_empty() { vec![head] } else { known.into_iter().map(line).collect() }
}

/// Formats minutes and seconds from the start.
fn clock(ns: u64) -> String {
    let seconds = (ns as f64 / 1e9).round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
