//! Meta pages, the first two of a file: they record where the trees begin, and as of which transaction.
//!
//! LMDB passes them to no callback, so they have neither a tag nor a checksum. A flipped bit in one brings back old trees, or leads to a
//! division by a page size of zero. This module therefore seals each meta page: a tag or a checksum of LMDB's content follows that
//! content, and is verified before LMDB opens the file.
//!
//! If the seal were written after a commit, a crash between the two would leave it missing. LMDB writes a meta page with one `pwrite`,
//! which `dbdyno_workload` defines; that definition appends the seal to the same write.

use super::{env::Protection, error::LmdbError};
use crate::{
    checksum,
    cipher::{SEAL_BYTES, Seal},
    damage::{Damage, Proof},
    long,
};
use aes_gcm::aead::inout::InOutBuf;
use dbdyno_workload::pwrites;
use lmdb_master3_sys::MDB_INVALID;
use std::{cell::Cell, fs::File, io, ops::Range, os::unix::fs::FileExt, ptr};

/// The bytes of a meta page that a commit writes. The page number, its kind and LMDB's version come before them.
const COMMITTED: Range<usize> = 40..160;
/// At the end of page 0 LMDB keeps the length of checksums.
const END: usize = 2;
const COVERED: usize = COMMITTED.end + END;
const SEALED: usize = COMMITTED.end - COMMITTED.start + SEAL_BYTES;

/// All bytes of a meta page that LMDB reads.
type Covered = [u8; COVERED];

/// The meta pages of a file that has seals.
#[derive(Debug)]
pub(super) struct MetaPages {
    page_size: usize,
    /// Their content when the file was opened, for the bytes that no commit writes.
    opened: [Covered; 2],
}

impl MetaPages {
    /// Reads the meta pages of a file, and verifies each one's seal.
    pub(super) fn verified(file: &File, page_size: usize, protection: &Protection) -> Result<Self, LmdbError> {
        let pages = Self::read(file, page_size)?;
        let mut damaged = Vec::new();
        for (page, covered) in (0..).zip(&pages.opened) {
            let mut seal = [0; SEAL_BYTES];
            file.read_exact_at(&mut seal, pages.start(page) + COMMITTED.end as u64).map_err(failed)?;
            if !protection.is_seal(covered, &seal) {
                damaged.push(page);
            }
        }
        match (&*damaged, protection) {
            ([], _) => Ok(pages),
            ([_, _], Protection::Encrypted(_)) => Err(LmdbError::OtherKey),
            ([first, ..], Protection::Encrypted(_)) => Err(LmdbError::Damaged(Damage::of_page(Proof::Tag, *first))),
            ([first, ..], _) => Err(LmdbError::Damaged(Damage::of_page(Proof::Checksum, *first))),
        }
    }

    /// Seals the meta pages of a file that LMDB has just created.
    pub(super) fn seal(file: &File, page_size: usize, protection: &Protection) -> Result<Self, LmdbError> {
        let pages = Self::read(file, page_size)?;
        for (page, covered) in (0..).zip(&pages.opened) {
            let seal = protection.seal(covered).ok_or(LmdbError::Code(libc::EIO))?;
            file.write_all_at(&seal, pages.start(page) + COMMITTED.end as u64).map_err(failed)?;
        }
        Ok(pages)
    }

    fn read(file: &File, page_size: usize) -> Result<Self, LmdbError> {
        let mut pages = Self { page_size, opened: [[0; COVERED]; 2] };
        for page in 0..2 {
            let (start, end) = (pages.start(page), pages.start(page + 1) - END as u64);
            let (kept, last) = pages.opened[page as usize].split_at_mut(COMMITTED.end);
            file.read_exact_at(kept, start).and_then(|()| file.read_exact_at(last, end)).map_err(failed)?;
        }
        Ok(pages)
    }

    fn start(&self, page: u64) -> u64 {
        page * self.page_size as u64
    }

    /// Returns the bytes that replace a commit's write at an offset of the file; `None` if that is not a meta page.
    fn sealed(&self, protection: &Protection, committed: &[u8], offset: u64) -> Option<[u8; SEALED]> {
        let page = (0..2).find(|page| offset == self.start(*page) + COMMITTED.start as u64)?;
        let mut covered = self.opened[page as usize];
        if committed.len() != COMMITTED.len() {
            return None;
        }
        covered[COMMITTED].copy_from_slice(committed);
        let mut sealed = [0; SEALED];
        let (content, seal) = sealed.split_at_mut(COMMITTED.len());
        content.copy_from_slice(committed);
        seal.copy_from_slice(&protection.seal(&covered)?);
        Some(sealed)
    }
}

impl Protection {
    fn seal(&self, covered: &Covered) -> Option<Seal> {
        match self {
            Self::Plain => None,
            Self::Checksum => {
                let mut seal = [0; SEAL_BYTES];
                seal[..checksum::BYTES].copy_from_slice(&checksum::sum(covered));
                Some(seal)
            }
            Self::Encrypted(cipher) => cipher.seal(covered, nothing()).ok(),
        }
    }

    fn is_seal(&self, covered: &Covered, seal: &Seal) -> bool {
        match self {
            Self::Encrypted(cipher) => cipher.open(covered, nothing(), seal).is_ok(),
            Self::Plain | Self::Checksum => self.seal(covered).is_some_and(|expected| expected == *seal),
        }
    }
}

/// Returns an empty content to encrypt: LMDB reads its meta pages from the file, so they stay in the clear.
fn nothing<'a>() -> InOutBuf<'a, 'a, u8> {
    (&mut [][..]).into()
}

/// Converts an I/O error; a file that ends before its second page is not LMDB's.
fn failed(error: io::Error) -> LmdbError {
    LmdbError::Code(error.raw_os_error().unwrap_or(MDB_INVALID))
}

/// The meta pages and the protection that seal the current commit of this thread.
type Sealing = (*const MetaPages, *const Protection);

thread_local! {
    static SEALING: Cell<Option<Sealing>> = const { Cell::new(None) };
}

/// Runs a commit, and seals its meta page.
pub(super) fn sealing<R>(pages: &MetaPages, protection: &Protection, commit: impl FnOnce() -> R) -> R {
    long::take();
    SEALING.set(Some((ptr::from_ref(pages), ptr::from_ref(protection))));
    let committed = pwrites::rewriting(with_seal, commit);
    SEALING.set(None);
    committed
}

/// Returns the sealed meta page if the write is a commit's meta page. An error undoes the commit, because its meta page is then not
/// written.
#[expect(unsafe_code, reason = "the function that a write is given to has no place for what it seals with")]
fn with_seal(bytes: &[u8], offset: u64) -> Option<io::Result<Vec<u8>>> {
    let (pages, protection) = SEALING.get()?;
    // SAFETY: `sealing` borrows both, and is running on this thread.
    let sealed = unsafe { (*pages).sealed(&*protection, bytes, offset) }?;
    let refused = long::is_noted().then(|| Err(io::Error::from_raw_os_error(libc::EIO)));
    Some(refused.unwrap_or_else(|| Ok(sealed.into())))
}
