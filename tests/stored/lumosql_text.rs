//! Text exports of LumoSQL's benchmark databases.

use super::{
    dbdyno,
    lumosql::{Database, dump},
    sql,
};
use std::{collections::BTreeMap, fs, path::Path};

/// The output of LumoSQL's `benchmark-filter.tcl -export` for two runs. Test 2 had been deleted from the database before.
const EXPORTED: &str = "# LumoSQL benchmark data version 0.0
A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1 2
backend lmdb-0.9.29
backend-name lmdb
backend-version 0.9.29
cpu-comment\u{20}
end-run 1650000009
option-datasize 2
option-rowsum off
sqlite-version 3.36.0
target 3.36.0+lmdb-0.9.29
tests-fail 0
tests-intr 0
tests-ok 2
title it's a, title
when-run 1650000000
--1
real-time 0.25
status OK
system-cpu-time 0.001
test-name 2000 INSERTs
user-cpu-time 0.002
--3
real-time 1.5
status OK
system-cpu-time 0.001
test-name DROP TABLE
user-cpu-time 0.002

B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2 2
backend lmdb-0.9.29
backend-name lmdb
backend-version 0.9.29
cpu-comment\u{20}
end-run 1650000109
option-datasize 3
option-rowsum off
sqlite-version 3.36.0
target 3.36.0+lmdb-0.9.29
tests-fail 0
tests-intr 0
tests-ok 2
title it's a, title
when-run 1650000100
--1
real-time 0.25
status OK
system-cpu-time 0.001
test-name 3000 INSERTs
user-cpu-time 0.002
--3
real-time 1.5
status OK
system-cpu-time 0.001
test-name DROP TABLE
user-cpu-time 0.002

";

#[test]
fn what_lumosqls_tool_exported_is_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let (store, file) = (folder.path().join("store.duckdb"), folder.path().join("export.txt"));
    fs::write(&file, EXPORTED).unwrap();
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    assert!(said.contains("LumoSQL text export") && said.contains("runs    2 new"), "{said}");
    let rows =
        sql(&store, "SELECT engine, size, test, test_name, wall_ns, keys['title'] FROM results ORDER BY size, test");
    assert_eq!(
        rows,
        [
            "lmdb,2,2,2000 INSERTs,250000000,\"it's a, title\"",
            "lmdb,2,17,DROP TABLE,1500000000,\"it's a, title\"",
            "lmdb,3,2,3000 INSERTs,250000000,\"it's a, title\"",
            "lmdb,3,17,DROP TABLE,1500000000,\"it's a, title\"",
        ]
    );
    // Mail programs change line ends.
    fs::write(&file, EXPORTED.replace('\n', "\r\n")).unwrap();
    let said = dbdyno(&store, &["import", file.to_str().unwrap()]).good();
    assert!(said.contains("runs    0 new · 2 here already"), "{said}");
}

/// Exports a database by the rules of LumoSQL's tool.
fn export(database: &Path) -> String {
    let connection = rusqlite::Connection::open(database).unwrap();
    let rows = |sql: &str| -> Vec<(String, i64, String, String)> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    let mut runs: BTreeMap<String, (String, BTreeMap<i64, String>)> = BTreeMap::new();
    for (run, _, key, value) in rows("SELECT run_id, 0, key, value FROM run_data ORDER BY run_id, key") {
        runs.entry(run).or_default().0.push_str(&format!("{key} {value}\n"));
    }
    for (run, test, key, value) in rows("SELECT * FROM test_data ORDER BY run_id, test_number, key") {
        runs.entry(run).or_default().1.entry(test).or_default().push_str(&format!("{key} {value}\n"));
    }
    let mut text = "# LumoSQL benchmark data version 0.0\n".to_owned();
    for (run, (facts, tests)) in runs {
        text.push_str(&format!("{run} {}\n{facts}", tests.len()));
        tests.iter().for_each(|(test, facts)| text.push_str(&format!("--{test}\n{facts}")));
        text.push('\n');
    }
    text
}

#[test]
fn an_export_is_worth_as_much_as_its_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path()).finished();
    // The text file keeps the name of the database.
    let file = folder.path().join("text").join(database.file_name().unwrap());
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, export(&database)).unwrap();
    let (one, other) = (folder.path().join("one.duckdb"), folder.path().join("other.duckdb"));
    dbdyno(&one, &["import", database.to_str().unwrap()]).good();
    dbdyno(&other, &["import", file.to_str().unwrap()]).good();
    assert_eq!(dump(&one), dump(&other));
    let said = dbdyno(&one, &["import", file.to_str().unwrap()]).good();
    assert!(said.contains("runs    0 new · 270 here already"), "{said}");
}

#[test]
fn a_broken_export_is_refused_whole_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (store, file) = (folder.path().join("store.duckdb"), folder.path().join("export.txt"));
    let cut = EXPORTED.rfind("--3").unwrap();
    let id = "A1".repeat(32);
    for (text, expected) in [
        (EXPORTED[..cut].to_owned(), "end of file: run B2B2".to_owned()),
        (EXPORTED.replacen("A1A1", "nope", 1), "line 2: `nope".to_owned()),
        (EXPORTED.replacen("status OK", "=", 1), "line 19: `=`: expected a key".to_owned()),
        (EXPORTED.replacen("--3", "--1", 1), "line 23: test 1 occurs twice".to_owned()),
        (EXPORTED.replace("B2", "A1"), format!("line 30: run {id} occurs twice")),
        (EXPORTED.replacen("--3\n", "", 1), "line 28: run A1A1".to_owned()),
    ] {
        fs::write(&file, &text).unwrap();
        let said = dbdyno(&store, &["import", file.to_str().unwrap()]).refused(2);
        assert!(said.contains(&expected) && said.contains("nothing was imported"), "{expected}: {said}");
        assert_eq!(sql(&store, "SELECT count(*) FROM run"), ["0"]);
    }
}
