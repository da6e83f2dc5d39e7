//! Requests of the filter: names and values from the store, and saving filters and views.

use super::{View, history, view};
use crate::tui::{
    overlay::ListItem,
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_foundation::base::units::counted;
use dbdyno_store::{GroupColumn, GroupRow, Order, PageListing, PageRows, Selection, SelectionKey, literal};

/// A request of the filter line.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// The names of all options and kept keys.
    Names,
    /// The values of a key in stored runs.
    Values(SelectionKey),
    /// Add a filter to the history.
    Keep(String),
    /// Save a view under its name, in place of one of the same name.
    Save(Box<View>),
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Names => Subject::read("names"),
            // Each key has its own values, and all of them are remembered.
            Self::Values(key) => Subject::read(format!("values of {}", key.word())),
            Self::Keep(_) | Self::Save(_) => Subject::Change,
        }
    }
}

/// The response to a request of the filter line.
#[derive(Debug)]
pub enum Response {
    Names(Vec<String>),
    /// The values of a key, by the word of the key.
    Values(String, Vec<ListItem>),
    /// The outcome of adding a filter to the history.
    Kept(Result<(), String>),
    /// All views including the one saved under this name, or the reason why it was not saved.
    Saved(String, Result<Vec<View>, String>),
}

/// Values to read, at most; those with most runs come first.
const MOST: u64 = 500;

/// Responds to a request. This can take long, so call it on a separate thread.
pub(crate) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        // Without names nothing is completed, but the typed filter still works.
        Request::Names => Response::Names(setup.store.names().unwrap_or_default()),
        Request::Values(key) => Response::Values(key.word().to_owned(), values(key, setup)),
        Request::Keep(line) => Response::Kept(history::keep(&setup.catalog, &line)),
        Request::Save(view) => Response::Saved(view.name.clone(), view::save(&setup.catalog, *view)),
    }
}

impl Request {
    /// Whether the request reads the store.
    pub(crate) fn disturbs(&self) -> bool {
        matches!(self, Self::Names | Self::Values(_))
    }
}

fn values(key: SelectionKey, setup: &TuiSetup) -> Vec<ListItem> {
    let order = Order { column: GroupColumn::Runs, descending: true };
    let newest = (key.word() == "session")
        .then(|| [ListItem::new("last", "the newest session"), ListItem::new("previous", "the previous one")]);
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
