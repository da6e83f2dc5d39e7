//! The verification value: an order-sensitive checksum of what a test read, equal for engines that gave equal answers.
//!
//! A row of bytes is hashed in two lanes of 8-byte little-endian words, `mix(h, w) = rotl(h ^ w, 32) * K`, so that the processor can work
//! on both at once. Lane a begins with the length and takes the first word of every 16 bytes. Lane b begins with K and takes the second
//! word. If more than 8 bytes are left, a takes the first 8 of them. Finally b takes the last 8 bytes of the row, even if they were already
//! taken. The hash is `a ^ rotl(b, 17)`. A row shorter than 8 bytes is one word, padded with zeros, in lane a alone. Rows are chained by
//! `d = (rotl(d, 5) ^ h) * K`. The checksum guards against wrong answers, not against an adversary. It is cheap enough to compute inside a
//! measured loop, and it makes sure that every byte of an answer is touched.

use dbdyno_engine::{protocol::DIGEST, sql::SqlValueRef};

const K: u64 = 0x9E37_79B9_7F4A_7C15;

/// A running digest over rows in the order they were read.
///
/// ```
/// use dbdyno_workload::digest::Digest;
///
/// let of = |rows: &[&str]| {
///     let mut digest = Digest::default();
///     rows.iter().for_each(|row| digest.bytes(row.as_bytes()));
///     digest.to_text()
/// };
/// assert!(of(&["a", "b"]).starts_with("2:"));
/// assert_ne!(of(&["a", "b"]), of(&["b", "a"]), "the order counts");
/// assert_ne!(of(&["ab"]), of(&["a", "b"]), "and where a row ends");
/// ```
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

    /// Adds one SQL value: the word 0 for NULL, 1 and the number, 2 and the bits of a real number, 3 and the bytes of a text, 4 and the
    /// bytes of a blob.
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

    /// Formats the digest as it is reported: the kind of digest, and 16 hexadecimal digits.
    pub fn to_text(self) -> String {
        format!("{DIGEST}{:016x}", self.0)
    }
}

#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let (mut a, mut b) = (bytes.len() as u64, K);
    if let Some(last) = bytes.last_chunk() {
        let (pairs, rest) = bytes.as_chunks::<16>();
        for pair in pairs {
            let (words, _) = pair.as_chunks();
            a = mix(a, u64::from_le_bytes(words[0]));
            b = mix(b, u64::from_le_bytes(words[1]));
        }
        if let (9.., Some(first)) = (rest.len(), rest.first_chunk()) {
            a = mix(a, u64::from_le_bytes(*first));
        }
        b = mix(b, u64::from_le_bytes(*last));
    } else {
        a = mix(a, short(bytes));
    }
    a ^ b.rotate_left(17)
}

/// Returns fewer than 8 bytes as a little-endian word, padded with zeros. Avoids a copy, whose call would cost more than all the rest.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let beyond = u64::from(u32::from_le_bytes(*last)) << (8 * (bytes.len() - 4));
            u64::from(u32::from_le_bytes(*first)) | beyond
        }
        _ => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[inline]
fn mix(h: u64, word: u64) -> u64 {
    (h ^ word).rotate_left(32).wrapping_mul(K)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[&[u8]]) -> String {
        let mut digest = Digest::default();
        rows.iter().for_each(|row| digest.bytes(row));
        digest.to_text()
    }

    /// Expected values from tests/tables/model.py, which is the same definition in Python.
    #[test]
    fn known_answers_for_other_languages() {
        assert_eq!(digest(&[]), "2:0000000000000000");
        assert_eq!(digest(&[b""]), "2:d05ce365569d3d06");
        assert_eq!(digest(&[b"abc"]), "2:b5986a37569d3d06");
        assert_eq!(digest(&[b"abcde"]), "2:67010644b7464f33");
        assert_eq!(digest(&[b"key_00000000"]), "2:cb9044b5d93b9fea");
        assert_eq!(digest(&[b"key_00000000", b"value_00000000"]), "2:909b1b363b6977ca");
        let counting: Vec<u8> = (0..32).collect();
        assert_eq!(digest(&[&counting]), "2:c4ea6d7ce8430311");
        assert_eq!(digest(&[&counting[..25]]), "2:08ddb07c0eccfaa6");
    }

    #[test]
    fn order_length_and_every_byte_matter() {
        assert_ne!(digest(&[b"a", b"b"]), digest(&[b"b", b"a"]));
        assert_ne!(digest(&[b"a"]), digest(&[b"a\0"]));
        let row = *b"value_00000001_with_some_more";
        for (length, at) in (0..=row.len()).flat_map(|length| (0..length).map(move |at| (length, at))) {
            let mut flipped = row;
            flipped[at] ^= 1;
            assert_ne!(digest(&[&row[..length]]), digest(&[&flipped[..length]]), "byte {at} of {length}");
        }
    }
}
