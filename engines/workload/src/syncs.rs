//! Counts the sync calls of the process, including those of C libraries linked into it.
//!
//! The kernel keeps no such count for a process, and a tracer would slow down the measured code. When symbols are resolved, a definition of
//! `fsync` in the program itself takes precedence over the C library's, for static and for shared code. The definitions in `power` count
//! and then make the system call. Libraries that are loaded with `RTLD_DEEPBIND` have to be pointed at them
//! ([`definitions`](crate::power::definitions)). Writes through descriptors opened with `O_DSYNC` (LMDB's meta page) sync without a call
//! and are not counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static CALLS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn count() {
    CALLS.fetch_add(1, Relaxed);
}

/// Returns the calls of `fsync`, `fdatasync`, `msync(MS_SYNC)` and `sync_file_range` by this process so far.
pub fn calls() -> u64 {
    CALLS.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn each_sync_call_of_the_standard_library_is_counted() {
        let path = std::env::temp_dir().join(format!("dbdyno-syncs-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        let counted = || {
            let before = calls();
            file.sync_all().unwrap();
            file.sync_data().unwrap();
            calls() - before
        };
        // Other tests of this process sync too: they can only add to the count.
        let counts: Vec<u64> = (0..50).map(|_| counted()).collect();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(counts.iter().min(), Some(&2), "{counts:?}");
    }
}
