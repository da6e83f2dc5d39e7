//! The rows of each view, narrowed by the filter.

use super::{CompareScreen, CompareView, Compared, MatrixRow, matrix_rows};
use crate::tui::filter::ListFilter;
use dbdyno_comparing::compare::{
    Comparison, CurveFamily, Line, Mean, OverSizes, PivotCell, PivotRow, TestKey, axis_value, by_test, curve_families,
};
use dbdyno_reports::comparison::{scaling, words};

/// A row of the table. The title of a size cannot be under the cursor.
#[derive(Debug, Clone, Copy)]
pub enum TableRow<'c> {
    /// The title of a part and size.
    Title(&'c Mean),
    Line(&'c Line),
    /// The geometric mean of a part and size.
    Mean(&'c Mean),
}

impl TableRow<'_> {
    /// Whether the cursor can be on this row.
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
    /// The lines of the test, one for each size.
    pub(crate) lines: Vec<&'c Line>,
    /// The test's figures over sizes; none if no size is comparable.
    pub(crate) over: Option<&'c OverSizes>,
}

/// `2 Random reads`.
pub fn name(line: &Line) -> String {
    format!("{} {}", line.test, line.name)
}

/// Whether a line matches the filter.
fn is_meant(line: &Line, filter: &ListFilter) -> bool {
    filter.means_test(line.test, &line.name, [line.size.as_str()])
}

/// Returns the rows of the table. The geometric mean is over all tests, so a filter hides it.
pub fn table_rows<'c>(comparison: &'c Comparison, filter: &ListFilter) -> Vec<TableRow<'c>> {
    let mut rows = Vec::new();
    for mean in &comparison.means {
        let of_mean = |line: &&Line| line.part == mean.part && line.size == mean.size;
        let lines: Vec<&Line> = comparison.lines.iter().filter(of_mean).filter(|line| is_meant(line, filter)).collect();
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

/// Returns each test over its sizes.
pub fn test_rows<'c>(comparison: &'c Comparison, filter: &ListFilter) -> Vec<TestRow<'c>> {
    let over = comparison.by_size.as_deref().unwrap_or_default();
    let row = |(key, lines): (TestKey<'c>, Vec<&'c Line>)| TestRow {
        test: key.test,
        name: format!("{} {} {}", key.test, key.name, words::part(key.part)).trim_end().to_owned(),
        over: over.iter().find(|one| one.part == *key.part && one.test == key.test && one.name == key.name),
        lines,
    };
    let tests = by_test(&comparison.lines).into_iter();
    let is_shown = |(_, lines): &(TestKey<'c>, Vec<&'c Line>)| {
        let sizes = || lines.iter().map(|line| line.size.as_str());
        lines.first().is_some_and(|line| filter.means_test(line.test, &line.name, sizes()))
    };
    tests.filter(is_shown).map(row).collect()
}

/// Returns the tests whose latencies can be shown.
pub fn latency_rows<'c>(comparison: &'c Comparison, filter: &ListFilter) -> Vec<&'c Line> {
    comparison.lines.iter().filter(|line| is_meant(line, filter)).collect()
}

/// Returns the rows of the pivot whose values match the filter.
pub fn pivot_rows<'c>(comparison: &'c Comparison, filter: &ListFilter) -> Vec<&'c PivotRow> {
    let rows = comparison.pivot.iter().flat_map(|pivot| &pivot.rows);
    rows.filter(|row| filter.means_text(&row.value)).collect()
}

/// Returns the tests along each axis that they scale with.
pub fn family_rows<'c>(comparison: &'c Comparison, filter: &ListFilter) -> Vec<CurveFamily<'c>> {
    let families = curve_families(comparison.scaling.as_deref().unwrap_or_default());
    let is_shown = |family: &CurveFamily<'_>| filter.means_test(family.test, &scaling::name(family), []);
    families.into_iter().filter(is_shown).collect()
}

/// The cell of the pivot under the cursor, with its lines.
#[derive(Debug)]
pub struct PivotPlace<'c> {
    /// The row key's value.
    pub(crate) row: &'c str,
    /// The column key's value.
    pub(crate) column: &'c str,
    /// None if nothing was measured.
    pub(crate) cell: Option<&'c PivotCell>,
    /// The lines that the cell summarises.
    pub(crate) lines: Vec<&'c Line>,
}

impl CompareScreen {
    /// Returns the number of rows of the view that the cursor can be on.
    pub(super) fn length(&self) -> usize {
        self.length_of(self.looked.view)
    }

    pub(super) fn length_of(&self, view: CompareView) -> usize {
        let filter = &self.looked.filter;
        let of_pair =
            |count: fn(&Compared, &ListFilter) -> usize| self.compared().map_or(0, |compared| count(compared, filter));
        match view {
            CompareView::Matrix => self.matrix().map_or(0, |matrix| {
                matrix_rows(&matrix.comparisons, filter).iter().filter(|row| row.is_place()).count()
            }),
            CompareView::Sweep => self.sweep().map_or(0, |sweep| sweep.configurations.len()),
            CompareView::Table => of_pair(|compared, filter| {
                table_rows(&compared.plain, filter).iter().filter(|row| row.is_place()).count()
            }),
            CompareView::Sizes => of_pair(|compared, filter| test_rows(&compared.plain, filter).len()),
            CompareView::Latencies => of_pair(|compared, filter| latency_rows(&compared.plain, filter).len()),
            CompareView::Pivot => of_pair(|compared, filter| pivot_rows(&compared.pivot, filter).len()),
            CompareView::Scaling => of_pair(|compared, filter| family_rows(&compared.plain, filter).len()),
        }
    }

    /// Returns the number of columns of the pivot.
    pub(super) fn columns(&self) -> usize {
        let pivot = self.compared().and_then(|compared| compared.pivot.pivot.as_ref());
        pivot.map_or(0, |pivot| pivot.columns.len())
    }

    /// Returns the number of the row under the cursor, from 1, and the number of rows; none without rows.
    pub(crate) fn place(&self) -> Option<String> {
        let all = if self.looked.choosing { 0 } else { self.length() };
        // Means are no tests.
        let is_mean: Vec<bool> = match self.looked.view {
            CompareView::Table => {
                let compared = self.compared()?;
                let rows = table_rows(&compared.plain, &self.looked.filter).into_iter().filter(TableRow::is_place);
                rows.map(|row| matches!(row, TableRow::Mean(_))).collect()
            }
            CompareView::Matrix => {
                let rows = matrix_rows(&self.matrix()?.comparisons, &self.looked.filter).into_iter();
                rows.filter(MatrixRow::is_place).map(|row| matches!(row, MatrixRow::Mean(_))).collect()
            }
            _ => vec![false; all],
        };
        let at = self.cursor().at;
        let before = |at: usize| is_mean.iter().take(at).filter(|is_mean| !**is_mean).count();
        match (is_mean.get(at), before(is_mean.len())) {
            (None, _) | (_, 0) => None,
            (Some(true), _) => Some("mean".to_owned()),
            (Some(false), tests) => Some(format!("{} of {tests}", before(at) + 1)),
        }
    }

    /// Returns the row of the table under the cursor.
    pub(crate) fn row(&self) -> Option<TableRow<'_>> {
        let rows = table_rows(&self.compared()?.plain, &self.looked.filter);
        rows.into_iter().filter(TableRow::is_place).nth(self.cursor().at)
    }

    /// Returns the line under the cursor, in views that have lines.
    pub(super) fn line(&self) -> Option<&Line> {
        match self.looked.view {
            CompareView::Table => match self.row()? {
                TableRow::Line(line) => Some(line),
                TableRow::Mean(_) | TableRow::Title(_) => None,
            },
            CompareView::Latencies => {
                latency_rows(&self.compared()?.plain, &self.looked.filter).get(self.cursor().at).copied()
            }
            _ => None,
        }
    }

    /// Returns the test along an axis that is under the cursor.
    pub(super) fn family(&self) -> Option<CurveFamily<'_>> {
        let at = self.looked.cursors[CompareView::Scaling.index()].at;
        family_rows(&self.compared()?.plain, &self.looked.filter).into_iter().nth(at)
    }

    /// Returns the test over its sizes that is under the cursor.
    pub(crate) fn test(&self) -> Option<TestRow<'_>> {
        test_rows(&self.compared()?.plain, &self.looked.filter)
            .into_iter()
            .nth(self.looked.cursors[CompareView::Sizes.index()].at)
    }

    /// Returns the pivot cell under the cursor.
    pub(crate) fn cell(&self) -> Option<PivotPlace<'_>> {
        let compared = self.compared()?;
        let pivot = compared.pivot.pivot.as_ref()?;
        let row = pivot_rows(&compared.pivot, &self.looked.filter)
            .get(self.looked.cursors[CompareView::Pivot.index()].at)
            .copied()?;
        let column = pivot.columns.get(self.looked.column)?;
        let in_cell =
            |line: &&Line| axis_value(line, &pivot.row) == row.value && axis_value(line, &pivot.column) == *column;
        Some(PivotPlace {
            row: &row.value,
            column,
            cell: row.cells.get(self.looked.column).and_then(Option::as_ref),
            lines: compared.pivot.lines.iter().filter(in_cell).collect(),
        })
    }
}
