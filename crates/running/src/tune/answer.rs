//! The recommended settings in the engine's own terms, with the evidence for them.

use super::{change::OptionChange, ledger::Ledger, trial::Trial};
use dbdyno_engine::{
    describe::{Description, OptionKind, OptionSpec},
    settings::Settings,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The settings that a trial led to, and the trials on the way there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneAnswer {
    pub engine: String,
    /// Options that are not at their default, in the order in which they have to be set.
    pub settings: Vec<Setting>,
    /// The options of the first base that were not at their default.
    pub base: BTreeMap<String, String>,
    /// The trials, each the base of the next.
    pub evidence: Vec<Trial>,
    /// What is known of the settings beside the trials, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
}

/// One option to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    pub option: String,
    pub value: String,
    /// The statement that sets it; none: it is set in another way.
    pub statement: Option<String>,
    /// The code with which a program has this value, if no statement sets it; none: the description does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The description of the option.
    pub help: String,
    /// Whether it acts only on a fresh database.
    pub fresh: bool,
    /// Cautions about its use.
    pub risk: Option<String>,
}

impl Setting {
    /// Returns the options that are not at their default, in the order in which they have to be set. `changed`: the options with their
    /// values.
    pub fn of(engine: &Description, changed: &BTreeMap<String, String>) -> Vec<Self> {
        let mut options: Vec<&OptionSpec> = engine
            .options
            .iter()
            .filter(|option| changed.get(&option.name).is_some_and(|v| *v != option.default))
            .collect();
        // Statements come first, in their order. The stable sort keeps the others in the order of the description.
        options.sort_by_key(|option| option.tuning.statement.as_ref().map_or(u32::MAX, |statement| statement.place));
        let setting = |option: &OptionSpec| Self::new(option, changed.get(&option.name).cloned().unwrap_or_default());
        options.into_iter().map(setting).collect()
    }

    /// Returns the options at their default with another value of which a commit would survive less.
    pub fn keeping_tier(engine: &Description, settings: &Settings) -> Vec<Self> {
        let tier = engine.tier(settings).0;
        let lowers = |option: &OptionSpec, value: &String| {
            let change = OptionChange([(option.name.clone(), value.clone())].into());
            change.made_to(settings, engine).is_ok_and(|other| engine.tier(&other).0 < tier)
        };
        let keeps = |option: &&OptionSpec| {
            let OptionKind::Choice { choices } = &option.kind else { return false };
            settings.get(&option.name) == Some(&*option.default) && choices.iter().any(|value| lowers(option, value))
        };
        engine.options.iter().filter(keeps).map(|option| Self::new(option, option.default.clone())).collect()
    }

    fn new(option: &OptionSpec, value: String) -> Self {
        // A trial may come from another store, and users type the statement into a database.
        let is_value = option.kind.canonical(&value).is_ok_and(|canonical| canonical == value);
        Self {
            statement: option.tuning.statement.as_ref().filter(|_| is_value).map(|told| told.with(&value)),
            code: option.tuning.code(&value).filter(|_| is_value),
            risk: option.tuning.risks.get(&value).cloned(),
            option: option.name.clone(),
            help: option.help.clone(),
            fresh: option.fresh,
            value,
        }
    }
}

impl TuneAnswer {
    /// Creates the answer from the result of the last of these trials. Each trial is the base of the next, and `engine` describes their
    /// options. None without a trial.
    pub fn new(engine: &Description, evidence: Vec<Trial>) -> Option<Self> {
        let (first, last) = (evidence.first()?, evidence.last()?);
        let changed = last.changed();
        let not_default =
            |(name, value): &(&String, &String)| engine.option(name).is_some_and(|option| option.default != **value);
        let base = first.base.iter().filter(not_default).map(|(name, value)| (name.clone(), value.clone())).collect();
        Some(Self {
            engine: engine.name.clone(),
            settings: Setting::of(engine, &changed),
            base,
            evidence,
            about: Vec::new(),
        })
    }
}

impl Ledger {
    /// Returns the trials that led to this one, and the trial itself as the last: each is the base of the next. Empty if it is not in this
    /// ledger.
    pub fn path(&self, trial_id: &str) -> Vec<Trial> {
        let find = |id: &str| self.entries.iter().map(|entry| &entry.trial).find(|trial| trial.trial_id == id);
        let mut path: Vec<Trial> = Vec::new();
        let mut next = find(trial_id);
        while let Some(trial) = next {
            path.insert(0, trial.clone());
            // A trial is older than those based on it, so this loop ends. A file written by hand may violate that order.
            next = trial.parent_id.as_deref().and_then(find).filter(|parent| parent.tried_at < trial.tried_at);
        }
        path
    }
}
