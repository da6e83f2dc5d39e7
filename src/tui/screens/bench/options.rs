//! The options pane: the form that follows from an engine's or a suite's description.

use super::{
    BenchPane, BenchScreen, Dialog, Intents,
    files::{FileChoice, OwnFile, OwnKind},
    form::BenchSubject,
    workload::{OwnWorkload, field, steps},
};
use crate::tui::{overlay::ListItem, screens::intent::Intent, world::World};
use dbdyno_catalog::{
    FIELDS, Field,
    bench::{Values, combinations},
};
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

/// An option, a field or a file with its selected values.
#[derive(Debug, Clone)]
pub struct OptionRow<'a> {
    pub(crate) name: &'a str,
    pub(crate) default: &'a str,
    /// The selected values; none for the default.
    pub(crate) chosen: Option<Vec<&'a str>>,
    /// The value that the option `memory` gives it in place of its default.
    pub(super) by_memory: Option<String>,
    /// The values to step through.
    pub(crate) words: Vec<&'a str>,
    /// Its meaning, and the values that `words` do not list.
    pub(crate) help: String,
    /// Whether its values are paths, whose ends matter most.
    pub(crate) is_path: bool,
}

impl<'a> OptionRow<'a> {
    fn option(spec: &'a OptionSpec, values: Option<&'a Values>) -> Self {
        let chosen = values.and_then(|values| values.get(&spec.name));
        let fresh = if spec.fresh { " (of a fresh database)" } else { "" };
        let words = words(&spec.kind);
        let expected = if words.is_empty() { format!(" · {}", spec.kind.expected()) } else { String::new() };
        Self {
            name: &spec.name,
            default: &spec.default,
            chosen: chosen.map(|values| values.iter().map(String::as_str).collect()),
            by_memory: None,
            words,
            help: format!("{}{fresh} · default of the engine: {}{expected}", spec.help, spec.default),
            is_path: spec.kind == OptionKind::Path,
        }
    }

    fn field(field: &'static Field, own: &'a OwnWorkload) -> Self {
        let default = if field.default.is_empty() { String::new() } else { format!(" · default {}", field.default) };
        Self {
            name: field.name,
            default: field.default,
            chosen: own.value(field).map(|value| vec![value]),
            by_memory: None,
            words: steps(field),
            help: format!("{}{default}", field.meaning),
            is_path: false,
        }
    }

    fn file(file: OwnFile, chosen: &'a FileChoice) -> Self {
        Self {
            name: file.name(),
            default: "none",
            chosen: chosen.path(file).map(|path| vec![path]),
            by_memory: None,
            words: Vec::new(),
            help: file.help().to_owned(),
            is_path: true,
        }
    }

    /// Returns the first selected value, or the default.
    pub(super) fn value(&self) -> &'a str {
        self.chosen.as_ref().and_then(|chosen| chosen.first().copied()).unwrap_or(self.default)
    }

    /// Returns the values other than the present one, the next one first.
    pub(super) fn others(&self) -> impl Iterator<Item = &'a str> {
        let value = self.value();
        let after = self.words.iter().position(|word| *word == value).map_or(0, |at| at + 1);
        let (before, after) = self.words.split_at(after);
        after.iter().chain(before).copied().filter(move |word| *word != value)
    }

    /// Returns the value after the present one, or before it.
    fn step(&self, forward: bool) -> Option<&'a str> {
        let count = self.words.len();
        let at = self.words.iter().position(|word| *word == self.value());
        let next = match (at, forward) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, _) => 0,
        };
        self.words.get(next).copied()
    }
}

impl BenchScreen {
    /// Returns the description of the engine whose options are shown.
    pub(crate) fn description<'w>(&'w self, world: &'w World) -> Option<&'w Description> {
        let OptionOwner::Entry(at) = self.owner else { return None };
        let name = &self.form.entries.get(at)?.engine;
        Some(&self.engine(name, world)?.description)
    }

    /// Whether the options shown are the fields of the user's own workload.
    pub(super) fn shows_fields(&self) -> bool {
        self.form.measured == BenchSubject::Workload && self.owner == OptionOwner::Suite
    }

    /// Returns the kind of the user's own files, if the options shown are these.
    fn shown_files(&self) -> Option<OwnKind> {
        self.form.measured.own().filter(|_| self.owner == OptionOwner::Suite)
    }

    /// Returns the visible options.
    pub(crate) fn rows<'a>(&'a self, world: &'a World) -> Vec<OptionRow<'a>> {
        if self.shows_fields() {
            let shown = FIELDS.iter().filter(|field| self.filter.means_text(field.name));
            return shown.map(|field| OptionRow::field(field, &self.own)).collect();
        }
        let files = self.shown_files().into_iter().flat_map(|kind| {
            let shown = kind.files().into_iter().filter(|file| self.filter.means_text(file.name()));
            shown.map(move |file| OptionRow::file(file, self.files(kind)))
        });
        let specs: &[OptionSpec] = match self.owner {
            OptionOwner::Suite => self.suite(world).map_or(&[], |suite| &suite.options),
            OptionOwner::Entry(_) => self.description(world).map_or(&[], |description| &description.options),
        };
        let values = self.values(self.owner);
        let specs = specs.iter().filter(|spec| self.filter.means_text(&spec.name));
        let spelled_out = self.spelled_out(world);
        let option = |spec: &'a OptionSpec| OptionRow {
            by_memory: spelled_out
                .get(&spec.name)
                .filter(|_| !values.is_some_and(|one| one.contains_key(&spec.name)))
                .cloned(),
            ..OptionRow::option(spec, values)
        };
        files.chain(specs.map(option)).collect()
    }

    /// Returns the options that the first value of each selected one sets, with the option that `memory` stands for.
    fn spelled_out(&self, world: &World) -> BTreeMap<String, String> {
        let (Some(description), Some(values)) = (self.description(world), self.values(self.owner)) else {
            return BTreeMap::new();
        };
        let first = values.iter().filter_map(|(name, values)| Some((name.clone(), values.first()?.clone())));
        Settings::asked(description, &first.collect()).unwrap_or_default()
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

    fn at_cursor<'a>(&'a self, world: &'a World) -> Option<OptionRow<'a>> {
        if self.pane != BenchPane::Options {
            return None;
        }
        self.rows(world).into_iter().nth(self.cursor().at)
    }

    /// Moves to the next or the previous value of a choice; asks for the value of other options.
    pub(super) fn step_value(&mut self, forward: bool, world: &World) -> Intents {
        let Some(row) = self.at_cursor(world) else { return Intents::new() };
        let Some(next) = row.step(forward) else { return self.ask_value(world) };
        let (name, next) = (row.name.to_owned(), next.to_owned());
        match self.type_values(self.owner, &name, &next, world) {
            Ok(()) => Intents::new(),
            Err(reason) => vec![Intent::failed(reason)],
        }
    }

    pub(super) fn ask_value(&self, world: &World) -> Intents {
        let Some(row) = self.at_cursor(world) else { return Intents::new() };
        if let Some((kind, file)) = self.file_of(&row) {
            return self.ask_file(kind, file);
        }
        let expected = self.spec(self.owner, row.name, world).map(|spec| spec.kind.expected());
        let help = match expected {
            Some(expected) => format!("{expected}; several separated by | make a sweep"),
            None => format!("{}, such as {}; empty for the default", row.help, row.words.join(", ")),
        };
        let value = row.chosen.as_ref().map_or_else(|| row.default.to_owned(), |chosen| chosen.join("|"));
        // The default of a field may be words.
        let text = if self.shows_fields() && row.chosen.is_none() { String::new() } else { value };
        vec![Intent::prompt(Dialog::Value(self.owner, row.name.to_owned()), row.name, help, text)]
    }

    pub(super) fn sweep(&self, world: &World) -> Intents {
        let Some(row) = self.at_cursor(world) else {
            return vec![Intent::refused("a sweep varies an option: press Right to go to the options")];
        };
        if self.shows_fields() {
            return vec![Intent::refused("a sweep varies options of engines: a workload has one value for each field")];
        }
        if self.file_of(&row).is_some() {
            return vec![Intent::refused("a sweep varies options of engines: the workload comes from one file")];
        }
        if row.words.is_empty() {
            return self.ask_value(world);
        }
        let chosen = row.chosen.clone().unwrap_or_else(|| vec![row.default]);
        let items = row
            .words
            .iter()
            .map(|word| {
                let tier = self.tier_with(world, row.name, word);
                let mut detail = tier.map_or_else(String::new, |tier| format!("tier {tier}"));
                if *word == row.default {
                    detail.push_str(if detail.is_empty() { "default" } else { " · default" });
                }
                ListItem { chosen: chosen.contains(word), ..ListItem::new(*word, detail) }
            })
            .collect();
        let dialog = Dialog::Values(self.owner, row.name.to_owned());
        vec![Intent::choose_several(dialog, format!("Values of {}", row.name), items)]
    }

    pub(super) fn reset(&mut self, world: &World) -> Intents {
        let Some(row) = self.at_cursor(world) else { return Intents::new() };
        let (name, file) = (row.name.to_owned(), self.file_of(&row));
        if let Some((kind, file)) = file {
            return self.choose_file(kind, file, "", world);
        }
        if let Some(field) = field(&name).filter(|_| self.shows_fields()) {
            self.own.reset(field, world);
            self.take_own(world);
        } else if let Some(spec) = self.spec(self.owner, &name, world) {
            self.set(self.owner, &spec, Vec::new(), world);
        }
        Intents::new()
    }

    /// Returns the file of a row, if files are shown.
    fn file_of(&self, row: &OptionRow<'_>) -> Option<(OwnKind, OwnFile)> {
        let kind = self.shown_files()?;
        Some((kind, kind.files().into_iter().find(|file| file.name() == row.name)?))
    }

    pub(super) fn choose_values(&mut self, owner: OptionOwner, option: &str, chosen: &[usize], world: &World) {
        let Some(spec) = self.spec(owner, option, world) else { return };
        let words = words(&spec.kind);
        let values = chosen.iter().filter_map(|&at| words.get(at).map(|word| (*word).to_owned())).collect();
        self.set(owner, &spec, values, world);
    }

    fn set_field(&mut self, field: &'static Field, value: &str, world: &World) -> Result<(), String> {
        self.own.set(field, value, world)?;
        self.take_own(world);
        Ok(())
    }

    pub(super) fn type_values(
        &mut self,
        owner: OptionOwner,
        option: &str,
        text: &str,
        world: &World,
    ) -> Result<(), String> {
        if let Some(field) =
            field(option).filter(|_| self.form.measured == BenchSubject::Workload && owner == OptionOwner::Suite)
        {
            return self.set_field(field, text, world);
        }
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
                &self.engine(name, world)?.description.options
            }
        };
        all.iter().find(|spec| spec.name == option).cloned()
    }
}

/// Returns the values that an option chooses from; none for numbers.
fn words(kind: &OptionKind) -> Vec<&str> {
    match kind {
        OptionKind::Choice { choices } => choices.iter().map(String::as_str).collect(),
        OptionKind::Bool => vec!["off", "on"],
        _ => Vec::new(),
    }
}
