//! The columns of a listing, and which of them orders it.

use crate::store::{GroupColumn, Order, PageListing, ResultColumn, SelectionKey};

/// Columns of results, in the order they are shown.
pub const RESULTS: [ResultColumn; 15] = [
    ResultColumn::Started,
    ResultColumn::Suite,
    ResultColumn::Size,
    ResultColumn::Test,
    ResultColumn::Engine,
    ResultColumn::Wall,
    ResultColumn::Rate,
    ResultColumn::P50,
    ResultColumn::P99,
    ResultColumn::Status,
    ResultColumn::Tags,
    ResultColumn::Tier,
    ResultColumn::Round,
    ResultColumn::Version,
    ResultColumn::Host,
];

/// Columns of groups, in the order they are shown.
pub const GROUPS: [GroupColumn; 7] = [
    GroupColumn::Value,
    GroupColumn::Results,
    GroupColumn::Runs,
    GroupColumn::Sessions,
    GroupColumn::Median,
    GroupColumn::Least,
    GroupColumn::Most,
];

/// A column's title.
pub fn result_word(column: ResultColumn) -> &'static str {
    match column {
        ResultColumn::Started => "started",
        ResultColumn::Suite => "suite",
        ResultColumn::Size => "size",
        ResultColumn::Test => "test",
        ResultColumn::Engine => "engine",
        ResultColumn::Wall => "wall",
        ResultColumn::Rate => "rate",
        ResultColumn::P50 => "p50",
        ResultColumn::P99 => "p99",
        ResultColumn::Status => "status",
        ResultColumn::Tags => "tags",
        ResultColumn::Tier => "tier",
        ResultColumn::Round => "round",
        ResultColumn::Version => "version",
        ResultColumn::Host => "host",
    }
}

/// A column's title; the value's is the key's word.
pub fn group_word(column: GroupColumn, key: &SelectionKey) -> &str {
    match column {
        GroupColumn::Value => key.word(),
        GroupColumn::Results => "results",
        GroupColumn::Runs => "runs",
        GroupColumn::Sessions => "sessions",
        GroupColumn::Median => "median",
        GroupColumn::Least => "least",
        GroupColumn::Most => "most",
    }
}

/// Every result, the newest run first.
pub fn newest() -> PageListing {
    PageListing::Results(Order { column: ResultColumn::Started, descending: true })
}

/// Groups by a key, in the order of its values.
pub fn groups(key: SelectionKey) -> PageListing {
    PageListing::Groups(key, Order { column: GroupColumn::Value, descending: false })
}

/// The place of the column that the cursor is on first: the figure that matters most.
pub fn first_focus(listing: &PageListing) -> usize {
    let place = match listing {
        PageListing::Results(_) => RESULTS.iter().position(|column| *column == ResultColumn::Wall),
        PageListing::Groups(..) => GROUPS.iter().position(|column| *column == GroupColumn::Median),
    };
    place.unwrap_or(0)
}

/// How many columns a listing has.
pub fn count(listing: &PageListing) -> usize {
    match listing {
        PageListing::Results(_) => RESULTS.len(),
        PageListing::Groups(..) => GROUPS.len(),
    }
}

/// The place of the column that orders a listing.
pub fn ordering(listing: &PageListing) -> usize {
    let place = match listing {
        PageListing::Results(order) => RESULTS.iter().position(|column| *column == order.column),
        PageListing::Groups(_, order) => GROUPS.iter().position(|column| *column == order.column),
    };
    place.unwrap_or(0)
}

/// The word for the column that orders a listing, and whether the greatest comes first.
pub fn order_word(listing: &PageListing) -> (&str, bool) {
    match listing {
        PageListing::Results(order) => (result_word(order.column), order.descending),
        PageListing::Groups(key, order) => (group_word(order.column, key), order.descending),
    }
}

/// Orders a listing by the column at a place: what is new or fast first, everything else from the least.
pub fn order_by(listing: &mut PageListing, place: usize) {
    match listing {
        PageListing::Results(order) => {
            let column = RESULTS[place % RESULTS.len()];
            let descending = matches!(column, ResultColumn::Started | ResultColumn::Rate);
            *order = Order { column, descending };
        }
        PageListing::Groups(_, order) => *order = Order { column: GROUPS[place % GROUPS.len()], descending: false },
    }
}

/// Turns the order round.
pub fn reverse(listing: &mut PageListing) {
    let descending = match listing {
        PageListing::Results(order) => &mut order.descending,
        PageListing::Groups(_, order) => &mut order.descending,
    };
    *descending = !*descending;
}
