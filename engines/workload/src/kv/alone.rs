//! Tests of one thread.

use super::{
    inputs::{InputSource, OperationInput},
    operations::{KvTally, apply_alone, apply_read, apply_write},
};
use crate::recorder::Recorder;
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    kv::{KvRead, KvSession, KvTransaction},
    suite::{KeyChoice, KvAlone, KvTest, Operation, TransactionScope},
};

/// Runs the operations of a test.
pub(super) fn perform<S: KvSession, C: Clock>(
    session: &mut S,
    (test, alone): (&KvTest, &KvAlone),
    seed: u64,
    held: bool,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    if alone.work.keys == KeyChoice::Recorded {
        return Err(EngineError::new("recorded keys: expected actors that have them"));
    }
    let inputs = InputSource::alone((test, alone), seed);
    match alone.work.transaction {
        TransactionScope::Read if held => read_held(session, alone, inputs, recorder),
        TransactionScope::Read => read_each(session, alone, inputs, recorder),
        TransactionScope::Each => {
            recorder.start();
            repeat(alone, inputs, recorder, |input, tally| apply_alone(session, input, tally))
        }
        TransactionScope::One => write_batches(session, alone, inputs, alone.operations, recorder),
        TransactionScope::Batch(batch) => write_batches(session, alone, inputs, batch, recorder),
    }
}

/// Reads in one transaction, which begins before the timer starts.
fn read_held<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    inputs: InputSource<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut read = session.read()?;
    recorder.start();
    if scans(alone) {
        return scan(&mut read, recorder);
    }
    repeat(alone, inputs, recorder, |input, tally| apply_read(&mut read, input, tally))
}

/// Reads, each in its own transaction.
fn read_each<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    inputs: InputSource<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    recorder.start();
    if scans(alone) {
        return scan(&mut session.read()?, recorder);
    }
    repeat(alone, inputs, recorder, |input, tally| apply_read(&mut session.read()?, input, tally))
}

fn scans(alone: &KvAlone) -> bool {
    matches!(alone.work.work.as_slice(), [only] if only.operation == Operation::Scan)
}

fn scan<R: KvRead, C: Clock>(read: &mut R, recorder: &mut Recorder<C>) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    read.scan(|key, value| {
        tally.answer(key, value);
        tally.operations += 1;
        recorder.lap();
    })?;
    Ok(tally)
}

/// Runs a test's operations in sequence.
#[inline]
fn repeat<C: Clock>(
    alone: &KvAlone,
    mut inputs: InputSource<'_>,
    recorder: &mut Recorder<C>,
    mut operation: impl FnMut(&OperationInput<'_>, &mut KvTally) -> Result<(), EngineError>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    for _ in 0..alone.operations {
        operation(&inputs.next(recorder)?, &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

/// Writes in transactions of `batch` operations. A commit counts in the time of its batch's last operation, and the next begin in the time
/// of the first one. If the whole test is one transaction, it begins before the timer starts.
fn write_batches<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    mut inputs: InputSource<'_>,
    batch: u64,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    let mut done = 0;
    recorder.start();
    while done < alone.operations {
        let mut transaction = session.write()?;
        if alone.work.transaction == TransactionScope::One {
            recorder.start();
        }
        let last = (done + batch.max(1)).min(alone.operations) - 1;
        let mut table = transaction.table()?;
        for at in done..=last {
            apply_write(&mut table, &inputs.next(recorder)?, &mut tally)?;
            if at < last {
                recorder.lap();
            }
        }
        drop(table);
        transaction.commit()?;
        recorder.lap();
        done = last + 1;
    }
    Ok(tally)
}
