//! The verification value: an order-sensitive checksum of what a test read, equal for engines that gave equal answers.
//!
//! For each row `h = length`, then for each little-endian 8-byte word `w` (the last padded with zeros)
//! `h = (h ^ w) * K; h ^= h >> 32`; rows are chained by `d = (rotl(d, 5) ^ h) * K`. It is a guard against wrong answers, not against an adversary,
//! and cheap enough to be computed inside a measured loop: it also makes sure that every byte of an answer is touched.

use dbdyno_engine::sql::SqlValueRef;

const K: u64 = 0x9E37_79B9_7F4A_7C15;

/// A running digest over rows in the order they were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Adds one field of bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(hash(bytes));
    }

    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(K);
    }

    /// Adds one value of SQL: the word 0 for NULL, 1 and the number, 2 and the bits of a real number, 3 and the bytes of a
    /// text, 4 and the bytes of a blob.
    #[inline]
    pub fn value(&mut self, value: SqlValueRef<'_>) {
        match value {
            SqlValueRef::Null => self.word(0),
            SqlValueRef::Integer(number) => {
                self.word(1);
                self.word(number as u64);
            }
            SqlValueRef::Real(number) => {
                self.word(2);
                self.word(number.to_bits());
            }
            SqlValueRef::Text(bytes) => {
                self.word(3);
                self.bytes(bytes);
            }
            SqlValueRef::Blob(bytes) => {
                self.word(4);
                self.bytes(bytes);
            }
        }
    }

    pub fn to_word(self) -> u64 {
        self.0
    }

    /// The digest as 16 hexadecimal digits.
    pub fn to_hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let mut h = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        h = step(h, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let mut last = [0_u8; 8];
        last[..rest.len()].copy_from_slice(rest);
        h = step(h, u64::from_le_bytes(last));
    }
    h
}

#[inline]
fn step(h: u64, word: u64) -> u64 {
    let h = (h ^ word).wrapping_mul(K);
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[&[u8]]) -> String {
        let mut digest = Digest::default();
        rows.iter().for_each(|row| digest.bytes(row));
        digest.to_hex()
    }

    /// Computed with the same definition in Python; see the module's documentation.
    #[test]
    fn known_answers_for_other_languages() {
        assert_eq!(digest(&[]), "0000000000000000");
        assert_eq!(digest(&[b""]), "0000000000000000");
        assert_eq!(digest(&[b"key_00000000"]), "e2b948da9bd700c6");
        assert_eq!(digest(&[b"key_00000000", b"value_00000000"]), "65f4fb48937456b1");
    }

    #[test]
    fn order_length_and_every_byte_matter() {
        assert_ne!(digest(&[b"a", b"b"]), digest(&[b"b", b"a"]));
        assert_ne!(digest(&[b"a"]), digest(&[b"a\0"]));
        let row = *b"value_00000001_with_some_more";
        for at in 0..row.len() {
            let mut flipped = row;
            flipped[at] ^= 1;
            assert_ne!(digest(&[&row]), digest(&[&flipped]), "byte {at}");
        }
    }
}
