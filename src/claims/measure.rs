//! What is stored of the things that a publication compares.

use super::ClaimsTable;
use crate::{
    catalog::{ClaimedComparison, Claims},
    compare::{Comparison, Options, Side, compare, load},
    store::{Latencies, Selection, Store, StoreError},
};
use std::collections::HashMap;

#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A selection of the claims file is wrong.
    #[error("{title}: {message}")]
    Selection {
        /// The comparison that has it.
        title: String,
        /// What was expected.
        message: String,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Judges claims by what is stored. A store that is not there yet has measured nothing.
///
/// # Errors
/// A selection that cannot be read, or what is wrong with the store.
pub fn judged(claims: &Claims, store: &Store) -> Result<ClaimsTable, JudgeError> {
    // Many comparisons of a publication have one side in common.
    let mut sides = HashMap::new();
    let compared = claims
        .comparisons
        .iter()
        .map(|claimed| if store.exists() { measured(claimed, store, &mut sides) } else { Ok(None) })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(ClaimsTable::new(claims, &compared))
}

fn measured<'c>(
    claimed: &'c ClaimedComparison,
    store: &Store,
    sides: &mut HashMap<&'c str, Side>,
) -> Result<Option<Comparison>, JudgeError> {
    for text in [claimed.a.as_str(), claimed.b.as_str()] {
        if !sides.contains_key(text) {
            let selection = Selection::parse_line(text)
                .map_err(|message| JudgeError::Selection { title: claimed.title.clone(), message })?;
            sides.insert(text, load(store, text, &selection, Latencies::Left)?);
        }
    }
    let of = |text: &str| sides.get(text).filter(|side| !side.runs.is_empty());
    let options = Options { allowed: claimed.allow.clone(), ..Options::default() };
    Ok(of(&claimed.a).zip(of(&claimed.b)).map(|(a, b)| compare(a, b, &options)))
}
