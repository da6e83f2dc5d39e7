//! How the configurations of a session are compared with each other when it ends.

use super::{Configuration, EngineChoice, PlanError, Spec};
use crate::Difference;
use dbdyno_engine::{describe::one_of, settings::Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the configurations of a session are compared with each other when it ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// Labels of the configurations that others are compared with, of each group the first of them; empty: of each group its first.
    #[serde(default)]
    pub references: BTreeSet<String>,
    /// Differences that are compared under a badge.
    #[serde(default)]
    pub allow: BTreeSet<Difference>,
}

impl Closing {
    /// What a bench asks for, of the configurations that are planned. An optional engine that is missing is no reference.
    ///
    /// # Errors
    /// No configuration is the reference, or it has no such option.
    pub(super) fn of(spec: &Spec, configurations: &[Configuration]) -> Result<Self, PlanError> {
        let mut closing = Self { references: BTreeSet::new(), allow: spec.allow.clone() };
        let Some(reference) = &spec.reference else { return Ok(closing) };
        let mut of_engine = configurations.iter().filter(|one| one.engine_name() == reference.name).peekable();
        if of_engine.peek().is_none() {
            return Ok(closing);
        }
        for one in of_engine {
            if is(one, reference)? {
                closing.references.insert(one.label.clone());
            }
        }
        if closing.references.is_empty() {
            let labels: BTreeSet<String> = configurations.iter().map(|one| one.label.clone()).collect();
            let labels: Vec<String> = labels.into_iter().collect();
            let message = format!("reference: no configuration is `{reference}`: expected one of {}", one_of(&labels));
            return Err(PlanError::Request(message));
        }
        Ok(closing)
    }

    /// A configuration is called otherwise from now on.
    pub(super) fn rename(&mut self, before: &str, label: &str) {
        if self.references.remove(before) {
            self.references.insert(label.to_owned());
        }
    }
}

/// Whether a configuration has the options of a choice, each of one value.
fn is(one: &Configuration, choice: &EngineChoice) -> Result<bool, PlanError> {
    let asked = choice.options.iter().filter_map(|(name, values)| Some((name.clone(), values.first()?.clone())));
    let settings = Settings::resolve(&one.engine.description, &asked.collect())?;
    Ok(choice.options.keys().all(|name| settings.get(name) == one.settings.get(name)))
}
