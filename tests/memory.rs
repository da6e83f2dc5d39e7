//! Workers with less memory than data, and tests that begin cold. The checks use reads and page faults, never times.

use crate::support::{Done, Place, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::Stdio,
};

/// Whether memory can be limited here. If not, prints that the test is not checked.
fn can_limit(place: &Place) -> bool {
    let said = place.run(&["doctor"]).stdout;
    let can = said.contains("memory limits (--memory-limit) can be set");
    if !can {
        let why = said.lines().find(|line| line.contains("memory cannot be limited here")).unwrap_or(&said);
        eprintln!("not checked: {why}");
    }
    can
}

/// The remaining control groups of dbdyno below the group of this process, in either version of control groups.
fn groups_left() -> Vec<String> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap();
    let path = |line: &str| line.rsplit_once(':').unwrap().1.trim_start_matches('/').to_owned();
    let memory = own.lines().filter(|line| line.contains(":memory:")).map(path);
    let roots = memory.map(|path| Path::new("/sys/fs/cgroup/memory").join(path));
    let entries = roots.filter_map(|root| fs::read_dir(root).ok()).flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("dbdyno-")).collect()
}

#[test]
fn reads_come_from_the_disk_where_data_do_not_fit_into_memory() {
    let place = Place::new();
    if !can_limit(&place) {
        return;
    }
    // Without read-ahead, a fault reads one page, and not its surroundings.
    let lmdb = "lmdb:sync=nosync,readahead=off";
    let engines = ["--engine", lmdb, "--engine", "sqlite:synchronous=off,journal_mode=wal,memory=2MiB"];
    let held = ["--test", "Random reads", "--memory-limit", "32MiB", "--data-ratio", "0.2|2", "--repeat", "1"];
    let run = [&["run", "--suite", "kv"][..], &engines, &held].concat();
    let table = place.ok(&run);
    assert!(table.contains("32.0 MiB of memory for 64.0 MiB of data (2.00x)"), "{table}");
    let figure = |engine: &str, ratio: &str, figure: &str| -> u64 {
        let sql = format!(
            "SELECT {figure} FROM results WHERE engine = '{engine}' AND round(data_bytes / memory_limit_bytes, 2) = {ratio}"
        );
        place.value(&sql).parse().unwrap()
    };
    let reads = figure("lmdb", "2", "operations");
    for engine in ["lmdb", "sqlite"] {
        // Only the half of the data that fits into memory can be read without the disk.
        let (few, many) = (figure(engine, "0.2", "read_bytes"), figure(engine, "2", "read_bytes"));
        assert!(many > reads * 4096 / 4 && few < many / 20, "{engine}: {few} and {many} bytes for {reads} reads");
    }
    let (few, many) = (figure("lmdb", "0.2", "major_faults"), figure("lmdb", "2", "major_faults"));
    assert!(many > reads / 10 && few < many / 20, "{few} and {many} faults for {reads} reads");
    assert_eq!(figure("sqlite", "2", "memory_limit_bytes"), 32 << 20);
    let details = place.ok(&["results", "--details", "engine=lmdb", "memory_limit_bytes=33554432"]);
    for fact in ["memory_limit_bytes", "33554432", "data_to_memory_limit", "2.0"] {
        assert!(details.contains(fact), "{fact}: {details}");
    }
}

#[test]
fn a_worker_that_needs_more_than_the_limit_fails_its_run_alone() {
    let place = Place::new();
    if !can_limit(&place) {
        return;
    }
    // One transaction with all rows, which LMDB keeps in memory until it commits.
    let what = ["run", "--suite", "kv", "--engine", "lmdb", "--engine", "null", "--test", "Bulk insert"];
    let held = ["--memory-limit", "32MiB", "--data-ratio", "4", "--repeat", "1"];
    let done = place.run(&[&what[..], &held].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let runs = place.rows("SELECT engine, status, coalesce(failure, '') FROM run ORDER BY engine");
    let says = "the worker was killed: it needed more than the memory limit of 32.0 MiB (--memory-limit), in test 8";
    assert_eq!(runs, [["lmdb", "failed", says], ["null", "done", ""]]);
    // Less than an idle worker needs.
    let done = place.run(&["run", "--suite", "kv", "--engine", "null", "--memory-limit", "64KiB", "--repeat", "1"]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stderr.contains("it needed more than the memory limit of 64.0 KiB"), "{}", done.stderr);
}

#[test]
fn a_session_that_was_killed_keeps_its_limit_and_leaves_no_group() {
    let place = Place::new();
    if !can_limit(&place) {
        return;
    }
    let what = ["run", "--suite", "kv", "--engine", "null", "--engine", "redb", "--size", "500", "--repeat", "4"];
    let held = ["--memory-limit", "64MiB", "--cache", "cold", "--json"];
    let run = [&what[..], &held].concat();
    let mut session = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut output = BufReader::new(session.stdout.take().unwrap());
    output.by_ref().lines().take(40).for_each(|line| drop(line.unwrap()));
    kill_process(Pid::from_child(&session), Signal::KILL).unwrap();
    session.wait().unwrap();
    drop(output);
    place.ok(&["resume", "--quiet"]);
    let held = place.rows("SELECT DISTINCT memory_limit_bytes, cache FROM run WHERE status = 'done'");
    assert_eq!(held, [["67108864", "cold"]]);
    assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'done'"), "8");
    // Other tests have groups at the same time. These disappear when those tests end.
    wait_until("no control group is left", || groups_left().is_empty());
}

#[test]
fn a_ratio_needs_no_size_beside_it() {
    let place = Place::new();
    let run = |arguments: &[&str]| -> Done {
        place.run(&[&["run", "--suite", "kv", "--engine", "null", "--dry-run"][..], arguments].concat())
    };
    let refused = run(&["--size", "10", "--data-ratio", "2"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("--data-ratio"), "{}", refused.stderr);
    let planned = run(&["--data-ratio", "2", "--test", "2"]).stdout;
    assert!(planned.contains("256 MiB of memory") && planned.contains("2.00x the memory"), "{planned}");
}

#[test]
fn a_cold_test_begins_with_nothing_in_memory() {
    let place = Place::new();
    let engines = ["sqlite:journal_mode=wal", "lmdb", "redb", "fjall", "log"];
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    let what = ["run", "--suite", "kv", "--test", "1,2,3,4,7", "--size", "20k", "--repeat", "1"];
    place.ok(&[&what[..], &engines].concat());
    place.ok(&[&what[..], &engines, &["--cache", "cold", "--seed", "5"]].concat());
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status <> 'ok'"), "0");
    assert_eq!(place.value("SELECT count(resident_ppm) FROM results WHERE cache = 'warm'"), "0");
    let cold = place.rows(
        "SELECT label, test, resident_ppm, start_bytes FROM results
         WHERE cache = 'cold' AND test > 1 AND (resident_ppm IS NULL OR resident_ppm > 50000 OR open_test_ns IS DISTINCT FROM open_ns + wall_ns)",
    );
    assert!(cold.is_empty(), "{cold:?}");
    // Opening the log reads all of it. Opening a B-tree reads only the system's read-ahead.
    let opened =
        "SELECT label, min(opened_resident_ppm) > 900000 AS whole, min(open_read_bytes) > 1e6 AS much FROM results
         WHERE cache = 'cold' AND test > 1 AND engine IN ('log', 'lmdb') GROUP BY label ORDER BY label";
    assert_eq!(place.rows(opened), [["lmdb", "false", "false"], ["log", "true", "true"]]);
    let read = place.rows(
        "SELECT engine, sum(read_bytes) FILTER (cache = 'warm') < sum(read_bytes) FILTER (cache = 'cold') AS more FROM results
         WHERE test = 3 AND engine IN ('sqlite', 'lmdb') GROUP BY engine ORDER BY engine",
    );
    assert_eq!(read, [["lmdb", "true"], ["sqlite", "true"]]);
    let compared = place.ok(&["compare", "--a", "engine=lmdb cache=cold", "--b", "engine=lmdb cache=warm"]);
    assert!(compared.contains("tests of A began cold, of B warm"), "{compared}");
}

/// An engine that reads its database while opening gains nothing from it.
#[test]
fn cold_tests_are_compared_with_their_opening() {
    let place = Place::new();
    let run =
        ["run", "--suite", "kv", "--test", "2", "--size", "5000", "--repeat", "1", "--cache", "cold", "--seed", "5"];
    let table = place.ok(&[&run[..], &["--engine", "log", "--engine", "lmdb"]].concat());
    assert!(table.contains("open+test") && table.contains("p50 and p99 are of the test alone"), "{table}");
    assert!(table.contains("in memory when the timer started") && table.contains("opening read"), "{table}");
    let sides = ["compare", "--a", "engine=log", "--b", "engine=lmdb"];
    let json: Value = serde_json::from_str(&place.ok(&[&sides[..], &["--format", "json"]].concat())).unwrap();
    assert_eq!(json["metric"], "open_test_ns");
    let stored = |engine: &str| -> f64 {
        place.value(&format!("SELECT open_ns + wall_ns FROM results WHERE engine = '{engine}'")).parse().unwrap()
    };
    let line = &json["lines"][0];
    assert_eq!([line["a"]["median"].as_f64(), line["b"]["median"].as_f64()], [stored("log"), stored("lmdb")].map(Some));
    assert!(place.ok(&sides).contains("open + test log"));
    assert!(place.ok(&[&sides[..], &["--format", "csv"]].concat()).contains("open_test_ns"));
    assert!(place.ok(&[&sides[..], &["--format", "html"]].concat()).contains("open + test"));
    // An older worker did not measure this, so it is not compared.
    let connection = duckdb::Connection::open(place.store()).unwrap();
    connection.execute_batch("UPDATE result SET open_ns = NULL").unwrap();
    connection.close().unwrap();
    let compared = place.ok(&sides);
    assert!(compared.contains("no test of A or B has a value of open + test"), "{compared}");
}

#[test]
fn suites_of_tables_and_of_threads_begin_cold() {
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "lumosql", "--engine", "sqlite", "--engine", "lmdb", "--size", "1", "--repeat", "1",
        "--cache", "cold",
    ]);
    place.ok(&["run", "--suite", "pragma", "--engine", "sqlite", "--size", "100", "--repeat", "1", "--cache", "cold"]);
    let contention =
        ["run", "--suite", "contention", "--set", "contention.seconds=1", "--size", "1000", "--repeat", "1"];
    place.ok(&[&contention[..], &["--engine", "sqlite", "--engine", "redb", "--cache", "cold"]].concat());
    assert_eq!(place.value("SELECT count(*) FROM results WHERE status <> 'ok' AND status IS NOT NULL"), "0");
    let warm = "SELECT suite, label, test FROM results WHERE actor IS NULL AND (resident_bytes IS NULL OR resident_ppm > 50000)";
    assert_eq!(place.rows(warm), [[""; 0]; 0]);
}

#[test]
fn what_cannot_be_dropped_is_said() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--test", "2", "--size", "1000", "--repeat", "1", "--cache", "cold"];
    if Path::new("/dev/shm").exists() {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let work = folder.path().to_str().unwrap();
        let table = place.ok(&[&run[..], &["--engine", "lmdb", "--work-dir", work]].concat());
        assert!(
            table.contains("part of the database in memory when the timer started")
                && table.contains("(up to 100.0 %, opening read 0 B)"),
            "{table}"
        );
        assert!(table.contains("not cold"), "{table}");
    } else {
        eprintln!("not checked: there is no /dev/shm");
    }
    // A worker that does not know the field runs warm.
    let program = env!("CARGO_BIN_EXE_dbdyno");
    place.engine(
        "older",
        &format!(
            "if [ \"$1\" = describe ]; then '{program}' worker null describe | sed 's/\"name\":\"null\"/\"name\":\"older\"/'; exit; fi\n\
             sed -u 's/\"cache\":\"cold\",//; s/\"engine\":\"older\"/\"engine\":\"null\"/' | '{program}' worker null run"
        ),
    );
    let done = place.run(&[&run[..], &["--engine", "older"]].concat());
    assert!(done.stderr.contains("engine `older` cannot start cold: its worker does not report it"), "{}", done.stderr);
}
