//! The Claims screen: the publications, and one of them compared with the results measured here.

mod ask;
mod dialog;
mod output;
mod paint;
mod rows;

pub use ask::{Request, Response};
pub(crate) use dialog::Dialog;
use rows::CLAIM_KEYS;
pub(crate) use rows::{ClaimRow, claim_name, claim_rows};

use super::{
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    filter::ListFilter,
    keys::Action,
    launch::Opening,
    overlay::{FilterKeys, Reply},
    setup::TuiSetup,
    widgets::{cursor::ListCursor, paint::Paint},
    world::World,
};
use dbdyno_catalog as catalog;
use dbdyno_comparing::claims::{ClaimsTable, JudgedClaim, JudgedComparison};
use ratatui::layout::Rect;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The open publication.
#[derive(Debug)]
pub struct OpenedClaims {
    /// The claims file's name.
    pub(crate) name: String,
    /// Its claims with verdicts, or the reason why there are none; none before the first response.
    pub(crate) table: Option<Result<Box<ClaimsTable>, String>>,
    /// Whether a response is pending.
    pub(crate) waiting: bool,
    /// The cursor in its claims.
    pub(crate) cursor: ListCursor,
}

/// The publications, and the open one.
#[derive(Debug, Default)]
pub struct ClaimsScreen {
    /// The cursor in the publications.
    pub(crate) cursor: ListCursor,
    pub(crate) opened: Option<OpenedClaims>,
    /// The filter for the names of claims.
    pub(crate) filter: ListFilter,
    ticket: u64,
    stale: bool,
}

impl OpenedClaims {
    pub(crate) fn judged(&self) -> Option<&ClaimsTable> {
        self.table.as_ref()?.as_ref().ok().map(Box::as_ref)
    }
}

impl ClaimsScreen {
    /// Returns the claim under the cursor, with the comparison it belongs to.
    pub(crate) fn claim(&self) -> Option<(&JudgedComparison, &JudgedClaim)> {
        let opened = self.opened.as_ref()?;
        let rows = claim_rows(opened.judged()?, &self.filter);
        let claims = rows.into_iter().filter_map(|row| match row {
            ClaimRow::Claim(comparison, claim) => Some((comparison, claim)),
            ClaimRow::Title(_) => None,
        });
        claims.into_iter().nth(opened.cursor.at)
    }

    fn length(&self, world: &World) -> usize {
        match &self.opened {
            None => world.claims.len(),
            Some(opened) => opened.judged().map_or(0, |table| {
                claim_rows(table, &self.filter).iter().filter(|row| matches!(row, ClaimRow::Claim(..))).count()
            }),
        }
    }

    fn cursor_mut(&mut self) -> &mut ListCursor {
        self.opened.as_mut().map_or(&mut self.cursor, |opened| &mut opened.cursor)
    }

    fn open(&mut self, world: &World) -> Intents {
        let Some(claims) = world.claims.get(self.cursor.at) else { return Intents::new() };
        self.filter.clear();
        self.opened =
            Some(OpenedClaims { name: claims.name.clone(), table: None, waiting: true, cursor: ListCursor::default() });
        self.ask(claims)
    }

    fn ask(&mut self, claims: &catalog::Claims) -> Intents {
        self.ticket += 1;
        self.stale = false;
        let (ticket, claims) = (self.ticket, Box::new(claims.clone()));
        vec![Intent::Request(Request::Judge { ticket, claims })]
    }

    /// Shows the comparison that decides the verdict of the claim under the cursor.
    fn compare(&self) -> Intents {
        let sides = self.claim().map(|(comparison, _)| comparison.selections.clone());
        sides.map_or_else(Intents::new, |(a, b)| vec![Intent::Open(Opening::Pair { a, b })])
    }

    /// Loads the preset that measures the claim under the cursor into the Bench screen.
    fn measure(&self, world: &World) -> Intents {
        let Some((comparison, _)) = self.claim() else { return Intents::new() };
        let Some(name) = &comparison.preset else {
            let (a, b) = &comparison.selections;
            return vec![Intent::refused(format!("no preset measures it: A `{a}`, B `{b}`"))];
        };
        match world.presets.iter().find(|preset| preset.name == *name) {
            Some(preset) => vec![Intent::Open(Opening::Bench(Box::new(preset.clone())))],
            None => vec![Intent::failed(format!("there is no preset `{name}`"))],
        }
    }

    /// Compares the open publication again if the stored results have changed.
    fn read_again(&mut self, world: &World) -> Intents {
        if !self.stale {
            return Intents::new();
        }
        let Some(opened) = &mut self.opened else { return Intents::new() };
        let Some(claims) = world.claims.iter().find(|claims| claims.name == opened.name) else {
            return Intents::new();
        };
        opened.waiting = true;
        self.ask(claims)
    }
}

impl Screen for ClaimsScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self::default()
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        Some(match action {
            Action::Filter | Action::Export if self.opened.is_none() => nothing_open(),
            Action::Filter => {
                let keys = FilterKeys::Among(CLAIM_KEYS);
                vec![Intent::filter(Dialog::Filter, "Claims", keys, self.filter.line())]
            }
            Action::Export => self.ask_export(),
            _ => return None,
        })
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let world = context.world;
        let length = self.length(world);
        if self.cursor_mut().moved(action, length) {
            return Intents::new();
        }
        match action {
            Action::Notes => return self.notes(world),
            Action::Copy => return self.copy(world),
            Action::Enter if self.opened.is_none() => return self.open(world),
            Action::Refresh => {
                self.stale = true;
                return self.read_again(world);
            }
            Action::Back if !self.filter.is_empty() => self.filter.clear(),
            Action::Back => self.opened = None,
            _ => {}
        }
        if self.opened.is_none() {
            return match action {
                Action::Explain | Action::More => nothing_open(),
                _ => Intents::new(),
            };
        }
        match action {
            Action::Enter => return self.compare(),
            Action::More => return self.measure(world),
            Action::Explain => return self.explain(),
            _ => {}
        }
        Intents::new()
    }

    fn offers(&self, action: Action, context: &Context<'_>) -> bool {
        match action {
            Action::Copy => self.length(context.world) > 0,
            _ => true,
        }
    }

    fn click(&mut self, _pane: usize, row: usize, context: &Context<'_>) -> Intents {
        let world = context.world;
        let again = self.cursor_mut().at == row;
        self.cursor_mut().at = row;
        match (again, &self.opened) {
            (false, _) => Intents::new(),
            (true, None) => self.open(world),
            (true, Some(_)) => self.explain(),
        }
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, _context: &Context<'_>) -> Result<Intents, String> {
        self.take_reply(dialog, reply)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        let Response::Judged { ticket, found } = response;
        if let Some(opened) = self.opened.as_mut().filter(|_| ticket == self.ticket) {
            opened.waiting = false;
            opened.table = Some(found);
        }
        Intents::new()
    }

    fn shown(&mut self, context: &Context<'_>) -> Intents {
        self.read_again(context.world)
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

fn nothing_open() -> Intents {
    vec![Intent::refused("press Enter to open a publication first")]
}
