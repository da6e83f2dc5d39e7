//! The comparison of a session's configurations at its end.

use super::{Configuration, EngineChoice, PlanError, Spec};
use crate::Difference;
use dbdyno_engine::{names::instead_of, settings::Settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The settings of the comparison at a session's end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosingComparison {
    /// Labels of the reference configurations: of each group, the first of them. Empty: the first configuration of each group.
    #[serde(default)]
    pub references: BTreeSet<String>,
    /// Differences that are compared with a badge.
    #[serde(default)]
    pub allow: BTreeSet<Difference>,
}

impl ClosingComparison {
    /// Returns a bench's comparison for the planned configurations. A missing optional engine cannot be the reference.
    ///
    /// # Errors
    /// No configuration matches the reference, or its engine has no such option.
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
            let instead = instead_of(&reference.to_string(), &labels);
            let message = format!("reference: no configuration is `{reference}`: {instead}");
            return Err(PlanError::Request(message));
        }
        Ok(closing)
    }

    /// Replaces a configuration's previous label.
    pub(super) fn rename(&mut self, before: &str, label: &str) {
        if self.references.remove(before) {
            self.references.insert(label.to_owned());
        }
    }
}

/// Whether a configuration has the options of a choice, with one value each.
fn is(one: &Configuration, choice: &EngineChoice) -> Result<bool, PlanError> {
    let asked = choice.options.iter().filter_map(|(name, values)| Some((name.clone(), values.first()?.clone())));
    let settings = Settings::resolve(&one.engine.description, &asked.collect())?;
    Ok(choice.options.keys().all(|name| settings.get(name) == one.settings.get(name)))
}
