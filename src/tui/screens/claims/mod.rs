//! The Claims screen: publications, and one of them beside what was measured here.

pub(crate) mod ask;
mod output;
pub(crate) mod paint;
mod rows;

pub use rows::{Row, claim_rows, name as claim_name};

use crate::{
    catalog,
    claims::{ClaimsTable, JudgedClaim, JudgedComparison},
    tui::{
        event::{Effect, Question as Outside},
        keys::Action,
        overlay::{Asked as Who, Given, Overlay},
        screens::step::{Step, Steps},
        widgets::cursor::Cursor,
        world::World,
    },
};

/// What the Claims screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// What the names of claims must contain.
    Filter,
    /// The file to write the claims to.
    Export,
}

/// What it asks of the world outside.
#[derive(Debug)]
pub enum Question {
    /// A publication beside what is stored.
    Judge {
        /// The question's number.
        ticket: u64,
        /// The publication.
        claims: Box<catalog::Claims>,
    },
}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {
    /// The publication, judged, or why it cannot be.
    Judged {
        /// Of this question.
        ticket: u64,
        /// The table.
        found: Result<Box<ClaimsTable>, String>,
    },
}

/// A publication that is open.
#[derive(Debug)]
pub struct Opened {
    /// The claims file's name.
    pub name: String,
    /// Its claims, judged, or why not; none before the first answer.
    pub table: Option<Result<Box<ClaimsTable>, String>>,
    /// Whether an answer is awaited.
    pub waiting: bool,
    /// Place among its claims.
    pub cursor: Cursor,
}

/// The screen.
#[derive(Debug, Default)]
pub struct Claims {
    /// Place among the publications.
    pub cursor: Cursor,
    /// The publication that is open.
    pub opened: Option<Opened>,
    /// What the names of claims shown contain.
    pub filter: String,
    ticket: u64,
    stale: bool,
}

impl Opened {
    /// The claims, judged.
    pub fn judged(&self) -> Option<&ClaimsTable> {
        self.table.as_ref()?.as_ref().ok().map(Box::as_ref)
    }
}

impl Claims {
    /// The claim under the cursor, with the comparison it belongs to.
    pub fn claim(&self) -> Option<(&JudgedComparison, &JudgedClaim)> {
        let opened = self.opened.as_ref()?;
        let rows = claim_rows(opened.judged()?, &self.filter);
        let claims = rows.into_iter().filter_map(|row| match row {
            Row::Claim(comparison, claim) => Some((comparison, claim)),
            Row::Title(_) => None,
        });
        claims.into_iter().nth(opened.cursor.at)
    }

    fn length(&self, world: &World) -> usize {
        match &self.opened {
            None => world.claims.len(),
            Some(opened) => opened.judged().map_or(0, |table| {
                claim_rows(table, &self.filter).iter().filter(|row| matches!(row, Row::Claim(..))).count()
            }),
        }
    }

    fn cursor_mut(&mut self) -> &mut Cursor {
        self.opened.as_mut().map_or(&mut self.cursor, |opened| &mut opened.cursor)
    }

    /// Does what a key means.
    pub fn act(&mut self, action: Action, world: &World) -> Steps {
        let length = self.length(world);
        if self.cursor_mut().moved(action, length) {
            return Steps::new();
        }
        match action {
            Action::Notes => return self.notes(world),
            Action::Enter if self.opened.is_none() => return self.open(world),
            Action::Refresh => {
                self.stale = true;
                return self.shown(world);
            }
            Action::Back if !self.filter.is_empty() => self.filter.clear(),
            Action::Back => self.opened = None,
            _ => {}
        }
        if self.opened.is_none() {
            return match action {
                Action::Filter | Action::Export | Action::Explain | Action::More => {
                    vec![Step::said("open a publication first: Enter")]
                }
                _ => Steps::new(),
            };
        }
        match action {
            Action::Enter => return self.compare(),
            Action::More => return self.measure(world),
            Action::Explain => return self.explain(),
            Action::Filter => {
                let help = "tests whose number and name, or whose comparison, contain this";
                let asked = Who::Claims(Asked::Filter);
                return vec![Step::Open(Overlay::prompt("Filter claims", help, self.filter.clone(), asked))];
            }
            Action::Export => return self.ask_export(),
            _ => {}
        }
        Steps::new()
    }

    /// A row was clicked: the cursor goes there, and a second click opens a publication or explains a verdict.
    pub fn click(&mut self, _pane: usize, row: usize, world: &World) -> Steps {
        let again = self.cursor_mut().at == row;
        self.cursor_mut().at = row;
        match (again, &self.opened) {
            (false, _) => Steps::new(),
            (true, None) => self.open(world),
            (true, Some(_)) => self.explain(),
        }
    }

    fn open(&mut self, world: &World) -> Steps {
        let Some(claims) = world.claims.get(self.cursor.at) else { return Steps::new() };
        self.filter.clear();
        self.opened = Some(Opened { name: claims.name.clone(), table: None, waiting: true, cursor: Cursor::default() });
        self.ask(claims)
    }

    fn ask(&mut self, claims: &catalog::Claims) -> Steps {
        self.ticket += 1;
        self.stale = false;
        let (ticket, claims) = (self.ticket, Box::new(claims.clone()));
        vec![Step::Do(Effect::Ask(Outside::Claims(Question::Judge { ticket, claims })))]
    }

    /// Shows the comparison that the claim under the cursor is judged by.
    fn compare(&self) -> Steps {
        let sides = self.claim().map(|(comparison, _)| comparison.selections.clone());
        sides.map_or_else(Steps::new, |(a, b)| vec![Step::Compare { a, b }])
    }

    /// Puts the preset that measures the claim under the cursor onto the Bench screen.
    fn measure(&self, world: &World) -> Steps {
        let Some((comparison, _)) = self.claim() else { return Steps::new() };
        let Some(name) = &comparison.preset else {
            let (a, b) = &comparison.selections;
            return vec![Step::failed(format!("no preset measures it: it is judged by runs of A `{a}` and B `{b}`"))];
        };
        match world.presets.iter().find(|preset| preset.name == *name) {
            Some(preset) => vec![Step::Load(Box::new(preset.clone()))],
            None => vec![Step::failed(format!("there is no preset `{name}`"))],
        }
    }

    /// Takes what the user answered; an error keeps the question open.
    pub fn given(&mut self, asked: &Asked, given: Given, _world: &World) -> Result<Steps, String> {
        match (asked, given) {
            (Asked::Filter, Given::Typing(text) | Given::Text(text)) => {
                self.filter = text;
                *self.cursor_mut() = Cursor::default();
            }
            (Asked::Export, Given::Text(path)) => return self.export(&path),
            _ => {}
        }
        Ok(Steps::new())
    }

    /// Takes an answer from outside. Answers to older questions are dropped.
    pub fn answered(&mut self, answer: Answer) -> Steps {
        let Answer::Judged { ticket, found } = answer;
        if let Some(opened) = self.opened.as_mut().filter(|_| ticket == self.ticket) {
            opened.waiting = false;
            opened.table = Some(found);
        }
        Steps::new()
    }

    /// What is stored has changed.
    pub fn stale(&mut self) {
        self.stale = true;
    }

    /// The screen came into view: what is open is judged again where what is stored has changed.
    pub fn shown(&mut self, world: &World) -> Steps {
        if !self.stale {
            return Steps::new();
        }
        let Some(opened) = &mut self.opened else { return Steps::new() };
        let Some(claims) = world.claims.iter().find(|claims| claims.name == opened.name) else {
            return Steps::new();
        };
        opened.waiting = true;
        self.ask(claims)
    }
}
