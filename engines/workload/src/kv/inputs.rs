//! The inputs of operations: the same for every engine, drawn or read before they are needed.

use super::{keys::RecordSource, recorded::RecordedInputs};
use crate::{recorder::Recorder, rng::SplitMix64, template::render};
use dbdyno_engine::{
    EngineError,
    clock::Clock,
    suite::{KvAlone, KvTest, KvWork, Operation, Template, Work},
};

/// Operations for which inputs are drawn at a time, or fewer if the inputs are long.
pub(super) const BLOCK_OPERATIONS: usize = 256;
/// A block is full at this many bytes of keys and values, so that it stays in the processor's cache.
const BLOCK_BYTES: usize = 32 << 10;

/// The byte after a key that makes it the key of no record.
const MISSING: u8 = b'~';

/// The inputs of one thread, a block at a time.
pub(super) struct InputSource<'t> {
    origin: InputOrigin<'t>,
    block: InputBlock<'t>,
}

enum InputOrigin<'t> {
    Drawn(DrawnInputs<'t>),
    Recorded(RecordedInputs<'t>),
}

/// Inputs that are ready.
pub(super) struct InputBlock<'t> {
    /// Keys and values, concatenated.
    pub(super) bytes: Vec<u8>,
    pub(super) operations: Vec<ReadyOperation<'t>>,
    /// The index of the next operation to run.
    next: usize,
}

/// An operation of the block. Its key ends where its value begins.
#[derive(Clone, Copy)]
pub(super) struct ReadyOperation<'t> {
    pub(super) operation: &'t Operation,
    /// Its place in the thread's work.
    pub(super) work: usize,
    pub(super) key: usize,
    pub(super) value: usize,
    pub(super) end: usize,
    pub(super) number: u64,
    pub(super) record: u64,
    /// When it began in a recording, ns.
    pub(super) at_ns: u64,
}

/// An operation with its inputs.
#[derive(Debug, Clone, Copy)]
pub struct OperationInput<'i> {
    pub operation: &'i Operation,
    /// Its place in the thread's work.
    pub work: usize,
    pub key: &'i [u8],
    /// The value to write, or the other account's key of a transfer; otherwise empty.
    pub value: &'i [u8],
    /// Rows of a range, or amount of a transfer.
    pub number: u64,
    /// The index of the record that has the key.
    pub record: u64,
}

/// Passes the inputs of a test of one thread to `show`, in the order in which the operations run.
pub fn each_input((test, alone): (&KvTest, &KvAlone), seed: u64, mut show: impl FnMut(OperationInput<'_>)) {
    let mut inputs = DrawnInputs::alone((test, alone), seed);
    let mut block = InputBlock::new();
    for _ in 0..alone.operations {
        if block.is_used_up() {
            inputs.draw_into(&mut block);
        }
        show(block.take());
    }
}

impl<'t> InputBlock<'t> {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::with_capacity(BLOCK_BYTES), operations: Vec::with_capacity(BLOCK_OPERATIONS), next: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.operations.clear();
        self.next = 0;
    }

    pub(super) fn is_full(&self) -> bool {
        self.operations.len() >= BLOCK_OPERATIONS || self.bytes.len() >= BLOCK_BYTES
    }

    #[inline]
    fn is_used_up(&self) -> bool {
        self.next == self.operations.len()
    }

    #[inline(always)]
    fn take(&mut self) -> OperationInput<'_> {
        self.next += 1;
        input(&self.bytes, self.operations[self.next - 1])
    }
}

impl<'t> InputSource<'t> {
    /// Creates the inputs of a test of one thread.
    pub(super) fn alone((test, alone): (&'t KvTest, &'t KvAlone), seed: u64) -> Self {
        Self { origin: InputOrigin::Drawn(DrawnInputs::alone((test, alone), seed)), block: InputBlock::new() }
    }

    pub(super) fn drawn(inputs: DrawnInputs<'t>) -> Self {
        Self { origin: InputOrigin::Drawn(inputs), block: InputBlock::new() }
    }

    pub(super) fn recorded(inputs: RecordedInputs<'t>) -> Self {
        Self { origin: InputOrigin::Recorded(inputs), block: InputBlock::new() }
    }

    /// Returns the next operation of drawn ones. At the end of the block, the timer is paused while the next block is drawn.
    ///
    /// # Errors
    /// As for [`Self::fill`].
    #[inline(always)]
    pub(super) fn next<C: Clock>(&mut self, recorder: &mut Recorder<C>) -> Result<OperationInput<'_>, EngineError> {
        if self.is_used_up() {
            recorder.stand_still(|| self.fill())?;
        }
        Ok(self.take())
    }

    /// Whether all operations of the block have been taken.
    #[inline]
    pub(super) fn is_used_up(&self) -> bool {
        self.block.is_used_up()
    }

    #[inline(always)]
    pub(super) fn take(&mut self) -> OperationInput<'_> {
        self.block.take()
    }

    /// Returns the next operations, at most `count` and those that are left in the block.
    pub(super) fn take_batch(&mut self, count: usize) -> impl ExactSizeIterator<Item = OperationInput<'_>> + Clone {
        let block = &mut self.block;
        let from = block.next;
        block.next = block.operations.len().min(from + count);
        let bytes = &block.bytes;
        block.operations[from..block.next].iter().map(move |ready| input(bytes, *ready))
    }

    /// Returns when the next operation began in the recording, ns, if there is one in the block.
    pub(super) fn next_at(&self) -> Option<u64> {
        self.block.operations.get(self.block.next).map(|ready| ready.at_ns)
    }

    /// Fills the block again. It is empty at the end of a recording.
    ///
    /// # Errors
    /// The file of recorded operations cannot be read.
    pub(super) fn fill(&mut self) -> Result<(), EngineError> {
        match &mut self.origin {
            InputOrigin::Drawn(drawn) => drawn.draw_into(&mut self.block),
            InputOrigin::Recorded(recorded) => recorded.read_into(&mut self.block)?,
        }
        Ok(())
    }
}

/// Draws the inputs of one thread.
pub(super) struct DrawnInputs<'t> {
    test: &'t KvTest,
    work: &'t KvWork,
    rng: SplitMix64,
    keys: RecordSource,
    total_weight: u64,
    /// The ordinal of the next operation to draw.
    ordinal: u64,
    /// A block has a multiple of this many operations.
    together: usize,
}

impl<'t> DrawnInputs<'t> {
    fn alone((test, alone): (&'t KvTest, &'t KvAlone), seed: u64) -> Self {
        Self::new(test, &alone.work, SplitMix64::stream(seed, u64::from(test.number)), (0, 1))
    }

    /// Creates the inputs of thread `thread` (from 0) of `threads` that do the same work.
    pub(super) fn new(test: &'t KvTest, work: &'t KvWork, mut rng: SplitMix64, (thread, threads): (u64, u64)) -> Self {
        let keys = RecordSource::new(&work.keys, test.records, (thread, threads), &mut rng);
        let total_weight = work.work.iter().map(|work| work.weight).sum();
        Self { test, work, rng, keys, total_weight, ordinal: 0, together: 1 }
    }

    /// Returns the same inputs, in blocks of a multiple of `together` operations, at least 1.
    pub(super) fn in_batches(self, together: usize) -> Self {
        Self { together, ..self }
    }

    fn draw_into(&mut self, block: &mut InputBlock<'t>) {
        block.clear();
        loop {
            self.draw(block);
            if block.is_full() && block.operations.len().is_multiple_of(self.together) {
                break;
            }
        }
    }

    /// Draws an operation: its kind (if there are several), then its key, then its other inputs.
    fn draw(&mut self, block: &mut InputBlock<'t>) {
        let all = self.work.work.as_slice();
        let work = match all {
            [_] => 0,
            several => pick(several, self.rng.below(self.total_weight)),
        };
        let operation = &all[work].operation;
        let index = match operation {
            Operation::Insert { .. } => self.keys.insert(),
            // Enough accounts for the audit must follow the first one.
            Operation::Audit { accounts: Some(accounts) } => {
                let last = self.test.records.saturating_sub(*accounts);
                self.keys.draw(self.ordinal, &mut self.rng).min(last)
            }
            _ => self.keys.draw(self.ordinal, &mut self.rng),
        };
        let bytes = &mut block.bytes;
        let key = bytes.len();
        self.render(&self.test.key, index, bytes);
        if *operation == Operation::Miss {
            bytes.push(MISSING);
        }
        let value = bytes.len();
        let number = match operation {
            Operation::Put { value } | Operation::Insert { value } | Operation::Modify { value } => {
                self.render(value, index, bytes);
                0
            }
            Operation::Range { least, most } => self.between(*least, *most),
            Operation::Transfer { least, most } => {
                // Any other account, with equal probability.
                let drawn = self.rng.below(self.test.records.saturating_sub(1));
                self.render(&self.test.key, drawn + u64::from(drawn >= index), bytes);
                self.between(*least, *most)
            }
            Operation::Get
            | Operation::Miss
            | Operation::Delete
            | Operation::Remove
            | Operation::Exists
            | Operation::Scan
            | Operation::Audit { accounts: None }
            | Operation::Hold => 0,
            // A small database has fewer accounts.
            Operation::Audit { accounts: Some(accounts) } => self.test.records.min(*accounts),
        };
        let end = bytes.len();
        block.operations.push(ReadyOperation { operation, work, key, value, end, number, record: index, at_ns: 0 });
        self.ordinal += 1;
    }

    fn render(&mut self, template: &Template, index: u64, bytes: &mut Vec<u8>) {
        render(template, bytes, index, self.ordinal, &mut self.rng);
    }

    fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.rng.below(most.saturating_sub(least) + 1)
    }
}

#[inline(always)]
fn input<'i>(bytes: &'i [u8], ready: ReadyOperation<'i>) -> OperationInput<'i> {
    let ReadyOperation { operation, work, key, value, end, number, record, .. } = ready;
    OperationInput { operation, work, key: &bytes[key..value], value: &bytes[value..end], number, record }
}

/// Returns the place of the work that has this number of all weights.
fn pick(work: &[Work], mut drawn: u64) -> usize {
    for (place, one) in work.iter().enumerate() {
        if drawn < one.weight {
            return place;
        }
        drawn -= one.weight;
    }
    // Unreachable: the drawn number is below the sum of the weights.
    work.len() - 1
}
