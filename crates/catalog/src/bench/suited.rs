//! Engines with a suite's defaults.

use super::PlanError;
use crate::{
    Suite,
    engines::{Engine, Registry},
};
use dbdyno_engine::{describe::OptionSpec, settings::Settings};
use std::{collections::BTreeMap, sync::Arc};

/// Returns the engine with the defaults that the suite sets for its options. A run's own settings replace them.
///
/// # Errors
/// The suite names the engine and an option that it lacks, or sets a value that the option does not accept.
pub fn suited(engine: &Engine, suite: &Suite) -> Result<Engine, PlanError> {
    let mut suited = engine.clone();
    for default in suite.engine_defaults(&engine.description.name) {
        let has_option = engine.description.option(default.option).is_some();
        if !has_option && !default.is_named {
            continue;
        }
        let set = Settings::asked(
            &engine.description,
            &BTreeMap::from([(default.option.to_owned(), default.value.to_owned())]),
        )?;
        let options: &mut Vec<OptionSpec> = &mut Arc::make_mut(&mut suited.description).options;
        for spec in options {
            if let Some(value) = set.get(&spec.name) {
                spec.default.clone_from(value);
            }
        }
    }
    Ok(suited)
}

/// Returns all engines with the suite's defaults. If the suite sets an engine wrongly, that engine stays unchanged, and the plan refuses
/// it.
pub fn suited_registry(registry: &Registry, suite: &Suite) -> Registry {
    let suit = |engine: &Engine| suited(engine, suite).unwrap_or_else(|_| engine.clone());
    Registry { engines: registry.engines.iter().map(suit).collect(), unavailable: registry.unavailable.clone() }
}
