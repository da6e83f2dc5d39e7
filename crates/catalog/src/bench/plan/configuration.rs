//! Configurations: an engine with all its options on a suite at a size.

use super::{LeftOut, PlanError, stars};
use crate::{
    Suite, TestPick,
    bench::{spec::EngineChoice, suited},
    engines::{Engine, Registry},
};
use dbdyno_engine::{
    describe::{Description, Probed},
    durability::Tier,
    protocol::SuiteJob,
    settings::Settings,
    size::Size,
    suite::SuiteKind,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// An engine with all its options on a suite at a size.
#[derive(Debug, Clone)]
pub struct Configuration {
    pub engine: Engine,
    /// Every option of the engine.
    pub settings: Settings,
    /// Every option of the suite.
    pub suite_settings: Settings,
    pub size: Size,
    /// What a commit survives.
    pub tier: Tier,
    pub tier_reason: String,
    /// The engine's name and the options in which it differs from other configurations of the session. If the engine's library runs on an
    /// unusual storage backend, the label includes the backend.
    pub label: String,
    /// The label of the configuration that this repeats, as an A/A twin that measures the noise of the machine.
    pub twin_of: Option<String>,
    /// Whether it is left out if its files cannot be used.
    pub optional: bool,
}

impl Configuration {
    /// Returns the configuration with the engine's report about the files that its options name, from a separate process.
    ///
    /// # Errors
    /// The engine's message about a file that it cannot use, or an option that has no effect with its files.
    pub fn examined(mut self) -> Result<Self, PlanError> {
        if let Some(probed) = self.engine.probe(&self.settings).map_err(PlanError::Request)? {
            self.take(probed)?;
        }
        Ok(self)
    }

    /// Applies the engine's report about the files that its options name.
    pub(super) fn take(&mut self, probed: Probed) -> Result<(), PlanError> {
        if let Some(refusal) = probed.refusal(&self.engine.description, &self.settings) {
            return Err(PlanError::Request(refusal));
        }
        self.engine = self.engine.probed(probed);
        let (survives, reason) = self.engine.description.tier(&self.settings);
        (self.tier, self.tier_reason) = (survives, reason.to_owned());
        self.label = self.with_backend(&self.label);
        self.twin_of = self.twin_of.as_deref().map(|label| self.with_backend(label));
        Ok(())
    }

    /// Adds the backend to a label that was made before the backend of the engine's library was known: `sqlite-lib (Berkeley DB
    /// 5.3.28)[page_size=4096]`.
    fn with_backend(&self, label: &str) -> String {
        let Description { name, backend, .. } = &*self.engine.description;
        match (label.strip_prefix(name.as_str()), backend) {
            (Some(options), Some(backend)) => format!("{name} ({backend}){options}"),
            _ => label.to_owned(),
        }
    }

    pub fn engine_name(&self) -> &str {
        &self.engine.description.name
    }

    /// Returns the implementation that answers a suite of this kind. Two paths to the same library are one implementation.
    pub fn implementation(&self, suite: SuiteKind) -> String {
        let description = &self.engine.description;
        let resolved =
            |path: &str| fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string());
        let files = description.files(&self.settings).into_iter().map(|path| format!(" {}", resolved(path)));
        description.implementation(suite, &self.settings).to_owned() + &files.collect::<String>()
    }
}

pub(super) fn same(a: &Configuration, b: &Configuration) -> bool {
    a.engine_name() == b.engine_name()
        && a.settings == b.settings
        && a.suite_settings == b.suite_settings
        && a.size == b.size
}

pub(super) fn configurations_of(
    choice: &EngineChoice,
    registry: &Registry,
    (suite, pick): (&Suite, &TestPick),
    suite_settings: &Settings,
    size: Size,
    sample: Option<(u32, u64)>,
) -> Result<Vec<Configuration>, PlanError> {
    let engine = &suited(registry.get(&choice.name).map_err(PlanError::Request)?, suite)?;
    if let Some(reason) = refusal(engine, (suite, pick), suite_settings, size) {
        let message = format!("engine `{}` cannot run suite `{}`: {reason}", choice.name, suite.name);
        return Err(PlanError::Request(message));
    }
    let chosen = match sample {
        Some((stars, seed)) => stars::stars(&choice.options, stars, seed),
        None => combinations(&choice.options),
    };
    chosen
        .into_iter()
        .map(|asked| {
            let settings = Settings::resolve(&engine.description, &asked)?;
            if let Some(conflict) = engine.description.conflict(&settings) {
                return Err(PlanError::Request(conflict));
            }
            let (tier, reason) = engine.description.tier(&settings);
            Ok(Configuration {
                engine: engine.clone(),
                tier,
                tier_reason: reason.to_owned(),
                label: choice.name.clone(),
                settings,
                suite_settings: suite_settings.clone(),
                size,
                twin_of: None,
                optional: choice.optional,
            })
        })
        .collect()
}

/// Returns why an engine cannot run the picked tests of a suite, if that is so, whatever its options are.
pub fn refusal(
    engine: &Engine,
    (suite, pick): (&Suite, &TestPick),
    suite_settings: &Settings,
    size: Size,
) -> Option<String> {
    let description = &engine.description;
    if !description.suites.contains(&suite.kind) {
        return Some(format!("the suite is of kind {}, which the engine does not run", suite.kind.word()));
    }
    if suite.starts_from_database() && !description.sqlite_files {
        return Some(
            "its databases are no files of SQLite, and the suite starts from one (the statements of `sqlite3 FILE .dump` \
             can prepare its own)"
                .to_owned(),
        );
    }
    if let Some(reason) = suite.refusal(pick).filter(|_| description.tables_as_data) {
        return Some(reason.to_owned());
    }
    if suite.replays_recording() && !description.replays.contains(&suite.kind) {
        return Some("it does not replay recordings".to_owned());
    }
    if suite.needs_threads(pick) && !description.threads.contains_key(&suite.kind) {
        return Some("it works with one thread, and the suite has tests of several".to_owned());
    }
    let reason = unfit(engine, (suite, pick), suite_settings, size)?;
    let all: Vec<String> = suite.tests().map(|test| test.number.to_string()).collect();
    let can = |test: &String| {
        let alone = suite.pick(std::slice::from_ref(test)).unwrap_or_default();
        unfit(engine, (suite, &alone), suite_settings, size).is_none()
    };
    let others: Vec<String> = all.into_iter().filter(can).collect();
    Some(if others.is_empty() { reason } else { format!("{reason}; the others are --test {}", others.join(",")) })
}

/// Returns why an engine cannot run the picked tests, because of their keys or another requirement.
fn unfit(engine: &Engine, (suite, pick): (&Suite, &TestPick), settings: &Settings, size: Size) -> Option<String> {
    match suite.resolve(size, settings, pick) {
        SuiteJob::Kv(suite) => engine.description.unfit(&suite),
        SuiteJob::Sql(_) => None,
    }
}

/// Returns every combination of one value for each option, with the last option changing fastest; one empty combination if there are no
/// options.
pub fn combinations(options: &BTreeMap<String, Vec<String>>) -> Vec<BTreeMap<String, String>> {
    let mut all = vec![BTreeMap::new()];
    for (name, values) in options {
        all = all
            .iter()
            .flat_map(|chosen: &BTreeMap<String, String>| {
                values.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    chosen.insert(name.clone(), value.clone());
                    chosen
                })
            })
            .collect();
    }
    all
}

/// Labels each configuration with its engine and those options whose value differs between the engine's configurations.
pub(super) fn label(configurations: &mut [Configuration], left_out: &mut [LeftOut]) {
    let mut values: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for configuration in configurations.iter().chain(left_out.iter().map(|one| &one.configuration)) {
        for (option, value) in configuration.settings.iter().chain(configuration.suite_settings.iter()) {
            let key = (configuration.engine_name().to_owned(), option.to_owned());
            values.entry(key).or_default().insert(value.to_owned());
        }
    }
    for configuration in configurations.iter_mut().chain(left_out.iter_mut().map(|one| &mut one.configuration)) {
        let engine = configuration.engine_name().to_owned();
        let differing: Vec<String> = configuration
            .settings
            .iter()
            .chain(configuration.suite_settings.iter())
            .filter(|(option, _)| values[&(engine.clone(), (*option).to_owned())].len() > 1)
            .map(|(option, value)| format!("{option}={value}"))
            .collect();
        configuration.label = if differing.is_empty() { engine } else { format!("{engine}[{}]", differing.join(",")) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_takes_every_combination_once() {
        let options = BTreeMap::from([
            ("a".to_owned(), vec!["1".to_owned(), "2".to_owned()]),
            ("b".to_owned(), vec!["x".to_owned(), "y".to_owned()]),
        ]);
        let all: Vec<String> =
            combinations(&options).iter().map(|chosen| format!("{}{}", chosen["a"], chosen["b"])).collect();
        assert_eq!(all, ["1x", "1y", "2x", "2y"]);
        assert_eq!(combinations(&BTreeMap::new()), [BTreeMap::new()]);
    }
}
