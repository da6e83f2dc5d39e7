//! What is stored of the things that a publication compares.

use super::{ClaimsTable, ComparedClaims, RunOrigin};
use crate::{
    catalog::{ClaimedComparison, Claims},
    compare::{Comparison, Options, Side, add_repeats, compare, load},
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
    let mut compared = Vec::new();
    for claimed in claims.comparisons.iter().filter(|_| store.exists()) {
        compared.push(ComparedClaims {
            measured: found(claimed, RunOrigin::Measured, store, &mut sides)?,
            imported: found(claimed, RunOrigin::Imported, store, &mut sides)?,
        });
    }
    Ok(ClaimsTable::new(claims, &compared))
}

fn found(
    claimed: &ClaimedComparison,
    origin: RunOrigin,
    store: &Store,
    sides: &mut HashMap<String, Side>,
) -> Result<Option<Comparison>, JudgeError> {
    let mut side = |text: &str| match sides.get(text) {
        Some(side) => Ok(side.clone()),
        None => {
            let selection = Selection::parse_line(text)
                .map_err(|message| JudgeError::Selection { title: claimed.title.clone(), message })?;
            let side = load(store, text, &selection, Latencies::Left)?;
            sides.insert(text.to_owned(), side.clone());
            Ok::<Side, JudgeError>(side)
        }
    };
    let (a, b) = claimed.selections(origin);
    let (mut a, mut b) = (side(&a)?, side(&b)?);
    if a.runs.is_empty() || b.runs.is_empty() {
        return Ok(None);
    }
    add_repeats(store, [&mut a, &mut b])?;
    let options = Options { allowed: claimed.allow.clone(), ..Options::default() };
    Ok(Some(compare(&a, &b, &options)))
}
