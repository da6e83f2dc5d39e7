//! What it costs to make 4 KiB safe.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 20;
const BUDGET: Duration = Duration::from_secs(1);
/// Rounds that are made whatever they take, the first of which does not count: it may wait for what others have written.
const LEAST: usize = 4;
const BLOCK: usize = 4096;

/// Median nanoseconds of writing 4 KiB and waiting until the disk says that they are safe (`pwrite`, `fdatasync`).
///
/// 20 rounds, each over the same 4 KiB of a temporary file in `folder`, as a log that is used again: the cost of the
/// disk rather than of growing a file. After the first four, no round starts later than a second after the
/// first; one that hangs is waited for. The file has no name, so that nothing is left of it whatever happens.
///
/// # Errors
///
/// When the file cannot be made, written or synced: the folder is missing, read-only, full.
pub fn measure_fsync(folder: &Path) -> io::Result<u64> {
    let file = tempfile::tempfile_in(folder)?;
    let mut block = [0; BLOCK];
    let mut noise = u64::from(std::process::id());
    let mut times = Vec::with_capacity(ROUNDS + 1);
    let start = Instant::now();
    // One more than counts: the first also allocates the block.
    while times.len() <= ROUNDS && (times.len() < LEAST || start.elapsed() < BUDGET) {
        fill(&mut block, &mut noise);
        let begin = Instant::now();
        file.write_all_at(&block, 0)?;
        file.sync_data()?;
        times.push(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    let settled = if times.len() > 1 { &mut times[1..] } else { &mut times[..] };
    Ok(median(settled))
}

/// New bytes that no file system can compress or find elsewhere already.
pub(super) fn fill(block: &mut [u8], state: &mut u64) {
    for word in block.as_chunks_mut().0 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *word = state.to_le_bytes();
    }
}

/// The middle one, or the mean of the middle two; 0 of none.
fn median(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    let middle = times.len() / 2;
    match times {
        [] => 0,
        _ if times.len() % 2 == 1 => times[middle],
        _ => times[middle - 1].midpoint(times[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::TestFolder;
    use super::*;
    use std::fs;

    #[test]
    fn medians() {
        assert_eq!(median(&mut []), 0);
        assert_eq!(median(&mut [7]), 7);
        assert_eq!(median(&mut [9, 1, 5]), 5);
        assert_eq!(median(&mut [10, 1, 4, 100]), 7);
        assert_eq!(median(&mut [u64::MAX, u64::MAX]), u64::MAX);
    }

    #[test]
    fn leaves_nothing_behind() {
        let scratch = TestFolder::new("fsync");
        assert!(measure_fsync(scratch.path()).unwrap() > 0);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let scratch = TestFolder::new("fsync-missing");
        let error = measure_fsync(&scratch.path().join("no")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn blocks_differ() {
        let (mut a, mut b, mut state) = ([0; BLOCK], [0; BLOCK], 1);
        fill(&mut a, &mut state);
        fill(&mut b, &mut state);
        assert_ne!(a, b);
        assert_ne!(a[..8], a[8..16]);
    }
}
