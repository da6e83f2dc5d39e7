//! Whether options are in force as requested.

use dbdyno_engine::{
    describe::{Description, OptionKind},
    settings::Settings,
};
use std::collections::BTreeMap;

/// Returns, in words, the options whose value in force is not the requested one. A word like `auto` requests no particular value.
pub fn differing(description: &Description, settings: &Settings, in_force: &BTreeMap<String, String>) -> Vec<String> {
    in_force
        .iter()
        .filter_map(|(name, value)| {
            let asked = settings.get(name)?;
            let open_ended = description.option(name).is_some_and(
                |option| matches!(&option.kind, OptionKind::Size { words, .. } if words.iter().any(|word| word == asked)),
            );
            (asked != value && !open_ended).then(|| format!("{name} is `{value}`, requested `{asked}`"))
        })
        .collect()
}
