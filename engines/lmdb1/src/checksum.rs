//! Page checksums: XXH3, 64 bits, at the end of each page.

use crate::{
    damage::{self, Proof},
    long,
};
use dbdyno_engine::counters::EngineCounters;
use lmdb_master3_sys::MDB_val;
use std::{cell::Cell, collections::BTreeMap, slice};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a checksum.
pub(crate) const BYTES: usize = 8;

/// Returns the checksum of a page, in the form of the file.
pub(crate) fn sum(bytes: &[u8]) -> [u8; BYTES] {
    xxh3_64(bytes).to_le_bytes()
}

thread_local! {
    /// Checksums of pages that this thread calculated. An environment with checksums is for one thread.
    static CALCULATED: Cell<u64> = const { Cell::new(0) };
}

const COUNTER: &str = "page_checksums";

/// Returns the meaning of the counter, by its name.
pub(crate) fn described() -> BTreeMap<String, String> {
    [(COUNTER.to_owned(), "with checksum=on: checksums of pages that were written, or verified".to_owned())].into()
}

/// Returns how many checksums this thread calculated.
pub(crate) fn counters() -> EngineCounters {
    [(COUNTER, CALCULATED.get())].into()
}

/// LMDB's callback for the checksum of a page that it writes or reads.
///
/// # Safety
/// `page` and `found` are valid, `found` has room for [`BYTES`], and they do not overlap. The bytes after `page` are its stored checksum,
/// or `found` is at that place.
#[expect(unsafe_code, reason = "called by C with pointers to pages")]
pub(crate) unsafe extern "C" fn checksum(page: *const MDB_val, found: *mut MDB_val, _: *const MDB_val) {
    CALCULATED.set(CALCULATED.get() + 1);
    // SAFETY: see above; every page that LMDB passes is initialised.
    unsafe {
        let (start, length) = ((*page).mv_data.cast::<u8>(), (*page).mv_size);
        let sum = sum(slice::from_raw_parts(start, length));
        let written = start.add(length).cast::<[u8; BYTES]>();
        let found = (*found).mv_data.cast::<[u8; BYTES]>();
        if found == written {
            long::note(slice::from_raw_parts(start, length + BYTES), BYTES);
        } else if written.read_unaligned() != sum {
            damage::note(Proof::Checksum, start, length + BYTES);
        }
        found.write_unaligned(sum);
    }
}
