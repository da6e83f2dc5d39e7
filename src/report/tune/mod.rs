//! Trials and their ledger as text and files.

mod answer;
mod effects;
mod ledger;
mod search;
mod trial;
pub(crate) mod words;

pub use answer::{AnswerForm, answer};
pub use effects::{EFFECTS_FORMATS, effects};
pub use ledger::{LEDGER_FORMATS, ledger};
pub use search::{found, standing};
pub use trial::{progress, trial};
