//! Content that is longer than a page, if pages have tags or checksums. LMDB computes its number of pages without them, and writes them
//! over content that ends in the last bytes of the last page. Such a value is rejected before it is put. A list of free pages is LMDB's
//! own, and is detected when it is written.

use std::cell::Cell;

/// Bytes of the header, before the content of the first page.
const HEADER: usize = 24;
/// The header's flag of pages whose content is longer than a page, or nearly so.
const OVERFLOW: u8 = 4;
const NUMBER: usize = size_of::<u64>();

/// Returns whether `trailer` bytes at the end of a page would cover the end of a value.
#[inline]
pub(crate) fn covers(trailer: usize, length: usize, page_size: usize) -> bool {
    let pages = |length: usize| (HEADER - 1 + length) / page_size;
    pages(length) != pages(length + trailer)
}

thread_local! {
    static LIST_COVERED: Cell<bool> = const { Cell::new(false) };
}

/// Records whether the trailer of pages that are about to be written covers the end of a list of free pages.
#[inline]
pub(crate) fn note(pages: &[u8], trailer: usize) {
    if pages[18] & OVERFLOW != 0 && list_reaches(pages, pages.len() - trailer) {
        LIST_COVERED.set(true);
    }
}

/// Returns whether that was recorded on this thread, and clears the record.
pub(crate) fn take() -> bool {
    LIST_COVERED.take()
}

/// Returns whether that was recorded, and keeps the record.
pub(crate) fn is_noted() -> bool {
    LIST_COVERED.get()
}

/// Returns whether the content is a list of page numbers that reaches past `end`: their count, then each lower than the previous one.
#[cold]
fn list_reaches(pages: &[u8], end: usize) -> bool {
    let (numbers, _) = pages[HEADER..].as_chunks::<NUMBER>();
    let Some((count, numbers)) = numbers.split_first() else { return false };
    let count = usize::try_from(u64::from_ne_bytes(*count)).unwrap_or(usize::MAX);
    let Some(numbers) = numbers.get(..count) else { return false };
    HEADER + (1 + count) * NUMBER > end
        && numbers.is_sorted_by(|page, next| u64::from_ne_bytes(*page) > u64::from_ne_bytes(*next))
}
