//! Tests of one thread.

use super::{
    inputs::Inputs,
    operations::{KvTally, apply_alone, apply_read, apply_write},
};
use crate::{recorder::Recorder, rng::SplitMix64};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    kv::{KvRead, KvSession, KvTransaction},
    suite::{KvAlone, KvTest, Operation, TransactionScope},
};

/// Does the operations of a test.
pub(super) fn perform<S: KvSession, C: Clock>(
    session: &mut S,
    (test, alone): (&KvTest, &KvAlone),
    seed: u64,
    held: bool,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let rng = SplitMix64::stream(seed, u64::from(test.number));
    let inputs = Inputs::new(test, &alone.work, rng, (0, 1));
    match alone.work.transaction {
        TransactionScope::Read if held => read_held(session, alone, inputs, recorder),
        TransactionScope::Read => read_each(session, alone, inputs, recorder),
        TransactionScope::Each => each(session, alone, inputs, recorder),
        TransactionScope::One => write_batches(session, alone, inputs, alone.operations, recorder),
        TransactionScope::Batch(batch) => write_batches(session, alone, inputs, batch, recorder),
    }
}

fn read_held<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    mut inputs: Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    let mut read = session.read()?;
    recorder.start();
    if scans(alone) {
        scan(&mut read, &mut tally, recorder)?;
        return Ok(tally);
    }
    for _ in 0..alone.operations {
        apply_read(&mut read, &inputs.next(recorder), &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

fn read_each<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    mut inputs: Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    recorder.start();
    if scans(alone) {
        scan(&mut session.read()?, &mut tally, recorder)?;
        return Ok(tally);
    }
    for _ in 0..alone.operations {
        let input = inputs.next(recorder);
        apply_read(&mut session.read()?, &input, &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

fn scans(alone: &KvAlone) -> bool {
    matches!(alone.work.work.as_slice(), [only] if only.operation == Operation::Scan)
}

fn scan<R: KvRead, C: Clock>(read: &mut R, tally: &mut KvTally, recorder: &mut Recorder<C>) -> Result<(), EngineError> {
    read.scan(|key, value| {
        tally.answer(key, value);
        tally.operations += 1;
        recorder.lap();
    })
}

fn each<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    mut inputs: Inputs<'_>,
    recorder: &mut Recorder<C>,
) -> Result<KvTally, EngineError> {
    let mut tally = KvTally::default();
    recorder.start();
    for _ in 0..alone.operations {
        apply_alone(session, &inputs.next(recorder), &mut tally)?;
        recorder.lap();
    }
    Ok(tally)
}

/// Writes in transactions of `batch` operations. The commit's time is part of the last operation of its batch, and the
/// next begin's part of the first; where one transaction is all of the test, its begin is before the timer starts.
fn write_batches<S: KvSession, C: Clock>(
    session: &mut S,
    alone: &KvAlone,
    mut inputs: Inputs<'_>,
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
