//! The verification of the answers of several threads.

use super::{KvActorsTest, place::KvThreadDone};
use crate::kv::{accounts::Accounts, operations::KvTally};
use dbdyno_engine::{
    EngineError,
    protocol::{INVARIANTS, INVARIANTS_HELD},
    suite::Operation,
};

/// Returns the checksum of what all threads read, if the answers are deterministic. Otherwise returns whether the invariants that hold in
/// any order of the operations held. `None`: there is nothing to verify the answers against.
///
/// `answers`: whether the engine answers at all. `after`: the accounts after the test, if the actors work with accounts. `content`: adds the
/// whole database to a tally.
pub(super) fn verification(
    of: &KvActorsTest<'_>,
    done: &[KvThreadDone],
    answers: bool,
    after: Option<Accounts>,
    content: impl FnOnce(&mut KvTally) -> Result<(), EngineError>,
) -> Result<Option<String>, EngineError> {
    if !answers || done.iter().all(|thread| thread.operations == 0) {
        return Ok(None);
    }
    let has_records =
        of.suite.holds_every_record(of.test) || of.accounts.is_some_and(|accounts| accounts.count >= of.test.records);
    let broken = of.accounts.zip(after).and_then(|(before, after)| broken_accounts(before, &after, done));
    let broken = missed(done).filter(|_| has_records).or_else(|| unexpected(done)).or(broken);
    let gave_up = done.iter().any(|thread| thread.failures > 0);
    Ok(match broken {
        Some(broken) => Some(format!("{INVARIANTS}{broken}")),
        None if of.suite.has_fixed_answers(of.test) && !gave_up => {
            let mut all = KvTally::default();
            done.iter().for_each(|thread| all.thread(thread.digest, thread.rows));
            if of.test.verify_state {
                content(&mut all)?;
            }
            Some(all.verification())
        }
        None if of.accounts.is_some() || has_records && looks_up(of) => Some(INVARIANTS_HELD.to_owned()),
        None => None,
    })
}

/// Whether threads read rows by key.
fn looks_up(of: &KvActorsTest<'_>) -> bool {
    let by_key =
        |operation: &Operation| matches!(operation, Operation::Get | Operation::Exists | Operation::Range { .. });
    of.test.works().into_iter().flat_map(|work| &work.work).any(|work| by_key(&work.operation))
}

/// Returns a message about reads that found nothing although all records are stored.
fn missed(done: &[KvThreadDone]) -> Option<String> {
    let missed: u64 = done.iter().map(|thread| thread.missed).sum();
    let reads = if missed == 1 { "read" } else { "reads" };
    (missed > 0).then(|| format!("{missed} {reads} found no row, although every record is stored"))
}

/// Returns a message about reads that found a row for a key that no record has.
fn unexpected(done: &[KvThreadDone]) -> Option<String> {
    let unexpected: u64 = done.iter().map(|thread| thread.unexpected).sum();
    let reads = if unexpected == 1 { "read" } else { "reads" };
    (unexpected > 0).then(|| format!("{unexpected} {reads} found a row for a key that no record has"))
}

/// Compares what threads found, and the final state, with the invariant of transfers: the sum of all balances. Each committed transfer
/// raises two versions, visible to every later reader.
fn broken_accounts(before: Accounts, after: &Accounts, done: &[KvThreadDone]) -> Option<String> {
    let first =
        |broken: fn(&Accounts, &KvThreadDone) -> Option<String>| done.iter().find_map(|thread| broken(&before, thread));
    let audit = |before: &Accounts, thread: &KvThreadDone| {
        let found = before.broken_by(&thread.broken?)?;
        Some(format!("an audit found {found}"))
    };
    let moved = |_: &Accounts, thread: &KvThreadDone| {
        let moved = thread.moved?;
        let (first, last) = (moved.first, moved.last);
        Some(format!("a held snapshot had {first} at its start, but {last} at its end"))
    };
    let short = |_: &Accounts, thread: &KvThreadDone| {
        let (found, expected) = thread.short?;
        Some(format!("an audit of {expected} accounts found {found}"))
    };
    let stale_audit = |_: &Accounts, thread: &KvThreadDone| {
        let (found, expected) = thread.stale_audit?;
        Some(format!("an audit found versions that add up to {found}, after {expected} were committed"))
    };
    let expected = before.versions + 2 * done.iter().map(|thread| thread.transfers).sum::<u64>();
    first(audit)
        .or_else(|| first(moved))
        .or_else(|| first(short))
        .or_else(|| first(stale_audit))
        .or_else(|| first(|_, thread| thread.stale_read.clone()))
        .or_else(|| before.broken_by(after).map(|found| format!("afterwards there are {found}")))
        .or_else(|| {
            (after.versions != expected).then(|| {
                let found = after.versions;
                format!("the versions add up to {found}, but with all committed transfers to {expected}")
            })
        })
}
