//! Numbers and bytes of the files.

use crate::EngineError;
use std::io::BufRead;

/// The most bytes of a text or a blob: SQLite's own limit is 1,000,000,000.
const MOST_BYTES: u64 = 1 << 30;

/// Appends numbers and bytes.
pub(super) struct WireWriter<'w>(pub(super) &'w mut Vec<u8>);

impl WireWriter<'_> {
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(super) fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Reads numbers and bytes.
pub(super) struct WireReader<R>(pub(super) R);

impl<R: BufRead> WireReader<R> {
    /// Whether nothing is left.
    pub(super) fn is_over(&mut self) -> Result<bool, EngineError> {
        Ok(self.0.fill_buf()?.is_empty())
    }

    pub(super) fn number(&mut self) -> Result<u64, EngineError> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(EngineError::new("a number has more than ten bytes"))
    }

    pub(super) fn signed(&mut self) -> Result<i64, EngineError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], EngineError> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a length, which is below a limit.
    pub(super) fn length(&mut self) -> Result<usize, EngineError> {
        match self.number()? {
            length @ ..=MOST_BYTES => Ok(length as usize),
            length => Err(EngineError::new(format!("a length is {length}, above the limit of {MOST_BYTES}"))),
        }
    }

    /// Replaces the content of `into`.
    pub(super) fn bytes(&mut self, into: &mut Vec<u8>) -> Result<(), EngineError> {
        into.clear();
        self.append(into)
    }

    /// Appends to `into`.
    pub(super) fn append(&mut self, into: &mut Vec<u8>) -> Result<(), EngineError> {
        let (from, length) = (into.len(), self.length()?);
        into.resize(from + length, 0);
        Ok(self.0.read_exact(&mut into[from..])?)
    }

    pub(super) fn text(&mut self, reused: Vec<u8>) -> Result<String, EngineError> {
        let mut bytes = reused;
        self.bytes(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| EngineError::new("a text is not UTF-8"))
    }

    fn byte(&mut self) -> Result<u8, EngineError> {
        let buffered = self.0.fill_buf()?;
        let byte = *buffered.first().ok_or_else(|| EngineError::new("the file ends early"))?;
        self.0.consume(1);
        Ok(byte)
    }
}
