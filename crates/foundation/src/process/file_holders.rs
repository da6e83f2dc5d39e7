//! The processes that hold a lock on a file.

use std::{fmt, fs, os::unix::fs::MetadataExt, path::Path};

/// A process that holds a lock on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHolder {
    pub process: u32,
    /// The name of its program, if the system reports it.
    pub program: Option<String>,
}

impl fmt::Display for FileHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.program {
            Some(program) => write!(f, "{program} (process {})", self.process),
            None => write!(f, "process {}", self.process),
        }
    }
}

/// Returns the other processes that hold a lock on any of these files, as far as the system reports them.
pub fn file_holders(files: &[&Path]) -> Vec<FileHolder> {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let inode = |file: &&Path| Some(fs::metadata(file).ok()?.ino());
    let mut processes: Vec<u32> = files.iter().filter_map(inode).flat_map(|inode| holders_of(&locks, inode)).collect();
    processes.sort_unstable();
    processes.dedup();
    processes.retain(|process| *process != std::process::id());
    let program = |process| fs::read_to_string(format!("/proc/{process}/comm")).ok();
    let holder = |process| FileHolder { process, program: program(process).map(|name| name.trim().to_owned()) };
    processes.into_iter().map(holder).collect()
}

/// Returns the other processes that hold a lock on any of these files, in words; none if the system reports none.
pub fn held_by(files: &[&Path]) -> Option<String> {
    let holders: Vec<String> = file_holders(files).iter().map(FileHolder::to_string).collect();
    (!holders.is_empty()).then(|| holders.join(", "))
}

/// Returns the processes that hold a lock on the file with this inode, from the text of `/proc/locks`: `1: FLOCK ADVISORY WRITE PID
/// MAJ:MIN:INODE 0 EOF`. The device is not compared: some file systems have another number here than for a file. A waiting process (`->`)
/// holds nothing, and a process outside of this container has the number 0 or -1.
fn holders_of(locks: &str, inode: u64) -> Vec<u32> {
    let held = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        words.next().filter(|kind| *kind != "->")?;
        let process = words.nth(2)?.parse().ok().filter(|process| *process > 0)?;
        let file = words.next()?.rsplit(':').next()?;
        (file.parse() == Ok(inode)).then_some(process)
    };
    locks.lines().filter_map(held).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_a_file_is_told_by_the_system() {
        let locks = "\
1: FLOCK  ADVISORY  WRITE 29092 fe:00:10756797 0 EOF
2: POSIX  ADVISORY  READ 28948 fe:00:10756797 0 EOF
2: -> FLOCK  ADVISORY  WRITE 77 fe:00:10756797 0 EOF
3: OFDLCK ADVISORY  READ -1 fe:00:10756797 0 EOF
4: FLOCK  ADVISORY  READ 5 fe:00:107 0 EOF
garbage
";
        assert_eq!(holders_of(locks, 10_756_797), [29092, 28948]);
        assert_eq!(holders_of(locks, 107), [5]);
        assert_eq!(holders_of(locks, 7), [0; 0]);
        assert_eq!(holders_of("", 7), [0; 0]);
    }
}
