//! The columns of a listing, and its sort column.

use super::cells;
use dbdyno_store::{
    ConfigurationColumn as Configuration, GroupColumn as Group, Order, PageListing, ResultColumn as Test,
    RunColumn as Run, SelectionKey,
};

/// A column of one of the listings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListedColumn {
    Configuration(Configuration),
    Run(Run),
    Result(Test),
    Group(Group),
}

/// The kind of a listing's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowKind {
    Configurations,
    Runs,
    Results,
    Groups,
}

impl RowKind {
    pub(crate) fn of(listing: &PageListing) -> Self {
        match listing {
            PageListing::Configurations(_) => Self::Configurations,
            PageListing::Runs(_) => Self::Runs,
            PageListing::Results(_) => Self::Results,
            PageListing::Groups(..) => Self::Groups,
        }
    }

    /// Returns the column of an option; none for groups.
    pub(crate) fn option(self, name: &str) -> Option<ListedColumn> {
        let name = name.to_owned();
        match self {
            Self::Configurations => Some(ListedColumn::Configuration(Configuration::Option(name))),
            Self::Runs => Some(ListedColumn::Run(Run::Option(name))),
            Self::Results => Some(ListedColumn::Result(Test::Option(name))),
            Self::Groups => None,
        }
    }

    /// Returns the column that the cursor is on at first: the most important one.
    pub(crate) fn first_focus(self) -> ListedColumn {
        match self {
            Self::Configurations => ListedColumn::Configuration(Configuration::Status),
            Self::Runs => ListedColumn::Run(Run::Wall),
            Self::Results => ListedColumn::Result(Test::Wall),
            Self::Groups => ListedColumn::Group(Group::Median),
        }
    }
}

impl ListedColumn {
    /// Returns the title; the title of a group's value is the key's word.
    pub(crate) fn word<'w>(&'w self, key: Option<&'w SelectionKey>) -> &'w str {
        match self {
            Self::Configuration(Configuration::Option(name))
            | Self::Run(Run::Option(name))
            | Self::Result(Test::Option(name)) => name,
            Self::Group(Group::Value) => key.map_or("value", SelectionKey::word),
            _ => cells::look_of(self).word,
        }
    }
}

/// Returns the listing of every session's configurations, newest session first.
pub(crate) fn configurations() -> PageListing {
    PageListing::Configurations(Order { column: Configuration::Session, descending: true })
}

/// Returns the listing of runs in the order of their rounds.
pub(crate) fn runs() -> PageListing {
    PageListing::Runs(Order { column: Run::Round, descending: false })
}

/// Returns the listing of every result, newest run first.
pub(crate) fn newest() -> PageListing {
    PageListing::Results(Order { column: Test::Started, descending: true })
}

/// Returns the listing of groups by a key, in the order of its values.
pub(crate) fn groups(key: SelectionKey) -> PageListing {
    PageListing::Groups(key, Order { column: Group::Value, descending: false })
}

/// Returns the key of a listing of groups.
pub(crate) fn key(listing: &PageListing) -> Option<&SelectionKey> {
    match listing {
        PageListing::Groups(key, _) => Some(key),
        _ => None,
    }
}

/// Returns the sort column of a listing, and whether the order is descending.
pub(crate) fn ordering(listing: &PageListing) -> (ListedColumn, bool) {
    match listing {
        PageListing::Configurations(order) => (ListedColumn::Configuration(order.column.clone()), order.descending),
        PageListing::Runs(order) => (ListedColumn::Run(order.column.clone()), order.descending),
        PageListing::Results(order) => (ListedColumn::Result(order.column.clone()), order.descending),
        PageListing::Groups(_, order) => (ListedColumn::Group(order.column), order.descending),
    }
}

/// Sorts a listing by one of its columns: new or fast rows first, all others ascending.
pub(crate) fn order_by(listing: &mut PageListing, column: ListedColumn) {
    let descending = cells::look_of(&column).descends;
    match (listing, column) {
        (PageListing::Configurations(order), ListedColumn::Configuration(column)) => {
            *order = Order { column, descending }
        }
        (PageListing::Runs(order), ListedColumn::Run(column)) => *order = Order { column, descending },
        (PageListing::Results(order), ListedColumn::Result(column)) => *order = Order { column, descending },
        (PageListing::Groups(_, order), ListedColumn::Group(column)) => *order = Order { column, descending },
        // A column of another row kind does not change the order.
        _ => {}
    }
}

/// Reverses the order.
pub(crate) fn reverse(listing: &mut PageListing) {
    let descending = match listing {
        PageListing::Configurations(order) => &mut order.descending,
        PageListing::Runs(order) => &mut order.descending,
        PageListing::Results(order) => &mut order.descending,
        PageListing::Groups(_, order) => &mut order.descending,
    };
    *descending = !*descending;
}
