//! Stores of other versions, and files that are not stores.

use super::{dbdyno, filled, sql};
use dbdyno::store::{SCHEMA_VERSION, Store, StoreError};
use duckdb::Connection;
use std::{fs, path::Path, time::Duration};

/// A store as dbdyno 0.2.0 made it (schema version 12), with a session of two runs. One of them has a result.
fn version_12(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(include_str!("version12.sql")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO schema_version VALUES (12, '0.2.0', now()::TIMESTAMP);
             INSERT INTO host (host_id, name) VALUES ('h', 'host');
             INSERT INTO session (session_id, host_id, started_at, status, dbdyno_version, debug_build, command_line, suite,
                                  seed, rounds, planned_runs, work_folder)
             SELECT '00000000-0000-4000-8000-000000000001', 'h', '2026-01-01', 'done', '0.2.0', false, 'x', 'kv', 1, 1, 2, '/';
             INSERT INTO run (run_id, session_id, ordinal, round, started_at, status, engine, engine_version, label, suite,
                              size, seed, tier, tier_reason, other_run_waited)
             SELECT uuid(), '00000000-0000-4000-8000-000000000001', i, 0, '2026-01-01', 'done', 'lmdb', '1', 'lmdb', 'kv',
                    '10', 1, 3, 'x', false FROM range(2) t(i);
             INSERT INTO run_option SELECT run_id, 'engine', 'sync', 'on', 'on', false FROM run;
             INSERT INTO result (run_id, test, test_name, finished_at, wall_ns, operations, rows, histogram)
             SELECT run_id, 1, 'writes', '2026-01-01', 42, 1, 1, '\\x01'::BLOB FROM run WHERE ordinal = 0;
             INSERT INTO harness_cost VALUES ('00000000-0000-4000-8000-000000000001', '10', 1, 2.5);
             INSERT INTO warning SELECT uuid(), session_id, run_id, 1, 'noise', 'noisy host: others took 40 %' FROM run
             WHERE ordinal = 0;
             INSERT INTO warning SELECT uuid(), session_id, NULL, NULL, 'session', 'of all: of it' FROM session;",
        )
        .unwrap();
    connection.close().unwrap();
}

/// The same store with all migrations up to this version.
fn version(path: &Path, version: u32) {
    version_12(path);
    let connection = Connection::open(path).unwrap();
    for step in 13..=version {
        let file = format!("{}/crates/store/src/schema/migrations/{step}.sql", env!("CARGO_MANIFEST_DIR"));
        connection.execute_batch(&fs::read_to_string(file).unwrap()).unwrap();
        connection.execute("INSERT INTO schema_version VALUES (?, '0.2.0', now()::TIMESTAMP)", [step]).unwrap();
    }
    connection.close().unwrap();
}

/// Asserts the contents of a store of an older version after its migration.
fn holds_all(store: &Path, version: u32) {
    let results = "SELECT engine, wall_ns, options['sync'], status FROM results";
    assert_eq!(sql(store, results), ["lmdb,42,on,ok"], "version {version}");
    assert_eq!(
        sql(store, "SELECT engine, test, ns_per_operation FROM harness_cost"),
        ["null,1,2.5"],
        "version {version}"
    );
    let warnings = "SELECT matter FROM warning ORDER BY matter NULLS LAST";
    assert_eq!(sql(store, warnings), ["noisy host", ""], "version {version}");
}

/// The columns of the tables and views of a file.
fn structure(path: &Path) -> Vec<(String, String, String, bool)> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection
        .prepare(
            "SELECT table_name, column_name, data_type || coalesce(column_default, ''), is_nullable FROM duckdb_columns()
             WHERE NOT internal ORDER BY table_name, column_index",
        )
        .unwrap();
    let row = |row: &duckdb::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_store_of_version_0_2_is_brought_up_to_date_by_reading_it() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.duckdb"), folder.path().join("new.duckdb"));
    version_12(&old);
    holds_all(&old, 12);
    assert_eq!(sql(&old, "SELECT count(*) FROM runs"), ["2"]);
    Store::new(&new).prepare().unwrap();
    assert_eq!(structure(&old), structure(&new), "migrated or made, the schema is the same");
    assert_eq!(
        sql(&old, "SELECT list(version ORDER BY version) FROM schema_version"),
        [format!("\"[12, {SCHEMA_VERSION}]\"")]
    );
}

#[test]
fn stores_of_all_older_versions_are_opened_and_imported() {
    for number in 12..SCHEMA_VERSION as u32 {
        let folder = tempfile::tempdir().unwrap();
        let (old, imported) = (folder.path().join("old.duckdb"), folder.path().join("imported.duckdb"));
        version(&old, number);
        let before = fs::read(&old).unwrap();
        let said = dbdyno(&imported, &["import", old.to_str().unwrap()]).good();
        assert!(said.contains("runs    2 new"), "version {number}: {said}");
        assert_eq!(fs::read(&old).unwrap(), before, "what is imported stays as it is");
        holds_all(&imported, number);
        holds_all(&old, number);
        assert_eq!(structure(&old), structure(&imported), "version {number}");
    }
}

#[test]
fn a_schema_of_version_0_1_is_refused_as_a_store_and_as_an_import() {
    let folder = tempfile::tempdir().unwrap();
    let (old, target) = (folder.path().join("old.duckdb"), folder.path().join("target.duckdb"));
    version_12(&old);
    let connection = Connection::open(&old).unwrap();
    connection.execute_batch("UPDATE schema_version SET version = 5").unwrap();
    connection.close().unwrap();
    let before = fs::read(&old).unwrap();
    for (store, arguments) in [
        (&old, &["results"][..]),
        (&old, &["tag", "--all", "--add", "a"]),
        (&target, &["import", old.to_str().unwrap()]),
    ] {
        let answer = dbdyno(store, arguments);
        assert_ne!(answer.code, 0);
        assert!(answer.err.contains("schema version 5, of dbdyno 0.1"), "{}", answer.err);
        assert!(answer.err.contains("open it with dbdyno 0.2 first"), "{}", answer.err);
    }
    assert_eq!(fs::read(&old).unwrap(), before);
}

#[test]
fn a_newer_schema_is_refused_as_a_store_and_as_an_import() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let connection = Connection::open(store.path()).unwrap();
    connection.execute_batch("INSERT INTO schema_version VALUES (99, '9.9', now()::TIMESTAMP)").unwrap();
    connection.close().unwrap();
    assert!(matches!(store.query("SELECT 1", &[]), Err(StoreError::Newer { found: 99, known: SCHEMA_VERSION, .. })));
    let target = folder.path().join("target.duckdb");
    let said = dbdyno(&target, &["import", store.path().to_str().unwrap()]).refused(2);
    assert!(said.contains("schema version 99") && said.contains("newer dbdyno"), "{said}");
}

#[test]
fn a_store_that_another_process_writes_is_waited_for_and_then_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let target = Store::new(folder.path().join("target.duckdb")).with_patience(Duration::from_millis(50));
    target.prepare().unwrap();
    // A separate process holds the file, because DuckDB locks per process.
    let mut holder = std::process::Command::new("python3")
        .args(["-c", "import duckdb,sys; c=duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"])
        .arg(store.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(holder.stdout.take().unwrap()), &mut line).unwrap();
    if line.is_empty() {
        holder.wait().unwrap();
        assert!(std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "the duckdb package of Python is not there");
        eprintln!("skipped: the duckdb package of Python is not there");
        return;
    }
    let error = target.import(store.path()).unwrap_err().to_string();
    assert!(error.contains("filled.duckdb") && error.contains("in use"), "{error}");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    assert_eq!(target.import(store.path()).unwrap().merged.runs.new, 2);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    // No user can create files there, not even root.
    let said = dbdyno(Path::new("/proc/dbdyno.duckdb"), &["import", "/proc/none"]).refused(1);
    assert!(said.contains("/proc/dbdyno.duckdb"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let said = dbdyno(store.path(), &["copy", "--to-parquet", "/proc/none/copy"]).refused(1);
    assert!(said.contains("/proc/none/copy"), "{said}");
}
