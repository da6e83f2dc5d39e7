//! The memory of a process that runs for days.

/// Makes all threads created from now on share one heap; by default the C library gives each its own.
///
/// DuckDB allocates memory for a query in the thread that asks, and frees it afterwards. A heap shared by many threads keeps every page
/// that still holds anything: screens that had sent a few hundred queries held 200 MB, of which they used 20. Processes that measure
/// threads need separate heaps.
pub fn share_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the C library's allocator has no safe wrapper")]
    // SAFETY: the call sets a number that the allocator reads when a thread first allocates.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
