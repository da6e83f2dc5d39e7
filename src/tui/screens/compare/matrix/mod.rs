//! All configurations of a session compared with one reference: rows, cursor, and the way to a pair and back.

mod ask;
mod output;

pub(crate) use ask::MatrixPlace;
pub use ask::{Matrix, WantedMatrix};
pub(super) use ask::{of_sides, read};

use super::{BesideReference, CompareScreen, CompareView, Intents, TableRow, table_rows};
use crate::tui::{filter::ListFilter, keys::Action, launch::SizedTest, screens::intent::Intent, world::World};
use dbdyno_catalog::Difference;
use dbdyno_comparing::compare::{Comparison, Line, ObstacleKind};
use dbdyno_reports::comparison::several::{self, SeveralRow, mean_of};

/// A row of the matrix. The title of a size cannot be under the cursor.
pub(crate) enum MatrixRow<'c> {
    /// The title of a size.
    Title(&'c str),
    Line(SeveralRow<'c>),
    /// The geometric means of a size.
    Mean(&'c str),
}

impl MatrixRow<'_> {
    /// Whether the cursor can be on this row.
    pub(crate) fn is_place(&self) -> bool {
        !matches!(self, Self::Title(_))
    }
}

/// The place for the cursor once the awaited comparison is read.
#[derive(Debug)]
pub(super) enum Sought {
    Test(SizedTest),
    /// The configuration of this selection.
    Candidate(String),
}

/// Returns the rows of the matrix. Geometric means are over all tests, so a filter hides them.
pub(crate) fn matrix_rows<'c>(comparisons: &'c [Comparison], filter: &ListFilter) -> Vec<MatrixRow<'c>> {
    let sizes = several::sizes(comparisons);
    let mut all = Vec::new();
    for size in &sizes {
        let rows = several::rows(comparisons, size).into_iter();
        let rows: Vec<SeveralRow<'c>> =
            rows.filter(|row| filter.means_test(row.first.test, &row.first.name, [*size])).collect();
        if rows.is_empty() {
            continue;
        }
        if sizes.len() > 1 {
            all.push(MatrixRow::Title(size));
        }
        all.extend(rows.into_iter().map(MatrixRow::Line));
        let has_mean = |side: &Comparison| mean_of(side, size).is_some_and(|mean| mean.tests > 1);
        if filter.is_empty() && comparisons.iter().any(has_mean) {
            all.push(MatrixRow::Mean(size));
        }
    }
    all
}

impl CompareScreen {
    /// Shows the matrix of the current comparison, or of the pair on offer.
    pub(super) fn show_matrix(&mut self) -> Intents {
        let looked = &self.looked;
        if looked.beside.is_some() && !looked.choosing {
            return self.back_to(CompareView::Matrix);
        }
        let beside = if looked.choosing || looked.b.is_empty() {
            let first = self.offers.as_ref().and_then(|offers| offers.as_ref().ok()?.first());
            first.map(|offer| BesideReference { reference: offer.selection(), with: None })
        } else {
            let with = Some(looked.a.clone()).filter(|a| !a.is_empty());
            Some(BesideReference { reference: looked.b.clone(), with })
        };
        let Some(beside) = beside else { return vec![Intent::refused("there is nothing to compare yet")] };
        if self.looked.choosing {
            self.looked.allowed.clear();
        }
        self.looked.filter.clear();
        self.put_beside(beside)
    }

    /// Compares all configurations of the reference's sessions with it.
    pub(crate) fn compare_beside(&mut self, reference: String) -> Intents {
        self.remember();
        self.looked.allowed.clear();
        self.looked.filter.clear();
        self.put_beside(BesideReference { reference, with: None })
    }

    /// Returns to the view of all configurations from which a pair was opened, with its settings restored.
    pub(super) fn back_to(&mut self, view: CompareView) -> Intents {
        if let Some((metric, allowed)) = self.behind().map(|(of, _)| (of.metric, of.allowed.clone())) {
            (self.looked.metric, self.looked.allowed) = (metric, allowed);
        }
        self.looked.view = view;
        self.read()
    }

    fn put_beside(&mut self, beside: BesideReference) -> Intents {
        self.looked.beside = Some(beside);
        self.looked.choosing = false;
        self.looked.view = CompareView::Matrix;
        self.looked.candidate = 0;
        self.read()
    }

    pub(super) fn take_matrix(&mut self, of: WantedMatrix, found: Result<Box<Matrix>, String>) {
        let sought = self.sought.take_if(|sought| matches!(sought, Sought::Candidate(_)));
        let place = found.as_ref().map_or(0, |matrix| match sought {
            Some(Sought::Candidate(text)) => {
                let place = matrix.comparisons.iter().position(|side| side.a.selection == text);
                place.unwrap_or(matrix.begin_at)
            }
            _ => self.looked.candidate.max(matrix.begin_at).min(matrix.comparisons.len() - 1),
        });
        self.matrix = Some((of, found));
        self.looked.candidate = place;
        // Other configurations can have other tests. If they are no longer a sweep, the view changes to the matrix.
        if self.looked.view == CompareView::Sweep && self.sweep().is_none() {
            self.looked.view = CompareView::Matrix;
        }
        self.looked.ranked_by = self.looked.ranked_by.min(self.sweep().map_or(0, |sweep| sweep.places.len() - 1));
        self.kept_in();
    }

    /// Handles a key in the views of all configurations of a session.
    pub(super) fn act_on_session(&mut self, action: Action, world: &World) -> Intents {
        match action {
            Action::Left => self.sideways(usize::saturating_sub),
            Action::Right => self.sideways(usize::saturating_add),
            Action::Enter => return self.open_pair(CompareView::Table),
            Action::View | Action::PreviousView => return self.turn(action == Action::View),
            Action::Scaling => return self.open_pair(CompareView::Scaling),
            Action::Pivot => return self.open_pair(CompareView::Pivot),
            Action::Swap | Action::Reference => return self.choose_reference(),
            Action::Explain => return self.explain_session(),
            Action::Notes => return self.notes_on_session(world),
            Action::CopyAll => return self.copy_of_session(),
            _ => {}
        }
        Intents::new()
    }

    fn sideways(&mut self, by: fn(usize, usize) -> usize) {
        let length = match self.looked.view {
            CompareView::Sweep => self.sweep().map_or(0, |sweep| sweep.places.len()),
            _ => self.matrix().map_or(0, |matrix| matrix.comparisons.len()),
        };
        let at = match self.looked.view {
            CompareView::Sweep => &mut self.looked.ranked_by,
            _ => &mut self.looked.candidate,
        };
        *at = by(*at, 1).min(length.saturating_sub(1));
    }

    /// Returns the comparison under the cursor and its line there. A mean has no line.
    pub(super) fn under_cursor(&self) -> Option<(&Comparison, Option<&Line>)> {
        if self.looked.view == CompareView::Sweep {
            return self.ranked_under_cursor();
        }
        let matrix = self.matrix()?;
        let side = matrix.comparisons.get(self.looked.candidate)?;
        let rows = matrix_rows(&matrix.comparisons, &self.looked.filter);
        let line = match rows.into_iter().filter(MatrixRow::is_place).nth(self.cursor().at)? {
            MatrixRow::Line(row) => row.lines.get(self.looked.candidate).copied().flatten(),
            MatrixRow::Mean(_) | MatrixRow::Title(_) => None,
        };
        Some((side, line))
    }

    /// Opens the pair under the cursor, with the configuration as A, its reference as B, and the cursor on the same test.
    pub(super) fn open_pair(&mut self, view: CompareView) -> Intents {
        let Some((side, line)) = self.under_cursor() else { return Intents::new() };
        let (a, b) = (side.a.selection.clone(), side.b.selection.clone());
        let sought = line.map(|line| {
            Sought::Test(SizedTest { size: line.size.clone(), number: line.test, name: line.name.clone() })
        });
        // The sweep's pairs allow the same differences as the sweep.
        let differ = |one: &Difference| {
            let kind = ObstacleKind::Differ(*one);
            side.lines.iter().flat_map(|line| &line.obstacles).any(|found| found.allowed && found.kind == kind)
        };
        let allowed: Vec<Difference> = Difference::ALL.into_iter().filter(differ).collect();
        self.looked.allowed.extend(allowed);
        self.looked.opened_from = self.looked.view;
        (self.looked.a, self.looked.b, self.looked.view) = (a, b, view);
        self.looked.at_the_beginning_of_a_pair();
        self.sought = sought;
        let intents = self.read();
        if intents.is_empty() {
            self.seek();
        }
        intents
    }

    /// Moves the cursor to the test for which a pair was opened.
    pub(super) fn seek(&mut self) {
        let Some(Sought::Test(SizedTest { size, number, name })) = self.sought.take() else { return };
        let Some(compared) = self.compared() else { return };
        let is_it = |row: &TableRow<'_>| match row {
            TableRow::Line(line) => line.size == size && line.test == number && line.name == name,
            TableRow::Mean(_) | TableRow::Title(_) => false,
        };
        let rows = table_rows(&compared.plain, &self.looked.filter);
        if let Some(at) = rows.iter().filter(|row| row.is_place()).position(is_it) {
            self.looked.cursors[CompareView::Table.index()].at = at;
        }
    }

    /// Moves the cursor to a column that was clicked. Columns of references have no place for it.
    pub(super) fn clicked_column(&self, column: usize) -> usize {
        match self.matrix().and_then(|matrix| matrix.columns().get(column).copied()) {
            Some(MatrixPlace::Candidate(at)) => at,
            Some(MatrixPlace::Reference(_)) | None => self.looked.candidate,
        }
    }

    /// Makes the configuration under the cursor the reference of all others. The cursor moves to the previous reference.
    fn choose_reference(&mut self) -> Intents {
        let Some((side, _)) = self.under_cursor() else { return Intents::new() };
        let is_it = |alone: &Comparison| alone.a.selection == side.a.selection;
        if self.matrix().is_some_and(|matrix| matrix.groups().count() > 0 && matrix.alone().iter().any(is_it)) {
            let name = several::name(&side.a);
            return vec![Intent::refused(format!("no other is as durable as {name}: o compares across tiers"))];
        }
        let (chosen, before) = (side.a.selection.clone(), side.b.selection.clone());
        self.sought = Some(Sought::Candidate(before.clone()));
        self.put_beside(BesideReference { reference: chosen, with: Some(before) })
    }
}
