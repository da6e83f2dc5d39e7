//! The Compare screen: all configurations of a session compared with one reference, or two selections compared with each other.

mod ask;
mod dialog;
mod does;
mod further;
mod looked;
mod matrix;
mod output;
mod paint;
mod reading;
mod rows;
mod sweep;
mod view;

pub use ask::{Compared, FirstView, Request, Response, WantedComparison};
pub(crate) use dialog::Dialog;
pub use looked::{BesideReference, Looked};
pub use matrix::{Matrix, WantedMatrix};
pub(crate) use matrix::{MatrixPlace, MatrixRow, matrix_rows};
pub use output::remarks;
pub use rows::{PivotPlace, TableRow, TestRow, family_rows, latency_rows, name, pivot_rows, table_rows, test_rows};
pub(crate) use sweep::{HeatCell, Sweep, SweepPlace, SweepRank, SweepRow};
pub use view::CompareView;

use super::{
    awaited::SIGN,
    further::{PlannedRounds, ask_to_begin},
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    filter::OF_TESTS,
    keys::Action,
    launch::Opening,
    overlay::{FilterKeys, Reply},
    setup::TuiSetup,
    widgets::{
        cursor::ListCursor,
        paint::{Paint, VIEWS},
    },
    world::World,
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::Offer;
use matrix::Sought;
use ratatui::layout::Rect;
use reading::Reading;
use std::time::Duration;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The comparison and the state of its views.
#[derive(Debug)]
pub struct CompareScreen {
    pub(crate) looked: Looked,
    /// The configurations that can be compared; none until they are read.
    pub(crate) offers: Option<Result<Vec<Offer>, String>>,
    /// The last pair read, with its comparison or the reason why there is none.
    pair: Option<(WantedComparison, Result<Box<Compared>, String>)>,
    /// The last matrix read, or the reason why there is none.
    matrix: Option<(WantedMatrix, Result<Box<Matrix>, String>)>,
    /// The request in progress.
    pub(crate) reading: Option<Reading>,
    /// The state at the user's last action while nothing was being read.
    before: Looked,
    /// The cursor in the list of pairs on offer.
    pub(crate) offered: ListCursor,
    /// Planned rounds that await the user's confirmation.
    further: Option<Box<PlannedRounds>>,
    /// The place for the cursor once the awaited comparison is read.
    sought: Option<Sought>,
    now: Duration,
    ticket: u64,
    stale: bool,
}

impl CompareScreen {
    /// Returns the current pair's comparison, or the reason why there is none. None: it is not read yet.
    pub(crate) fn found_pair(&self) -> Option<&Result<Box<Compared>, String>> {
        self.pair.as_ref().filter(|(of, _)| self.looked.is_pair(of)).map(|(_, found)| found)
    }

    /// Returns the current matrix, or the reason why there is none. None: it is not read yet.
    pub(crate) fn found_matrix(&self) -> Option<&Result<Box<Matrix>, String>> {
        self.matrix.as_ref().filter(|(of, _)| self.looked.is_matrix(of)).map(|(_, found)| found)
    }

    /// Returns the current pair's comparison, if it is read.
    pub(crate) fn compared(&self) -> Option<&Compared> {
        self.found_pair()?.as_ref().ok().map(Box::as_ref)
    }

    pub(crate) fn matrix(&self) -> Option<&Matrix> {
        self.found_matrix()?.as_ref().ok().map(Box::as_ref)
    }

    /// Returns the metric of the figures on screen: the requested one, or operations a second instead of times if tests ended after a fixed
    /// time.
    pub(crate) fn metric(&self) -> Metric {
        let session = || Some(self.matrix()?.comparisons.first()?.metric);
        let pair = || Some(self.compared()?.plain.metric);
        let shown = if self.looked.view.is_of_session() { session() } else { pair() };
        shown.unwrap_or(self.looked.metric)
    }

    /// Returns the matrix from which a pair was opened, whatever metric and allowed differences the pair has.
    fn behind(&self) -> Option<(&WantedMatrix, Option<&Matrix>)> {
        let (of, found) = self.matrix.as_ref().filter(|(of, _)| self.looked.beside.as_ref() == Some(&of.beside))?;
        Some((of, found.as_ref().ok().map(Box::as_ref)))
    }

    /// Returns the current view's cursor.
    pub(crate) fn cursor(&self) -> ListCursor {
        self.looked.cursors[self.looked.view.index()]
    }

    fn column_under_cursor(&self, of_session: bool) -> usize {
        if of_session { self.looked.candidate } else { self.looked.column }
    }

    /// Returns the pairs on offer: all pairs of the most common configurations.
    pub(crate) fn pairs(&self) -> Vec<(&Offer, &Offer)> {
        /// Number of configurations to pair; more would make the list too long to read.
        const MOST: usize = 6;
        let Some(Ok(offers)) = &self.offers else { return Vec::new() };
        let most = &offers[..offers.len().min(MOST)];
        most.iter().enumerate().flat_map(|(at, a)| most[at + 1..].iter().map(move |b| (a, b))).collect()
    }

    fn take_new(&mut self, a: String, b: String, since: Option<String>, first: FirstView) -> Intents {
        self.remember();
        self.looked.since = since;
        self.looked.allowed.clear();
        self.looked.filter.clear();
        (self.looked.view, self.looked.candidate) = (CompareView::Table, 0);
        self.take_sides(a, b, first)
    }

    fn take_sides(&mut self, a: String, b: String, first: FirstView) -> Intents {
        let looked = &mut self.looked;
        (looked.a, looked.b, looked.beside) = (a, b, None);
        looked.choosing = false;
        if looked.view.is_of_session() {
            looked.view = CompareView::Table;
        }
        looked.at_the_beginning_of_a_pair();
        self.sought = None;
        self.stale = false;
        self.ask_pair(first)
    }

    fn take_offer(&mut self) -> Intents {
        let sides = self.pairs().get(self.offered.at).map(|(a, b)| (a.selection(), b.selection()));
        match sides {
            Some((a, b)) => self.take_new(a, b, None, FirstView::Pair),
            None if self.reading.is_some() => vec![Intent::refused("still reading the store")],
            None => Intents::new(),
        }
    }

    fn swap(&mut self) -> Intents {
        std::mem::swap(&mut self.looked.a, &mut self.looked.b);
        self.looked.since = None;
        self.ask()
    }

    /// Cancels reading if it is in progress. Otherwise clears the filter. Otherwise returns to the trend that opened the comparison, if
    /// `is_opened` says that it waits. Otherwise goes back from a pair to the matrix, from there to the pairs on offer, and from these to
    /// the previous comparison.
    fn back(&mut self, is_opened: bool) -> Intents {
        if self.reading.is_some() && !self.looked.choosing {
            return self.give_up();
        }
        if !self.looked.filter.is_empty() {
            self.looked.filter.clear();
            return Intents::new();
        }
        let Looked { choosing, view, beside, a, b, .. } = &self.looked;
        match (choosing, view.is_of_session(), beside) {
            (false, ..) if is_opened && self.looked.since.is_some() => vec![Intent::Close],
            (false, false, Some(_)) => self.back_to(self.looked.opened_from),
            (true, _, None) if a.is_empty() || b.is_empty() => Intents::new(),
            _ => {
                self.looked.choosing = !self.looked.choosing;
                self.read()
            }
        }
    }

    /// Keeps the cursors within the rows and columns shown.
    fn kept_in(&mut self) {
        for view in CompareView::ALL {
            let length = self.length_of(view);
            self.looked.cursors[view.index()].kept_in(length);
        }
        self.looked.column = self.looked.column.min(self.columns().saturating_sub(1));
    }

    /// Handles a key in the views of a pair.
    fn act_on_pair(&mut self, action: Action, world: &World) -> Intents {
        match action {
            Action::Left => self.looked.column = self.looked.column.saturating_sub(1),
            Action::Right => self.looked.column = (self.looked.column + 1).min(self.columns().saturating_sub(1)),
            Action::View | Action::PreviousView | Action::Enter => {
                let intents = self.turn(action != Action::PreviousView);
                return if intents.is_empty() { self.with_latencies() } else { intents };
            }
            Action::Scaling => self.turn_to(CompareView::Scaling),
            Action::Swap => return self.swap(),
            Action::Pivot => return self.ask_axes(None),
            Action::Explain => return self.explain(),
            Action::Notes => return self.notes(world),
            Action::CopyAll => return self.copy_sql(),
            _ => {}
        }
        Intents::new()
    }

    /// Handles a key that works in every view.
    fn act_on_view(&mut self, action: Action, world: &World) -> Option<Intents> {
        Some(match action {
            Action::Allow => self.allow(),
            Action::AllowSome => self.ask_allowed(),
            Action::Trend => self.trend(),
            Action::Copy => self.copy_tables(world),
            Action::More => self.plan_further(world),
            _ => return None,
        })
    }
}

impl Screen for CompareScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self {
            looked: Looked::nothing(),
            offers: None,
            pair: None,
            matrix: None,
            reading: None,
            before: Looked::nothing(),
            offered: ListCursor::default(),
            further: None,
            sought: None,
            now: Duration::ZERO,
            ticket: 0,
            stale: true,
        }
    }

    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let intents = match what {
            Opening::Sides { a, b } => self.take_new(a, b, None, FirstView::Session),
            Opening::Pair { a, b } => self.take_new(a, b, None, FirstView::Pair),
            Opening::Since { since, before, words, test } => {
                let intents = self.take_new(since, before, Some(words), FirstView::Pair);
                self.sought = Some(Sought::Test(*test));
                intents
            }
            Opening::Beside { reference } => self.compare_beside(reference),
            other => return Err(other),
        };
        Ok(Ok(intents))
    }

    fn time(&mut self, now: Duration, _in_view: bool) -> Intents {
        self.now = now;
        Intents::new()
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        (in_view && self.reading.is_some()).then_some(SIGN)
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        if self.looked.choosing {
            return None;
        }
        Some(match action {
            Action::Metric => self.ask_metric(),
            Action::Filter => {
                let keys = FilterKeys::Among(OF_TESTS);
                vec![Intent::filter(Dialog::Filter, "Tests", keys, self.looked.filter.line())]
            }
            Action::Export => self.ask_export(),
            _ => return None,
        })
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        self.remember();
        match action {
            Action::MarkA => return vec![dialog::ask_side(Dialog::A, &self.looked.a)],
            Action::MarkB => return vec![dialog::ask_side(Dialog::B, &self.looked.b)],
            Action::Refresh => return self.read_again(),
            Action::Back => return self.back(context.is_opened),
            Action::Matrix => return self.show_matrix(),
            _ => {}
        }
        if self.looked.choosing {
            let length = self.pairs().len();
            if self.offered.moved(action, length) {
                return Intents::new();
            }
            return match action {
                Action::Enter => self.take_offer(),
                Action::Copy => self.copy_offer(context.world),
                _ => Intents::new(),
            };
        }
        let length = self.length();
        if self.looked.cursor_mut().moved(action, length) {
            return Intents::new();
        }
        if let Some(intents) = self.act_on_view(action, context.world) {
            return intents;
        }
        match self.looked.view.is_of_session() {
            true => self.act_on_session(action, context.world),
            false => self.act_on_pair(action, context.world),
        }
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        self.does(action)
    }

    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents {
        if self.looked.choosing {
            let again = self.offered.at == row;
            self.offered.at = row;
            return if again { self.act(Action::Enter, context) } else { Intents::new() };
        }
        if pane == VIEWS {
            let intents = self.views().get(row).map_or_else(Intents::new, |view| self.show_the_view(*view));
            return if intents.is_empty() { self.with_latencies() } else { intents };
        }
        let of_session = self.looked.view.is_of_session();
        // Panes 1 and up are the columns of the matrix and the pivot.
        let column = match (pane.checked_sub(1), self.looked.view) {
            (Some(column), CompareView::Matrix) => self.clicked_column(column),
            (Some(column), _) => column,
            (None, _) => self.column_under_cursor(of_session),
        };
        let columns = if of_session { &mut self.looked.candidate } else { &mut self.looked.column };
        let same_column = std::mem::replace(columns, column) == column;
        let same_row = std::mem::replace(&mut self.looked.cursor_mut().at, row) == row;
        match (same_column && same_row, of_session) {
            (true, true) => self.act(Action::Enter, context),
            (true, false) => self.explain(),
            (false, _) => Intents::new(),
        }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.remember();
        self.take_reply(dialog, reply, context.world)
    }

    fn responded(&mut self, response: Response, context: &Context<'_>) -> Intents {
        match response {
            Response::Further { planned } => ask_to_begin(planned, &mut self.further, Dialog::Further, context.world),
            response => self.take(response),
        }
    }

    fn shown(&mut self, _context: &Context<'_>) -> Intents {
        self.remember();
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
