//! The Results screen: all that is stored, a window of it at a time.

mod actions;
mod ask;
pub mod columns;
mod dialog;
mod explain;
mod filter;
mod marks;
mod opened;
mod paint;
mod rerun;
mod table;

pub use ask::{Purpose, Request, Response};
pub use dialog::ChosenRuns;
pub(crate) use dialog::Dialog;
pub use filter::TypedSelection;
pub(crate) use marks::{Markable, Marks, Which};
pub(crate) use opened::{OpenedRun, Section, SectionLine};
pub use rerun::short;
pub use table::RowWindow;
pub(crate) use table::{ListedRow, WINDOW};

use super::{
    intent::Intent,
    screen::{Context, Screen},
};
use crate::{
    store::PageListing,
    tui::{
        keys::Action,
        overlay::Reply,
        setup::TuiSetup,
        widgets::{cursor::ListCursor, paint::Paint},
        world::World,
    },
};
use ratatui::layout::Rect;

/// What this screen wants to happen.
type Intents = Vec<Intent<Request, Dialog>>;

/// Panes that can be clicked.
pub mod pane {
    /// Rows of the table.
    pub(crate) const ROWS: usize = 0;
    /// Titles of the table's columns.
    pub(crate) const TITLES: usize = 1;
    /// Parts of an open run.
    pub(crate) const SECTIONS: usize = 2;
    /// Lines of an open run: its tests, or those of a list.
    pub(crate) const LINES: usize = 3;
}

/// Where one was before a group was entered.
#[derive(Debug)]
struct Visit {
    filter: TypedSelection,
    listing: PageListing,
    cursor: ListCursor,
    focus: usize,
}

/// What is stored, as far as it is shown, and the run that is open.
#[derive(Debug)]
pub struct ResultsScreen {
    pub(crate) filter: TypedSelection,
    /// In which order, or in which groups.
    pub(crate) listing: PageListing,
    /// The rows around the cursor.
    pub table: RowWindow,
    /// The column under the cursor.
    pub(crate) focus: usize,
    pub(crate) marks: Marks,
    pub(crate) opened: Option<OpenedRun>,
    /// What is being read or written besides rows, in words.
    pub(crate) busy: Option<String>,
    names: Vec<String>,
    trail: Vec<Visit>,
    stale: bool,
    ticket: u64,
    /// The request for a run that is under way.
    run_waiting: Option<u64>,
}

impl ResultsScreen {
    /// Reads everything that is shown again.
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
        vec![Intent::Request(Request::Page {
            ticket: self.ticket,
            selection: self.filter.selection.clone(),
            listing: self.listing.clone(),
            offset: self.table.offset(),
        })]
    }

    fn ask_if_lacking(&mut self) -> Intents {
        if self.table.lacks() { self.ask_page() } else { Intents::new() }
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
            listing: columns::newest(),
            table: RowWindow::default(),
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

    fn act(&mut self, action: Action, _context: &Context<'_>) -> Intents {
        match &mut self.opened {
            Some(opened) => {
                if opened.moved(action) {
                    return Intents::new();
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
            action => self.ask_user(action),
        }
    }

    fn click(&mut self, pane: usize, row: usize, _context: &Context<'_>) -> Intents {
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
                Intents::new()
            }
            (pane::LINES, Some(opened)) => {
                let cursor = if opened.section == Section::Tests { &mut opened.test } else { &mut opened.line };
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
            Response::Names(names) => {
                self.names = names;
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
            Response::Changed(Ok(words)) => {
                self.busy = None;
                let mut intents = vec![Intent::said(words)];
                intents.extend(self.refresh());
                intents
            }
            Response::Changed(Err(reason)) => {
                self.busy = None;
                vec![Intent::failed(reason)]
            }
        }
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        if self.stale { self.refresh() } else { Intents::new() }
    }

    fn stale(&mut self) {
        self.stale = true;
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}
