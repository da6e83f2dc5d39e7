//! The inputs of a test's operations: the same for every engine, drawn before they are needed.

use crate::{recorder::Recorder, rng::SplitMix64, template::render};
use dbdyno_engine::{
    clock::Clock,
    suite::{KeyOrder, KvTest, Operation, Work},
};

/// Inputs are drawn for so many operations at a time, or for fewer where they are long.
const BLOCK_OPERATIONS: u64 = 256;
/// A block is full at this many bytes of keys and values, so that it stays in the processor's cache.
const BLOCK_BYTES: usize = 32 << 10;

/// Draws the inputs of a test, a block at a time.
pub(super) struct Inputs<'t> {
    test: &'t KvTest,
    rng: SplitMix64,
    total_weight: u64,
    /// The ordinal of the next operation that is drawn.
    ordinal: u64,
    /// Keys and values of the block, one after the other.
    bytes: Vec<u8>,
    block: Vec<Drawn<'t>>,
    /// The place in the block of the next operation that is done.
    next: usize,
}

/// An operation of the block. Its key ends where its value begins.
#[derive(Clone, Copy)]
struct Drawn<'t> {
    operation: &'t Operation,
    key: usize,
    value: usize,
    end: usize,
}

/// An operation with its inputs.
pub(super) struct Input<'i> {
    pub(super) operation: &'i Operation,
    pub(super) key: &'i [u8],
    /// Empty, unless the operation writes one.
    pub(super) value: &'i [u8],
}

impl<'t> Inputs<'t> {
    pub(super) fn new(test: &'t KvTest, seed: u64) -> Self {
        Self {
            test,
            rng: SplitMix64::stream(seed, u64::from(test.number)),
            total_weight: test.work.iter().map(|work| work.weight).sum(),
            ordinal: 0,
            bytes: Vec::with_capacity(BLOCK_BYTES),
            block: Vec::with_capacity(BLOCK_OPERATIONS as usize),
            next: 0,
        }
    }

    /// The next operation. Where the block is done, the timer stands still while another is drawn.
    #[inline]
    pub(super) fn next<C: Clock>(&mut self, recorder: &mut Recorder<C>) -> Input<'_> {
        if self.next == self.block.len() {
            recorder.stand_still(|| self.draw_block());
        }
        let Drawn { operation, key, value, end } = self.block[self.next];
        self.next += 1;
        Input { operation, key: &self.bytes[key..value], value: &self.bytes[value..end] }
    }

    fn draw_block(&mut self) {
        self.bytes.clear();
        self.block.clear();
        self.next = 0;
        for _ in 0..BLOCK_OPERATIONS {
            self.draw();
            if self.bytes.len() >= BLOCK_BYTES {
                break;
            }
        }
    }

    /// Draws an operation's kind (only where there are several), then its key; renders key and value.
    fn draw(&mut self) {
        let operation = match self.test.work.as_slice() {
            [only] => &only.operation,
            several => pick(several, self.rng.below(self.total_weight)),
        };
        let index = match self.test.keys {
            KeyOrder::Ascending => self.ordinal,
            KeyOrder::Uniform => self.rng.below(self.test.records),
        };
        let key = self.bytes.len();
        render(&self.test.key, &mut self.bytes, index, self.ordinal);
        let value = self.bytes.len();
        if let Operation::Put { value } = operation {
            render(value, &mut self.bytes, index, self.ordinal);
        }
        self.block.push(Drawn { operation, key, value, end: self.bytes.len() });
        self.ordinal += 1;
    }
}

fn pick(work: &[Work], mut drawn: u64) -> &Operation {
    for one in work {
        if drawn < one.weight {
            return &one.operation;
        }
        drawn -= one.weight;
    }
    // Not reached: what is drawn is below the sum of the weights.
    &work[work.len() - 1].operation
}
