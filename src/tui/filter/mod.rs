//! The filter line that narrows a list, the same on every screen: completions, filters of lists in memory, the history of filters, and
//! saved views.

mod ask;
mod completions;
mod history;
mod list;
mod view;

pub(crate) use ask::respond;
pub use ask::{Request, Response};
pub(crate) use completions::{StoredNames, completions, wanted};
pub(crate) use history::{read as read_history, remembered};
pub use list::ListFilter;
pub(crate) use list::OF_TESTS;
pub(crate) use view::read_views;
pub use view::{View, ViewRows};
