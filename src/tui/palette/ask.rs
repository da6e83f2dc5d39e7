//! Requests of the palette: values from the store.

use crate::tui::{
    overlay::ListItem,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_foundation::base::units::{counted, duration};
use dbdyno_store::{
    ConfigurationColumn, ConfigurationRow, GroupColumn, GroupRow, Order, PageListing, PageRows, RunColumn, RunRow,
    Selection, SelectionKey,
};

/// The kinds of stored things that an argument can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stored {
    /// Engines: the beginnings of selections.
    Engines,
    Runs,
    Sessions,
}

/// A request for the stored things of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request(pub(crate) Stored);

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        Subject::read(match self.0 {
            Stored::Engines => "engines",
            Stored::Runs => "runs",
            Stored::Sessions => "sessions",
        })
    }
}

/// The stored things, or the reason why they are unknown.
#[derive(Debug)]
pub struct Response {
    pub(crate) of: Stored,
    pub(crate) found: Result<Vec<ListItem>, String>,
}

/// Rows to read, at most: the newest runs and sessions, and the engines with most runs. A longer list is of no use, and a filter finds
/// older rows.
const MOST: u64 = 1_000;

/// Reads the store. This can take long, so call it on a separate thread.
pub(crate) fn respond(request: Request, setup: &TuiSetup) -> Response {
    let Request(of) = request;
    Response { of, found: found(of, setup) }
}

fn found(of: Stored, setup: &TuiSetup) -> Result<Vec<ListItem>, String> {
    let page = setup.store.page(&Selection::default(), &listing(of)?, 0, MOST);
    page.map(|page| items(&page.rows)).map_err(|error| error.to_string())
}

fn listing(of: Stored) -> Result<PageListing, String> {
    Ok(match of {
        Stored::Engines => {
            let order = Order { column: GroupColumn::Runs, descending: true };
            PageListing::Groups(SelectionKey::parse("engine")?, order)
        }
        Stored::Runs => PageListing::Runs(Order { column: RunColumn::Started, descending: true }),
        Stored::Sessions => {
            PageListing::Configurations(Order { column: ConfigurationColumn::Session, descending: true })
        }
    })
}

fn items(rows: &PageRows) -> Vec<ListItem> {
    match rows {
        PageRows::Groups(rows) => rows.iter().filter_map(engine).collect(),
        PageRows::Runs(rows) => rows.iter().map(run).collect(),
        PageRows::Configurations(rows) => {
            rows.chunk_by(|one, next| one.session_id == next.session_id).filter_map(session).collect()
        }
        PageRows::Results(_) => Vec::new(),
    }
}

fn engine(row: &GroupRow) -> Option<ListItem> {
    Some(ListItem::new(row.value.clone()?, counted(row.runs, "run")))
}

fn run(row: &RunRow) -> ListItem {
    let wall = row.wall_ns.map_or_else(String::new, |ns| format!(" {}", duration(ns as f64)));
    ListItem::new(&row.run_id, format!("{} {} {} {}{wall} {}", row.label, row.suite, row.size, row.status, row.started))
}

/// Returns the item of a session, from its configurations, of which there is at least one.
fn session(configurations: &[ConfigurationRow]) -> Option<ListItem> {
    let first = configurations.first()?;
    let labels: Vec<&str> = configurations.iter().map(|row| row.label.as_str()).collect();
    let started = first.started.get(..16).unwrap_or(&first.started);
    Some(ListItem::new(&first.session_id, format!("{started} {} {}", first.suite, labels.join(", "))))
}
