//! The transactions, and their order.
//!
//! Transactions that write have the order in which they ended. Any other one comes after all that had ended before it began. What the
//! recording leaves open is decided twice: in the early order each transaction that only reads is done as soon as it may, in the late one
//! just before the next transaction of its lane that writes. An answer that is the same in both depends on no chance between lanes.

use super::{
    lanes::Lanes,
    spool::CallSpool,
    statements::{KnownStatement, ReplayStatements, TransactionStep},
};
use dbdyno_engine::replay::{LaneWriter, TransactionPlace};
use std::{collections::VecDeque, io, ops::Range, path::Path};
use uuid::Uuid;

/// A transaction: consecutive calls of a connection.
#[derive(Debug, Clone)]
pub(super) struct SpooledTransaction {
    lane: usize,
    connection: u32,
    /// Places among the calls.
    calls: Range<usize>,
    start: u64,
    /// Not after the next one of its connection began.
    end: u64,
    pub(super) writes: bool,
    place: TransactionPlace,
}

impl SpooledTransaction {
    /// The moment that decides about its order.
    fn moment(&self) -> u64 {
        if self.writes { self.end } else { self.start }
    }
}

/// Returns the transactions with their places: by lane, and in a lane in their order.
pub(super) fn transactions(
    spool: &CallSpool,
    lanes: &Lanes,
    statements: &ReplayStatements<'_>,
) -> Vec<SpooledTransaction> {
    let mut all = Vec::new();
    let mut from = 0;
    while from < spool.calls.len() {
        let connection = spool.calls[from].connection;
        let length = spool.calls[from..].partition_point(|call| call.connection == connection);
        of_connection(spool, from..from + length, &statements.list, lanes.lane[connection as usize], &mut all);
        from += length;
    }
    let (first, _) = spool.span();
    // One order of all decides ties, and each lane has the same order.
    all.sort_by_key(|one| (one.start, one.end, one.calls.start));
    put_turns(&mut all, first);
    put_orders(&mut all, lanes.count);
    // Stable.
    all.sort_by_key(|one| one.lane);
    all
}

/// Divides the calls of a connection into transactions.
fn of_connection(
    spool: &CallSpool,
    calls: Range<usize>,
    statements: &[KnownStatement],
    lane: usize,
    all: &mut Vec<SpooledTransaction>,
) {
    let mut open = TransactionSoFar::default();
    let mut from = calls.start;
    let first = all.len();
    for at in calls.clone() {
        let call = &spool.calls[at];
        let statement = &statements[call.statement as usize];
        open.writes |= statement.writes;
        if open.is_over_after(&statement.step, call.has_failed) || at + 1 == calls.end {
            let end = spool.calls[from..=at].iter().map(|call| call.end).max().unwrap_or(call.end);
            all.push(SpooledTransaction {
                lane,
                connection: call.connection,
                calls: from..at + 1,
                start: spool.calls[from].start,
                end,
                writes: std::mem::take(&mut open).writes,
                place: TransactionPlace::default(),
            });
            from = at + 1;
        }
    }
    let starts: Vec<u64> = all[first..].iter().skip(1).map(|next| next.start).collect();
    for (one, next) in all[first..].iter_mut().zip(starts) {
        one.end = one.end.min(next);
    }
}

/// The transaction of a connection so far.
#[derive(Default)]
struct TransactionSoFar {
    writes: bool,
    is_begun: bool,
    savepoints: Vec<String>,
}

impl TransactionSoFar {
    /// Whether no transaction is open after a call.
    fn is_over_after(&mut self, step: &TransactionStep, has_failed: bool) -> bool {
        if !has_failed {
            match step {
                TransactionStep::None => {}
                TransactionStep::Begin => self.is_begun = true,
                TransactionStep::End => {
                    self.is_begun = false;
                    self.savepoints.clear();
                }
                TransactionStep::Savepoint(name) => self.savepoints.push(name.clone()),
                TransactionStep::Release(name) => {
                    if let Some(at) = self.savepoints.iter().rposition(|one| one == name) {
                        self.savepoints.truncate(at);
                    }
                }
            }
        }
        !self.is_begun && self.savepoints.is_empty()
    }
}

/// Gives turns to transactions that write, and counts for each other one how many of them come before it.
fn put_turns(all: &mut [SpooledTransaction], first: u64) {
    let mut writers: Vec<usize> = (0..all.len()).filter(|at| all[*at].writes).collect();
    writers.sort_by_key(|at| (all[*at].end, *at));
    let ends: Vec<u64> = writers.iter().map(|at| all[*at].end).collect();
    for (turn, at) in writers.iter().enumerate() {
        all[*at].place.turn = turn as u64 + 1;
    }
    for one in all {
        one.place.at_ns = one.start - first;
        one.place.after = ends.partition_point(|end| *end < one.start) as u64;
    }
}

fn put_orders(all: &mut [SpooledTransaction], lanes: usize) {
    let mut early: Vec<usize> = (0..all.len()).collect();
    early.sort_by_key(|at| (all[*at].moment(), *at));
    let mut late = Vec::with_capacity(all.len());
    // Turns follow the early order.
    let in_turn = early.iter().copied().filter(|at| all[*at].writes);
    let mut by_lane: Vec<VecDeque<usize>> = vec![VecDeque::new(); lanes];
    (0..all.len()).for_each(|at| by_lane[all[at].lane].push_back(at));
    for writer in in_turn {
        let queue = &mut by_lane[all[writer].lane];
        while let Some(next) = queue.pop_front() {
            late.push(next);
            if next == writer {
                break;
            }
        }
    }
    by_lane.into_iter().for_each(|queue| late.extend(queue));
    for (place, at) in early.into_iter().enumerate() {
        all[at].place.early = place as u64;
    }
    for (place, at) in late.into_iter().enumerate() {
        all[at].place.late = place as u64;
    }
}

/// Writes the lanes. Returns what distinguishes their content from others'.
pub(super) fn write(
    spool: &CallSpool,
    lanes: &Lanes,
    transactions: &[SpooledTransaction],
    into: &Path,
) -> io::Result<String> {
    let mut calls = spool.open()?;
    let mut from = 0;
    let mut digest = Uuid::NAMESPACE_OID;
    let mut encoded = Vec::new();
    for lane in 0..lanes.count {
        let length = transactions[from..].partition_point(|one| one.lane == lane);
        let mut file = LaneWriter::create(into, lane as u32)?;
        let mut connection = None;
        for one in &transactions[from..from + length] {
            if connection.replace(one.connection) != Some(one.connection) {
                file.connection()?;
            }
            file.transaction(&one.place, one.calls.len())?;
            encoded.clear();
            spool.calls[one.calls.clone()].iter().try_for_each(|call| calls.append(call, &mut encoded))?;
            digest = Uuid::new_v5(&digest, &encoded);
            file.calls(&encoded)?;
        }
        file.finish()?;
        from += length;
    }
    spool.remove()?;
    Ok(digest.simple().to_string())
}
