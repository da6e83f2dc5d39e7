//! Counted sync calls: one for each commit where the tier says so, none where it says not; checked against strace.

use crate::support::{Place, has_tool};
use std::fs;

/// Runs test 1 (a commit every 1,000 of 20,000 writes) under strace; (syncs stored, sync calls traced in the worker).
fn syncs_of(engine: &str) -> (u64, u64) {
    let place = Place::new();
    let trace = place.path("trace");
    let run =
        ["run", "--suite", "kv", "--engine", engine, "--size", "20000", "--test", "1", "--repeat", "1", "--quiet"];
    let plain = place.command(&run);
    let mut strace = std::process::Command::new("strace");
    strace
        .args(["-f", "-e", "trace=fsync,fdatasync,msync,sync_file_range,execve", "-o"])
        .arg(&trace)
        .arg(plain.get_program())
        .args(plain.get_args())
        .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(strace.status().unwrap().success());
    let stored = place.value("SELECT syncs FROM results WHERE test = 1").parse().unwrap();
    (stored, traced(&fs::read_to_string(trace).unwrap(), engine.split(':').next().unwrap()))
}

/// Sync calls of the process that became the engine's worker, and of its threads.
fn traced(trace: &str, engine: &str) -> u64 {
    let worker = format!("\"worker\", \"{engine}\"");
    let of_worker: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains("execve(") && line.contains(&worker))
        .map(|line| line.split_once(' ').unwrap().0)
        .collect();
    assert!(!of_worker.is_empty(), "the worker is in the trace");
    // The measuring thread is the worker's first.
    trace
        .lines()
        .filter(|line| of_worker.iter().any(|process| line.split_once(' ').unwrap().0 == *process))
        .filter(|line| !line.contains("execve(") && !line.contains("resumed>") && line.contains("sync"))
        .filter(|line| !line.contains("MS_ASYNC"))
        .count() as u64
}

#[test]
fn full_syncs_for_every_commit_and_off_never_does() {
    if !has_tool("strace", &["true"]) {
        return;
    }
    let (stored, traced) = syncs_of("sqlite:journal_mode=wal,synchronous=full");
    assert_eq!(stored, 20, "one sync of the log for each of 20 commits");
    assert!(
        traced >= stored && traced <= stored + 10,
        "strace counts the same, and those of opening and closing: {traced}"
    );
    let (stored, traced) = syncs_of("sqlite:journal_mode=wal,synchronous=off");
    assert_eq!((stored, traced), (0, 0), "no sync at all, not even when opening and closing");
    let (stored, _) = syncs_of("lmdb");
    assert_eq!(stored, 20, "the meta page is written through a synchronous descriptor, data by one call a commit");
    let (stored, traced) = syncs_of("lmdb:sync=nosync");
    assert_eq!((stored, traced), (0, 0));
    let (stored, _) = syncs_of("redb");
    assert!(stored >= 20, "{stored}");
    let (stored, _) = syncs_of("fjall:persist=sync_data");
    assert_eq!(stored, 20, "one sync of the journal for each commit");
    let (stored, _) = syncs_of("fjall");
    assert_eq!(stored, 0, "the operating system has the journal, the disk may not");
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
