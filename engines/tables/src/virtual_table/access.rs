//! Chooses how a virtual table is read: by rowid or by an index, narrowed by the conditions that SQLite offers. Pure functions.

use super::super::definition::TableDefinition;

/// A condition of a statement that could be pushed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Constraint {
    /// The constraint's position among the offered ones.
    pub(super) place: usize,
    /// The column, `None` for the rowid.
    pub(super) column: Option<usize>,
    pub(super) comparison: ComparisonOperator,
}

/// A comparison operator, with the column on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparisonOperator {
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// The way to the rows. Its number form is the plan that SQLite keeps with a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AccessPath {
    /// The index's position; `None` for the table by rowid.
    pub(super) index: Option<usize>,
    pub(super) ends: KeyBounds,
    /// Whether the walk starts at the end.
    pub(super) descending: bool,
    /// Whether rows are not read, because the index's entries contain all requested columns.
    pub(super) covering: bool,
}

/// The bounds of the keys; their values come in this order. `true`: the bound itself is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyBounds {
    Equal,
    Range { from: Option<bool>, to: Option<bool> },
}

impl AccessPath {
    pub(super) fn to_number(self) -> i32 {
        let end = |end: Option<bool>| match end {
            None => 0,
            Some(true) => 1,
            Some(false) => 2,
        };
        let ends = match self.ends {
            KeyBounds::Equal => 3,
            KeyBounds::Range { from, to } => end(from) | end(to) << 2,
        };
        let index = self.index.map_or(0, |place| place as i32 + 1);
        ends | i32::from(self.descending) << 4 | i32::from(self.covering) << 5 | index << 6
    }

    pub(super) fn from_number(number: i32) -> Self {
        let end = |bits: i32| match bits & 3 {
            1 => Some(true),
            2 => Some(false),
            _ => None,
        };
        let ends = if number & 15 == 3 {
            KeyBounds::Equal
        } else {
            KeyBounds::Range { from: end(number), to: end(number >> 2) }
        };
        Self {
            index: usize::try_from((number >> 6) - 1).ok(),
            ends,
            descending: number & 1 << 4 != 0,
            covering: number & 1 << 5 != 0,
        }
    }

    /// Returns the column that it uses, `None` for the rowid.
    fn column(self, table: &TableDefinition) -> Option<usize> {
        self.index.map(|place| table.indexes[place].column)
    }
}

/// A chosen access path, its expected cost, and the conditions that it uses, in the order of their values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AccessPlan {
    pub(super) access: AccessPath,
    pub(super) taken: Vec<Constraint>,
    /// Whether rows come in the requested order.
    pub(super) ordered: bool,
    pub(super) cost: f64,
    pub(super) rows: f64,
}

/// A request for rows of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowRequest<'q> {
    pub(super) terms: &'q [Constraint],
    /// The columns to order by (`None` for the rowid), and whether in descending order.
    pub(super) order: &'q [(Option<usize>, bool)],
    /// A bit for each column that is read; the last bit stands for all columns from the 64th on.
    pub(super) used: u64,
    /// Whether the index may replace the rows.
    pub(super) may_cover: bool,
}

/// The assumed number of rows of a table, which is not counted.
const ROWS: f64 = 1_000_000.0;

/// Returns the cheapest access path.
pub(super) fn choose(table: &TableDefinition, request: RowRequest<'_>) -> AccessPlan {
    let by_index = (0..table.indexes.len()).map(|place| consider(table, request, Some(place)));
    by_index.fold(consider(table, request, None), |best, other| if other.cost < best.cost { other } else { best })
}

fn consider(table: &TableDefinition, request: RowRequest<'_>, index: Option<usize>) -> AccessPlan {
    let column = index.map(|place| table.indexes[place].column);
    let find = |wanted: &[ComparisonOperator]| {
        request.terms.iter().find(|term| term.column == column && wanted.contains(&term.comparison)).copied()
    };
    let (ends, taken) = match find(&[ComparisonOperator::Equal]) {
        Some(term) => (KeyBounds::Equal, vec![term]),
        None => {
            let from = find(&[ComparisonOperator::Greater, ComparisonOperator::GreaterOrEqual]);
            let to = find(&[ComparisonOperator::Less, ComparisonOperator::LessOrEqual]);
            let included = |term: Constraint| {
                matches!(term.comparison, ComparisonOperator::GreaterOrEqual | ComparisonOperator::LessOrEqual)
            };
            (KeyBounds::Range { from: from.map(included), to: to.map(included) }, from.into_iter().chain(to).collect())
        }
    };
    let covering = column.is_some_and(|column| request.may_cover && column < 63 && request.used & !(1 << column) == 0);
    let (ordered, descending) = match request.order {
        [(by, descending)] if *by == column => (true, *descending),
        order => (order.is_empty(), false),
    };
    let rows = match (ends, index) {
        (KeyBounds::Equal, None) => 1.0,
        (KeyBounds::Equal, Some(_)) => 10.0,
        (KeyBounds::Range { from: Some(_), to: Some(_) }, _) => ROWS / 1_000.0,
        (KeyBounds::Range { from: None, to: None }, _) => ROWS,
        (KeyBounds::Range { .. }, _) => ROWS / 4.0,
    };
    let reach = match index {
        None => 1.0,
        // Entries are shorter than rows.
        Some(_) if covering => 0.9,
        Some(_) => 3.0,
    };
    let sort = if ordered { 0.0 } else { rows };
    let access = AccessPath { index, ends, descending, covering };
    AccessPlan { access, taken, ordered, cost: rows * reach + sort + 1.0, rows }
}

/// Describes the access path, as EXPLAIN QUERY PLAN shows it.
pub(super) fn explain(table: &TableDefinition, access: AccessPath) -> String {
    let column = access.column(table).map_or("rowid", |column| table.columns[column].name.as_str());
    let way = match access.index {
        Some(place) if access.covering => format!("covering index {}", table.indexes[place].name),
        Some(place) => format!("index {}", table.indexes[place].name),
        None => "rowid order".to_owned(),
    };
    let ends = match access.ends {
        KeyBounds::Equal => format!(" ({column}=?)"),
        KeyBounds::Range { from: None, to: None } => String::new(),
        KeyBounds::Range { from, to } => {
            let sign = |sign: &str, end: Option<bool>| {
                end.map(|included| format!("{column}{sign}{}?", if included { "=" } else { "" }))
            };
            let both: Vec<String> = sign(">", from).into_iter().chain(sign("<", to)).collect();
            format!(" ({})", both.join(" AND "))
        }
    };
    format!("{way}{ends}{}", if access.descending { " descending" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_being_a_number() {
        let ends = [None, Some(true), Some(false)];
        let ranges = ends.into_iter().flat_map(|from| ends.map(|to| KeyBounds::Range { from, to }));
        for ends in ranges.chain([KeyBounds::Equal]) {
            for index in [None, Some(0), Some(7), Some(300)] {
                for (descending, covering) in [(false, false), (true, false), (false, true), (true, true)] {
                    let access = AccessPath { index, ends, descending, covering };
                    assert_eq!(AccessPath::from_number(access.to_number()), access);
                }
            }
        }
    }
}
