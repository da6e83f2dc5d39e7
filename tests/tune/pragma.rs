//! The suite `pragma` and its presets.

use crate::support::Place;
use rusqlite::Connection;
use std::{fs, path::PathBuf};

#[test]
fn the_seven_experiments_insert_and_copy_what_they_say_whatever_the_options() {
    let place = Place::new();
    let engines = [
        "--engine",
        "sqlite:journal_mode=wal,synchronous=normal,page_size=1024,cache_size=1000",
        "--engine",
        "sqlite:journal_mode=truncate,transaction=exclusive,locking_mode=exclusive",
        "--engine",
        "sqlite:journal_mode=memory,synchronous=off,page_size=8192,open_mutex=fullmutex",
    ];
    place.ok(&[&["run", "--suite", "pragma", "--size", "500", "--repeat", "1", "--quiet"], &engines[..]].concat());
    let rows = place.rows("SELECT DISTINCT test, operations, rows, status FROM results ORDER BY test");
    let expected = [
        ["1", "500", "500", "ok"],
        ["2", "1000", "1000", "ok"],
        ["3", "10000", "10000", "ok"],
        ["4", "1000", "1000", "ok"],
        ["5", "5000", "5000", "ok"],
        // Ten copies, each of all rows.
        ["6", "510", "5500", "ok"],
        ["7", "5010", "55000", "ok"],
    ];
    assert_eq!(rows, expected);
    assert_eq!(place.value("SELECT count(DISTINCT (test, verification)) FROM results"), "7", "all answers agree");
}

#[test]
fn a_copy_has_the_rows_and_the_options_of_the_first() {
    let place = Place::new();
    let engine = "sqlite:journal_mode=wal,page_size=8192";
    place.ok(&[
        "run",
        "--suite",
        "pragma",
        "--engine",
        engine,
        "--test",
        "6",
        "--size",
        "500",
        "--repeat",
        "1",
        "--keep-databases",
        "--quiet",
    ]);
    let copies: Vec<PathBuf> = fs::read_dir(place.path("work"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("databases/copy/copy.db"))
        .filter(|path| path.exists())
        .collect();
    let [copy] = copies.as_slice() else { panic!("{copies:?}") };
    let connection = Connection::open(copy).unwrap();
    let value = |sql: &str| -> String {
        connection
            .query_row(sql, [], |row| {
                Ok(match row.get_ref(0)? {
                    rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                    other => other.as_str().unwrap().to_owned(),
                })
            })
            .unwrap()
    };
    assert_eq!(value("SELECT count(*) FROM bars"), "500");
    assert_eq!(value("PRAGMA page_size"), "8192");
    assert_eq!(value("PRAGMA journal_mode"), "wal");
    assert_eq!(value("PRAGMA integrity_check"), "ok");
    assert_eq!(value("SELECT count(*) FROM sqlite_schema WHERE type = 'index'"), "1");
}

#[test]
fn the_grid_is_a_sample_whose_pairs_differ_in_one_option() {
    let place = Place::new();
    let plan = place.ok(&["--preset", "pragma-grid-sample", "--dry-run", "--seed", "1", "--quiet"]);
    let configurations: usize = plan.split(' ').nth(1).unwrap().parse().unwrap();
    // Twelve stars of at most 13 configurations, minus those that cannot differ.
    assert!((90..=156).contains(&configurations), "{plan}");
    for preset in ["pragma-sync", "pragma-journal"] {
        let plan = place.ok(&["--preset", preset, "--dry-run", "--quiet"]);
        assert!(plan.contains("2 configurations"), "{plan}");
    }
}

#[test]
fn of_a_sweep_what_cannot_differ_is_told_and_not_run() {
    let place = Place::new();
    let plan = place.ok(&["--preset", "pragma-sixteen", "--dry-run", "--quiet"]);
    // BEGIN EXCLUSIVE is BEGIN IMMEDIATE in WAL mode, so it is left out for two locking modes and two values of synchronous.
    assert!(plan.contains("pragma: 12 configurations x"), "{plan}");
    assert!(plan.contains("4 not run, they cannot differ from others: "), "{plan}");
    let run = ["run", "--suite", "kv", "--size", "100", "--test", "1", "--repeat", "1"];
    let done =
        place.run(&[&run[..], &["--engine", "sqlite:journal_mode=wal|delete,wal_autocheckpoint=0|1000"]].concat());
    assert!(
        done.stderr.contains("3 configurations") && done.stderr.contains("not run, it cannot differ: "),
        "{}",
        done.stderr
    );
    assert_eq!(
        place.value("SELECT count(DISTINCT run_id) FROM results"),
        "3",
        "without a log there is nothing to checkpoint"
    );
}

#[test]
fn a_preset_that_asks_for_it_ends_in_how_much_each_option_matters() {
    let place = Place::new();
    let preset = "title = 'x'\nsuite = 'pragma'\nsizes = [500]\nrepeats = 1\ntests = [1]\neffects = true\n\
        [[engine]]\nname = 'sqlite'\noptions = { journal_mode = ['delete', 'memory'], cache_size = [100, 200] }\n";
    fs::create_dir_all(place.path("config/presets")).unwrap();
    fs::write(place.path("config/presets/mine.toml"), preset).unwrap();
    let shown = place.ok(&["--preset", "mine", "--quiet"]);
    for part in ["sqlite on pragma at 500, test 1", "memory against delete", "200 against 100", "best of each tier"] {
        assert!(shown.contains(part), "`{part}` in {shown}");
    }
    // The command for the charts can be typed as it is shown.
    let charts = shown.lines().find_map(|line| line.strip_prefix("charts: dbdyno tune effects '")).unwrap();
    let (selected, _) = charts.split_once('\'').unwrap();
    let page = place.ok(&["tune", "effects", selected, "--format", "html"]);
    assert!(page.contains("<svg") && page.contains("journal_mode"), "{page}");
}

#[test]
fn a_claim_across_tiers_is_judged_where_the_publication_compared_so() {
    let place = Place::new();
    let shown = place.ok(&["--preset", "pragma-sync", "--size", "500", "--quiet"]);
    let line = shown.lines().find(|line| line.contains("0.77x (27.5 s / 35.7 s)")).unwrap();
    // The verdict depends on the disk. A measured ratio with an interval always exists.
    assert!(line.contains("x [") && !line.contains("does not survive"), "{line}");
    let claims = place.ok(&["claims", "pragma"]);
    assert!(claims.contains("Experiment 7 compares unequal durability"), "{claims}");
}
