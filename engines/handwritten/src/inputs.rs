//! The inputs of a test, generated before it is timed: the same ones that dbdyno's loop draws while it measures.

use dbdyno_engine::suite::{KvAlone, KvTest, Operation};
use dbdyno_workload::kv::each_input;

/// The input of one operation. Rows and their bytes are in memory in the order of their use, so that a loop over them does not wait for
/// memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputRow<'i> {
    pub(crate) kind: RowOperation,
    pub(crate) key: &'i [u8],
    /// Empty unless the operation is a put.
    pub(crate) value: &'i [u8],
}

/// The operation on a row, in a test that mixes operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowOperation {
    Read,
    Put,
    Delete,
    Remove,
}

/// The bytes of all keys and values; and for each operation its kind, and where its key and its value end.
pub(crate) struct PreparedInputs {
    bytes: Vec<u8>,
    ends: Vec<(RowOperation, usize, usize)>,
}

impl PreparedInputs {
    pub(crate) fn new(test: &KvTest, alone: &KvAlone, seed: u64) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(alone.operations as usize));
        each_input((test, alone), seed, |input| {
            bytes.extend_from_slice(input.key);
            let key = bytes.len();
            bytes.extend_from_slice(input.value);
            let kind = match input.operation {
                Operation::Put { .. } => RowOperation::Put,
                Operation::Delete => RowOperation::Delete,
                Operation::Remove => RowOperation::Remove,
                _ => RowOperation::Read,
            };
            ends.push((kind, key, bytes.len()));
        });
        Self { bytes, ends }
    }

    pub(crate) fn rows(&self) -> Vec<InputRow<'_>> {
        let mut begin = 0;
        let row = |&(kind, key, value): &(RowOperation, usize, usize)| {
            let row = InputRow { kind, key: &self.bytes[begin..key], value: &self.bytes[key..value] };
            begin = value;
            row
        };
        self.ends.iter().map(row).collect()
    }
}
