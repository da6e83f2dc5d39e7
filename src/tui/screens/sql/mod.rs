//! The SQL pane: any read-only query on the store, which can be edited and run repeatedly.

mod ask;
mod editor;
mod history;
mod mistake;
mod output;
mod paint;
mod shown;

pub use ask::{Request, Response};
pub(crate) use output::Dialog;

use super::{
    awaited::{Awaited, SIGN},
    intent::Intent,
    screen::{Context, Screen},
};
use crate::tui::{
    keys::{Action, KeyPress},
    launch::Opening,
    overlay::Reply,
    setup::TuiSetup,
    widgets::paint::Paint,
    world::World,
};
use dbdyno_store::AnswerOrder;
use editor::Editor;
use history::History;
use ratatui::layout::Rect;
use shown::ShownAnswer;
use std::time::Duration;

/// The effects that this screen requests.
type Intents = Vec<Intent<Request, Dialog>>;

/// The initial text of the editor.
const FIRST: &str = "SELECT label, suite, size, test, test_name, count(*) AS runs, median(wall_ns) / 1e6 AS ms\n\
                     FROM results WHERE actor IS NULL\nGROUP BY ALL ORDER BY ALL";

/// Panes that can be clicked. The columns of the answer have the numbers from `CELLS` on.
mod pane {
    pub(super) const EDITOR: usize = 0;
    /// Titles of columns.
    pub(super) const TITLES: usize = 1;
    /// The first column of the answer.
    pub(super) const CELLS: usize = 2;
}

/// A query, and the order of its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement {
    pub(crate) sql: String,
    /// The order; none: the order of the query.
    pub(crate) order: Option<AnswerOrder>,
}

/// The part of the pane that receives keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    /// The editor; keys are typed into it.
    Editor,
    Answer,
}

/// A statement and its result.
#[derive(Debug)]
pub struct SqlScreen {
    editor: Editor,
    focus: Focus,
    history: History,
    /// The answer to the last statement, or the reason why there is none.
    found: Option<Result<ShownAnswer, String>>,
    /// The pending request, and its statement.
    reading: Option<(Awaited, Statement)>,
    ticket: u64,
}

impl SqlScreen {
    /// Loads a statement into the editor.
    fn edit(&mut self, sql: &str) {
        (self.editor, self.focus) = (Editor::new(sql), Focus::Editor);
    }

    fn answer(&self) -> Option<&ShownAnswer> {
        self.found.as_ref()?.as_ref().ok().filter(|_| self.reading.is_none())
    }

    fn answer_mut(&mut self) -> Option<&mut ShownAnswer> {
        self.found.as_mut()?.as_mut().ok().filter(|_| self.reading.is_none())
    }

    /// Runs the statement in the editor.
    fn run(&mut self, now: Duration) -> Intents {
        let sql = self.editor.text();
        if sql.trim().is_empty() {
            return vec![Intent::refused("no statement found: expected a query, as in SELECT * FROM results")];
        }
        self.history.add(&sql);
        self.ask(Statement { sql, order: None }, now)
    }

    fn ask(&mut self, statement: Statement, now: Duration) -> Intents {
        if let Some((awaited, _)) = self.reading.take() {
            awaited.give_up();
        }
        self.ticket += 1;
        let awaited = Awaited::new(now);
        let request = Request::Ask { ticket: self.ticket, statement: statement.clone(), watch: awaited.watch() };
        self.reading = Some((awaited, statement));
        vec![Intent::Request(request)]
    }

    /// Sorts the whole answer by a column; reverses the order if it is already sorted by it.
    fn sort(&mut self, column: usize, now: Duration) -> Intents {
        let Some(shown) = self.answer().filter(|shown| !shown.answer.is_plan) else { return Intents::new() };
        // For numbers, the largest values are usually of interest, so they come first.
        let descending = match shown.statement.order {
            Some(order) if order.column == column => !order.descending,
            _ => shown.is_number(column),
        };
        let statement = Statement { order: Some(AnswerOrder { column, descending }), ..shown.statement.clone() };
        self.ask(statement, now)
    }

    /// Shows another statement of the history.
    fn recall(&mut self, statement: Option<String>) -> Intents {
        if let Some(statement) = statement {
            self.edit(&statement);
        }
        Intents::new()
    }

    /// Cancels reading if it is in progress. Otherwise moves the focus from the editor to the answer, and from there to the screen that
    /// opened the pane.
    fn back(&mut self) -> Intents {
        if let Some((awaited, _)) = self.reading.take() {
            awaited.give_up();
            // A response to the cancelled request has an old number and is dropped.
            self.ticket += 1;
            return vec![Intent::said("cancelled: this is the previous view")];
        }
        match (self.focus, &self.found) {
            (Focus::Editor, Some(Ok(_))) => {
                self.focus = Focus::Answer;
                Intents::new()
            }
            _ => vec![Intent::Close],
        }
    }

    fn take(&mut self, found: Result<ShownAnswer, String>) {
        match &found {
            Ok(_) => self.focus = Focus::Answer,
            Err(message) => {
                self.focus = Focus::Editor;
                if let Some((line, column)) = mistake::place(message, &self.editor.text()) {
                    self.editor.go_to(line, column);
                }
            }
        }
        self.found = Some(found);
    }
}

impl Screen for SqlScreen {
    type Request = Request;
    type Response = Response;
    type Dialog = Dialog;

    fn new(_world: &World) -> Self {
        Self {
            editor: Editor::new(FIRST),
            focus: Focus::Editor,
            history: History::default(),
            found: None,
            reading: None,
            ticket: 0,
        }
    }

    fn show(&mut self, what: Opening, _context: &Context<'_>) -> Result<Result<Intents, String>, Opening> {
        let Opening::Query(sql) = what else { return Err(what) };
        self.edit(&sql);
        Ok(Ok(Intents::new()))
    }

    fn wakes(&self, in_view: bool) -> Option<Duration> {
        (in_view && self.reading.is_some()).then_some(SIGN)
    }

    fn asks(&self, action: Action, _context: &Context<'_>) -> Option<Intents> {
        (action == Action::Export).then(|| self.ask_export())
    }

    fn act(&mut self, action: Action, context: &Context<'_>) -> Intents {
        let page = paint::rows_seen(self, context);
        if let Some(shown) = self.answer_mut()
            && shown.moved(action, page)
        {
            return Intents::new();
        }
        match action {
            Action::Run => self.run(context.now),
            Action::Back => self.back(),
            Action::Edit => {
                self.focus = Focus::Editor;
                Intents::new()
            }
            Action::Older => {
                let older = self.history.older(&self.editor.text()).map(str::to_owned);
                self.recall(older)
            }
            Action::Newer => {
                let newer = self.history.newer().map(str::to_owned);
                self.recall(newer)
            }
            Action::Sort => {
                self.answer().map(|shown| shown.column).map_or_else(Intents::new, |at| self.sort(at, context.now))
            }
            Action::Reverse => self.reverse(context.now),
            Action::Enter => self.whole_cell(),
            Action::Copy => self.copy_cell(),
            Action::CopyAll => self.copy_all(),
            _ => Intents::new(),
        }
    }

    fn offers(&self, action: Action, _context: &Context<'_>) -> bool {
        let is_in_answer = self.focus == Focus::Answer;
        let has_cell = is_in_answer && self.answer().is_some_and(|shown| shown.cell().is_some());
        match action {
            Action::Edit => is_in_answer,
            Action::Older => self.history.has_older(&self.editor.text()),
            Action::Newer => self.history.has_newer(),
            Action::Sort => has_cell && self.answer().is_some_and(|shown| !shown.answer.is_plan),
            Action::Reverse => self.answer().is_some_and(|shown| shown.statement.order.is_some()),
            Action::Enter | Action::Copy | Action::CopyAll => has_cell,
            Action::Export => is_in_answer && self.answer().is_some(),
            _ => true,
        }
    }

    fn is_typed_into(&self) -> bool {
        self.focus == Focus::Editor
    }

    fn typed(&mut self, key: KeyPress) -> bool {
        self.focus == Focus::Editor && self.editor.takes(key)
    }

    fn pasted(&mut self, text: &str) {
        if self.focus == Focus::Editor {
            self.editor.paste(text);
        }
    }

    fn click(&mut self, pane: usize, row: usize, context: &Context<'_>) -> Intents {
        match pane {
            pane::EDITOR => self.focus = Focus::Editor,
            pane::TITLES => return self.sort(row, context.now),
            pane => {
                let Some(shown) = self.answer_mut() else { return Intents::new() };
                let cell = (row, pane - pane::CELLS);
                let again = (shown.row.at, shown.column) == cell;
                (shown.row.at, shown.column) = cell;
                self.focus = Focus::Answer;
                if again {
                    return self.whole_cell();
                }
            }
        }
        Intents::new()
    }

    fn replied(&mut self, dialog: &Dialog, reply: Reply, _context: &Context<'_>) -> Result<Intents, String> {
        output::export(dialog, reply)
    }

    fn responded(&mut self, response: Response, _context: &Context<'_>) -> Intents {
        let Response::Answered { ticket, found } = response;
        if let Some((_, statement)) = self.reading.take_if(|_| ticket == self.ticket) {
            let same = self.column_before(&statement);
            self.take(found.map(|answer| ShownAnswer::new(statement, *answer)));
            if let (Some(column), Some(shown)) = (same, self.answer_mut()) {
                shown.column = column;
            }
        }
        Intents::new()
    }

    fn paint(&self, paint: &mut Paint<'_>, area: Rect, context: &Context<'_>) {
        paint::draw(paint, area, self, context);
    }

    fn respond(request: Request, setup: &TuiSetup) -> Response {
        ask::respond(request, setup)
    }
}
