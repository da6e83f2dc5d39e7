//! Choices of engines: what was asked, the sessions that were run for it, and the answer.

use super::{
    Store, StoreError,
    record::{Record, record},
    value::StoredField,
};
use duckdb::types::Value;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

record! {
    /// A choice of an engine with its settings.
    ChoiceRecord in "choice" {
        /// UUID. Its runs have it as their key `choice`.
        choice_id: String,
        /// The machine on which it was measured.
        host_id: String,
        /// When it began.
        begun_at: Timestamp,
        suite: String,
        /// `running`, `stopped`, `answered`.
        state: String,
        /// The workload, the constraints, the budget and the seed, as JSON.
        question: String,
        /// The sessions that were finished, in order, as JSON.
        steps: String,
        /// The answer, as JSON; none yet.
        answer: Option<String>,
        /// The command that started it.
        command_line: String,
    }
}

impl Store {
    /// Returns the choices whose identifiers begin with this text, in the order in which they began.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn choices_named(&self, id: &str) -> Result<Vec<ChoiceRecord>, StoreError> {
        self.records("starts_with(choice_id::VARCHAR, lower(?))", "(begun_at, choice_id)", &[&id])
    }

    /// Returns the choice that began last, if there is one. `unanswered`: the last one that has no answer yet.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_choice(&self, unanswered: bool) -> Result<Option<ChoiceRecord>, StoreError> {
        let condition = if unanswered { "answer IS NULL" } else { "true" };
        let id = format!("choice_id = (SELECT arg_max(choice_id, begun_at) FROM choice WHERE {condition})");
        Ok(self.records(&id, "begun_at", &[])?.pop())
    }
}
