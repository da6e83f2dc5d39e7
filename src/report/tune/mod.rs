//! Trials and their ledger as text and files.

mod ledger;
mod trial;
mod words;

pub use ledger::{Format, export, ledger};
pub use trial::{progress, trial};
