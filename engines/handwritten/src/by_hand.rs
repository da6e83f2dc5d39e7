//! The kinds of hand-written loops, and the trait of engines that have them.

use crate::inputs::InputRow;
use dbdyno_engine::{
    EngineError,
    kv::KvEngine,
    serve::Program,
    settings::Settings,
    suite::{KvAlone, KvLoad, KvStatements, KvTest, Operation, TransactionScope},
};
use std::{error::Error, hint::black_box, time::Duration};

/// An engine of dbdyno with hand-written loops on its library. The engine opens and closes the database, so that the library is set up in
/// the same way. The loops use only the library.
pub(crate) trait ByHand: KvEngine {
    /// The same engine inside dbdyno.
    const ADAPTER: &'static Program;
    /// Option values that the loops do not support.
    const LACKS: &'static [(&'static str, &'static [&'static str])];

    /// Runs one loop, and returns its time and the number of rows that it read, found, wrote or removed.
    fn run(&mut self, of: &Setup<'_>, which: Loop, rows: &[InputRow<'_>]) -> Timed;
}

/// The test and settings that a loop runs with.
pub(crate) struct Setup<'t> {
    pub(crate) settings: &'t Settings,
    pub(crate) sql: &'t KvStatements,
}

/// The time of a loop, and its number of rows. Errors are the library's own, unchanged.
pub(crate) type Timed = Result<(Duration, u64), Box<dyn Error>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loop {
    /// One read transaction per get.
    Get,
    /// One read transaction per look-up.
    Exists,
    /// Every row in key order.
    Scan,
    /// Puts in one transaction, whose begin is not timed.
    Put,
    /// A commit after this many puts, with begins and commits timed.
    PutBatches(usize),
    /// Gets, puts and deletes, or only deletes, in one transaction, whose begin is not timed.
    Mixed,
}

impl Loop {
    /// Returns the loop for a test, and the test's load, which runs on one thread.
    pub(crate) fn of(test: &KvTest) -> Result<(Self, &KvAlone), EngineError> {
        match &test.load {
            KvLoad::Alone(alone) => Ok((Self::of_one(alone)?, alone)),
            KvLoad::Actors(_) => Err(EngineError::new("there is no handwritten loop for several threads")),
            KvLoad::Compaction(_) => Err(EngineError::new("there is no handwritten loop for compaction")),
        }
    }

    fn of_one(alone: &KvAlone) -> Result<Self, EngineError> {
        let mixes = |operation: &Operation| {
            matches!(operation, Operation::Get | Operation::Put { .. } | Operation::Delete | Operation::Remove)
        };
        let operations: Vec<&Operation> = alone.work.work.iter().map(|work| &work.operation).collect();
        match (alone.work.transaction, operations.as_slice()) {
            (TransactionScope::Read, [Operation::Get]) => Ok(Self::Get),
            (TransactionScope::Read, [Operation::Exists]) => Ok(Self::Exists),
            (TransactionScope::Read, [Operation::Scan]) => Ok(Self::Scan),
            (TransactionScope::One, [Operation::Put { .. }]) => Ok(Self::Put),
            (TransactionScope::Batch(batch), [Operation::Put { .. }]) => Ok(Self::PutBatches(batch.max(1) as usize)),
            (TransactionScope::One, several) if several.iter().all(|one| mixes(one)) => Ok(Self::Mixed),
            _ => Err(EngineError::new(
                "there is no handwritten loop for it: expected get, exists or scan with transaction = \"read\", put with \
                 transaction = { batch = N }, or put, delete, remove and get with transaction = \"one\"",
            )),
        }
    }
}

/// Reads every byte of a value, as its user will: adds up its words. A loop that takes only the value's address pays for no cache miss in
/// the value, and has not read it.
#[inline]
pub(crate) fn use_all(value: &[u8]) {
    let (words, rest) = value.as_chunks::<8>();
    let sum = words.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    black_box(rest.iter().fold(sum, |sum, byte| sum.wrapping_add(u64::from(*byte))));
}
