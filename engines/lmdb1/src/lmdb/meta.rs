//! Meta pages, the first two of a file: where the trees begin, and as of which transaction.
//!
//! LMDB hands them to no callback, so that it puts neither a tag nor a checksum on them; a bit that is flipped there brings
//! back old trees, or divides by a page size of zero. So each is sealed here: behind what LMDB keeps in it stands a tag or
//! a checksum of that, verified before LMDB sees the file.
//!
//! A seal that is written after a commit would be missing after a crash between the two. LMDB writes a meta page with one
//! `pwrite`, which is defined by `dbdyno_workload`: it is had to write a few bytes more.

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

/// The bytes of a meta page that a commit writes. Before them stand its number, its kind and LMDB's version.
const COMMITTED: Range<usize> = 40..160;
/// At the end of page 0 LMDB keeps the length of checksums.
const END: usize = 2;
const COVERED: usize = COMMITTED.end + END;
const SEALED: usize = COMMITTED.end - COMMITTED.start + SEAL_BYTES;

/// All that LMDB reads of a meta page.
type Covered = [u8; COVERED];

/// The meta pages of a file that has seals.
#[derive(Debug)]
pub(super) struct MetaPages {
    page_size: usize,
    /// As they were when the file was opened: what no commit writes stays.
    opened: [Covered; 2],
}

impl MetaPages {
    /// Those of a file, if each is as it was written.
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

    /// Puts seals on those of a file that LMDB has just made.
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

    /// What is to be written instead of what a commit writes at an offset of the file; none where that is no meta page.
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

/// Nothing is encrypted: LMDB reads its meta pages from the file.
fn nothing<'a>() -> InOutBuf<'a, 'a, u8> {
    (&mut [][..]).into()
}

/// A file that ends before its second page is none of LMDB's.
fn failed(error: io::Error) -> LmdbError {
    LmdbError::Code(error.raw_os_error().unwrap_or(MDB_INVALID))
}

/// What the thread's commit has its meta page sealed with.
type Sealing = (*const MetaPages, *const Protection);

thread_local! {
    static SEALING: Cell<Option<Sealing>> = const { Cell::new(None) };
}

/// Commits, with a seal on the meta page.
pub(super) fn sealing<R>(pages: &MetaPages, protection: &Protection, commit: impl FnOnce() -> R) -> R {
    long::take();
    SEALING.set(Some((ptr::from_ref(pages), ptr::from_ref(protection))));
    let committed = pwrites::rewriting(with_seal, commit);
    SEALING.set(None);
    committed
}

/// The meta page with its seal, where a write is that of a commit's meta page. A commit is undone by its meta page not being written.
#[expect(unsafe_code, reason = "the function that a write is given to has no place for what it seals with")]
fn with_seal(bytes: &[u8], offset: u64) -> Option<io::Result<Vec<u8>>> {
    let (pages, protection) = SEALING.get()?;
    // SAFETY: both are borrowed by `sealing`, which is under way on this thread.
    let sealed = unsafe { (*pages).sealed(&*protection, bytes, offset) }?;
    let refused = long::is_noted().then(|| Err(io::Error::from_raw_os_error(libc::EIO)));
    Some(refused.unwrap_or_else(|| Ok(sealed.into())))
}
