//! Trials and their ledger as text and files.

mod answer;
pub mod command;
mod effects;
pub mod effects_words;
mod ledger;
mod search;
mod trial;
pub mod words;

pub use answer::{AnswerForm, answer_text, as_code};
pub use effects::{effects_sheet, effects_text};
pub use ledger::ledger_sheet;
pub use search::{search_sheet, standing, taken_out};
pub use trial::{round_text, rows_of, trial_text, trials_sheet};
