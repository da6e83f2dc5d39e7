//! The evaluations after a session: the effect of each option of a sweep, and published figures compared with stored ones.

use crate::{
    runner::{FollowedBy, SessionOutline},
    tune::effects::{GridEffects, effects},
};
use dbdyno_catalog::{Catalog, CatalogError, bench::ClosingComparison};
use dbdyno_comparing::{
    claims::{ClaimsTable, judged},
    compare::{ComparedGroups, Grouped, Grown, Options, Side, as_rates, by_configuration, grouped, grown, load},
};
use dbdyno_engine::size::Size;
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{Latencies, Selection, Store, StoreError, tier_words};
use std::collections::BTreeSet;

/// The evaluations after a session, limited to those that its bench requests.
#[derive(Debug)]
pub struct FollowUp {
    /// One for each engine, size and test.
    pub effects: Vec<SelectedEffects>,
    /// Published figures alongside measured ones.
    pub claims: Option<Result<ClaimsTable, FollowError>>,
}

/// The reason why published figures cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The claims file cannot be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The effects of options on the selected runs.
#[derive(Debug)]
pub struct SelectedEffects {
    /// The selection.
    pub selected: String,
    /// The effects, or the reason why there are none.
    pub found: Result<GridEffects, String>,
}

/// The configurations of a session, compared as its bench requests.
#[derive(Debug, Default)]
pub struct SessionComparisons {
    /// The configurations of each group compared with its reference. Empty for a single configuration.
    pub compared: ComparedGroups,
    /// Configurations without a comparable one, as sentences.
    pub alone: Vec<String>,
    /// How figures grow with the size, or with an option that has several numeric values.
    pub grown: Option<Grown>,
}

/// Compares the configurations of a session with each other.
///
/// # Errors
/// The store cannot be used.
pub fn verdicts(session_id: &str, command: &str, store: &Store) -> Result<SessionComparisons, StoreError> {
    let text = format!("session={session_id}");
    let selection = Selection::parse_line(&text).map_err(|message| StoreError::Query { message })?;
    let mut side = load(store, &text, &selection, Metric::Wall, Latencies::Left)?;
    as_rates([&mut side]);
    let closing = closing(store, &side)?;
    let options = Options { command: command.to_owned(), allowed: closing.allow.clone(), ..Options::default() };
    let mut verdicts = verdicts_of(&side, &closing, &options);
    verdicts.compared.explain(store, false)?;
    Ok(verdicts)
}

/// Compares the configurations of a side with each other, as a bench requests.
pub fn verdicts_of(side: &Side, closing: &ClosingComparison, options: &Options) -> SessionComparisons {
    let Grouped { groups, alone } = grouped(by_configuration(side), &closing.references, &options.allowed);
    SessionComparisons {
        compared: ComparedGroups::new(&groups, options),
        alone: alone.iter().filter_map(said_alone).collect(),
        grown: grown(side),
    }
}

/// Returns how the bench of a side's session requests its configurations to be compared. The default for a side with several sessions.
///
/// # Errors
/// The store cannot be used.
pub fn closing(store: &Store, side: &Side) -> Result<ClosingComparison, StoreError> {
    let mut own = side.sessions.iter().filter(|session| session.adds_to.is_none());
    let (Some(session), None) = (own.next(), own.next()) else { return Ok(ClosingComparison::default()) };
    let details = store.session_details(&session.session_id.to_string())?.unwrap_or_default();
    let kept = serde_json::from_str(&details).ok().and_then(|mut details: serde_json::Value| {
        let closing = details.get_mut("closing")?.take();
        serde_json::from_value(closing).ok()
    });
    // Sessions of older versions and imported ones do not record this.
    Ok(kept.unwrap_or_default())
}

/// Returns `lmdb[sync=nosync] is not compared: no other configuration has tier 1 ...`.
fn said_alone(side: &Side) -> Option<String> {
    let run = side.runs.first()?;
    let tier = tier_words(run.configuration.tier);
    Some(format!(
        "{} is not compared: no other configuration has tier {tier} and the same suite options (--allow tiers compares them anyway)",
        run.label
    ))
}

/// Evaluates a session whose results are stored.
///
/// # Errors
/// The store cannot be used.
pub fn follow_up(
    session_id: &str,
    outline: &SessionOutline,
    catalog: &Catalog,
    store: &Store,
) -> Result<FollowUp, StoreError> {
    let FollowedBy { effects, claims } = &outline.followed;
    let effects = if *effects { effects_of(session_id, outline, store)? } else { Vec::new() };
    let claims = claims.as_ref().map(|name| judged(&catalog.claims(name)?, store).map_err(FollowError::from));
    Ok(FollowUp { effects, claims })
}

fn effects_of(session_id: &str, outline: &SessionOutline, store: &Store) -> Result<Vec<SelectedEffects>, StoreError> {
    let parts: BTreeSet<(&str, Size, u32)> = outline
        .configurations
        .iter()
        .flat_map(|one| outline.tests.iter().map(|test| (one.engine.as_str(), one.size, test.number)))
        .collect();
    let of_part = |(engine, size, test)| {
        let selected = format!("session={session_id} engine={engine} size={size} test={test}");
        let found = match Selection::parse_line(&selected) {
            Ok(selection) => effects(&load(store, &selected, &selection, Metric::Wall, Latencies::Left)?)
                .map_err(|error| error.to_string()),
            Err(message) => Err(message),
        };
        Ok(SelectedEffects { selected, found })
    };
    parts.into_iter().map(of_part).collect()
}
