//! Resource costs of a test other than time: CPU, context switches, bytes read and written, memory, disk, sync calls.

use crate::syncs;
use dbdyno_engine::counters::Counters;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::{fd::FromRawFd, unix::fs::MetadataExt},
    path::Path,
    sync::OnceLock,
};

/// Returns the counters of this process since it started, by figure name. Counters that cannot be read are absent.
pub fn counters() -> Counters {
    let mut counters = Counters::default();
    let io = fs::read_to_string("/proc/self/io").unwrap_or_default();
    counters.set("read_bytes", field(&io, "read_bytes:"));
    counters.set("written_bytes", field(&io, "write_bytes:"));
    counters.set("syncs", Some(syncs::calls()));
    counters.set("instructions", instructions());
    if let Some(usage) = usage() {
        let ns = |time: libc::timeval| Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000);
        counters.set("user_ns", ns(usage.ru_utime));
        counters.set("system_ns", ns(usage.ru_stime));
        counters.set("voluntary_switches", Some(usage.ru_nvcsw as u64));
        counters.set("involuntary_switches", Some(usage.ru_nivcsw as u64));
        counters.set("minor_faults", Some(usage.ru_minflt as u64));
        counters.set("major_faults", Some(usage.ru_majflt as u64));
    }
    counters
}

#[expect(unsafe_code, reason = "getrusage has no safe wrapper among the crates used here")]
fn usage() -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the structure it is given, and reports whether it did.
    unsafe { (libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) == 0).then(|| usage.assume_init()) }
}

/// Returns the instructions in user mode of the threads that existed at the first call, and of the threads that they started since.
fn instructions() -> Option<u64> {
    static THREADS: OnceLock<Option<Vec<File>>> = OnceLock::new();
    let threads = THREADS.get_or_init(|| {
        let tasks = fs::read_dir("/proc/self/task").ok()?;
        tasks.map(|task| count_instructions(task.ok()?.file_name().to_str()?.parse().ok()?)).collect()
    });
    let count = |mut counter: &File| {
        let mut count = [0; 8];
        counter.read_exact(&mut count).ok().map(|()| u64::from_ne_bytes(count))
    };
    threads.as_ref()?.iter().map(count).sum()
}

/// Makes the kernel count a thread's instructions, if the machine supports it and this process is allowed to: perf_event_open(2).
#[expect(unsafe_code, reason = "perf_event_open has no wrapper in the C library")]
fn count_instructions(thread: libc::pid_t) -> Option<File> {
    /// The first version of the kernel's `perf_event_attr`, which every later version accepts.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        sample_period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        breakpoint_type: u32,
        breakpoint_address: u64,
    }
    const INSTRUCTIONS: u64 = 1;
    const INHERIT: u64 = 1 << 1;
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        config: INSTRUCTIONS,
        flags: INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
        ..Attributes::default()
    };
    // SAFETY: the attributes have the size that they state; a returned descriptor has no other owner.
    unsafe {
        let counter = libc::syscall(libc::SYS_perf_event_open, &raw const attributes, thread, -1, -1, CLOSE_ON_EXEC);
        (counter >= 0).then(|| File::from_raw_fd(counter as i32))
    }
}

/// Resets the peak of resident memory to the current resident memory, if the kernel supports it.
pub fn reset_peak_rss() {
    /// Open since the first call: a worker may write to this file only while the kernel remembers it, and the kernel forgets files that are
    /// not open.
    static REFERENCES: OnceLock<Option<File>> = OnceLock::new();
    let references = REFERENCES.get_or_init(|| OpenOptions::new().write(true).open("/proc/self/clear_refs").ok());
    // Best effort: if it fails, the peak is the one of the whole run so far, an upper bound.
    let _ = references.as_ref().map(|mut references| references.write_all(b"5"));
}

pub fn peak_rss_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    field(&status, "VmHWM:").unwrap_or(0) * 1024
}

/// Returns the resident memory, bytes.
pub fn rss_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    field(&status, "VmRSS:").unwrap_or(0) * 1024
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Returns the bytes on disk below a folder: of all files, and of the files that are neither named `main_file` nor below a folder of that
/// name.
///
/// A sparse file (such as a memory-mapped file) counts with the bytes it occupies, not with its length.
pub fn disk_bytes(folder: &Path, main_file: &str) -> io::Result<(u64, u64)> {
    let (mut total, mut side) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            // Engines with background threads may delete files meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let (bytes, beside) = if metadata.is_dir() {
            disk_bytes(&entry.path(), main_file)?
        } else {
            let bytes = metadata.len().min(metadata.blocks() * 512);
            (bytes, bytes)
        };
        total += bytes;
        side += if entry.file_name() == main_file { 0 } else { beside };
    }
    Ok((total, side))
}
