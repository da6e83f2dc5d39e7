//! The rows of each view, narrowed by the filter.

use super::{CompareScreen, CompareView};
use crate::{
    compare::{Comparison, CurveFamily, Line, Mean, OverSizes, PivotRow, TestKey, axis_value, by_test, curve_families},
    report::comparison::{scaling, words},
};

/// A row of the table. The title of a size cannot be under the cursor.
#[derive(Debug, Clone, Copy)]
pub enum TableRow<'c> {
    /// A part and size begin.
    Title(&'c Mean),
    Line(&'c Line),
    /// The geometric mean of a part and size.
    Mean(&'c Mean),
}

impl TableRow<'_> {
    /// Whether the cursor can be on it.
    pub(crate) fn is_place(&self) -> bool {
        !matches!(self, Self::Title(_))
    }
}

/// A test over its sizes.
#[derive(Debug, Clone)]
pub struct TestRow<'c> {
    pub(crate) test: u32,
    /// Number and name.
    pub(crate) name: String,
    /// The test at each size.
    pub(crate) lines: Vec<&'c Line>,
    /// Its figures over sizes; none where no size is comparable.
    pub(crate) over: Option<&'c OverSizes>,
}

/// `2 Random reads`.
pub fn name(line: &Line) -> String {
    format!("{} {}", line.test, line.name)
}

fn matches(name: &str, filter: &str) -> bool {
    name.to_lowercase().contains(&filter.to_lowercase())
}

/// The rows of the table. The geometric mean is over all tests, so a filter hides it.
pub fn table_rows<'c>(comparison: &'c Comparison, filter: &str) -> Vec<TableRow<'c>> {
    let mut rows = Vec::new();
    for mean in &comparison.means {
        let of_mean = |line: &&Line| line.part == mean.part && line.size == mean.size;
        let lines: Vec<&Line> =
            comparison.lines.iter().filter(of_mean).filter(|line| matches(&name(line), filter)).collect();
        if lines.is_empty() {
            continue;
        }
        if comparison.means.len() > 1 {
            rows.push(TableRow::Title(mean));
        }
        rows.extend(lines.into_iter().map(TableRow::Line));
        if mean.tests > 1 && filter.is_empty() {
            rows.push(TableRow::Mean(mean));
        }
    }
    rows
}

/// Each test over its sizes.
pub fn test_rows<'c>(comparison: &'c Comparison, filter: &str) -> Vec<TestRow<'c>> {
    let over = comparison.by_size.as_deref().unwrap_or_default();
    let row = |(key, lines): (TestKey<'c>, Vec<&'c Line>)| TestRow {
        test: key.test,
        name: format!("{} {} {}", key.test, key.name, words::part(key.part)).trim_end().to_owned(),
        over: over.iter().find(|one| one.part == *key.part && one.test == key.test && one.name == key.name),
        lines,
    };
    by_test(&comparison.lines).into_iter().map(row).filter(|row| matches(&row.name, filter)).collect()
}

/// The tests whose latencies can be looked at.
pub fn latency_rows<'c>(comparison: &'c Comparison, filter: &str) -> Vec<&'c Line> {
    comparison.lines.iter().filter(|line| matches(&name(line), filter)).collect()
}

/// The rows of the pivot whose values match the filter.
pub fn pivot_rows<'c>(comparison: &'c Comparison, filter: &str) -> Vec<&'c PivotRow> {
    let rows = comparison.pivot.iter().flat_map(|pivot| &pivot.rows);
    rows.filter(|row| matches(&row.value, filter)).collect()
}

/// The tests along each axis that they grow with.
pub fn family_rows<'c>(comparison: &'c Comparison, filter: &str) -> Vec<CurveFamily<'c>> {
    let families = curve_families(comparison.scaling.as_deref().unwrap_or_default());
    families.into_iter().filter(|family| matches(&scaling::name(family), filter)).collect()
}

impl CompareScreen {
    /// Rows of the view that the cursor can be on.
    pub(super) fn length(&self) -> usize {
        self.length_of(self.view)
    }

    pub(super) fn length_of(&self, view: CompareView) -> usize {
        let Some(compared) = self.compared() else { return 0 };
        match view {
            CompareView::Table => table_rows(&compared.plain, &self.filter).iter().filter(|row| row.is_place()).count(),
            CompareView::Sizes => test_rows(&compared.plain, &self.filter).len(),
            CompareView::Latencies => latency_rows(&compared.plain, &self.filter).len(),
            CompareView::Pivot => pivot_rows(&compared.pivot, &self.filter).len(),
            CompareView::Scaling => family_rows(&compared.plain, &self.filter).len(),
        }
    }

    /// Columns of the pivot.
    pub(super) fn columns(&self) -> usize {
        let pivot = self.compared().and_then(|compared| compared.pivot.pivot.as_ref());
        pivot.map_or(0, |pivot| pivot.columns.len())
    }

    /// The row under the cursor, from 1, and how many there are; none without a row.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        let of = if self.choosing { 0 } else { self.length() };
        (of > 0).then(|| (self.cursor().at + 1, of))
    }

    /// The row of the table under the cursor.
    pub(crate) fn row(&self) -> Option<TableRow<'_>> {
        let rows = table_rows(&self.compared()?.plain, &self.filter);
        rows.into_iter().filter(TableRow::is_place).nth(self.cursor().at)
    }

    /// The line under the cursor, in the views that have lines.
    pub(super) fn line(&self) -> Option<&Line> {
        match self.view {
            CompareView::Table => match self.row()? {
                TableRow::Line(line) => Some(line),
                TableRow::Mean(_) | TableRow::Title(_) => None,
            },
            CompareView::Latencies => {
                latency_rows(&self.compared()?.plain, &self.filter).get(self.cursor().at).copied()
            }
            CompareView::Sizes | CompareView::Pivot | CompareView::Scaling => None,
        }
    }

    /// The test along an axis under the cursor.
    pub(super) fn family(&self) -> Option<CurveFamily<'_>> {
        let at = self.cursors[CompareView::Scaling.index()].at;
        family_rows(&self.compared()?.plain, &self.filter).into_iter().nth(at)
    }

    /// The test over its sizes under the cursor.
    pub(crate) fn test(&self) -> Option<TestRow<'_>> {
        test_rows(&self.compared()?.plain, &self.filter).into_iter().nth(self.cursors[CompareView::Sizes.index()].at)
    }

    /// The cell of the pivot under the cursor: the values of row and column, and the lines in it.
    pub(crate) fn cell(&self) -> Option<(&str, &str, Vec<&Line>)> {
        let compared = self.compared()?;
        let pivot = compared.pivot.pivot.as_ref()?;
        let row =
            pivot_rows(&compared.pivot, &self.filter).get(self.cursors[CompareView::Pivot.index()].at).copied()?;
        let column = pivot.columns.get(self.column)?;
        let in_cell =
            |line: &&Line| axis_value(line, &pivot.row) == row.value && axis_value(line, &pivot.column) == *column;
        Some((&row.value, column, compared.pivot.lines.iter().filter(in_cell).collect()))
    }
}
