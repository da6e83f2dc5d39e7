//! Any other build of SQLite, loaded by a worker: the same answers, options and sync calls as the one that is built in.

use crate::support::{Place, python_sqlite_version, system_sqlite};
use std::fs;

fn with_library(options: &str) -> Option<String> {
    let path = system_sqlite()?;
    Some(format!("sqlite-lib:library={},{options}", path.display()))
}

#[test]
fn another_build_of_sqlite_answers_and_syncs_as_the_one_built_in() {
    let Some(library) = with_library("journal_mode=wal,synchronous=full|off") else { return };
    let place = Place::new();
    let engines = ["--engine", "sqlite:journal_mode=wal,synchronous=full|off", "--engine", &library];
    let rest = ["--size", "3000", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
    assert_eq!(
        place.value("SELECT count(*) FROM results WHERE status = 'ok'"),
        "32",
        "eight tests, four configurations"
    );
    let of = |engine: &str| {
        place.rows(&format!(
            "SELECT test, options['synchronous'], syncs, verification FROM results WHERE engine = '{engine}' ORDER BY ALL"
        ))
    };
    assert_eq!(of("sqlite-lib"), of("sqlite"));
    let syncs = place.value(
        "SELECT syncs FROM results WHERE engine = 'sqlite-lib' AND test = 1 AND options['synchronous'] = 'full'",
    );
    assert_eq!(syncs, "3", "one sync of the log for each of three commits");
}

#[test]
fn the_version_that_is_stored_is_that_of_the_library() {
    let Some(library) = with_library("synchronous=off") else { return };
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "kv", "--engine", &library, "--size", "1000", "--test", "1", "--repeat", "1", "--quiet",
    ]);
    let stored = place.value("SELECT DISTINCT engine_version FROM results");
    assert!(stored.starts_with("3.") && stored.split('.').all(|part| part.parse::<u32>().is_ok()), "{stored}");
    if let Some(version) = python_sqlite_version(&system_sqlite().unwrap()) {
        assert_eq!(stored, version);
    }
}

#[test]
fn every_option_of_sqlite_is_one_of_the_loaded_library_too() {
    let Some(library) = with_library("synchronous=off") else { return };
    let place = Place::new();
    let sweeps = [
        "journal_mode=delete|truncate|persist|memory|wal|off",
        "page_size=512|65536,cache_size=50,auto_vacuum=incremental,journal_mode=wal,wal_autocheckpoint=0",
        "mmap_size=1048576,locking_mode=exclusive,temp_store=memory,open_mutex=fullmutex",
        "transaction=immediate|exclusive,statements=text,read_transaction=held",
    ];
    let engines: Vec<String> = sweeps.iter().map(|sweep| format!("{library},{sweep}")).collect();
    let mut run = vec!["run", "--suite", "kv", "--size", "1000", "--seed", "42", "--repeat", "1", "--quiet"];
    engines.iter().for_each(|engine| run.extend(["--engine", engine]));
    place.ok(&run);
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results"), "11");
    let differing = place.rows(
        "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1 OR count(DISTINCT status) > 1",
    );
    assert_eq!(differing, [[""; 0]; 0], "tests whose answers differ");
    let in_force = "SELECT DISTINCT options['open_mutex'], options['page_size'] FROM results ORDER BY ALL";
    assert_eq!(
        place.rows(in_force),
        [["fullmutex", "4096"], ["nomutex", "4096"], ["nomutex", "512"], ["nomutex", "65536"]]
    );
}

#[test]
fn a_library_that_is_none_of_sqlite_is_refused_and_nothing_is_run() {
    let place = Place::new();
    let text = place.path("text.so");
    fs::write(&text, "not a library").unwrap();
    let own = format!("sqlite-lib:library={}", text.display());
    for (engine, part) in [
        ("sqlite-lib:library=", "option `library` is empty"),
        ("sqlite-lib:library=/nowhere/libsqlite3.so", "library /nowhere/libsqlite3.so cannot be loaded"),
        (&own, "cannot be loaded"),
        ("sqlite-lib:library=libno.so", "library libno.so cannot be loaded"),
        (
            "sqlite-lib:library=libc.so.6",
            "library libc.so.6 is no build of SQLite: it has no function sqlite3_libversion",
        ),
    ] {
        let done = place.run(&["run", "--suite", "kv", "--engine", "sqlite", "--engine", engine]);
        assert_eq!(done.code, Some(2), "{engine}: {}", done.stderr);
        assert!(done.stderr.contains(part), "{engine}: expected `{part}` in: {}", done.stderr);
    }
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
    let tuned = ["tune", "try", "--engine", "sqlite-lib:library=/nowhere.so", "--suite", "kv", "synchronous=off"];
    let done = place.run(&tuned);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("library /nowhere.so cannot be loaded"), "{}", done.stderr);
    assert_eq!(place.value("SELECT count(*) FROM run"), "0", "nothing is run");
}

#[test]
fn a_library_that_crashes_when_it_is_loaded_takes_nothing_with_it() {
    let place = Place::new();
    place.engine(
        "odd",
        r#"
[ "$1" = describe ] && echo '{"protocol":1,"name":"odd","about":"x","version":"1","suites":["kv"],
  "options":[{"name":"library","type":"path","default":"","help":"x"}]}' && exit 0
kill -9 $$"#,
    );
    let done = place.run(&["run", "--suite", "kv", "--engine", "odd:library=/x"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("engine `odd`: it gave no answer (signal: 9"), "{}", done.stderr);
}
