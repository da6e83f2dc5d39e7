//! Optional engines of a bench: left out, with the reason, if they cannot be used.

use super::{BenchPlan, Configuration, PlanError};
use crate::{bench::spec::EngineChoice, engines::Registry};
use std::collections::BTreeSet;

/// An optional engine that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub engine: String,
    /// Why, and what to do.
    pub reason: String,
}

/// Returns the usable engines, and the optional ones that cannot be used.
///
/// # Errors
/// An engine cannot be used and is not optional, or no engine can be used.
pub(super) fn usable(
    engines: &[EngineChoice],
    registry: &Registry,
) -> Result<(Vec<EngineChoice>, Vec<Missing>), PlanError> {
    let (mut usable, mut missing) = (Vec::new(), Vec::new());
    for choice in engines {
        match registry.get(&choice.name) {
            Err(reason) if choice.optional => missing.push(Missing { engine: choice.name.clone(), reason }),
            Err(reason) => return Err(PlanError::Request(reason)),
            Ok(_) => usable.push(choice.clone()),
        }
    }
    none_left(&usable, &missing).map(|()| (usable, missing))
}

/// # Errors
/// No engine is left, because all are missing.
pub(super) fn none_left<T>(left: &[T], missing: &[Missing]) -> Result<(), PlanError> {
    if !left.is_empty() {
        return Ok(());
    }
    Err(PlanError::Request(format!("none of the engines can be used here: {}", reasons(missing))))
}

impl BenchPlan {
    /// Returns a message that the plan compares nothing, if all of its engines but one are missing.
    pub fn compares_nothing(&self) -> Option<String> {
        let engines: BTreeSet<&str> = self.configurations.iter().map(Configuration::engine_name).collect();
        let labels: BTreeSet<&str> = self.configurations.iter().map(|one| one.label.as_str()).collect();
        let [only] = engines.into_iter().collect::<Vec<_>>()[..] else { return None };
        let are_others_missing = self.missing.iter().any(|missing| missing.engine != only || labels.len() == 1);
        are_others_missing.then(|| format!("nothing is left to compare `{only}` with"))
    }

    /// # Errors
    /// The plan compares nothing, because the engines to compare are missing.
    pub fn check_compares(&self, preset: &str) -> Result<(), PlanError> {
        let Some(nothing) = self.compares_nothing() else { return Ok(()) };
        Err(PlanError::ComparesNothing(format!(
            "preset `{preset}`: {nothing}: {}; to measure it alone, choose it with `dbdyno run --suite {} --engine`",
            reasons(&self.missing),
            self.suite.name
        )))
    }
}

fn reasons(missing: &[Missing]) -> String {
    missing.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>().join("; ")
}
