//! A thin safe layer over LMDB: environments, transactions, tables. One for plain, encrypted and checksummed
//! environments alike.
//!
//! LMDB that maps pages in chunks may unmap a page as soon as another is asked for, so that a value is shown to a visitor
//! and never handed out.

mod env;
mod error;
mod meta;
mod transaction;

pub use env::{Config, Env, Protection};
pub use error::LmdbError;
pub use transaction::{Dbi, Lmdb1Read, Lmdb1Reads, Lmdb1Write};

/// Major, minor and patch version of the linked library. The 1.0 line calls itself 0.9.90 until it is released.
#[expect(unsafe_code, reason = "a call of C")]
pub fn library_version() -> (i32, i32, i32) {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the three numbers are written, the returned text is not used.
    unsafe { lmdb_master3_sys::mdb_version(&raw mut major, &raw mut minor, &raw mut patch) };
    (major, minor, patch)
}
