//! Other stores below SQLite: Berkeley DB's build and LumoSQL's. They run, every name of a configuration includes their backend, and wrong
//! answers produce no figures.

use crate::{
    resume::cut_short,
    sqlite_lib::changed,
    support::{Place, system_library},
};
use rustix::process::Signal;

const BERKELEY_DB: &str = "libdb_sql-5.3.so";

/// Berkeley DB's build of SQLite with these options, if it is installed.
fn berkeley_db(options: &str) -> Option<String> {
    system_library(BERKELEY_DB).map(|_| format!("sqlite-lib:library={BERKELEY_DB},{options}"))
}

#[test]
fn berkeley_db_gives_sqlites_answers_and_is_named_wherever_it_is_measured() {
    let Some(engine) = berkeley_db("synchronous=off,memory=64MiB") else { return };
    let place = Place::new();
    let engines = ["--engine", "sqlite:synchronous=off,memory=64MiB", "--engine", &engine];
    let run = ["run", "--suite", "lumosql", "--size", "1", "--repeat", "1", "--seed", "42"];
    let plan = place.ok(&[&run[..], &engines, &["--dry-run"]].concat());
    assert!(plan.contains("sqlite-lib (Berkeley DB 5.3.28)"), "{plan}");
    assert!(plan.contains("tier unknown") && plan.contains("its tables are in Berkeley DB 5.3.28"), "{plan}");
    let said = place.ok(&[&run[..], &engines, &["--quiet"]].concat());
    assert!(said.contains("sqlite-lib (Berkeley DB 5.3.28)"), "{said}");
    let answers =
        "SELECT count(*), count(DISTINCT test), count(DISTINCT verification || test) FROM results WHERE status = 'ok'";
    assert_eq!(place.rows(answers), [["36", "18", "18"]], "all tests on both, with one answer each");
    assert_eq!(place.value("SELECT engine_version FROM run WHERE engine = 'sqlite-lib'"), "3.7.6.2");
    let label = place.value("SELECT DISTINCT label FROM run WHERE engine = 'sqlite-lib'");
    assert_eq!(label, "sqlite-lib (Berkeley DB 5.3.28)");
    assert_eq!(place.ok(&["results", "backend=Berkeley DB 5.3.28", "--count"]).trim(), "18");
    assert_eq!(place.ok(&["results", "backend!", "--count"]).trim(), "18", "SQLite's own B-tree has none");
    let details = place.ok(&["results", "engine=sqlite-lib", "test=1", "--details"]);
    assert!(details.contains("backend") && details.contains("Berkeley DB 5.3.28"), "{details}");
    assert!(details.contains("bdbsql_shared_resources"), "the backend's own options: {details}");
}

#[test]
fn a_cache_in_kib_is_as_large_in_a_library_that_counts_pages_only() {
    let Some(engine) = berkeley_db("synchronous=off,page_size=1024|8192,cache_size=-2000|-3000|700") else { return };
    let place = Place::new();
    let run = ["run", "--suite", "lumosql", "--size", "1", "--repeat", "1", "--test", "1", "--quiet", "--engine"];
    place.ok(&[&run[..], &[&engine]].concat());
    let found = place.rows(
        "SELECT DISTINCT options['page_size'], options['cache_size'] FROM results WHERE status = 'ok' ORDER BY ALL",
    );
    let expected = [["1024", "-2000"], ["1024", "-3000"], ["1024", "700"]];
    assert_eq!(found, [expected, expected.map(|[_, cache]| ["8192", cache])].concat());
}

#[test]
fn what_berkeley_db_does_not_obey_is_refused_before_anything_is_run() {
    let place = Place::new();
    for (option, why) in [
        ("journal_mode=wal", "cannot be `wal`: PRAGMA journal_mode = wal leaves `delete` in force"),
        ("mmap_size=1MiB", "cannot be `1048576`: the library does not report PRAGMA mmap_size"),
        ("busy_timeout=10", "cannot be `10`: the library does not report PRAGMA busy_timeout"),
    ] {
        let Some(engine) = berkeley_db(option) else { return };
        let done = place.run(&["run", "--suite", "lumosql", "--size", "1", "--engine", &engine]);
        assert_eq!(done.code, Some(2), "{option}: {}", done.stderr);
        assert!(done.stderr.contains(why), "{option}: {}", done.stderr);
    }
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
}

#[test]
fn a_resumed_session_has_one_label_a_configuration() {
    let Some(engine) = berkeley_db("synchronous=off") else { return };
    let place = Place::new();
    let run =
        ["run", "--suite", "lumosql", "--size", "1", "--test", "1,2", "--repeat", "6", "--json", "--engine", &engine];
    cut_short(&place, &run, Signal::KILL, 8);
    place.ok(&["resume", "--quiet"]);
    let labels = place.rows("SELECT label, count(DISTINCT round) FROM run WHERE status = 'done' GROUP BY 1");
    assert_eq!(labels, [["sqlite-lib (Berkeley DB 5.3.28)", "6"]]);
}

#[test]
fn wrong_answers_of_a_lumosql_build_are_found_at_the_size_that_shows_them_and_withheld() {
    let place = Place::new();
    let source = include_str!("lumosql_backends/beyond_the_largest_key.c");
    let Some(library) = changed(&place, "sqlite3-lumo", source) else { return };
    let engines =
        ["--engine", "sqlite:synchronous=off", "--engine", &format!("sqlite-lib:library={library},synchronous=off")];
    let run =
        ["run", "--suite", "lumosql", "--test", "8", "--size", "1", "--size", "2", "--repeat", "6", "--seed", "42"];
    let mut command = place.command(&[&run[..], &engines].concat());
    command.env("LUMO_LMDB_DEBUG", "/nowhere").env("SQLITE_CLOUD_API_KEY", "secret");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("✗ sqlite-lib (LMDB 0.9.29)"), "{said}");
    assert!(said.contains("answers differ from those of other engines: these figures are worth nothing"), "{said}");
    let status = place.rows("SELECT engine, size, string_agg(DISTINCT status) FROM results GROUP BY ALL ORDER BY ALL");
    let expected =
        [["sqlite", "1", "ok"], ["sqlite", "2", "ok"], ["sqlite-lib", "1", "ok"], ["sqlite-lib", "2", "disagrees"]];
    assert_eq!(status, expected, "LumoSQL checks its answers at size 1 only");
    let compare = |size: &str| {
        let (a, b) = (format!("engine=sqlite size={size}"), format!("backend=LMDB 0.9.29 size={size}"));
        place.ok(&["compare", "--a", &a, "--b", &b, "--allow-tiers"])
    };
    assert!(!compare("1").contains("not comparable"), "{}", compare("1"));
    assert!(compare("2").contains("not comparable") && compare("2").contains("answers"), "{}", compare("2"));
    let options = "SELECT DISTINCT name, asked IS NULL, in_force FROM run_option JOIN run USING (run_id)
                   WHERE engine = 'sqlite-lib' AND asked IS NULL OR name = 'page_size' AND engine = 'sqlite-lib' ORDER BY ALL";
    let expected = [
        ["LUMO_LMDB_DEBUG", "true", "/nowhere"],
        ["backend", "true", "LMDB 0.9.29"],
        ["lmdb_transaction", "true", "optimistic"],
        ["page_size", "false", ""],
    ];
    assert_eq!(
        place.rows(options),
        expected,
        "what is nobody's but the user's is not stored, and a page size it has not is as given"
    );
}

#[test]
fn sync_calls_of_what_a_library_is_linked_with_are_counted() {
    let place = Place::new();
    let Some(library) = changed(&place, "linked", "int nothing;\n") else { return };
    let options = "journal_mode=wal,synchronous=full";
    let engines =
        ["--engine", &format!("sqlite:{options}"), "--engine", &format!("sqlite-lib:library={library},{options}")];
    let run = ["run", "--suite", "lumosql", "--test", "2", "--size", "1", "--repeat", "1", "--quiet"];
    place.ok(&[&run[..], &engines].concat());
    let syncs = place.rows("SELECT count(*), min(syncs) > 0, count(DISTINCT syncs) FROM results WHERE test = 2");
    assert_eq!(syncs, [["2", "true", "1"]], "the library itself makes none");
}
