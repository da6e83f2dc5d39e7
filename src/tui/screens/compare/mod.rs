//! The Compare screen: two selections beside each other, in five views.

mod ask;
mod dialog;
mod output;
mod paint;
mod rows;
mod view;

pub(crate) use ask::whole;
pub use ask::{Compared, Request, Response, WantedComparison};
pub(crate) use dialog::Dialog;
pub use output::remarks;
pub use rows::{TableRow, TestRow, family_rows, latency_rows, name, pivot_rows, table_rows, test_rows};
pub use view::CompareView;

use super::{
    intent::Intent,
    screen::{Context, Screen},
};
use crate::{
    catalog::Difference,
    compare::Axis,
    metric::Metric,
    store::{Latencies, Offer},
    tui::{
        keys::Action,
        overlay::Reply,
        setup::TuiSetup,
        widgets::{cursor::ListCursor, paint::Paint},
        world::World,
    },
};
use ratatui::layout::Rect;
use std::collections::BTreeSet;

/// What this screen wants to happen.
type Intents = Vec<Intent<Request, Dialog>>;

/// The sides that are compared, and how that is shown.
#[derive(Debug)]
pub struct CompareScreen {
    /// The selection of side A; empty until it is chosen.
    pub(crate) a: String,
    /// The selection of side B.
    pub(crate) b: String,
    /// Differences that are compared all the same.
    pub(crate) allowed: BTreeSet<Difference>,
    /// What is compared.
    pub(crate) metric: Metric,
    /// Rows and columns of the pivot.
    pub(crate) axes: (Axis, Axis),
    pub(crate) view: CompareView,
    /// What the names of tests shown contain.
    pub(crate) filter: String,
    /// Whether the page that offers pairs is shown.
    pub(crate) choosing: bool,
    /// What there is to compare; none until it is read.
    pub(crate) offers: Option<Result<Vec<Offer>, String>>,
    /// The comparison, or why there is none; none before the first response.
    pub(crate) shown: Option<Result<Box<Compared>, String>>,
    /// Whether a response is awaited.
    pub(crate) waiting: bool,
    /// Place among the pairs that are offered.
    pub(crate) offered: ListCursor,
    /// The column of the pivot under the cursor.
    pub(crate) column: usize,
    cursors: [ListCursor; CompareView::ALL.len()],
    ticket: u64,
    stale: bool,
}

impl CompareScreen {
    /// The comparison in view.
    pub(crate) fn compared(&self) -> Option<&Compared> {
        self.shown.as_ref()?.as_ref().ok().map(Box::as_ref)
    }

    /// The cursor of the view.
    pub(crate) fn cursor(&self) -> ListCursor {
        self.cursors[self.view.index()]
    }

    /// The pairs that are offered: the most common configurations, each with each.
    pub(crate) fn pairs(&self) -> Vec<(&Offer, &Offer)> {
        /// Configurations that are paired; more would be a list that nobody reads.
        const MOST: usize = 6;
        let Some(Ok(offers)) = &self.offers else { return Vec::new() };
        let most = &offers[..offers.len().min(MOST)];
        most.iter().enumerate().flat_map(|(at, a)| most[at + 1..].iter().map(move |b| (a, b))).collect()
    }

    /// Compares two selections.
    pub(crate) fn compare(&mut self, a: String, b: String) -> Intents {
        self.allowed.clear();
        self.filter.clear();
        self.view = CompareView::Table;
        self.take_sides(a, b)
    }

    fn take_sides(&mut self, a: String, b: String) -> Intents {
        (self.a, self.b) = (a, b);
        self.choosing = false;
        self.cursors = Default::default();
        self.column = 0;
        self.ask()
    }

    fn take_offer(&mut self) -> Intents {
        let sides = self.pairs().get(self.offered.at).map(|(a, b)| (a.selection(), b.selection()));
        match sides {
            Some((a, b)) => self.compare(a, b),
            None if self.waiting => vec![Intent::said("still reading what there is")],
            None => Intents::new(),
        }
    }

    fn swap(&mut self) -> Intents {
        std::mem::swap(&mut self.a, &mut self.b);
        self.ask()
    }

    /// Clears the filter; else goes back to the pairs that are offered, or from there to the comparison.
    fn back(&mut self) -> Intents {
        if !self.filter.is_empty() {
            self.filter.clear();
            return Intents::new();
        }
        if self.choosing && (self.a.is_empty() || self.b.is_empty()) {
            return Intents::new();
        }
        self.choosing = !self.choosing;
        self.read()
    }

    fn read_again(&mut self) -> Intents {
        self.stale = true;
        self.read()
    }

    /// Reads what is shown, unless that is known and still true.
    fn read(&mut self) -> Intents {
        let known = if self.choosing { self.offers.is_some() } else { self.shown.is_some() };
        if known && !self.stale {
            return Intents::new();
        }
        self.stale = false;
        if !self.choosing {
            return self.ask();
        }
        let ticket = self.next_ticket();
        vec![Intent::Request(Request::Offers { ticket })]
    }

    /// Asks for the comparison.
    fn ask(&mut self) -> Intents {
        let ticket = self.next_ticket();
        vec![Intent::Request(Request::Compare { ticket, wanted: Box::new(self.wanted()) })]
    }

    /// What is compared as it stands.
    pub(super) fn wanted(&self) -> WantedComparison {
        let are_shown = self.view == CompareView::Latencies;
        WantedComparison {
            a: self.a.clone(),
            b: self.b.clone(),
            metric: self.metric,
            allowed: self.allowed.clone(),
            axes: self.axes.clone(),
            latencies: if are_shown { Latencies::Read } else { Latencies::Left },
        }
    }

    /// Asks for the latencies where the view shows them and they were not read.
    fn with_latencies(&mut self) -> Intents {
        let missing = self.compared().is_some_and(|compared| compared.latencies == Latencies::Left);
        if missing && self.view == CompareView::Latencies { self.ask() } else { Intents::new() }
    }

    fn next_ticket(&mut self) -> u64 {
        self.ticket += 1;
        self.waiting = true;
        self.ticket
    }

    /// Keeps the cursors inside what is shown.
    fn kept_in(&mut self) {
        for view in CompareView::ALL {
            let length = self.length_of(view);
            self.cursors[view.index()].kept_in(length);
        }
        self.column = self.column.min(self.columns().saturating_sub(1));
    }
}

impl Screen for CompareScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self {
            a: String::new(),
            b: String::new(),
            metric: Metric::Wall,
            allowed: BTreeSet::new(),
            axes: (Axis::Test, Axis::Size),
            view: CompareView::default(),
            filter: String::new(),
            choosing: true,
            offers: None,
            shown: None,
            waiting: false,
            offered: ListCursor::default(),
            column: 0,
            cursors: Default::default(),
            ticket: 0,
            stale: true,
        }
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let world = context.world;
        match action {
            Action::MarkA => return vec![dialog::ask_side(Dialog::A, &self.a)],
            Action::MarkB => return vec![dialog::ask_side(Dialog::B, &self.b)],
            Action::Refresh => return self.read_again(),
            Action::Back => return self.back(),
            _ => {}
        }
        if self.choosing {
            let length = self.pairs().len();
            if !self.offered.moved(action, length) && action == Action::Enter {
                return self.take_offer();
            }
            return Intents::new();
        }
        let length = self.length();
        if self.cursors[self.view.index()].moved(action, length) {
            return Intents::new();
        }
        match action {
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column = (self.column + 1).min(self.columns().saturating_sub(1)),
            Action::View | Action::Enter => {
                self.turn();
                return self.with_latencies();
            }
            Action::Scaling => self.turn_to(CompareView::Scaling),
            Action::Swap => return self.swap(),
            Action::Pivot => return self.ask_axes(None),
            Action::Allow => return self.ask_allowed(),
            Action::Metric => return self.ask_metric(),
            Action::Filter => {
                let help = "tests whose number and name contain this";
                return vec![Intent::prompt(Dialog::Filter, "Filter tests", help, self.filter.clone())];
            }
            Action::Explain => return self.explain(),
            Action::Notes => return self.notes(world),
            Action::Copy => return self.copy(),
            Action::Export => return self.ask_export(),
            _ => {}
        }
        Intents::new()
    }

    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents {
        if self.choosing {
            let again = self.offered.at == row;
            self.offered.at = row;
            return if again { self.act(Action::Enter, context) } else { Intents::new() };
        }
        // The columns of a pivot are panes from 1.
        let column = pane.checked_sub(1).unwrap_or(self.column);
        let again = self.cursor().at == row && self.column == column;
        self.cursors[self.view.index()].at = row;
        self.column = column;
        if again { self.explain() } else { Intents::new() }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        match response {
            Response::Offers { ticket, found } if ticket == self.ticket => {
                self.offers = Some(found);
                let length = self.pairs().len();
                self.offered.kept_in(length);
            }
            Response::Compared { ticket, found } if ticket == self.ticket => {
                self.shown = Some(found);
                self.kept_in();
            }
            Response::Offers { .. } | Response::Compared { .. } => return Intents::new(),
        }
        self.waiting = false;
        self.with_latencies()
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        self.read()
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
