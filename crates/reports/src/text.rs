//! Tables as text for a terminal or a file.

use super::session_table::{ActorRow, OutsideRow, SessionRow, SessionTable, SizeTable};
use console::{Alignment, measure_text_width};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::{
    grid::{Grid, GridColumn, aligned},
    units::{bytes, count, counted, duration, plain, rate},
};
use dbdyno_store::{NOT_UPHELD, TextRows};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::{self, Write},
};

/// Whether red may be used; a word always says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colouring {
    /// ANSI colours.
    On,
    Off,
}

/// The session's table with its warnings under it.
pub fn session_table(table: &SessionTable, colour: Colouring) -> String {
    let mut text = String::new();
    let mut tiers = BTreeSet::new();
    for size in &table.sizes {
        let runs = size.tests.iter().flat_map(|test| &test.rows).map(|row| row.runs).max().unwrap_or(0);
        // Writing to a string cannot fail.
        let held = held_to(size);
        let (suite, size_text, runs) = (plain(&table.suite), plain(&size.size), counted(runs, "run"));
        let _ = writeln!(text, "{suite} · size {size_text} · median of {runs}{held}\n");
        let mut columns = vec![Alignment::Right; 10];
        columns[0] = Alignment::Left;
        columns[9] = Alignment::Left;
        let mut grid = Grid::new(columns);
        let time = if size.cold { "open+test" } else { "median" };
        grid.row(["", time, "ops/s", "p50", "p99", "spread", "disk", "side", "sync", "tier"].map(str::to_owned));
        for test in &size.tests {
            let operations = test.rows.first().map_or(0, |row| row.operations);
            let operations = match test.rows.iter().all(|row| row.actors.is_empty()) {
                true => format!(" · {}", counted(operations, "operation")),
                false => String::new(),
            };
            grid.title(format!("{} {}{operations}", test.test, plain(&test.name)));
            for row in &test.rows {
                grid.row(cells(row, colour));
                for actor in &row.actors {
                    grid.row(actor_cells(actor));
                    if let Some(strife) = strife_line(actor) {
                        grid.title(format!("      {strife}"));
                    }
                }
                if let Some(outside) = row.outside.as_ref().filter(|outside| outside.counts) {
                    grid.title(format!("    {}", outside_line(outside)));
                }
                tiers.insert(row.tier);
            }
        }
        text.push_str(&grid.render());
        text.push('\n');
    }
    if !tiers.is_empty() {
        let tier = |tier: Tier| match table.syncs_reach_no_disk && tier.needs_syncs() {
            true => format!("{tier} ({NOT_UPHELD})"),
            false => tier.to_string(),
        };
        let tiers: Vec<String> = tiers.into_iter().rev().map(tier).collect();
        let _ =
            writeln!(text, "side: logs and journals, a part of disk · sync: sync calls\ntier: {}", tiers.join(", "));
    }
    text + &session_notes(table)
}

/// What the runs of a size were held to: ` · 64.0 MiB of memory for 256 MiB of data (4.00x) · cold`.
fn held_to(size: &SizeTable) -> String {
    let mut text = String::new();
    if let Some(limit) = size.memory_limit_bytes {
        let _ = write!(text, " · {} of memory", bytes(limit));
        if let Some(data) = size.data_bytes {
            let _ = write!(text, " for {} of data ({:.2}x)", bytes(data), data as f64 / limit.max(1) as f64);
        }
    }
    text + if size.cold { " · cold" } else { "" }
}

/// What to know about a session's figures.
pub fn session_notes(table: &SessionTable) -> String {
    let mut text = String::new();
    let rows = || table.sizes.iter().flat_map(|size| &size.tests).flat_map(|test| &test.rows);
    if let Some(cores) = table.cores {
        let _ =
            writeln!(text, "x  threads of an actor; the machine has {cores} core{}", if cores == 1 { "" } else { "s" });
    }
    if rows().any(|row| row.harness_bound) {
        text.push_str("h  so fast that the harness is a part of what is measured: a true difference is larger\n");
    }
    if rows().any(|row| row.outside.as_ref().is_some_and(|outside| outside.counts)) {
        text.push_str("+  done outside of the timer, if more than 5 % of the test; other figures are without it\n");
    }
    if table.sizes.iter().any(|size| size.cold) {
        text.push_str("open+test, ops/s: with opening the database, which may read all of it; p50 and p99 are of the test alone\n");
    }
    if rows().any(|row| row.disagrees) {
        text.push_str("✗  answers differ from those of other engines: these figures are worth nothing\n");
    }
    if rows().any(|row| row.not_verified) {
        text.push_str("?  not verified: there is nothing to hold these answers against\n");
    }
    if !table.conditions.is_empty() {
        let _ = writeln!(text, "measured with {}", plain(&table.conditions.join(", ")));
    }
    for warning in &table.warnings {
        let _ = writeln!(text, "!  {}", plain(warning));
    }
    text
}

fn cells(row: &SessionRow, colour: Colouring) -> [String; 10] {
    let unknown = || "-".to_owned();
    let quantile = |ns: Option<u64>| ns.map_or_else(unknown, |ns| duration(ns as f64));
    let mark = if row.disagrees {
        "✗"
    } else if row.not_verified {
        "?"
    } else if row.harness_bound {
        "h"
    } else {
        " "
    };
    let name = format!("{mark} {}", plain(&row.label));
    let name = if row.disagrees && colour == Colouring::On { format!("\u{1b}[31m{name}\u{1b}[0m") } else { name };
    [
        name,
        duration(row.median_ns),
        rate(row.rate).trim_end_matches("/s").trim_end().to_owned(),
        quantile(row.p50_ns),
        quantile(row.p99_ns),
        format!("{}/{}%", percent(row.spread.0), percent(row.spread.1)),
        row.database_bytes.map_or_else(unknown, short_bytes),
        row.side_bytes.map_or_else(unknown, short_bytes),
        row.syncs.map_or_else(unknown, count),
        row.tier.sign(),
    ]
}

fn actor_cells(actor: &ActorRow) -> [String; 10] {
    let quantile = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64));
    let due = actor.arrival_rate.map_or_else(String::new, |due| format!(" at {}/s", count(due)));
    let none = String::new;
    [
        format!("    {} x{}{due}", plain(&actor.name), actor.threads),
        none(),
        rate(actor.rate).trim_end_matches("/s").trim_end().to_owned(),
        quantile(actor.p50_ns),
        quantile(actor.p99_ns),
        none(),
        none(),
        none(),
        none(),
        none(),
    ]
}

/// `12 busy, 12 retries, longest wait 5.10 ms, fairness 98 %`: what others cost an actor, where it was anything.
fn strife_line(actor: &ActorRow) -> Option<String> {
    let counts = [("busy", actor.busy), ("retries", actor.retries), ("given up", actor.failures)];
    let backlog = [("behind at the end", actor.backlog.unwrap_or(0))];
    let counted = counts.into_iter().chain(backlog).filter(|(_, number)| *number > 0);
    let mut parts: Vec<String> = counted.map(|(what, number)| format!("{} {what}", count(number))).collect();
    parts.extend(actor.longest_wait_ns.filter(|_| actor.busy > 0).map(|ns| format!("longest wait {}", duration(ns))));
    let unfair = actor.fairness.filter(|fairness| *fairness < 0.95);
    parts.extend(unfair.map(|fairness| format!("fairness {:.0} %", fairness * 100.0)));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `+ open 1.20 ms, close 11.9 ms, 4 syncs, 1.18M written: 16.8 ms in all`.
fn outside_line(outside: &OutsideRow) -> String {
    let phases = [("open", outside.open_ns), ("settle", Some(outside.settle_ns)), ("close", outside.close_ns)];
    let times = phases.into_iter().filter_map(|(name, ns)| Some((name, ns.filter(|ns| *ns > 0.0)?)));
    let mut parts: Vec<String> = times.map(|(name, ns)| format!("{name} {}", duration(ns))).collect();
    if let Some(syncs @ 1..) = outside.syncs {
        parts.push(format!("{} sync{}", count(syncs), if syncs == 1 { "" } else { "s" }));
    }
    if let Some(written @ 1..) = outside.written_bytes {
        parts.push(format!("{} written", short_bytes(written)));
    }
    format!("+ {}: {} in all", parts.join(", "), duration(outside.total_ns))
}

/// `1.18M`: bytes in as few characters as a narrow table has.
fn short_bytes(number: u64) -> String {
    bytes(number).replace("iB", "").replace(" B", "").replace(' ', "")
}

/// A factor as a signed percentage: 0.97 is `-3`.
fn percent(factor: f64) -> String {
    format!("{:+.0}", (factor - 1.0) * 100.0)
}

/// Writes the answer of a query, line by line: it may be long.
///
/// # Errors
/// What `out` failed with.
pub fn write_rows(answer: &TextRows, out: &mut impl Write) -> io::Result<()> {
    let mut columns: Vec<AnswerColumn> = answer.columns.iter().map(|name| AnswerColumn::new(name)).collect();
    for row in answer.rows.iter() {
        columns.iter_mut().zip(row.iter()).for_each(|(column, value)| column.take(value));
    }
    let columns: Vec<GridColumn> = columns.iter().map(AnswerColumn::stands).collect();
    writeln!(out, "{}", aligned(&columns, answer.columns.iter().map(|name| plain(name))))?;
    answer.rows.iter().try_for_each(|row| writeln!(out, "{}", aligned(&columns, row.iter().map(shown))))
}

/// What is known of a column of an answer, row by row.
struct AnswerColumn {
    width: usize,
    /// Whether each known value so far is a number; none: no value is known.
    is_number: Option<bool>,
}

impl AnswerColumn {
    fn new(name: &str) -> Self {
        Self { width: measure_text_width(&plain(name)), is_number: None }
    }

    fn take(&mut self, value: Option<&str>) {
        self.width = self.width.max(measure_text_width(&shown(value)));
        if let Some(value) = value {
            self.is_number = Some(self.is_number != Some(false) && value.parse::<f64>().is_ok());
        }
    }

    /// Numbers stand to the right.
    fn stands(&self) -> GridColumn {
        let alignment = if self.is_number == Some(true) { Alignment::Right } else { Alignment::Left };
        GridColumn { width: self.width, alignment }
    }
}

fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), plain)
}

/// Names with a line about each.
pub fn list(entries: &[(String, String)]) -> String {
    let mut grid = Grid::new([Alignment::Left, Alignment::Left]);
    for (name, about) in entries {
        grid.row([plain(name), plain(about)]);
    }
    grid.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_and_missing_values_are_said() {
        let columns = vec!["engine".to_owned(), "n".to_owned()];
        let rows = [[Some("lmdb"), Some("48")], [Some("a\u{1b}b"), None]];
        let mut text = Vec::new();
        write_rows(&TextRows::new(columns, Vec::new(), rows), &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "engine       n\nlmdb        48\na\\u{1b}b  NULL\n");
    }
}
