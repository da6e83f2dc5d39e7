//! Questions of the Claims screen, answered from the store.

use super::super::app::claims::{Answer, Question};
use crate::{claims::judged, store::Store};

/// The answer to a question.
pub(super) fn answer(question: Question, store: &Store) -> Answer {
    let Question::Judge { ticket, claims } = question;
    Answer::Judged { ticket, found: judged(&claims, store).map(Box::new).map_err(|error| error.to_string()) }
}
