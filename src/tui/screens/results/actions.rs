//! The actions of the screen's keys.

use super::{
    Dialog, Intents, ListedColumn, ListedRow, Markable, Marks, OpenedRun, Purpose, Request, ResultsScreen, RowKind,
    RowWindow, TypedSelection, Visit, Which, columns, explain, rerun, short,
};
use crate::tui::{
    launch::{Opening, TrendOf},
    screens::intent::Intent,
    widgets::cursor::ListCursor,
    world::World,
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{PageListing, StoredRun};
use std::sync::Arc;

impl ResultsScreen {
    /// Changes the order of the rows and moves the cursor to the first.
    pub(super) fn sorted(&mut self, change: impl FnOnce(&mut PageListing)) -> Intents {
        if self.opened.is_some() {
            return Intents::new();
        }
        change(&mut self.listing);
        self.table.cursor = ListCursor::default();
        self.ask_page()
    }

    /// Sorts by the column after the current sort column.
    pub(super) fn sorted_by_next(&mut self) -> Intents {
        let all = self.columns();
        let (now, _) = columns::ordering(&self.listing);
        let next = all.iter().position(|column| *column == now).map_or(0, |at| (at + 1) % all.len().max(1));
        match all.into_iter().nth(next) {
            Some(column) => self.sorted(|listing| columns::order_by(listing, column)),
            None => Intents::new(),
        }
    }

    /// Sorts by the column whose title was clicked; reverses the order if it is already sorted by this column.
    pub(super) fn sorted_by(&mut self, at: usize) -> Intents {
        match self.columns().into_iter().nth(at) {
            Some(column) if columns::ordering(&self.listing).0 == column => self.sorted(columns::reverse),
            Some(column) => self.sorted(|listing| columns::order_by(listing, column)),
            None => Intents::new(),
        }
    }

    /// Moves the cursor to the previous or next column.
    pub(super) fn focus_moved(&mut self, forward: bool) {
        let all = self.columns();
        let now = all.iter().position(|column| *column == self.focus).unwrap_or(0);
        let at = if forward { (now + 1).min(all.len().saturating_sub(1)) } else { now.saturating_sub(1) };
        if let Some(column) = all.into_iter().nth(at) {
            self.focus = column;
        }
    }

    /// Shows a different listing. The old rows are dropped, because they do not belong to it.
    pub(super) fn show(&mut self, filter: TypedSelection, listing: PageListing) -> Intents {
        if RowKind::of(&listing) != RowKind::of(&self.listing) {
            self.focus = RowKind::of(&listing).first_focus();
        }
        (self.filter, self.listing) = (filter, listing);
        // The page requested earlier is no longer needed; the next request cancels it.
        self.table = RowWindow { watch: self.table.watch.take(), ..RowWindow::default() };
        self.ask_page()
    }

    /// Shows the configurations that a selection matches, with no group entered and no run open.
    ///
    /// # Errors
    /// The term that is invalid, with the expected form.
    pub(crate) fn show_selection(&mut self, line: &str) -> Result<Intents, String> {
        let filter = TypedSelection::read(line, &self.names)?;
        self.trail.clear();
        (self.opened, self.flat) = (None, false);
        let intents = self.show(filter, columns::configurations());
        Ok(if self.stale { self.refresh() } else { intents })
    }

    /// Opens a run, whatever is shown at present.
    pub(crate) fn open_run(&mut self, run: String) -> Intents {
        let mut intents = if self.stale { self.refresh() } else { Intents::new() };
        intents.push(self.ask_run(run, Purpose::Open(None)));
        intents
    }

    /// Returns the listing at the top level, without groups.
    fn base(&self) -> PageListing {
        if self.flat { columns::newest() } else { columns::configurations() }
    }

    /// Returns the place of the current view: the results one by one are the second.
    pub(super) fn view(&self) -> usize {
        usize::from(matches!(self.listing, PageListing::Results(_)))
    }

    /// Shows the view at a place.
    pub(super) fn show_view(&mut self, place: usize) -> Intents {
        if place == self.view() {
            return Intents::new();
        }
        self.flat = place == 0;
        self.change_view()
    }

    /// Switches between all results one by one and their configurations.
    pub(super) fn change_view(&mut self) -> Intents {
        if self.opened.is_some() {
            return Intents::new();
        }
        self.flat = !self.flat;
        // The filter of the top level applies, without the terms added by entering a configuration or group.
        let filter = self.trail.drain(..).next().map_or_else(|| self.filter.clone(), |visit| visit.filter);
        self.show(filter, self.base())
    }

    /// Opens the run under the cursor, or narrows the filter to the configuration or group under it.
    pub(super) fn enter(&mut self) -> Intents {
        if let Some(opened) = &mut self.opened {
            opened.next_pane();
            return Intents::new();
        }
        let (narrowed, listing, crumb) = match (self.table.current(), columns::key(&self.listing)) {
            (Some(ListedRow::Result(row)), _) => {
                let (run, test) = (row.run_id.clone(), row.test);
                return vec![self.ask_run(run, Purpose::Open(test))];
            }
            (Some(ListedRow::Run(row)), _) => {
                let run = row.run_id.clone();
                return vec![self.ask_run(run, Purpose::Open(None))];
            }
            (Some(known @ ListedRow::Configuration(row)), _) => {
                let label = self.labels.whole(&row.label, self.table.options(known));
                let crumb = format!("{label} {}", row.started.get(..16).unwrap_or(&row.started));
                (self.filter.of_configuration(row), columns::runs(), crumb)
            }
            (Some(ListedRow::Group(row)), Some(key)) => {
                let narrowed = self.filter.of_group(key, row);
                let crumb = format!("{}={}", key.word(), row.value.as_deref().unwrap_or("none"));
                (narrowed, columns::newest(), crumb)
            }
            _ => return Intents::new(),
        };
        match narrowed {
            Ok(narrowed) => {
                let (filter, listing_before) = (self.filter.clone(), self.listing.clone());
                let (cursor, focus) = (self.table.cursor, self.focus.clone());
                self.trail.push(Visit { filter, listing: listing_before, cursor, focus, crumb });
                self.show(narrowed, listing)
            }
            Err(reason) => vec![Intent::failed(reason)],
        }
    }

    /// Closes the open run. If none is open, goes back to the previous listing, ends grouping, clears the filter, or clears the marks.
    pub(super) fn back(&mut self) -> Intents {
        let given_up = self.run_waiting.take().is_some();
        if given_up {
            self.busy = None;
        }
        let left_pane = self.opened.as_mut().is_some_and(OpenedRun::left_pane);
        if left_pane || self.opened.take().is_some() || given_up {
            return Intents::new();
        }
        if let Some(Visit { filter, listing, cursor, focus, .. }) = self.trail.pop() {
            (self.filter, self.listing, self.table) = (filter, listing, RowWindow::default());
            (self.table.cursor, self.focus) = (cursor, focus);
            return self.ask_page();
        }
        // Runs without a way back to their configuration come from a typed filter.
        if matches!(self.listing, PageListing::Groups(..) | PageListing::Runs(_)) {
            return self.show(self.filter.clone(), self.base());
        }
        if !self.filter.selection.is_all() {
            return self.show(TypedSelection::default(), self.listing.clone());
        }
        self.marks = Marks::default();
        Intents::new()
    }

    /// Restores the runs of the last deletion.
    pub(super) fn undo(&mut self) -> Intents {
        let Some(kept) = &self.deleted else {
            return vec![Intent::refused("nothing has been deleted since dbdyno started")];
        };
        self.busy = Some(format!("restoring {}", kept.words));
        vec![Intent::Request(Request::Restore(Arc::clone(kept)))]
    }

    pub(super) fn mark(&mut self, which: Which) -> Intents {
        let Some(target) = self.target() else { return nothing() };
        let what = target.run.as_deref().map_or(Markable::Selection(&target.filter.line), Markable::Run);
        self.marks.toggle(which, what);
        Intents::new()
    }

    pub(super) fn compare(&self) -> Intents {
        match (self.marks.a.line(), self.marks.b.line()) {
            (Some(a), Some(b)) => vec![Intent::Open(Opening::Sides { a, b })],
            _ => vec![Intent::refused("mark both sides first: a and b on runs, or on groups (g)")],
        }
    }

    /// Shows the trend of the configuration under the cursor over its sessions, for the test under the cursor if there is one.
    pub(super) fn trend(&self) -> Intents {
        let Some(target) = self.target() else { return nothing() };
        let test = match (&self.opened, self.table.current()) {
            (Some(opened), _) => opened.chosen().map(|stored| (stored.test.test, opened.run.size.clone())),
            (None, Some(ListedRow::Result(row))) => row.test.map(|test| (test, row.size.clone())),
            _ => None,
        };
        vec![Intent::Open(Opening::Trend(TrendOf { selections: vec![target.filter.line], metric: Metric::Wall, test }))]
    }

    pub(super) fn replay(&self) -> Intents {
        match self.target().and_then(|target| target.run) {
            Some(run) => vec![Intent::Open(Opening::Replay(run))],
            None => one_run(),
        }
    }

    pub(super) fn read(&mut self, purpose: Purpose) -> Intents {
        match self.target().and_then(|target| target.run) {
            Some(run) => vec![self.ask_run(run, purpose)],
            None => one_run(),
        }
    }

    pub(super) fn log(&mut self) -> Intents {
        match &self.opened {
            Some(opened) => vec![self.log_of(&opened.run)],
            None => self.read(Purpose::Log),
        }
    }

    /// `Run 01a1fc54-1f5b · lmdb`
    pub(super) fn run_in_words(&self, run: &StoredRun) -> String {
        format!("Run {} · {}", short(&run.run_id), self.labels.of_run(run))
    }

    /// Returns the output of a run's worker.
    fn log_of(&self, run: &StoredRun) -> Intent<Request, Dialog> {
        let lines = match run.log.as_deref().map(str::trim_end) {
            None | Some("") => vec!["The worker wrote nothing to stderr.".to_owned()],
            Some(log) => log.lines().map(str::to_owned).collect(),
        };
        Intent::page(format!("Log of run {} · {}", short(&run.run_id), self.labels.of_run(run)), lines)
    }

    pub(super) fn take_run(&mut self, run: StoredRun, purpose: Purpose, world: &World) -> Intents {
        match purpose {
            Purpose::Open(test) => {
                let before = self.opened.take().filter(|opened| opened.run.run_id == run.run_id);
                let mut opened = OpenedRun::new(run, test);
                if let Some(before) = before {
                    (opened.section, opened.line) = (before.section, before.line);
                    (opened.pane, opened.moment) = (before.pane, before.moment);
                }
                self.opened = Some(opened);
                Intents::new()
            }
            Purpose::Log => vec![self.log_of(&run)],
            Purpose::Rerun => match rerun::preset(&run, world) {
                Ok(preset) => vec![Intent::Open(Opening::Bench(Box::new(preset)))],
                Err(reason) => vec![Intent::failed(reason)],
            },
        }
    }

    pub(super) fn explain(&self) -> Intents {
        let row = self.table.current();
        let label = |label: &str| self.labels.whole(label, row.and_then(|row| self.table.options(row)));
        let page = match (&self.opened, row, &self.focus) {
            (Some(opened), ..) => explain::test(opened, &self.labels.of_run(&opened.run)),
            (None, Some(ListedRow::Result(row)), ListedColumn::Result(column)) => {
                Some(explain::result(row, &label(&row.label), column))
            }
            (None, Some(ListedRow::Run(row)), _) => Some(explain::run(row, &label(&row.label))),
            (None, Some(ListedRow::Configuration(row)), _) => Some(explain::configuration(row, &label(&row.label))),
            (None, Some(ListedRow::Group(row)), ListedColumn::Group(column)) => {
                let key = columns::key(&self.listing);
                key.map(|key| explain::group(row, key, *column, self.filter.of_group(key, row).ok().as_ref()))
            }
            _ => None,
        };
        page.map_or_else(nothing, |page| vec![Intent::Read(page)])
    }
}

pub(super) fn nothing() -> Intents {
    vec![Intent::refused("there is nothing under the cursor")]
}

fn one_run() -> Intents {
    vec![Intent::refused("this needs a single run: Enter shows the runs of a configuration or group")]
}
