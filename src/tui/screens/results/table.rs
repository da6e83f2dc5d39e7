//! The window of known rows around the cursor.

use crate::tui::{keys::Action, widgets::cursor::ListCursor};
use dbdyno_store::{ConfigurationRow, GroupRow, OptionValues, Page, PageRows, ReadWatch, ResultRow, RunRow};

/// Number of rows read at once.
pub(crate) const WINDOW: u64 = 200;
/// Minimum number of known rows on either side of the cursor, if the listing has that many.
const MARGIN: u64 = 60;

/// The rows of the listing by index.
#[derive(Debug, Default)]
pub struct RowWindow {
    /// The row under the cursor.
    pub(crate) cursor: ListCursor,
    /// The last page read; none before the first.
    pub page: Option<Page>,
    /// The reason why the last page could not be read.
    pub(crate) error: Option<String>,
    /// The number of the pending request.
    pub(crate) waiting: Option<u64>,
    /// Cancels the pending request.
    pub(super) watch: Option<ReadWatch>,
}

/// A row of one of the listings.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ListedRow<'t> {
    /// A configuration of a session.
    Configuration(&'t ConfigurationRow),
    Run(&'t RunRow),
    /// A test of a run.
    Result(&'t ResultRow),
    /// Results that have the same value of the key.
    Group(&'t GroupRow),
}

impl<'t> ListedRow<'t> {
    /// Returns the row's run, or one of its runs.
    pub(crate) fn run_id(self) -> Option<&'t str> {
        match self {
            Self::Configuration(row) => Some(&row.run_id),
            Self::Run(row) => Some(&row.run_id),
            Self::Result(row) => Some(&row.run_id),
            Self::Group(_) => None,
        }
    }
}

impl RowWindow {
    pub(crate) fn length(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.length as usize)
    }

    /// Returns the row at an index, if it is known.
    pub(crate) fn row(&self, at: usize) -> Option<ListedRow<'_>> {
        let page = self.page.as_ref()?;
        let at = at.checked_sub(page.offset as usize)?;
        match &page.rows {
            PageRows::Configurations(rows) => rows.get(at).map(ListedRow::Configuration),
            PageRows::Runs(rows) => rows.get(at).map(ListedRow::Run),
            PageRows::Results(rows) => rows.get(at).map(ListedRow::Result),
            PageRows::Groups(rows) => rows.get(at).map(ListedRow::Group),
        }
    }

    /// The row under the cursor.
    pub(crate) fn current(&self) -> Option<ListedRow<'_>> {
        self.row(self.cursor.at)
    }

    /// Returns all known rows.
    pub(crate) fn known(&self) -> impl Iterator<Item = ListedRow<'_>> {
        let page = self.page.as_ref();
        let range = page.map_or(0..0, |page| page.offset as usize..page.offset as usize + page.rows.len());
        range.filter_map(|at| self.row(at))
    }

    /// Returns the options of a row's run.
    pub(crate) fn options(&self, row: ListedRow<'_>) -> Option<&OptionValues> {
        self.page.as_ref()?.options.get(row.run_id()?)
    }

    /// Moves the cursor, by a page of `page` rows. Returns whether the action was a move.
    pub(crate) fn moved(&mut self, action: Action, page: usize) -> bool {
        let length = self.length();
        self.cursor.moved_by(action, length, page)
    }

    /// Returns the index at which the window should begin.
    pub(crate) fn offset(&self) -> u64 {
        (self.cursor.at as u64).saturating_sub(WINDOW / 2)
    }

    /// Whether rows near the cursor are unknown and were not requested.
    pub(crate) fn lacks(&self) -> bool {
        let Some(page) = &self.page else { return false };
        let (cursor, end) = (self.cursor.at as u64, page.offset + page.rows.len() as u64);
        let before = page.offset > 0 && cursor < page.offset + MARGIN;
        let after = end < page.length && cursor + MARGIN >= end;
        self.waiting.is_none() && (before || after)
    }

    /// Accepts a page if it responds to the last request.
    pub(crate) fn take(&mut self, ticket: u64, page: Result<Box<Page>, String>) {
        if self.waiting != Some(ticket) {
            return;
        }
        self.waiting = None;
        match page {
            Ok(page) => {
                self.error = None;
                self.cursor.kept_in(page.length as usize);
                self.page = Some(*page);
            }
            Err(reason) => {
                self.error = Some(reason);
                self.page = None;
            }
        }
    }
}
