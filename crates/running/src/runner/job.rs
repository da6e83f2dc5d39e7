//! The job of a worker, and the limits within which it may do it.

use super::{SessionLaunch, folder::RunFolder};
use dbdyno_catalog::bench::Configuration;
use dbdyno_engine::{
    confine::Confinement,
    protocol::{CacheStart, Job, PROTOCOL, SuiteJob},
};
use std::{path::Path, time::Duration};

/// Time between two progress events.
const PROGRESS: Duration = Duration::from_millis(100);
/// The deadline of a run: this many times its expected duration, and at least [`LEAST_DEADLINE`].
pub(super) const DEADLINE_FACTOR: u32 = 50;
pub(super) const LEAST_DEADLINE: Duration = Duration::from_secs(600);
/// How large an engine may make a file before it has content, as a multiple of the data. LMDB begins with a map of eight times the data,
/// and doubles a map that is half full.
const AHEAD_OF_DATA: u64 = 32;
/// The same as a multiple of a size that an option sets, such as the size of a map.
const AHEAD_OF_SIZES: u64 = 2;

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
        // A single-threaded test is the same in all versions.
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
        explain: false,
        slices: None,
    }
}

/// Returns the limits for the worker of a job whose databases are below a folder.
pub fn confinement<'f>(job: &Job, folder: &'f Path, deadline: Duration) -> Confinement<'f> {
    let data = match &job.suite {
        SuiteJob::Kv(suite) => suite.data_bytes,
        SuiteJob::Sql(suite) => suite.data_bytes,
    };
    let sizes = job.options.to_map().into_values().filter_map(|value| value.parse::<u64>().ok());
    let ahead = sizes.max().unwrap_or(0).saturating_mul(AHEAD_OF_SIZES);
    Confinement::within(folder, ahead.max(data.saturating_mul(AHEAD_OF_DATA)), deadline)
}
