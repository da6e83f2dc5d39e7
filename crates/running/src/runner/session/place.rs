//! Where a session runs: the machine, the work folder, and whether data synced there reaches a disk.

use super::{RunningSession, SessionError};
use crate::runner::SessionLaunch;
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_foundation::{
    base::identifier::identifier,
    host::{HostFacts, Limits, Load, Preloaded, SyncDoubt, SyncEvidence, WorkFolderFacts, measure_fsync},
};
use dbdyno_store::{Batch, HostRecord, SessionRecord, Status};
use jiff::Timestamp;

/// Creates the work folder if it is missing, and returns its facts.
pub(super) fn work_folder(launch: &SessionLaunch) -> Result<WorkFolderFacts, SessionError> {
    let failed = |error| SessionError::WorkFolder { folder: launch.work_dir.clone(), error };
    std::fs::create_dir_all(&launch.work_dir).map_err(failed)?;
    let mut facts = WorkFolderFacts::read(&launch.work_dir);
    facts.fsync_ns = Some(measure_fsync(&launch.work_dir).map_err(failed)?);
    Ok(facts)
}

/// Returns the record of a machine for the store.
pub fn host_record(host: &HostFacts) -> HostRecord {
    let host = host.clone();
    HostRecord {
        host_id: host.id(),
        name: host.name,
        cpu_model: host.cpu_model,
        cores: host.cores,
        memory_bytes: host.memory_bytes,
        kernel: host.kernel,
        architecture: host.architecture,
        virtualisation: host.virtualisation,
        os: host.os,
    }
}

/// Describes a session that begins now on this machine.
pub(super) fn describe(
    plan: &BenchPlan,
    launch: &SessionLaunch,
    host: &HostFacts,
    folder: &WorkFolderFacts,
) -> SessionRecord {
    let (load, limits, preloaded) = (Load::read(), Limits::read(), Preloaded::read());
    let details = serde_json::json!({
        "host": host, "work_folder": folder, "load": load, "limits": limits, "preloaded": preloaded,
        "closing": plan.closing
    });
    let folder = folder.clone();
    SessionRecord {
        session_id: identifier(),
        host_id: host.id(),
        started_at: Timestamp::now(),
        finished_at: None,
        status: Status::Running,
        dbdyno_version: env!("CARGO_PKG_VERSION").to_owned(),
        debug_build: cfg!(debug_assertions),
        build_profile: Some(env!("DBDYNO_BUILD_PROFILE").to_owned()),
        build_flags: Some(env!("DBDYNO_BUILD_FLAGS").to_owned()),
        command_line: launch.command_line.clone(),
        preset: launch.preset.clone(),
        suite: plan.suite.name.clone(),
        seed: plan.seed,
        rounds: plan.rounds,
        planned_runs: plan.runs.len() as u32,
        kernel: Some(host.kernel.clone()),
        work_folder: folder.path,
        file_system: folder.file_system,
        mount_options: folder.mount_options,
        device: folder.device,
        disk_model: folder.disk_model,
        fsync_ns: folder.fsync_ns,
        cpu_governor: load.cpu_governor,
        clock_source: load.clock_source,
        load_1: load.load_1,
        details: details.to_string(),
        owner: None,
        plan: None,
        source: None,
        source_file: None,
        syncs_believed: None,
        sync_least_ns: None,
        sync_doubt: None,
        cpus_allowed: limits.map(|limits| limits.cpus),
        cpu_quota: limits.and_then(|limits| limits.cpu_quota),
        memory_max_bytes: limits.and_then(|limits| limits.memory_bytes),
        preloaded: preloaded.libraries,
        allocator: preloaded.allocator,
    }
}

/// Adds to a session's details the first rounds of its later looks, if it goes on until all is decided.
pub(super) fn with_looks(details: &str, plan: &BenchPlan) -> String {
    let read: Result<serde_json::Value, _> = serde_json::from_str(details);
    match (plan.until_decided, read) {
        (Some(_), Ok(mut details)) => {
            details["looks"] = plan.looks.iter().map(|look| look.from).collect();
            details.to_string()
        }
        _ => details.to_owned(),
    }
}

impl RunningSession<'_> {
    /// Determines whether syncs of the work folder reach a disk, and stores the result. Does nothing if the session is asked to stop.
    pub(super) async fn examine_syncs(&mut self, facts: &WorkFolderFacts) {
        // The test writes and syncs some megabytes, which would disturb another session's run.
        let Some(_lock) = self.measurement_lock().await else { return };
        let folder = self.launch.work_dir.clone();
        let Ok(evidence) = tokio::task::spawn_blocking(move || SyncEvidence::read(&folder)).await else { return };
        let doubt = SyncDoubt::find(facts, &evidence);
        // Without measured sync times there may be a doubt, but no confirmation.
        self.record.syncs_believed = (doubt.is_some() || evidence.times.is_some()).then_some(doubt.is_none());
        self.record.sync_least_ns = evidence.times.map(|times| times.small_ns);
        self.record.sync_doubt = doubt.map(|doubt| doubt.to_string());
        self.keep(Batch { sessions: vec![self.record.clone()], ..Batch::default() }).await;
    }
}
