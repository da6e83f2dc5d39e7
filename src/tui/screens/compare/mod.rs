//! The Compare screen: two selections beside each other, in four views.

pub(crate) mod ask;
mod choose;
mod output;
pub(crate) mod paint;
mod rows;

pub use output::remarks;
pub use rows::{Row, TestRow, latency_rows, name, pivot_rows, table_rows, test_rows};

use crate::{
    catalog::Difference,
    compare::{Axis, Comparison, Offer},
    tui::{
        event::{Effect, Question as Outside},
        keys::Action,
        overlay::{Asked as Who, Overlay},
        screens::step::{Step, Steps},
        widgets::cursor::Cursor,
        world::World,
    },
};
use std::collections::BTreeSet;

/// What the Compare screen asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The selection of side A.
    A,
    /// The selection of side B.
    B,
    /// What the names of tests must contain.
    Filter,
    /// Differences that are allowed.
    Allow,
    /// What the pivot's rows are.
    PivotRow,
    /// What its columns are; its rows are this.
    PivotColumn(Axis),
    /// The file to write the comparison to.
    Export,
}

/// What it asks of the world outside. Each question has a number, so that answers to older ones are told apart.
#[derive(Debug)]
pub enum Question {
    /// What there is to compare.
    Offers {
        /// The question's number.
        ticket: u64,
    },
    /// Two selections beside each other.
    Compare {
        /// The question's number.
        ticket: u64,
        /// What is wanted.
        wanted: Box<Wanted>,
    },
}

/// A comparison that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The selection of side A.
    pub a: String,
    /// The selection of side B.
    pub b: String,
    /// Differences that are allowed.
    pub allowed: BTreeSet<Difference>,
    /// Rows and columns of the pivot.
    pub axes: (Axis, Axis),
}

/// What it is answered.
#[derive(Debug)]
pub enum Answer {
    /// What there is to compare, or why that is not known.
    Offers {
        /// Of this question.
        ticket: u64,
        /// The configurations.
        found: Result<Vec<Offer>, String>,
    },
    /// The comparison, or why there is none.
    Compared {
        /// Of this question.
        ticket: u64,
        /// The comparison.
        found: Result<Box<Compared>, String>,
    },
}

/// A comparison as the views show it.
#[derive(Debug)]
pub struct Compared {
    /// Line by line, and over sizes.
    pub plain: Comparison,
    /// Spread over the pivot's keys.
    pub pivot: Comparison,
    /// Names in the selections that no stored run has: most likely misspelt.
    pub unknown: Vec<String>,
}

/// The ways to show a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// A line a test and size.
    #[default]
    Table,
    /// Each test over its sizes.
    Sizes,
    /// The latencies of one test.
    Latencies,
    /// Ratios over two keys.
    Pivot,
}

impl View {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Table, Self::Sizes, Self::Latencies, Self::Pivot];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Sizes => "sizes",
            Self::Latencies => "latencies",
            Self::Pivot => "pivot",
        }
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|view| *view == self).unwrap_or(0)
    }

    fn next(self) -> Self {
        Self::ALL[(self.index() + 1) % Self::ALL.len()]
    }
}

/// The screen.
#[derive(Debug)]
pub struct Compare {
    /// The selection of side A; empty until it is chosen.
    pub a: String,
    /// The selection of side B.
    pub b: String,
    /// Differences that are compared all the same.
    pub allowed: BTreeSet<Difference>,
    /// Rows and columns of the pivot.
    pub axes: (Axis, Axis),
    /// The view.
    pub view: View,
    /// What the names of tests shown contain.
    pub filter: String,
    /// Whether the page that offers pairs is shown.
    pub choosing: bool,
    /// What there is to compare; none until it is read.
    pub offers: Option<Result<Vec<Offer>, String>>,
    /// The comparison, or why there is none; none before the first answer.
    pub shown: Option<Result<Box<Compared>, String>>,
    /// Whether an answer is awaited.
    pub waiting: bool,
    /// Place among the pairs that are offered.
    pub offered: Cursor,
    /// The column of the pivot under the cursor.
    pub column: usize,
    cursors: [Cursor; 4],
    ticket: u64,
    stale: bool,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            a: String::new(),
            b: String::new(),
            allowed: BTreeSet::new(),
            axes: (Axis::Test, Axis::Size),
            view: View::default(),
            filter: String::new(),
            choosing: true,
            offers: None,
            shown: None,
            waiting: false,
            offered: Cursor::default(),
            column: 0,
            cursors: [Cursor::default(); 4],
            ticket: 0,
            stale: true,
        }
    }
}

impl Compare {
    /// The comparison in view.
    pub fn compared(&self) -> Option<&Compared> {
        self.shown.as_ref()?.as_ref().ok().map(Box::as_ref)
    }

    /// The cursor of the view.
    pub fn cursor(&self) -> Cursor {
        self.cursors[self.view.index()]
    }

    /// The pairs that are offered: the most common configurations, each with each.
    pub fn pairs(&self) -> Vec<(&Offer, &Offer)> {
        /// Configurations that are paired; more would be a list that nobody reads.
        const MOST: usize = 6;
        let Some(Ok(offers)) = &self.offers else { return Vec::new() };
        let most = &offers[..offers.len().min(MOST)];
        most.iter().enumerate().flat_map(|(at, a)| most[at + 1..].iter().map(move |b| (a, b))).collect()
    }

    /// Does what a key means.
    pub fn act(&mut self, action: Action, world: &World) -> Steps {
        match action {
            Action::MarkA => return vec![choose::ask_side(Asked::A, &self.a)],
            Action::MarkB => return vec![choose::ask_side(Asked::B, &self.b)],
            Action::Refresh => return self.read_again(),
            Action::Back => return self.back(),
            _ => {}
        }
        if self.choosing {
            let length = self.pairs().len();
            if !self.offered.moved(action, length) && action == Action::Enter {
                return self.take_offer();
            }
            return Steps::new();
        }
        let length = self.length();
        if self.cursors[self.view.index()].moved(action, length) {
            return Steps::new();
        }
        match action {
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column = (self.column + 1).min(self.columns().saturating_sub(1)),
            Action::View | Action::Enter => self.turn(),
            Action::Swap => return self.swap(),
            Action::Pivot => return self.ask_axes(None),
            Action::Allow => return self.ask_allowed(),
            Action::Filter => {
                let help = "tests whose number and name contain this";
                let asked = Who::Compare(Asked::Filter);
                return vec![Step::Open(Overlay::prompt("Filter tests", help, self.filter.clone(), asked))];
            }
            Action::Explain => return self.explain(),
            Action::Notes => return self.notes(world),
            Action::Copy => return self.copy(),
            Action::Export => return self.ask_export(),
            _ => {}
        }
        Steps::new()
    }

    /// A row was clicked: the cursor goes there. A second click takes a pair, or explains a number.
    pub fn click(&mut self, pane: usize, row: usize, world: &World) -> Steps {
        if self.choosing {
            let again = self.offered.at == row;
            self.offered.at = row;
            return if again { self.act(Action::Enter, world) } else { Steps::new() };
        }
        // The columns of a pivot are panes from 1.
        let column = pane.checked_sub(1).unwrap_or(self.column);
        let again = self.cursor().at == row && self.column == column;
        self.cursors[self.view.index()].at = row;
        self.column = column;
        if again { self.explain() } else { Steps::new() }
    }

    /// Compares two selections.
    pub fn compare(&mut self, a: String, b: String) -> Steps {
        self.allowed.clear();
        self.filter.clear();
        self.view = View::Table;
        self.take_sides(a, b)
    }

    fn take_sides(&mut self, a: String, b: String) -> Steps {
        (self.a, self.b) = (a, b);
        self.choosing = false;
        self.cursors = [Cursor::default(); 4];
        self.column = 0;
        self.ask()
    }

    fn take_offer(&mut self) -> Steps {
        let sides = self.pairs().get(self.offered.at).map(|(a, b)| (a.selection(), b.selection()));
        match sides {
            Some((a, b)) => self.compare(a, b),
            None if self.waiting => vec![Step::said("still reading what there is")],
            None => Steps::new(),
        }
    }

    fn swap(&mut self) -> Steps {
        std::mem::swap(&mut self.a, &mut self.b);
        self.ask()
    }

    /// Shows the next view, with the cursor on the same test as far as it has it.
    fn turn(&mut self) {
        let under = match self.view {
            View::Table | View::Latencies => self.line().map(|line| (line.test, line.size.clone())),
            View::Sizes | View::Pivot => None,
        };
        self.view = self.view.next();
        let Some((test, size)) = under else { return };
        let Some(compared) = self.compared() else { return };
        let at = match self.view {
            View::Sizes => test_rows(&compared.plain, &self.filter).iter().position(|row| row.test == test),
            View::Latencies => latency_rows(&compared.plain, &self.filter)
                .iter()
                .position(|line| line.test == test && line.size == size),
            View::Table | View::Pivot => None,
        };
        if let Some(at) = at {
            self.cursors[self.view.index()].at = at;
        }
    }

    /// Clears the filter; else goes back to the pairs that are offered, or from there to the comparison.
    fn back(&mut self) -> Steps {
        if !self.filter.is_empty() {
            self.filter.clear();
            return Steps::new();
        }
        if self.choosing && (self.a.is_empty() || self.b.is_empty()) {
            return Steps::new();
        }
        self.choosing = !self.choosing;
        self.shown()
    }

    fn read_again(&mut self) -> Steps {
        self.stale = true;
        self.shown()
    }

    /// Takes an answer from outside. Answers to older questions are dropped.
    pub fn answered(&mut self, answer: Answer, _world: &World) -> Steps {
        match answer {
            Answer::Offers { ticket, found } if ticket == self.ticket => {
                self.offers = Some(found);
                let length = self.pairs().len();
                self.offered.kept_in(length);
            }
            Answer::Compared { ticket, found } if ticket == self.ticket => {
                self.shown = Some(found);
                self.kept_in();
            }
            Answer::Offers { .. } | Answer::Compared { .. } => return Steps::new(),
        }
        self.waiting = false;
        Steps::new()
    }

    /// What is stored has changed.
    pub fn stale(&mut self) {
        self.stale = true;
    }

    /// The screen came into view: what it shows is read, unless that is known and still true.
    pub fn shown(&mut self) -> Steps {
        let known = if self.choosing { self.offers.is_some() } else { self.shown.is_some() };
        if known && !self.stale {
            return Steps::new();
        }
        self.stale = false;
        if !self.choosing {
            return self.ask();
        }
        let ticket = self.next_ticket();
        vec![Step::Do(Effect::Ask(Outside::Compare(Question::Offers { ticket })))]
    }

    /// Asks for the comparison.
    fn ask(&mut self) -> Steps {
        let ticket = self.next_ticket();
        let wanted =
            Wanted { a: self.a.clone(), b: self.b.clone(), allowed: self.allowed.clone(), axes: self.axes.clone() };
        vec![Step::Do(Effect::Ask(Outside::Compare(Question::Compare { ticket, wanted: Box::new(wanted) })))]
    }

    fn next_ticket(&mut self) -> u64 {
        self.ticket += 1;
        self.waiting = true;
        self.ticket
    }

    /// Keeps the cursors inside what is shown.
    fn kept_in(&mut self) {
        for view in View::ALL {
            let length = self.length_of(view);
            self.cursors[view.index()].kept_in(length);
        }
        self.column = self.column.min(self.columns().saturating_sub(1));
    }
}
