//! SNKV, from a library that the user builds. A stand-in shows correct and faulty behaviour. The real library is tested if
//! `DBDYNO_SNKV_LIBRARY` names it.

use crate::{
    crash::survives_kills,
    libraries::{named_by, stand_in},
    support::Place,
};

const KV: [&str; 8] = ["run", "--suite", "kv", "--size", "2000", "--seed", "42", "--quiet"];

/// Runs the kv suite once on SQLite and on these engines.
fn beside_sqlite(place: &Place, engines: &[&str]) -> crate::support::Done {
    let mut arguments = [&KV[..], &["--repeat", "1", "--engine", "sqlite:journal_mode=wal,synchronous=off"]].concat();
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    place.run(&arguments)
}

/// The tests with different answers, or with a status other than ok.
fn differing(place: &Place) -> Vec<Vec<String>> {
    place.rows(
        "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1 OR max(status) <> 'ok' ORDER BY 1",
    )
}

#[test]
fn a_library_answers_as_sqlite_does_whether_it_can_seek_or_not() {
    for macros in [&[][..], &["SEEKS"]] {
        let place = Place::new();
        let Some(library) = stand_in(&place, "snkv", macros) else { return };
        let library = format!("snkv:library={library}");
        let done = beside_sqlite(&place, &[&library, &format!("{library},read_transaction=held")]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        assert_eq!(differing(&place), [[""; 0]; 0]);
        assert_eq!(place.value("SELECT count(*) FROM results WHERE engine = 'snkv'"), "16");
        // Tests ranges with YCSB's workload E.
        let ycsb =
            ["run", "--suite", "ycsb", "--size", "1000", "--seed", "42", "--repeat", "1", "--test", "8", "--quiet"];
        place.ok(&[&ycsb[..], &["--engine", &library, "--engine", "sqlite:synchronous=off"]].concat());
        let found = place.rows("SELECT DISTINCT status FROM results WHERE suite = 'ycsb'");
        assert_eq!(found, [["ok"]]);
        let answers = "SELECT count(DISTINCT verification) FROM results WHERE suite = 'ycsb' AND test = 8";
        assert_eq!(place.value(answers), "1");
    }
}

#[test]
fn what_a_library_promises_is_unknown_where_its_files_are_not_sqlites() {
    let place = Place::new();
    let Some(library) = stand_in(&place, "snkv", &[]) else { return };
    let plan = place.ok(&[&KV[..], &["--engine", &format!("snkv:library={library}"), "--dry-run"]].concat());
    assert!(plan.contains("tier unknown: the library is not known to do what its options say"), "{plan}");
    assert!(plan.contains("its file has not SQLite's format"), "{plan}");
}

#[test]
fn what_is_wrong_with_a_library_is_said_before_anything_is_run() {
    let place = Place::new();
    let refused = |engine: &str, parts: &[&str]| {
        let done = place.run(&[&KV[..], &["--engine", "sqlite", "--engine", engine]].concat());
        assert_eq!(done.code, Some(2), "{engine}: {}", done.stderr);
        for part in parts {
            assert!(done.stderr.contains(part), "{engine}: expected `{part}` in: {}", done.stderr);
        }
    };
    refused("snkv:library=", &["option `library` is empty: expected the path of a build of SNKV (libsnkv.so)"]);
    refused(
        "snkv:library=libno.so",
        &["library libno.so cannot be loaded", "give option `library` the path of a build of it"],
    );
    refused(
        "snkv:library=libc.so.6",
        &["library libc.so.6 is not a build of SNKV: it has no function kvstore_open_v2"],
    );
    let Some(lacking) = stand_in(&place, "snkv", &["LACKS_COMMIT"]) else { return };
    refused(&format!("snkv:library={lacking}"), &["is not a build of SNKV: it has no function kvstore_commit"]);
    let crashing = stand_in(&place, "snkv", &["CRASHES"]).unwrap();
    refused(&format!("snkv:library={crashing}"), &["engine `snkv`: it gave no answer (signal: 11"]);
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
}

#[test]
fn a_failing_call_fails_its_run_with_the_libraries_code_and_its_meaning() {
    for (fault, says) in [
        ("BUSY=1500", "putting a value: the database is locked (code 5)"),
        ("CORRUPT", "getting a value: the database is damaged (code 11)"),
    ] {
        let place = Place::new();
        let Some(library) = stand_in(&place, "snkv", &[fault]) else { return };
        let done = beside_sqlite(&place, &[&format!("snkv:library={library}")]);
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        let failure = place.value("SELECT failure FROM run WHERE engine = 'snkv'");
        assert!(failure.contains(&format!("library {library}: {says}")), "{failure}");
        assert_eq!(place.value("SELECT count(*) FROM results WHERE engine = 'sqlite' AND status = 'ok'"), "8");
        assert_eq!(place.left_behind(), Vec::<std::path::PathBuf>::new());
    }
}

#[test]
fn a_library_that_prints_disturbs_nobody_and_one_that_answers_wrongly_is_told() {
    let place = Place::new();
    let Some(library) = stand_in(&place, "snkv", &["PRINTS"]) else { return };
    let done = beside_sqlite(&place, &[&format!("snkv:library={library}")]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(differing(&place), [[""; 0]; 0]);
    let place = Place::new();
    let library = stand_in(&place, "snkv", &["WRONG"]).unwrap();
    let done = beside_sqlite(&place, &[&format!("snkv:library={library}")]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert_eq!(differing(&place), [["2"], ["7"]], "the tests that read values by key");
}

#[test]
fn a_suite_of_several_threads_is_refused() {
    let done = Place::new().run(&["run", "--suite", "contention", "--engine", "snkv:library=/nowhere.so"]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains("engine `snkv` cannot run suite `contention`: it works with one thread"),
        "{}",
        done.stderr
    );
}

#[test]
fn its_presets_take_the_users_library_and_say_so_without_one() {
    let place = Place::new();
    let Some(library) = stand_in(&place, "snkv", &[]) else { return };
    let set = format!("snkv.library={library}");
    for (preset, configurations) in [("snkv-published", 2), ("snkv-equal", 4)] {
        let plan = place.ok(&["--preset", preset, "--set", &set, "--dry-run"]);
        assert_eq!(plan.matches("size 1000000").count(), configurations, "{plan}");
        let done = place.run(&["--preset", preset, "--set", "snkv.library=libnosnkv.so", "--dry-run"]);
        assert_eq!(done.code, Some(2));
        assert!(
            done.stderr.contains("give option `library` the path of a build of it (libsnkv.so)"),
            "{}",
            done.stderr
        );
    }
    // The claims distinguish the runs of the two presets by their options.
    let run =
        |preset: &str| place.ok(&["--preset", preset, "--set", &set, "--size", "1000", "--repeat", "1", "--quiet"]);
    run("snkv-published");
    run("snkv-equal");
    let claims = place.ok(&["claims", "snkv", "--format", "json"]);
    let claims: serde_json::Value = serde_json::from_str(&claims).unwrap();
    assert_eq!(claims["comparisons"].as_array().unwrap().len(), 3);
    let runs = "SELECT options['wal_autocheckpoint'], options['read_transaction'], count(DISTINCT run_id) FROM results \
                WHERE engine = 'snkv' GROUP BY ALL ORDER BY ALL";
    assert_eq!(place.rows(runs), [["0", "each", "1"], ["0", "held", "1"], ["1", "each", "1"]]);
}

const LIBRARY: &str = "DBDYNO_SNKV_LIBRARY";

#[test]
fn the_real_one_answers_as_sqlite_does_with_every_option() {
    let Some(library) = named_by(LIBRARY) else { return };
    let place = Place::new();
    let sweeps = [
        "journal_mode=delete|wal,synchronous=off|normal|full",
        "page_size=512|65536,cache_size=50,synchronous=off",
        "wal_autocheckpoint=1|3,read_transaction=held,cache_size=-500,busy_timeout=10,synchronous=off",
    ];
    let engines: Vec<String> = sweeps.iter().map(|sweep| format!("snkv:library={library},{sweep}")).collect();
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let done = beside_sqlite(&place, &engines);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(differing(&place), [[""; 0]; 0]);
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results WHERE engine = 'snkv'"), "10");
    // Options stored in the file are read back from it. The others are as requested.
    let told = "SELECT name, count(in_force) > 0, count(*) FILTER (in_force <> asked) FROM run_option \
                JOIN run USING (run_id) WHERE engine = 'snkv' GROUP BY ALL ORDER BY ALL";
    for row in place.rows(told) {
        assert_eq!(row[1], ["page_size", "journal_mode"].contains(&row[0].as_str()).to_string(), "{row:?}");
        assert_eq!(row[2], "0", "{row:?}");
    }
    let tiers = "SELECT DISTINCT options['journal_mode'], options['synchronous'], tier FROM results \
                 WHERE engine = 'snkv' ORDER BY ALL";
    let found = place.rows(tiers);
    let expected = [
        ["delete", "full", "2"],
        ["delete", "normal", "2"],
        ["delete", "off", "1"],
        ["wal", "full", "3"],
        ["wal", "normal", "2"],
        ["wal", "off", "1"],
    ];
    assert_eq!(found, expected);
}

/// With 2,000 records, the first test has two commits, and each other test that writes has one.
#[test]
fn the_real_one_syncs_as_its_tiers_say_and_checkpoints_when_asked() {
    let Some(library) = named_by(LIBRARY) else { return };
    let place = Place::new();
    let engine = |options: &str| format!("snkv:library={library},{options}");
    let engines = [engine("synchronous=full"), engine("wal_autocheckpoint=0|1"), engine("synchronous=off")];
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    assert_eq!(beside_sqlite(&place, &engines).code, Some(0));
    let syncs = |options: &str, test: u32| {
        place.value(&format!("SELECT sum(syncs) FROM results WHERE engine = 'snkv' AND test = {test} AND {options}"))
    };
    let never = "options['synchronous'] = 'normal' AND options['wal_autocheckpoint'] = '0'";
    assert_eq!((syncs("options['synchronous'] = 'full'", 1), syncs(never, 1)), ("2".to_owned(), "0".to_owned()));
    assert_eq!(syncs("options['synchronous'] = 'off'", 1), "0");
    let each = "options['wal_autocheckpoint'] = '1'";
    assert!(syncs(each, 1).parse::<u32>().unwrap() >= 4, "each checkpoint syncs log and database");
    assert_eq!(syncs(each, 2), "0", "reads are no commits, however each ends");
}

#[test]
fn the_real_one_keeps_every_acknowledged_commit() {
    let Some(library) = named_by(LIBRARY) else { return };
    for journal in ["wal", "delete"] {
        for synchronous in ["off", "normal", "full"] {
            survives_kills("snkv", &[("library", &library), ("journal_mode", journal), ("synchronous", synchronous)]);
        }
    }
}
