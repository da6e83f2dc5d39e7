//! Trials and their ledger as text and files.

mod ledger;
mod trial;
pub(crate) mod words;

pub use ledger::{Format, export, ledger};
pub use trial::{progress, trial};
