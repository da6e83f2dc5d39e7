//! What tests that were followed show, in words.

use dbdyno_foundation::base::units::{bytes, count, duration, plain, rate};
use dbdyno_running::soak::{HeldStretch, Soak, SoakActor, SpaceStep, Stall};

/// So many stalls are told one by one.
const STALLS_TOLD: usize = 3;

/// A test in lines: its actors, its space, its memory.
pub fn soak_lines(soak: &Soak) -> Vec<String> {
    let actors = soak.actors.iter().map(actor_line);
    let held = soak.held.iter().flat_map(held_lines);
    let mut lines: Vec<String> = actors.chain(held).collect();
    if let Some((first, last)) = soak.database_bytes {
        let written =
            soak.written_bytes.map_or_else(String::new, |written| format!(" · {} written in all", bytes(written)));
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

/// All tests of a session that were followed.
pub fn soaks_text(soaks: &[Soak]) -> String {
    let several = |soak: &Soak| soaks.iter().any(|other| other.round > 0 && other.label == soak.label);
    let one = |soak: &Soak| {
        let round = if several(soak) { format!(" · round {}", soak.round) } else { String::new() };
        let head = format!(
            "{} {} · {} · {}{round}, second by second for {}\n",
            soak.test,
            plain(&soak.test_name),
            plain(&soak.label),
            plain(&soak.size),
            duration(soak.duration_ns as f64)
        );
        soak_lines(soak).into_iter().fold(head, |text, line| text + "  " + &line + "\n")
    };
    soaks.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn actor_line(actor: &SoakActor) -> String {
    let mut parts =
        vec![format!("{}: {} in the median second", plain(&actor.name), rate(actor.median)), stalls(&actor.stalls)];
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
        Err(_) => "too short to tell how its p99 drifts".to_owned(),
    });
    if actor.busy > 0 {
        parts.push(format!("{} times busy", count(actor.busy)));
    }
    if let Some(backlog) = actor.backlog.filter(|backlog| *backlog > actor.median as u64) {
        parts.push(format!("up to {} were due and not begun", count(backlog)));
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

/// Minutes and seconds from the beginning.
fn clock(ns: u64) -> String {
    let seconds = (ns as f64 / 1e9).round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
