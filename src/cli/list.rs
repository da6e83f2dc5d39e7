//! `dbdyno list`: what there is to choose from.

use super::{
    args::{Listed, Places},
    error::CliError,
    print,
};
use crate::{bench::Preset, catalog::Catalog, engines::Registry, report::text};
use dbdyno_engine::describe::OptionSpec;
use std::process::ExitCode;

pub(super) fn list(places: &Places, what: Listed) -> Result<ExitCode, CliError> {
    let catalog = Catalog::new(places.folders().map_err(CliError::Usage)?);
    let entries = match what {
        Listed::Engines => engines(&Registry::discover()),
        Listed::Options => options(&catalog, &Registry::discover()),
        Listed::Suites => suites(&catalog),
        Listed::Tests => tests(&catalog),
        Listed::Presets => presets(&catalog),
        Listed::Themes => themes(&catalog),
    };
    print(&text::list(&entries))
}

fn engines(registry: &Registry) -> Vec<(String, String)> {
    let usable = registry.engines.iter().map(|engine| {
        let description = &engine.description;
        let kinds: Vec<&str> = description.suites.iter().map(|kind| kind.word()).collect();
        (description.name.clone(), format!("{}  [{}]  {}", description.version, kinds.join(", "), description.about))
    });
    let others = registry.unavailable.iter().map(|engine| (engine.name.clone(), format!("✗ {}", engine.reason)));
    usable.chain(others).collect()
}

fn options(catalog: &Catalog, registry: &Registry) -> Vec<(String, String)> {
    let entry = |owner: &str, option: &OptionSpec| {
        let fresh = if option.fresh { " (fresh database)" } else { "" };
        let text = format!("{} [{}] {}{fresh}", option.default, option.kind.expected(), option.help);
        (format!("{owner}.{}", option.name), text)
    };
    let mut entries = Vec::new();
    for engine in &registry.engines {
        let description = &engine.description;
        entries.extend(description.options.iter().map(|option| entry(&description.name, option)));
    }
    for name in catalog.suite_names() {
        if let Ok(suite) = catalog.suite(&name) {
            entries.extend(suite.options.iter().map(|option| entry(&name, option)));
        }
    }
    entries
}

fn suites(catalog: &Catalog) -> Vec<(String, String)> {
    catalog
        .suite_names()
        .into_iter()
        .map(|name| {
            let about = match catalog.suite(&name) {
                Ok(suite) => {
                    let sizes: Vec<String> = suite.sizes.iter().map(ToString::to_string).collect();
                    format!(
                        "{} ({} tests; {} {})",
                        suite.title,
                        suite.tests().count(),
                        suite.size_unit,
                        sizes.join(", ")
                    )
                }
                Err(error) => format!("✗ {error}"),
            };
            (name, about)
        })
        .collect()
}

fn tests(catalog: &Catalog) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    for name in catalog.suite_names() {
        match catalog.suite(&name) {
            Ok(suite) => entries.extend(suite.tests().map(|test| (format!("{name} {}", test.number), test.name))),
            Err(error) => entries.push((name, format!("✗ {error}"))),
        }
    }
    entries
}

fn presets(catalog: &Catalog) -> Vec<(String, String)> {
    catalog
        .preset_names()
        .into_iter()
        .map(|name| {
            let about = match Preset::find(catalog, &name) {
                Ok(preset) => preset.title,
                Err(error) => format!("✗ {error}"),
            };
            (name, about)
        })
        .collect()
}

fn themes(catalog: &Catalog) -> Vec<(String, String)> {
    let about = |name: &str| catalog.theme(name).map_or_else(|error| format!("✗ {error}"), |theme| theme.title);
    catalog.theme_names().into_iter().map(|name| (name.clone(), about(&name))).collect()
}
