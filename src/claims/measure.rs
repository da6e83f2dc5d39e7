//! What is stored of the things that a publication compares.

use super::{ClaimsTable, ComparedClaims, RunOrigin};
use crate::{
    catalog::{ClaimedComparison, Claims},
    compare::{Comparison, Options, Side, compare, load, with_repeats},
    metric::Metric,
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
    let imported = store.has_imported_sessions()?;
    let mut compared = Vec::new();
    for claimed in claims.comparisons.iter().filter(|_| store.exists()) {
        compared.push(ComparedClaims {
            measured: found(claimed, RunOrigin::Measured, store, &mut sides)?,
            imported: if imported { found(claimed, RunOrigin::Imported, store, &mut sides)? } else { None },
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
    let (a, b) = claimed.selections(origin);
    for text in [&a, &b] {
        if !sides.contains_key(text) {
            let selection = Selection::parse_line(text)
                .map_err(|message| JudgeError::Selection { title: claimed.title.clone(), message })?;
            sides.insert(text.clone(), load(store, text, &selection, Metric::Wall, Latencies::Left)?);
        }
    }
    let of = |text: &String| sides.get(text).filter(|side| !side.runs.is_empty());
    let Some((a, b)) = of(&a).zip(of(&b)) else { return Ok(None) };
    let [a, b] = with_repeats(store, [a, b])?;
    let options = Options { allowed: claimed.allow.clone(), ..Options::default() };
    Ok(Some(compare(&a, &b, &options)))
}
