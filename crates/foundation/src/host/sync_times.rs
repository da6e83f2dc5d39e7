//! The times of syncs of nothing, of a small and of a large amount, which together show whether syncs do anything.

use super::fsync::fill;
use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::Path,
    time::{Duration, Instant},
};

const ROUNDS: usize = 20;
const LARGE_ROUNDS: usize = 3;
/// After this time no further round begins.
const BUDGET: Duration = Duration::from_secs(1);
const SMALL: usize = 4096;
const LARGE: usize = 16 << 20;

/// The shortest time of each kind, because other work of the machine makes a sync longer, never shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncTimes {
    /// To sync a file to which nothing was written, ns.
    pub nothing_ns: u64,
    /// To write 4 KiB and sync them, ns.
    pub small_ns: u64,
    /// To sync [`Self::LARGE_BYTES`] written before, ns; without the write, which is a copy in memory.
    pub large_ns: u64,
}

impl SyncTimes {
    pub const LARGE_BYTES: u64 = LARGE as u64;

    /// Measures on a temporary file in `folder` that has no name, so nothing is left of it in any case.
    ///
    /// # Errors
    /// The file cannot be created, written or synced: the folder is missing, read-only, or full.
    pub fn measure(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        let mut state = u64::from(std::process::id());
        let small_ns = shortest(ROUNDS, || written(&file, SMALL, &mut state).map(|(write, sync)| write + sync))?;
        let nothing_ns = shortest(ROUNDS, || synced(&file))?;
        // The first round allocates the blocks, which takes longer: the shortest is another one.
        let large_ns = shortest(LARGE_ROUNDS, || written(&file, LARGE, &mut state).map(|(_, sync)| sync))?;
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Ok(Self { nothing_ns: ns(nothing_ns), small_ns: ns(small_ns), large_ns: ns(large_ns) })
    }
}

/// Returns the shortest of some rounds, at least two.
fn shortest(rounds: usize, mut round: impl FnMut() -> io::Result<Duration>) -> io::Result<Duration> {
    let start = Instant::now();
    let mut least = round()?.min(round()?);
    for _ in 2..rounds {
        if start.elapsed() > BUDGET {
            break;
        }
        least = least.min(round()?);
    }
    Ok(least)
}

/// Measures the time to write this number of new bytes, and the time to sync them.
fn written(file: &File, bytes: usize, state: &mut u64) -> io::Result<(Duration, Duration)> {
    let mut block = vec![0; bytes];
    fill(&mut block, state);
    let begin = Instant::now();
    file.write_all_at(&block, 0)?;
    let write = begin.elapsed();
    Ok((write, synced(file)?))
}

fn synced(file: &File) -> io::Result<Duration> {
    let begin = Instant::now();
    file.sync_data()?;
    Ok(begin.elapsed())
}

#[cfg(test)]
mod tests {
    use super::super::scratch::TestFolder;
    use super::*;
    use std::fs;

    #[test]
    fn the_shortest_round_counts() {
        let mut rounds = [9, 4, 7].into_iter().map(Duration::from_nanos);
        assert_eq!(shortest(3, || Ok(rounds.next().unwrap())).unwrap(), Duration::from_nanos(4));
        assert!(shortest(3, || Err(io::Error::other("full"))).is_err());
    }

    #[test]
    fn nothing_is_left_of_the_file() {
        let scratch = TestFolder::new("sync-times");
        assert!(SyncTimes::measure(scratch.path()).unwrap().small_ns > 0);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        assert!(SyncTimes::measure(&scratch.path().join("no")).is_err());
    }
}
