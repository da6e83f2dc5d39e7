//! Engines as a suite uses them.

use super::PlanError;
use crate::{
    Suite,
    engines::{Engine, Registry},
};
use dbdyno_engine::{describe::OptionSpec, settings::Settings};
use std::{collections::BTreeMap, sync::Arc};

/// The engine with the defaults that the suite sets for its options. Whatever a run sets replaces them.
///
/// # Errors
/// The suite names the engine and an option that it lacks, or sets a value that the option does not take.
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

/// All engines, each as the suite uses it; one that the suite sets wrongly stays as it is, and is refused when it is planned.
pub fn suited_registry(registry: &Registry, suite: &Suite) -> Registry {
    let suit = |engine: &Engine| suited(engine, suite).unwrap_or_else(|_| engine.clone());
    Registry { engines: registry.engines.iter().map(suit).collect(), unavailable: registry.unavailable.clone() }
}
