//! The keys of a store while its operations are read.

use crate::import::KeyVerb;
use std::{collections::HashMap, io};

/// The bytes of a value of unknown size, if the recording writes none.
const UNKNOWN_BYTES: u64 = 100;

/// An operation, as far as the recording knows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownOperation<'k> {
    pub(super) verb: KeyVerb,
    pub(super) key: &'k [u8],
    /// Bytes of the value, or keys of a scan.
    pub(super) number: Option<u64>,
    /// Whether a get found its key.
    pub(super) found: Option<bool>,
}

/// The knowledge of a key.
#[derive(Debug, Clone, Copy, Default)]
struct KnownKey {
    at_start: KeyAtStart,
    /// The bytes of the value that it has now; none: it is not stored.
    now: Option<u64>,
}

/// Whether a key was stored before its first operation, and with how many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum KeyAtStart {
    #[default]
    Missing,
    Stored(u64),
    /// It has the bytes of its first write, if there is one.
    StoredWith(Option<u64>),
}

/// All keys.
#[derive(Debug, Default)]
pub(super) struct KeyModel {
    keys: HashMap<Box<[u8]>, KnownKey>,
    /// Writes, and the bytes of their values.
    writes: u64,
    written_bytes: u64,
    /// Bytes of keys and values that are stored now, and the most so far.
    bytes: u64,
    most_bytes: u64,
}

impl KeyModel {
    /// Notes whether the key was there at the beginning. A key that is read, changed or scanned from was there, unless the recording says
    /// that it was not found.
    pub(super) fn first_look(&mut self, operation: &KnownOperation<'_>) {
        let KnownOperation { verb, key, number, found } = *operation;
        let written = number.filter(|_| matches!(verb, KeyVerb::Put | KeyVerb::Merge));
        if let Some(bytes) = written {
            self.writes += 1;
            self.written_bytes = self.written_bytes.saturating_add(bytes);
        }
        if let Some(known) = self.keys.get_mut(key) {
            if known.at_start == KeyAtStart::StoredWith(None) && written.is_some() {
                known.at_start = KeyAtStart::StoredWith(written);
            }
            return;
        }
        let at_start = match (verb, found, number) {
            (KeyVerb::Get, Some(true), Some(bytes)) => KeyAtStart::Stored(bytes),
            (KeyVerb::Get, Some(false), _) | (KeyVerb::Put | KeyVerb::Delete, ..) => KeyAtStart::Missing,
            (KeyVerb::Get | KeyVerb::Scan, ..) => KeyAtStart::StoredWith(None),
            (KeyVerb::Merge, ..) => KeyAtStart::StoredWith(written),
        };
        self.keys.insert(key.into(), KnownKey { at_start, now: None });
    }

    /// Returns the bytes of a value whose size the recording does not have: the mean of those that it writes.
    pub(super) fn usual_bytes(&self) -> u64 {
        self.written_bytes.checked_div(self.writes).unwrap_or(UNKNOWN_BYTES)
    }

    pub(super) fn has_start(&self) -> bool {
        self.keys.values().any(|key| key.at_start != KeyAtStart::Missing)
    }

    /// Passes the keys that are there at the beginning to `store`, in their order, with the bytes of their values. Returns their number,
    /// and the number of those whose bytes were guessed.
    pub(super) fn start(
        &mut self,
        usual_bytes: u64,
        mut store: impl FnMut(&[u8], u64) -> io::Result<()>,
    ) -> io::Result<(u64, u64)> {
        let mut there: Vec<(&[u8], &mut KnownKey)> = self
            .keys
            .iter_mut()
            .map(|(key, known)| (&**key, known))
            .filter(|(_, known)| known.at_start != KeyAtStart::Missing)
            .collect();
        there.sort_unstable_by_key(|(key, _)| *key);
        let mut guessed = 0;
        for (key, known) in &mut there {
            let bytes = match known.at_start {
                KeyAtStart::Stored(bytes) => bytes,
                KeyAtStart::StoredWith(bytes) => {
                    guessed += 1;
                    bytes.unwrap_or(usual_bytes)
                }
                KeyAtStart::Missing => continue,
            };
            known.now = Some(bytes);
            self.bytes += key.len() as u64 + bytes;
            store(key, bytes)?;
        }
        self.most_bytes = self.bytes;
        Ok((there.len() as u64, guessed))
    }

    pub(super) fn is_stored(&self, key: &[u8]) -> bool {
        self.keys.get(key).is_some_and(|known| known.now.is_some())
    }

    /// Returns the number that the replay needs: the bytes of the value after the operation, or the keys of a scan. A merge keeps
    /// the value's length, unless the change is longer.
    pub(super) fn number(&self, operation: &KnownOperation<'_>) -> u64 {
        let number = operation.number.unwrap_or(0);
        match operation.verb {
            KeyVerb::Put => number,
            KeyVerb::Scan => number.max(1),
            KeyVerb::Merge => self.keys.get(operation.key).and_then(|known| known.now).unwrap_or(0).max(number),
            KeyVerb::Get | KeyVerb::Delete => 0,
        }
    }

    /// Does an operation, which has this [number](Self::number).
    pub(super) fn apply(&mut self, operation: &KnownOperation<'_>, number: u64) {
        let now = match operation.verb {
            KeyVerb::Put | KeyVerb::Merge => Some(number),
            KeyVerb::Delete => None,
            KeyVerb::Get | KeyVerb::Scan => return,
        };
        let Some(known) = self.keys.get_mut(operation.key) else { return };
        let stored = |value: Option<u64>| value.map_or(0, |bytes| operation.key.len() as u64 + bytes);
        self.bytes = self.bytes + stored(now) - stored(known.now);
        self.most_bytes = self.most_bytes.max(self.bytes);
        known.now = now;
    }

    pub(super) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }
}
