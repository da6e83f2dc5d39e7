//! Page checksums: XXH3, 64 bits, at the end of each page.

use lmdb_master3_sys::MDB_val;
use std::slice;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a checksum.
pub(crate) const BYTES: usize = 8;

/// What LMDB calls for the checksum of a page, when it writes one and when it reads one.
///
/// # Safety
/// `page` and `sum` are valid, `sum` with room for [`BYTES`], and they do not overlap.
#[expect(unsafe_code, reason = "called by C with pointers to pages")]
pub(crate) unsafe extern "C" fn checksum(page: *const MDB_val, sum: *mut MDB_val, _: *const MDB_val) {
    // SAFETY: as above; every page that LMDB hands over is initialised.
    unsafe {
        let bytes = slice::from_raw_parts((*page).mv_data.cast::<u8>(), (*page).mv_size);
        (*sum).mv_data.cast::<[u8; BYTES]>().write_unaligned(xxh3_64(bytes).to_le_bytes());
    }
}
