//! Engines that a bench can do without: left out, with the reason, where they cannot be used.

use super::PlanError;
use crate::{bench::spec::EngineChoice, engines::Registry};

/// An engine that the bench could do without, and that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub engine: String,
    /// Why, and what to do.
    pub reason: String,
}

/// The engines that can be used, and those that can be done without.
///
/// # Errors
/// One that cannot be used, and is not optional; or none can.
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
    let reasons: Vec<&str> = missing.iter().map(|one| one.reason.as_str()).collect();
    Err(PlanError::Request(format!("none of the engines can be used here: {}", reasons.join("; "))))
}
