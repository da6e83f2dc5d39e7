//! The memory of an import does not grow with the trace. The test is alone in its program, which counts what it allocates.

#![allow(clippy::unwrap_used, reason = "a test")]

use dbdyno_recorded::{RecordingSummary, import};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    fs::File,
    io::{BufWriter, Write},
    sync::atomic::{AtomicUsize, Ordering},
};

const CALLS: u64 = 1_000_000;
const CLIENTS: u64 = 64;
/// A block of a recording and its frame take 2 MiB, buffers and zstd's window take less.
const MOST: usize = 8 << 20;

/// The system's allocator. It counts.
struct Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

#[test]
fn a_million_requests_take_no_more_memory_than_a_few() {
    let folder = tempfile::tempdir().unwrap();
    let (file, to) = (folder.path().join("trace"), folder.path().join("trace.rec"));
    let mut trace = BufWriter::new(File::create(&file).unwrap());
    for at in 0..CALLS {
        // Every hundredth request goes to one of ten keys.
        let key = if at % 100 == 0 { at / 100 % 10 } else { 10 + at % 50_000 };
        let operation = if at % 10 == 0 { "set" } else { "get" };
        let client = at % CLIENTS;
        writeln!(trace, "{},namespace:{key:08},18,{},client-{client},{operation},0", at / 1_000, at % 500).unwrap();
    }
    drop(trace);
    let bytes = file.metadata().unwrap().len() as usize;
    assert!(bytes > 4 * MOST, "{bytes}: the trace would not fit");

    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let imported = import(&file, &to, "0", String::new()).unwrap();
    let most = PEAK.load(Ordering::Relaxed) - before;
    assert_eq!(imported.calls, CALLS);
    assert!(most < MOST, "{most} bytes at once for a trace of {bytes}");

    let summary = RecordingSummary::read(&to).unwrap();
    assert_eq!((summary.calls, summary.concurrency.connections), (CALLS, CLIENTS));
    assert_eq!(summary.span_ns, 999_000_000_000);
    let keys = summary.working_set.unwrap();
    assert_eq!(keys.different_keys, 10 + 49_500);
}
