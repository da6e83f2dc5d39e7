//! The verification value: an order-sensitive checksum of what a test read, equal for engines that gave equal answers.
//!
//! A field of bytes is hashed in pieces of 1,024 bytes, and a piece in blocks of two 8-byte little-endian words u and v. Lane a adds the
//! product of the two halves of `u ^ s`, and v. Lane b adds that of `v ^ t`, and u. No step waits for another, so the processor works on
//! many blocks at once. Each block has its own keys s and t, so the order of blocks counts. They are the first outputs of SplitMix64: keys
//! that grow by the same step miss words that change places. A piece of at least 16 bytes has a block for each whole 16, and its last 16
//! bytes if any are left. A shorter one is one block: its first and its last 8 bytes, or all of them, filled up with zeros. Lane b begins
//! with the length. The hash of a piece is `rotl(a, 32) ^ b`. Pieces are chained by `h = (rotl(h, 5) ^ piece) * K`, and fields by
//! `d = (rotl(d, 5) ^ h) * K`. The products are those of XXH3. The checksum guards against wrong answers, not against an adversary. It is
//! cheap enough to compute inside a measured loop, and it makes sure that every byte of an answer is touched.

use crate::rng::SplitMix64;
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
/// assert!(of(&["a", "b"]).starts_with("3:"));
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
        self.0 = chained(self.0, word);
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

/// Bytes of a piece.
const PIECE: usize = 1_024;

/// The keys s and t of each block of a piece.
static KEYS: [[u64; 2]; PIECE / 16] = {
    let (mut keys, mut random, mut at) = ([[0; 2]; PIECE / 16], SplitMix64::new(0), 0);
    while at < keys.len() {
        keys[at] = [random.next_u64(), random.next_u64()];
        at += 1;
    }
    keys
};

#[inline]
fn chained(before: u64, word: u64) -> u64 {
    (before.rotate_left(5) ^ word).wrapping_mul(K)
}

#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let (first, rest) = bytes.split_at(bytes.len().min(PIECE));
    rest.chunks(PIECE).fold(hash_piece(first), |before, piece| chained(before, hash_piece(piece)))
}

#[inline]
fn hash_piece(bytes: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has SSE2.
    unsafe {
        sse2::hash_piece(bytes)
    }
    #[cfg(not(target_arch = "x86_64"))]
    portable::hash_piece(bytes)
}

/// Passes the blocks of a piece in order, with their keys.
#[inline]
fn each_block(bytes: &[u8], mut add: impl FnMut([u64; 2], [u64; 2])) {
    let words = |block: &[u8; 16]| {
        let (words, _) = block.as_chunks();
        [u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])]
    };
    if let Some(last) = bytes.last_chunk() {
        let (blocks, rest) = bytes.as_chunks();
        blocks.iter().zip(&KEYS).for_each(|(block, keys)| add(words(block), *keys));
        if let (false, Some(keys)) = (rest.is_empty(), KEYS.get(blocks.len())) {
            add(words(last), *keys);
        }
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        add([u64::from_le_bytes(*first), u64::from_le_bytes(*last)], KEYS[0]);
    } else {
        add([short(bytes), 0], KEYS[0]);
    }
}

/// Both lanes at once: a in the lower half of a register, b in the upper one. It takes two thirds of the time of `portable`.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use super::each_block;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi64, _mm_cvtsi128_si64, _mm_mul_epu32, _mm_set_epi64x, _mm_shuffle_epi32, _mm_srli_epi64,
        _mm_unpackhi_epi64, _mm_xor_si128,
    };

    #[inline]
    #[target_feature(enable = "sse2")]
    fn lanes([a, b]: [u64; 2]) -> __m128i {
        _mm_set_epi64x(b.cast_signed(), a.cast_signed())
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn hash_piece(bytes: &[u8]) -> u64 {
        const SWAPPED: i32 = 0b01_00_11_10;
        let mut sums = lanes([0, bytes.len() as u64]);
        each_block(bytes, |words, keys| {
            let words = lanes(words);
            let keyed = _mm_xor_si128(words, lanes(keys));
            let products = _mm_mul_epu32(keyed, _mm_srli_epi64::<32>(keyed));
            sums = _mm_add_epi64(sums, _mm_add_epi64(products, _mm_shuffle_epi32::<SWAPPED>(words)));
        });
        let (a, b) = (_mm_cvtsi128_si64(sums), _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
        (a.rotate_left(32) ^ b).cast_unsigned()
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::each_block;

    #[inline]
    pub(super) fn hash_piece(bytes: &[u8]) -> u64 {
        let product = |keyed: u64| (keyed & u64::from(u32::MAX)) * (keyed >> 32);
        let (mut a, mut b) = (0_u64, bytes.len() as u64);
        each_block(bytes, |[u, v], [s, t]| {
            a = a.wrapping_add(product(u ^ s)).wrapping_add(v);
            b = b.wrapping_add(product(v ^ t)).wrapping_add(u);
        });
        a.rotate_left(32) ^ b
    }
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
        assert_eq!(digest(&[]), "3:0000000000000000");
        assert_eq!(digest(&[b""]), "3:8a3c5909e8343801");
        assert_eq!(digest(&[b"abc"]), "3:c0666a6bb5a3748c");
        assert_eq!(digest(&[b"abcde"]), "3:1ea9dc68d8948846");
        assert_eq!(digest(&[b"key_00000000"]), "3:09cfd25456ed17a3");
        assert_eq!(digest(&[b"key_00000000", b"value_00000000"]), "3:6548331ac76f9554");
        let counting: Vec<u8> = (0..32).collect();
        assert_eq!(digest(&[&counting]), "3:bf6daa7d0b7f2113");
        assert_eq!(digest(&[&counting.repeat(80)]), "3:ebe7ad5a60768a37");
        assert_eq!(digest(&[&counting[..25]]), "3:f5d4bc06ddd4622a");
    }

    #[test]
    fn every_processor_hashes_alike() {
        let bytes: Vec<u8> = (0..PIECE as u32).map(|at| ((at * at) >> 3) as u8).collect();
        for (length, from) in (0..=bytes.len()).flat_map(|length| [(length, 0), (length, bytes.len() - length)]) {
            let field = &bytes[from..from + length];
            assert_eq!(hash_piece(field), portable::hash_piece(field), "{length} bytes from {from}");
        }
    }

    #[test]
    fn words_that_change_places_are_noticed_however_far_apart() {
        let words: Vec<u64> = (0..520).map(|at| (1 << 56) | ((at % 7) << 57)).collect();
        let of = |words: &[u64]| hash(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
        let expected = of(&words);
        for (one, other) in (0..words.len()).flat_map(|other| (0..other).map(move |one| (one, other))) {
            let mut swapped = words.clone();
            swapped.swap(one, other);
            assert_eq!(of(&swapped) == expected, words[one] == words[other], "{one} and {other}");
        }
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
