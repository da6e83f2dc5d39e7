//! Nonces: no two pages have the same one under one key.

use crate::key::random_bytes;
use dbdyno_engine::EngineError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) const NONCE_BYTES: usize = 12;
pub(crate) type Nonce = [u8; NONCE_BYTES];

/// The nonces of one opening: 64 random bits, and a counter of 32 bits. A database that is restored to an earlier state is opened again,
/// and then has other random bits. Among a million openings, two have the same bits with a probability of 3 in 100 million.
#[derive(Debug)]
pub(crate) struct Nonces {
    opening: [u8; 8],
    given: AtomicU64,
}

impl Nonces {
    pub(crate) fn new() -> Result<Self, EngineError> {
        Ok(Self { opening: random_bytes()?, given: AtomicU64::new(0) })
    }

    /// Returns how many were asked for.
    pub(crate) fn given(&self) -> u64 {
        self.given.load(Relaxed)
    }

    /// Returns a nonce that was not returned before; `None` after all 2^32, that is after 16 TiB of small pages.
    pub(crate) fn give(&self) -> Option<Nonce> {
        let number = u32::try_from(self.given.fetch_add(1, Relaxed)).ok()?;
        let mut nonce = [0; NONCE_BYTES];
        let (opening, count) = nonce.split_at_mut(self.opening.len());
        opening.copy_from_slice(&self.opening);
        count.copy_from_slice(&number.to_le_bytes());
        Some(nonce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_nonce_is_given_twice_in_an_opening_or_in_two() {
        let openings = [(); 2].map(|()| Nonces::new().unwrap());
        let given = openings.iter().flat_map(|nonces| (0..100_000).map_while(|_| nonces.give()));
        assert_eq!(given.collect::<HashSet<_>>().len(), 200_000);
    }

    #[test]
    fn nonces_end_before_they_repeat() {
        let nonces = Nonces { given: AtomicU64::new(u64::from(u32::MAX)), ..Nonces::new().unwrap() };
        assert!(nonces.give().is_some_and(|nonce| nonce.ends_with(&[0xff; 4])));
        assert_eq!(nonces.give(), None);
        assert_eq!(nonces.give(), None);
    }
}
