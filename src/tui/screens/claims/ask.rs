//! Questions of the Claims screen, answered from the store.

use crate::{
    claims::judged,
    store::Store,
    tui::screens::claims::{Answer, Question},
};

/// The answer to a question.
pub(crate) fn answer(question: Question, store: &Store) -> Answer {
    let Question::Judge { ticket, claims } = question;
    Answer::Judged { ticket, found: judged(&claims, store).map(Box::new).map_err(|error| error.to_string()) }
}
