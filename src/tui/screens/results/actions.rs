//! What the keys of the screen do.

use super::{
    Dialog, Intents, ListedRow, Markable, Marks, OpenedRun, Purpose, Request, ResultsScreen, RowWindow, TypedSelection,
    Visit, Which, columns, explain, rerun, short,
};
use crate::{
    store::{PageListing, StoredRun},
    tui::{screens::intent::Intent, widgets::cursor::ListCursor, world::World},
};

impl ResultsScreen {
    /// Orders the rows in another way, with the cursor on the first.
    pub(super) fn sorted(&mut self, change: impl FnOnce(&mut PageListing)) -> Intents {
        if self.opened.is_some() {
            return Intents::new();
        }
        change(&mut self.listing);
        self.table.cursor = ListCursor::default();
        self.ask_page()
    }

    /// Shows something else. The rows of before say nothing of it.
    pub(super) fn show(&mut self, filter: TypedSelection, listing: PageListing) -> Intents {
        if matches!(listing, PageListing::Groups(..)) != matches!(self.listing, PageListing::Groups(..)) {
            self.focus = columns::first_focus(&listing);
        }
        (self.filter, self.listing, self.table) = (filter, listing, RowWindow::default());
        self.ask_page()
    }

    /// Opens the run under the cursor, or narrows the filter to the group.
    pub(super) fn enter(&mut self) -> Intents {
        if self.opened.is_some() {
            return Intents::new();
        }
        match (self.table.current(), &self.listing) {
            (Some(ListedRow::Result(row)), _) => {
                let (run, test) = (row.run_id.clone(), row.test);
                vec![self.ask_run(run, Purpose::Open(test))]
            }
            (Some(ListedRow::Group(row)), PageListing::Groups(key, _)) => {
                match self.filter.narrowed(key, row.value.as_deref()) {
                    Ok(narrowed) => {
                        let (filter, listing) = (self.filter.clone(), self.listing.clone());
                        self.trail.push(Visit { filter, listing, cursor: self.table.cursor, focus: self.focus });
                        self.show(narrowed, columns::newest())
                    }
                    Err(reason) => vec![Intent::failed(reason)],
                }
            }
            _ => Intents::new(),
        }
    }

    /// Closes what is open; else goes back to the groups, ends grouping, clears the filter, clears the marks.
    pub(super) fn back(&mut self) -> Intents {
        let given_up = self.run_waiting.take().is_some();
        if given_up {
            self.busy = None;
        }
        if self.opened.take().is_some() || given_up {
            return Intents::new();
        }
        if let Some(Visit { filter, listing, cursor, focus }) = self.trail.pop() {
            (self.filter, self.listing, self.table) = (filter, listing, RowWindow::default());
            (self.table.cursor, self.focus) = (cursor, focus);
            return self.ask_page();
        }
        if matches!(self.listing, PageListing::Groups(..)) {
            return self.show(self.filter.clone(), columns::newest());
        }
        if !self.filter.selection.is_all() {
            return self.show(TypedSelection::default(), self.listing.clone());
        }
        self.marks = Marks::default();
        Intents::new()
    }

    pub(super) fn mark(&mut self, which: Which) -> Intents {
        let Some(target) = self.target() else { return nothing() };
        let what = target.run.as_deref().map_or(Markable::Selection(&target.filter.line), Markable::Run);
        self.marks.toggle(which, what);
        Intents::new()
    }

    pub(super) fn compare(&self) -> Intents {
        match (self.marks.a.line(), self.marks.b.line()) {
            (Some(a), Some(b)) => vec![Intent::Compare { a, b }],
            _ => vec![Intent::failed("mark both sides first: a and b on runs, or on groups (g)")],
        }
    }

    pub(super) fn replay(&self) -> Intents {
        match self.target().and_then(|target| target.run) {
            Some(run) => vec![Intent::Replay(run)],
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
            Some(opened) => vec![log(&opened.run)],
            None => self.read(Purpose::Log),
        }
    }

    pub(super) fn take_run(&mut self, run: StoredRun, purpose: Purpose, world: &World) -> Intents {
        match purpose {
            Purpose::Open(test) => {
                let before = self.opened.take().filter(|opened| opened.run.run_id == run.run_id);
                let mut opened = OpenedRun::new(run, test);
                if let Some(before) = before {
                    (opened.section, opened.line) = (before.section, before.line);
                }
                self.opened = Some(opened);
                Intents::new()
            }
            Purpose::Log => vec![log(&run)],
            Purpose::Rerun => match rerun::preset(&run, world) {
                Ok(preset) => vec![Intent::Load(Box::new(preset))],
                Err(reason) => vec![Intent::failed(reason)],
            },
        }
    }

    pub(super) fn explain(&self) -> Intents {
        let page = match (&self.opened, self.table.current(), &self.listing) {
            (Some(opened), ..) => explain::test(opened),
            (None, Some(ListedRow::Result(row)), _) => Some(explain::result(row, columns::RESULTS[self.focus])),
            (None, Some(ListedRow::Group(row)), PageListing::Groups(key, _)) => {
                let filter = self.filter.narrowed(key, row.value.as_deref()).ok();
                Some(explain::group(row, key, columns::GROUPS[self.focus], filter.as_ref()))
            }
            _ => None,
        };
        page.map_or_else(nothing, |page| vec![Intent::Read(page)])
    }
}

pub(super) fn nothing() -> Intents {
    vec![Intent::failed("there is nothing under the cursor")]
}

fn one_run() -> Intents {
    vec![Intent::failed("this is about one run: Enter shows the runs of a group")]
}

/// What a run's worker wrote.
fn log(run: &StoredRun) -> Intent<Request, Dialog> {
    let lines = match run.log.as_deref().map(str::trim_end) {
        None | Some("") => vec!["The worker wrote nothing to stderr.".to_owned()],
        Some(log) => log.lines().map(str::to_owned).collect(),
    };
    Intent::page(format!("Log of run {} · {}", short(&run.run_id), run.label), lines)
}
