//! The user's own workload: the fields that the user set, and the suite that they make.

use super::form::MY_WORKLOAD;
use crate::tui::world::World;
use dbdyno_catalog::{
    Catalog, FIELDS, Field, Suite, Workload,
    bench::suited_registry,
    engines::{Engine, Registry},
};
use dbdyno_engine::size::Size;
use std::collections::BTreeMap;

/// The fields that the form has at first.
const FIRST_FIELDS: [(&str, &str); 4] = [("rows", "100k"), ("value", "200"), ("read", "90"), ("update", "10")];

/// The values that were set, by the names of their fields.
pub(super) type WorkloadFields = BTreeMap<&'static str, String>;

/// The form of the user's own workload.
#[derive(Debug, Clone)]
pub(crate) struct OwnWorkload {
    set: WorkloadFields,
    made: Result<Made, String>,
}

/// What the fields make.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) workload: Workload,
    pub(super) suite: Suite,
    /// The sizes that the line gives.
    pub(super) sizes: Vec<Size>,
    /// The engines with the option values that the suite sets.
    suited: Registry,
}

impl Made {
    fn of(line: &str, registry: &Registry) -> Result<Self, String> {
        let workload: Workload = line.parse()?;
        let name = workload.name();
        let text = workload.suite(&name, registry);
        let suite = Catalog::suite_of(&name, MY_WORKLOAD, text).map_err(|error| error.to_string())?;
        let (sizes, suited) = (workload.sizes(&suite)?, suited_registry(registry, &suite));
        Ok(Self { workload, suite, sizes, suited })
    }

    /// Returns an engine with the option defaults that it has in this workload.
    pub(super) fn engine(&self, name: &str) -> Option<&Engine> {
        self.suited.engines.iter().find(|engine| engine.description.name == name)
    }
}

impl OwnWorkload {
    pub(crate) fn new(world: &World) -> Self {
        let known = |(name, value): &(&str, &str)| Some((field(name)?.name, (*value).to_owned()));
        let mut own = Self { set: FIRST_FIELDS.iter().filter_map(known).collect(), made: Err(String::new()) };
        own.make(world);
        own
    }

    /// Makes the suite from the fields and the engines that are known.
    pub(super) fn make(&mut self, world: &World) {
        self.made = Made::of(&self.line(), &world.registry);
    }

    /// Returns what the fields make, or why they make nothing together.
    pub(super) fn made(&self) -> Result<&Made, &String> {
        self.made.as_ref()
    }

    /// Returns the values that were set.
    pub(super) fn fields(&self) -> &WorkloadFields {
        &self.set
    }

    /// Sets all fields to earlier values.
    pub(super) fn restore(&mut self, set: WorkloadFields, world: &World) {
        self.set = set;
        self.make(world);
    }

    /// Returns the line that describes the workload.
    pub(super) fn line(&self) -> String {
        let set = FIELDS.iter().filter_map(|field| Some(format!("{}={}", field.name, self.set.get(field.name)?)));
        set.collect::<Vec<_>>().join(",")
    }

    /// Returns the value that was set for a field.
    pub(super) fn value(&self, field: &Field) -> Option<&str> {
        self.set.get(field.name).map(String::as_str)
    }

    /// Sets a field, in place of those that it excludes; an empty value sets its default.
    ///
    /// # Errors
    /// What was expected, if the field cannot have this value.
    pub(super) fn set(&mut self, field: &Field, value: &str, world: &World) -> Result<(), String> {
        let value = value.trim();
        if value.is_empty() || value == field.default {
            self.reset(field, world);
        } else {
            field.check(value).map_err(|why| format!("{} = {value}: {why}", field.name))?;
            field.excludes.iter().for_each(|other| drop(self.set.remove(other)));
            self.set.insert(field.name, value.to_owned());
            self.make(world);
        }
        Ok(())
    }

    /// Sets a field to its default.
    pub(super) fn reset(&mut self, field: &Field, world: &World) {
        self.set.remove(field.name);
        self.make(world);
    }
}

/// Returns the values that a field steps through: its default, if it is one value, and its examples.
pub(super) fn steps(field: &Field) -> Vec<&'static str> {
    let is_step =
        |default: &&str| !default.is_empty() && !field.values.contains(default) && field.check(default).is_ok();
    Some(field.default).filter(is_step).into_iter().chain(field.values.iter().copied()).collect()
}

pub(super) fn field(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}
