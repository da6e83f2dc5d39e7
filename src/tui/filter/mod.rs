//! The line that narrows what is shown, the same on every screen: what its end can become, lists in memory that it narrows, filters of
//! before, and views that were saved.

mod ask;
mod completions;
mod history;
mod list;
mod view;

pub(crate) use ask::respond;
pub use ask::{Request, Response};
pub(crate) use completions::{Known, completions, wanted};
pub(crate) use history::{read as read_history, remembered};
pub use list::ListFilter;
pub(crate) use list::OF_TESTS;
pub(crate) use view::read_views;
pub use view::{View, ViewRows};
