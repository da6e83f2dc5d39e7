//! The inputs of operations: the same for every engine, drawn before they are needed.

use super::keys::RecordSource;
use crate::{recorder::Recorder, rng::SplitMix64, template::render};
use dbdyno_engine::{
    clock::Clock,
    suite::{KvAlone, KvTest, KvWork, Operation, Template, Work},
};

/// Operations for which inputs are drawn at a time, or fewer if the inputs are long.
const BLOCK_OPERATIONS: usize = 256;
/// A block is full at this many bytes of keys and values, so that it stays in the processor's cache.
const BLOCK_BYTES: usize = 32 << 10;

/// The byte after a key that makes it the key of no record.
const MISSING: u8 = b'~';

/// Draws the inputs of one thread, a block at a time.
pub(super) struct InputSource<'t> {
    test: &'t KvTest,
    work: &'t KvWork,
    rng: SplitMix64,
    keys: RecordSource,
    total_weight: u64,
    /// The ordinal of the next operation to draw.
    ordinal: u64,
    /// A block has a multiple of this many operations.
    together: usize,
    /// Keys and values of the block, concatenated.
    bytes: Vec<u8>,
    block: Vec<DrawnOperation<'t>>,
    /// The index in the block of the next operation to run.
    next: usize,
}

/// An operation of the block. Its key ends where its value begins.
#[derive(Clone, Copy)]
struct DrawnOperation<'t> {
    operation: &'t Operation,
    key: usize,
    value: usize,
    end: usize,
    number: u64,
    record: u64,
}

/// An operation with its inputs.
#[derive(Debug, Clone, Copy)]
pub struct OperationInput<'i> {
    pub operation: &'i Operation,
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
    let mut inputs = InputSource::alone((test, alone), seed);
    for _ in 0..alone.operations {
        if inputs.is_drawn_out() {
            inputs.draw_block();
        }
        show(inputs.take());
    }
}

impl<'t> InputSource<'t> {
    /// Creates the inputs of a test of one thread.
    pub(super) fn alone((test, alone): (&'t KvTest, &'t KvAlone), seed: u64) -> Self {
        Self::new(test, &alone.work, SplitMix64::stream(seed, u64::from(test.number)), (0, 1))
    }

    /// Creates the inputs of thread `thread` (from 0) of `threads` that do the same work.
    pub(super) fn new(test: &'t KvTest, work: &'t KvWork, mut rng: SplitMix64, (thread, threads): (u64, u64)) -> Self {
        let keys = RecordSource::new(&work.keys, test.records, (thread, threads), &mut rng);
        Self {
            test,
            work,
            rng,
            keys,
            total_weight: work.work.iter().map(|work| work.weight).sum(),
            ordinal: 0,
            together: 1,
            bytes: Vec::with_capacity(BLOCK_BYTES),
            block: Vec::with_capacity(BLOCK_OPERATIONS),
            next: 0,
        }
    }

    /// Returns the same inputs, in blocks of a multiple of `together` operations, at least 1.
    pub(super) fn in_batches(self, together: usize) -> Self {
        Self { together, ..self }
    }

    /// Returns the next operation. At the end of the block, the timer is paused while the next block is drawn.
    #[inline]
    pub(super) fn next<C: Clock>(&mut self, recorder: &mut Recorder<C>) -> OperationInput<'_> {
        if self.is_drawn_out() {
            recorder.stand_still(|| self.draw_block());
        }
        self.take()
    }

    /// Whether all drawn operations have been taken.
    #[inline]
    pub(super) fn is_drawn_out(&self) -> bool {
        self.next == self.block.len()
    }

    #[inline]
    pub(super) fn take(&mut self) -> OperationInput<'_> {
        self.next += 1;
        input(&self.bytes, self.block[self.next - 1])
    }

    /// Returns the next operations, at most `count` and those that are left in the block.
    pub(super) fn take_batch(&mut self, count: usize) -> impl ExactSizeIterator<Item = OperationInput<'_>> + Clone {
        let from = self.next;
        self.next = self.block.len().min(from + count);
        let bytes = &self.bytes;
        self.block[from..self.next].iter().map(move |drawn| input(bytes, *drawn))
    }

    pub(super) fn draw_block(&mut self) {
        self.bytes.clear();
        self.block.clear();
        self.next = 0;
        loop {
            self.draw();
            let is_full = self.block.len() >= BLOCK_OPERATIONS || self.bytes.len() >= BLOCK_BYTES;
            if is_full && self.block.len().is_multiple_of(self.together) {
                break;
            }
        }
    }

    /// Draws an operation: its kind (if there are several), then its key, then its other inputs.
    fn draw(&mut self) {
        let work = self.work;
        let operation = match work.work.as_slice() {
            [only] => &only.operation,
            several => pick(several, self.rng.below(self.total_weight)),
        };
        let index = match operation {
            Operation::Insert { .. } => self.keys.insert(),
            // Enough accounts for the audit must follow the first one.
            Operation::Audit { accounts: Some(accounts) } => {
                let last = self.test.records.saturating_sub(*accounts);
                self.keys.draw(self.ordinal, &mut self.rng).min(last)
            }
            _ => self.keys.draw(self.ordinal, &mut self.rng),
        };
        let key = self.bytes.len();
        self.render(&self.test.key, index);
        if *operation == Operation::Miss {
            self.bytes.push(MISSING);
        }
        let value = self.bytes.len();
        let number = match operation {
            Operation::Put { value } | Operation::Insert { value } | Operation::Modify { value } => {
                self.render(value, index);
                0
            }
            Operation::Range { least, most } => self.between(*least, *most),
            Operation::Transfer { least, most } => {
                // Any other account, with equal probability.
                let drawn = self.rng.below(self.test.records.saturating_sub(1));
                self.render(&self.test.key, drawn + u64::from(drawn >= index));
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
        self.block.push(DrawnOperation { operation, key, value, end: self.bytes.len(), number, record: index });
        self.ordinal += 1;
    }

    fn render(&mut self, template: &Template, index: u64) {
        render(template, &mut self.bytes, index, self.ordinal, &mut self.rng);
    }

    fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.rng.below(most.saturating_sub(least) + 1)
    }
}

#[inline]
fn input<'i>(bytes: &'i [u8], drawn: DrawnOperation<'i>) -> OperationInput<'i> {
    let DrawnOperation { operation, key, value, end, number, record } = drawn;
    OperationInput { operation, key: &bytes[key..value], value: &bytes[value..end], number, record }
}

fn pick(work: &[Work], mut drawn: u64) -> &Operation {
    for one in work {
        if drawn < one.weight {
            return &one.operation;
        }
        drawn -= one.weight;
    }
    // Unreachable: the drawn number is below the sum of the weights.
    &work[work.len() - 1].operation
}
