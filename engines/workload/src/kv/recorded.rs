//! The inputs of recorded operations.

use super::inputs::{InputBlock, ReadyOperation};
use crate::{digest::Digest, rng::SplitMix64};
use dbdyno_engine::{
    EngineError,
    replay::KeysReader,
    suite::{KvWork, Operation},
};

/// The characters of values, by the six bits of each.
const CHARACTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";
/// Characters from one number.
const FROM_NUMBER: usize = 10;

/// Reads the operations of one thread. Values are drawn: recordings of keys have only their lengths.
pub(super) struct RecordedInputs<'t> {
    work: &'t KvWork,
    file: KeysReader,
    /// The ordinal of the next operation, from 0.
    ordinal: u64,
}

impl<'t> RecordedInputs<'t> {
    pub(super) fn new(work: &'t KvWork, file: KeysReader) -> Self {
        Self { work, file, ordinal: 0 }
    }

    /// Replaces the content of a block. It is empty at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read_into(&mut self, block: &mut InputBlock<'t>) -> Result<(), EngineError> {
        block.clear();
        while !block.is_full() {
            let key = block.bytes.len();
            let Some(read) = self.file.next(&mut block.bytes)? else { break };
            let (operation, value) = (&self.work.work[read.work].operation, block.bytes.len());
            if let Operation::Put { .. } | Operation::Modify { .. } = operation {
                let seed = seed(&block.bytes[key..], self.ordinal);
                append_value(&mut block.bytes, seed, read.number as usize);
            }
            block.operations.push(ReadyOperation {
                operation,
                work: read.work,
                key,
                value,
                end: block.bytes.len(),
                number: read.number,
                record: 0,
                at_ns: read.at_ns,
            });
            self.ordinal += 1;
        }
        Ok(())
    }
}

/// Returns what the value of an operation is drawn from. It differs each time, so that a value that was not replaced is noticed.
fn seed(key: &[u8], ordinal: u64) -> u64 {
    let mut digest = Digest::default();
    digest.bytes(key);
    digest.word(ordinal);
    digest.to_word()
}

fn append_value(bytes: &mut Vec<u8>, seed: u64, length: usize) {
    let mut rng = SplitMix64::new(seed);
    let end = bytes.len() + length;
    while bytes.len() < end {
        let number = rng.next_u64();
        let characters = (end - bytes.len()).min(FROM_NUMBER);
        bytes.extend((0..characters).map(|at| CHARACTERS[(number >> (6 * at) & 63) as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from the definition in `dbdyno_engine::replay`, computed in Python.
    #[test]
    fn values_have_their_length_and_differ_each_time() {
        let value = |key: &[u8], ordinal, length| {
            let mut bytes = b"before".to_vec();
            append_value(&mut bytes, seed(key, ordinal), length);
            String::from_utf8(bytes.split_off(6)).unwrap()
        };
        assert_eq!(value(b"key", 0, 12), "0vYKGeBw3GNd");
        assert_eq!(value(b"key", 1, 12), "mODBF905Hd0v");
        assert_eq!(value(b"key", 1, 0), "");
    }
}
