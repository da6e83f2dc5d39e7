//! The engines that take part in a choice, and those that do not with the reason.

use super::question::Constraints;
use crate::tune::{
    OptionChange, TunedWorkload,
    race::{Arm, Candidate, Entrant},
};
use dbdyno_catalog::{
    Suite, TestPick,
    bench::{PlanError, refusal, suited},
    engines::{Engine, HARNESS_ENGINE, Registry},
    tier_options,
};
use dbdyno_engine::{
    describe::{Description, Writers},
    durability::Tier,
    settings::Settings,
    size::Size,
    suite::SuiteKind,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The workload of a choice, for any engine.
#[derive(Debug, Clone)]
pub struct ChosenWorkload {
    pub suite: Suite,
    /// Options of the suite that are not at their default.
    pub suite_options: BTreeMap<String, String>,
    pub size: Size,
    /// The tests that count; empty for all.
    pub pick: TestPick,
}

/// An engine that is not considered, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotConsidered {
    pub engine: String,
    pub reason: String,
    /// Whether it is not installed, or its program does not work.
    pub is_missing: bool,
}

/// The engines of a choice.
#[derive(Debug, Clone)]
pub struct Considered {
    pub entrants: Vec<Entrant>,
    pub left_out: Vec<NotConsidered>,
}

/// Returns the engines of this machine that can meet the constraints on the workload, as far as their descriptions tell. `options`: what
/// the files of the workload need an engine to be set to.
pub fn considered(
    registry: &Registry,
    workload: &ChosenWorkload,
    constraints: &Constraints,
    options: impl Fn(&Description) -> BTreeMap<String, String>,
) -> Considered {
    let mut found = Considered { entrants: Vec::new(), left_out: Vec::new() };
    for engine in &registry.engines {
        match entrant(registry, engine, workload, constraints, &options(&engine.description)) {
            Ok(entrant) => found.entrants.push(entrant),
            Err(Refusal { reason, is_missing }) => {
                let engine = engine.description.name.clone();
                found.left_out.push(NotConsidered { engine, reason, is_missing });
            }
        }
    }
    let is_wanted = |name: &str| constraints.engines.is_empty() || constraints.engines.iter().any(|one| one == name);
    for missing in registry.unavailable.iter().filter(|missing| is_wanted(&missing.name)) {
        let (engine, reason) = (missing.name.clone(), missing.reason.clone());
        found.left_out.push(NotConsidered { engine, reason, is_missing: true });
    }
    found
}

/// Why an engine is not considered, and whether that is because a file of it is missing.
struct Refusal {
    reason: String,
    is_missing: bool,
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self { reason, is_missing: false }
    }
}

/// Returns the engine with the settings that it starts with.
fn entrant(
    registry: &Registry,
    engine: &Engine,
    workload: &ChosenWorkload,
    constraints: &Constraints,
    needed: &BTreeMap<String, String>,
) -> Result<Entrant, Refusal> {
    let description = &engine.description;
    is_asked_for(description, constraints)?;
    has_terms(description, workload.suite.kind, constraints)?;
    let ChosenWorkload { suite, suite_options, size, pick } = workload.clone();
    let engine = suited(engine, &suite).map_err(|error| error.to_string())?;
    let suite_settings = suite.settings(&suite_options).map_err(|error| error.to_string())?;
    // The same reason for all such engines, without their names.
    if let Some(reason) = refusal(&engine, (&suite, &pick), &suite_settings, size) {
        return Err(reason.into());
    }
    let workload = TunedWorkload { engine, suite, suite_options, size, pick };
    // What an engine with a loaded library promises is known once its library was examined.
    let defaults = workload.settings(needed).map_err(|error| error.to_string())?;
    let missing = |error: PlanError| Refusal { reason: error.to_string(), is_missing: true };
    let workload = workload.with_files(&defaults).map_err(missing)?;
    let base = base(&workload, constraints.tier, needed)?;
    let one = std::slice::from_ref(&base);
    workload.drafted(registry, one, 1, 0).map_err(|error| error.to_string())?;
    Ok(Entrant { workload, base })
}

/// Checks the names that were given, and that the engine is one.
fn is_asked_for(engine: &Description, constraints: &Constraints) -> Result<(), String> {
    let named = |names: &[String]| names.contains(&engine.name);
    if engine.name == HARNESS_ENGINE || engine.harness.as_deref() == Some(engine.name.as_str()) {
        return Err("stores nothing, and measures dbdyno's own loop".to_owned());
    }
    if !constraints.engines.is_empty() && !named(&constraints.engines) {
        return Err("not asked for".to_owned());
    }
    if named(&constraints.without) {
        return Err("excluded".to_owned());
    }
    Ok(())
}

/// Checks what the description says of languages, licence and writers.
fn has_terms(engine: &Description, suite: SuiteKind, constraints: &Constraints) -> Result<(), String> {
    let Constraints { languages, licences, writers, .. } = constraints;
    if engine.languages.is_empty() {
        return Err("no library that a program can use".to_owned());
    }
    if !languages.is_empty() && !languages.iter().any(|wanted| engine.languages.contains(wanted)) {
        let (has, wanted) = (engine.languages.join(", "), languages.join(" or "));
        return Err(format!("for programs in {has}, not {wanted}"));
    }
    if !licences.is_empty() {
        let licence = engine.licence.as_deref().ok_or("the licence is not known")?;
        if !is_accepted(licence, licences) {
            return Err(format!("the licence is {licence}"));
        }
    }
    let many = engine.threads.get(&suite).is_some_and(|threads| threads.writers == Writers::Many);
    if *writers > 1 && !many {
        return Err("only one thread may write at a time".to_owned());
    }
    Ok(())
}

/// Whether accepted licences are enough for an SPDX expression: one of those that OR separates, and all of those that AND separates.
fn is_accepted(expression: &str, accepted: &[String]) -> bool {
    let one = |text: &str| {
        let name = text.trim().trim_matches(['(', ')']);
        accepted.iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    expression.split(" OR ").any(|either| either.split(" AND ").all(one))
}

/// Returns the settings to start from: the defaults if their commits survive what is asked for, else the fewest options with which they do.
fn base(workload: &TunedWorkload, tier: Tier, needed: &BTreeMap<String, String>) -> Result<Settings, String> {
    let engine = &workload.engine.description;
    let of = |asked: &BTreeMap<String, String>| {
        let mut all = asked.clone();
        all.extend(needed.clone());
        let settings = workload.settings(&all).map_err(|error| error.to_string())?;
        Ok::<_, String>((engine.tier(&settings).0, settings))
    };
    let (found, settings) = of(&BTreeMap::new())?;
    if found >= tier {
        return Ok(settings);
    }
    let enough = (0..=3)
        .filter_map(|number| Tier::try_from(number).ok())
        .filter(|one| *one >= tier)
        .filter_map(|one| tier_options(engine, one));
    let safe = enough.filter_map(|asked| of(&asked).ok()).find(|(found, _)| *found >= tier);
    let (_, why) = engine.tier(&settings);
    safe.map(|(_, settings)| settings).ok_or_else(|| format!("no settings reach tier {tier} ({why})"))
}

/// Returns the arms that entrants start with: their bases, and the fewest options whose commits survive just what is asked for, which are
/// often the ones that matter most.
pub(super) fn starts(entrants: &[Entrant], tier: Tier) -> Vec<Arm> {
    let mut arms = Vec::new();
    for (entrant, one) in entrants.iter().enumerate() {
        let aim = one.aim(tier);
        arms.push(Arm { entrant, candidate: Candidate::of_base(aim) });
        let least = tier_options(aim.engine, tier).and_then(|asked| Candidate::new(aim, OptionChange(asked)));
        arms.extend(least.map(|candidate| Arm { entrant, candidate }));
    }
    arms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_accepted_if_one_of_its_alternatives_is_whole() {
        let accepted = |expression: &str, names: &[&str]| {
            is_accepted(expression, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert!(accepted("MIT OR Apache-2.0", &["mit"]) && accepted("blessing AND MIT", &["MIT", "blessing"]));
        assert!(!accepted("blessing AND MIT", &["MIT"]) && !accepted("AGPL-3.0-only", &["MIT", "Apache-2.0"]));
        assert!(accepted("(MIT AND blessing) OR Apache-2.0", &["Apache-2.0"]));
    }
}
