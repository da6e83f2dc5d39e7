//! What a test cost besides time: CPU, context switches, bytes read and written, memory, disk, sync calls.

use crate::syncs;
use dbdyno_engine::counters::Counters;
use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

/// The counters of this process since it began, by the names of the figures that they are. Those that cannot be read are not there.
pub fn counters() -> Counters {
    let mut counters = Counters::default();
    let io = fs::read_to_string("/proc/self/io").unwrap_or_default();
    counters.set("read_bytes", field(&io, "read_bytes:"));
    counters.set("written_bytes", field(&io, "write_bytes:"));
    counters.set("syncs", Some(syncs::calls()));
    if let Some(usage) = usage() {
        let ns = |time: libc::timeval| Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000);
        counters.set("user_ns", ns(usage.ru_utime));
        counters.set("system_ns", ns(usage.ru_stime));
        counters.set("voluntary_switches", Some(usage.ru_nvcsw as u64));
        counters.set("involuntary_switches", Some(usage.ru_nivcsw as u64));
    }
    counters
}

#[expect(unsafe_code, reason = "getrusage has no safe wrapper among the crates used here")]
fn usage() -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the structure it is given, and says so.
    unsafe { (libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) == 0).then(|| usage.assume_init()) }
}

/// Makes the peak of resident memory start again from what is resident now, where the kernel can.
pub fn reset_peak_rss() {
    // Best effort: without it the peak is that of the whole run so far, an upper bound.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Peak of resident memory, bytes.
pub fn peak_rss_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    field(&status, "VmHWM:").unwrap_or(0) * 1024
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Bytes on disk below a folder: of all files, and of those that are neither called `main_file` nor below a folder of
/// that name.
///
/// A file counts with what it occupies, not with its length, where it is sparse (a memory map's file).
pub fn disk_bytes(folder: &Path, main_file: &str) -> io::Result<(u64, u64)> {
    let (mut total, mut side) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            // Engines with background threads delete files while we look.
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
