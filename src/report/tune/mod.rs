//! Trials and their ledger as text and files.

mod answer;
mod effects;
mod ledger;
mod search;
mod trial;
pub(crate) mod words;

pub use answer::{AnswerFormat, answer};
pub use effects::{EffectsFormat, effects, effects_page};
pub use ledger::{Format, ledger};
pub use search::{found, standing};
pub use trial::{progress, trial};
