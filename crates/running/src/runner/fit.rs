//! Whether a plan fits the work folder's disk, and what it will take there.

use dbdyno_catalog::bench::{BenchPlan, Estimate, History, Space, check_space, estimate};
use dbdyno_foundation::host::{WorkFolderFacts, measure_fsync};
use std::{path::Path, time::Duration};

/// What a small synced write is taken to cost where that cannot be measured.
const GUESSED_FSYNC: Duration = Duration::from_millis(5);

/// Estimates a plan, and refuses it when the work folder's disk has no room for it.
///
/// # Errors
/// What to say to the user.
pub fn fit(plan: &BenchPlan, work_dir: &Path, history: &impl History) -> Result<Estimate, String> {
    let facts = WorkFolderFacts::read(work_dir);
    let fsync = measure_fsync(work_dir).map_or(GUESSED_FSYNC, Duration::from_nanos);
    let estimate = estimate(plan, history, fsync);
    if let (Some(free), Some(total)) = (facts.free_bytes, facts.total_bytes) {
        check_space(&estimate, Space { free, total }, &facts.path)?;
    }
    Ok(estimate)
}
