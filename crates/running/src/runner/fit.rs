//! Whether a plan fits on the work folder's disk, and how long it will take there.

use dbdyno_catalog::bench::{BenchEstimate, BenchPlan, RunTimeHistory, Space, check_space, estimate};
use dbdyno_foundation::host::{WorkFolderFacts, measure_fsync};
use std::{path::Path, time::Duration};

/// The assumed cost of a small synced write if it cannot be measured.
const GUESSED_FSYNC: Duration = Duration::from_millis(5);

/// Estimates a plan, and refuses it if the work folder's disk has too little room for it.
///
/// # Errors
/// The message for the user.
pub fn fit(plan: &BenchPlan, work_dir: &Path, history: &impl RunTimeHistory) -> Result<BenchEstimate, String> {
    let facts = WorkFolderFacts::read(work_dir);
    let fsync = measure_fsync(work_dir).map_or(GUESSED_FSYNC, Duration::from_nanos);
    let estimate = estimate(plan, history, fsync);
    if let (Some(free), Some(total)) = (facts.free_bytes, facts.total_bytes) {
        check_space(&estimate, Space { free, total }, &facts.path)?;
    }
    Ok(estimate)
}
