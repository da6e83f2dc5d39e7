//! The memory of a process that lives for days.

/// Has all threads that are made from now on share one heap, where the C library would give each its own.
///
/// What DuckDB allocates for a question comes from whichever thread asks it and is freed after; a heap of many threads keeps every page on
/// which anything is left, so screens that had asked a few hundred questions held 200 MB of which they used 20. Who measures threads wants
/// heaps of their own.
pub fn share_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the C library's allocator has no safe wrapper")]
    // SAFETY: a number is set that the allocator reads when a thread first allocates.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
