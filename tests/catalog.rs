//! Suites and presets of users: valid ones work, and an error in a file is reported with file, line and expected value.
//!
//! The first line of each invalid file has the expected error: `# expect LINE: part of the message`.

use crate::support::{Place, engine_program, system_library, system_sqlite};
use dbdyno::{
    bench::{BenchPlan, Preset, ReadyMade, Spec, suited},
    catalog::{Catalog, CatalogError, ClaimedRatio, UserFolders},
    engines::Registry,
};
use std::{fs, path::PathBuf};

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/catalog").join(name)
}

fn catalog(name: &str) -> Catalog {
    Catalog::new(UserFolders { root: folder(name) })
}

/// Names of the files of one kind in a folder.
fn names(kind: &str, of: &str) -> Vec<String> {
    let files = fs::read_dir(folder(kind).join(of)).unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[track_caller]
fn told(path: PathBuf, error: &CatalogError) {
    let first = fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    let (line, part) = first.strip_prefix("# expect ").unwrap().split_once(": ").unwrap();
    let text = error.to_string();
    let place = format!("{}:{line}:", path.display());
    assert!(text.starts_with(&place), "expected {place} in: {text}");
    assert!(text.contains(part), "expected `{part}` in: {text}");
}

#[test]
fn every_mistake_in_a_suite_is_told_with_its_line() {
    let names = names("invalid", "suites");
    assert!(names.len() > 15);
    for name in names {
        let Err(error) = catalog("invalid").suite(&name) else { panic!("{name} was taken") };
        told(folder("invalid").join(format!("suites/{name}.toml")), &error);
    }
}

#[test]
fn every_mistake_in_a_preset_is_told_with_its_line() {
    let names = names("invalid", "presets");
    assert!(names.len() > 3);
    for name in names {
        let Err(error) = Preset::find(&catalog("invalid"), &name) else { panic!("{name} was taken") };
        told(folder("invalid").join(format!("presets/{name}.toml")), &error);
    }
}

#[test]
fn valid_files_and_all_built_in_ones_are_taken() {
    let valid = catalog("valid");
    for name in valid.suite_names() {
        valid.suite(&name).unwrap();
    }
    for name in valid.preset_names() {
        let ReadyMade::Bench(preset) = ReadyMade::find(&valid, &name).unwrap() else { continue };
        valid.suite(&preset.spec.suite).unwrap();
    }
    let claims: Vec<_> = valid.claims_names().iter().map(|name| valid.claims(name).unwrap()).collect();
    assert!(claims.len() >= 5 && claims.iter().all(|claims| !claims.caveats.is_empty()));
    for name in names("valid", "suites") {
        assert!(valid.suite_names().contains(&name), "{name}");
    }
}

#[test]
fn the_examples_are_a_configuration_folder_and_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let place = Place::new();
    for preset in ["logins", "logins-cache"] {
        let plan = place.ok(&["--config", folder, "--preset", preset, "--dry-run"]);
        assert!(plan.contains("sessions: ") && plan.contains("tier 3 power-safe"), "{plan}");
    }
    let engines = ["--engine", "sqlite:synchronous=off", "--engine", "lmdb:sync=nosync"];
    let run = ["--config", folder, "run", "--suite", "sessions", "--size", "1000", "--repeat", "1"];
    place.ok(&[&run[..], &engines].concat());
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status = 'ok'"), "8", "both answer the same");
}

#[test]
fn a_users_suite_runs_without_any_rust() {
    let place = Place::new();
    for name in names("valid", "suites") {
        let file = format!("suites/{name}.toml");
        fs::copy(folder("valid").join(&file), place.path("config").join(&file)).unwrap();
        let engines = ["--engine", "sqlite", "--engine", "lmdb", "--engine", "redb", "--repeat", "1", "--quiet"];
        let sweep = format!("{name}.batch=all|5");
        place.ok(&[&["run", "--suite", &name][..], &engines, &["--size", "100", "--set", &sweep]].concat());
        let found = place.rows(&format!(
            "SELECT test, count(*), count(DISTINCT verification), min(operations) FROM results WHERE suite = '{name}' GROUP BY 1 ORDER BY 1"
        ));
        assert_eq!(found, [["1", "6", "1", "100"], ["2", "6", "1", "200"]], "{name}");
    }
}

#[test]
fn a_suite_that_defines_tables_in_sql_is_refused_with_its_line_where_that_reaches_no_engine() {
    let place = Place::new();
    let run = |engine: &str| place.run(&["run", "--suite", "pragma", "--engine", engine, "--repeat", "1", "--quiet"]);
    for engine in ["lmdb", "redb", "fjall"] {
        let done = run(engine);
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        let expected = format!(
            "engine `{engine}` cannot run suite `pragma`: built-in suites/pragma.toml:44:3: this engine has only tables"
        );
        assert!(done.stderr.contains(&expected), "{}", done.stderr);
    }
    assert!(!place.store().exists());
}

#[test]
fn a_mistake_in_a_users_file_stops_the_command_before_anything_runs() {
    let place = Place::new();
    let own = place.path("config").join("presets/quick.toml");
    fs::write(&own, "title = \"mine\"\nsuite = \"kv\"\nrepeats = \"six\"\n").unwrap();
    let done = place.run(&["--preset", "quick"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains(&format!("{}:3:11: ", own.display())), "{}", done.stderr);
    assert!(!place.store().exists());
    assert!(place.ok(&["list", "presets"]).contains("✗"), "the list shows it as broken");
}

#[test]
fn published_ratios_are_those_of_the_published_figures() {
    let catalog = catalog("valid");
    // From the publications: operations a second for SNKV and SQLite, milliseconds for crawshaw and mattn.
    let snkv = &catalog.claims("snkv").unwrap().comparisons[0];
    let writes = snkv.claims.iter().find(|claim| claim.name == "Sequential writes").unwrap();
    let ClaimedRatio::Figure { ratio, range: None } = writes.ratio else { panic!("{writes:?}") };
    assert!((1.0 / ratio - 232.0 / 142.0).abs() < 0.001, "time A / time B is rate B / rate A");
    let lumosql = &catalog.claims("lumosql").unwrap().comparisons[0];
    assert_eq!(lumosql.claims.len(), 18);
    let select = lumosql.claims.iter().find(|claim| claim.test == "8").unwrap();
    assert_eq!(select.ratio, ClaimedRatio::Figure { ratio: 0.08, range: Some((0.06, 0.15)) });
    let drivers = catalog.claims("drivers").unwrap();
    let crawshaw = drivers.comparisons.iter().find(|comparison| comparison.a_name == "crawshaw").unwrap();
    let query = crawshaw.claims.iter().find(|claim| claim.name == "complex query").unwrap();
    let ClaimedRatio::Figure { ratio, .. } = query.ratio else { panic!("{query:?}") };
    assert!((ratio - 595.0 / 1187.0).abs() < 0.001);
}

#[test]
fn every_built_in_preset_can_be_planned() {
    let place = Place::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("presets");
    let mut planned = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let needs = [
            ("lmdb1", engine_program("lmdb1").is_some()),
            ("sqlite-lib", system_sqlite().is_some()),
            // The user provides its library: tests/snkv.rs plans these presets with one.
            ("snkv", false),
            ("rocksdb", system_library("librocksdb.so").is_some()),
        ];
        if needs.iter().any(|(engine, is_there)| !is_there && text.contains(&format!("\"{engine}\""))) {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let done = place.run(&["--preset", name, "--dry-run"]);
        // A bench with only optional engines has no configuration if none of them is available, and gives the reason for each.
        let is_left_out =
            done.stderr.contains("none of the engines can be used here") && text.contains("optional = true");
        assert!(done.code == Some(0) || is_left_out, "{name}: {}", done.stderr);
        planned += 1;
    }
    assert!(planned > 10, "{planned}");
}

#[test]
fn an_optional_engine_that_cannot_be_used_is_left_out_with_the_reason() {
    let place = Place::new();
    let dry = |engines: &[&str]| {
        let engines = engines.iter().flat_map(|engine| ["--engine", engine]);
        let arguments: Vec<&str> =
            ["run", "--suite", "kv", "--size", "1000", "--dry-run"].into_iter().chain(engines).collect();
        place.run(&arguments)
    };
    let planned = dry(&["sqlite", "nosuch?", "sqlite-lib?:library=/nowhere/libx.so"]);
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    assert!(planned.stdout.contains("1 configuration x"), "{}", planned.stdout);
    assert!(planned.stdout.contains("not run: unknown engine `nosuch`"), "{}", planned.stdout);
    assert!(planned.stdout.contains("not run: engine `sqlite-lib`: ") && planned.stdout.contains("/nowhere/libx.so"));
    let refused = dry(&["sqlite", "nosuch"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    let nothing = dry(&["nosuch?", "other?"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.stdout);
    assert!(nothing.stderr.contains("none of the engines can be used here") && nothing.stderr.contains("`other`"));
}

/// A preset that compares an engine with an unavailable one.
#[test]
fn a_preset_that_has_nothing_left_to_compare_does_not_run() {
    let place = Place::new();
    let preset = |engines: &[&str]| {
        let engines = engines.iter().map(|name| match name.strip_suffix('?') {
            Some(name) => format!("[[engine]]\nname = \"{name}\"\noptional = true\n"),
            None => format!("[[engine]]\nname = \"{name}\"\n"),
        });
        let head = "title = \"x\"\nsuite = \"kv\"\nsizes = [100]\nrepeats = 1\n";
        fs::write(place.path("config/presets/mine.toml"), head.to_owned() + &engines.collect::<String>()).unwrap();
        place.run(&["--preset", "mine", "--quiet"])
    };
    let refused = preset(&["null", "nosuch?"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    let said = "preset `mine`: nothing is left to compare `null` with: unknown engine `nosuch`";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    assert!(!place.store().exists(), "nothing was measured");
    assert_eq!(preset(&["null", "log", "nosuch?"]).code, Some(0));
    assert_eq!(preset(&["null"]).code, Some(0), "a preset of one engine compares nothing by intention");
    let planned = place.run(&["run", "--suite", "kv", "--dry-run", "--engine", "null", "--engine", "nosuch?"]);
    assert!(planned.stdout.contains("nothing is left to compare `null` with"), "{}", planned.stdout);
}

#[test]
fn what_no_run_could_do_is_refused_in_the_plan() {
    let place = Place::new();
    let refused = |arguments: &[&str], said: &str| {
        let done = place.run(&[&["run", "--dry-run"], arguments].concat());
        assert!(done.code == Some(2) && done.stderr.contains(said), "{arguments:?}: {}", done.stderr);
    };
    let contention = ["--suite", "contention", "--engine", "sqlite", "--size"];
    let said = "size `1`: test 2 Transfers alone has 1 account at this size, and transfers need two: \
                expected a size of at least 2";
    refused(&[&contention[..], &["1"]].concat(), said);
    place.ok(&[&["run", "--dry-run"], &contention[..], &["2"]].concat());
    place.ok(&[&["run", "--dry-run"], &contention[..], &["1", "--test", "1"]].concat());
    let idle = [&contention[..], &["100", "--set", "contention.readers=0"]].concat();
    refused(&idle, "test 3 Lookups alone has no threads: give `readers` at least one (--set)");
    place.ok(&[&["run", "--dry-run"], &idle[..], &["--test", "2,4"]].concat());
    place.ok(&["new", "suite", "mine"]);
    let file = place.path("config/suites/mine.toml");
    let text = fs::read_to_string(&file).unwrap();
    let key = "session_{key:012}";
    assert!(text.contains(key), "{text}");
    for (engine, most) in [("lmdb", 511), ("files", 255), ("fjall", 65_536)] {
        let with = |length: usize| format!("{}{{key:08}}", "k".repeat(length - 8));
        fs::write(&file, text.replace(key, &with(most))).unwrap();
        place.ok(&["run", "--dry-run", "--suite", "mine", "--engine", engine]);
        fs::write(&file, text.replace(key, &with(most + 1))).unwrap();
        let said = format!("it takes keys of up to {most} bytes, but test 1 ");
        refused(&["--suite", "mine", "--engine", engine], &said);
    }
}

/// The value of an engine's option in a run of a suite.
fn planned(suite: &str, engine: &str, option: &str) -> Option<String> {
    let suite = catalog("valid").suite(suite).unwrap();
    let spec = Spec { suite: suite.name.clone(), engines: vec![engine.parse().unwrap()], rounds: 1, ..Spec::default() };
    let plan = BenchPlan::new(&spec, suite, &Registry::built_in()).unwrap();
    plan.configurations[0].settings.get(option).map(str::to_owned)
}

#[test]
fn a_suite_uses_engines_as_its_publication_does_unless_a_run_says_otherwise() {
    assert_eq!(planned("redb-bench", "lmdb", "read_transaction").as_deref(), Some("held"));
    assert_eq!(planned("redb-bench", "redb", "read_transaction").as_deref(), Some("held"));
    assert_eq!(planned("redb-bench", "sqlite", "read_transaction").as_deref(), Some("each"));
    assert_eq!(planned("redb-bench", "sqlite", "statements").as_deref(), Some("text"));
    assert_eq!(planned("redb-bench", "lmdb:read_transaction=each", "read_transaction").as_deref(), Some("each"));
    assert_eq!(planned("kvtest", "sqlite", "read_transaction").as_deref(), Some("held"));
    assert_eq!(planned("kv", "lmdb", "read_transaction").as_deref(), Some("each"), "other suites are not touched");
}

#[test]
fn what_suites_set_of_engines_is_there() {
    let catalog = catalog("valid");
    for name in catalog.suite_names() {
        let suite = catalog.suite(&name).unwrap();
        for engine in &Registry::built_in().engines {
            suited(engine, &suite).unwrap();
        }
    }
}
