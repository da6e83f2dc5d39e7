//! Lists: counted, sorted, limited, aggregated over runs, and as JSON.

use super::{dbdyno, filled, session, sql, uuid};
use dbdyno::store::{OptionRecord, Store};
use std::path::Path;

/// A store with a run of two tests at each of these sizes. All runs except the last have an option whose value is the run's number times 9.
fn sized(folder: &Path, sizes: &[&str]) -> Store {
    let store = Store::new(folder.join("sized.duckdb"));
    store.prepare().unwrap();
    for (size, number) in sizes.iter().zip(1..) {
        let mut batch = session(number, "host", "kv");
        batch.runs[0].size = (*size).to_owned();
        if (number as usize) < sizes.len() {
            batch.options.push(OptionRecord {
                run_id: uuid(number * 1000 + 1),
                scope: "engine".to_owned(),
                name: "depth".to_owned(),
                asked: Some((number * 9).to_string()),
                in_force: None,
                assumed: Some(false),
            });
        }
        store.write(&batch).unwrap();
    }
    store
}

#[test]
fn runs_are_counted_with_those_that_have_no_test_and_these_are_empty() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let mut without = session(3, "host3", "kv");
    without.results.clear();
    without.timelines.clear();
    store.write(&without).unwrap();
    let count = |arguments: &[&str]| dbdyno(store.path(), &[&["results", "--count"], arguments].concat()).good();
    assert_eq!(count(&[]), "4\n");
    assert_eq!(count(&["--runs"]), "3\n");
    assert_eq!(count(&["--runs", "suite=kv"]), "2\n");
    for empty in ["status=empty", "run_status=empty"] {
        assert_eq!(count(&["--runs", empty]), "1\n", "{empty}");
        assert_eq!(count(&[empty]), "0\n", "it has no result");
    }
    assert_eq!(count(&["--runs", "run_status=done"]), "2\n");
    let columns = ["results", "--runs", "--columns", "run_status,tests", "--sort", "tests", "--format", "csv"];
    assert_eq!(dbdyno(store.path(), &columns).good(), "run_status,tests\nempty,0\ndone,2\ndone,2\n");
    let ended = "SELECT status FROM run ORDER BY ALL";
    assert_eq!(sql(store.path(), ended), ["done", "done", "done"], "the table has what was told");
    assert_eq!(dbdyno(store.path(), &["delete", "status=empty", "--yes"]).good().lines().count(), 1);
    assert_eq!(count(&["--runs"]), "2\n");
}

#[test]
fn lists_are_sorted_by_value_with_what_has_none_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = sized(folder.path(), &["1000", "900", "2,3", "2"]);
    let column = |arguments: &[&str]| -> Vec<String> {
        let answer = dbdyno(store.path(), &[&["results", "--format", "csv"], arguments].concat()).good();
        answer.lines().skip(1).map(|line| line.trim_matches('"').to_owned()).collect()
    };
    let runs = |sort: &str, shown: &str| column(&["--runs", "--sort", sort, "--columns", shown]);
    assert_eq!(runs("size", "size"), ["2", "2,3", "900", "1000"]);
    assert_eq!(runs("size:desc", "size"), ["1000", "900", "2,3", "2"]);
    assert_eq!(runs("depth", "depth"), ["9", "18", "27", ""]);
    assert_eq!(runs("depth:desc", "depth"), ["27", "18", "9", ""]);
    assert_eq!(runs("depth:desc", "size"), ["2,3", "900", "1000", "2"], "also by what is not shown");
    assert_eq!(runs("started", "size"), ["1000", "900", "2,3", "2"]);
    let walls = column(&["--sort", "wall_ns:desc", "--columns", "wall_ns"]);
    let expected: Vec<String> =
        [2, 1].iter().flat_map(|test| (1..=4).rev().map(move |n| format!("{test}00000{n}"))).collect();
    assert_eq!(walls, expected);
    assert_eq!(column(&["--sort", "size", "--columns", "all"]).len(), 8, "the whole view, too");
    let groups = |sort: &str| -> Vec<String> {
        let rows = column(&["--group-by", "size", "--sort", sort]);
        rows.iter().map(|row| row.replace('"', "").split(",2,1,").next().unwrap().to_owned()).collect()
    };
    assert_eq!(groups("size:desc"), ["1000", "900", "2,3", "2"]);
    assert_eq!(groups("median_wall_ms"), groups("least_wall_ms"));
}

#[test]
fn a_limit_says_what_it_leaves_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = sized(folder.path(), &["10", "20", "30"]);
    let asked = |arguments: &[&str]| dbdyno(store.path(), &[&["results", "--format", "csv"], arguments].concat());
    for (arguments, rows, beyond) in [
        (&["--limit", "2"][..], 2, "4 rows beyond --limit"),
        (&["--limit", "5", "--sort", "wall_ns"], 5, "1 row beyond --limit"),
        (&["--runs", "--limit", "1"], 1, "2 rows beyond --limit"),
        (&["--group-by", "size", "--limit", "2", "--sort", "size:desc"], 2, "1 row beyond --limit"),
        (&["--columns", "all", "--limit", "1", "size=10"], 1, "1 row beyond --limit"),
        (&["--limit", "6"], 6, ""),
        (&["--limit", "7"], 6, ""),
        (&[], 6, ""),
    ] {
        let answer = asked(arguments);
        assert!(answer.err.contains(beyond) && answer.err.contains("--limit") != beyond.is_empty(), "{}", answer.err);
        assert_eq!(answer.good().lines().count(), rows + 1, "{arguments:?}");
    }
    asked(&["--limit", "0"]).refused(2);
    asked(&["--limit", "1", "--count"]).refused(2);
    asked(&["--sort", "size", "--matrix"]).refused(2);
}

#[test]
fn sorting_by_what_is_no_column_says_what_there_is_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let asked = |arguments: &[&str]| dbdyno(store.path(), &[&["results"], arguments].concat()).refused(2);
    let said = asked(&["--sort", "wall"]);
    assert!(said.contains("unknown column `wall`: did you mean `wall_ns` or `wall_ms`?"), "{said}");
    let said = asked(&["--runs", "--sort", "test"]);
    assert!(said.contains("`test`"), "{said}");
    let said = asked(&["--group-by", "engine", "--sort", "wall_ns"]);
    assert!(
        said.contains("`wall_ns`") && said.contains("engine, results, runs") && said.contains("most_wall_ms"),
        "{said}"
    );
    for attack in ["1; DROP TABLE run", "wall_ns DESC; --", "(SELECT 1)", "\"wall_ns\"", ":desc", ""] {
        asked(&["--sort", attack]);
    }
    assert_eq!(sql(store.path(), "SELECT count(*) FROM run"), ["2"]);
}

#[test]
fn json_has_every_value_with_its_type() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let json = |arguments: &[&str]| -> (String, serde_json::Value) {
        let text = dbdyno(store.path(), &[arguments, &["--format", "json"]].concat()).good();
        let value = serde_json::from_str(&text).unwrap();
        (text, value)
    };
    let query = "SELECT 9007199254740993 AS whole, 18446744073709551615::UBIGINT AS unsigned, sum(seed) AS sum, 0.5 AS part, 1e300 AS large,
                 'inf'::DOUBLE AS infinite, true AS yes, NULL AS none, '007' AS text, TIMESTAMP '2026-01-02 03:04:05' AS at,
                 to_json([1, 2]) AS document FROM (VALUES (18446744073709551615::UBIGINT), (1::UBIGINT)) t(seed)";
    let (text, answer) = json(&["sql", query]);
    for exact in
        ["\"whole\": 9007199254740993,", "\"unsigned\": 18446744073709551615,", "\"sum\": 18446744073709551616,"]
    {
        assert!(text.contains(exact), "{exact}: {text}");
    }
    let row = &answer[0];
    assert_eq!((&row["part"], &row["large"]), (&serde_json::json!(0.5), &serde_json::json!(1e300)));
    assert_eq!((&row["yes"], &row["none"]), (&serde_json::json!(true), &serde_json::Value::Null));
    assert_eq!((&row["text"], &row["infinite"]), (&serde_json::json!("007"), &serde_json::json!("inf")));
    assert_eq!((&row["at"], &row["document"]), (&serde_json::json!("2026-01-02 03:04:05"), &serde_json::json!([1, 2])));

    let (_, results) =
        json(&["results", "suite=kv", "test=1", "--columns", "test,size,wall_ns,wall_ms,tier,tags,options,owner"]);
    let expected = serde_json::json!({
        "test": 1, "size": "1000", "wall_ns": 1_000_001, "wall_ms": 1.0, "tier": 3, "tags": ["first|second"],
        "options": {"mixed": "on", "sync": "on"}, "owner": "a=b",
    });
    assert_eq!(results[0], expected);
    let (_, groups) = json(&["results", "--group-by", "test,engine"]);
    assert_eq!((&groups[1]["test"], &groups[1]["engine"]), (&serde_json::json!(2), &serde_json::json!("lmdb")));
    assert_eq!(
        (&groups[1]["results"], &groups[1]["median_wall_ms"]),
        (&serde_json::json!(2), &serde_json::Value::Null)
    );
    let (_, groups) = json(&["results", "--group-by", "test,suite"]);
    assert_eq!((&groups[0]["results"], &groups[0]["median_wall_ms"]), (&serde_json::json!(1), &serde_json::json!(1.0)));
    let (_, matrix) = json(&["results", "--matrix", "--by-configuration", "test=1"]);
    assert_eq!(matrix, serde_json::json!([{"test": "1 test, \"1\"", "lmdb · 1000 · 2 runs": 1_000_001.5}]));
}

#[test]
fn configurations_stand_in_a_matrix_with_their_medians() {
    let folder = tempfile::tempdir().unwrap();
    let store = sized(folder.path(), &["10", "10", "10", "20"]);
    let csv = |arguments: &[&str]| dbdyno(store.path(), &[arguments, &["--format", "csv"]].concat()).good();
    // The times of a test differ by one nanosecond from run to run.
    assert_eq!(
        csv(&["results", "--matrix", "--by-configuration"]).lines().collect::<Vec<_>>(),
        [
            "test,lmdb · 10 · 3 runs,lmdb · 20 · 1 run",
            "\"1 test, \"\"1\"\"\",1000002,1000004",
            "\"2 test, \"\"2\"\"\",2000002,2000004"
        ]
    );
    let transposed = csv(&["results", "--transpose", "--by-configuration", "test=1"]);
    assert_eq!(transposed.lines().nth(1), Some("lmdb · 10 · 3 runs,1000002"));
    let shares = csv(&["results", "--normalise", "--by-configuration"]);
    assert!(shares.contains(&format!(",{},", 1_000_002.0 / 3_000_004.0)), "{shares}");
    dbdyno(store.path(), &["results", "--by-configuration", "--runs"]).refused(2);
}

#[test]
fn a_comma_between_values_is_told_where_no_run_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = sized(folder.path(), &["10", "2,3"]);
    let said = |term: &str| dbdyno(store.path(), &["results", "--count", term]);
    for (term, instead) in [
        ("size=10,20", "'size=10|20'"),
        ("label!=lmdb,redb", "'label!=lmdb|redb'"),
        ("test=1,2", "'test=1|2'"),
        ("tag=a, b", "'tag=a|b'"),
    ] {
        let answer = said(term);
        assert!(answer.err.contains("several values with |") && answer.err.contains(instead), "{term}: {}", answer.err);
        answer.good();
    }
    let answer = said("size=2,3");
    assert_eq!(answer.err, "", "a size of two numbers is there");
    assert_eq!(answer.good(), "2\n");
    for wrong in ["engine=lmdb,redb", "round=0,1", "size>=10,20", "size=1..5,20", "started=2026-01-01,2026-01-02"] {
        let said = said(wrong).refused(2);
        assert!(said.contains(wrong) && said.contains("`|`"), "{said}");
    }
}

#[test]
fn words_and_figures_narrow_lists_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = sized(folder.path(), &["10", "1000"]);
    let count = |terms: &[&str]| dbdyno(store.path(), &[&["results", "--count"], terms].concat()).good();
    assert_eq!(count(&["LMD"]), "4\n", "the engine");
    assert_eq!(count(&["lmd", "tes"]), "4\n", "the engine, and the name of the test");
    assert_eq!(count(&["nothing|lmdb", "size>=1k"]), "2\n");
    assert_eq!(count(&["nothing"]), "0\n");
    assert_eq!(count(&["wall>=2ms"]), "2\n", "the second tests");
    assert_eq!(count(&["wall_ns<2000000"]), "2\n");
    assert_eq!(count(&["wall=1ms..1h", "depth<10"]), "2\n", "the run whose depth is 9");
    assert_eq!(count(&["started<2000-01-01"]), "0\n");
    assert_eq!(dbdyno(store.path(), &["results", "--runs", "--count", "lmdb"]).good(), "2\n");
    let said = dbdyno(store.path(), &["results", "wall>5"]).refused(2);
    assert!(said.contains("a time with its unit"), "{said}");
    for changing in [&["delete", "lmdb", "--yes"][..], &["tag", "lmdb", "--add", "x"]] {
        let said = dbdyno(store.path(), changing).refused(2);
        assert!(said.contains("expected only KEY=VALUE"), "{said}");
    }
    let said = dbdyno(store.path(), &["compare", "--a", "lmdb fast", "--b", "engine=lmdb"]).refused(2);
    assert!(said.contains("expected KEY=VALUE, as in engine=lmdb"), "{said}");
    assert_eq!(count(&[]), "4\n");
}
