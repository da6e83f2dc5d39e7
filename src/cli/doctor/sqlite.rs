//! The builds of SQLite among the engines: compile options that make threads wait for each other, or that are slow.

use super::finding::DoctorFinding;
use dbdyno_catalog::{
    Catalog,
    bench::ReadyMade,
    engines::{Engine, Registry},
};
use dbdyno_engine::{describe::Library, settings::Settings};
use std::collections::{BTreeMap, BTreeSet};

/// The engine that loads any build, and its option that names the library.
const LOADING: &str = "sqlite-lib";
const LIBRARY: &str = "library";

/// A build of SQLite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SqliteBuild {
    /// The engine, and the library where it loads one.
    name: String,
    /// What it is, or why its library cannot be used.
    library: Result<Library, String>,
    /// Whether the engine has an option with which SQLite does not count its memory.
    has_statistics_option: bool,
}

/// Those that engines are linked with, and those that `sqlite-lib` would load: its default, and what presets name. A library is
/// examined by the engine's program, in a process of its own.
pub(super) fn builds(registry: &Registry, catalog: &Catalog) -> Vec<SqliteBuild> {
    let of_engine = |engine: &Engine| SqliteBuild {
        name: engine.description.name.clone(),
        library: Ok(engine.description.library()),
        has_statistics_option: engine.description.option("memory_statistics").is_some(),
    };
    let linked = registry.engines.iter().map(of_engine).filter(|build| {
        let library = build.library.as_ref();
        library.is_ok_and(|library| compiled(&library.build, "THREADSAFE").is_some())
    });
    let mut all: Vec<SqliteBuild> = linked.collect();
    if let Ok(engine) = registry.get(LOADING) {
        let default = engine.description.option(LIBRARY);
        let mut libraries = named_by_presets(catalog);
        libraries.extend(default.map(|option| option.default.clone()));
        all.extend(libraries.into_iter().map(|library| loaded(engine, library)));
    }
    all
}

/// The libraries that presets load with `sqlite-lib`. `list presets` reports presets with mistakes.
fn named_by_presets(catalog: &Catalog) -> BTreeSet<String> {
    let presets = catalog.preset_names().into_iter().filter_map(|name| match ReadyMade::find(catalog, &name) {
        Ok(ReadyMade::Bench(preset)) => Some(preset.spec.engines),
        _ => None,
    });
    let loading = presets.flatten().filter(|engine| engine.name == LOADING);
    loading.filter_map(|mut engine| engine.options.remove(LIBRARY)).flatten().collect()
}

fn loaded(engine: &Engine, library: String) -> SqliteBuild {
    let asked = BTreeMap::from([(LIBRARY.to_owned(), library.clone())]);
    let settings = Settings::resolve(&engine.description, &asked).map_err(|error| error.to_string());
    let probed = settings.and_then(|settings| engine.probe(&settings)).map(|probed| {
        let nothing = || engine.description.library();
        probed.map_or_else(nothing, |probed| probed.library)
    });
    SqliteBuild { name: format!("{LOADING} ({library})"), library: probed, has_statistics_option: false }
}

/// Returns the value of a compile option, empty if it has no value; none if it is not set.
fn compiled<'b>(build: &'b [String], name: &str) -> Option<&'b str> {
    build.iter().find_map(|line| match line.strip_prefix(name)? {
        "" => Some(""),
        rest => rest.strip_prefix('='),
    })
}

pub(super) fn findings(builds: &[SqliteBuild]) -> Vec<DoctorFinding> {
    builds.iter().flat_map(of_build).collect()
}

fn of_build(build: &SqliteBuild) -> Vec<DoctorFinding> {
    let name = &build.name;
    let library = match &build.library {
        Ok(library) => library,
        Err(error) => return vec![DoctorFinding::advised(format!("SQLite of {name} cannot be used"), error)],
    };
    let name = format!("SQLite {} of {name}", library.version);
    if compiled(&library.build, "THREADSAFE").is_none() {
        return vec![DoctorFinding::note(format!("{name} does not report its compile options"))];
    }
    let found = traps(&name, library, build.has_statistics_option);
    if found.is_empty() {
        let what = "is compiled so that threads with their own connections wait only for the database";
        return vec![DoctorFinding::fit(format!("{name} {what}"))];
    }
    found
}

/// What in a build is slow, or slow with several threads.
fn traps(name: &str, library: &Library, has_statistics_option: bool) -> Vec<DoctorFinding> {
    let option = |option| compiled(&library.build, option);
    let mut found = Vec::new();
    if let Some(debug) = ["DEBUG", "MEMDEBUG"].into_iter().find(|name| option(name).is_some()) {
        found.push(DoctorFinding::unfit(
            format!("{name} has {debug}"),
            "it checks itself at every step and is many times slower than release builds; build it without this option",
        ));
    }
    if option("THREADSAFE") == Some("0") {
        found.push(DoctorFinding::advised(
            format!("{name} has THREADSAFE=0"),
            "it has no mutexes: tests of several threads are refused; build it with THREADSAFE=2",
        ));
        return found;
    }
    if option("ENABLE_MEMORY_MANAGEMENT").is_some() {
        found.push(DoctorFinding::advised(
            format!("{name} has ENABLE_MEMORY_MANAGEMENT"),
            "all connections share one page cache behind one mutex, which every page lookup takes: threads of one process wait for \
             each other even when they only read; compare with a build without it (engine sqlite-lib)",
        ));
    }
    if option("DEFAULT_MEMSTATUS") != Some("0") {
        let instead = if has_statistics_option {
            "memory_statistics=off avoids it"
        } else {
            "a build with DEFAULT_MEMSTATUS=0 avoids it"
        };
        found.push(DoctorFinding::advised(
            format!("{name} keeps memory statistics (no DEFAULT_MEMSTATUS=0)"),
            format!("every allocation takes a mutex that all threads share; {instead}"),
        ));
    }
    if option("OMIT_LOOKASIDE").is_some() {
        found.push(DoctorFinding::advised(
            format!("{name} has OMIT_LOOKASIDE"),
            "connections have no lookaside memory of their own: every statement calls the allocator that all threads share",
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(options: &[&str]) -> SqliteBuild {
        let library = Library {
            version: "3.50.4".to_owned(),
            build: options.iter().map(|option| (*option).to_owned()).collect(),
            source: None,
        };
        SqliteBuild { name: "sqlite".to_owned(), library: Ok(library), has_statistics_option: true }
    }

    fn said(options: &[&str]) -> String {
        findings(&[build(options)]).iter().map(DoctorFinding::line).collect()
    }

    #[test]
    fn a_build_as_sqlite_advises_has_no_traps() {
        let fit = said(&["COMPILER=gcc-14", "DEFAULT_MEMSTATUS=0", "THREADSAFE=2", "ENABLE_MEMORY_MANAGEMENT_OF_MINE"]);
        assert!(fit.starts_with("✓  SQLite 3.50.4 of sqlite is compiled so") && fit.lines().count() == 1, "{fit}");
    }

    #[test]
    fn each_trap_is_told_with_what_it_does() {
        let all = said(&["ENABLE_MEMORY_MANAGEMENT", "DEBUG", "THREADSAFE=1", "OMIT_LOOKASIDE"]);
        assert_eq!(all.lines().map(|line| line.chars().next().unwrap()).collect::<String>(), "!···", "{all}");
        assert!(all.contains("behind one mutex") && all.contains("memory_statistics=off avoids it"), "{all}");
        assert!(said(&["THREADSAFE=0"]).contains("tests of several threads are refused"));
        let elsewhere = SqliteBuild { has_statistics_option: false, ..build(&["DEFAULT_MEMSTATUS=1", "THREADSAFE=1"]) };
        assert!(findings(&[elsewhere])[0].line().contains("a build with DEFAULT_MEMSTATUS=0"));
    }

    #[test]
    fn a_library_that_cannot_be_used_or_does_not_tell_is_no_trap() {
        let missing = SqliteBuild { library: Err("libsqlite3.so.0: not found".to_owned()), ..build(&[]) };
        assert_eq!(findings(&[missing])[0].line(), "·  SQLite of sqlite cannot be used: libsqlite3.so.0: not found\n");
        assert!(said(&[]).contains("does not report its compile options"));
    }
}
