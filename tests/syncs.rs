//! Counted sync calls, compared with strace: one for each commit if the tier requires it, and none if the tier requires none.

use crate::support::{Place, has_tool};
use dbdyno_engine::{durability::Tier, settings::Settings};
use std::{collections::BTreeMap, fs};

/// Runs test 1 (a commit every 1,000 writes) under strace. Returns the syncs of the test; the syncs of opening, settling and closing; and
/// the sync calls traced in the worker.
fn syncs_of(engine: &str, writes: u64) -> (u64, u64, u64) {
    let place = Place::new();
    let trace = trace_of(&place, engine, writes, &["clone", "clone3"]);
    let stored = |column: &str| place.value(&format!("SELECT {column} FROM results WHERE test = 1")).parse().unwrap();
    let worker = threads_of_worker(&trace, engine);
    let is_sync = |line: &&str| line.contains("sync") && !line.contains("MS_ASYNC") && !line.contains("resumed>");
    let traced = trace.lines().filter(|line| worker.contains(&process(line))).filter(is_sync).count() as u64;
    (stored("syncs"), stored("outside_syncs"), traced)
}

/// The strace output of such a run: sync calls, and `more` calls.
fn trace_of(place: &Place, engine: &str, writes: u64, more: &[&str]) -> String {
    let trace = place.path("trace");
    let size = writes.to_string();
    let run = ["run", "--suite", "kv", "--engine", engine, "--size", &size, "--test", "1", "--repeat", "1", "--quiet"];
    let plain = place.command(&run);
    let mut strace = std::process::Command::new("strace");
    let calls = [&["fsync", "fdatasync", "msync", "sync_file_range", "execve"], more].concat().join(",");
    strace
        .args(["-f", "--seccomp-bpf", "-y", "-e", &format!("trace={calls}"), "-o"])
        .arg(&trace)
        .arg(plain.get_program())
        .args(plain.get_args())
        .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(strace.status().unwrap().success());
    fs::read_to_string(trace).unwrap()
}

/// The process identifier in a line of strace.
fn process(line: &str) -> &str {
    line.split_once(' ').unwrap().0
}

/// The processes that became the engine's worker. The first thread of the worker is the measuring thread.
fn worker_of<'t>(trace: &'t str, engine: &str) -> Vec<&'t str> {
    let worker = format!("\"worker\", \"{}\"", engine.split(':').next().unwrap());
    let begun = trace.lines().filter(|line| line.contains("execve(") && line.contains(&worker));
    let found: Vec<&str> = begun.map(process).collect();
    assert!(!found.is_empty(), "the worker is in the trace");
    found
}

/// The worker and all threads that it started.
fn threads_of_worker<'t>(trace: &'t str, engine: &str) -> Vec<&'t str> {
    let mut threads = worker_of(trace, engine);
    for line in trace.lines().filter(|line| line.contains("clone")) {
        let started = line.rsplit_once(" = ").map(|(_, thread)| thread).filter(|_| threads.contains(&process(line)));
        threads.extend(started);
    }
    threads
}

/// The calls of the measuring thread.
fn lines_of_worker<'t>(trace: &'t str, engine: &str) -> impl Iterator<Item = &'t str> {
    let worker = worker_of(trace, engine);
    trace
        .lines()
        .filter(move |line| worker.contains(&process(line)))
        .filter(|line| !line.contains("execve(") && !line.contains("resumed>"))
}

#[test]
fn full_syncs_for_every_commit_and_off_never_does() {
    if !has_tool("strace", &["-f", "--seccomp-bpf", "true"]) {
        return;
    }
    for (engine, writes, expected) in [
        ("sqlite:journal_mode=wal,synchronous=full", 20_000, Some(20)),
        ("sqlite:journal_mode=wal,synchronous=off", 20_000, Some(0)),
        // The meta page is written through a synchronous descriptor, and the data by one call per commit.
        ("lmdb", 20_000, Some(20)),
        ("lmdb:sync=nosync", 20_000, Some(0)),
        ("redb", 20_000, None),
        ("fjall:persist=sync_data", 20_000, Some(20)),
        // The operating system has the journal, but the disk may not.
        ("fjall", 20_000, Some(0)),
        // DuckDB needs two milliseconds per row.
        ("duckdb", 3000, Some(3)),
    ] {
        let (of_test, outside, traced) = syncs_of(engine, writes);
        assert!(
            expected.is_none_or(|expected| of_test == expected) && (engine != "redb" || of_test >= 20),
            "{engine}: {of_test}"
        );
        assert_eq!(of_test + outside, traced, "{engine}: {of_test} in the test, {outside} outside of its timer");
    }
}

#[test]
fn what_a_checkpoint_leaves_for_the_close_is_counted_there() {
    let place = Place::new();
    let engines = ["--engine", "sqlite:journal_mode=wal,wal_autocheckpoint=0|50"];
    let rest = ["--size", "20000", "--test", "1,2,8", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
    let phases = "SELECT DISTINCT test, open_ns > 0, settle_ns, close_ns > 0 FROM results ORDER BY 1";
    let expected = [["1", "true", "0", ""], ["2", "", "0", "true"], ["8", "true", "0", "true"]];
    assert_eq!(place.rows(phases), expected, "two tests share a database, which is opened and closed once");
    let left = place.rows(
        "SELECT close_written_bytes, written_bytes FROM results WHERE test = 8 ORDER BY options['wal_autocheckpoint']::INT",
    );
    let bytes = |at: usize, column: usize| left[at][column].parse::<u64>().unwrap();
    assert!(
        bytes(0, 0) > 500_000 && bytes(0, 0) > 2 * bytes(1, 0),
        "without checkpoints, closing makes them: {left:?}"
    );
}

/// Whether a sync follows the call that makes each commit of a rollback journal. That call removes the journal, truncates it, or overwrites
/// its header with zeros.
fn waits_after_the_journal_ends(journal_mode: &str, settings: &str) -> bool {
    let place = Place::new();
    let engine = format!("sqlite:journal_mode={journal_mode},{settings}");
    let trace = trace_of(&place, &engine, 20_000, &["unlink", "unlinkat", "ftruncate", "pwrite64"]);
    let calls: Vec<&str> = lines_of_worker(&trace, &engine).collect();
    let ends = |call: &&str| {
        let of_call = ["unlink(", "unlinkat(", "ftruncate(", "pwrite64("].iter().any(|name| call.contains(name));
        let overwritten =
            !call.contains("pwrite64(") || (call.contains(r#""\0\0\0\0\0\0\0\0"#) && call.contains(", 28, 0)"));
        call.contains("sqlite.db-journal") && of_call && overwritten
    };
    let after: Vec<bool> =
        calls.windows(2).filter(|pair| ends(&pair[0])).map(|pair| pair[1].contains("sync(")).collect();
    assert!(after.len() >= 20, "{engine}: 20 commits, of which {} were found in: {calls:#?}", after.len());
    // Closing the database removes the journal once more, which commits nothing.
    let waits = after.iter().filter(|waits| **waits).count();
    assert!(waits <= 1 || waits >= 20, "{engine}: {waits} of {}", after.len());
    waits >= 20
}

#[test]
fn with_a_rollback_journal_power_safe_is_what_syncs_the_end_of_the_journal() {
    if !has_tool("strace", &["-f", "--seccomp-bpf", "true"]) {
        return;
    }
    let description = (dbdyno_sqlite::PROGRAM.describe)();
    for (journal_mode, synchronous, locking_mode, expected) in [
        ("delete", "full", "normal", false),
        ("delete", "extra", "normal", true),
        ("delete", "full", "exclusive", true),
        ("truncate", "full", "normal", true),
        ("truncate", "normal", "normal", false),
        ("persist", "full", "normal", true),
    ] {
        let asked = [("journal_mode", journal_mode), ("synchronous", synchronous), ("locking_mode", locking_mode)];
        let asked = BTreeMap::from(asked.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let (tier, reason) = description.tier(&Settings::resolve(&description, &asked).unwrap());
        let waits = waits_after_the_journal_ends(
            journal_mode,
            &format!("synchronous={synchronous},locking_mode={locking_mode}"),
        );
        assert_eq!(waits, expected, "{asked:?}");
        assert_eq!(tier == Tier::PowerSafe, waits, "{asked:?} is tier {tier}: {reason}");
    }
}

#[test]
fn duckdb_syncs_its_log_for_every_commit_unless_told_not_to() {
    let place = Place::new();
    let engines = ["--engine", "duckdb:fsync_mode=standard|none"];
    let rest = ["--size", "3000", "--test", "1", "--repeat", "1", "--quiet"];
    place.ok(&[&["run", "--suite", "kv"][..], &engines, &rest].concat());
    let found = place.rows("SELECT options['fsync_mode'], syncs FROM results WHERE test = 1 ORDER BY 1");
    assert_eq!(found, [["none", "0"], ["standard", "3"]], "one sync for each of three commits");
}
