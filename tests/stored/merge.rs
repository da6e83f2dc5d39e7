//! Stores that are merged, copied, written as Parquet and listings, and imported again.

use super::{actor, assert_equal, dbdyno, filled, list_as_it_is, session, sql};
use dbdyno::store::{Batch, Status, Store};
use duckdb::Connection;
use std::{fs, path::Path};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn merging_a_store_loses_nothing_and_twice_is_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    store.write(&Batch { actors: vec![actor(1)], ..Batch::default() }).unwrap();
    let target = folder.path().join("it's a target.duckdb");
    let before = fs::read(store.path()).unwrap();
    let said = dbdyno(&target, &["import", path(store.path())]).good();
    assert!(said.contains("runs    2 new · 0 here already") && said.contains("results 4 new"), "{said}");
    for (table, rows) in assert_equal(store.path(), &target) {
        assert!(rows > 0, "{table} is empty and was not compared");
    }
    let said = dbdyno(&target, &["import", path(store.path())]).good();
    assert!(said.contains("runs    0 new · 2 here already") && said.contains("results 0 new · 4 here"), "{said}");
    assert_equal(store.path(), &target);
    assert_eq!(fs::read(store.path()).unwrap(), before, "what is imported is not touched");
}

#[test]
fn actors_are_rows_beside_their_test_wherever_they_go() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    store.write(&Batch { actors: vec![actor(1)], ..Batch::default() }).unwrap();
    let rows = "SELECT test, test_name, actor, wall_ns, operations, status FROM results ORDER BY ALL";
    let told = sql(store.path(), rows);
    assert_eq!(told.len(), 5);
    assert!(told.iter().any(|row| row.contains("writers") && row.contains("2000000")), "{told:?}");
    for format in ["json", "csv", "parquet"] {
        let listing = folder.path().join(format!("listing.{format}"));
        dbdyno(store.path(), &["export", "--format", format, "--out", path(&listing)]).good();
        let target = folder.path().join(format!("{format}.duckdb"));
        dbdyno(&target, &["import", path(&listing)]).good();
        assert_eq!(sql(&target, rows), told, "{format}");
    }
    let matrix = dbdyno(store.path(), &["results", "--matrix", "--format", "csv"]).good();
    assert!(matrix.contains("2000001") && !matrix.contains("2000000"), "the test's own time: {matrix}");
}

#[test]
fn a_run_that_was_under_way_is_completed_and_never_the_other_way_round() {
    let folder = tempfile::tempdir().unwrap();
    let (early, late) = (Store::new(folder.path().join("early.duckdb")), Store::new(folder.path().join("late.duckdb")));
    let whole = session(1, "h", "kv");
    let mut part = whole.clone();
    part.runs[0].finished_at = None;
    part.runs[0].status = Status::Running;
    part.sessions[0].finished_at = None;
    part.results.truncate(1);
    part.results[0].agrees = None;
    for (store, batch) in [(&early, &part), (&late, &whole)] {
        store.prepare().unwrap();
        store.write(batch).unwrap();
    }
    let backwards = folder.path().join("backwards.duckdb");
    dbdyno(&backwards, &["import", path(late.path()), path(early.path())]).good();
    assert_equal(late.path(), &backwards);
    let said = dbdyno(early.path(), &["import", path(late.path())]).good();
    assert!(said.contains("1 completed") && said.contains("results 1 new · 1 completed"), "{said}");
    assert_equal(late.path(), early.path());
}

#[test]
fn a_folder_of_parquet_goes_there_and_back_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    // A session without a run is part of a store, too.
    let lone = session(3, "lone", "kv");
    let actors = vec![actor(1)];
    store.write(&Batch { hosts: lone.hosts, sessions: lone.sessions, actors, ..Batch::default() }).unwrap();
    let copy = folder.path().join("copy [of] 100%'s*");
    let said = dbdyno(store.path(), &["copy", "--to-parquet", path(&copy)]).good();
    assert_eq!(said, "copied 2 runs with 5 results\n");
    assert!(copy.join("results/host_id=host2").is_dir());
    let back = folder.path().join("back.duckdb");
    let said = dbdyno(&back, &["import", path(&copy)]).good();
    assert!(said.contains("runs    2 new"), "{said}");
    for (table, rows) in assert_equal(store.path(), &back) {
        assert!(rows > 0, "{table} is empty and was not compared");
    }
    dbdyno(&back, &["import", path(&copy)]).good();
    assert_equal(store.path(), &back);
    let said = dbdyno(store.path(), &["copy", "--to-parquet", path(&copy)]).refused(2);
    assert!(said.contains("already exists"), "{said}");
    let left = fs::read_dir(folder.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(left, 1, "nothing half-written stays");
}

#[test]
fn a_broken_or_newer_folder_is_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let copy = folder.path().join("copy");
    dbdyno(store.path(), &["copy", "--to-parquet", path(&copy)]).good();
    let back = folder.path().join("back.duckdb");
    // A file that matches the manifest but is not Parquet is found during the import. The last table is broken, and the tables before it
    // must not stay.
    let note = walk(&copy.join("note")).remove(0);
    fs::write(&note, b"PAR1 nonsense PAR1").unwrap();
    list_as_it_is(&copy, &note);
    let said = dbdyno(&back, &["import", path(&copy)]).refused(2);
    assert!(said.contains("nothing was imported"), "{said}");
    assert_eq!(sql(&back, "SELECT count(*) FROM run"), ["0"]);
    fs::write(copy.join("dbdyno.json"), r#"{"format": "dbdyno-parquet", "schema_version": 99}"#).unwrap();
    assert!(dbdyno(&back, &["import", path(&copy)]).refused(2).contains("schema version 99"));
    fs::remove_file(copy.join("dbdyno.json")).unwrap();
    assert!(dbdyno(&back, &["import", path(&copy)]).refused(2).contains("a folder without dbdyno.json"));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_selection_is_copied_to_another_store_with_what_belongs_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let target = folder.path().join("target.duckdb");
    let said = dbdyno(store.path(), &["copy", "suite=kv", "test=1", "--to", path(&target)]).good();
    assert!(said.starts_with("copied 1 run with 2 results"), "{said}");
    let rows = sql(
        &target,
        "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM host), (SELECT count(*) FROM run),
                (SELECT count(*) FROM timeline), (SELECT count(*) FROM warning), (SELECT count(*) FROM note),
                (SELECT count(*) FROM tag), (SELECT count(*) FROM run_key), (SELECT count(*) FROM harness_cost)",
    );
    assert_eq!(rows, ["1,1,1,1,2,1,1,1,1"]);
    let said = dbdyno(store.path(), &["copy", "--to", path(store.path())]).refused(2);
    assert!(said.contains("the store itself"), "{said}");
}

#[test]
fn a_full_listing_is_taken_back_and_a_readable_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let question = "SELECT * EXCLUDE (source) FROM results ORDER BY run_id, test";
    for format in ["csv", "json"] {
        let file = folder.path().join(format!("listing.{format}"));
        let listing = dbdyno(store.path(), &["results", "--columns", "all", "--format", format]).good();
        fs::write(&file, listing).unwrap();
        let target = folder.path().join(format!("{format}.duckdb"));
        let said = dbdyno(&target, &["import", path(&file)]).good();
        assert!(said.contains("results 4 new") && said.contains("no histograms"), "{said}");
        assert_eq!(sql(&target, question), sql(store.path(), question));
        // The whole store contains more, and completes the rows that the listing left open.
        dbdyno(&target, &["import", path(store.path())]).good();
        assert_equal(store.path(), &target);
        dbdyno(&target, &["import", path(&file)]).good();
        assert_equal(store.path(), &target);

        let short = folder.path().join(format!("short.{format}"));
        fs::write(&short, dbdyno(store.path(), &["results", "--format", format]).good()).unwrap();
        let said = dbdyno(&target, &["import", path(&short)]).refused(2);
        assert!(said.contains("run_id") && said.contains("--columns all"), "{said}");
    }
}

#[test]
fn a_parquet_export_is_worth_as_much_as_a_json_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    store.write(&Batch { actors: vec![actor(1)], ..Batch::default() }).unwrap();
    let question = "SELECT * EXCLUDE (source) FROM results WHERE actor IS NULL ORDER BY run_id, test";
    let back = |format: &str| {
        let (file, target) =
            (folder.path().join(format!("all.{format}")), folder.path().join(format!("back-{format}.duckdb")));
        dbdyno(store.path(), &["export", "--format", format, "--out", path(&file)]).good();
        let said = dbdyno(&target, &["import", path(&file)]).good();
        assert!(said.contains("results 4 new") && said.contains("no histograms"), "{said}");
        assert_eq!(sql(&target, question), sql(store.path(), question), "{format}");
        let said = dbdyno(&target, &["import", path(&file)]).good();
        assert!(said.contains("runs    0 new · 2 here already"), "{said}");
        target
    };
    assert_equal(&back("json"), &back("parquet"));

    let (other, torn) = (folder.path().join("other.parquet"), folder.path().join("torn.parquet"));
    let connection = Connection::open_in_memory().unwrap();
    connection.execute("COPY (SELECT 1 AS run_id, 2 AS test) TO ? (FORMAT parquet)", [path(&other)]).unwrap();
    let whole = fs::read(folder.path().join("all.parquet")).unwrap();
    fs::write(&torn, &whole[..whole.len() / 2]).unwrap();
    let target = folder.path().join("none.duckdb");
    let said = dbdyno(&target, &["import", path(&other)]).refused(2);
    assert!(said.contains("session_id") && said.contains("dbdyno export"), "{said}");
    let said = dbdyno(&target, &["import", path(&torn)]).refused(2);
    assert!(said.contains("torn.parquet") && said.contains("nothing was imported"), "{said}");
    assert_eq!(sql(&target, "SELECT count(*) FROM run"), ["0"]);
}

#[test]
fn what_is_nothing_to_import_is_named_and_does_not_keep_others_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let target = folder.path().join("target.duckdb");
    let write = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        fs::write(&file, bytes).unwrap();
        path(&file).to_owned()
    };
    let empty = write("empty", b"");
    let binary = write("bi\u{1b}[2Jnary", b"\xff\xfe\x00\x01");
    let truncated = write("truncated.duckdb", &fs::read(store.path()).unwrap()[..20_000]);
    let said = dbdyno(&target, &["import", &empty, &binary, &truncated, "/none", path(store.path())]);
    assert_eq!(said.code, 2);
    assert!(said.out.contains("runs    2 new"), "{}", said.out);
    for part in ["an empty file", "binary data", "truncated.duckdb", "/none"] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert!(!said.err.contains('\u{1b}'), "a name is no command to the terminal");
    let said = dbdyno(&target, &["import", path(&target)]).refused(2);
    assert!(said.contains("the store itself"), "{said}");
}

#[test]
fn an_export_carries_its_command_and_goes_back_in() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.duckdb");
    let run = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "2", "--quiet"];
    let work = folder.path().join("work");
    dbdyno(&store, &[&run[..], &["--work-dir", work.to_str().unwrap()]].concat()).good();
    for format in ["csv", "json", "parquet"] {
        let file = folder.path().join(format!("results.{format}"));
        let out = ["--format", format, "--out", file.to_str().unwrap()];
        dbdyno(&store, &[&["export", "engine=null"][..], &out].concat()).good();
        let bytes = std::fs::read(&file).unwrap();
        assert!(format == "parquet" || String::from_utf8(bytes).unwrap().contains("dbdyno --store"), "{format}");
        let other = folder.path().join(format!("{format}.duckdb"));
        dbdyno(&other, &["import", file.to_str().unwrap()]).good();
        let all = "SELECT run_id, test, wall_ns, operations, verification, tier FROM results ORDER BY ALL";
        assert_eq!(sql(&store, all).len(), 16);
        assert_eq!(sql(&other, all), sql(&store, all), "{format}");
    }
    let file = folder.path().join("results.parquet");
    let out = ["--format", "parquet", "--out", file.to_str().unwrap()];
    dbdyno(&store, &[&["export", "test=3"][..], &out].concat()).good();
    let read = "SELECT count(*), any_value(exported_by), sum(wall_ns)::UBIGINT FROM read_parquet(?)";
    let expected = sql(&store, "SELECT sum(wall_ns) FROM results WHERE test = 3").remove(0);
    let row = |row: &duckdb::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, u64>(2)?));
    let other = Connection::open_in_memory().unwrap();
    let (rows, command, sum) = other.query_row(read, [file.to_str().unwrap()], row).unwrap();
    assert!(rows == 2 && command.contains("export test=3"), "{rows} {command}");
    assert_eq!(sum.to_string(), expected);
}
