//! The stored measurements of the things that a publication compares.

use super::{
    ClaimsTable, ComparedClaims, RunOrigin,
    choose::choose,
    table::{ClaimRuns, FoundPair, selections},
};
use crate::compare::{Options, Side, compare, load_all, with_repeats};
use dbdyno_catalog::{
    ClaimedComparison, Claims,
    engines::{Registry, built_in},
};
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Selection, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// Judges claims by the stored runs. If the store does not exist yet, nothing was measured. If one comparison cannot be judged, its rows
/// give the reason, and the others are judged.
///
/// # Errors
/// Fails if the store cannot be read.
pub fn judged(claims: &Claims, store: &Store) -> Result<ClaimsTable, StoreError> {
    if !store.exists() {
        return Ok(ClaimsTable::new(claims, &[]));
    }
    let mut origins = vec![RunOrigin::Measured];
    origins.extend(store.has_imported_sessions()?.then_some(RunOrigin::Imported));
    // Many comparisons of a publication share one side.
    let mut read: BTreeMap<String, Selection> = BTreeMap::new();
    for claimed in &claims.comparisons {
        for text in origins.iter().flat_map(|origin| <[String; 2]>::from(selections(claimed, *origin))) {
            if let Ok(selection) = Selection::parse_line(&text) {
                read.insert(text, selection);
            }
        }
    }
    let asked: Vec<(&str, &Selection)> = read.iter().map(|(text, selection)| (text.as_str(), selection)).collect();
    let sides = load_all(store, &asked, Metric::Wall, Latencies::Left)?;
    let registry = registry_of(&sides);
    let sides: BTreeMap<&str, (&Selection, &Side)> =
        asked.iter().zip(&sides).map(|((text, selection), side)| (*text, (*selection, side))).collect();
    let mut compared = Vec::new();
    for claimed in &claims.comparisons {
        let of = |origin| match origins.contains(&origin) {
            true => found(claimed, origin, store, (&sides, &registry)),
            false => Ok(ClaimRuns::Nothing),
        };
        compared.push(ComparedClaims { measured: of(RunOrigin::Measured)?, imported: of(RunOrigin::Imported)? });
    }
    Ok(ClaimsTable::new(claims, &compared))
}

/// Returns the engines, whose options have defaults. Programs are queried only if runs use engines other than the built-in ones.
fn registry_of(sides: &[Side]) -> Registry {
    let engines: BTreeSet<&str> =
        sides.iter().flat_map(|side| &side.runs).map(|run| run.configuration.engine.as_str()).collect();
    match engines.into_iter().all(|engine| built_in(engine).is_some()) {
        true => Registry::built_in(),
        false => Registry::discover(),
    }
}

fn found(
    claimed: &ClaimedComparison,
    origin: RunOrigin,
    store: &Store,
    (sides, registry): (&BTreeMap<&str, (&Selection, &Side)>, &Registry),
) -> Result<ClaimRuns, StoreError> {
    let (a, b) = selections(claimed, origin);
    for text in [&a, &b] {
        if let Err(message) = Selection::parse_line(text) {
            return Ok(ClaimRuns::Wrong(message));
        }
    }
    let Some(((of_a, a), (of_b, b))) = sides.get(a.as_str()).zip(sides.get(b.as_str())) else {
        return Ok(ClaimRuns::Nothing);
    };
    let named: BTreeSet<String> = of_a.names().chain(of_b.names()).map(str::to_owned).collect();
    let Some(chosen) = choose([a, b], claimed, &named, registry) else { return Ok(ClaimRuns::Nothing) };
    let [a, b] = with_repeats(store, [&chosen.a, &chosen.b])?;
    let options = Options { allowed: claimed.allow.clone(), ..Options::default() };
    let comparison = compare(&a, &b, &options);
    let (others, unclaimed) = (chosen.others, chosen.unclaimed);
    Ok(ClaimRuns::Pair(Box::new(FoundPair { comparison, others, unclaimed })))
}
