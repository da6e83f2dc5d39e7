//! The inputs of a test, made before it is timed: the same that dbdyno's loop draws while it measures.

use dbdyno_engine::suite::{KeyOrder, KvTest, Operation, Template, Variable, Work};
use dbdyno_workload::rng::SplitMix64;
use std::io::Write;

/// What one operation is given. Rows stand in memory in the order in which they are used, and so do their bytes: a loop over them
/// waits for no memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'i> {
    pub(crate) kind: Kind,
    pub(crate) key: &'i [u8],
    /// Empty unless it is put.
    pub(crate) value: &'i [u8],
}

/// What a test that mixes operations does with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Put,
    Delete,
}

/// The bytes of all keys and values, and of each operation its kind and where its key and its value end.
pub(crate) struct Inputs {
    bytes: Vec<u8>,
    ends: Vec<(Kind, usize, usize)>,
}

impl Inputs {
    pub(crate) fn new(test: &KvTest, seed: u64) -> Self {
        let mut rng = SplitMix64::stream(seed, u64::from(test.number));
        let total: u64 = test.work.iter().map(|work| work.weight).sum();
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(test.operations as usize));
        for ordinal in 0..test.operations {
            let operation = match test.work.as_slice() {
                [only] => &only.operation,
                several => pick(several, rng.below(total)),
            };
            let index = match test.keys {
                KeyOrder::Ascending => ordinal,
                KeyOrder::Uniform => rng.below(test.records),
            };
            push(&mut bytes, &test.key, index, ordinal);
            let key = bytes.len();
            let kind = match operation {
                Operation::Put { value } => {
                    push(&mut bytes, value, index, ordinal);
                    Kind::Put
                }
                Operation::Delete => Kind::Delete,
                Operation::Get | Operation::Exists | Operation::Scan => Kind::Read,
            };
            ends.push((kind, key, bytes.len()));
        }
        Self { bytes, ends }
    }

    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        let mut begin = 0;
        let row = |&(kind, key, value): &(Kind, usize, usize)| {
            let row = Row { kind, key: &self.bytes[begin..key], value: &self.bytes[key..value] };
            begin = value;
            row
        };
        self.ends.iter().map(row).collect()
    }
}

fn pick(work: &[Work], mut drawn: u64) -> &Operation {
    let chosen = work.iter().find(|one| {
        let here = drawn < one.weight;
        drawn = drawn.saturating_sub(one.weight);
        here
    });
    &chosen.unwrap_or(&work[0]).operation
}

fn push(bytes: &mut Vec<u8>, format: &Template, index: u64, ordinal: u64) {
    let (prefix, number, suffix) = format.parts();
    bytes.extend_from_slice(prefix.as_bytes());
    if let Some((variable, width)) = number {
        let number = match variable {
            Variable::Key => index,
            Variable::Operation => ordinal,
        };
        // Writing to memory does not fail.
        let _ = write!(bytes, "{number:0width$}");
    }
    bytes.extend_from_slice(suffix.as_bytes());
}
