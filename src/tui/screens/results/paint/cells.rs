//! The texts of the table's cells.

use crate::tui::screens::results::{ListedColumn, ListedRow, ResultsScreen, columns, short};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, counted, duration, plain, rate};
use dbdyno_store::{
    ConfigurationColumn, ConfigurationRow, GroupColumn, GroupRow, OptionValues, ResultColumn, ResultRow, RunColumn,
    RunRow, Status,
};

/// A column's alignment, how soon it is dropped, and how wide it may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Numbers are aligned to the right.
    pub(super) right: bool,
    /// Priority; the column with the highest number is dropped first.
    pub(super) rank: usize,
    /// Maximum width in terminal columns.
    pub(super) most: usize,
}

/// Returns the maximum width of a label, on a screen with the given number of columns.
fn label_width(screen: usize) -> usize {
    (screen * 2 / 5).max(30)
}

/// Returns the shape of a column, on a screen with the given number of columns. The status has a higher priority if runs ended badly.
pub(super) fn shape(column: &ListedColumn, screen: usize, ended_well: bool) -> Shape {
    let status = |usual: usize| if ended_well { usual } else { 2 };
    let (right, rank, most) = match column {
        ListedColumn::Configuration(column) => match column {
            ConfigurationColumn::Engine => (false, 0, label_width(screen)),
            ConfigurationColumn::Session => (false, 1, 16),
            ConfigurationColumn::Status => (false, status(2), 40),
            ConfigurationColumn::Rounds => (true, 3, 9),
            ConfigurationColumn::Suite => (false, 4, 14),
            ConfigurationColumn::Sizes => (true, 5, 24),
            ConfigurationColumn::Tier => (false, 6, 16),
            ConfigurationColumn::Option(_) => (false, 7, 16),
            ConfigurationColumn::Version => (false, 8, 16),
            ConfigurationColumn::Host => (false, 9, 20),
        },
        ListedColumn::Run(column) => match column {
            RunColumn::Engine => (false, 0, label_width(screen)),
            RunColumn::Started => (false, 1, 16),
            RunColumn::Wall => (true, 2, 10),
            RunColumn::Status => (false, status(3), 24),
            RunColumn::Size => (true, 4, 12),
            RunColumn::Round => (true, 5, 5),
            RunColumn::Tests => (true, 6, 6),
            RunColumn::Suite => (false, 7, 14),
            RunColumn::Option(_) => (false, 8, 16),
            RunColumn::Tags => (false, 9, 24),
            RunColumn::Tier => (false, 10, 16),
            RunColumn::Version => (false, 11, 16),
            RunColumn::Host => (false, 12, 20),
        },
        ListedColumn::Result(column) => match column {
            ResultColumn::Engine => (false, 0, label_width(screen)),
            ResultColumn::Test => (false, 1, (screen / 5).max(28)),
            ResultColumn::Wall => (true, 2, 10),
            ResultColumn::Size => (true, 3, 12),
            ResultColumn::Started => (false, 4, 16),
            ResultColumn::Rate => (true, 5, 10),
            ResultColumn::Suite => (false, 6, 14),
            ResultColumn::P99 => (true, 7, 10),
            ResultColumn::P50 => (true, 8, 10),
            ResultColumn::Status => (false, status(9), 24),
            ResultColumn::Option(_) => (false, 10, 16),
            ResultColumn::Tags => (false, 11, 24),
            ResultColumn::Tier => (true, 12, 4),
            ResultColumn::Round => (true, 13, 5),
            ResultColumn::Version => (false, 14, 16),
            ResultColumn::Host => (false, 15, 20),
        },
        ListedColumn::Group(column) => match column {
            GroupColumn::Value => (false, 0, (screen / 2).max(30)),
            GroupColumn::Median => (true, 1, 10),
            GroupColumn::CutShort => (true, status(7), 10),
            GroupColumn::Results => (true, 3, 10),
            GroupColumn::Runs => (true, 4, 10),
            GroupColumn::Least => (true, 5, 10),
            GroupColumn::Most => (true, 6, 10),
            GroupColumn::Sessions => (true, 7, 10),
        },
    };
    Shape { right, rank, most }
}

/// Returns the text of a cell, on a screen with the given number of columns.
pub(super) fn cell(results: &ResultsScreen, row: ListedRow<'_>, column: &ListedColumn, screen: usize) -> String {
    let options = results.table.options(row);
    let label = |label: &str| results.labels.fitted(label, options, label_width(screen));
    let text = match (row, column) {
        (ListedRow::Configuration(row), ListedColumn::Configuration(column)) => {
            configuration(row, column, label, options, screen)
        }
        (ListedRow::Run(row), ListedColumn::Run(column)) => run(row, column, label, options, screen),
        (ListedRow::Result(row), ListedColumn::Result(column)) => result(row, column, label, options, screen),
        (ListedRow::Group(row), ListedColumn::Group(column)) => {
            group(row, *column, columns::key(&results.listing).is_some_and(|key| key.word() == "session"))
        }
        // The column is of another kind of row: the listing has changed, and its rows are not read yet.
        _ => String::new(),
    };
    plain(&text)
}

fn ns(value: Option<u64>) -> String {
    value.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64))
}

/// Returns a time to the minute, on narrow screens without the year.
fn moment(started: &str, screen: usize) -> String {
    let from = if screen < 100 { 5 } else { 0 };
    if started.is_empty() { "-".to_owned() } else { started.get(from..16).unwrap_or(started).to_owned() }
}

fn size(size: &str) -> String {
    size.parse().map_or_else(|_| size.to_owned(), count)
}

fn tier(tier: Option<u8>, evidence: Option<&str>) -> String {
    let tier = tier.map_or_else(|| "-".to_owned(), |tier| tier.to_string());
    evidence.map_or_else(|| tier.clone(), |verdict| format!("{tier} {verdict}"))
}

fn value(options: Option<&OptionValues>, name: &str) -> String {
    options.and_then(|options| options.get(name)).map_or_else(|| "-".to_owned(), Clone::clone)
}

/// Returns the numbers of a configuration's runs by status, including those that ended badly.
fn ends(row: &ConfigurationRow) -> String {
    let others = row.runs.saturating_sub(row.done + row.failed + row.cancelled + row.interrupted + row.running);
    let parts = [
        (row.done, "done"),
        (row.running, "running"),
        (row.failed, "failed"),
        (row.cancelled, "cancelled"),
        (row.interrupted, "interrupted"),
        (others, "not counted"),
    ];
    let mut parts: Vec<String> =
        parts.iter().filter(|(runs, _)| *runs > 0).map(|(runs, word)| format!("{} {word}", count(*runs))).collect();
    if row.bad_tests > 0 {
        parts.push(counted(row.bad_tests, "bad test"));
    }
    parts.join(", ")
}

fn configuration(
    row: &ConfigurationRow,
    column: &ConfigurationColumn,
    label: impl Fn(&str) -> String,
    options: Option<&OptionValues>,
    screen: usize,
) -> String {
    match column {
        ConfigurationColumn::Session => moment(&row.started, screen),
        ConfigurationColumn::Engine => label(&row.label),
        ConfigurationColumn::Suite => row.suite.clone(),
        ConfigurationColumn::Sizes => row.sizes.split(' ').map(size).collect::<Vec<_>>().join(" "),
        ConfigurationColumn::Rounds => format!("{}/{}", row.finished_rounds, row.rounds),
        ConfigurationColumn::Status => ends(row),
        ConfigurationColumn::Tier => tier(row.tier, row.tier_evidence.as_deref()),
        ConfigurationColumn::Version => row.version.clone(),
        ConfigurationColumn::Host => row.host.clone(),
        ConfigurationColumn::Option(name) => value(options, name),
    }
}

fn run(
    row: &RunRow,
    column: &RunColumn,
    label: impl Fn(&str) -> String,
    options: Option<&OptionValues>,
    screen: usize,
) -> String {
    match column {
        RunColumn::Started => moment(&row.started, screen),
        RunColumn::Suite => row.suite.clone(),
        RunColumn::Size => size(&row.size),
        RunColumn::Engine => label(&row.label),
        RunColumn::Round => row.round.to_string(),
        RunColumn::Tests => count(row.tests),
        RunColumn::Wall => ns(row.wall_ns),
        RunColumn::Status if row.bad_tests > 0 => {
            format!("{}, {}", row.status, counted(row.bad_tests, "bad test"))
        }
        RunColumn::Status => row.status.clone(),
        RunColumn::Tags => row.tags.clone(),
        RunColumn::Tier => tier(row.tier, row.tier_evidence.as_deref()),
        RunColumn::Version => row.version.clone(),
        RunColumn::Host => row.host.clone(),
        RunColumn::Option(name) => value(options, name),
    }
}

fn result(
    row: &ResultRow,
    column: &ResultColumn,
    label: impl Fn(&str) -> String,
    options: Option<&OptionValues>,
    screen: usize,
) -> String {
    match column {
        ResultColumn::Started => moment(&row.started, screen),
        ResultColumn::Suite => row.suite.clone(),
        ResultColumn::Size => size(&row.size),
        ResultColumn::Test => row.test.map_or_else(|| "no test".to_owned(), |test| format!("{test} {}", row.test_name)),
        ResultColumn::Engine => label(&row.label),
        ResultColumn::Wall => ns(row.wall_ns),
        ResultColumn::Rate => row.rate.map_or_else(|| "-".to_owned(), rate),
        ResultColumn::P50 => ns(row.p50_ns),
        ResultColumn::P99 => ns(row.p99_ns),
        ResultColumn::Status if is_cut_short(&row.run_status) && row.status != row.run_status => {
            format!("{}, {}", row.status, row.run_status)
        }
        ResultColumn::Status if row.status == "ok" && row.verified.as_deref() == Some("not verified") => {
            "not verified".to_owned()
        }
        ResultColumn::Status => row.status.clone(),
        ResultColumn::Tags => row.tags.clone(),
        ResultColumn::Tier => tier(row.tier, None),
        ResultColumn::Round => row.round.to_string(),
        ResultColumn::Version => row.version.clone(),
        ResultColumn::Host => row.host.clone(),
        ResultColumn::Option(name) => value(options, name),
    }
}

fn group(row: &GroupRow, column: GroupColumn, of_sessions: bool) -> String {
    match column {
        GroupColumn::Value => {
            let value = row.value.as_deref().unwrap_or("none");
            let value = if of_sessions { short(value) } else { value };
            let telling = row.telling().iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
            format!("{value}{telling} {}", row.detail).trim_end().to_owned()
        }
        GroupColumn::Results => count(row.results),
        GroupColumn::Runs => count(row.runs),
        GroupColumn::CutShort => count(row.cut_short),
        GroupColumn::Sessions => count(row.sessions),
        GroupColumn::Median => row.median_ns.map_or_else(|| "-".to_owned(), duration),
        GroupColumn::Least => ns(row.least_ns),
        GroupColumn::Most => ns(row.most_ns),
    }
}

/// Returns the role of a cell.
pub(super) fn role(row: ListedRow<'_>, column: &ListedColumn) -> Role {
    match (row, column) {
        (_, ListedColumn::Configuration(ConfigurationColumn::Status))
        | (_, ListedColumn::Run(RunColumn::Status))
        | (_, ListedColumn::Result(ResultColumn::Status)) => sign(row).1,
        (_, ListedColumn::Run(RunColumn::Wall))
        | (_, ListedColumn::Result(ResultColumn::Wall))
        | (_, ListedColumn::Group(GroupColumn::Median)) => Role::Accent,
        (_, ListedColumn::Group(GroupColumn::CutShort)) if sign(row).0 != " " => Role::Warn,
        (_, ListedColumn::Configuration(ConfigurationColumn::Engine | ConfigurationColumn::Option(_)))
        | (_, ListedColumn::Run(RunColumn::Engine | RunColumn::Option(_)))
        | (_, ListedColumn::Group(GroupColumn::Value)) => Role::Text,
        (
            _,
            ListedColumn::Result(
                ResultColumn::Engine
                | ResultColumn::Test
                | ResultColumn::Rate
                | ResultColumn::P50
                | ResultColumn::P99
                | ResultColumn::Option(_),
            ),
        ) => Role::Text,
        _ => Role::Dim,
    }
}

/// Whether a run ended before it was complete.
fn is_cut_short(status: &str) -> bool {
    [Status::Cancelled, Status::Interrupted].map(Status::word).contains(&status)
}

/// Returns a sign for rows that did not end well, with its role. It is visible even if the status column has no room.
pub(super) fn sign(row: ListedRow<'_>) -> (&'static str, Role) {
    let (running, bad, cut_short) = match row {
        ListedRow::Configuration(row) => {
            (row.running > 0, row.failed + row.bad_tests > 0, row.cancelled + row.interrupted > 0)
        }
        ListedRow::Run(row) => {
            let is_cut_short = is_cut_short(&row.status);
            let is_bad = row.bad_tests > 0 || !is_cut_short && row.status != Status::Done.word();
            (row.status == Status::Running.word(), is_bad, is_cut_short)
        }
        ListedRow::Result(row) => {
            let is_bad = row.status != "ok" && !is_cut_short(&row.status);
            (row.status == Status::Running.word(), is_bad, is_cut_short(&row.run_status))
        }
        ListedRow::Group(row) => (false, false, row.cut_short > 0),
    };
    match (running, bad, cut_short) {
        (true, ..) => ("▶", Role::Accent),
        (_, true, _) => ("✗", Role::Bad),
        (_, _, true) => ("!", Role::Warn),
        _ => (" ", Role::Dim),
    }
}

/// Returns a column's title with the sign of its order, in brackets if the cursor is on it.
pub(super) fn title(word: &str, ordered: Option<bool>, focused: bool) -> String {
    let sign = match ordered {
        Some(true) => "▼",
        Some(false) => "▲",
        None => "",
    };
    if focused { format!("[{}{sign}]", plain(word)) } else { format!("{}{sign}", plain(word)) }
}
