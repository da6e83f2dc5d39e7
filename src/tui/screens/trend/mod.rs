//! The Trend pane: configurations over their sessions, with the points at which they changed.

mod ask;
mod chart;
mod dialog;
mod paint;

pub use ask::{Request, Response, TrendReading};
pub(crate) use dialog::Dialog;

use super::{
    awaited::{Awaited, SIGN},
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    filter::ListFilter,
    keys::Action,
    launch::{Opening, SizedTest, TrendOf},
    overlay::Reply,
    setup::TuiSetup,
    widgets::{cursor::ListCursor, paint::Paint},
    world::World,
};
use dbdyno_comparing::compare::TrendSeries;
use dbdyno_foundation::base::units::counted;
use ratatui::layout::Rect;
use std::time::Duration;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// Panes that can be clicked.
mod pane {
    /// Rows of the list.
    pub(super) const TESTS: usize = 0;
    /// The sessions in the chart.
    pub(super) const SESSIONS: usize = 1;
}

/// The trends, and the state of the view.
#[derive(Debug, Default)]
pub struct TrendScreen {
    /// The last request that was read, and the trends or the reason why there are none.
    found: Option<(TrendOf, Result<Box<TrendReading>, String>)>,
    /// The pending request.
    reading: Option<(Awaited, TrendOf)>,
    /// The filter for the tests shown.
    filter: ListFilter,
    /// The cursor in the tests.
    cursor: ListCursor,
    /// The session under the cursor, from the oldest.
    session: usize,
    ticket: u64,
    stale: bool,
}

impl TrendScreen {
    fn ask(&mut self, of: TrendOf, now: Duration) -> Intents {
        self.give_up();
        self.stale = false;
        let awaited = Awaited::new(now);
        let request = Request::Follow { ticket: self.ticket, of: of.clone(), watch: awaited.watch() };
        self.reading = Some((awaited, of));
        vec![Intent::Request(request)]
    }

    /// Cancels reading, so that its response is dropped. Returns whether anything was being read.
    fn give_up(&mut self) -> bool {
        self.ticket += 1;
        self.reading.take().map(|(awaited, _)| awaited.give_up()).is_some()
    }

    fn ask_again(&mut self, now: Duration) -> Intents {
        let of = self.found.as_ref().map(|(of, _)| of.clone());
        // The cursor stays on its test.
        let test = self.current().map(|series| (series.test, series.size.clone()));
        of.map_or_else(Intents::new, |of| self.ask(TrendOf { test: test.or(of.test), ..of }, now))
    }

    /// Returns the trends and their request; none while another request is being read.
    fn followed(&self) -> Option<(&TrendOf, &TrendReading)> {
        let (of, found) = self.found.as_ref().filter(|_| self.reading.is_none())?;
        Some((of, found.as_ref().ok()?))
    }

    /// Returns the tests that match the filter.
    fn series(&self) -> Vec<&TrendSeries> {
        let matches = |series: &&TrendSeries| self.filter.means_test(series.test, &series.name, [series.size.as_str()]);
        self.followed().map_or_else(Vec::new, |(_, followed)| followed.trend.series.iter().filter(matches).collect())
    }

    /// Returns the label of each configuration that is followed, once.
    fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        for series in self.followed().into_iter().flat_map(|(_, followed)| &followed.trend.series) {
            if !labels.contains(&series.label.as_str()) {
                labels.push(&series.label);
            }
        }
        labels
    }

    /// Whether no test of the followed configurations changed or drifts, including those that the filter hides.
    fn is_steady(&self) -> bool {
        let is_steady = |series: &TrendSeries| series.changes.is_empty() && series.drift.is_none();
        self.followed().is_some_and(|(_, followed)| followed.trend.series.iter().all(is_steady))
    }

    /// Returns the test under the cursor.
    fn current(&self) -> Option<&TrendSeries> {
        self.series().get(self.cursor.at).copied()
    }

    /// Keeps the cursor within the sessions of the test.
    fn kept_in(&mut self) {
        let sessions = self.current().map_or(0, |series| series.points.len());
        self.session = self.session.min(sessions.saturating_sub(1));
    }

    fn sideways(&mut self, by: fn(usize, usize) -> usize) {
        self.session = by(self.session, 1);
        self.kept_in();
    }

    /// Moves the cursor to the next or previous change of the level.
    fn seek_change(&mut self, forward: bool) -> Intents {
        let Some(series) = self.current() else { return Intents::new() };
        let places = series.changes.iter().map(|change| change.at);
        let next = match forward {
            true => places.filter(|at| *at > self.session).min(),
            false => places.filter(|at| *at < self.session).max(),
        };
        match next {
            Some(at) => self.session = at,
            None if series.changes.is_empty() => return vec![self.no_change()],
            None if forward => return vec![Intent::refused("there is no later change")],
            None => return vec![Intent::refused("there is no earlier change")],
        }
        Intents::new()
    }

    /// Refuses to go to a change of a test that has none, and says how many others have one.
    fn no_change(&self) -> Intent<Request, Dialog> {
        let all = self.series();
        match all.iter().filter(|series| !series.changes.is_empty()).count() {
            0 => Intent::refused("no test has a change"),
            1 => Intent::refused(format!("this test has no change, 1 of {} has", counted(all.len(), "test"))),
            some => Intent::refused(format!("this test has no change, {some} of {} have", counted(all.len(), "test"))),
        }
    }

    /// Opens the comparison of the sessions since the change under the cursor, or the last one before it, with the sessions before, each up
    /// to the neighbouring change.
    fn compare_change(&self) -> Intents {
        let Some(((_, followed), series)) = self.followed().zip(self.current()) else { return Intents::new() };
        let places: Vec<usize> = series.changes.iter().map(|change| change.at).collect();
        let under = places.iter().rposition(|at| *at <= self.session).unwrap_or(0);
        let Some(&at) = places.get(under) else { return vec![self.no_change()] };
        let begins = under.checked_sub(1).and_then(|earlier| places.get(earlier)).copied().unwrap_or(0);
        let ends = places.get(under + 1).copied().unwrap_or(series.points.len());
        let of = |sessions: std::ops::Range<usize>| {
            let ids: Vec<String> = series.points[sessions].iter().map(|point| point.session_id.to_string()).collect();
            format!("{} session={}", followed.trend.selection, ids.join("|"))
        };
        let words = series.points[at].started_at.chars().take(10).collect();
        let test = Box::new(SizedTest { size: series.size.clone(), number: series.test, name: series.name.clone() });
        vec![Intent::Open(Opening::Since { since: of(at..ends), before: of(begins..at), words, test })]
    }

    /// Cancels reading if it is in progress. Otherwise clears the filter. Otherwise returns to the screen that opened the pane.
    fn back(&mut self) -> Intents {
        if self.reading.is_some() {
            self.give_up();
            let said = Intent::said("cancelled");
            return if self.found.is_some() { vec![said] } else { vec![said, Intent::Close] };
        }
        if self.filter.is_empty() {
            return vec![Intent::Close];
        }
        self.filter.clear();
        Intents::new()
    }

    fn take(&mut self, of: TrendOf, found: Result<Box<TrendReading>, String>) {
        let test = of.test.clone();
        self.found = Some((of, found));
        let series = self.series();
        let is_it = |series: &&TrendSeries| {
            test.as_ref().is_some_and(|(test, size)| series.test == *test && series.size == *size)
        };
        // Without a wanted test, it is the first one that changed.
        let changed = || series.iter().position(|series| !series.changes.is_empty());
        let at = series.iter().position(is_it).or_else(changed).unwrap_or(0);
        // The latest change is the most likely one to be of interest.
        let change = series.get(at).and_then(|series| Some(series.changes.last()?.at));
        let last = series.get(at).map_or(0, |series| series.points.len().saturating_sub(1));
        (self.cursor.at, self.session) = (at, change.unwrap_or(last));
    }
}

impl Screen for TrendScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self::default()
    }

    fn show(&mut self, what: Opening, context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let Opening::Trend(of) = what else { return Err(what) };
        self.filter.clear();
        Ok(Ok(self.ask(of, context.now)))
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        (in_view && self.reading.is_some()).then_some(SIGN)
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        match action {
            Action::Metric => Some(self.ask_metric()),
            Action::Filter => Some(self.ask_filter()),
            Action::Export => Some(self.ask_export()),
            _ => None,
        }
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let length = self.series().len();
        if self.cursor.moved(action, length) {
            self.kept_in();
            return Intents::new();
        }
        match action {
            Action::Left => self.sideways(usize::saturating_sub),
            Action::Right => self.sideways(usize::saturating_add),
            Action::NextTest => return self.seek_change(true),
            Action::PreviousTest => return self.seek_change(false),
            Action::Back => return self.back(),
            Action::Refresh => return self.ask_again(context.now),
            Action::Enter => return self.compare_change(),
            Action::Explain => return self.explain(),
            Action::Copy => return self.copy(),
            _ => {}
        }
        Intents::new()
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        match action {
            Action::Metric => self.followed().is_some_and(|(_, followed)| followed.metrics.len() > 1),
            Action::Filter | Action::Export => {
                self.followed().is_some_and(|(_, followed)| !followed.trend.series.is_empty())
            }
            Action::Explain | Action::Copy => self.current().is_some(),
            Action::Enter | Action::NextTest | Action::PreviousTest => {
                self.current().is_some_and(|series| !series.changes.is_empty())
            }
            _ => true,
        }
    }

    fn click(&mut self, pane: usize, row: usize, _context: &Context<'_>) -> Intents {
        match pane {
            pane::TESTS => self.cursor.at = row,
            _ => self.session = row,
        }
        self.kept_in();
        Intents::new()
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(*dialog, reply, context.now)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        let Response::Followed { ticket, found } = response;
        if let Some((_, of)) = self.reading.take_if(|_| ticket == self.ticket) {
            self.take(of, found);
        }
        Intents::new()
    }

    fn shown(&mut self, context: &Context<'_>) -> Intents {
        if self.stale && self.reading.is_none() { self.ask_again(context.now) } else { Intents::new() }
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
