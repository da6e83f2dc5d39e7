//! What the operations of a test do, and to what their answers amount.

use super::inputs::{Input, Inputs};
use crate::{digest::Digest, recorder::Recorder};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    kv::{KvRead, KvSession, KvTransaction, KvWrite},
    suite::{KvTest, Operation, TransactionScope},
};

/// What the operations of a test amounted to.
#[derive(Debug, Default)]
pub(super) struct KvTally {
    pub(super) operations: u64,
    pub(super) rows: u64,
    digest: Digest,
}

impl KvTally {
    #[inline]
    fn row(&mut self, key: &[u8], value: &[u8]) {
        self.digest.bytes(key);
        self.digest.bytes(value);
    }

    /// An operation that found its key or did not, and had no more to answer.
    #[inline]
    fn found(&mut self, found: bool) {
        self.digest.word(u64::from(found));
        self.rows += u64::from(found);
    }

    /// Reads the whole database into the digest.
    pub(super) fn state<S: KvSession>(&mut self, session: &mut S) -> Result<(), EngineError> {
        session.read()?.scan(|key, value| self.row(key, value))
    }

    pub(super) fn verification(&self) -> String {
        let mut digest = self.digest;
        digest.word(self.rows);
        digest.to_text()
    }
}

/// Does the operations of a test.
pub(super) fn perform<S: KvSession, C: Clock>(
    session: &mut S,
    test: &KvTest,
    seed: u64,
    held: bool,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let inputs = Inputs::new(test, seed);
    match test.transaction {
        TransactionScope::Read if held => read_held(session, test, inputs, recorder),
        TransactionScope::Read => read_each(session, test, inputs, recorder),
        TransactionScope::One => write_batches(session, test, inputs, test.operations, recorder),
        TransactionScope::Batch(batch) => write_batches(session, test, inputs, batch, recorder),
    }
}

fn read_held<S: KvSession, C: Clock>(
    session: &mut S,
    test: &KvTest,
    mut inputs: Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    let mut read = session.read()?;
    recorder.start();
    if scans(test) {
        scan(&mut read, &mut tally, recorder)?;
        return Ok(tally);
    }
    for _ in 0..test.operations {
        apply_read(&mut read, &inputs.next(recorder), &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

fn read_each<S: KvSession, C: Clock>(
    session: &mut S,
    test: &KvTest,
    mut inputs: Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    recorder.start();
    if scans(test) {
        scan(&mut session.read()?, &mut tally, recorder)?;
        return Ok(tally);
    }
    for _ in 0..test.operations {
        let input = inputs.next(recorder);
        apply_read(&mut session.read()?, &input, &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

fn scans(test: &KvTest) -> bool {
    matches!(test.work.as_slice(), [only] if only.operation == Operation::Scan)
}

fn scan<R: KvRead, C: Clock>(read: &mut R, tally: &mut KvTally, recorder: &mut Recorder<C>) -> Result<(), EngineError> {
    read.scan(|key, value| {
        tally.row(key, value);
        tally.rows += 1;
        tally.operations += 1;
        recorder.lap();
    })
}

/// Writes in transactions of `batch` operations. The commit's time is part of the last operation of its batch, and the
/// next begin's part of the first; where one transaction is all of the test, its begin is before the timer starts.
fn write_batches<S: KvSession, C: Clock>(
    session: &mut S,
    test: &KvTest,
    mut inputs: Inputs<'_>,
    batch: u64,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    let mut done = 0;
    recorder.start();
    while done < test.operations {
        let mut transaction = session.write()?;
        if test.transaction == TransactionScope::One {
            recorder.start();
        }
        let last = (done + batch.max(1)).min(test.operations) - 1;
        let mut table = transaction.table()?;
        for _ in done..last {
            apply_write(&mut table, &inputs.next(recorder), &mut tally)?;
            recorder.lap();
        }
        apply_write(&mut table, &inputs.next(recorder), &mut tally)?;
        drop(table);
        transaction.commit()?;
        recorder.lap();
        done = last + 1;
    }
    Ok(tally)
}

#[inline]
fn apply_read<R: KvRead>(read: &mut R, input: &Input<'_>, tally: &mut KvTally) -> Result<(), EngineError> {
    tally.operations += 1;
    match input.operation {
        Operation::Get => {
            let found = read.get(input.key, |value| tally.digest.bytes(value))?.is_some();
            tally.rows += u64::from(found);
        }
        Operation::Exists => tally.found(read.exists(input.key)?),
        Operation::Scan => read.scan(|key, value| {
            tally.row(key, value);
            tally.rows += 1;
        })?,
        Operation::Put { .. } | Operation::Delete => {
            return Err(EngineError::new("a suite asks for a write in a read transaction"));
        }
    }
    Ok(())
}

#[inline]
fn apply_write<W: KvWrite>(table: &mut W, input: &Input<'_>, tally: &mut KvTally) -> Result<(), EngineError> {
    match input.operation {
        Operation::Put { .. } => {
            table.put(input.key, input.value)?;
            tally.operations += 1;
            tally.rows += 1;
        }
        Operation::Delete => {
            tally.operations += 1;
            tally.found(table.delete(input.key)?);
        }
        Operation::Get | Operation::Exists | Operation::Scan => apply_read(table, input, tally)?,
    }
    Ok(())
}
