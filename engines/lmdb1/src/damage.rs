//! Which page is damaged: LMDB's error codes name none, and the number in the page is a part of what cannot be trusted.
//! The callbacks, which find damage, are given an address inside a mapping of the file, and the kernel knows what that
//! is a mapping of.

use std::{cell::Cell, fmt, fs};

/// What pages are held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Of an authenticated cipher.
    Tag,
    /// Of the content alone: whoever changes that can change the checksum too.
    Checksum,
}

/// Pages that are not as they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    proof: Proof,
    /// The first and the last of those that have one proof together; none where the kernel does not tell.
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
                "a page of the database does not match its {proof}: it was changed after it was written (which one, \
                 /proc/self/maps does not tell)"
            ),
        }
    }
}

/// What a callback found, before it returns to LMDB.
#[derive(Clone, Copy)]
struct FoundDamage {
    proof: Proof,
    offset: Option<u64>,
    bytes: usize,
}

thread_local! {
    static FOUND: Cell<Option<FoundDamage>> = const { Cell::new(None) };
}

/// Notes that `bytes` bytes from `start`, which are mapped from the file, do not match their proof.
#[cold]
pub(crate) fn note(proof: Proof, start: *const u8, bytes: usize) {
    FOUND.set(Some(FoundDamage { proof, offset: offset_in_file(start.addr()), bytes }));
}

/// What this thread has noted last.
pub(crate) fn take(page_size: usize) -> Option<Damage> {
    let FoundDamage { proof, offset, bytes } = FOUND.take()?;
    let pages = offset.map(|offset| {
        let first = offset / page_size as u64;
        (first, first + (bytes / page_size).saturating_sub(1) as u64)
    });
    Some(Damage { proof, pages })
}

/// The place in its file of a byte that is mapped.
fn offset_in_file(address: usize) -> Option<u64> {
    // A path in it need not be UTF-8.
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
