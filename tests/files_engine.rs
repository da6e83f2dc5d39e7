//! The engine `files`, one file per row: the same answers as other engines under all options, durability of a commit, transactions of
//! several threads, and the suites that compare it and others with published figures.

use crate::{crash::survives_kills, support::Place};

#[test]
fn files_answer_as_the_others_do_under_every_option() {
    let place = Place::new();
    let engines =
        ["--engine", "sqlite:synchronous=off", "--engine", "files:commit=overwrite|rename|journal,folders=1|16"];
    place.ok(&[&["run", "--suite", "kv", "--size", "500", "--seed", "42", "--repeat", "1", "--quiet"][..], &engines]
        .concat());
    assert_eq!(place.value("SELECT count(DISTINCT run_id) FROM results WHERE engine = 'files'"), "6");
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status <> 'ok' OR verification IS NULL"), "0");
    let differing = "SELECT test FROM results GROUP BY test HAVING count(DISTINCT verification) > 1";
    assert_eq!(place.rows(differing), [[""; 0]; 0], "tests whose answers differ");
}

#[test]
fn files_keep_every_acknowledged_commit() {
    survives_kills("files", &[("commit", "journal")]);
    survives_kills("files", &[("commit", "journal"), ("sync", "data")]);
    survives_kills("files", &[("commit", "journal"), ("sync", "full"), ("folders", "16")]);
}

#[test]
fn a_commit_of_files_waits_for_what_the_options_say() {
    let place = Place::new();
    let engines = ["--engine", "files:commit=overwrite|rename|journal,sync=off|data|full"];
    let rest = ["--size", "1000", "--test", "1", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "crossbench"][..], &engines, &rest].concat());
    let found = place.rows("SELECT DISTINCT options['sync'], syncs FROM results ORDER BY 2");
    // A commit of one file syncs the file and its folder.
    assert_eq!(found, [["off", "0"], ["data", "1000"], ["full", "2000"]]);
    let tiers = place.rows(
        "SELECT options['commit'], string_agg(tier::VARCHAR, ' ' ORDER BY syncs) FROM results GROUP BY 1 ORDER BY 1",
    );
    assert_eq!(tiers, [["journal", "1 1 3"], ["overwrite", "0 0 0"], ["rename", "0 0 0"]]);
}

#[test]
fn transfers_between_files_are_never_seen_by_halves() {
    let place = Place::new();
    let rest =
        ["--size", "100", "--set", "contention.seconds=1", "--set", "contention.writers=2", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "contention", "--engine", "files:commit=overwrite|journal"][..], &rest].concat());
    let found = place
        .rows("SELECT test, count(*), min(status), max(status) FROM results WHERE actor IS NULL GROUP BY 1 ORDER BY 1");
    assert!(found.len() >= 5 && found.iter().all(|row| row[1..] == ["2", "ok", "ok"]), "{found:?}");
}

#[test]
fn blobs_of_kvtest_are_the_same_in_a_database_and_in_files() {
    let place = Place::new();
    let engines = [
        "--engine",
        "sqlite:synchronous=off",
        "--engine",
        "files",
        "--engine",
        "redb:durability=none",
        "--engine",
        "duckdb",
    ];
    let rest = ["--size", "200", "--seed", "7", "--repeat", "1", "--quiet", "--keep-databases"];
    place.ok(&[&["run", "--suite", "kvtest"][..], &engines, &rest].concat());
    let found = place
        .rows("SELECT test, count(*), min(status), count(DISTINCT verification) FROM results GROUP BY 1 ORDER BY 1");
    assert!(found.len() == 5 && found.iter().all(|row| row[1..] == ["4", "ok", "1"]), "{found:?}");
    let rows = |run: &std::path::PathBuf| std::fs::read_dir(run.join("databases/main/rows")).ok();
    let files = place.left_behind().iter().find_map(rows).unwrap();
    let mut lengths: Vec<u64> = files.map(|file| file.unwrap().metadata().unwrap().len()).collect();
    lengths.sort_unstable();
    assert!(lengths.len() == 200 && lengths[0] >= 8_000 && lengths[199] <= 12_000, "{lengths:?}");
    assert!(lengths[199] - lengths[0] > 3_000, "all between them are as likely: {lengths:?}");
}

#[test]
fn the_table_of_redb_is_measured_on_every_engine_and_in_both_tables_of_sqlite() {
    let place = Place::new();
    let run = ["run", "--suite", "redb-bench", "--size", "2000", "--seed", "7", "--repeat", "1", "--quiet"];
    let engines = ["--engine", "redb", "--engine", "lmdb:sync=nosync", "--engine", "fjall"];
    let sqlite =
        ["--engine", "sqlite:synchronous=off", "--set", "redb-bench.sql_table=rowid|without_rowid", "--keep-databases"];
    place.ok(&[&run[..], &engines, &sqlite].concat());
    let found = place.rows(
        "SELECT test, count(*), min(status), max(status), count(DISTINCT verification), max(operations) FROM results WHERE actor IS NULL
         GROUP BY 1 ORDER BY 1",
    );
    let counts = ["2000", "100", "1000", "1000", "1000", "1000", "1000", "2000", "2000", "2000", "2000", "1000", "1"];
    assert_eq!(found.len(), counts.len());
    for (row, count) in found.iter().zip(counts) {
        let test: u32 = row[0].parse().unwrap();
        // fjall has no compaction.
        let runs = if test == 13 { "6" } else { "8" };
        assert_eq!(row[1..], [runs, "ok", "ok", "1", count], "test {test}");
    }
    let sizes = "SELECT engine, bool_and(b.database_bytes < 0.8 * a.database_bytes) FROM results a
                 JOIN results b USING (run_id, engine) WHERE a.test = 12 AND b.test = 13 GROUP BY 1 ORDER BY 1";
    assert_eq!(place.rows(sizes), [["lmdb", "true"], ["redb", "true"], ["sqlite", "true"]]);
    let ranges = "SELECT DISTINCT rows FROM results WHERE test = 6";
    assert!(place.value(ranges).parse::<u64>().unwrap() > 9_900, "ten rows each but at the end");
    let schema = |run: &std::path::PathBuf| {
        let database = rusqlite::Connection::open(run.join("databases/main/sqlite.db")).ok()?;
        database
            .query_row("SELECT sql LIKE '%WITHOUT ROWID%' FROM sqlite_master WHERE name = 'kv'", [], |row| row.get(0))
            .ok()
    };
    let mut found: Vec<bool> = place.left_behind().iter().filter_map(schema).collect();
    found.sort_unstable();
    assert_eq!(found, [false, true], "each table is made");
}
