//! RocksDB from a library that is found at run time: SQLite's answers under every option and in both layers, sync calls as the options
//! require, and libraries that are missing, foreign, or incomplete.

use crate::support::{Place, has_tool, system_library};
use std::{fs, path::PathBuf, process::Command};

/// The system's librocksdb of any version.
fn system_rocksdb() -> Option<PathBuf> {
    system_library("librocksdb.so")
}

const RUN: [&str; 7] = ["run", "--suite", "kv", "--repeat", "1", "--quiet", "--engine"];

#[test]
fn no_option_of_rocksdb_changes_an_answer() {
    if system_rocksdb().is_none() {
        return;
    }
    let place = Place::new();
    let sweeps = [
        "sqlite:synchronous=off",
        "rocksdb:sync=on|off,read_transaction=each|held",
        "rocksdb:wal=off,memtable_size=64KiB,memtables=4,background_threads=4,pipelined_write=on",
        "rocksdb:compression=none|snappy,block_size=1KiB,bloom_bits=10,cache_size=0,cache_index=on",
        "rocksdb:compaction=universal,separate_values=4,memtable_size=64KiB",
        "rocksdb:memory=16MiB",
    ];
    let engines: Vec<&str> = sweeps.iter().flat_map(|sweep| ["--engine", sweep]).collect();
    let rest = ["--size", "3000", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results WHERE engine = 'rocksdb'"), "9");
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status <> 'ok' OR verification IS NULL"), "0");
    let differing = "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1";
    assert_eq!(place.rows(differing), [[""; 0]; 0], "tests whose answers differ");
    let in_force = "SELECT DISTINCT in_force FROM run_option WHERE name = 'cache_size' AND asked = '16777216'";
    assert_eq!(place.value(in_force), "16777216");
    let of_own = "SELECT count(*) FROM run_option WHERE name = 'own_compression' AND asked IS NULL";
    assert_ne!(place.value(of_own), "0", "what the library chose by itself is told");
    let version = place.value("SELECT DISTINCT engine_version FROM run WHERE engine = 'rocksdb'");
    assert!(version.split('.').count() == 3 && version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
}

#[test]
fn a_compacted_rocksdb_is_smaller_and_has_what_it_had() {
    if system_rocksdb().is_none() {
        return;
    }
    let place = Place::new();
    let rest = ["--size", "20000", "--test", "12,13", "--seed", "42", "--repeat", "1", "--quiet"];
    let engines = ["--engine", "rocksdb", "--engine", "sqlite:synchronous=off"];
    place.ok(&[&["run", "--suite", "redb-bench"][..], &engines, &rest].concat());
    let answers = "SELECT count(*), count(DISTINCT verification), min(status) FROM results WHERE test = 13";
    assert_eq!(place.rows(answers), [["2", "1", "ok"]]);
    let sizes = "SELECT max(database_bytes) FILTER (test = 12) > 1.5 * max(database_bytes) FILTER (test = 13)
                 FROM results WHERE engine = 'rocksdb'";
    assert_eq!(place.value(sizes), "true");
}

#[test]
fn a_commit_of_rocksdb_syncs_where_the_tier_says_so() {
    if system_rocksdb().is_none() {
        return;
    }
    let place = Place::new();
    let rest = ["--size", "20000", "--test", "1"];
    place.ok(&[&RUN[..], &["rocksdb:sync=on|off"], &["--engine", "rocksdb:wal=off"], &rest].concat());
    let found =
        place.rows("SELECT options['wal'], options['sync'], tier, syncs FROM results WHERE test = 1 ORDER BY ALL");
    // One sync for each of 20 commits. The first commit also syncs the folder of the log.
    assert_eq!(found, [["off", "off", "0", "0"], ["on", "off", "2", "0"], ["on", "on", "3", "21"]]);
}

#[test]
fn tables_on_rocksdb_give_the_answers_of_sqlite_in_both_layers() {
    if system_rocksdb().is_none() {
        return;
    }
    let place = Place::new();
    let engines = [
        "--engine",
        "sqlite:synchronous=off",
        "--engine",
        "rocksdb:layer=sql,rowsum=crc32c",
        "--engine",
        "rocksdb:layer=direct",
    ];
    let rest = ["--size", "1", "--test", "1,2,3,4,7,8,10,14", "--seed", "42", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "lumosql"][..], &engines, &rest].concat());
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results WHERE status = 'ok'"), "3");
    let differing = "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1";
    assert_eq!(place.rows(differing), [[""; 0]; 0], "tests whose answers differ");
    let versions =
        "SELECT count(DISTINCT engine_version) FROM run WHERE engine = 'rocksdb' AND engine_version <> 'any'";
    assert_eq!(place.value(versions), "1", "the version is the library's on SQL suites too");
}

#[test]
fn two_libraries_are_compared_as_a_and_b() {
    let Some(library) = system_rocksdb() else { return };
    let place = Place::new();
    let copy = place.path("librocksdb-of-mine.so");
    fs::copy(library, &copy).unwrap();
    let engine = format!("rocksdb:library=librocksdb.so|{}", copy.display());
    place.ok(&[&RUN[..], &[&engine], &["--size", "1000", "--seed", "42"]].concat());
    let found = place.rows("SELECT count(DISTINCT options['library']), count(DISTINCT engine_version) FROM results");
    assert_eq!(found, [["2", "1"]]);
    let differing = "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1";
    assert_eq!(place.rows(differing), [[""; 0]; 0]);
}

#[test]
fn several_threads_share_a_database_of_rocksdb() {
    if system_rocksdb().is_none() {
        return;
    }
    let place = Place::new();
    let set = ["--set", "contention.seconds=1", "--set", "contention.writers=2", "--test", "4,5", "--size", "1000"];
    place
        .ok(&[&["run", "--suite", "contention", "--engine", "rocksdb", "--repeat", "1", "--quiet"][..], &set].concat());
    let found = place.rows("SELECT DISTINCT verification, status FROM results WHERE actor IS NULL");
    assert_eq!(found, [["invariants:held", "ok"]]);
}

#[test]
fn a_library_that_is_none_of_rocksdb_is_refused_and_nothing_is_run() {
    let place = Place::new();
    for (engine, part) in [
        ("rocksdb:library=", "option `library` is empty: expected the path of a build of RocksDB (librocksdb.so"),
        ("rocksdb:library=/nowhere/librocksdb.so", "give option `library` the path of a build of it (librocksdb.so"),
        ("rocksdb:library=librocks.so", "library librocks.so cannot be loaded"),
        ("rocksdb:library=libc.so.6", "library libc.so.6 is not a build of RocksDB: it has no function rocksdb_open"),
        ("rocksdb:sync=on,wal=off", "a commit syncs only the log"),
    ] {
        let done = place.run(&[&RUN[..], &[engine]].concat());
        assert_eq!(done.code, Some(2), "{engine}: {}", done.stderr);
        assert!(done.stderr.contains(part), "{engine}: expected `{part}` in: {}", done.stderr);
    }
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
}

/// Compiles a C library with one function that overrides the system's RocksDB. Returns its path, or None without a C compiler.
fn changed(place: &Place, name: &str, function: &str) -> Option<String> {
    let (real, source, library) =
        (system_rocksdb()?, place.path(&format!("{name}.c")), place.path(&format!("lib{name}.so")));
    if !has_tool("cc", &["--version"]) {
        return None;
    }
    let head = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n#include <stdlib.h>\n";
    let of_real = format!("#define REAL(name) dlsym(dlopen({:?}, RTLD_NOW), name)\n", real.to_str().unwrap());
    fs::write(&source, [head, &of_real, function].concat()).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .args(["-Wl,--no-as-needed", "-ldl"])
        .arg(&real)
        .status();
    assert!(compiled.unwrap().success());
    Some(library.to_str().unwrap().to_owned())
}

/// A version without blob files.
const WITHOUT_BLOBS: &str = r#"
void rocksdb_get_options_from_string(const void *base, const char *text, void *options, char **failure) {
    void (*real)(const void *, const char *, void *, char **) = REAL("rocksdb_get_options_from_string");
    if (strstr(text, "enable_blob_files")) *failure = strdup("Invalid argument: Could not find option: enable_blob_files");
    else real(base, text, options, failure);
}"#;

/// A version that accepts `sync`, and ignores it.
const WITHOUT_SYNCS: &str = r#"
void rocksdb_writeoptions_set_sync(void *options, unsigned char sync) {}"#;

#[test]
fn an_option_that_a_library_lacks_is_refused_before_anything_is_run() {
    let place = Place::new();
    let Some(library) = changed(&place, "old", WITHOUT_BLOBS) else { return };
    let done = place.run(&[&RUN[..], &[&format!("rocksdb:library={library},separate_values=100")]].concat());
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("Could not find option: enable_blob_files"), "{}", done.stderr);
    assert!(!place.store().exists() && place.left_behind().is_empty(), "nothing is run");
}

#[test]
fn the_tier_of_a_library_that_does_not_sync_is_unknown() {
    let place = Place::new();
    let Some(library) = changed(&place, "lazy", WITHOUT_SYNCS) else { return };
    let plan = place.ok(&[&RUN[..], &[&format!("rocksdb:library={library},sync=on"), "--dry-run"]].concat());
    assert!(plan.contains("tier unknown") && plan.contains("a write with sync does not sync"), "{plan}");
}
