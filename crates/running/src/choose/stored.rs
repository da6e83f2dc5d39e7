//! Choices in the store.

use super::{answer::ChoiceAnswer, question::Question};
use crate::tune::race::RaceStep;
use dbdyno_store::{Batch, ChoiceRecord, Store, StoreError};
use serde::{Serialize, de::DeserializeOwned};

/// A choice in the store.
#[derive(Debug, Clone)]
pub struct StoredChoice {
    pub record: ChoiceRecord,
    pub question: Question,
    /// The sessions that were finished, in order.
    pub steps: Vec<RaceStep>,
    /// None: it was interrupted.
    pub answer: Option<ChoiceAnswer>,
}

/// Stores a choice, and replaces its previous record.
pub(super) fn keep(store: &Store, record: ChoiceRecord) -> Result<(), StoreError> {
    store.append(&Batch { choices: vec![record], ..Batch::default() })?;
    store.settle().map(drop)
}

/// Returns the choice whose identifier begins with `id`, or the last one for `last`. None if no choice, or more than one, matches.
///
/// # Errors
/// The store cannot be read.
pub fn find_choice(store: &Store, id: &str) -> Result<Option<StoredChoice>, StoreError> {
    let mut records = match id {
        "last" => store.last_choice(false)?.into_iter().collect(),
        id => store.choices_named(id)?,
    };
    match (records.pop(), records.is_empty()) {
        (Some(record), true) => read(record).map(Some),
        _ => Ok(None),
    }
}

/// Returns the last choice without an answer.
///
/// # Errors
/// The store cannot be read.
pub fn unanswered_choice(store: &Store) -> Result<Option<StoredChoice>, StoreError> {
    store.last_choice(true)?.map(read).transpose()
}

pub(super) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Query { message: error.to_string() })
}

fn read(record: ChoiceRecord) -> Result<StoredChoice, StoreError> {
    Ok(StoredChoice {
        question: parsed(&record, &record.question)?,
        steps: parsed(&record, &record.steps)?,
        answer: record.answer.as_ref().map(|text| parsed(&record, text)).transpose()?,
        record,
    })
}

fn parsed<T: DeserializeOwned>(record: &ChoiceRecord, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Query { message: format!("choice {} cannot be read: {error}", record.choice_id) })
}
