//! Finds out which page is damaged: LMDB's error codes name none, and the number in the page cannot be trusted either. The callbacks that
//! find damage receive an address inside a mapping of the file, and the kernel knows which part of the file is mapped there.

use std::{cell::Cell, fmt, fs};

/// The kind of proof that pages are verified with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The tag of an authenticated cipher.
    Tag,
    /// A checksum of the content alone: anyone who changes the content can change the checksum too.
    Checksum,
}

/// Pages that differ from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    proof: Proof,
    /// The first and the last page of those that share one proof; `None` if the kernel does not report the mapping.
    pages: Option<(u64, u64)>,
}

impl Damage {
    pub(crate) fn of_page(proof: Proof, page: u64) -> Self {
        Self { proof, pages: Some((page, page)) }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proof = match self.proof {
            Proof::Tag => "tag",
            Proof::Checksum => "checksum",
        };
        match self.pages {
            Some((first, last)) if first < last => write!(
                f,
                "pages {first} to {last} of the database do not match their {proof}: they were changed after they were \
                 written"
            ),
            Some((page, _)) => {
                write!(f, "page {page} of the database does not match its {proof}: it was changed after it was written")
            }
            None => write!(
                f,
                "a page of the database does not match its {proof}: it was changed after it was written (/proc/self/maps \
                 does not show which one)"
            ),
        }
    }
}

/// A callback's finding, kept until it has returned to LMDB.
#[derive(Clone, Copy)]
struct FoundDamage {
    proof: Proof,
    offset: Option<u64>,
    bytes: usize,
}

thread_local! {
    static FOUND: Cell<Option<FoundDamage>> = const { Cell::new(None) };
}

/// Records that `bytes` bytes from `start`, which are mapped from the file, do not match their proof.
#[cold]
pub(crate) fn note(proof: Proof, start: *const u8, bytes: usize) {
    FOUND.set(Some(FoundDamage { proof, offset: offset_in_file(start.addr()), bytes }));
}

/// Takes this thread's last record.
pub(crate) fn take(page_size: usize) -> Option<Damage> {
    let FoundDamage { proof, offset, bytes } = FOUND.take()?;
    let pages = offset.map(|offset| {
        let first = offset / page_size as u64;
        (first, first + (bytes / page_size).saturating_sub(1) as u64)
    });
    Some(Damage { proof, pages })
}

/// Returns the offset in its file of a mapped byte.
fn offset_in_file(address: usize) -> Option<u64> {
    // The paths in it need not be UTF-8.
    let maps = fs::read("/proc/self/maps").ok()?;
    String::from_utf8_lossy(&maps).lines().find_map(|line| {
        // 7f1c00000000-7f1c00010000 r--s 00010000 08:01 1234  /a/file
        let mut fields = line.split(' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let range = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
        let offset = u64::from_str_radix(fields.nth(1)?, 16).ok()?;
        range.contains(&address).then(|| offset + (address - range.start) as u64)
    })
}
