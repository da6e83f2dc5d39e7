//! Stores of other versions, and files that are none.

use super::{dbdyno, filled, sql};
use dbdyno::store::{SCHEMA_VERSION, Store, StoreError};
use duckdb::Connection;
use std::{fs, path::Path, time::Duration};

/// A store as version 1 made it, with a session of two runs; one of them has a result.
fn version_1(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(include_str!("version1.sql")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO schema_version VALUES (1, '0.1.0', now()::TIMESTAMP);
             INSERT INTO host (host_id, name) VALUES ('h', 'host');
             INSERT INTO session (session_id, host_id, started_at, status, dbdyno_version, debug_build, command_line, suite,
                                  seed, rounds, planned_runs, work_folder)
             SELECT '00000000-0000-4000-8000-000000000001', 'h', '2026-01-01', 'done', '0.1.0', false, 'x', 'kv', 1, 1, 2, '/';
             INSERT INTO run (run_id, session_id, ordinal, round, started_at, status, engine, engine_version, label, suite,
                              size, seed, tier, tier_reason, other_run_waited)
             SELECT uuid(), '00000000-0000-4000-8000-000000000001', i, 0, '2026-01-01', 'done', 'lmdb', '1', 'lmdb', 'kv',
                    '10', 1, 3, 'x', false FROM range(2) t(i);
             INSERT INTO run_option SELECT run_id, 'engine', 'sync', 'on', 'on' FROM run;
             INSERT INTO result
             SELECT run_id, 1, 'writes', '2026-01-01', 42, 1, 1, 10, 10, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0,
                    0, 0, 1, '\\x01'::BLOB FROM run WHERE ordinal = 0;",
        )
        .unwrap();
    connection.close().unwrap();
}

/// The same store after versions up to this one had it, with a run of an A/A twin and one that failed, as they said so then.
fn version(path: &Path, version: u32) {
    version_1(path);
    let connection = Connection::open(path).unwrap();
    for step in 2..=version {
        let file = format!("{}/crates/store/src/schema/migrations/{step}.sql", env!("CARGO_MANIFEST_DIR"));
        connection.execute_batch(&fs::read_to_string(file).unwrap()).unwrap();
        connection.execute("INSERT INTO schema_version VALUES (?, '0.1.0', now()::TIMESTAMP)", [step]).unwrap();
    }
    connection
        .execute_batch(
            "UPDATE run SET label = 'lmdb[sync=on]#2' WHERE ordinal = 1;
             UPDATE run SET status = 'failed', failure = 'options in force differ from those asked for: sync' WHERE ordinal = 1;",
        )
        .unwrap();
    connection.close().unwrap();
}

/// What the tables and views of a file look like.
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
fn a_store_of_version_1_is_brought_up_to_date_by_reading_it() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.duckdb"), folder.path().join("new.duckdb"));
    version_1(&old);
    assert_eq!(sql(&old, "SELECT engine, wall_ns, options['sync'], status, tags FROM results"), ["lmdb,42,on,ok,[]"]);
    assert_eq!(sql(&old, "SELECT count(*) FROM runs"), ["2"]);
    Store::new(&new).prepare().unwrap();
    assert_eq!(structure(&old), structure(&new), "migrated or made, the schema is the same");
    assert_eq!(
        sql(&old, "SELECT list(version ORDER BY version) FROM schema_version"),
        [format!("\"[1, {SCHEMA_VERSION}]\"")]
    );
}

#[test]
fn tiers_that_earlier_versions_promised_too_much_of_are_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.duckdb");
    version(&old, 7);
    let connection = Connection::open(&old).unwrap();
    for (ordinal, (engine, journal, synchronous, lock)) in [
        ("sqlite", "delete", "full", "normal"),
        ("sqlite", "delete", "full", "exclusive"),
        ("sqlite", "delete", "extra", "normal"),
        ("sqlite", "wal", "full", "normal"),
        ("sqlite-lib", "wal", "full", "normal"),
    ]
    .into_iter()
    .enumerate()
    {
        connection
            .execute_batch(&format!(
                "INSERT INTO run BY NAME SELECT * REPLACE (uuid() AS run_id, '{engine}' AS engine, {ordinal} + 10 AS ordinal)
                 FROM run WHERE ordinal = 0;
                 INSERT INTO run_option BY NAME
                 SELECT run_id, 'engine' AS scope, name, value AS asked, value AS in_force, false AS assumed FROM run,
                     (VALUES ('journal_mode', '{journal}'), ('synchronous', '{synchronous}'), ('locking_mode', '{lock}')) t(name, value)
                 WHERE ordinal = {ordinal} + 10;"
            ))
            .unwrap();
    }
    connection.close().unwrap();
    let tiers = "SELECT list(coalesce(tier::VARCHAR, 'unknown') ORDER BY ordinal) FROM run";
    assert_eq!(sql(&old, tiers), ["\"[3, 3, 2, 3, 3, 3, unknown]\""]);
}

#[test]
fn stores_of_all_older_versions_are_opened_and_imported() {
    for number in 1..SCHEMA_VERSION as u32 {
        let folder = tempfile::tempdir().unwrap();
        let (old, imported) = (folder.path().join("old.duckdb"), folder.path().join("imported.duckdb"));
        version(&old, number);
        let said = dbdyno(&imported, &["import", old.to_str().unwrap()]).good();
        assert!(said.contains("runs    2 new"), "version {number}: {said}");
        let results = "SELECT engine, wall_ns, options['sync'], status FROM results";
        let failed = "SELECT twin_of, failure_kind FROM run WHERE ordinal = 1";
        for store in [&imported, &old] {
            assert_eq!(sql(store, results), ["lmdb,42,on,ok"], "version {number}");
            // From version 6 on this is said in columns.
            let said = if number < 6 { "lmdb[sync=on],options_differ" } else { "," };
            assert_eq!(sql(store, failed), [said], "version {number}");
        }
        assert_eq!(structure(&old), structure(&imported), "version {number}");
    }
}

#[test]
fn what_this_version_wrote_is_not_read_from_texts() {
    let folder = tempfile::tempdir().unwrap();
    let [from, old, to] = ["from", "old", "to"].map(|name| folder.path().join(format!("{name}.duckdb")));
    version(&from, 1);
    // Opened, it is of this version; and a label may end in anything.
    sql(&from, "SELECT 1");
    let connection = Connection::open(&from).unwrap();
    connection.execute_batch("UPDATE run SET twin_of = NULL, failure_kind = NULL").unwrap();
    connection.close().unwrap();
    dbdyno(&to, &["import", from.to_str().unwrap()]).good();
    let texts = "SELECT twin_of IS NULL, failure_kind IS NULL FROM run WHERE ends_with(label, '#2')";
    assert_eq!(sql(&to, texts), ["true,true"]);
    // Nor by an older store that is taken in afterwards.
    version_1(&old);
    dbdyno(&to, &["import", old.to_str().unwrap()]).good();
    assert_eq!(sql(&to, "SELECT count(*) FROM run"), ["4"]);
    assert_eq!(sql(&to, texts), ["true,true"]);
}

#[test]
fn a_store_of_version_1_is_imported_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.duckdb"), folder.path().join("new.duckdb"));
    version_1(&old);
    let before = fs::read(&old).unwrap();
    let said = dbdyno(&new, &["import", old.to_str().unwrap()]).good();
    assert!(said.contains("runs    2 new"), "{said}");
    assert_eq!(fs::read(&old).unwrap(), before);
    assert_eq!(sql(&new, "SELECT engine, wall_ns, options['sync'] FROM results"), ["lmdb,42,on"]);
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
    // A process of its own holds the file: DuckDB's lock is by process.
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
    // Nobody can make files there, root neither.
    let said = dbdyno(Path::new("/proc/dbdyno.duckdb"), &["import", "/proc/none"]).refused(1);
    assert!(said.contains("/proc/dbdyno.duckdb"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let said = dbdyno(store.path(), &["copy", "--to-parquet", "/proc/none/copy"]).refused(1);
    assert!(said.contains("/proc/none/copy"), "{said}");
}
