//! The time of a durable write of 4 KiB.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 20;
const BUDGET: Duration = Duration::from_secs(1);
/// Rounds that are always made. The first one does not count, because it may wait for earlier writes of other processes.
const LEAST: usize = 4;
const BLOCK: usize = 4096;

/// Returns the median nanoseconds of writing 4 KiB and waiting until the disk reports them durable (`pwrite`, `fdatasync`).
///
/// Makes 20 rounds, each over the same 4 KiB of a temporary file in `folder`, like a log that is reused: this measures the disk and not
/// the growth of a file. After the first four, no round starts later than a second after the first; a round that hangs is waited for. The
/// file has no name, so nothing is left of it in any case.
///
/// # Errors
///
/// The file cannot be created, written or synced: the folder is missing, read-only, or full.
pub fn measure_fsync(folder: &Path) -> io::Result<u64> {
    let file = tempfile::tempfile_in(folder)?;
    let mut block = [0; BLOCK];
    let mut noise = u64::from(std::process::id());
    let mut times = Vec::with_capacity(ROUNDS + 1);
    let start = Instant::now();
    // One more than counts, because the first round also allocates the block.
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

/// Fills a block with new bytes that no file system can compress or deduplicate.
pub(super) fn fill(block: &mut [u8], state: &mut u64) {
    for word in block.as_chunks_mut().0 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *word = state.to_le_bytes();
    }
}

/// Returns the median, or the mean of the middle two; 0 for an empty slice.
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
