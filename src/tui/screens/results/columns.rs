//! The columns of a listing, and its sort column.

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

    /// Returns the columns that exist whatever is stored, in display order.
    pub(crate) fn columns(self) -> Vec<ListedColumn> {
        use {Configuration as C, Group as G, Run as R, Test as T};
        match self {
            Self::Configurations => {
                [C::Session, C::Engine, C::Suite, C::Sizes, C::Rounds, C::Status, C::Tier, C::Version, C::Host]
                    .map(ListedColumn::Configuration)
                    .into()
            }
            Self::Runs => [
                R::Started,
                R::Engine,
                R::Suite,
                R::Size,
                R::Round,
                R::Tests,
                R::Wall,
                R::Status,
                R::Tags,
                R::Tier,
                R::Version,
                R::Host,
            ]
            .map(ListedColumn::Run)
            .into(),
            Self::Results => [
                T::Started,
                T::Suite,
                T::Size,
                T::Test,
                T::Engine,
                T::Wall,
                T::Rate,
                T::P50,
                T::P99,
                T::Status,
                T::Tags,
                T::Tier,
                T::Round,
                T::Version,
                T::Host,
            ]
            .map(ListedColumn::Result)
            .into(),
            Self::Groups => [G::Value, G::Results, G::Runs, G::CutShort, G::Sessions, G::Median, G::Least, G::Most]
                .map(ListedColumn::Group)
                .into(),
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
            Self::Configuration(column) => match column {
                Configuration::Session => "session",
                Configuration::Engine => "configuration",
                Configuration::Suite => "suite",
                Configuration::Sizes => "sizes",
                Configuration::Rounds => "rounds",
                Configuration::Status => "runs",
                Configuration::Tier => "tier",
                Configuration::Version => "version",
                Configuration::Host => "host",
                Configuration::Option(name) => name,
            },
            Self::Run(column) => match column {
                Run::Started => "started",
                Run::Suite => "suite",
                Run::Size => "size",
                Run::Engine => "engine",
                Run::Round => "round",
                Run::Tests => "tests",
                Run::Wall => "wall",
                Run::Status => "status",
                Run::Tags => "tags",
                Run::Tier => "tier",
                Run::Version => "version",
                Run::Host => "host",
                Run::Option(name) => name,
            },
            Self::Result(column) => match column {
                Test::Started => "started",
                Test::Suite => "suite",
                Test::Size => "size",
                Test::Test => "test",
                Test::Engine => "engine",
                Test::Wall => "wall",
                Test::Rate => "rate",
                Test::P50 => "p50",
                Test::P99 => "p99",
                Test::Status => "status",
                Test::Tags => "tags",
                Test::Tier => "tier",
                Test::Round => "round",
                Test::Version => "version",
                Test::Host => "host",
                Test::Option(name) => name,
            },
            Self::Group(column) => match column {
                Group::Value => key.map_or("value", SelectionKey::word),
                Group::Results => "results",
                Group::Runs => "runs",
                Group::CutShort => "cut short",
                Group::Sessions => "sessions",
                Group::Median => "median",
                Group::Least => "least",
                Group::Most => "most",
            },
        }
    }

    /// Whether sorting by this column puts rows that are new, fast or in need of attention first.
    fn descends(&self) -> bool {
        matches!(
            self,
            Self::Configuration(Configuration::Session | Configuration::Status)
                | Self::Run(Run::Started)
                | Self::Result(Test::Started | Test::Rate)
                | Self::Group(Group::CutShort)
        )
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
    let descending = column.descends();
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
