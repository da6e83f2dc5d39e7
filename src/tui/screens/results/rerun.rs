//! The preset that measures a stored run again.

use crate::tui::world::World;
use dbdyno_catalog::bench::{EngineChoice, Preset, Spec};
use dbdyno_engine::{describe::OptionSpec, size::Size};
use dbdyno_store::{StoredOption, StoredRun};
use std::collections::BTreeMap;

/// Returns a preset of the run's configuration, with as many rounds as its session had. Options with their default values are left out.
pub(super) fn preset(run: &StoredRun, world: &World) -> Result<Preset, String> {
    let size: Size = run.size.parse().map_err(|_| format!("the size `{}` cannot be run", run.size))?;
    let engine = world.engine_on(&run.suite, &run.engine);
    let engine = engine.ok_or_else(|| {
        format!("the engine `{}` is not available: `dbdyno list engines` lists the engines", run.engine)
    })?;
    let suite = world.suites.iter().find(|suite| suite.name == run.suite);
    let suite = suite
        .ok_or_else(|| format!("the suite `{}` is not available: `dbdyno list suites` lists the suites", run.suite))?;
    let fact = |name: &str| run.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str());
    Ok(Preset {
        name: format!("run {}", short(&run.run_id)),
        title: format!("{} on {} {}, as requested", run.label, run.suite, run.size),
        spec: Spec {
            suite: run.suite.clone(),
            sizes: vec![size],
            rounds: run.rounds.max(1),
            memory_limit: fact("memory_limit_bytes").and_then(|limit| limit.parse().ok()),
            cache: fact("cache").and_then(|cache| cache.parse().ok()).unwrap_or_default(),
            suite_options: changed(&run.options, true, &suite.options),
            engines: vec![EngineChoice {
                name: run.engine.clone(),
                options: changed(&run.options, false, &engine.description.options),
                optional: false,
            }],
            ..Spec::default()
        },
    })
}

/// Returns the options whose requested values differ from their defaults.
fn changed(options: &[StoredOption], of_suite: bool, specs: &[OptionSpec]) -> BTreeMap<String, Vec<String>> {
    let is_default = |name: &str, value: &str| specs.iter().any(|spec| spec.name == name && spec.default == value);
    options
        .iter()
        .filter(|option| option.of_suite == of_suite && !option.assumed)
        .filter_map(|option| Some((option.name.clone(), option.asked.clone()?)))
        .filter(|(name, asked)| !is_default(name, asked))
        .map(|(name, asked)| (name, vec![asked]))
        .collect()
}

/// Returns the beginning of an identifier, which is enough to distinguish runs.
pub fn short(run_id: &str) -> &str {
    run_id.get(..13).unwrap_or(run_id)
}
