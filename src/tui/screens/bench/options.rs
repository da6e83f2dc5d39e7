//! The options pane: the form that follows from an engine's or a suite's description.

use super::{BenchScreen, Dialog, Intents, Pane};
use crate::tui::{overlay::ListItem, screens::intent::Intent, world::World};
use dbdyno_catalog::bench::{Values, combinations};
use dbdyno_engine::{
    describe::{Description, OptionKind, OptionSpec},
    durability::Tier,
    settings::Settings,
};
use std::collections::{BTreeMap, BTreeSet};

/// The owner of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionOwner {
    /// The selected suite.
    Suite,
    /// The engine at this index of the list.
    Entry(usize),
}

/// An option with its selected values.
#[derive(Debug, Clone, Copy)]
pub struct OptionRow<'a> {
    pub(crate) spec: &'a OptionSpec,
    /// The selected values; none for the default.
    pub(crate) chosen: Option<&'a Vec<String>>,
}

impl BenchScreen {
    /// Returns the description of the engine whose options are shown.
    pub(crate) fn description<'w>(&self, world: &'w World) -> Option<&'w Description> {
        let OptionOwner::Entry(at) = self.owner else { return None };
        let name = &self.form.entries.get(at)?.engine;
        let engine = world.engine_on(&self.form.suite, name)?;
        Some(&engine.description)
    }

    /// Returns the visible options.
    pub(crate) fn rows<'a>(&'a self, world: &'a World) -> Vec<OptionRow<'a>> {
        let specs: &[OptionSpec] = match self.owner {
            OptionOwner::Suite => self.suite(world).map_or(&[], |suite| &suite.options),
            OptionOwner::Entry(_) => self.description(world).map_or(&[], |description| &description.options),
        };
        let values = self.values(self.owner);
        specs
            .iter()
            .filter(|spec| self.filter.means_text(&spec.name))
            .map(|spec| OptionRow { spec, chosen: values.and_then(|values| values.get(&spec.name)) })
            .collect()
    }

    /// Returns the tiers of the shown engine's selected configurations, highest first.
    pub(crate) fn tiers(&self, world: &World) -> Vec<Tier> {
        let (Some(description), Some(values)) = (self.description(world), self.values(self.owner)) else {
            return Vec::new();
        };
        let mut tiers = BTreeSet::new();
        for asked in combinations(values) {
            if let Ok(settings) = Settings::resolve(description, &asked) {
                tiers.insert(description.tier(&settings).0);
            }
        }
        tiers.into_iter().rev().collect()
    }

    /// Returns the tier of the shown engine if an option had this value and the others their first selected value.
    pub(crate) fn tier_with(&self, world: &World, option: &str, value: &str) -> Option<Tier> {
        let (description, values) = (self.description(world)?, self.values(self.owner)?);
        let first = values.iter().filter_map(|(name, values)| Some((name.clone(), values.first()?.clone())));
        let mut asked: BTreeMap<String, String> = first.collect();
        asked.insert(option.to_owned(), value.to_owned());
        let settings = Settings::resolve(description, &asked).ok()?;
        Some(description.tier(&settings).0)
    }

    fn values(&self, owner: OptionOwner) -> Option<&Values> {
        match owner {
            OptionOwner::Suite => Some(&self.form.suite_options),
            OptionOwner::Entry(at) => self.form.entries.get(at).map(|entry| &entry.options),
        }
    }

    /// Sets an option's values; the default alone is not stored. Changing an engine's option selects the engine.
    fn set(&mut self, owner: OptionOwner, spec: &OptionSpec, values: Vec<String>, world: &World) {
        let default = values.is_empty() || values == [spec.default.clone()];
        let of_owner = match owner {
            OptionOwner::Suite => &mut self.form.suite_options,
            OptionOwner::Entry(at) => {
                let Some(entry) = self.form.entries.get_mut(at) else { return };
                entry.on = true;
                &mut entry.options
            }
        };
        if default {
            of_owner.remove(&spec.name);
        } else {
            of_owner.insert(spec.name.clone(), values);
        }
        self.form.changed();
        self.plan(world);
    }

    fn at_cursor(&self, world: &World) -> Option<(OptionSpec, Vec<String>)> {
        if self.pane != Pane::Options {
            return None;
        }
        let rows = self.rows(world);
        let row = rows.get(self.cursor().at)?;
        let chosen = row.chosen.cloned().unwrap_or_else(|| vec![row.spec.default.clone()]);
        Some((row.spec.clone(), chosen))
    }

    /// Moves to the next or the previous value of a choice; asks for the value of other options.
    pub(super) fn step_value(&mut self, forward: bool, world: &World) -> Intents {
        let Some((spec, chosen)) = self.at_cursor(world) else { return Intents::new() };
        let Some(words) = words(&spec.kind) else { return self.ask_value(world) };
        let at = words.iter().position(|word| chosen.first() == Some(word)).unwrap_or(0);
        let next = if forward { at + 1 } else { at + words.len() - 1 } % words.len();
        self.set(self.owner, &spec, vec![words[next].clone()], world);
        Intents::new()
    }

    pub(super) fn ask_value(&self, world: &World) -> Intents {
        let Some((spec, chosen)) = self.at_cursor(world) else { return Intents::new() };
        let help = format!("{}; several separated by | make a sweep", spec.kind.expected());
        let dialog = Dialog::Value(self.owner, spec.name.clone());
        vec![Intent::prompt(dialog, spec.name, help, chosen.join("|"))]
    }

    pub(super) fn sweep(&self, world: &World) -> Intents {
        let Some((spec, chosen)) = self.at_cursor(world) else {
            return vec![Intent::said("a sweep varies an option: press Right to go to the options")];
        };
        let Some(words) = words(&spec.kind) else { return self.ask_value(world) };
        let items = words
            .iter()
            .map(|word| {
                let tier = self.tier_with(world, &spec.name, word);
                let mut detail = tier.map_or_else(String::new, |tier| format!("tier {tier}"));
                if *word == spec.default {
                    detail.push_str(if detail.is_empty() { "default" } else { " · default" });
                }
                ListItem { chosen: chosen.contains(word), ..ListItem::new(word, detail) }
            })
            .collect();
        let dialog = Dialog::Values(self.owner, spec.name.clone());
        vec![Intent::choose_several(dialog, format!("Values of {}", spec.name), items)]
    }

    pub(super) fn reset(&mut self, world: &World) {
        if let Some((spec, _)) = self.at_cursor(world) {
            self.set(self.owner, &spec, Vec::new(), world);
        }
    }

    pub(super) fn choose_values(&mut self, owner: OptionOwner, option: &str, chosen: &[usize], world: &World) {
        let Some(spec) = self.spec(owner, option, world) else { return };
        let words = words(&spec.kind).unwrap_or_default();
        let values = chosen.iter().filter_map(|&at| words.get(at).cloned()).collect();
        self.set(owner, &spec, values, world);
    }

    pub(super) fn type_values(
        &mut self,
        owner: OptionOwner,
        option: &str,
        text: &str,
        world: &World,
    ) -> Result<(), String> {
        let Some(spec) = self.spec(owner, option, world) else { return Ok(()) };
        let mut values: Vec<String> = Vec::new();
        for typed in text.split('|') {
            let expected = |expected: String| format!("{option} = `{}`: expected {expected}", typed.trim());
            let value = spec.kind.canonical(typed).map_err(expected)?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        self.set(owner, &spec, values, world);
        Ok(())
    }

    fn spec(&self, owner: OptionOwner, option: &str, world: &World) -> Option<OptionSpec> {
        let all = match owner {
            OptionOwner::Suite => &self.suite(world)?.options,
            OptionOwner::Entry(at) => {
                let name = &self.form.entries.get(at)?.engine;
                &world.engine_on(&self.form.suite, name)?.description.options
            }
        };
        all.iter().find(|spec| spec.name == option).cloned()
    }
}

/// Returns the values that an option chooses from; none for numbers.
fn words(kind: &OptionKind) -> Option<Vec<String>> {
    match kind {
        OptionKind::Choice { choices } => Some(choices.clone()),
        OptionKind::Bool => Some(vec!["off".to_owned(), "on".to_owned()]),
        _ => None,
    }
}
