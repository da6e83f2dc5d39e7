//! The columns of each listing as data: title, place where room is short, colour, and the text of a cell.

use super::{
    ListedColumn::{self, Configuration, Group, Result, Run},
    ListedRow, ResultsScreen, RowKind, columns, short,
};
use dbdyno_catalog::Role;
use dbdyno_foundation::base::units::{count, counted, duration, plain, rate};
use dbdyno_store::{
    ConfigurationColumn as C, ConfigurationRow, GroupColumn as G, GroupRow, OptionValues, ResultColumn as T, ResultRow,
    RunColumn as R, RunRow, Status,
};

/// The look of a column of any listing.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnLook {
    /// The title; empty for options, which have their names.
    pub(super) word: &'static str,
    /// Priority; the column with the highest number is dropped first.
    pub(super) rank: usize,
    /// Maximum width in terminal columns, if room is short.
    pub(super) most: usize,
    /// Whether it is aligned to the right: numbers are.
    pub(super) right: bool,
    role: Role,
    /// Whether it shows how rows ended. Its cells then have the colour of the row's sign.
    pub(super) is_status: bool,
    /// Whether sorting by this column puts rows that are new, fast or in need of attention first.
    pub(super) descends: bool,
}

impl ColumnLook {
    const fn right(self) -> Self {
        Self { right: true, ..self }
    }

    const fn coloured(self, role: Role) -> Self {
        Self { role, ..self }
    }

    const fn status(self) -> Self {
        Self { is_status: true, ..self }
    }

    const fn descending(self) -> Self {
        Self { descends: true, ..self }
    }

    /// Returns the role of a cell.
    pub(super) fn role(&self, row: ListedRow<'_>) -> Role {
        if self.is_status { sign(row).1 } else { self.role }
    }
}

const fn look(word: &'static str, rank: usize, most: usize) -> ColumnLook {
    ColumnLook { word, rank, most, right: false, role: Role::Dim, is_status: false, descends: false }
}

/// A column with its look and the text of its cells.
struct DrawnColumn<Row: 'static> {
    column: ListedColumn,
    look: ColumnLook,
    text: fn(&Row, &CellContext<'_>) -> String,
}

const fn column<Row>(
    column: ListedColumn,
    look: ColumnLook,
    text: fn(&Row, &CellContext<'_>) -> String,
) -> DrawnColumn<Row> {
    DrawnColumn { column, look, text }
}

/// The surroundings of a cell: its column, its screen and the options of its run.
struct CellContext<'c> {
    results: &'c ResultsScreen,
    options: Option<&'c OptionValues>,
    column: &'c ListedColumn,
    /// The columns of the terminal.
    screen: usize,
}

impl CellContext<'_> {
    fn label(&self, label: &str) -> String {
        self.results.labels.fitted(label, self.options, label_width(self.screen))
    }

    /// Returns a time to the minute, on narrow screens without the year.
    fn moment(&self, started: &str) -> String {
        let from = if self.screen < 100 { 5 } else { 0 };
        if started.is_empty() { "-".to_owned() } else { started.get(from..16).unwrap_or(started).to_owned() }
    }

    /// Returns the value of the option that the column shows.
    fn option(&self) -> String {
        let value = self.options.and_then(|options| options.get(self.column.word(None)));
        value.map_or_else(|| "-".to_owned(), Clone::clone)
    }
}

/// Returns the maximum width of a label, on a screen with the given number of columns.
pub(super) fn label_width(screen: usize) -> usize {
    (screen * 2 / 5).max(30)
}

/// The columns of configurations, in display order. The last one stands for all options.
const CONFIGURATIONS: &[DrawnColumn<ConfigurationRow>] = &[
    column(Configuration(C::Session), look("session", 1, 16).descending(), |row, at| at.moment(&row.started)),
    column(Configuration(C::Engine), look("configuration", 0, 0).coloured(Role::Text), |row, at| at.label(&row.label)),
    column(Configuration(C::Suite), look("suite", 4, 14), |row, _| row.suite.clone()),
    column(Configuration(C::Sizes), look("sizes", 5, 24).right(), |row, _| {
        row.sizes.split(' ').map(size).collect::<Vec<_>>().join(" ")
    }),
    column(Configuration(C::Rounds), look("rounds", 3, 9).right(), |row, _| {
        format!("{}/{}", row.finished_rounds, row.rounds)
    }),
    column(Configuration(C::Status), look("runs", 2, 40).status().descending(), |row, _| ends(row)),
    column(Configuration(C::Tier), look("tier", 6, 16), |row, _| tier(row.tier, row.tier_evidence.as_deref())),
    column(Configuration(C::Version), look("version", 8, 16), |row, _| row.version.clone()),
    column(Configuration(C::Host), look("host", 9, 20), |row, _| row.host.clone()),
    column(Configuration(C::Option(String::new())), look("", 7, 16).coloured(Role::Text), |_, at| at.option()),
];

/// The columns of runs, in display order. The last one stands for all options.
const RUNS: &[DrawnColumn<RunRow>] = &[
    column(Run(R::Started), look("started", 1, 16).descending(), |row, at| at.moment(&row.started)),
    column(Run(R::Engine), look("engine", 0, 0).coloured(Role::Text), |row, at| at.label(&row.label)),
    column(Run(R::Suite), look("suite", 7, 14), |row, _| row.suite.clone()),
    column(Run(R::Size), look("size", 4, 12).right(), |row, _| size(&row.size)),
    column(Run(R::Round), look("round", 5, 5).right(), |row, _| row.round.to_string()),
    column(Run(R::Tests), look("tests", 6, 6).right(), |row, _| count(row.tests)),
    column(Run(R::Wall), look("wall", 2, 10).right().coloured(Role::Accent), |row, _| ns(row.wall_ns)),
    column(Run(R::Status), look("status", 3, 24).status(), |row, _| match row.bad_tests {
        0 => row.status.clone(),
        bad => format!("{}, {}", row.status, counted(bad, "bad test")),
    }),
    column(Run(R::Tags), look("tags", 9, 24), |row, _| row.tags.clone()),
    column(Run(R::Tier), look("tier", 10, 16), |row, _| tier(row.tier, row.tier_evidence.as_deref())),
    column(Run(R::Version), look("version", 11, 16), |row, _| row.version.clone()),
    column(Run(R::Host), look("host", 12, 20), |row, _| row.host.clone()),
    column(Run(R::Option(String::new())), look("", 8, 16).coloured(Role::Text), |_, at| at.option()),
];

/// The columns of tests of runs, in display order. The last one stands for all options.
const RESULTS: &[DrawnColumn<ResultRow>] = &[
    column(Result(T::Started), look("started", 4, 16).descending(), |row, at| at.moment(&row.started)),
    column(Result(T::Suite), look("suite", 6, 14), |row, _| row.suite.clone()),
    column(Result(T::Size), look("size", 3, 12).right(), |row, _| size(&row.size)),
    column(Result(T::Test), look("test", 1, 28).coloured(Role::Text), |row, _| {
        row.test.map_or_else(|| "no test".to_owned(), |test| format!("{test} {}", row.test_name))
    }),
    column(Result(T::Engine), look("engine", 0, 0).coloured(Role::Text), |row, at| at.label(&row.label)),
    column(Result(T::Wall), look("wall", 2, 10).right().coloured(Role::Accent), |row, _| ns(row.wall_ns)),
    column(Result(T::Rate), look("rate", 5, 10).right().coloured(Role::Text).descending(), |row, _| {
        row.rate.map_or_else(|| "-".to_owned(), rate)
    }),
    column(Result(T::P50), look("p50", 8, 10).right().coloured(Role::Text), |row, _| ns(row.p50_ns)),
    column(Result(T::P99), look("p99", 7, 10).right().coloured(Role::Text), |row, _| ns(row.p99_ns)),
    column(Result(T::Status), look("status", 9, 24).status(), |row, _| {
        if is_cut_short(&row.run_status) && row.status != row.run_status {
            format!("{}, {}", row.status, row.run_status)
        } else if row.status == "ok" && row.verified.as_deref() == Some("not verified") {
            "not verified".to_owned()
        } else {
            row.status.clone()
        }
    }),
    column(Result(T::Tags), look("tags", 11, 24), |row, _| row.tags.clone()),
    column(Result(T::Tier), look("tier", 12, 4).right(), |row, _| tier(row.tier, None)),
    column(Result(T::Round), look("round", 13, 5).right(), |row, _| row.round.to_string()),
    column(Result(T::Version), look("version", 14, 16), |row, _| row.version.clone()),
    column(Result(T::Host), look("host", 15, 20), |row, _| row.host.clone()),
    column(Result(T::Option(String::new())), look("", 10, 16).coloured(Role::Text), |_, at| at.option()),
];

/// The columns of groups, in display order. The title of the value is the key's word.
const GROUPS: &[DrawnColumn<GroupRow>] = &[
    column(Group(G::Value), look("value", 0, 0).coloured(Role::Text), |row, at| {
        let value = row.value.as_deref().unwrap_or("none");
        let is_session = columns::key(&at.results.listing).is_some_and(|key| key.word() == "session");
        let value = if is_session { short(value) } else { value };
        let telling = row.telling().iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
        format!("{value}{telling} {}", row.detail).trim_end().to_owned()
    }),
    column(Group(G::Results), look("results", 3, 10).right(), |row, _| count(row.results)),
    column(Group(G::Runs), look("runs", 4, 10).right(), |row, _| count(row.runs)),
    column(Group(G::CutShort), look("cut short", 7, 10).right().status().descending(), |row, _| count(row.cut_short)),
    column(Group(G::Sessions), look("sessions", 7, 10).right(), |row, _| count(row.sessions)),
    column(Group(G::Median), look("median", 1, 10).right().coloured(Role::Accent), |row, _| {
        row.median_ns.map_or_else(|| "-".to_owned(), duration)
    }),
    column(Group(G::Least), look("least", 5, 10).right(), |row, _| ns(row.least_ns)),
    column(Group(G::Most), look("most", 6, 10).right(), |row, _| ns(row.most_ns)),
];

/// Returns the entry of a column. Those of options are not listed one by one.
fn entry<Row>(all: &'static [DrawnColumn<Row>], column: &ListedColumn) -> &'static DrawnColumn<Row> {
    all.iter().find(|one| one.column == *column).unwrap_or(&all[all.len() - 1])
}

/// Returns the columns that every store has, in display order.
pub(super) fn usual(kind: RowKind) -> Vec<ListedColumn> {
    fn named<Row>(all: &[DrawnColumn<Row>]) -> Vec<ListedColumn> {
        all.iter().filter(|one| !one.look.word.is_empty()).map(|one| one.column.clone()).collect()
    }
    match kind {
        RowKind::Configurations => named(CONFIGURATIONS),
        RowKind::Runs => named(RUNS),
        RowKind::Results => named(RESULTS),
        RowKind::Groups => named(GROUPS),
    }
}

/// Returns the look of a column.
pub(super) fn look_of(column: &ListedColumn) -> ColumnLook {
    match column {
        Configuration(_) => entry(CONFIGURATIONS, column).look,
        Run(_) => entry(RUNS, column).look,
        Result(_) => entry(RESULTS, column).look,
        Group(_) => entry(GROUPS, column).look,
    }
}

/// Returns the text of a cell, on a screen with the given number of columns.
pub(super) fn cell(results: &ResultsScreen, row: ListedRow<'_>, column: &ListedColumn, screen: usize) -> String {
    let context = CellContext { results, options: results.table.options(row), column, screen };
    let text = match (row, column) {
        (ListedRow::Configuration(row), Configuration(_)) => (entry(CONFIGURATIONS, column).text)(row, &context),
        (ListedRow::Run(row), Run(_)) => (entry(RUNS, column).text)(row, &context),
        (ListedRow::Result(row), Result(_)) => (entry(RESULTS, column).text)(row, &context),
        (ListedRow::Group(row), Group(_)) => (entry(GROUPS, column).text)(row, &context),
        // The column is of another kind of row: the listing has changed, and its rows are not read yet.
        _ => String::new(),
    };
    plain(&text)
}

fn ns(value: Option<u64>) -> String {
    value.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64))
}

fn size(size: &str) -> String {
    size.parse().map_or_else(|_| size.to_owned(), count)
}

fn tier(tier: Option<u8>, evidence: Option<&str>) -> String {
    let tier = tier.map_or_else(|| "-".to_owned(), |tier| tier.to_string());
    evidence.map_or_else(|| tier.clone(), |verdict| format!("{tier} {verdict}"))
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
