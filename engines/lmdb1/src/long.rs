//! What is longer than a page, where tags or checksums are: LMDB reckons its pages without them, and writes them over what
//! ends in the last bytes of the last page. A value there is refused before it is put; a list of free pages is LMDB's own,
//! and is seen when it is written.

use std::cell::Cell;

/// Bytes before the content of the first page.
const HEADER: usize = 24;
/// The flag of pages with a content that is longer than a page, or nearly so, in the header.
const OVERFLOW: u8 = 4;
const NUMBER: usize = size_of::<u64>();

/// Whether `trailer` bytes at the end of a page would cover the end of a value.
#[inline]
pub(crate) fn covers(trailer: usize, length: usize, page_size: usize) -> bool {
    let pages = |length: usize| (HEADER - 1 + length) / page_size;
    pages(length) != pages(length + trailer)
}

thread_local! {
    static LIST_COVERED: Cell<bool> = const { Cell::new(false) };
}

/// Notes whether the trailer of pages that are about to be written covers the end of a list of free pages.
#[inline]
pub(crate) fn note(pages: &[u8], trailer: usize) {
    if pages[18] & OVERFLOW != 0 && list_reaches(pages, pages.len() - trailer) {
        LIST_COVERED.set(true);
    }
}

/// Whether that was noted on this thread since it was last asked.
pub(crate) fn take() -> bool {
    LIST_COVERED.take()
}

/// Whether that was noted, and may be asked again.
pub(crate) fn is_noted() -> bool {
    LIST_COVERED.get()
}

/// Whether the content is a list of page numbers, their count and then each below the one before, that goes on behind `end`.
#[cold]
fn list_reaches(pages: &[u8], end: usize) -> bool {
    let (numbers, _) = pages[HEADER..].as_chunks::<NUMBER>();
    let Some((count, numbers)) = numbers.split_first() else { return false };
    let count = usize::try_from(u64::from_ne_bytes(*count)).unwrap_or(usize::MAX);
    let Some(numbers) = numbers.get(..count) else { return false };
    HEADER + (1 + count) * NUMBER > end
        && numbers.is_sorted_by(|page, next| u64::from_ne_bytes(*page) > u64::from_ne_bytes(*next))
}
