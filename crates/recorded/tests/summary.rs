//! The figures of a recording of which everything is known.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use dbdyno_recorded::{RecordingSummary, StatementKind, plans};
use dbdyno_recording::{
    ClosedConnection, LostCalls, LostSlot, MissingSnapshot, RecordedCall, RecordedEnd, RecordedLine, calls_file,
};
use std::fs;
use support::{call, manifest, open, process, statement, write};

/// Two connections: one writes in a transaction while the other reads, twice.
fn example() -> Vec<RecordedLine> {
    let all = |call: RecordedCall| RecordedLine::Call(call);
    vec![
        process(7),
        open(1, "/data/app.db", None, 1),
        open(2, "/data/app.db", None, 2),
        statement(1, "CREATE TABLE t(a, b)"),
        all(call((1, 1), (1_000, 1_000), 0, 0)),
        statement(2, "BEGIN"),
        all(call((1, 2), (10_000, 10), 0, 0)),
        statement(3, "INSERT INTO t VALUES (?1, 'x')"),
        all(call((1, 3), (11_000, 500), 0, 1)),
        statement(4, "INSERT INTO t VALUES (?1, 'y')"),
        all(call((1, 4), (12_000, 500), 0, 1)),
        statement(5, "SELECT b FROM t WHERE b = :b"),
        // The program may have left rows unread, which is no error.
        all(RecordedCall { result_code: 100, ..call((2, 5), (12_100, 90_000), 3, 0) }),
        statement(6, "COMMIT"),
        // An extension does not learn how a commit ended.
        all(RecordedCall { result_code: -1, ..call((1, 6), (13_000, 2_000), 0, 0) }),
        all(RecordedCall { result_code: 5, ..call((2, 5), (200_000, 10_000), 0, 0) }),
        RecordedLine::Close(ClosedConnection { connection: 2, at: 300_000 }),
        RecordedLine::Lost(LostCalls { calls: 3, why: "full".to_owned(), at: 300_001 }),
        RecordedLine::NoSnapshot(MissingSnapshot { connection: 1, why: "it is locked".to_owned() }),
        RecordedLine::SlotLost(LostSlot { connection: 2, at: 300_001 }),
        RecordedLine::End(RecordedEnd { at: 300_002, calls: 7, cost_ns: 77, dropped: 3 }),
    ]
}

#[test]
fn every_figure_is_that_of_the_calls() {
    let folder = tempfile::tempdir().unwrap();
    manifest(folder.path());
    write(folder.path(), 7, &example());
    let summary = RecordingSummary::read(folder.path()).unwrap();
    assert_eq!((summary.calls, summary.lost, summary.lost_slots, summary.cost_ns), (7, 3, 1, 77));
    assert_eq!((summary.span_ns, summary.busy_ns), (209_000, 104_010));
    let first = &summary.fingerprints[0];
    assert_eq!((first.sql.as_str(), first.kind), ("SELECT b FROM t WHERE b = ?", StatementKind::Read));
    assert_eq!((first.calls, first.time_ns, first.rows, first.errors, first.different_values), (2, 100_000, 3, 1, 2));
    let insert = summary.fingerprints.iter().find(|one| one.sql == "INSERT INTO t VALUES (?, ...)").unwrap();
    assert_eq!((insert.calls, insert.changes, insert.time_ns), (2, 2, 1_000), "texts and parameters are values");
    let at_once = summary.concurrency;
    assert_eq!((at_once.connections, at_once.connections_at_once, at_once.threads), (2, 2, 2));
    assert_eq!((at_once.calls_at_once, at_once.writers_at_once, at_once.readers_at_once, at_once.busy), (2, 1, 1, 1));
    let transactions = summary.transactions;
    assert_eq!((transactions.writing, transactions.reading, transactions.explicit, transactions.longest), (2, 2, 1, 2));
    assert_eq!(summary.databases[0].not_copied.as_deref(), Some("it is locked"));
    assert_eq!(summary.errors, [(5, 1)].into());
    assert!(summary.processes[0].ended_in_order && summary.processes[0].lost == 3);
    // The schema was created in the recording, so its plans are known.
    let plans = plans(folder.path(), &summary, 10).unwrap();
    assert_eq!(plans[&0].scanned(), ["t"]);
}

#[test]
fn processes_are_added_and_one_that_was_killed_is_known() {
    let folder = tempfile::tempdir().unwrap();
    manifest(folder.path());
    write(folder.path(), 7, &example());
    let killed: Vec<RecordedLine> = example().into_iter().take(12).collect();
    write(folder.path(), 8, &killed);
    let summary = RecordingSummary::read(folder.path()).unwrap();
    assert_eq!((summary.calls, summary.processes.len()), (7 + 4, 2));
    assert_eq!(summary.processes.iter().map(|one| one.ended_in_order).collect::<Vec<_>>(), [true, false]);
    // Its transaction never ended, so it is none.
    assert_eq!((summary.transactions.explicit, summary.transactions.writing), (1, 3));
}

#[test]
fn what_is_no_recording_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = RecordingSummary::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("manifest.json"), "{error}");
    manifest(folder.path());
    fs::write(folder.path().join(calls_file(1, 1)), "no zstd").unwrap();
    let error = RecordingSummary::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains(&calls_file(1, 1)), "{error}");
}
