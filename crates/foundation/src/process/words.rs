//! Descriptions of how a process ended: they name a limit that it reached, and what to check.

use crate::base::units;
use rustix::process::{Resource, getrlimit};
use std::{os::unix::process::ExitStatusExt, path::Path, process::ExitStatus};

/// Describes an exit status with the meaning of its signal. `folder`: where the process wrote, for the space that is left there.
pub fn in_words(status: ExitStatus, folder: &Path) -> String {
    let Some(signal) = status.signal() else { return status.to_string() };
    let meaning = meaning(signal, folder).map(|meaning| format!(": {meaning}")).unwrap_or_default();
    let limited = limited(signal, getrlimit(Resource::As).current).unwrap_or_default();
    format!("{status}{meaning}{limited}")
}

/// Mentions the limit of address space, bytes, if a process ended as processes do when they reach it: few programs continue without
/// memory.
fn limited(signal: i32, address_space: Option<u64>) -> Option<String> {
    let limit = address_space.filter(|_| matches!(signal, libc::SIGABRT | libc::SIGSEGV))?;
    Some(format!(
        "; or it reached the limit of address space, which `ulimit -v` shows: {}, and engines that map files into memory need more",
        units::bytes(limit)
    ))
}

fn meaning(signal: i32, folder: &Path) -> Option<String> {
    let words = match signal {
        libc::SIGXFSZ => {
            "a file reached the limit of file sizes, which `ulimit -f` shows, or filled the free space of the disk"
        }
        libc::SIGXCPU => {
            "it reached the limit of CPU time, which `ulimit -t` shows, or the time of all cores until its deadline"
        }
        libc::SIGBUS => {
            let room = match rustix::fs::statvfs(folder) {
                Ok(disk) => {
                    let free = units::bytes(disk.f_bavail.saturating_mul(disk.f_frsize));
                    format!("{free} are free in {}", folder.display())
                }
                Err(_) => "check the free space of the work folder".to_owned(),
            };
            return Some(format!(
                "a memory-mapped file could not be read or could not grow, as on a full disk: {room}"
            ));
        }
        libc::SIGKILL => "it was killed; the kernel does this when memory runs out, and `dmesg` then shows it",
        libc::SIGSEGV => {
            "it accessed memory that does not belong to it: a bug in the engine or its library, or a damaged database file"
        }
        libc::SIGABRT => "it aborted; the run's log may say why",
        libc::SIGSYS => {
            "it made a system call of another architecture, as 32-bit programs do: build it for this machine"
        }
        libc::SIGILL => "it used an instruction that this CPU does not support, or one of its own checks failed",
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_named_beside_its_signal() {
        let folder = Path::new("/");
        let of = |signal| in_words(ExitStatus::from_raw(signal), folder);
        assert!(of(libc::SIGXFSZ).starts_with("signal: 25 (SIGXFSZ)") && of(libc::SIGXFSZ).contains("ulimit -f"));
        assert!(of(libc::SIGBUS).contains(" are free in /"), "{}", of(libc::SIGBUS));
        let limited = limited(libc::SIGABRT, Some(300 << 20)).unwrap();
        assert!(limited.contains("ulimit -v") && limited.contains("300 MiB"), "{limited}");
        assert!(of(libc::SIGSYS).contains("32-bit"));
        assert!(of(libc::SIGKILL).contains("memory"));
        assert_eq!(in_words(ExitStatus::from_raw(3 << 8), folder), "exit status: 3");
    }
}
