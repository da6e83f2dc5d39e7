//! What to set, in the engine's own terms, with the evidence for it.

use super::{ledger::Ledger, trial::Trial};
use dbdyno_engine::describe::{Description, OptionSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The settings that a trial came to, and the trials that led there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneAnswer {
    pub engine: String,
    /// Options that are not at their default, in the order in which they have to be set.
    pub settings: Vec<Setting>,
    /// The options not at their default that the first base had.
    pub base: BTreeMap<String, String>,
    /// The trials, each the base of the next.
    pub evidence: Vec<Trial>,
}

/// One option to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    pub option: String,
    pub value: String,
    /// The statement that sets it; none: it is set otherwise.
    pub statement: Option<String>,
    /// What the option is.
    pub help: String,
    /// Whether it only acts on a fresh database.
    pub fresh: bool,
    /// What to know before using it.
    pub risk: Option<String>,
}

impl TuneAnswer {
    /// What the last of these trials came to; each is the base of the next, and the engine describes itself thus. None
    /// without a trial.
    pub fn new(engine: &Description, evidence: Vec<Trial>) -> Option<Self> {
        let (first, last) = (evidence.first()?, evidence.last()?);
        let changed = last.changed();
        let mut options: Vec<&OptionSpec> = engine
            .options
            .iter()
            .filter(|option| changed.get(&option.name).is_some_and(|v| *v != option.default))
            .collect();
        // Statements first, in their order; a sort that is stable keeps the others as they are described.
        options.sort_by_key(|option| option.tuning.statement.as_ref().map_or(u32::MAX, |statement| statement.place));
        let setting = |option: &OptionSpec| {
            let value = changed.get(&option.name).cloned().unwrap_or_default();
            // A trial may come from another store, and what is in the statement is typed into a database.
            let is_value = option.kind.canonical(&value).is_ok_and(|canonical| canonical == value);
            Setting {
                statement: option.tuning.statement.as_ref().filter(|_| is_value).map(|told| told.with(&value)),
                risk: option.tuning.risks.get(&value).cloned(),
                option: option.name.clone(),
                help: option.help.clone(),
                fresh: option.fresh,
                value,
            }
        };
        let not_default =
            |(name, value): &(&String, &String)| engine.option(name).is_some_and(|option| option.default != **value);
        let base = first.base.iter().filter(not_default).map(|(name, value)| (name.clone(), value.clone())).collect();
        Some(Self { engine: engine.name.clone(), settings: options.into_iter().map(setting).collect(), base, evidence })
    }
}

impl Ledger {
    /// The trials that led to one, and it itself as the last: each is the base of the next. Empty when it is not here.
    pub fn path(&self, trial_id: &str) -> Vec<Trial> {
        let find = |id: &str| self.entries.iter().map(|entry| &entry.trial).find(|trial| trial.trial_id == id);
        let mut path: Vec<Trial> = Vec::new();
        let mut next = find(trial_id);
        while let Some(trial) = next {
            path.insert(0, trial.clone());
            // A trial is older than those that begin with it, so this ends; a file made by hand may say otherwise.
            next = trial.parent_id.as_deref().and_then(find).filter(|parent| parent.tried_at < trial.tried_at);
        }
        path
    }
}
