//! The world as it is known before anything slow is requested: the first frame is painted from it.

use crate::tui::{
    filter::{read_history, read_views},
    setup::TuiSetup,
    world::World,
};
use dbdyno_catalog::{
    CatalogError,
    bench::{Preset, ReadyMade},
    engines::Registry,
};
use dbdyno_foundation::host::HostFacts;

/// The suite that comes first in lists to choose from.
const FIRST_SUITE: &str = "kv";

/// Reads the catalog and the engines that are built in.
pub fn read(setup: &TuiSetup) -> World {
    let catalog = &setup.catalog;
    let mut broken = Vec::new();
    let views = read_views(catalog).unwrap_or_else(|reason| {
        broken.push(reason);
        Vec::new()
    });
    let mut world = World {
        filters: read_history(catalog),
        views,
        suites: all(catalog.suite_names(), |name| catalog.suite(name), &mut broken),
        own_suites: catalog.suite_names().into_iter().filter(|name| catalog.has_own_suite(name)).collect(),
        presets: benches(all(catalog.preset_names(), |name| ReadyMade::find(catalog, name), &mut broken)),
        themes: all(catalog.theme_names(), |name| catalog.theme(name), &mut broken),
        theme: setup.look.theme.name.clone(),
        claims: all(catalog.claims_names(), |name| catalog.claims(name), &mut broken),
        store: setup.store.path().display().to_string(),
        host: HostFacts::read().name,
        arguments: setup.arguments.clone(),
        cpu: setup.cpu,
        keys: setup.keys.clone(),
        is_first: !setup.store.exists() && !setup.store.has_journals(),
        ..World::default()
    };
    world.broken = broken;
    world.take_engines(Registry::built_in());
    // Screens begin with the suite that any engine runs in seconds.
    world.suites.sort_by_key(|suite| suite.name != FIRST_SUITE);
    world
}

/// Returns the presets that are one bench, because a form holds no more.
fn benches(presets: Vec<ReadyMade>) -> Vec<Preset> {
    let bench = |preset| match preset {
        ReadyMade::Bench(preset) => Some(*preset),
        ReadyMade::Sequence(_) => None,
    };
    presets.into_iter().filter_map(bench).collect()
}

fn all<T>(names: Vec<String>, read: impl Fn(&str) -> Result<T, CatalogError>, broken: &mut Vec<String>) -> Vec<T> {
    let mut found = Vec::new();
    for name in names {
        match read(&name) {
            Ok(one) => found.push(one),
            Err(error) => broken.push(error.to_string()),
        }
    }
    found
}
