//! `dbdyno list`: the available choices.

use super::{
    args::{Places, ReportArgs, one_of},
    claims::listed as claims,
    completions,
    error::CliError,
    output::command_line,
};
use crate::tui::keys::KeyTable;
use clap::{Args, builder::TypedValueParser};
use dbdyno_catalog::{Catalog, bench::ReadyMade, engines::Registry};
use dbdyno_engine::{describe::OptionSpec, names::instead_of};
use dbdyno_foundation::base::units::counted;
use dbdyno_reports::{
    evidence::EvidenceList,
    sheet::{Column, ColumnRole, Row, Table},
};
use std::{collections::BTreeSet, process::ExitCode};

/// `dbdyno list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The list to show.
    #[arg(value_parser = listed())]
    what: ListTopic,
    /// List only these names; of options and tests, only those of these engines or suites.
    #[arg(value_name = "NAME", add = completions::engines())]
    names: Vec<String>,
    #[command(flatten)]
    written: ReportArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListTopic {
    Engines,
    Options,
    Suites,
    Tests,
    Presets,
    Claims,
    Themes,
    Keys,
    Evidence,
}

fn listed() -> impl TypedValueParser<Value = ListTopic> {
    one_of(
        [
            (ListTopic::Engines, "engines", "engines with their versions"),
            (ListTopic::Options, "options", "options of engines and suites"),
            (ListTopic::Suites, "suites", "suites with their sizes"),
            (ListTopic::Tests, "tests", "tests of every suite"),
            (ListTopic::Presets, "presets", "presets"),
            (ListTopic::Claims, "claims", "published benchmarks"),
            (ListTopic::Themes, "themes", "themes of the terminal UI"),
            (ListTopic::Keys, "keys", "keys of the terminal UI, with the names of their actions"),
            (
                ListTopic::Evidence,
                "evidence",
                "durability tiers that `dbdyno torture` confirmed or contradicted, latest first",
            ),
        ]
        .into_iter(),
    )
}

pub(super) fn list(places: &Places, args: &ListArgs) -> Result<ExitCode, CliError> {
    let catalog = places.catalog()?;
    let report = args.written.checked(places)?;
    let listed = match args.what {
        ListTopic::Engines => {
            let listed = named_only(listed_engines(&Registry::discover()), &args.names)?;
            return report.table(engines(listed));
        }
        ListTopic::Options => options(&catalog, &Registry::discover()),
        ListTopic::Suites => suites(&catalog),
        ListTopic::Tests => tests(&catalog),
        ListTopic::Presets => presets(&catalog),
        ListTopic::Claims => claims(&catalog),
        ListTopic::Themes => themes(&catalog),
        ListTopic::Keys => KeyTable::of_user(&catalog)?.listed(),
        ListTopic::Evidence => {
            if let Some(name) = args.names.first() {
                let message = format!("unexpected name `{name}`: `dbdyno list evidence` takes no names");
                return Err(CliError::Usage(message));
            }
            let found = EvidenceList::read(&places.opened()?)?;
            return report.write(&found.sheet(&command_line()), &found);
        }
    };
    report.table(named(named_only(listed, &args.names)?))
}

/// The entries of these names, or all of them. An entry `sqlite.cache_size` or `kv 1` also belongs to the name in front.
fn named_only<Facts>(listed: Vec<(String, Facts)>, names: &[String]) -> Result<Vec<(String, Facts)>, CliError> {
    fn owner(entry: &str) -> &str {
        entry.split(['.', ' ']).next().unwrap_or(entry)
    }
    let is_of = |entry: &str, name: &String| entry == name || owner(entry) == name;
    if let Some(unknown) = names.iter().find(|name| !listed.iter().any(|(entry, _)| is_of(entry, name))) {
        let known: BTreeSet<&str> = listed.iter().map(|(entry, _)| owner(entry)).collect();
        return Err(CliError::Usage(format!("unknown name `{unknown}`: {}", instead_of(unknown, known))));
    }
    let is_wanted = |entry: &(String, Facts)| names.is_empty() || names.iter().any(|name| is_of(&entry.0, name));
    Ok(listed.into_iter().filter(is_wanted).collect())
}

/// Returns names as a table, each with its description.
pub(super) fn named(listed: impl IntoIterator<Item = (String, String)>) -> Table {
    Table::pairs(["name", "about"], listed.into_iter().map(|(name, about)| [name, about]))
}

/// The facts about an engine that the list shows.
struct EngineFacts {
    about: String,
    licence: String,
    languages: String,
}

fn listed_engines(registry: &Registry) -> Vec<(String, EngineFacts)> {
    let usable = registry.engines.iter().map(|engine| {
        let description = &engine.description;
        let kinds: Vec<&str> = description.suites.iter().map(|kind| kind.word()).collect();
        let facts = EngineFacts {
            about: format!("{}  [{}]  {}", description.version, kinds.join(", "), description.about),
            licence: description.licence.clone().unwrap_or_default(),
            languages: description.languages.join(", "),
        };
        (description.name.clone(), facts)
    });
    let others = registry.unavailable.iter().map(|engine| {
        let about = format!("✗ {}", engine.reason);
        (engine.name.clone(), EngineFacts { about, licence: String::new(), languages: String::new() })
    });
    usable.chain(others).collect()
}

/// Returns engines as a table. Text leaves out licences and languages if the terminal is too narrow for them.
fn engines(listed: Vec<(String, EngineFacts)>) -> Table {
    let column = |name: &'static str, rank| Column::new(name, name, ColumnRole::Name).ranked(rank);
    let columns = vec![column("name", 0), column("about", 0), column("licence", 1), column("languages", 2)];
    let row = |(name, facts): (String, EngineFacts)| Row::texts([name, facts.about, facts.licence, facts.languages]);
    Table { columns, rows: listed.into_iter().map(row).collect(), ..Table::default() }
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

pub(super) fn suites(catalog: &Catalog) -> Vec<(String, String)> {
    catalog
        .suite_names()
        .into_iter()
        .map(|name| {
            let about = match catalog.suite(&name) {
                Ok(suite) => {
                    let sizes: Vec<String> = suite.sizes.iter().map(ToString::to_string).collect();
                    format!(
                        "{} ({}; {} {})",
                        suite.title,
                        counted(suite.tests().count(), "test"),
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

pub(super) fn presets(catalog: &Catalog) -> Vec<(String, String)> {
    catalog
        .preset_names()
        .into_iter()
        .map(|name| {
            let about = ReadyMade::find(catalog, &name)
                .map_or_else(|error| format!("✗ {error}"), |found| found.title().to_owned());
            (name, about)
        })
        .collect()
}

fn themes(catalog: &Catalog) -> Vec<(String, String)> {
    let about = |name: &str| catalog.theme(name).map_or_else(|error| format!("✗ {error}"), |theme| theme.title);
    catalog.theme_names().into_iter().map(|name| (name.clone(), about(&name))).collect()
}
