//! Checksums of rows: over the row's key and its bytes, stored behind them, verified whenever a row is read.

use sha3::Digest;

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
    /// Every algorithm, by the word of the option `rowsum`.
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

    /// Appends the checksum of a row to it.
    #[inline]
    pub(super) fn seal(self, key: &[u8], row: &mut Vec<u8>) {
        self.with(key, row, |row, sum| row.extend_from_slice(sum));
    }

    /// The row without its checksum, if that is right.
    #[inline]
    pub(super) fn open<'r>(self, key: &[u8], stored: &'r [u8]) -> Option<&'r [u8]> {
        if self == Self::Off {
            return Some(stored);
        }
        let (row, found) = stored.split_at(stored.len().checked_sub(self.length())?);
        self.with(key, &mut { row }, |_, sum| sum == found).then_some(row)
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
    fn with<B: AsRef<[u8]>, R>(self, key: &[u8], row: &mut B, show: impl FnOnce(&mut B, &[u8]) -> R) -> R {
        match self {
            Self::Off => show(row, &[]),
            Self::Crc32c => {
                let sum = crc32c::crc32c_append(crc32c::crc32c(key), row.as_ref());
                show(row, &sum.to_le_bytes())
            }
            Self::Xxh3 => {
                let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
                hasher.update(key);
                hasher.update(row.as_ref());
                show(row, &hasher.digest().to_le_bytes())
            }
            Self::Blake3 => {
                let mut hasher = blake3::Hasher::new();
                hasher.update(key).update(row.as_ref());
                show(row, hasher.finalize().as_bytes())
            }
            Self::Sha3 => {
                let sum = sha3::Sha3_256::new().chain_update(key).chain_update(row.as_ref()).finalize();
                show(row, &sum)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(rowsum: Rowsum) -> Vec<u8> {
        let mut row = b"123456789".to_vec();
        rowsum.seal(b"", &mut row);
        row.split_off(9)
    }

    /// The published check values of each algorithm.
    #[test]
    fn checksums_are_those_of_their_definitions() {
        assert_eq!(sealed(Rowsum::Crc32c), 0xE306_9283_u32.to_le_bytes(), "the check value of CRC-32/ISCSI");
        assert_eq!(sealed(Rowsum::Blake3), blake3::hash(b"123456789").as_bytes());
        assert_eq!(sealed(Rowsum::Xxh3), xxhash_rust::xxh3::xxh3_64(b"123456789").to_le_bytes());
        let mut empty = Vec::new();
        Rowsum::Sha3.seal(b"", &mut empty);
        assert_eq!(empty[..4], [0xa7, 0xff, 0xc6, 0xf8], "SHA3-256 of nothing, FIPS 202");
    }

    #[test]
    fn every_flipped_bit_and_another_rows_key_are_found() {
        for (word, rowsum) in Rowsum::ALL.into_iter().skip(1) {
            let mut row = b"some row".to_vec();
            rowsum.seal(b"key 1", &mut row);
            assert_eq!(rowsum.open(b"key 1", &row), Some(&b"some row"[..]), "{word}");
            assert_eq!(rowsum.open(b"key 2", &row), None, "{word}: the row of another key");
            assert_eq!(rowsum.open(b"key 1", b""), None, "{word}");
            for bit in 0..row.len() * 8 {
                row[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(rowsum.open(b"key 1", &row), None, "{word}, bit {bit}");
                row[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
