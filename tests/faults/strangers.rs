//! Stores that another program uses, and disks that fail once: neither counts as damage.

use super::{
    copy,
    disk::{self, Answer, Call},
    remove,
};
use crate::{
    power::{ok, store},
    support::{Done, Place},
};
use duckdb::Connection;
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
};

const SESSION: [&str; 9] = ["run", "--suite", "kv", "--engine", "null", "--size", "100", "--repeat", "1"];

pub(super) fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("kept")).unwrap();
    ok(&place, &SESSION);
    place
}

fn run(place: &Place, arguments: &[&str]) -> Done {
    let mut command = place.command(arguments);
    Done::of(command.env("DBDYNO_STORE", store(place)).env("DBDYNO_STORE_WAIT", "100ms").output().unwrap())
}

/// Reads the bytes of a file in another process, because DuckDB's lock on a file ends when this process closes any descriptor of it.
fn bytes(path: &Path) -> Vec<u8> {
    Command::new("cat").arg(path).output().unwrap().stdout
}

fn execute(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
}

/// Kills a command once it has begun to write. Returns false if the kernel cannot ask about system calls.
pub(super) fn killed_write(place: &Place) -> bool {
    let undo = place.path("kept/results.duckdb.undo");
    let mut command = place.command(&["tag", "--all", "--add", "y"]);
    command.env("DBDYNO_STORE", store(place));
    disk::run(command, place.path("kept"), |_| if undo.exists() { Answer::Kill } else { Answer::Do }).is_some()
}

#[test]
fn a_store_that_another_program_uses_after_a_killed_write_keeps_what_that_wrote() {
    let place = place();
    if !killed_write(&place) {
        return;
    }
    let path = store(&place);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE mine AS FROM range(100000); CHECKPOINT; INSERT INTO mine VALUES (1)").unwrap();
    let before = bytes(&path);
    for command in [
        &["results", "--count"][..],
        &["tag", "--all", "--add", "x"],
        &["store", "check"],
        &["store", "repair"],
        &["doctor"],
    ] {
        let done = run(&place, command);
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(bytes(&path) == before, "{command:?} has changed a file that is in use: {said}");
        if command != ["doctor"] {
            assert!(said.contains("is in use by another process"), "{command:?}: {said}");
        }
    }
    other.execute_batch("INSERT INTO mine VALUES (2); CHECKPOINT").unwrap();
    other.close().unwrap();
    assert_eq!(run(&place, &["results", "--count"]).stdout, "8\n");
    assert!(!place.path("kept/results.duckdb.undo").exists());
    assert_eq!(run(&place, &["sql", "SELECT count(*) AS n FROM mine", "--format", "csv"]).stdout, "n\n100002\n");
    assert_eq!(run(&place, &["tag", "--all", "--add", "x"]).code, Some(0));
}

#[test]
fn a_disk_that_fails_once_to_read_is_not_a_torn_write() {
    let place = place();
    if !killed_write(&place) {
        return;
    }
    execute(
        &store(&place),
        "CREATE TABLE mine AS FROM range(100000); CHECKPOINT; INSERT INTO mine VALUES (1); CHECKPOINT",
    );
    let (kept, before) = (place.path("kept"), place.path("before"));
    copy(&kept, &before);
    let whole = fs::read(store(&place)).unwrap();
    for at in (1..60).step_by(2) {
        remove(&kept);
        copy(&before, &kept);
        let mut reads = 0;
        let mut command = place.command(&["results", "--count"]);
        command.env("DBDYNO_STORE", store(&place));
        let done = disk::run_with_reads(command, kept.clone(), |call| {
            reads += u64::from(call == Call::Read);
            if call == Call::Read && reads == at { Answer::Fail(libc::EIO) } else { Answer::Do }
        });
        let done = Done::of(done.unwrap());
        assert!(fs::read(store(&place)).unwrap() == whole, "EIO at read {at} changed the store: {}", done.stderr);
        assert!(done.code == Some(0) || done.stderr.contains("nput/output error"), "EIO at read {at}: {}", done.stderr);
    }
}

#[test]
fn what_is_put_back_was_made_of_that_file() {
    let place = place();
    if !killed_write(&place) {
        return;
    }
    let path = store(&place);
    execute(&path, "CREATE TABLE mine AS FROM range(100000); CHECKPOINT; INSERT INTO mine VALUES (1); CHECKPOINT");
    let mut torn = fs::read(&path).unwrap();
    torn[12_288] ^= 1;
    fs::write(&path, &torn).unwrap();
    let done = run(&place, &["results", "--count"]);
    assert!(done.stderr.contains("is damaged") && done.stderr.contains("store repair"), "{}", done.stderr);
    assert!(fs::read(&path).unwrap() == torn, "an older state was put over a newer one");
    assert_eq!(run(&place, &["store", "repair"]).code, Some(0));
    assert_eq!(run(&place, &["results", "--count"]).stdout, "8\n");
}

#[test]
fn a_sound_store_is_never_replaced_by_a_repair() {
    let place = place();
    let (path, kept, before) = (store(&place), place.path("kept"), place.path("before"));
    copy(&kept, &before);
    let whole = fs::read(&path).unwrap();
    for at in (1..60).step_by(2) {
        remove(&kept);
        copy(&before, &kept);
        let mut reads = 0;
        let mut command = place.command(&["store", "repair"]);
        command.env("DBDYNO_STORE", &path);
        let done = disk::run_with_reads(command, kept.clone(), |call| {
            reads += u64::from(call == Call::Read);
            if call == Call::Read && reads == at { Answer::Fail(libc::EIO) } else { Answer::Do }
        });
        let Some(done) = done.map(Done::of) else { return };
        assert!(!place.path("kept/results.duckdb.damaged").exists(), "EIO at read {at}: {}", done.stderr);
        assert!(fs::read(&path).unwrap() == whole, "EIO at read {at}: {}", done.stderr);
        assert!(done.code == Some(0) || !done.stderr.is_empty());
    }
    // The store is in use, because another connection has it open for reading and writing.
    let other = Connection::open(&path).unwrap();
    let done = run(&place, &["store", "repair"]);
    assert!(done.code == Some(1) && done.stderr.contains("is in use"), "{}", done.stderr);
    drop(other);
    assert_eq!(run(&place, &["store", "repair"]).stdout, "the store is sound: nothing was changed\n");
}

/// Tears a block of metadata, so that DuckDB cannot open the file.
pub(super) fn tear(path: &Path) -> Vec<u8> {
    let mut torn = fs::read(path).unwrap();
    torn[12_288] ^= 1;
    fs::write(path, &torn).unwrap();
    torn
}

#[test]
fn a_repair_behind_a_link_keeps_the_link_the_mode_and_the_damaged_file() {
    let place = place();
    let (path, link) = (store(&place), place.path("link.duckdb"));
    let torn = tear(&path);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("kept/results.duckdb", &link).unwrap();
    let link = link.to_str().unwrap();
    let done = place.run(&["--store", link, "store", "repair"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    assert!(fs::read(place.path("kept/results.duckdb.damaged")).unwrap() == torn);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(place.ok(&["--store", link, "results", "--count"]), "8\n");
    assert_eq!(place.ok(&["--store", link, "tag", "--all", "--add", "x"]), "1 run\n");
    assert_eq!(run(&place, &["results", "--count", "tag=x"]).stdout, "8\n");
}

#[test]
fn a_repair_that_fails_names_files_that_are_there_and_another_way() {
    let place = place();
    let path = store(&place);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..12_288].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let done = run(&place, &["store", "repair"]);
    assert_eq!(done.code, Some(1), "{}", done.stdout);
    assert!(done.stderr.contains("could not be repaired, and is left unchanged"), "{}", done.stderr);
    assert!(done.stderr.contains("readable disk, restore a backup, or use another file"), "{}", done.stderr);
    assert!(!done.stderr.contains("store repair`") && !done.stderr.contains(".dbdyno-repair-"), "{}", done.stderr);
    assert!(fs::read(&path).unwrap() == bytes);
}

#[test]
fn what_commands_need_is_what_check_reads_and_repair_brings_back() {
    for (sql, part) in [
        ("ALTER TABLE journal RENAME position TO pos", "table `journal` has no column `position`"),
        ("ALTER TABLE result RENAME peak_rss_bytes TO peak", "table `result` has no column `peak_rss_bytes`"),
        ("DROP TABLE timeline", "table `timeline` is missing"),
    ] {
        let place = place();
        execute(&store(&place), sql);
        let checked = run(&place, &["store", "check"]);
        assert!(checked.code == Some(1) && checked.stdout.contains(part), "{sql}: {}", checked.stdout);
        let done = run(&place, &SESSION);
        assert!(done.code == Some(1) && done.stderr.contains(part), "{sql}: {}", done.stderr);
        assert!(done.stderr.contains("store repair") && done.stderr.lines().count() < 4, "{sql}: {}", done.stderr);
        let repaired = run(&place, &["store", "repair"]);
        assert!(repaired.code == Some(1) && repaired.stdout.contains(&format!("LOST: {part}")), "{}", repaired.stderr);
        assert_eq!(run(&place, &["results", "--count"]).stdout, "8\n", "{sql}");
        assert_eq!(run(&place, &["store", "check"]).code, Some(0));
    }
}

/// Sizes in bytes of the headers, and of a block.
const HEADERS: usize = 12_288;
const BLOCK: usize = 262_144;

/// Returns the first column of a query's rows, as numbers.
fn numbers(path: &Path, sql: &str) -> Vec<usize> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let numbers = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    let numbers = numbers.map(|number| usize::try_from(number.unwrap()).unwrap()).collect();
    drop(statement);
    connection.close().unwrap();
    numbers
}

fn tables(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary ORDER BY 1";
    let mut statement = connection.prepare(sql).unwrap();
    let tables = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    drop(statement);
    connection.close().unwrap();
    tables
}

/// Returns the blocks that contain values of a table's rows.
fn blocks(path: &Path, table: &str) -> Vec<usize> {
    numbers(
        path,
        &format!(
            "SELECT DISTINCT block_id FROM pragma_storage_info('{table}')
             WHERE block_id >= 0 AND segment_type <> 'VALIDITY' AND compression <> 'Constant' ORDER BY 1"
        ),
    )
}

/// Adds enough rows that the tables and their indexes fill blocks.
fn fill(path: &Path) {
    execute(path, "INSERT INTO journal SELECT uuid(), range FROM range(20000); CHECKPOINT");
}

#[test]
fn check_reads_every_table_and_counts_its_rows() {
    let place = place();
    let path = store(&place);
    let tables = tables(&path);
    assert!(tables.len() > 10, "{tables:?}");
    let checked = run(&place, &["store", "check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    for table in tables {
        let rows = numbers(&path, &format!("SELECT count(*) FROM {table}"))[0];
        assert!(checked.stdout.contains(&format!("table {table}: {rows} row")), "{table}: {}", checked.stdout);
    }
}

#[test]
fn a_flipped_bit_is_found_in_every_table_and_repaired() {
    let place = place();
    let path = store(&place);
    fill(&path);
    let whole = fs::read(&path).unwrap();
    let found: Vec<(String, usize)> =
        tables(&path).into_iter().filter_map(|table| Some((table.clone(), blocks(&path, &table).pop()?))).collect();
    assert!(found.iter().any(|(table, _)| table == "journal"), "{found:?}");
    for (table, block) in found {
        let mut flipped = whole.clone();
        flipped[HEADERS + block * BLOCK + 1000] ^= 4;
        fs::write(&path, flipped).unwrap();
        let checked = run(&place, &["store", "check"]);
        let damaged = checked.stdout.contains(&format!("✗  table {table}: "));
        assert!(checked.code == Some(1) && damaged, "{table}: {}", checked.stdout);
        if table == "journal" {
            let done = run(&place, &["results", "--count"]);
            assert!(done.code == Some(1) && done.stderr.contains("store repair"), "{table}: {}", done.stderr);
        }
        let repaired = run(&place, &["store", "repair"]);
        assert!(repaired.stdout.contains("LOST") || repaired.code == Some(0), "{table}: {}", repaired.stderr);
        assert_eq!(run(&place, &["store", "check"]).code, Some(0), "{table} after its repair: {}", repaired.stdout);
        let done = run(&place, &["results", "--count"]);
        assert!(done.code == Some(0) && (table != "journal" || done.stdout == "8\n"), "{table}: {}", done.stderr);
        fs::remove_file(place.path("kept/results.duckdb.damaged")).unwrap();
    }
}

#[test]
fn a_store_that_was_cut_off_in_an_index_is_said_before_a_session_and_repaired() {
    let place = place();
    let path = store(&place);
    fill(&path);
    let bytes = fs::read(&path).unwrap();
    let last = (bytes.len() - HEADERS) / BLOCK - 1;
    let of_rows = tables(&path).into_iter().flat_map(|table| blocks(&path, &table));
    let of_metadata = numbers(&path, "SELECT DISTINCT block_id FROM pragma_metadata_info()");
    assert!(!of_rows.chain(of_metadata).any(|block| block == last), "the last block is an index's");
    fs::write(&path, &bytes[..bytes.len() - BLOCK]).unwrap();
    let checked = run(&place, &["store", "check"]);
    assert!(checked.code == Some(1) && checked.stdout.contains("was cut off at"), "{}", checked.stdout);
    let done = run(&place, &SESSION);
    assert!(done.code == Some(1) && done.stderr.contains("store repair"), "{}", done.stderr);
    assert!(!done.stdout.contains("done"), "nothing was measured: {}", done.stdout);
    let repaired = run(&place, &["store", "repair"]);
    assert_eq!(repaired.code, Some(0), "{}{}", repaired.stdout, repaired.stderr);
    assert_eq!(run(&place, &["store", "check"]).code, Some(0));
    assert_eq!(run(&place, &SESSION).code, Some(0));
    assert_eq!(run(&place, &["results", "--count"]).stdout, "16\n");
}

#[test]
fn a_store_that_was_cut_off_is_said_before_a_session() {
    let place = place();
    let path = store(&place);
    let bytes = fs::read(&path).unwrap();
    for kept in [5000, 12_288 + 1000, bytes.len() - 1000] {
        fs::write(&path, &bytes[..kept]).unwrap();
        let done = run(&place, &SESSION);
        assert_eq!(done.code, Some(1), "cut at {kept}: {}", done.stderr);
        assert!(done.stderr.contains("is damaged") && done.stderr.contains("store repair"), "{kept}: {}", done.stderr);
        assert!(!done.stdout.contains("done"), "cut at {kept}: nothing was measured");
        assert_eq!(run(&place, &["store", "check"]).code, Some(1), "cut at {kept}");
    }
}

#[test]
fn a_store_has_any_name_that_a_file_may_have() {
    let place = Place::new();
    fs::create_dir(place.path("real")).unwrap();
    symlink("real", place.path("folder")).unwrap();
    symlink("folder/real.duckdb", place.path("link.duckdb")).unwrap();
    for name in ["what?.duckdb", "link.duckdb", "folder/d.duckdb"] {
        let path = place.path(name).to_string_lossy().into_owned();
        place.ok(&[&SESSION[..], &["--store", &path]].concat());
        place.ok(&["--store", &path, "tag", "--all", "--add", "x"]);
        assert_eq!(place.ok(&["--store", &path, "results", "--count", "tag=x"]), "8\n", "{name}");
        assert!(place.ok(&["--store", &path, "store", "check"]).contains("table result: 8 rows"), "{name}");
    }
    assert!(fs::symlink_metadata(place.path("link.duckdb")).unwrap().is_symlink());
    let path = place.path("a?b/c.duckdb").to_string_lossy().into_owned();
    let done = place.run(&[&SESSION[..], &["--store", &path]].concat());
    assert!(done.code == Some(1) && done.stderr.contains("choose another place"), "{}", done.stderr);
}

#[test]
fn a_session_that_is_running_is_not_deleted() {
    let place = Place::new();
    let long = ["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "500", "--json"];
    let mut session = place.command(&long).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(session.stdout.take().unwrap()).lines().map_while(Result::ok);
    let done = lines.filter(|line| line.contains("\"event\":\"test_done\"")).nth(9);
    assert!(done.is_some());
    let refused = place.run(&["delete", "session=last", "--yes"]);
    session.kill().unwrap();
    session.wait().unwrap();
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stderr.contains("nothing was deleted: 1 session"), "{}", refused.stderr);
    place.ok(&["delete", "session=last", "--yes"]);
    assert_eq!(place.ok(&["results", "--count"]), "0\n");
}
