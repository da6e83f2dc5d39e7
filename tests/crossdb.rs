//! CrossDB, from a library that the user builds. A stand-in shows correct and faulty behaviour. The real library is tested if
//! `DBDYNO_CROSSDB_LIBRARY` names it.

use crate::{
    libraries::{named_by, stand_in},
    support::{Done, Place},
};

/// All tests of the suite except its scan.
const TESTS: &str = "1,2,4,5,6,7,8";
const KV: [&str; 10] = ["run", "--suite", "kv", "--size", "2000", "--seed", "42", "--quiet", "--test", TESTS];

fn beside_sqlite(place: &Place, engine: &str) -> Done {
    let more = ["--repeat", "1", "--engine", "sqlite:journal_mode=wal,synchronous=off", "--engine", engine];
    place.run(&[&KV[..], &more].concat())
}

fn answers_as_sqlite(place: &Place, engine: &str) {
    let done = beside_sqlite(place, engine);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let differing = place.rows(
        "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1 OR max(status) <> 'ok' ORDER BY 1",
    );
    assert_eq!(differing, [[""; 0]; 0]);
    assert_eq!(place.value("SELECT count(DISTINCT test) FROM results WHERE engine = 'crossdb'"), "7");
    assert_eq!(place.value("SELECT list(DISTINCT tier) FROM results WHERE engine = 'crossdb'"), "[0]");
}

#[test]
fn a_library_without_order_answers_all_but_scans_as_sqlite_does() {
    for macros in [&[][..], &["PRINTS"]] {
        let place = Place::new();
        let Some(library) = stand_in(&place, "crossdb", macros) else { return };
        answers_as_sqlite(&place, &format!("crossdb:library={library}"));
        assert_eq!(place.value("SELECT DISTINCT engine_version FROM results WHERE engine = 'crossdb'"), "0.0.1");
    }
}

#[test]
fn tests_that_read_keys_in_order_are_refused_with_the_others_named() {
    let place = Place::new();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let done = place.run(&[arguments, &["--engine", "sqlite", "--engine", "crossdb:library=/nowhere.so"]].concat());
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        for part in parts {
            assert!(done.stderr.contains(part), "expected `{part}` in: {}", done.stderr);
        }
    };
    let says = "engine `crossdb` cannot run suite `kv`: its keys have no order, and test 3 Sequential scan reads them in order";
    refused(&["run", "--suite", "kv"], &[says, "the others are --test 1,2,4,5,6,7,8"]);
    refused(&["run", "--suite", "ycsb"], &["and test 8 E: 95 % ranges", "the others are --test 1,2,3,4,5,6,7"]);
    refused(&["run", "--suite", "contention"], &["it works with one thread"]);
    refused(&["run", "--suite", "lumosql"], &["cannot run suite `lumosql`: the suite is of kind sql"]);
}

#[test]
fn a_library_that_is_none_or_crashes_is_told_before_anything_is_run() {
    let place = Place::new();
    let refused = |library: &str, part: &str| {
        let engine = format!("crossdb:library={library}");
        let done = place.run(&[&KV[..], &["--engine", "sqlite", "--engine", &engine]].concat());
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(part), "expected `{part}` in: {}", done.stderr);
    };
    refused("", "option `library` is empty: expected the path of a build of CrossDB (libcrossdb.so)");
    refused("libc.so.6", "library libc.so.6 is not a build of CrossDB: it has no function xdb_open");
    let Some(lacking) = stand_in(&place, "crossdb", &["LACKS_COMMIT"]) else { return };
    refused(&lacking, "it has no function xdb_commit");
    refused(&stand_in(&place, "crossdb", &["CRASHES"]).unwrap(), "engine `crossdb`: it gave no answer (signal: 11");
    refused(&stand_in(&place, "crossdb", &["SHORT"]).unwrap(), "do not grow to");
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
}

#[test]
fn what_the_library_says_and_what_its_table_does_not_take_fail_the_run_in_words() {
    let place = Place::new();
    let Some(library) = stand_in(&place, "crossdb", &["FULL=1500"]) else { return };
    let done = beside_sqlite(&place, &format!("crossdb:library={library}"));
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let failure = place.value("SELECT failure FROM run WHERE engine = 'crossdb'");
    assert!(failure.contains("`REPLACE INTO kv (k,v) VALUES (?,?)`: No space (code 7)"), "{failure}");
    // A user's suite with longer keys and values than the table has.
    let suite = |name: &str, key: &str, value: &str| {
        let text = format!(
            "name = \"{name}\"\nkind = \"kv\"\ntitle = \"x\"\nsource = \"x\"\n[size]\nname = \"records\"\ndefault = [10]\nchoices = [10]\n[sql]\n\
             schema = []\nget = \"\"\nput = \"\"\ndelete = \"\"\nexists = \"\"\nscan = \"\"\n[[test]]\nnumber = 1\nname = \"Puts\"\n\
             database = \"main\"\noperations = {{ share = 1.0 }}\nkeys = \"ascending\"\nkey = \"{key}\"\n\
             work = [{{ op = \"put\", value = \"{value}\" }}]\ntransaction = {{ batch = 5 }}\n"
        );
        std::fs::write(place.path(&format!("config/suites/{name}.toml")), text).unwrap();
        place.run(&[
            "run",
            "--suite",
            name,
            "--repeat",
            "1",
            "--quiet",
            "--engine",
            &format!("crossdb:library={library}"),
        ])
    };
    let long = suite("longkeys", &format!("{}{{key:8}}", "k".repeat(57)), "x");
    assert_eq!(long.code, Some(2), "{}", long.stderr);
    assert!(
        long.stderr.contains("it takes keys of up to 64 bytes, but test 1 Puts has keys of up to 65"),
        "{}",
        long.stderr
    );
    let done = suite("longvalues", "k{key:8}", &"v".repeat(1001));
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let long = place.value("SELECT failure FROM run WHERE suite = 'longvalues'");
    assert!(long.contains("a value of 1001 bytes: CrossDB's table takes at most 1000"), "{long}");
}

const LIBRARY: &str = "DBDYNO_CROSSDB_LIBRARY";

#[test]
fn the_real_one_answers_as_sqlite_does_however_it_syncs() {
    let Some(library) = named_by(LIBRARY) else { return };
    let place = Place::new();
    answers_as_sqlite(&place, &format!("crossdb:library={library},sync=sync|async"));
    let syncs = |sync: &str| {
        place.value(&format!(
            "SELECT syncs FROM results WHERE engine = 'crossdb' AND options['sync'] = '{sync}' AND test = 1"
        ))
    };
    assert_eq!((syncs("sync"), syncs("async")), ("2".to_owned(), "0".to_owned()), "two commits");
    // YCSB's values are as long as the table's longest.
    let ycsb = [
        "run",
        "--suite",
        "ycsb",
        "--size",
        "1000",
        "--seed",
        "42",
        "--repeat",
        "1",
        "--test",
        "1,2,3,4,5,6",
        "--quiet",
    ];
    let engines = ["--engine", "sqlite:synchronous=off", "--engine", &format!("crossdb:library={library}")];
    let done = place.run(&[&ycsb[..], &engines].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let differing =
        "SELECT test FROM results WHERE suite = 'ycsb' GROUP BY test HAVING count(DISTINCT verification) > 1";
    assert_eq!(place.rows(differing), [[""; 0]; 0]);
}
