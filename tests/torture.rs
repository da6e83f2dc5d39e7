//! Torture: a tier that holds is evidenced. A tier that does not hold is contradicted, with an image that shows it.

use crate::support::{Place, engine_program, system_library, system_sqlite};
use serde_json::Value;

/// The results of a torture of a configuration, with a fixed seed.
fn tortured(place: &Place, engine: &str, more: &[&str]) -> Value {
    let arguments = ["torture", engine, "--kills", "2", "--power", "80", "--seed", "7", "--format", "json"];
    let text = place.ok(&[&arguments, more].concat());
    serde_json::from_str::<Value>(&text).unwrap()["configurations"][0].take()
}

fn count(found: &Value, what: &str) -> u64 {
    found["power"]["journaled"][what].as_u64().unwrap()
}

#[test]
fn what_waits_for_the_disk_keeps_every_commit_and_what_does_not_loses_some() {
    let place = Place::new();
    for (waits, does_not) in [
        ("sqlite:journal_mode=wal,synchronous=full", "sqlite:journal_mode=wal,synchronous=off"),
        ("sqlite:synchronous=extra", "sqlite:synchronous=off"),
        ("lmdb", "lmdb:sync=nosync"),
    ] {
        let found = tortured(&place, waits, &["--mutants", "0"]);
        assert_eq!(found["tier"], 3, "{found:#}");
        assert!(found["verdict"]["evidenced"].is_object(), "{found:#}");
        assert_eq!((count(&found, "whole"), count(&found, "images")), (40, 40), "{found:#}");

        let found = tortured(&place, does_not, &["--mutants", "0"]);
        assert_eq!(found["tier"], 1, "{found:#}");
        assert!(found["verdict"]["evidenced"].is_object(), "{found:#}");
        assert!(count(&found, "earlier") + count(&found, "broken") > 5, "{found:#}");
    }
}

/// Loaded libraries call functions through their own table.
#[test]
fn a_library_of_the_user_is_judged_as_what_is_built_in() {
    let Some(library) = system_sqlite() else { return };
    let place = Place::new();
    let with = |options: &str| format!("sqlite-lib:library={},{options}", library.display());
    for (options, loses) in [("synchronous=extra", false), ("synchronous=off", true)] {
        let found = tortured(&place, &with(options), &["--mutants", "0"]);
        assert!(found["verdict"]["evidenced"].is_object(), "{found:#}");
        assert_eq!(count(&found, "whole") < count(&found, "images"), loses, "{found:#}");
    }
    let mutants = tortured(&place, &with("journal_mode=wal"), &["--mutants", "400"])["power"]["mutants"].take();
    let mutants = mutants.as_array().unwrap();
    assert!(!mutants.is_empty() && mutants.iter().all(|mutant| mutant["caught"].is_string()), "{mutants:#?}");
}

/// Options with which an engine keeps separate files (keys, journals, logs, tables, separate values), each once. The promises of the
/// database must hold for these files too.
const WITH_FILES: &[&str] = &[
    "sqlite:journal_mode=delete|truncate|persist|wal",
    "sqlite:journal_mode=wal,synchronous=normal",
    "sqlite:journal_mode=wal,locking_mode=exclusive,auto_vacuum=full",
    "lmdb:writemap=on",
    "lmdb1:encrypt=chacha20poly1305|aes256gcm",
    "lmdb1:checksum=on",
    "redb:two_phase_commit=on,quick_repair=on",
    "fjall:persist=sync_all|sync_data|buffer",
    "fjall:persist=sync_all,separate_values=16,memtable_size=1048576",
    "rocksdb:sync=on|off",
    "rocksdb:sync=on,separate_values=16,memtable_size=65536",
    "log",
    "files:commit=journal,sync=full|data|off",
];

/// Without a sync of its key, the database cannot be opened.
#[test]
fn files_that_options_add_keep_what_the_database_promises() {
    let place = Place::new();
    let is_here = |engine: &&&str| match engine.split(':').next() {
        Some("lmdb1") => engine_program("lmdb1").is_some(),
        Some("rocksdb") => system_library("librocksdb.so").is_some(),
        _ => true,
    };
    for engine in WITH_FILES.iter().filter(is_here) {
        let arguments = ["torture", engine, "--kills", "1", "--power", "24", "--mutants", "0", "--commits", "80"];
        let done = place.run(&[&arguments[..], &["--seed", "7", "--format", "json"]].concat());
        assert_eq!(done.code, Some(0), "{engine}: {}{}", done.stdout, done.stderr);
        let found: Value = serde_json::from_str(&done.stdout).unwrap();
        for one in found["configurations"].as_array().unwrap() {
            assert!(one["verdict"]["contradicted"].is_null(), "{one:#}");
        }
    }
}

/// A worker with too little time to open a database does not prove that anything is missing.
#[test]
fn a_short_patience_contradicts_no_tier() {
    let found = tortured(&Place::new(), "lmdb", &["--mutants", "0", "--patience", "1ms"]);
    assert!(found["verdict"]["contradicted"].is_null(), "{found:#}");
}

/// Verifies the check itself: a test that cannot fail proves nothing.
#[test]
fn a_sync_that_is_left_out_is_missed() {
    let place = Place::new();
    for engine in ["sqlite:journal_mode=wal,synchronous=full", "lmdb", "redb"] {
        let found = tortured(&place, engine, &["--mutants", "400"]);
        let mutants = found["power"]["mutants"].as_array().unwrap();
        assert!(!mutants.is_empty() && mutants.iter().all(|mutant| mutant["caught"].is_string()), "{found:#}");
    }
}

/// An image that catches a mutant is intact once the missing calls are added back, whatever other images of the whole program show. On
/// disks where a name lasts once its folder is synced, fjall loses commits, which two images do not show.
#[test]
fn more_images_never_catch_fewer_mutants() {
    let place = Place::new();
    let caught = |images: &str| -> bool {
        let arguments =
            ["torture", "fjall:persist=sync_all", "--kills", "1", "--power", images, "--mutants", "150", "--seed", "3"];
        let text = place.ok(&[&arguments[..], &["--format", "json"]].concat());
        let found: Value = serde_json::from_str(&text).unwrap();
        let mutants = found["configurations"][0]["power"]["mutants"].as_array().unwrap().clone();
        assert_eq!(found["configurations"][0]["power"]["by_folder"]["contradiction"].is_null(), images == "2");
        mutants.iter().any(|mutant| mutant["lacks"] == "folder sync of main" && mutant["caught"].is_string())
    };
    assert!(caught("2") && caught("120"));
}

/// An engine that claims to wait for the disk, but makes SQLite not wait.
const LIAR: &str = r#"
if [ "$1" = describe ]; then
    dbdyno worker sqlite describe | sed 's/"name":"sqlite"/"name":"liar"/'
else
    # Its stdin stays open: a worker whose stdin ends is one that nobody waits for.
    exec bash -c 'exec dbdyno worker sqlite "$1" < <({
        head -n 1 | sed "s/\"engine\":\"liar\"/\"engine\":\"sqlite\"/; s/\"synchronous\":\"full\"/\"synchronous\":\"off\"/"
        sleep 10
    } 2>/dev/null)' liar "$1"
fi
"#;

#[test]
fn a_tier_that_is_not_kept_is_contradicted_with_an_image_that_shows_it() {
    let place = Place::new();
    place.engine("liar", &LIAR.replace("dbdyno worker", &format!("{} worker", env!("CARGO_BIN_EXE_dbdyno"))));
    let asked = "liar:journal_mode=wal,synchronous=full";
    let found = place.run(&["torture", asked, "--kills", "1", "--power", "80", "--seed", "7", "--format", "json"]);
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let contradicted = &found["configurations"][0]["verdict"]["contradicted"];
    let image = contradicted["image"].as_str().unwrap();
    let shown = place.run(&["torture", asked, "--image", image]);
    assert!(shown.code == Some(1) || shown.stdout.contains("commits are there"), "{}", shown.stderr);

    let stored = place.rows("SELECT choice, tier, verdict, image, route FROM tier_evidence");
    assert_eq!(stored, [["liar:journal_mode=wal", "3", "contradicted", image, "writes"]]);
    let list = place.ok(&["list", "evidence"]);
    assert!(list.contains("liar:journal_mode=wal") && list.contains("contradicted"), "{list}");
}

#[test]
fn the_verdict_stands_beside_the_tier_of_runs_before_and_after() {
    let place = Place::new();
    let run = |engine: &str| {
        place.ok(&["run", "--suite", "kv", "--size", "1000", "--test", "1", "--repeat", "1", "--engine", engine])
    };
    run("redb");
    run("lmdb");
    tortured(&place, "redb", &["--mutants", "0"]);
    run("redb");
    let told = place.rows("SELECT DISTINCT engine, tier_evidence FROM results ORDER BY 1");
    assert_eq!(told, [["lmdb", ""], ["redb", "evidenced"]]);
    let listed = place.ok(&["results", "tier_evidence=evidenced", "--count"]);
    assert!(listed.contains('2'), "{listed}");
    let compared = place.run(&["compare", "--a", "engine=lmdb", "--b", "engine=redb"]);
    assert!(compared.stdout.contains("tier 3 power-safe (evidenced)"), "{}", compared.stdout);
}

/// A program that does not support recordings still commits.
#[test]
fn an_engine_that_records_nothing_has_no_power_images_and_no_evidence() {
    let place = Place::new();
    let script = r#"
if [ "$1" = describe ]; then
    dbdyno worker sqlite describe | sed 's/"name":"sqlite"/"name":"mum"/'
else
    exec bash -c 'exec env -u DBDYNO_POWER_LOG -u DBDYNO_POWER_COMMITS dbdyno worker sqlite "$1" < <(
        read -r job; printf "%s\n" "${job/\"engine\":\"mum\"/\"engine\":\"sqlite\"}"; exec cat)' mum "$1"
fi
"#;
    place.engine("mum", &script.replace("dbdyno worker", &format!("{} worker", env!("CARGO_BIN_EXE_dbdyno"))));
    let asked = ["torture", "mum:synchronous=extra", "--kills", "1", "--power", "10", "--commits", "5"];
    let found = place.ok(&[&asked[..], &["--power-through", "writes"]].concat());
    let reason = "no power loss could be simulated, because its program does not record its file operations";
    assert!(found.contains(&format!("power losses  none: {reason}")), "{found}");
    assert!(found.contains(&format!("verdict       not evidenced: {reason}")), "{found}");
}
