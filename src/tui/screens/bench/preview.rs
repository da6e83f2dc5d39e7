//! The estimated cost of the selected bench, and warnings before it starts.

use super::form::Form;
use crate::tui::world::World;
use dbdyno_catalog::{
    Suite,
    bench::{BenchEstimate, BenchPlan, Configuration, Spec, Values, check_space, estimate, refusal},
    engines::Engine,
};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::base::units;
use dbdyno_running::tune::cannot_differ;
use dbdyno_stats::rounds_needed;
use std::{collections::BTreeMap, time::Duration};

/// The plan of a form with its estimate.
#[derive(Debug, Clone)]
pub struct Preview {
    pub(crate) plan: BenchPlan,
    pub(crate) estimate: BenchEstimate,
    pub(crate) warnings: Vec<String>,
}

impl Preview {
    /// Returns the preview of a form, whose bench of its suite is `spec`, or the error in it.
    pub(crate) fn of(form: &Form, spec: &Spec, suite: &Suite, world: &World) -> Result<Self, String> {
        // The number of configurations in a sample is not the product of the numbers of values.
        let asked = if form.stars.is_none() { combinations(form) } else { 0 };
        if spec.engines.is_empty() {
            return Err("no engine is chosen: Space chooses the one under the cursor".to_owned());
        }
        let plan = BenchPlan::new(spec, suite.clone(), &world.registry).map_err(|error| error.to_string())?;
        let different = plan.configurations.iter().filter(|one| one.twin_of.is_none()).count() + plan.left_out.len();
        let equal = asked.saturating_sub(different);
        let estimate = estimate(&plan, &world.history, world.work_folder.sync_time());
        let warnings = warnings(&plan, &estimate, equal, world);
        Ok(Self { plan, estimate, warnings })
    }

    /// Returns the expected time of a run.
    pub(crate) fn expected_run(&self) -> Duration {
        self.estimate.time / self.plan.runs.len().max(1) as u32
    }

    /// Returns the reason why the plan must not be started, if there is one: the disk has too little room.
    pub(crate) fn refusal(&self, world: &World) -> Option<String> {
        let facts = world.work_folder.facts.as_ref()?;
        check_space(&self.estimate, world.work_folder.space()?, &facts.path).err()
    }
}

/// Returns the engines that cannot run the selected tests of a suite, with the reason.
pub(super) fn refused(form: &Form, suite: &Suite, world: &World) -> BTreeMap<String, String> {
    let (Ok(pick), Some(size)) = (suite.pick(&form.tests), form.sizes.first().or(suite.default_sizes.first())) else {
        return BTreeMap::new();
    };
    let Ok(settings) = suite.settings(&BTreeMap::new()) else { return BTreeMap::new() };
    let why =
        |engine: &Engine| Some((engine.description.name.clone(), refusal(engine, (suite, &pick), &settings, *size)?));
    world.registry.engines.iter().filter_map(why).collect()
}

/// Returns the number of requested configurations; equal ones count repeatedly.
fn combinations(form: &Form) -> usize {
    let product = |options: &Values| options.values().map(Vec::len).product::<usize>();
    let engines: usize = form.entries.iter().filter(|entry| entry.on).map(|entry| product(&entry.options)).sum();
    engines * product(&form.suite_options) * form.sizes.len().max(form.data_ratios.len())
}

fn warnings(plan: &BenchPlan, estimate: &BenchEstimate, equal: usize, world: &World) -> Vec<String> {
    let mut warnings = Vec::new();
    if equal > 0 {
        let are = if equal == 1 { "is" } else { "are" };
        warnings.push(format!("{} {are} the same as others and run once", units::counted(equal, "configuration")));
    }
    warnings.extend(plan.not_run());
    warnings.extend(indifferent(plan));
    let mut tiers: BTreeMap<Tier, Vec<&str>> = BTreeMap::new();
    // A library's tier is found only when it runs, so it does not count as unequal yet.
    for configuration in plan.configurations.iter().filter(|one| one.tier != Tier::Unknown) {
        let labels = tiers.entry(configuration.tier).or_default();
        if !labels.contains(&configuration.label.as_str()) {
            labels.push(&configuration.label);
        }
    }
    if tiers.len() > 1 {
        let parts: Vec<String> = tiers.iter().rev().map(|(tier, labels)| format!("{tier}: {}", few(labels))).collect();
        warnings.push(format!("unequal tiers, commits are not equally durable: {}", parts.join("; ")));
    }
    let tests = plan.configurations.first().map_or(0, |one| plan.suite.operations(one.size, &plan.pick).len());
    let need = rounds_needed(tests);
    let is_fixed = plan.until_decided.is_none();
    if is_fixed && plan.configurations.len() > 1 && (plan.rounds as usize) < need {
        warnings.push(format!(
            "{} cannot decide a table of {}: choose at least {need}",
            units::counted(plan.rounds, "round"),
            units::counted(tests, "test")
        ));
    }
    let Some(facts) = &world.work_folder.facts else { return warnings };
    let tiers_need_syncs = plan.configurations.iter().any(|one| one.tier.needs_syncs());
    if facts.is_memory_backed() && (tiers_need_syncs || !facts.is_in_memory_by_name()) {
        warnings.push(format!("{} is in memory, where a sync does nothing: choose another work folder", facts.path));
    }
    if facts.is_network() {
        warnings.push(format!("{} is on another machine: choose another work folder", facts.path));
    }
    if let Some(space) = world.work_folder.space()
        && check_space(estimate, space, &facts.path).is_err()
    {
        let (needs, free) = (units::bytes(estimate.space_bytes), units::bytes(space.free));
        warnings.push(format!(
            "too little disk space to start: the largest database may take {needs}, and {free} are free"
        ));
    }
    warnings
}

/// Returns warnings about separately chosen configurations whose results cannot differ from an earlier one's, each reason once.
fn indifferent(plan: &BenchPlan) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, later) in plan.configurations.iter().enumerate().filter(|(_, one)| one.twin_of.is_none()) {
        let engine = &later.engine.description;
        let alike = |earlier: &&Configuration| {
            earlier.engine_name() == later.engine_name()
                && earlier.size == later.size
                && earlier.suite_settings == later.suite_settings
        };
        let earlier = plan.configurations[..at].iter().filter(alike);
        let reason = earlier
            .map(|earlier| cannot_differ(engine, plan.suite.kind, &earlier.settings, &later.settings))
            .find_map(|reason| reason);
        if let Some(reason) = reason {
            let warning = format!("{} cannot differ: {reason}", later.label);
            if !found.contains(&warning) {
                found.push(warning);
            }
        }
    }
    found
}

fn few(labels: &[&str]) -> String {
    match labels {
        [_, _, _, _, ..] if labels.iter().any(|label| label.len() > 30) => format!("{} configurations", labels.len()),
        [a, b, c, rest @ ..] if !rest.is_empty() => format!("{a}, {b}, {c} and {} more", rest.len()),
        labels => labels.join(", "),
    }
}
