//! Options with which an engine's commits survive what is asked for.

use dbdyno_engine::{
    describe::{Description, OptionKind},
    durability::Tier,
    settings::Settings,
};
use std::collections::BTreeMap;

/// Returns the fewest options that give an engine this tier: none where its defaults do, else one, else two. `None`: no two options do.
pub fn options(engine: &Description, tier: Tier) -> Option<BTreeMap<String, String>> {
    let gives = |asked: &BTreeMap<String, String>| {
        Settings::asked(engine, asked)
            .and_then(|_| Settings::resolve(engine, asked))
            .is_ok_and(|settings| engine.tier(&settings).0 == tier && engine.conflict(&settings).is_none())
    };
    let none = BTreeMap::new();
    if gives(&none) {
        return Some(none);
    }
    let changes = changes(engine);
    let one = |(name, value): &(String, String)| BTreeMap::from([(name.clone(), value.clone())]);
    let single = changes.iter().map(one).find(|asked| gives(asked));
    single.or_else(|| {
        let pairs = changes
            .iter()
            .enumerate()
            .flat_map(|(at, first)| changes[at + 1..].iter().map(move |second| (first, second)));
        pairs
            .filter(|(first, second)| first.0 != second.0)
            .map(|(first, second)| {
                let mut asked = one(first);
                asked.extend(one(second));
                asked
            })
            .find(|asked| gives(asked))
    })
}

/// Returns every value of the options on which the engine's tiers depend.
fn changes(engine: &Description) -> Vec<(String, String)> {
    let of_tiers = |name: &str| engine.tiers.iter().any(|rule| rule.when.contains_key(name));
    engine
        .options
        .iter()
        .filter(|option| of_tiers(&option.name))
        .flat_map(|option| {
            let all: Vec<String> = match &option.kind {
                OptionKind::Choice { choices } => choices.clone(),
                OptionKind::Bool => ["on", "off"].map(str::to_owned).to_vec(),
                // The values that the rules name.
                _ => engine.tiers.iter().filter_map(|rule| rule.when.get(&option.name)).flatten().cloned().collect(),
            };
            // What is worth trying first is better for most workloads.
            let first = option.tuning.values.clone().unwrap_or_default();
            let rest: Vec<String> = all.iter().filter(|value| !first.contains(value)).cloned().collect();
            let values = first.into_iter().filter(|value| all.contains(value)).chain(rest).collect::<Vec<_>>();
            values.into_iter().map(|value| (option.name.clone(), value))
        })
        .collect()
}
