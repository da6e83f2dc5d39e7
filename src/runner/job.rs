//! What a worker is told to do.

use super::{SessionLaunch, folder::RunFolder};
use crate::bench::Configuration;
use dbdyno_engine::protocol::{CacheStart, Job, PROTOCOL, SuiteJob};
use std::time::Duration;

/// Time between two progress events.
const PROGRESS: Duration = Duration::from_millis(100);
/// The deadline of a run: so many times what it is expected to take, and at least [`LEAST_DEADLINE`].
pub(super) const DEADLINE_FACTOR: u32 = 50;
pub(super) const LEAST_DEADLINE: Duration = Duration::from_secs(600);

#[expect(clippy::too_many_arguments, reason = "what a job is made of")]
pub(super) fn job(
    launch: &SessionLaunch,
    run_id: String,
    configuration: &Configuration,
    suite: SuiteJob,
    cache: CacheStart,
    folder: &RunFolder,
    seed: u64,
    deadline: Duration,
) -> Job {
    Job {
        // A test of one thread is the same in all versions.
        protocol: configuration.engine.description.protocol.min(PROTOCOL),
        run_id,
        engine: configuration.engine_name().to_owned(),
        options: configuration.settings.clone(),
        suite,
        size: configuration.size,
        seed,
        folder: folder.databases(),
        cpu: launch.cpu,
        cache,
        progress_ms: PROGRESS.as_millis() as u64,
        deadline_ms: Some(deadline.as_millis() as u64),
        wait: true,
        keep_folder: launch.keep_databases,
    }
}
