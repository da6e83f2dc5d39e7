//! A moment that separates the runs of a selection into those before it and those since.

use super::load::load;
use dbdyno_engine::names::instead_of;
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Selection, Store, StoreError, literal};
use std::collections::BTreeSet;

/// The moment of a comparison of before and since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// As readers see it: `2026-10-25`, or `3.54.1 (2026-10-25)` for a version.
    pub words: String,
    /// The selections since then and before.
    pub sides: [String; 2],
}

/// The reason why there is no such moment.
#[derive(Debug)]
pub enum SinceError {
    /// A sentence with what was expected.
    Unknown(String),
    Store(StoreError),
}

impl From<StoreError> for SinceError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Since {
    /// Finds a moment: a day, a time, or the first session of the selection with this tag or this version of its engine.
    ///
    /// # Errors
    /// The text is none of these, or the store cannot be read.
    pub fn find(store: &Store, selection: &str, when: &str) -> Result<Self, SinceError> {
        let sides = |moment: &str| [format!("{selection} started>={moment}"), format!("{selection} started<{moment}")];
        if Selection::parse_line(&format!("started<{when}")).is_ok() {
            return Ok(Self { words: when.to_owned(), sides: sides(when) });
        }
        let first = |term: &str| -> Result<Option<String>, SinceError> {
            let text = format!("{selection} {term}");
            let parsed = Selection::parse_line(&text).map_err(SinceError::Unknown)?;
            let side = load(store, &text, &parsed, Metric::Wall, Latencies::Left)?;
            // `2026-11-28T14:35:00Z`, to the second.
            Ok(side.sessions.iter().map(|session| session.started_at.chars().take(19).collect()).min())
        };
        let value = literal(when);
        for term in [format!("tag={value}"), format!("version={value}")] {
            if let Some(moment) = first(&term)? {
                let day = moment.get(..10).unwrap_or(&moment).to_owned();
                return Ok(Self { words: format!("{when} ({day})"), sides: sides(&moment) });
            }
        }
        let parsed = Selection::parse_line(selection).map_err(SinceError::Unknown)?;
        let all = load(store, selection, &parsed, Metric::Wall, Latencies::Left)?;
        let versions: BTreeSet<&str> = all.runs.iter().map(|run| run.configuration.version.as_str()).collect();
        let instead = instead_of(when, versions.iter().copied());
        Err(SinceError::Unknown(format!(
            "`{when}` is no day, no time, and no tag or version of `{selection}`: {instead}, or a day such as 2026-11-14"
        )))
    }
}
