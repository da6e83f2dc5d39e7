//! The Results screen: all that is stored, a window of it at a time.

pub(crate) mod ask;
pub mod columns;
mod dialog;
mod explain;
mod filter;
mod marks;
mod opened;
pub(crate) mod paint;
mod questions;
mod rerun;
mod table;

pub use dialog::{Asked, Target};
pub use filter::Filter;
pub use marks::{Markable, Marks, Which};
pub use opened::{Line, Opened, Section};
pub use questions::{Answer, Purpose, Question};
pub use rerun::short;
pub use table::{Row, Table, WINDOW};

use crate::{
    store::{Listing, StoredRun},
    tui::{
        event::{Effect, Question as Outside},
        keys::Action,
        overlay::Overlay,
        screens::step::{Step, Steps},
        world::World,
    },
};

/// Panes that can be clicked.
pub mod pane {
    /// Rows of the table.
    pub const ROWS: usize = 0;
    /// Titles of the table's columns.
    pub const TITLES: usize = 1;
    /// Parts of an open run.
    pub const SECTIONS: usize = 2;
    /// Lines of an open run: its tests, or those of a list.
    pub const LINES: usize = 3;
}

/// Where one was before a group was entered.
#[derive(Debug)]
struct Visit {
    filter: Filter,
    listing: Listing,
    cursor: crate::tui::widgets::cursor::Cursor,
    focus: usize,
}

/// The screen.
#[derive(Debug)]
pub struct Results {
    /// What is shown.
    pub filter: Filter,
    /// In which order, or in which groups.
    pub listing: Listing,
    /// The rows around the cursor.
    pub table: Table,
    /// The column under the cursor.
    pub focus: usize,
    /// Sides A and B.
    pub marks: Marks,
    /// The run that is open.
    pub opened: Option<Opened>,
    /// What is being read or written besides rows, in words.
    pub busy: Option<String>,
    names: Vec<String>,
    trail: Vec<Visit>,
    stale: bool,
    ticket: u64,
    /// The question about a run that is under way.
    run_waiting: Option<u64>,
}

impl Default for Results {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            listing: columns::newest(),
            table: Table::default(),
            focus: columns::first_focus(&columns::newest()),
            marks: Marks::default(),
            opened: None,
            busy: None,
            names: Vec::new(),
            trail: Vec::new(),
            stale: true,
            ticket: 0,
            run_waiting: None,
        }
    }
}

impl Results {
    /// Does what a key means.
    pub fn act(&mut self, action: Action, world: &World) -> Steps {
        match &mut self.opened {
            Some(opened) => {
                if opened.moved(action) {
                    return Steps::new();
                }
            }
            None => {
                if self.table.moved(action) {
                    return self.ask_if_lacking();
                }
                match action {
                    Action::Left => self.focus = self.focus.saturating_sub(1),
                    Action::Right => self.focus = (self.focus + 1).min(columns::count(&self.listing) - 1),
                    _ => {}
                }
            }
        }
        match action {
            Action::Enter => self.enter(),
            Action::Back => self.back(),
            Action::Sort => self.sorted(|listing| columns::order_by(listing, columns::ordering(listing) + 1)),
            Action::Reverse => self.sorted(columns::reverse),
            Action::MarkA => self.mark(Which::A),
            Action::MarkB => self.mark(Which::B),
            Action::Compare => self.compare(),
            Action::Rerun => self.read(Purpose::Rerun),
            Action::Log => self.log(),
            Action::Replay => self.replay(),
            Action::Explain => self.explain(),
            Action::Refresh => self.refresh(),
            action => self.ask_user(action, world),
        }
    }

    /// A row was clicked: the cursor goes there, and a second click opens it.
    pub fn click(&mut self, pane: usize, row: usize, _world: &World) -> Steps {
        match (pane, &mut self.opened) {
            (pane::ROWS, None) if self.table.cursor.at == row => self.enter(),
            (pane::ROWS, None) => {
                self.table.cursor.at = row;
                self.ask_if_lacking()
            }
            (pane::TITLES, None) if columns::ordering(&self.listing) == row => self.sorted(columns::reverse),
            (pane::TITLES, None) => self.sorted(|listing| columns::order_by(listing, row)),
            (pane::SECTIONS, Some(opened)) => {
                opened.show(row);
                Steps::new()
            }
            (pane::LINES, Some(opened)) => {
                let cursor = if opened.section == Section::Tests { &mut opened.test } else { &mut opened.line };
                cursor.at = row;
                Steps::new()
            }
            _ => Steps::new(),
        }
    }

    /// Takes an answer from outside.
    pub fn answered(&mut self, answer: Answer, world: &World) -> Steps {
        match answer {
            Answer::Page { ticket, page } => {
                self.table.take(ticket, page);
                self.ask_if_lacking()
            }
            Answer::Names(names) => {
                self.names = names;
                Steps::new()
            }
            Answer::Run { ticket, run, purpose } if self.run_waiting == Some(ticket) => {
                (self.run_waiting, self.busy) = (None, None);
                match run {
                    Ok(run) => self.take_run(*run, purpose, world),
                    Err(reason) => vec![Step::failed(reason)],
                }
            }
            Answer::Run { .. } => Steps::new(),
            Answer::Extent(target, lines) => {
                self.busy = None;
                match lines {
                    Ok(lines) => vec![Step::Open(dialog::confirm_deletion(target, lines))],
                    Err(reason) => vec![Step::failed(reason)],
                }
            }
            Answer::Changed(Ok(words)) => {
                self.busy = None;
                let mut steps = vec![Step::said(words)];
                steps.extend(self.refresh());
                steps
            }
            Answer::Changed(Err(reason)) => {
                self.busy = None;
                vec![Step::failed(reason)]
            }
        }
    }

    /// What is stored has changed.
    pub fn stale(&mut self) {
        self.stale = true;
    }

    /// The screen came into view.
    pub fn shown(&mut self) -> Steps {
        if self.stale { self.refresh() } else { Steps::new() }
    }

    /// Reads everything that is shown again.
    fn refresh(&mut self) -> Steps {
        self.stale = false;
        let mut steps = self.ask_page();
        steps.push(ask(Question::Names));
        if let Some(opened) = &self.opened {
            let (run, test) = (opened.run.run_id.clone(), opened.chosen().map(|test| test.number));
            steps.push(self.ask_run(run, Purpose::Open(test)));
        }
        steps
    }

    fn ask_page(&mut self) -> Steps {
        self.ticket += 1;
        self.table.waiting = Some(self.ticket);
        vec![ask(Question::Page {
            ticket: self.ticket,
            selection: self.filter.selection.clone(),
            listing: self.listing.clone(),
            offset: self.table.offset(),
        })]
    }

    fn ask_if_lacking(&mut self) -> Steps {
        if self.table.lacks() { self.ask_page() } else { Steps::new() }
    }

    fn ask_run(&mut self, run: String, purpose: Purpose) -> Step {
        self.ticket += 1;
        self.run_waiting = Some(self.ticket);
        self.busy = Some(format!("reading run {}", short(&run)));
        ask(Question::Run { ticket: self.ticket, run, purpose })
    }

    /// Orders the rows in another way, with the cursor on the first.
    fn sorted(&mut self, change: impl FnOnce(&mut Listing)) -> Steps {
        if self.opened.is_some() {
            return Steps::new();
        }
        change(&mut self.listing);
        self.table.cursor = crate::tui::widgets::cursor::Cursor::default();
        self.ask_page()
    }

    /// Shows something else. The rows of before say nothing of it.
    fn show(&mut self, filter: Filter, listing: Listing) -> Steps {
        if matches!(listing, Listing::Groups(..)) != matches!(self.listing, Listing::Groups(..)) {
            self.focus = columns::first_focus(&listing);
        }
        (self.filter, self.listing, self.table) = (filter, listing, Table::default());
        self.ask_page()
    }

    /// Opens the run under the cursor, or narrows the filter to the group.
    fn enter(&mut self) -> Steps {
        if self.opened.is_some() {
            return Steps::new();
        }
        match (self.table.current(), &self.listing) {
            (Some(Row::Result(row)), _) => {
                let (run, test) = (row.run_id.clone(), row.test);
                vec![self.ask_run(run, Purpose::Open(test))]
            }
            (Some(Row::Group(row)), Listing::Groups(key, _)) => match self.filter.narrowed(key, row.value.as_deref()) {
                Ok(narrowed) => {
                    let (filter, listing) = (self.filter.clone(), self.listing.clone());
                    self.trail.push(Visit { filter, listing, cursor: self.table.cursor, focus: self.focus });
                    self.show(narrowed, columns::newest())
                }
                Err(reason) => vec![Step::failed(reason)],
            },
            _ => Steps::new(),
        }
    }

    /// Closes what is open; else goes back to the groups, ends grouping, clears the filter, clears the marks.
    fn back(&mut self) -> Steps {
        let given_up = self.run_waiting.take().is_some();
        if given_up {
            self.busy = None;
        }
        if self.opened.take().is_some() || given_up {
            return Steps::new();
        }
        if let Some(Visit { filter, listing, cursor, focus }) = self.trail.pop() {
            (self.filter, self.listing, self.table) = (filter, listing, Table::default());
            (self.table.cursor, self.focus) = (cursor, focus);
            return self.ask_page();
        }
        if matches!(self.listing, Listing::Groups(..)) {
            return self.show(self.filter.clone(), columns::newest());
        }
        if !self.filter.selection.is_all() {
            return self.show(Filter::default(), self.listing.clone());
        }
        self.marks = Marks::default();
        Steps::new()
    }

    fn mark(&mut self, which: Which) -> Steps {
        let Some(target) = self.target() else { return nothing() };
        let what = target.run.as_deref().map_or(Markable::Selection(&target.filter.line), Markable::Run);
        self.marks.toggle(which, what);
        Steps::new()
    }

    fn compare(&self) -> Steps {
        match (self.marks.a.line(), self.marks.b.line()) {
            (Some(a), Some(b)) => vec![Step::Compare { a, b }],
            _ => vec![Step::failed("mark both sides first: a and b on runs, or on groups (g)")],
        }
    }

    fn replay(&self) -> Steps {
        match self.target().and_then(|target| target.run) {
            Some(run) => vec![Step::Replay(run)],
            None => one_run(),
        }
    }

    fn read(&mut self, purpose: Purpose) -> Steps {
        match self.target().and_then(|target| target.run) {
            Some(run) => vec![self.ask_run(run, purpose)],
            None => one_run(),
        }
    }

    fn log(&mut self) -> Steps {
        match &self.opened {
            Some(opened) => vec![Step::Open(log(&opened.run))],
            None => self.read(Purpose::Log),
        }
    }

    fn take_run(&mut self, run: StoredRun, purpose: Purpose, world: &World) -> Steps {
        match purpose {
            Purpose::Open(test) => {
                let before = self.opened.take().filter(|opened| opened.run.run_id == run.run_id);
                let mut opened = Opened::new(run, test);
                if let Some(before) = before {
                    (opened.section, opened.line) = (before.section, before.line);
                }
                self.opened = Some(opened);
                Steps::new()
            }
            Purpose::Log => vec![Step::Open(log(&run))],
            Purpose::Rerun => match rerun::preset(&run, world) {
                Ok(preset) => vec![Step::Load(Box::new(preset))],
                Err(reason) => vec![Step::failed(reason)],
            },
        }
    }

    fn explain(&self) -> Steps {
        let page = match (&self.opened, self.table.current(), &self.listing) {
            (Some(opened), ..) => explain::test(opened),
            (None, Some(Row::Result(row)), _) => Some(explain::result(row, columns::RESULTS[self.focus])),
            (None, Some(Row::Group(row)), Listing::Groups(key, _)) => {
                let filter = self.filter.narrowed(key, row.value.as_deref()).ok();
                Some(explain::group(row, key, columns::GROUPS[self.focus], filter.as_ref()))
            }
            _ => None,
        };
        page.map_or_else(nothing, |page| vec![Step::Open(page)])
    }
}

fn ask(question: Question) -> Step {
    Step::Do(Effect::Ask(Outside::Results(question)))
}

fn nothing() -> Steps {
    vec![Step::failed("there is nothing under the cursor")]
}

fn one_run() -> Steps {
    vec![Step::failed("this is about one run: Enter shows the runs of a group")]
}

/// What a run's worker wrote.
fn log(run: &StoredRun) -> Overlay {
    let lines = match run.log.as_deref().map(str::trim_end) {
        None | Some("") => vec!["The worker wrote nothing to stderr.".to_owned()],
        Some(log) => log.lines().map(str::to_owned).collect(),
    };
    Overlay::page(format!("Log of run {} · {}", short(&run.run_id), run.label), lines)
}
