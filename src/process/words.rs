//! How a process ended, in words: a limit that was met is named, and what to look at.

use crate::base::units;
use std::{os::unix::process::ExitStatusExt, path::Path, process::ExitStatus};

/// An exit status with what its signal says. `folder`: where the process wrote, for the room that is left there.
pub(crate) fn in_words(status: ExitStatus, folder: &Path) -> String {
    match status.signal().and_then(|signal| meaning(signal, folder)) {
        Some(meaning) => format!("{status}: {meaning}"),
        None => status.to_string(),
    }
}

fn meaning(signal: i32, folder: &Path) -> Option<String> {
    let words = match signal {
        libc::SIGXFSZ => {
            "a file reached the limit of file sizes, which `ulimit -f` shows, or what was free on the disk"
        }
        libc::SIGXCPU => {
            "it reached the limit of CPU time, which `ulimit -t` shows, or what all cores have until its deadline"
        }
        libc::SIGBUS => {
            let room = match rustix::fs::statvfs(folder) {
                Ok(disk) => {
                    let free = units::bytes(disk.f_bavail.saturating_mul(disk.f_frsize));
                    format!("{free} are free in {}", folder.display())
                }
                Err(_) => "look at the free space of the work folder".to_owned(),
            };
            return Some(format!(
                "a memory-mapped file could not be read or could not grow, as on a full disk: {room}"
            ));
        }
        libc::SIGKILL => "somebody killed it; the kernel does so when memory runs out, and `dmesg` shows it then",
        libc::SIGSEGV => {
            "it used memory that is not its own: a fault in the engine or its library, or a database whose file was damaged"
        }
        libc::SIGABRT => "it gave up by itself; the run's log may say why",
        libc::SIGILL => "it has an instruction that this CPU does not know, or met a fault it checks for",
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
        assert!(of(libc::SIGKILL).contains("memory"));
        assert_eq!(in_words(ExitStatus::from_raw(3 << 8), folder), "exit status: 3");
    }
}
