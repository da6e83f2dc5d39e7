//! The Results screen: everything that is stored, read one window of rows at a time.

mod actions;
mod ask;
mod cells;
mod columns;
mod copy;
mod dialog;
mod explain;
mod filter;
mod kept;
mod labels;
mod marks;
mod opened;
mod over_time;
mod paint;
mod rerun;
mod table;
mod views;

pub use ask::{Purpose, Request, Response};
pub(crate) use columns::{ListedColumn, RowKind};
pub use dialog::ChosenRuns;
pub(crate) use dialog::Dialog;
pub use filter::TypedSelection;
pub use kept::KeptRuns;
pub(crate) use labels::Labels;
pub(crate) use marks::{Markable, Marks, Which};
pub(crate) use opened::{DetailSection, OpenedRun, SectionLine};
pub(crate) use over_time::TestsPane;
pub use rerun::short;
pub use table::RowWindow;
pub(crate) use table::{ListedRow, WINDOW};

use super::{
    awaited::SIGN,
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    filter::View,
    keys::Action,
    launch::Opening,
    overlay::Reply,
    setup::TuiSetup,
    widgets::{
        cursor::ListCursor,
        paint::{Paint, VIEWS},
    },
    world::World,
};
use dbdyno_store::{PageListing, ReadWatch};
use ratatui::layout::Rect;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The panes that can be clicked.
pub mod pane {
    /// Rows of the table.
    pub(crate) const ROWS: usize = 0;
    /// Titles of the table's columns.
    pub(crate) const TITLES: usize = 1;
    /// Parts of an open run.
    pub(crate) const SECTIONS: usize = 2;
    /// Charts of an open run over its time.
    pub(crate) const OVER_TIME: usize = 4;
    /// Lines of an open run: its tests, or the lines of a list.
    pub(crate) const LINES: usize = 3;
}

/// The state before a configuration or group was entered.
#[derive(Debug)]
struct Visit {
    filter: TypedSelection,
    listing: PageListing,
    cursor: ListCursor,
    focus: ListedColumn,
    /// The item that was entered, for the title.
    crumb: String,
}

/// A column that the user chose.
#[derive(Debug)]
struct ChosenColumn {
    column: ListedColumn,
    /// Whether the column was hidden before the user chose it. Such columns have priority over those that were already visible.
    is_wanted: bool,
}

/// The stored results in view, and the open run.
#[derive(Debug)]
pub struct ResultsScreen {
    pub(crate) filter: TypedSelection,
    /// The order of the rows or their groups.
    pub(crate) listing: PageListing,
    /// The rows around the cursor.
    pub table: RowWindow,
    /// The column under the cursor.
    pub(crate) focus: ListedColumn,
    /// The labels of configurations.
    pub(crate) labels: Labels,
    /// The columns that the user chose, by kind of row.
    chosen: BTreeMap<RowKind, Vec<ChosenColumn>>,
    /// Whether results are shown one by one, instead of by configuration.
    flat: bool,
    /// The last deleted runs.
    deleted: Option<Arc<KeptRuns>>,
    pub(crate) marks: Marks,
    pub(crate) opened: Option<OpenedRun>,
    /// The operation in progress (except reading rows), in words.
    pub(crate) busy: Option<String>,
    names: Vec<String>,
    trail: Vec<Visit>,
    /// The filter from before the user began to type another one.
    before: Option<TypedSelection>,
    stale: bool,
    ticket: u64,
    /// The number of the pending request for a run.
    run_waiting: Option<u64>,
}

impl ResultsScreen {
    /// Returns the columns to show if there is room, in order: those that the user chose. Without a choice: the usual ones, and the options
    /// that differ within the rows shown.
    pub(crate) fn columns(&self) -> Vec<ListedColumn> {
        let kind = RowKind::of(&self.listing);
        match self.chosen.get(&kind) {
            Some(chosen) => {
                let options = self.names.iter().filter_map(|name| kind.option(name));
                cells::usual(kind)
                    .into_iter()
                    .chain(options)
                    .filter(|column| chosen.iter().any(|chosen| chosen.column == *column))
                    .collect()
            }
            None => {
                let differing = self.table.page.iter().flat_map(|page| &page.differing);
                cells::usual(kind).into_iter().chain(differing.filter_map(|name| kind.option(name))).collect()
            }
        }
    }

    /// Whether the user chose this column while it was hidden.
    pub(crate) fn is_wanted(&self, column: &ListedColumn) -> bool {
        let chosen = self.chosen.get(&RowKind::of(&self.listing));
        chosen.is_some_and(|chosen| chosen.iter().any(|chosen| chosen.column == *column && chosen.is_wanted))
    }

    /// Returns the number of visible rows of a list that has `above` lines above it.
    fn rows_seen(&self, context: &Context<'_>, above: usize) -> usize {
        /// Tabs and hints of the program, and the border of the pane, in rows.
        const AROUND: usize = 4;
        usize::from(context.size.1).saturating_sub(AROUND + above)
    }

    /// Moves the cursor. Returns none if the action was not a move.
    fn moved(&mut self, action: Action, context: &Context<'_>) -> Option<Intents> {
        let said = usize::from(paint::says_something(self, context.is_measuring));
        // The head of a run and the names of its sections are above its lines; the titles are above the lines of a list.
        let (of_run, of_list) = (self.rows_seen(context, 2), self.rows_seen(context, 1 + said));
        match &mut self.opened {
            Some(opened) => opened.moved(action, of_run).then(Intents::new),
            None if self.table.moved(action, of_list) => Some(self.ask_if_lacking()),
            None => {
                match action {
                    Action::Left => self.focus_moved(false),
                    Action::Right => self.focus_moved(true),
                    _ => return None,
                }
                Some(Intents::new())
            }
        }
    }

    /// Reads everything on the screen again.
    fn refresh(&mut self) -> Intents {
        self.stale = false;
        let mut intents = self.ask_page();
        intents.push(Intent::Request(Request::Names));
        if let Some(opened) = &self.opened {
            let (run, test) = (opened.run.run_id.clone(), opened.chosen().map(|stored| stored.test.test));
            intents.push(self.ask_run(run, Purpose::Open(test)));
        }
        intents
    }

    fn ask_page(&mut self) -> Intents {
        self.ticket += 1;
        self.table.waiting = Some(self.ticket);
        // The previous request is no longer needed.
        let watch = ReadWatch::endless();
        if let Some(before) = self.table.watch.replace(watch.clone()) {
            before.give_up();
        }
        vec![Intent::Request(Request::Page {
            ticket: self.ticket,
            watch,
            selection: self.filter.selection.clone(),
            listing: self.listing.clone(),
            offset: self.table.offset(),
        })]
    }

    fn ask_if_lacking(&mut self) -> Intents {
        if self.table.lacks() { self.ask_page() } else { Intents::new() }
    }

    /// Handles the result of a change of the store.
    fn changed(&mut self, changed: Result<String, String>) -> Intents {
        self.busy = None;
        match changed {
            Ok(words) => {
                let mut intents = vec![Intent::said(words)];
                intents.extend(self.refresh());
                intents
            }
            Err(reason) => vec![Intent::failed(reason)],
        }
    }

    fn ask_run(&mut self, run: String, purpose: Purpose) -> Intent<Request, Dialog> {
        self.ticket += 1;
        self.run_waiting = Some(self.ticket);
        self.busy = Some(format!("reading run {}", short(&run)));
        Intent::Request(Request::Run { ticket: self.ticket, run, purpose })
    }
}

impl Screen for ResultsScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self {
            filter: TypedSelection::default(),
            listing: columns::configurations(),
            table: RowWindow::default(),
            focus: RowKind::Configurations.first_focus(),
            labels: Labels::default(),
            chosen: BTreeMap::new(),
            flat: false,
            deleted: None,
            marks: Marks::default(),
            opened: None,
            busy: None,
            names: Vec::new(),
            trail: Vec::new(),
            before: None,
            stale: true,
            ticket: 0,
            run_waiting: None,
        }
    }

    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        match what {
            Opening::Results { selection } => Ok(self.show_selection(&selection)),
            Opening::Run(run) => Ok(Ok(self.open_run(run))),
            other => Err(other),
        }
    }

    fn asks(&self, action: Action, context: &Context<'_>) -> Option<Intents> {
        self.asked(action, context)
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        if let Some(intents) = self.moved(action, context) {
            return intents;
        }
        match action {
            Action::Enter => self.enter(),
            Action::Back => self.back(),
            Action::View => self.change_view(),
            Action::Sort => self.sorted_by_next(),
            Action::Reverse => self.sorted(columns::reverse),
            Action::MarkA => self.mark(Which::A),
            Action::MarkB => self.mark(Which::B),
            Action::Compare => self.compare(),
            Action::Rerun => self.read(Purpose::Rerun),
            Action::Log => self.log(),
            Action::Replay => self.replay(),
            Action::Explain => self.explain(),
            Action::Copy => self.copy(context.world),
            Action::Trend => self.trend(),
            Action::Refresh => self.refresh(),
            Action::Undo => self.undo(),
            Action::Delete => self.delete(),
            _ => Intents::new(),
        }
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        match action {
            // Actions that apply only to lists.
            Action::View | Action::Sort | Action::Group | Action::Filter => self.opened.is_none(),
            // Actions that apply only to a run.
            Action::NextTest | Action::PreviousTest => {
                self.opened.as_ref().is_some_and(|opened| opened.run.tests.len() > 1)
            }
            Action::MarkA | Action::MarkB => self.target().is_some(),
            Action::Compare => self.marks.a.line().is_some() && self.marks.b.line().is_some(),
            Action::Enter => self.opened.as_ref().is_none_or(|opened| opened.pane().is_some()),
            Action::Zoom => self.opened.as_ref().is_some_and(|opened| opened.pane().is_some()),
            Action::Copy => self.target().is_some(),
            _ => true,
        }
    }

    fn hint(&self, action: Action, _context: &Context<'_>) -> Option<&'static str> {
        let opened = self.opened.as_ref()?;
        match action {
            Action::Enter => Some(if opened.pane() == Some(TestsPane::Table) { "charts" } else { "next pane" }),
            Action::NextTest => Some("next test"),
            Action::Log => Some("log"),
            Action::Rerun => Some("run again"),
            _ => None,
        }
    }

    fn click(&mut self, pane: usize, row: usize, _context: &Context<'_>) -> Intents {
        if pane == VIEWS {
            return self.show_view(row);
        }
        match (pane, &mut self.opened) {
            (pane::ROWS, None) if self.table.cursor.at == row => self.enter(),
            (pane::ROWS, None) => {
                self.table.cursor.at = row;
                self.ask_if_lacking()
            }
            (pane::TITLES, None) => self.sorted_by(row),
            (pane::SECTIONS, Some(opened)) => {
                opened.show(row);
                Intents::new()
            }
            (pane::OVER_TIME, Some(opened)) => {
                opened.pane = TestsPane::OverTime;
                Intents::new()
            }
            (pane::LINES, Some(opened)) => {
                opened.pane = TestsPane::Table;
                let cursor = if opened.section == DetailSection::Tests { &mut opened.test } else { &mut opened.line };
                cursor.at = row;
                Intents::new()
            }
            _ => Intents::new(),
        }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, _context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply)
    }

    fn responded(&mut self, response: Response, context: &Context<'_>) -> Intents {
        match response {
            Response::Page { ticket, page } => {
                self.table.take(ticket, page);
                self.ask_if_lacking()
            }
            Response::Names(names, telling) => {
                (self.names, self.labels) = (names, Labels::new(telling));
                Intents::new()
            }
            Response::Run { ticket, run, purpose } if self.run_waiting == Some(ticket) => {
                (self.run_waiting, self.busy) = (None, None);
                match run {
                    Ok(run) => self.take_run(*run, purpose, context.world),
                    Err(reason) => vec![Intent::failed(reason)],
                }
            }
            Response::Run { .. } => Intents::new(),
            Response::Extent(target, lines) => {
                self.busy = None;
                match lines {
                    Ok(lines) => vec![dialog::confirm_deletion(target, lines)],
                    Err(reason) => vec![Intent::failed(reason)],
                }
            }
            Response::Changed(changed) => self.changed(changed),
            Response::Deleted(deleted) => {
                let words = deleted.map(|(words, kept)| {
                    self.deleted = Some(kept);
                    words
                });
                self.changed(words)
            }
            Response::Restored(restored) => {
                if restored.is_ok() {
                    self.deleted = None;
                }
                self.changed(restored)
            }
        }
    }

    fn way(&self) -> Vec<String> {
        let run = self.opened.as_ref().map(|opened| self.run_in_words(&opened.run));
        self.trail.iter().map(|visit| visit.crumb.clone()).chain(run).collect()
    }

    fn view(&self) -> Option<View> {
        self.opened.is_none().then(|| self.kept_view())
    }

    fn show_view(&mut self, view: &View) -> Result<Intents, String> {
        self.show_kept(view)
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        if self.stale { self.refresh() } else { Intents::new() }
    }

    fn stale(&mut self) {
        self.stale = true;
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        // Only the store knows for whom it waits.
        (in_view && self.table.waiting.is_some()).then_some(SIGN)
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}
