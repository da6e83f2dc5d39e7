//! What is stored of the things that a publication compares.

use super::{ClaimsTable, ComparedClaims, RunOrigin};
use crate::{
    catalog::{ClaimedComparison, Claims},
    compare::{Comparison, Options, Side, compare, load_all, with_repeats},
    metric::Metric,
    store::{Latencies, Selection, Store, StoreError},
};
use std::collections::BTreeMap;

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
    if !store.exists() {
        return Ok(ClaimsTable::new(claims, &[]));
    }
    let mut origins = vec![RunOrigin::Measured];
    origins.extend(store.has_imported_sessions()?.then_some(RunOrigin::Imported));
    // Many comparisons of a publication have one side in common.
    let mut selections: BTreeMap<String, Selection> = BTreeMap::new();
    for claimed in &claims.comparisons {
        for text in origins.iter().flat_map(|origin| <[String; 2]>::from(claimed.selections(*origin))) {
            let wrong = |message| JudgeError::Selection { title: claimed.title.clone(), message };
            let selection = Selection::parse_line(&text).map_err(wrong)?;
            selections.insert(text, selection);
        }
    }
    let asked: Vec<(&str, &Selection)> =
        selections.iter().map(|(text, selection)| (text.as_str(), selection)).collect();
    let sides = load_all(store, &asked, Metric::Wall, Latencies::Left)?;
    let sides: BTreeMap<&str, &Side> = asked.iter().map(|(text, _)| *text).zip(&sides).collect();
    let mut compared = Vec::new();
    for claimed in &claims.comparisons {
        let of = |origin| if origins.contains(&origin) { found(claimed, origin, store, &sides) } else { Ok(None) };
        compared.push(ComparedClaims { measured: of(RunOrigin::Measured)?, imported: of(RunOrigin::Imported)? });
    }
    Ok(ClaimsTable::new(claims, &compared))
}

fn found(
    claimed: &ClaimedComparison,
    origin: RunOrigin,
    store: &Store,
    sides: &BTreeMap<&str, &Side>,
) -> Result<Option<Comparison>, JudgeError> {
    let (a, b) = claimed.selections(origin);
    let of = |text: &str| sides.get(text).copied().filter(|side| !side.runs.is_empty());
    let Some((a, b)) = of(&a).zip(of(&b)) else { return Ok(None) };
    let [a, b] = with_repeats(store, [a, b])?;
    let options = Options { allowed: claimed.allow.clone(), ..Options::default() };
    Ok(Some(compare(&a, &b, &options)))
}
