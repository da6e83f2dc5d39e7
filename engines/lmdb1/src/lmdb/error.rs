//! LMDB's return codes.

use crate::damage::Damage;
use dbdyno_engine::EngineError;
use dbdyno_lmdb_common::{bad_size, map_full};
use lmdb_master3_sys::{
    MDB_BAD_CHECKSUM, MDB_BAD_VALSIZE, MDB_CORRUPTED, MDB_CRYPTO_FAIL, MDB_INVALID, MDB_MAP_FULL, MDB_NOTFOUND,
    MDB_PAGE_NOTFOUND, MDB_PANIC, MDB_SUCCESS, mdb_strerror,
};
use std::{
    ffi::{CStr, c_int},
    fmt,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LmdbError {
    /// One of LMDB's own codes, or an `errno`.
    Code(c_int),
    /// LMDB may return old pages: see [`Env::is_stale`](super::Env::is_stale).
    Stale,
    Damaged(Damage),
    /// Neither meta page was written with this key.
    OtherKey,
    /// A value whose end LMDB would overwrite with the page's tag or checksum, because of its length.
    EndCovered(usize),
    /// The same for LMDB's list of the pages that a transaction has freed.
    ListCovered,
}

/// Converts the return code of a call.
pub(super) fn check(code: c_int) -> Result<(), LmdbError> {
    if code == MDB_SUCCESS { Ok(()) } else { Err(LmdbError::Code(code)) }
}

/// Converts the return code of a call that may find nothing.
pub(super) fn found(code: c_int) -> Result<bool, LmdbError> {
    if code == MDB_NOTFOUND { Ok(false) } else { check(code).map(|()| true) }
}

impl LmdbError {
    /// Returns whether the error reports a page that differs from what was written.
    pub fn is_damage(self) -> bool {
        matches!(
            self,
            Self::Damaged(_)
                | Self::OtherKey
                | Self::ListCovered
                | Self::Code(
                    MDB_CRYPTO_FAIL | MDB_BAD_CHECKSUM | MDB_CORRUPTED | MDB_PAGE_NOTFOUND | MDB_INVALID | MDB_PANIC
                )
        )
    }
}

impl fmt::Display for LmdbError {
    #[expect(unsafe_code, reason = "a call of C")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale => f.write_str(
                "an earlier transaction read more encrypted pages than this LMDB keeps track of, and from now on old pages \
                 would reappear: choose a smaller size or a larger page_size",
            ),
            Self::Damaged(damage) => damage.fmt(f),
            Self::EndCovered(length) => write!(
                f,
                "a value of {length} bytes ends where LMDB puts the tag or the checksum of its last page, which would \
                 overwrite it: use a value that is a little shorter or 40 bytes longer"
            ),
            Self::ListCovered => f.write_str(
                "the list of the pages that this transaction freed ends where LMDB puts the tag or the checksum of its last \
                 page, which would overwrite it: commit after fewer changes",
            ),
            Self::OtherKey => f.write_str(
                "the key next to the database is not the one that it was encrypted with, or pages 0 and 1 were both changed \
                 after they were written",
            ),
            Self::Code(code) => {
                // SAFETY: LMDB returns a zero-terminated text that stays valid.
                let text = unsafe { CStr::from_ptr(mdb_strerror(*code)) };
                f.write_str(&text.to_string_lossy())
            }
        }
    }
}

impl std::error::Error for LmdbError {}

impl From<LmdbError> for EngineError {
    fn from(error: LmdbError) -> Self {
        if error == LmdbError::Code(MDB_MAP_FULL) {
            return map_full();
        }
        if error == LmdbError::Code(MDB_BAD_VALSIZE) {
            return bad_size(&error.to_string());
        }
        if error.is_damage() { Self::fatal(error.to_string()) } else { Self::new(error.to_string()) }
    }
}
