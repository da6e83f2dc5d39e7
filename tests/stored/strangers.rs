//! SQL does only what it states. Files from strangers execute nothing, and are not imported if they were changed.

use super::{assert_equal, dbdyno, filled, list_as_it_is, sql};
use dbdyno::store::Store;
use duckdb::Connection;
use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Executes arbitrary statements on a file.
fn execute(path: &Path, statements: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(statements).unwrap();
    connection.close().map_err(|(_, error)| error).unwrap();
}

/// Replaces every occurrence of a text in a file with bytes of the same length.
fn patch(path: &Path, from: &str, to: &[u8]) {
    assert_eq!(from.len(), to.len());
    let mut bytes = fs::read(path).unwrap();
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, at)| *at == from.as_bytes()).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "{from} is not in {}", path.display());
    for place in places {
        bytes[place..place + to.len()].copy_from_slice(to);
    }
    fs::write(path, bytes).unwrap();
}

/// Every file below a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn several_statements_are_refused_before_one_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let other = folder.path().join("other.duckdb");
    execute(&other, "CREATE TABLE t AS FROM range(3) r(i)");
    let before = (fs::read(store.path()).unwrap(), fs::read(&other).unwrap());
    let (this, that) = (text(store.path()), text(&other));
    for statements in [
        format!("COPY (SELECT 1) TO '{this}'; SELECT 1"),
        format!("COPY (SELECT 1) TO '{this}' (FORMAT csv); SELEC"),
        format!("ATTACH '{that}' AS o; DELETE FROM o.t; SELECT 1"),
        format!("SELECT 1) ; COPY (SELECT 1) TO '{this}'; SELECT * FROM (SELECT 1"),
        "INSTALL httpfs; SELECT 1".to_owned(),
    ] {
        let said = dbdyno(store.path(), &["sql", &statements]).refused(2);
        assert!(said.contains("was not run") || said.contains("syntax error"), "{statements}: {said}");
    }
    assert_eq!((fs::read(store.path()).unwrap(), fs::read(&other).unwrap()), before, "nothing was written");
}

#[test]
fn what_is_no_query_is_refused_and_queries_of_any_form_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let before = fs::read(store.path()).unwrap();
    for statement in [
        format!("COPY (SELECT 1) TO '{}'", text(store.path())),
        format!("ATTACH '{}' AS o", text(store.path())),
        "SET threads = 1".to_owned(),
        "DELETE FROM run".to_owned(),
        "PRAGMA version".to_owned(),
        "EXPLAIN ANALYZE DELETE FROM run".to_owned(),
    ] {
        let said = dbdyno(store.path(), &["sql", &statement]).refused(2);
        assert!(said.contains("this is not one query"), "{statement}: {said}");
    }
    for nothing in ["", " ; ", "/* SELECT 1 */"] {
        assert!(dbdyno(store.path(), &["sql", nothing]).refused(2).contains("no statement"), "{nothing:?}");
    }
    assert_eq!(fs::read(store.path()).unwrap(), before);
    assert_eq!(sql(store.path(), "FROM (VALUES (1), (2)) t(a) -- ; done"), ["1", "2"]);
    assert_eq!(sql(store.path(), "SELECT ';' AS a; -- done"), [";"]);
    assert_eq!(sql(store.path(), "WITH r AS (SELECT count(*) AS runs FROM run) FROM r;"), ["2"]);
    assert_eq!(sql(store.path(), "SELECT 1 AS \"a;b\", 2 AS \"a;b\"").len(), 1);
    assert_eq!(sql(store.path(), "DESCRIBE schema_version").len(), 3);
    assert!(sql(store.path(), "SHOW TABLES").iter().any(|table| table == "run"));
    assert!(!sql(store.path(), "SUMMARIZE run").is_empty());
    assert!(dbdyno(store.path(), &["sql", "EXPLAIN SELECT count(*) FROM run"]).good().contains("physical_plan"));
    let pivot = "PIVOT (SELECT suite, size FROM run) ON suite IN ('kv', 'lumosql') USING count(*)";
    assert!(!sql(store.path(), pivot).is_empty());
    let said = dbdyno(store.path(), &["sql", "SELECT nothing FROM run"]).refused(2);
    assert!(said.contains("\"nothing\"") && said.contains("SELECT nothing FROM run"), "{said}");
}

#[test]
fn a_query_reaches_no_file_and_no_extension() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let secret = folder.path().join("secret.csv");
    fs::write(&secret, "word\nsesame\n").unwrap();
    let file = text(&secret);
    for query in [
        format!("FROM '{file}'"),
        format!("FROM read_csv('{file}')"),
        format!("SELECT content FROM read_text('{file}')"),
        format!("FROM glob('{}/*')", text(folder.path())),
        "FROM read_text('/etc/passwd')".to_owned(),
        "FROM read_parquet('https://example.com/x.parquet')".to_owned(),
        "SELECT getenv('HOME')".to_owned(),
        // A WITH clause may contain more than queries.
        format!("WITH c AS (COPY (SELECT 1) TO '{}' (FORMAT csv, USE_TMP_FILE false)) SELECT 1", text(store.path())),
        format!(
            "WITH c AS (COPY (SELECT 1) TO '{}.wal' (FORMAT csv, USE_TMP_FILE false)) SELECT 1",
            text(store.path())
        ),
        "WITH c AS (DELETE FROM run RETURNING 1) FROM c".to_owned(),
    ] {
        let done = dbdyno(store.path(), &["sql", &query]);
        assert!(!done.out.contains("sesame") && !done.out.contains("root:"), "{query}: {}", done.out);
        done.refused(2);
    }
    assert_eq!(sql(store.path(), "SELECT count(*) FROM run"), ["2"]);
    assert!(!folder.path().join("filled.duckdb.wal").exists());
}

#[test]
fn views_and_macros_of_a_store_are_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let commands: [&[&str]; 4] = [
        &["results", "--columns", "all", "--format", "csv"],
        &["results", "--group-by", "engine", "--format", "csv"],
        &["results", "--count"],
        &[
            "sql",
            "SELECT count(*), max(wall_ns), lower('A'), median(wall_ns), 1 + 1, 'a' || 'b' FROM results",
            "--format",
            "csv",
        ],
    ];
    let expected: Vec<String> = commands.iter().map(|command| dbdyno(store.path(), command).good()).collect();
    let copy = folder.path().join("theirs.duckdb");
    fs::copy(store.path(), &copy).unwrap();
    // The views and macros in this file raise an error, so a test cannot overlook that they ran.
    execute(
        &copy,
        "CREATE OR REPLACE VIEW run_facts AS SELECT error('run_facts was run') AS run_id;
         CREATE OR REPLACE VIEW results AS SELECT error('results was run') AS run_id;
         CREATE OR REPLACE VIEW runs AS SELECT error('runs was run') AS run_id",
    );
    for name in [
        "count(a)",
        "max(a)",
        "min(a)",
        "sum(a)",
        "list(a)",
        "lower(a)",
        "median(a)",
        "round(a, b)",
        "\"+\"(a, b)",
        "\"||\"(a, b)",
        "map_from_entries(a)",
        "struct_pack(a, b)",
        "concat(a, b)",
        "now()",
        "strftime(a, b)",
        "to_json(a)",
        "encode(a)",
        "uuid()",
        "duckdb_tables()",
        "duckdb_triggers()",
        "duckdb_table_sample(a)",
        "current_database()",
        "arg_min(a, b)",
        "string_agg(a, b)",
    ] {
        execute(&copy, &format!("CREATE MACRO {name} AS error('a macro was run')"));
    }
    execute(&copy, "CREATE MACRO duckdb_columns() AS TABLE SELECT error('a macro was run') AS table_name");
    for (command, expected) in commands.iter().zip(&expected) {
        assert_eq!(&dbdyno(&copy, command).good(), expected, "{command:?}");
    }
    // They also do not run when the store is exported, written to, imported, copied or copied to.
    for format in ["csv", "json", "parquet"] {
        let file = folder.path().join(format!("theirs.{format}"));
        dbdyno(&copy, &["export", "--format", format, "--out", text(&file)]).good();
    }
    dbdyno(&copy, &["tag", "--all", "--add", "mine"]).good();
    let back = folder.path().join("back.duckdb");
    dbdyno(&back, &["import", text(&copy)]).good();
    assert_eq!(sql(&back, "SELECT count(*) FROM result"), ["4"]);
    let parquet = folder.path().join("parquet");
    dbdyno(&copy, &["copy", "--to-parquet", text(&parquet)]).good();
    let again = folder.path().join("again.duckdb");
    dbdyno(&again, &["import", text(&parquet)]).good();
    assert_equal(&back, &again);
    dbdyno(store.path(), &["copy", "--to", text(&copy)]).good();
}

#[test]
fn a_store_with_a_view_for_a_table_or_a_trigger_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    for (name, statements) in [
        ("run", "ALTER TABLE run RENAME TO was; CREATE VIEW run AS SELECT *, error('run was run') AS e FROM was"),
        (
            "schema_version",
            "DROP TABLE schema_version; CREATE VIEW schema_version AS SELECT error('it was run')::INTEGER AS version",
        ),
    ] {
        let copy = folder.path().join(format!("{name}.duckdb"));
        fs::copy(store.path(), &copy).unwrap();
        execute(&copy, statements);
        let back = folder.path().join("back.duckdb");
        for (store, command) in [
            (&copy, vec!["results"]),
            (&back, vec!["import", text(&copy)]),
            (&copy, vec!["tag", "--all", "--add", "x"]),
        ] {
            let done = dbdyno(store, &command);
            assert_ne!(done.code, 0, "{command:?}");
            assert!(!done.err.contains("was run") && done.err.contains(text(&copy)), "{command:?}: {}", done.err);
        }
    }
    let copy = folder.path().join("trigger.duckdb");
    fs::copy(store.path(), &copy).unwrap();
    execute(&copy, "CREATE TRIGGER more AFTER INSERT ON tag FOR EACH STATEMENT DELETE FROM note");
    let said = dbdyno(&copy, &["tag", "--all", "--add", "x"]).refused(1);
    assert!(said.contains("triggers more"), "{said}");
    assert!(!sql(&copy, "SELECT 1 FROM note").is_empty());
    let back = folder.path().join("of-trigger.duckdb");
    dbdyno(&back, &["import", text(&copy)]).good();
}

#[test]
fn an_empty_file_is_a_new_store_and_a_pipe_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let from = filled(folder.path());
    let empty = folder.path().join("empty.duckdb");
    fs::write(&empty, "").unwrap();
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(dbdyno(&empty, &["results"]).refused(2).contains("there is no store"));
    dbdyno(&empty, &["import", text(from.path())]).good();
    assert_equal(from.path(), &empty);
    assert_eq!(fs::metadata(&empty).unwrap().permissions().mode() & 0o777, 0o600);

    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for done in [
        dbdyno(&pipe, &["results"]),
        dbdyno(&pipe, &["import", text(from.path())]),
        dbdyno(from.path(), &["import", text(&pipe)]),
        dbdyno(from.path(), &["copy", "--to", text(&pipe)]),
        dbdyno(Path::new("/dev/null"), &["results"]),
        dbdyno(from.path(), &["import", "/dev/zero"]),
    ] {
        assert_ne!(done.code, 0);
        assert!(done.err.contains("expected a file"), "{}", done.err);
    }
    // DuckDB opens a log together with its file.
    let log = folder.path().join(format!("{}.wal", from.path().file_name().unwrap().to_str().unwrap()));
    assert!(Command::new("mkfifo").arg(&log).status().unwrap().success());
    assert!(dbdyno(from.path(), &["results"]).refused(1).contains("expected a file"));
    let target = folder.path().join("target.duckdb");
    assert!(dbdyno(from.path(), &["copy", "--to", text(&target)]).refused(1).contains("expected a file"));
}

#[test]
fn a_prefix_of_a_path_means_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let from = filled(folder.path());
    for name in ["md:mine", "sqlite:mine.db", "s3:mine", ":memory:"] {
        let run = |store: &str, arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
            command.current_dir(folder.path()).args(["--store", store]).args(arguments).output().unwrap()
        };
        let output = run(name, &["import", text(from.path())]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(folder.path().join(name).is_file(), "{name}");
        let output = run("back.duckdb", &["import", name]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.duckdb"));
    let said = Store::new(&odd).prepare().unwrap_err().to_string();
    assert!(said.contains("its name is not UTF-8"), "{said}");
}

/// Imports a folder into a new store. Returns the store's path, or the error.
fn imported(folder: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let back = scratch.join("back.duckdb");
    drop(fs::remove_file(&back));
    Store::new(&back).import(folder).map(|_| back).map_err(|error| error.to_string())
}

#[test]
fn a_copy_with_a_flipped_bit_is_refused_or_taken_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let copy = folder.path().join("copy");
    dbdyno(store.path(), &["copy", "--to-parquet", text(&copy)]).good();
    let manifest = copy.join("dbdyno.json");
    let mut tried = 0;
    for file in walk(&copy) {
        let bytes = fs::read(&file).unwrap();
        // In the manifest most positions are tried; in a file its ends, its middle and positions in between.
        let steps = if file == manifest { 120 } else { 5 };
        for step in 0..steps {
            let mut flipped = bytes.clone();
            let place = (flipped.len() - 1) * step / (steps - 1);
            flipped[place] ^= 1 << (step % 8);
            fs::write(&file, flipped).unwrap();
            tried += 1;
            match imported(&copy, folder.path()) {
                Ok(back) => {
                    assert_eq!(file, manifest, "a file was taken with byte {place} changed");
                    assert_equal(store.path(), &back);
                }
                Err(said) => assert!(said.contains(text(&file)) || file == manifest, "{said}"),
            }
        }
        fs::write(&file, bytes).unwrap();
    }
    assert!(tried > 150);
    assert_equal(store.path(), &imported(&copy, folder.path()).unwrap());
}

#[test]
fn a_copy_has_the_files_that_its_manifest_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let copy = folder.path().join("copy");
    dbdyno(store.path(), &["copy", "--to-parquet", text(&copy)]).good();
    let refused = |part: &str| {
        let said = imported(&copy, folder.path()).unwrap_err();
        assert!(said.contains(part), "expected {part} in {said}");
    };
    let file = walk(&copy.join("run")).remove(0);
    fs::copy(&file, copy.join("run/more.parquet")).unwrap();
    refused("run/more.parquet: dbdyno.json does not list it");
    fs::remove_file(copy.join("run/more.parquet")).unwrap();
    std::os::unix::fs::symlink(&file, copy.join("run/link.parquet")).unwrap();
    refused("link.parquet: it is a link, expected a file");
    fs::remove_file(copy.join("run/link.parquet")).unwrap();
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    refused("it is missing, although dbdyno.json lists it");
    assert!(imported(&copy, folder.path()).unwrap_err().contains(text(&file)));
    fs::write(&file, bytes).unwrap();
    // A copy of version 0.1 lists no files.
    fs::write(
        copy.join("dbdyno.json"),
        r#"{"format": "dbdyno-parquet", "schema_version": 4, "dbdyno": "0.1.0", "command": "c"}"#,
    )
    .unwrap();
    refused("schema version 4, of dbdyno 0.1");
}

#[test]
fn a_name_that_is_not_utf_8_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let odd = b"\xff\xfe\xfd\xfc\xfb\xfa";
    // Parquet: a column of a table.
    let copy = folder.path().join("copy");
    dbdyno(store.path(), &["copy", "--to-parquet", text(&copy)]).good();
    for file in walk(&copy.join("tag")) {
        let rows = format!("COPY (SELECT *, 1 AS zzqzzq FROM '{0}') TO '{0}' (FORMAT parquet)", text(&file));
        Connection::open_in_memory().unwrap().execute_batch(&rows).unwrap();
        patch(&file, "zzqzzq", odd);
        list_as_it_is(&copy, &file);
    }
    let back = folder.path().join("back.duckdb");
    let said = dbdyno(&back, &["import", text(&copy)]).refused(2);
    assert!(said.contains("tag: the name of a column is not UTF-8"), "{said}");
    // CSV.
    let csv = folder.path().join("odd.csv");
    fs::write(&csv, [&odd[..], b",run_id\n1,2\n"].concat()).unwrap();
    dbdyno(&back, &["import", text(&csv)]).refused(2);
    let full = folder.path().join("full.csv");
    fs::write(&full, dbdyno(store.path(), &["results", "--columns", "all", "--format", "csv"]).good()).unwrap();
    patch(&full, ",host,", b",h\xffst,");
    let said = dbdyno(&back, &["import", text(&full)]).refused(2);
    assert!(said.contains(text(&full)) && !said.contains("panicked"), "{said}");
}

#[test]
fn a_listing_names_the_row_and_column_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let back = folder.path().join("back.duckdb");
    let (csv, json) = (folder.path().join("l.csv"), folder.path().join("l.json"));
    for (file, format) in [(&csv, "csv"), (&json, "json")] {
        fs::write(file, dbdyno(store.path(), &["results", "--columns", "all", "--format", format]).good()).unwrap();
    }
    let listing: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    for (column, value, expected) in [
        (
            "wall_ns",
            serde_json::json!("soon"),
            "row 2, column wall_ns: expected a whole number (0 to 18446744073709551615), found `soon`",
        ),
        ("run_id", serde_json::json!("7"), "row 2, column run_id: expected a UUID, found `7`"),
        ("label", serde_json::json!(null), "row 2, column label: expected text, found nothing"),
        ("options", serde_json::json!("{"), "row 2, column options: expected an object of strings, found `{`"),
        ("started_at", serde_json::json!("noon"), "row 2, column started_at: expected a time, found `noon`"),
        (
            "round",
            serde_json::json!(true),
            "row 2, column round: expected a whole number (0 to 2147483647), found `true`",
        ),
    ] {
        let mut changed = listing.clone();
        changed[1][column] = value;
        fs::write(&json, changed.to_string()).unwrap();
        let said = dbdyno(&back, &["import", text(&json)]).refused(2);
        assert!(said.contains(text(&json)) && said.contains(expected), "expected {expected} in {said}");
    }
    let lines = fs::read_to_string(&csv).unwrap();
    let header = lines.lines().position(|line| line.starts_with("session_id")).unwrap();
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    lines[header + 3].replace_range(0..1, "x");
    fs::write(&csv, lines.join("\n") + "\n").unwrap();
    let said = dbdyno(&back, &["import", text(&csv)]).refused(2);
    assert!(said.contains(text(&csv)) && said.contains("row 3, column session_id: expected a UUID"), "{said}");
    assert_eq!(sql(&back, "SELECT count(*) FROM run"), ["0"]);
}
