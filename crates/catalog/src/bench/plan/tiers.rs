//! Configurations of different tiers are not compared. A plan says so before it is run, with the options that change it.

use super::{BenchPlan, Configuration};
use crate::Difference;
use dbdyno_engine::{
    describe::{OptionKind, OptionSpec},
    durability::Tier,
    names::one_of,
    settings::Settings,
};

/// The most options of a configuration that are suggested.
const MOST_OPTIONS: usize = 2;

impl BenchPlan {
    /// Returns which configurations are alone in their tier, and what would give them that of another; none if every tier has several.
    pub fn alone_in_tier(&self) -> Option<String> {
        let size = self.configurations.first()?.size;
        let is_one = |one: &&Configuration| one.size == size && one.twin_of.is_none();
        let all: Vec<&Configuration> = self.configurations.iter().filter(is_one).collect();
        let is_alone = |one: &&&Configuration| all.iter().filter(|other| other.tier == one.tier).count() == 1;
        let alone: Vec<&&Configuration> = all.iter().filter(is_alone).collect();
        if all.len() < 2 || alone.is_empty() || self.closing.allow.contains(&Difference::Tiers) {
            return None;
        }
        let highest = all.iter().map(|one| one.tier).max()?;
        let tiers: Vec<String> =
            alone.iter().map(|one| format!("{} has tier {}", one.label, one.tier.sign())).collect();
        let way = |one: &&&Configuration| {
            let ways = one.ways_to(highest);
            (!ways.is_empty()).then(|| format!("{} has tier {} with {}", one.label, highest.sign(), one_of(&ways)))
        };
        let lower = alone.iter().filter(|one| one.tier < highest);
        let ways: Vec<String> =
            lower.filter_map(way).chain(["--allow tiers compares them anyway".to_owned()]).collect();
        Some(format!("{}, and different tiers are not compared: {}", tiers.join(", "), ways.join("; ")))
    }
}

impl Configuration {
    /// Returns the options that alone give it a tier, with their values: `journal_mode=persist|wal`.
    fn ways_to(&self, tier: Tier) -> Vec<String> {
        let description = &self.engine.description;
        let gives = |option: &OptionSpec, value: &String| {
            let mut values = self.settings.to_map();
            values.insert(option.name.clone(), value.clone());
            let settings = Settings::unchecked(values);
            description.tier(&settings).0 == tier && description.conflict(&settings).is_none()
        };
        let way = |option: &OptionSpec| {
            let OptionKind::Choice { choices } = &option.kind else { return None };
            let values: Vec<&str> = choices.iter().filter(|value| gives(option, value)).map(String::as_str).collect();
            (!values.is_empty()).then(|| format!("{}={}", option.name, values.join("|")))
        };
        description.options.iter().filter_map(way).take(MOST_OPTIONS).collect()
    }
}
