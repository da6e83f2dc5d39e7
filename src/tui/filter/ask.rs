//! What the filter asks of the world outside: what is stored, and to keep what was typed.

use super::{View, history, view};
use crate::tui::{
    overlay::ListItem,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_foundation::base::units::counted;
use dbdyno_store::{GroupColumn, GroupRow, Order, PageListing, PageRows, Selection, SelectionKey, literal};

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// The names of all options and kept keys.
    Names,
    /// What stored runs have of a key.
    Values(SelectionKey),
    /// A filter is kept among those of before.
    Keep(String),
    /// A view is kept under its name, in the place of one of that name.
    Save(Box<View>),
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Names => Subject::read("names"),
            // Each key has values of its own, all of which are remembered.
            Self::Values(key) => Subject::read(format!("values of {}", key.word())),
            Self::Keep(_) | Self::Save(_) => Subject::Change,
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub enum Response {
    Names(Vec<String>),
    /// The values of the key of this word.
    Values(String, Vec<ListItem>),
    /// The filter was kept, or why it was not.
    Kept(Result<(), String>),
    /// All views with the one that was saved under this name, or why it was not.
    Saved(String, Result<Vec<View>, String>),
}

/// Values that are read, of which most runs have first.
const MOST: u64 = 500;

/// Responds to a request. Takes its time: called on a thread of its own.
pub(crate) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        // Without them nothing is completed, and what is typed is read all the same.
        Request::Names => Response::Names(setup.store.names().unwrap_or_default()),
        Request::Values(key) => Response::Values(key.word().to_owned(), values(key, setup)),
        Request::Keep(line) => Response::Kept(history::keep(&setup.catalog, &line)),
        Request::Save(view) => Response::Saved(view.name.clone(), view::save(&setup.catalog, *view)),
    }
}

impl Request {
    /// Whether the store is read for it.
    pub(crate) fn disturbs(&self) -> bool {
        matches!(self, Self::Names | Self::Values(_))
    }
}

fn values(key: SelectionKey, setup: &TuiSetup) -> Vec<ListItem> {
    let order = Order { column: GroupColumn::Runs, descending: true };
    let newest = (key.word() == "session")
        .then(|| [ListItem::new("last", "the newest session"), ListItem::new("previous", "the one before")]);
    let page = setup.store.page(&Selection::default(), &PageListing::Groups(key, order), 0, MOST);
    let stored = match page.map(|page| page.rows) {
        Ok(PageRows::Groups(rows)) => rows,
        _ => Vec::new(),
    };
    newest.into_iter().flatten().chain(stored.iter().filter_map(value)).collect()
}

fn value(row: &GroupRow) -> Option<ListItem> {
    let about = [row.detail.clone(), counted(row.runs, "run")];
    let about: Vec<String> = about.into_iter().filter(|text| !text.is_empty()).collect();
    Some(ListItem::new(literal(row.value.as_deref()?), about.join(", ")))
}
