//! What the cells of the table say.

use crate::{
    base::units::{count, duration, plain, rate},
    catalog::Role,
    store::{GroupColumn, GroupRow, ResultColumn, ResultRow, SelectionKey},
    tui::screens::results::{columns, short},
};

/// A column's title, its alignment, how soon it is dropped, and how wide it may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Numbers are aligned to the right.
    pub(super) right: bool,
    /// The greatest is dropped first.
    pub(super) rank: usize,
    /// Columns of the terminal that it takes at most.
    pub(super) most: usize,
}

/// The shape of a column of results, on a screen of so many columns.
pub(super) fn result_shape(column: ResultColumn, screen: usize) -> Shape {
    let (right, rank, most) = match column {
        ResultColumn::Engine => (false, 0, (screen / 3).max(30)),
        ResultColumn::Test => (false, 1, (screen / 5).max(28)),
        ResultColumn::Wall => (true, 2, 10),
        ResultColumn::Size => (true, 3, 12),
        ResultColumn::Started => (false, 4, 16),
        ResultColumn::Rate => (true, 5, 10),
        ResultColumn::Suite => (false, 6, 14),
        ResultColumn::P99 => (true, 7, 10),
        ResultColumn::P50 => (true, 8, 10),
        ResultColumn::Status => (false, 9, 9),
        ResultColumn::Tags => (false, 10, 24),
        ResultColumn::Tier => (true, 11, 4),
        ResultColumn::Round => (true, 12, 5),
        ResultColumn::Version => (false, 13, 16),
        ResultColumn::Host => (false, 14, 20),
    };
    Shape { right, rank, most }
}

/// A cell of a result. On a narrow screen a time has no year.
pub(super) fn result(row: &ResultRow, column: ResultColumn, screen: usize) -> String {
    let ns = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64));
    let text = match column {
        ResultColumn::Started if row.started.is_empty() => "-".to_owned(),
        ResultColumn::Started => {
            let from = if screen < 100 { 5 } else { 0 };
            row.started.get(from..16).unwrap_or(&row.started).to_owned()
        }
        ResultColumn::Suite => row.suite.clone(),
        ResultColumn::Size => row.size.parse().map_or_else(|_| row.size.clone(), count),
        ResultColumn::Test => row.test.map_or_else(|| "no test".to_owned(), |test| format!("{test} {}", row.test_name)),
        ResultColumn::Engine => row.label.clone(),
        ResultColumn::Wall => ns(row.wall_ns),
        ResultColumn::Rate => row.rate.map_or_else(|| "-".to_owned(), rate),
        ResultColumn::P50 => ns(row.p50_ns),
        ResultColumn::P99 => ns(row.p99_ns),
        ResultColumn::Status => row.status.clone(),
        ResultColumn::Tags => row.tags.clone(),
        ResultColumn::Tier => row.tier.map_or_else(|| "-".to_owned(), |tier| tier.to_string()),
        ResultColumn::Round => (row.round + 1).to_string(),
        ResultColumn::Version => row.version.clone(),
        ResultColumn::Host => row.host.clone(),
    };
    plain(&text)
}

/// What a result's cell means.
pub(super) fn result_role(row: &ResultRow, column: ResultColumn) -> Role {
    match column {
        ResultColumn::Wall => Role::Accent,
        ResultColumn::Status if row.status != "ok" => Role::Bad,
        ResultColumn::Engine | ResultColumn::Test | ResultColumn::Rate | ResultColumn::P50 | ResultColumn::P99 => {
            Role::Text
        }
        _ => Role::Dim,
    }
}

/// A sign for figures that do not count: it is seen where the status has no room.
pub(super) fn sign(row: &ResultRow) -> &'static str {
    match row.status.as_str() {
        "ok" => " ",
        "running" => "▶",
        _ => "✗",
    }
}

/// The shape of a column of groups, on a screen of so many columns.
pub(super) fn group_shape(column: GroupColumn, screen: usize) -> Shape {
    let (right, rank, most) = match column {
        GroupColumn::Value => (false, 0, (screen / 2).max(30)),
        GroupColumn::Median => (true, 1, 10),
        GroupColumn::Results => (true, 2, 10),
        GroupColumn::Runs => (true, 3, 10),
        GroupColumn::Least => (true, 4, 10),
        GroupColumn::Most => (true, 5, 10),
        GroupColumn::Sessions => (true, 6, 10),
    };
    Shape { right, rank, most }
}

/// A cell of a group.
pub(super) fn group(row: &GroupRow, key: &SelectionKey, column: GroupColumn) -> String {
    let ns = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |ns| duration(ns as f64));
    let text = match column {
        GroupColumn::Value => {
            let value = row.value.as_deref().unwrap_or("none");
            let value = if key.word() == "session" { short(value) } else { value };
            format!("{value} {}", row.detail).trim_end().to_owned()
        }
        GroupColumn::Results => count(row.results),
        GroupColumn::Runs => count(row.runs),
        GroupColumn::Sessions => count(row.sessions),
        GroupColumn::Median => row.median_ns.map_or_else(|| "-".to_owned(), duration),
        GroupColumn::Least => ns(row.least_ns),
        GroupColumn::Most => ns(row.most_ns),
    };
    plain(&text)
}

/// What a group's cell means.
pub(super) fn group_role(column: GroupColumn) -> Role {
    match column {
        GroupColumn::Median => Role::Accent,
        GroupColumn::Value => Role::Text,
        _ => Role::Dim,
    }
}

/// A column's title with the sign of its order, in brackets where the cursor is on it.
pub(super) fn title(word: &str, ordered: Option<bool>, focused: bool) -> String {
    let sign = match ordered {
        Some(true) => "▼",
        Some(false) => "▲",
        None => "",
    };
    if focused { format!("[{}{sign}]", plain(word)) } else { format!("{}{sign}", plain(word)) }
}

/// The titles' words of a listing, by place.
pub(super) fn words(key: Option<&SelectionKey>) -> Vec<&str> {
    match key {
        None => columns::RESULTS.map(columns::result_word).to_vec(),
        Some(key) => columns::GROUPS.map(|column| columns::group_word(column, key)).to_vec(),
    }
}
