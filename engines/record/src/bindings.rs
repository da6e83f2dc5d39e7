//! The values that a program bound to a statement.

use std::hash::{DefaultHasher, Hasher};

/// What a [`BoundParameter`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BoundKind {
    Null,
    Integer,
    Real,
    Text,
    Blob,
    ZeroBlob,
    Literal,
    CutText,
    CutBlob,
}

impl BoundKind {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        const ALL: [BoundKind; 9] = [
            BoundKind::Null,
            BoundKind::Integer,
            BoundKind::Real,
            BoundKind::Text,
            BoundKind::Blob,
            BoundKind::ZeroBlob,
            BoundKind::Literal,
            BoundKind::CutText,
            BoundKind::CutBlob,
        ];
        ALL.get(usize::from(byte)).copied()
    }
}

/// A value, with its own copy of bytes: the program may free or change its own.
pub(crate) struct BoundParameter {
    pub(crate) kind: BoundKind,
    /// The number, or its bits, or the length of a text or blob.
    pub(crate) number: u64,
    bytes: Vec<u8>,
}

impl BoundParameter {
    /// Returns what follows the number: the bytes of a text or blob, or the hash of one that was cut.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.kind {
            BoundKind::Text | BoundKind::Blob | BoundKind::Literal | BoundKind::CutText | BoundKind::CutBlob => {
                &self.bytes
            }
            BoundKind::Null | BoundKind::Integer | BoundKind::Real | BoundKind::ZeroBlob => &[],
        }
    }
}

/// All values of a statement, by their index.
#[derive(Default)]
pub(crate) struct BoundParameters {
    /// The memory of values that are no longer bound is kept for the next ones.
    values: Vec<BoundParameter>,
    used: usize,
}

/// Memory of a value that is kept for the next one, whatever its length.
const KEPT_BYTES: usize = 1 << 16;
/// SQLite's own limit of parameters cannot be set higher.
const MOST_PARAMETERS: usize = 32_766;

impl BoundParameters {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &BoundParameter> {
        self.values[..self.used].iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Makes every value null, and sets how many there are.
    pub(crate) fn reset(&mut self, parameters: usize) {
        self.used = 0;
        self.grow(parameters.min(MOST_PARAMETERS));
        for value in &mut self.values {
            value.kind = BoundKind::Null;
            if value.bytes.capacity() > KEPT_BYTES {
                value.bytes = Vec::new();
            }
        }
    }

    fn grow(&mut self, used: usize) {
        if used > self.values.len() {
            self.values.resize_with(used, || BoundParameter { kind: BoundKind::Null, number: 0, bytes: Vec::new() });
        }
        self.used = self.used.max(used);
    }

    /// `index` counts from 1. Others are of calls that SQLite refused.
    fn at(&mut self, index: usize) -> Option<&mut BoundParameter> {
        if index == 0 || index > MOST_PARAMETERS {
            return None;
        }
        if index > self.used {
            self.grow(index);
        }
        self.values.get_mut(index - 1)
    }

    pub(crate) fn set_number(&mut self, index: usize, kind: BoundKind, number: u64) {
        if let Some(value) = self.at(index) {
            value.kind = kind;
            value.number = number;
        }
    }

    /// Copies bytes. Of more than `limit` only their length and a hash are kept.
    pub(crate) fn set_bytes(&mut self, index: usize, kind: BoundKind, bytes: &[u8], limit: usize) {
        let Some(value) = self.at(index) else { return };
        value.kind = kind;
        value.number = bytes.len() as u64;
        value.bytes.clear();
        if bytes.len() <= limit {
            if value.bytes.capacity() > KEPT_BYTES && bytes.len() < KEPT_BYTES {
                value.bytes = Vec::new();
            }
            value.bytes.extend_from_slice(bytes);
        } else {
            value.kind = if kind == BoundKind::Text { BoundKind::CutText } else { BoundKind::CutBlob };
            let mut hasher = DefaultHasher::new();
            hasher.write(bytes);
            value.bytes.extend_from_slice(&hasher.finish().to_ne_bytes());
        }
    }
}
