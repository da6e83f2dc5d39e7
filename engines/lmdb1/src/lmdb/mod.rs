//! A thin safe layer over LMDB: environments, transactions, tables. It serves plain, encrypted and checksummed environments.
//!
//! If LMDB maps pages in chunks, it may unmap a page as soon as another one is requested. Values are therefore passed to a visitor and
//! never returned.

mod env;
mod error;
mod meta;
mod transaction;

pub use env::{Env, EnvOptions, Protection};
pub use error::LmdbError;
pub use transaction::{Dbi, Lmdb1Read, Lmdb1Reads, Lmdb1Write};

/// Major, minor and patch version of the linked library. The 1.0 line calls itself 0.9.90 until it is released.
#[expect(unsafe_code, reason = "a call of C")]
pub fn library_version() -> (i32, i32, i32) {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the call writes the three numbers; the returned text is not used.
    unsafe { lmdb_master3_sys::mdb_version(&raw mut major, &raw mut minor, &raw mut patch) };
    (major, minor, patch)
}
