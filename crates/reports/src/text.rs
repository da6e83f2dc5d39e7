//! A session's table as a sheet, and answers of queries as text.

use super::{
    doubts::doubts_sections,
    session_table::{ActorRow, ConfigurationFigures, OutsideRow, SessionTable, SizeTable, TestTable},
    sheet::{self, Cell, Column, ColumnRole, Row, Section, Sense, Sheet, Table, TableStyle},
};
use console::Alignment;
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::{
    grid::{GridColumn, aligned, text_width},
    units::{bytes, count, counted, duration, is_printable_ascii, plain, rate},
};
use dbdyno_store::{NOT_UPHELD, TextRows};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt::Write as _,
    io::{self, Write},
};

pub use super::sheet::Colouring;

/// Returns the session's table with its warnings below it.
pub fn session_table(table: &SessionTable, colour: Colouring) -> String {
    sheet::text(&session_sheet(table, ""), TableStyle { colour, ..TableStyle::FILE })
}

/// Returns the notes on a session's figures.
pub fn session_notes(table: &SessionTable) -> String {
    sheet::text(&Sheet { sections: notes(table), ..Sheet::default() }, TableStyle::FILE)
}

/// Builds a session's table as a sheet: a section for each size, a record for each test of each configuration. `command`: the command that
/// requested it.
pub fn session_sheet(table: &SessionTable, command: &str) -> Sheet {
    let sizes = table.sizes.iter().map(|size| section(table, size));
    Sheet {
        title: format!("Session of {}", table.suite),
        sections: sizes.chain(tiers(table)).chain(notes(table)).collect(),
        records: Some(records(table)),
        command: command.to_owned(),
    }
}

fn rows(table: &SessionTable) -> impl Iterator<Item = &ConfigurationFigures> {
    table.sizes.iter().flat_map(|size| &size.tests).flat_map(|test| &test.rows)
}

fn section(table: &SessionTable, size: &SizeTable) -> Section {
    let runs = size.tests.iter().flat_map(|test| &test.rows).map(|row| row.runs).max().unwrap_or(0);
    let time = if size.cold { "open+test" } else { "median" };
    let figures = [time, "ops/s", "p50", "p99", "spread", "disk", "side", "sync"];
    let names = ["median_ns", "rate", "p50_ns", "p99_ns", "spread", "database_bytes", "side_bytes", "syncs"];
    let figure = |(name, title): (&'static str, &str)| Column::new(name, title, ColumnRole::Figure);
    let columns = [Column::new("label", "", ColumnRole::Name)]
        .into_iter()
        .chain(names.into_iter().zip(figures).map(figure))
        .chain([Column::new("tier", "tier", ColumnRole::Name)]);
    let heading = format!("{} · size {} · median of {}{}", table.suite, size.size, counted(runs, "run"), held_to(size));
    Section {
        heading: Some(heading),
        ..Section::table(Table {
            columns: columns.collect(),
            rows: size.tests.iter().flat_map(test_rows).collect(),
            is_headed: true,
            ..Table::default()
        })
    }
}

/// Builds the rows of a test: its title, and each configuration with its actors.
fn test_rows(test: &TestTable) -> Vec<Row> {
    let operations = test.rows.first().map_or(0, |row| row.operations);
    let operations = match test.rows.iter().all(|row| row.actors.is_empty()) {
        true => format!(" · {}", counted(operations, "operation")),
        false => String::new(),
    };
    let mut rows = vec![Row::Title(format!("{} {}{operations}", test.test, test.name))];
    for row in &test.rows {
        rows.push(Row::Cells(cells(row)));
        for actor in &row.actors {
            rows.push(Row::texts(actor_cells(actor)));
            rows.extend(strife_line(actor).map(|strife| Row::Detail(format!("  {strife}"))));
        }
        let outside = row.outside.as_ref().filter(|outside| outside.counts);
        rows.extend(outside.map(|outside| Row::Detail(outside_line(outside))));
    }
    rows
}

/// Explains the columns and the tiers.
fn tiers(table: &SessionTable) -> Option<Section> {
    let tiers: BTreeSet<Tier> = rows(table).map(|row| row.tier).collect();
    let tier = |tier: Tier| match table.syncs_reach_no_disk && tier.needs_syncs() {
        true => format!("{tier} ({NOT_UPHELD})"),
        false => tier.to_string(),
    };
    let tiers: Vec<String> = tiers.into_iter().rev().map(tier).collect();
    let columns = "side: logs and journals, a part of disk · sync: sync calls".to_owned();
    (!tiers.is_empty()).then(|| Section::lines(vec![columns, format!("tier: {}", tiers.join(", "))]))
}

/// Describes the limits of a size's runs: ` · 64.0 MiB of memory for 256 MiB of data (4.00x) · cold`.
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

/// Returns the notes on a session's figures, as sections.
fn notes(table: &SessionTable) -> Vec<Section> {
    let any = |is: fn(&ConfigurationFigures) -> bool| rows(table).any(is);
    let cores = table.cores.map(|cores| format!("x  threads of an actor; the machine has {}", counted(cores, "core")));
    let said = [
        (
            any(|row| row.harness_bound),
            "h  so fast that the harness is part of the measured time: a true difference is larger",
        ),
        (
            any(|row| row.prolonged_by_turns.is_some()),
            "c  others' turns fill the CPU's caches and make operations over 3 % slower: --slices off measures in one go",
        ),
        (
            any(|row| row.outside.as_ref().is_some_and(|outside| outside.counts)),
            "+  work outside the timer, if more than 5 % of the test; other figures exclude it",
        ),
        (
            table.sizes.iter().any(|size| size.cold),
            "open+test, ops/s: include opening the database, which may read all of it; p50 and p99 are of the test alone",
        ),
        (any(|row| row.disagrees), "✗  answers differ from those of other engines: these figures are worth nothing"),
        (any(|row| row.not_verified), "?  not verified: there is nothing to check these answers against"),
    ];
    let said = said.into_iter().filter(|(is_so, _)| *is_so).map(|(_, line)| line.to_owned());
    let conditions = (!table.conditions.is_empty()).then(|| format!("measured with {}", table.conditions.join(", ")));
    let lines: Vec<String> = cores.into_iter().chain(said).chain(conditions).collect();
    let lines = (!lines.is_empty()).then(|| Section::lines(lines));
    lines.into_iter().chain(doubts_sections(&table.doubts)).collect()
}

/// Formats a value, or `-` if it is unknown.
fn known<T>(value: Option<T>, shown: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), shown)
}

fn quantile(ns: Option<u64>) -> String {
    known(ns, |ns| duration(ns as f64))
}

/// Formats operations per second, without the unit.
fn short_rate(of: f64) -> String {
    rate(of).trim_end_matches("/s").trim_end().to_owned()
}

fn cells(row: &ConfigurationFigures) -> Vec<Cell> {
    let mark = if row.disagrees {
        "✗"
    } else if row.not_verified {
        "?"
    } else if row.harness_bound {
        "h"
    } else if row.prolonged_by_turns.is_some() {
        "c"
    } else {
        " "
    };
    let name = Cell { sense: row.disagrees.then_some(Sense::Unfit), ..Cell::new(format!("{mark} {}", row.label)) };
    let figures = [
        duration(row.median_ns),
        short_rate(row.rate),
        quantile(row.p50_ns),
        quantile(row.p99_ns),
        format!("{}/{}%", percent(row.spread.0), percent(row.spread.1)),
        known(row.database_bytes, short_bytes),
        known(row.side_bytes, short_bytes),
        known(row.syncs, count),
        row.tier.sign(),
    ];
    [name].into_iter().chain(figures.map(Cell::new)).collect()
}

fn actor_cells(actor: &ActorRow) -> [String; 5] {
    let due = actor.arrival_rate.map_or_else(String::new, |due| format!(" at {}/s", count(due)));
    let threads = actor.threads.map_or_else(String::new, |threads| format!(" x{threads}"));
    let sign = if actor.statement.is_some_and(|statement| statement.disagrees) { "  ✗ " } else { "    " };
    let of_statement = actor.statement.map_or_else(String::new, |statement| {
        format!("  {}, {:.0} % of the time", counted(statement.executions, "time"), statement.share * 100.0)
    });
    [
        format!("{sign}{}{threads}{due}{of_statement}", actor.name),
        actor.statement.map_or_else(String::new, |statement| duration(statement.total_ns)),
        short_rate(actor.rate),
        quantile(actor.p50_ns),
        quantile(actor.p99_ns),
    ]
}

/// Builds a record for each test of each configuration.
fn records(table: &SessionTable) -> Table {
    const COLUMNS: [&str; 21] = [
        "suite",
        "size",
        "test",
        "test_name",
        "label",
        "runs",
        "median_ns",
        "fastest",
        "slowest",
        "operations",
        "rate",
        "p50_ns",
        "p99_ns",
        "database_bytes",
        "side_bytes",
        "syncs",
        "tier",
        "disagrees",
        "not_verified",
        "harness_bound",
        "prolonged_by_turns",
    ];
    let whole = |value: Option<u64>| Cell::new(value.map_or_else(String::new, |value| value.to_string()));
    let record = |size: &SizeTable, test: &TestTable, row: &ConfigurationFigures| {
        Row::Cells(vec![
            Cell::new(&table.suite),
            Cell::new(&size.size),
            Cell::new(test.test.to_string()),
            Cell::new(&test.name),
            Cell::new(&row.label),
            Cell::new(row.runs.to_string()),
            Cell::number(Some(row.median_ns)),
            Cell::number(Some(row.spread.0)),
            Cell::number(Some(row.spread.1)),
            Cell::new(row.operations.to_string()),
            Cell::number(Some(row.rate)),
            whole(row.p50_ns),
            whole(row.p99_ns),
            whole(row.database_bytes),
            whole(row.side_bytes),
            whole(row.syncs),
            whole(row.tier.number().map(u64::from)),
            Cell::new(row.disagrees.to_string()),
            Cell::new(row.not_verified.to_string()),
            Cell::new(row.harness_bound.to_string()),
            Cell::number(row.prolonged_by_turns),
        ])
    };
    let mut all = Vec::new();
    for size in &table.sizes {
        for test in &size.tests {
            all.extend(test.rows.iter().map(|row| record(size, test, row)));
        }
    }
    Table::records(COLUMNS, all.into_iter())
}

/// Describes what other actors cost an actor, if anything: `12 busy, 12 retries, longest wait 5.10 ms, fairness 98 %`.
fn strife_line(actor: &ActorRow) -> Option<String> {
    let failures = if actor.statement.is_some() { "failed" } else { "given up" };
    let counts = [("busy", actor.busy), ("retries", actor.retries), (failures, actor.failures)];
    let backlog = [("behind at the end", actor.backlog.unwrap_or(0))];
    let counted = counts.into_iter().chain(backlog).filter(|(_, number)| *number > 0);
    let mut parts: Vec<String> = counted.map(|(what, number)| format!("{} {what}", count(number))).collect();
    parts.extend(actor.longest_wait_ns.filter(|_| actor.busy > 0).map(|ns| format!("longest wait {}", duration(ns))));
    let unfair = actor.fairness.filter(|fairness| *fairness < 0.95);
    parts.extend(unfair.map(|fairness| format!("fairness {:.0} %", fairness * 100.0)));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `+ open 1.20 ms, close 11.9 ms, 4 syncs, 1.18M written: 16.8 ms in total`.
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
    format!("+ {}: {} in total", parts.join(", "), duration(outside.total_ns))
}

/// Formats bytes in few characters, for narrow tables: `1.18M`.
fn short_bytes(number: u64) -> String {
    bytes(number).replace("iB", "").replace(" B", "").replace(' ', "")
}

/// Formats a factor as a signed percentage: 0.97 is `-3`.
fn percent(factor: f64) -> String {
    format!("{:+.0}", (factor - 1.0) * 100.0)
}

/// Writes the answer of a query line by line, because it may be long.
///
/// # Errors
/// Fails if `out` fails.
pub fn write_rows(answer: &TextRows, out: &mut impl Write) -> io::Result<()> {
    let mut columns: Vec<AnswerColumn> = answer.columns.iter().map(|name| AnswerColumn::new(name)).collect();
    for row in answer.rows.iter() {
        columns.iter_mut().zip(row.iter()).for_each(|(column, value)| column.take(value));
    }
    let columns: Vec<GridColumn> = columns.iter().map(AnswerColumn::stands).collect();
    writeln!(out, "{}", aligned(&columns, answer.columns.iter().map(|name| plain(name))))?;
    answer.rows.iter().try_for_each(|row| writeln!(out, "{}", aligned(&columns, row.iter().map(shown))))
}

/// The state of an answer's column, updated row by row.
struct AnswerColumn {
    width: usize,
    /// Whether each known value so far is a number; none: no value is known yet.
    is_number: Option<bool>,
}

impl AnswerColumn {
    fn new(name: &str) -> Self {
        Self { width: text_width(&plain(name)), is_number: None }
    }

    fn take(&mut self, value: Option<&str>) {
        self.width = self.width.max(text_width(&shown(value)));
        if let Some(value) = value {
            self.is_number = Some(self.is_number != Some(false) && value.parse::<f64>().is_ok());
        }
    }

    /// Returns the column's layout; numbers are right-aligned.
    fn stands(&self) -> GridColumn {
        let alignment = if self.is_number == Some(true) { Alignment::Right } else { Alignment::Left };
        GridColumn { width: self.width, alignment }
    }
}

fn shown(value: Option<&str>) -> Cow<'_, str> {
    match value {
        None => Cow::Borrowed("NULL"),
        Some(text) if is_printable_ascii(text) => Cow::Borrowed(text),
        Some(text) => Cow::Owned(plain(text)),
    }
}

/// Lists names with one line about each.
pub fn list(entries: Vec<(String, String)>) -> String {
    let table = Table::pairs(["name", "about"], entries.into_iter().map(|(name, about)| [name, about]));
    sheet::text(&Sheet { sections: vec![Section::table(table)], ..Sheet::default() }, TableStyle::FILE)
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
