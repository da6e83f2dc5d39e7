//! Import messages about runs that contradict themselves, are incomplete, or do not give their size.

use super::{
    dbdyno,
    lumosql::{Database, run_id},
};

#[test]
fn contradictory_and_incomplete_runs_are_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path());
    database.spoil();
    let id = |run| run_id(1, 1, run);
    database.change("UPDATE run_data SET value = '5' WHERE key = 'end-run' AND run_id = ?", &id(0));
    database
        .change("UPDATE test_data SET value = 'ERR1' WHERE key = 'status' AND test_number = 2 AND run_id = ?", &id(1));
    database.change("DELETE FROM test_data WHERE key = 'status' AND test_number = 2 AND run_id = ?", &id(2));
    let file = database.finished();
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    for named in [
        "run FF10AB01 contradicts itself: several values of real-time of test 1, title\n",
        "run F710AB01 contradicts itself: it reports 17 tests, but has 19\n",
        "run FF11AB01 contradicts itself: its end-run is before its when-run\n",
        "run FE11AB01 contradicts itself: tests-fail and tests-intr add up to 0, but the status of 1 test is not OK\n",
        "run FE10AB01 is incomplete: no when-run\n",
        "run FD10AB01 is incomplete: its when-run is not a valid time\n",
        "run FC10AB01 is incomplete: no end-run\n",
        "run FB10AB01 is incomplete: 1 of its 18 tests are missing\n",
        "run FA10AB01 is incomplete: 3 of its 20 tests are missing\n",
        "run FD11AB01 is incomplete: no status of test 2\n",
        "run no hexad is incomplete: run_data has no data for it\n",
    ] {
        assert!(said.contains(named), "{named}: {said}");
    }
    assert_eq!(said.matches("contradicts itself").count(), 4, "no other run: {said}");
    // The identifier in the message selects the run.
    let found = dbdyno(&store, &["results", "--count", "--runs", "lumosql-run-id=FF11AB01*"]).good();
    assert_eq!(found, "1\n");
}

#[test]
fn many_incomplete_runs_are_counted_after_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path());
    database.change("DELETE FROM run_data WHERE key = 'end-run' AND substr(run_id, 3, 2) = '00' AND ? = ''", "");
    let file = database.finished();
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    assert_eq!(said.matches("is incomplete: no end-run").count(), 10, "{said}");
    assert!(said.contains("more runs that are incomplete: 20\n"), "{said}");
}

#[test]
fn a_size_that_only_names_of_tests_tell_is_taken_from_them_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path());
    for size in [1, 2] {
        database.change("DELETE FROM run_data WHERE key = 'option-datasize' AND run_id = ?", &run_id(0, size, 9));
    }
    let file = database.finished();
    let store = folder.path().join("store.duckdb");
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    assert!(said.contains("runs without a recorded datasize: 2, taken from the names of their tests"), "{said}");
    let listed = ["results", "--runs", "size_from=names", "--columns", "size,size_from,datasize", "--sort", "size"];
    let listed = dbdyno(&store, &[&listed[..], &["--format", "csv"]].concat()).good();
    assert_eq!(listed, "size,size_from,datasize\n2,names,2\n\"2,3\",names,\"2,3\"\n");
    let details = dbdyno(&store, &["results", "--details", "size_from=names", "size=2"]).good();
    assert!(
        details.contains("size_from") && details.contains("2 (assumed: the imported file does not say)"),
        "{details}"
    );
    assert_eq!(
        dbdyno(&store, &["results", "--count", "--runs", "datasize!"]).good(),
        "2\n",
        "it still counts as missing"
    );
}

#[test]
fn a_test_whose_name_has_numbers_is_one_test_at_every_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = Database::new(folder.path()).finished();
    let store = folder.path().join("store.duckdb");
    dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    let csv = |arguments: &[&str]| dbdyno(&store, &[arguments, &["--format", "csv"]].concat()).good();
    let grouped = csv(&["results", "--group-by", "test_name", "engine=sqlite", "test=2|17"]);
    let groups: Vec<&str> = grouped.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(groups, ["DROP TABLE", "N INSERTs"], "{grouped}");
    assert!(grouped.contains("N INSERTs,90,90,"), "{grouped}");
    let one = csv(&["results", "--group-by", "test_name", "engine=sqlite", "test=2", "size=2"]);
    assert!(one.contains("\n2000 INSERTs,30,"), "one size keeps its name: {one}");
    let matrix = csv(&["results", "--matrix", "--by-configuration", "engine=lmdb", "test=2|17"]);
    // The median of 30 values one millisecond apart, as in the other tests of this file.
    let label = "3.39.2+lmdb-0.9.29";
    assert_eq!(
        matrix,
        format!(
            "test,{label} · 1 · 30 runs,{label} · 2 · 30 runs,\"{label} · 2,3 · 30 runs\"\n\
             2 N INSERTs,1054500000,1054500000,1054500000\n17 DROP TABLE,1354500000,1354500000,1354500000\n"
        )
    );
}
