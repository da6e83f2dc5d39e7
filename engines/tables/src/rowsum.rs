//! Checksums of rows, index entries and the catalog's tables. A checksum covers the context, the key and the bytes of an item. It is
//! stored after the bytes, and verified at each read.

use sha3::Digest;

/// The error text for bytes that do not match their checksum.
pub(super) const CHANGED: &str = "does not match its checksum: the stored bytes have changed";

/// The algorithm of a row's checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rowsum {
    Off,
    Crc32c,
    Xxh3,
    Blake3,
    Sha3,
}

impl Rowsum {
    /// Every algorithm, with its value of the option `rowsum`.
    pub(super) const ALL: [(&'static str, Self); 5] = [
        ("off", Self::Off),
        ("crc32c", Self::Crc32c),
        ("xxh3", Self::Xxh3),
        ("blake3", Self::Blake3),
        ("sha3-256", Self::Sha3),
    ];

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, rowsum)| *rowsum)
    }

    /// Appends the checksum of bytes to them. `of` is their table or index: bytes from another one are then rejected.
    #[inline]
    pub(super) fn seal(self, of: &[u8], key: &[u8], bytes: &mut Vec<u8>) {
        self.with(of, key, bytes, |bytes, sum| bytes.extend_from_slice(sum));
    }

    /// Returns the bytes without their checksum, if the checksum is right.
    #[inline]
    pub(super) fn open<'r>(self, of: &[u8], key: &[u8], stored: &'r [u8]) -> Option<&'r [u8]> {
        if self == Self::Off {
            return Some(stored);
        }
        let (bytes, found) = stored.split_at(stored.len().checked_sub(self.length())?);
        self.with(of, key, &mut { bytes }, |_, sum| sum == found).then_some(bytes)
    }

    fn length(self) -> usize {
        match self {
            Self::Off => 0,
            Self::Crc32c => 4,
            Self::Xxh3 => 8,
            Self::Blake3 | Self::Sha3 => 32,
        }
    }

    #[inline]
    fn with<B: AsRef<[u8]>, R>(self, of: &[u8], key: &[u8], bytes: &mut B, show: impl FnOnce(&mut B, &[u8]) -> R) -> R {
        match self {
            Self::Off => show(bytes, &[]),
            Self::Crc32c => {
                let before = crc32c::crc32c_append(crc32c::crc32c(of), key);
                let sum = crc32c::crc32c_append(before, bytes.as_ref());
                show(bytes, &sum.to_le_bytes())
            }
            Self::Xxh3 => {
                let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
                hasher.update(of);
                hasher.update(key);
                hasher.update(bytes.as_ref());
                show(bytes, &hasher.digest().to_le_bytes())
            }
            Self::Blake3 => {
                let mut hasher = blake3::Hasher::new();
                hasher.update(of).update(key).update(bytes.as_ref());
                show(bytes, hasher.finalize().as_bytes())
            }
            Self::Sha3 => {
                let before = sha3::Sha3_256::new().chain_update(of).chain_update(key);
                show(bytes, &before.chain_update(bytes.as_ref()).finalize())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(rowsum: Rowsum) -> Vec<u8> {
        let mut row = b"123456789".to_vec();
        rowsum.seal(b"", b"", &mut row);
        row.split_off(9)
    }

    /// Checks the published check values of each algorithm.
    #[test]
    fn checksums_are_those_of_their_definitions() {
        assert_eq!(sealed(Rowsum::Crc32c), 0xE306_9283_u32.to_le_bytes(), "the check value of CRC-32/ISCSI");
        assert_eq!(sealed(Rowsum::Blake3), blake3::hash(b"123456789").as_bytes());
        assert_eq!(sealed(Rowsum::Xxh3), xxhash_rust::xxh3::xxh3_64(b"123456789").to_le_bytes());
        let mut empty = Vec::new();
        Rowsum::Sha3.seal(b"", b"", &mut empty);
        assert_eq!(empty[..4], [0xa7, 0xff, 0xc6, 0xf8], "SHA3-256 of nothing, FIPS 202");
    }

    #[test]
    fn every_flipped_bit_another_key_and_another_table_are_found() {
        for (word, rowsum) in Rowsum::ALL.into_iter().skip(1) {
            let mut row = b"some row".to_vec();
            rowsum.seal(b"t", b"key 1", &mut row);
            assert_eq!(rowsum.open(b"t", b"key 1", &row), Some(&b"some row"[..]), "{word}");
            assert_eq!(rowsum.open(b"t", b"key 2", &row), None, "{word}: the row of another key");
            assert_eq!(rowsum.open(b"n", b"key 1", &row), None, "{word}: the row of another table");
            assert_eq!(rowsum.open(b"t", b"key 1", b""), None, "{word}");
            for bit in 0..row.len() * 8 {
                row[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(rowsum.open(b"t", b"key 1", &row), None, "{word}, bit {bit}");
                row[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
