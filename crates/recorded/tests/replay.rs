//! The files of a replay: lanes, transactions and their order.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use dbdyno_engine::{
    replay::{LaneEntry, LaneReader, ReplayedTransaction, StatementAction, TransactionPlace, read_statements},
    suite::Begin,
};
use dbdyno_recorded::{LeftOutReason, ReplayPlan, ReplayTerms, recorded_source, write_replay};
use dbdyno_recording::{ClosedConnection, RecordedCall, RecordedLine};
use proptest::prelude::*;
use std::{collections::BTreeSet, path::Path};
use support::{call, manifest, open, process, statement, write};

const STATEMENTS: [&str; 6] = [
    "BEGIN",
    "COMMIT",
    "INSERT INTO t VALUES (?)",
    "SELECT a FROM t WHERE a = ?",
    "SAVEPOINT s",
    "RELEASE SAVEPOINT s;",
];
const BEGIN: u32 = 1;
const COMMIT: u32 = 2;
const INSERT: u32 = 3;
const SELECT: u32 = 4;
const SAVEPOINT: u32 = 5;
const RELEASE: u32 = 6;

/// The transactions of a lane, each with the names of its calls; `None` for a connection.
type Lane = Vec<Option<(TransactionPlace, Vec<usize>)>>;

/// Writes a recording of connections with their calls, and its replay.
fn replayed(connections: &[(u64, u64, Vec<RecordedCall>)]) -> (ReplayPlan, Vec<Lane>) {
    let (recording, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    manifest(recording.path());
    let mut lines = vec![process(7)];
    lines.extend((1..).zip(STATEMENTS).map(|(id, sql)| statement(id, sql)));
    for (number, (opened, closed, calls)) in (1..).zip(connections) {
        lines.push(open(number, "/app.db", None, *opened));
        lines.extend(calls.iter().cloned().map(RecordedLine::Call));
        lines.push(RecordedLine::Close(ClosedConnection { connection: number, at: *closed }));
    }
    write(recording.path(), 7, &lines);
    let source = recorded_source(recording.path(), None).unwrap();
    let options = BTreeSet::new();
    let terms = ReplayTerms { options: &options, rewrite: &str::to_owned };
    let plan = write_replay(recording.path(), &source, files.path(), terms).unwrap();
    let lanes = (0..plan.spec.lanes).map(|lane| read(files.path(), lane)).collect();
    (plan, lanes)
}

fn read(files: &Path, lane: u32) -> Lane {
    let mut reader = LaneReader::open(files, lane, STATEMENTS.len()).unwrap();
    let (mut entries, mut transaction) = (Vec::new(), ReplayedTransaction::default());
    loop {
        match reader.next(&mut transaction).unwrap() {
            LaneEntry::Connection => entries.push(None),
            LaneEntry::Transaction => {
                let calls = transaction.calls.iter().map(|call| call.statement).collect();
                entries.push(Some((transaction.place, calls)));
            }
            LaneEntry::End => return entries,
        }
    }
}

fn transactions(lane: &Lane) -> Vec<&(TransactionPlace, Vec<usize>)> {
    lane.iter().flatten().collect()
}

#[test]
fn calls_from_begin_to_commit_are_a_transaction_and_others_are_alone() {
    let calls = vec![
        call((1, SELECT), (10, 5), 1, 0),
        call((1, BEGIN), (20, 1), 0, 0),
        call((1, INSERT), (22, 2), 0, 1),
        call((1, SAVEPOINT), (25, 1), 0, 0),
        call((1, RELEASE), (27, 1), 0, 0),
        call((1, COMMIT), (30, 9), 0, 0),
        call((1, SAVEPOINT), (50, 1), 0, 0),
        call((1, INSERT), (52, 1), 0, 1),
        call((1, RELEASE), (54, 1), 0, 0),
        call((1, INSERT), (60, 1), 0, 1),
    ];
    let (plan, lanes) = replayed(&[(1, 100, calls)]);
    let lengths: Vec<usize> = transactions(&lanes[0]).iter().map(|(_, calls)| calls.len()).collect();
    assert_eq!(lengths, [1, 5, 3, 1]);
    let turns: Vec<u64> = transactions(&lanes[0]).iter().map(|(place, _)| place.turn).collect();
    assert_eq!(turns, [0, 1, 2, 3]);
    assert_eq!((plan.spec.transactions, plan.spec.writes, plan.calls), (4, 3, 10));
    assert_eq!((plan.span_ns, plan.idle_ns), (51, 51 - 23));
}

#[test]
fn connections_that_follow_one_another_share_a_lane() {
    let one = |number, at| vec![call((number, SELECT), (at, 1), 1, 0)];
    let (plan, lanes) = replayed(&[(0, 50, one(1, 10)), (20, 90, one(2, 30)), (60, 80, one(3, 70))]);
    assert_eq!(plan.spec.lanes, 2);
    assert_eq!(lanes[0].iter().filter(|entry| entry.is_none()).count(), 2);
    assert_eq!(lanes[1].len(), 2);
}

#[test]
fn a_read_comes_after_the_writes_that_had_ended_and_before_none() {
    let writes = vec![call((1, INSERT), (10, 10), 0, 1), call((1, INSERT), (40, 20), 0, 1)];
    let reads = vec![call((2, SELECT), (5, 1), 1, 0), call((2, SELECT), (45, 1), 1, 0)];
    let (_, lanes) = replayed(&[(0, 99, writes), (0, 99, reads)]);
    let reads: Vec<TransactionPlace> = transactions(&lanes[1]).iter().map(|(place, _)| *place).collect();
    assert_eq!(reads.iter().map(|place| place.after).collect::<Vec<_>>(), [0, 1]);
    // In the early order the second one is between the writes, in the late one after both.
    assert_eq!(reads.iter().map(|place| (place.early, place.late)).collect::<Vec<_>>(), [(0, 2), (2, 3)]);
}

#[test]
fn busy_calls_are_left_out_and_statements_keep_their_numbers() {
    let busy = RecordedCall { result_code: 5, ..call((1, BEGIN), (10, 1), 0, 0) };
    let (plan, lanes) = replayed(&[(0, 99, vec![busy, call((1, SELECT), (20, 1), 3, 0)])]);
    let [left_out] = plan.left_out.as_slice() else { panic!("{:?}", plan.left_out) };
    assert_eq!((left_out.reason, left_out.calls, left_out.example.as_str()), (LeftOutReason::Busy, 1, "BEGIN"));
    assert_eq!(plan.spec.statements.len(), 1, "a statement without calls has no row");
    assert_eq!(plan.calls_by_name, [1]);
    assert_eq!(transactions(&lanes[0])[0].1, [1]);
}

#[test]
fn a_statement_that_returned_rows_is_read_whatever_it_does() {
    let (recording, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    manifest(recording.path());
    let texts = ["INSERT INTO t VALUES (1) RETURNING a", "BEGIN IMMEDIATE", "CREATE TABLE u(a)"];
    let mut lines = vec![process(7), open(1, "/app.db", None, 0)];
    lines.extend((1..).zip(texts).map(|(id, sql)| statement(id, sql)));
    lines.extend((1..=3).map(|id| RecordedLine::Call(call((1, id), (u64::from(id), 1), u64::from(id == 1), 0))));
    write(recording.path(), 7, &lines);
    let source = recorded_source(recording.path(), None).unwrap();
    let options = BTreeSet::new();
    let terms = ReplayTerms { options: &options, rewrite: &|sql| sql.replace('u', "v") };
    write_replay(recording.path(), &source, files.path(), terms).unwrap();
    let listed = read_statements(files.path(), 3).unwrap();
    let actions: Vec<StatementAction> = listed.iter().map(|one| one.action).collect();
    // CREATE TABLE has a parameter in this recording, so it is prepared.
    let expected = [StatementAction::Read, StatementAction::Begin(Begin::Immediate), StatementAction::Write];
    assert_eq!(actions, expected);
    assert_eq!(listed[2].sql, "CREATE TABLE v(a)");
}

/// A connection's calls, one after the other, with equal times among them.
fn connection(number: u32) -> impl Strategy<Value = (u64, u64, Vec<RecordedCall>)> {
    prop::collection::vec((0..3_u64, 0..4_u64, prop::bool::ANY), 1..8).prop_map(move |drawn| {
        let mut at = 0;
        let mut calls = Vec::new();
        for (pause, length, writes) in drawn {
            at += pause;
            let statement = if writes { INSERT } else { SELECT };
            calls.push(call((number, statement), (at, length), 0, u64::from(writes)));
            at += length;
        }
        (0, at, calls)
    })
}

proptest! {
    /// Whichever lane goes on whenever it may, all come to their end, and those that write do so in their turns.
    #[test]
    fn no_order_of_lanes_ends_in_a_deadlock(
        connections in (connection(1), connection(2), connection(3)),
        choices in prop::collection::vec(0..3_usize, 0..200),
    ) {
        let (plan, lanes) = replayed(&[connections.0, connections.1, connections.2]);
        let lanes: Vec<Vec<TransactionPlace>> =
            lanes.iter().map(|lane| transactions(lane).iter().map(|(place, _)| *place).collect()).collect();
        let mut choices = choices.into_iter().chain(std::iter::repeat(0));
        let (mut next, mut written) = (vec![0; lanes.len()], 0);
        for _ in 0..plan.spec.transactions {
            let may = |lane: &usize| {
                let place: Option<&TransactionPlace> = lanes[*lane].get(next[*lane]);
                place.is_some_and(|place| written >= if place.turn > 0 { place.turn - 1 } else { place.after })
            };
            let ready: Vec<usize> = (0..lanes.len()).filter(may).collect();
            prop_assert!(!ready.is_empty(), "all wait: {next:?} of {lanes:?}");
            let lane = ready[choices.next().unwrap_or(0) % ready.len()];
            let place = lanes[lane][next[lane]];
            if place.turn > 0 {
                prop_assert_eq!(place.turn, written + 1);
                written += 1;
            }
            next[lane] += 1;
        }
        // Both orders have every place once, keep the order of each lane, and obey the same rules.
        for order in [|place: &TransactionPlace| place.early, |place: &TransactionPlace| place.late] {
            let mut all: Vec<&TransactionPlace> = lanes.iter().flatten().collect();
            all.sort_by_key(|place| order(place));
            prop_assert!((0..).zip(&all).all(|(at, place)| order(place) == at));
            prop_assert!(lanes.iter().all(|lane| lane.is_sorted_by_key(order)));
            let mut written = 0;
            for place in all {
                prop_assert!(place.after <= written || place.turn > 0);
                if place.turn > 0 {
                    written += 1;
                    prop_assert_eq!(place.turn, written);
                }
            }
        }
    }
}
