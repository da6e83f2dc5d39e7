//! The sessions of the chosen runs.

use super::{RunTests, SessionConditions, SessionFacts, SessionHost, SessionWarning};
use crate::{StoreError, read::rows};
use dbdyno_foundation::host::Limits;
use duckdb::Connection;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

const SESSIONS: &str = r#"
    SELECT s.session_id::VARCHAR AS session_id, coalesce(strftime(s.started_at, '%Y-%m-%dT%H:%M:%SZ'), 'unknown') AS started_at,
           coalesce(s.dbdyno_version, 'none (' || s.source || ')', 'unknown') AS dbdyno_version,
           coalesce(s.debug_build, false) AS debug_build, coalesce(s.command_line, '') AS command_line,
           s.file_system, s.disk_model, s.host_id::VARCHAR AS host_id, coalesce(h.name, '?') AS name, h.cpu_model,
           h.cores::UINTEGER AS cores, h.memory_bytes::UBIGINT AS memory_bytes, coalesce(s.kernel, h.kernel, '?') AS kernel,
           h.os, h.virtualisation, added.adds_to,
           s.mount_options, s.fsync_ns::UBIGINT AS fsync_ns, s.sync_least_ns, s.syncs_believed, s.sync_doubt, s.cpu_governor, s.clock_source,
           s.build_profile, s.build_flags, s.cpus_allowed::UINTEGER AS cpus_allowed, s.cpu_quota,
           s.memory_max_bytes::UBIGINT AS memory_max_bytes, s.preloaded, s.allocator,
           -- Few sessions have it, and parsing all details takes long.
           CASE WHEN contains(s.details, '"looks":') THEN s.details::JSON->>'looks' END AS looks
    FROM session s LEFT JOIN host h USING (host_id) LEFT JOIN (
        SELECT r.session_id, TRY_CAST(max(k.value) AS UUID)::VARCHAR AS adds_to
        FROM run_key k JOIN run r USING (run_id) WHERE k.key = 'adds_to' GROUP BY r.session_id
    ) added ON added.session_id = s.session_id
    WHERE s.session_id IN (SELECT session_id FROM chosen_run)
    ORDER BY s.started_at"#;

/// The linters' findings about the sessions; a finding about one configuration names one of its runs.
const WARNINGS: &str = "
    SELECT w.session_id::VARCHAR AS session_id, about.label, about.size, w.linter, w.matter, w.message
    FROM warning w LEFT JOIN run about ON about.run_id = w.run_id
    WHERE w.session_id IN (SELECT session_id FROM chosen_run) AND (w.run_id IS NULL OR about.run_id IS NOT NULL)
    ORDER BY w.linter, w.message";

#[derive(Debug, Clone, Deserialize)]
struct SessionRow {
    session_id: Uuid,
    started_at: String,
    dbdyno_version: String,
    debug_build: bool,
    command_line: String,
    file_system: Option<String>,
    disk_model: Option<String>,
    host_id: String,
    name: String,
    cpu_model: Option<String>,
    cores: Option<u32>,
    memory_bytes: Option<u64>,
    kernel: String,
    os: Option<String>,
    virtualisation: Option<String>,
    adds_to: Option<Uuid>,
    mount_options: Option<String>,
    fsync_ns: Option<u64>,
    sync_least_ns: Option<u64>,
    syncs_believed: Option<bool>,
    sync_doubt: Option<String>,
    cpu_governor: Option<String>,
    clock_source: Option<String>,
    build_profile: Option<String>,
    build_flags: Option<String>,
    cpus_allowed: Option<u32>,
    cpu_quota: Option<f64>,
    memory_max_bytes: Option<u64>,
    preloaded: Option<String>,
    allocator: Option<String>,
    looks: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WarningRow {
    session_id: Uuid,
    /// The configuration that it is about, with its size; none: the session.
    label: Option<String>,
    size: Option<String>,
    #[serde(flatten)]
    warning: SessionWarning,
}

/// Returns for each side the sessions of its runs, the earliest first, each with the linters' findings about it or about the
/// configurations of those runs. Sides are those of the chosen runs that have a finished test; sessions without one are left out.
pub(super) fn read(connection: &Connection, sides: &[Vec<RunTests>]) -> Result<Vec<Vec<SessionFacts>>, StoreError> {
    let warnings: Vec<WarningRow> = rows(connection, WARNINGS, &[])?;
    let known: Vec<SessionRow> = rows(connection, SESSIONS, &[])?;
    Ok(sides.iter().map(|runs| of_side(&known, &warnings, runs)).collect())
}

fn of_side(known: &[SessionRow], warnings: &[WarningRow], runs: &[RunTests]) -> Vec<SessionFacts> {
    // Runs of one session are mostly adjacent.
    let parts = runs.chunk_by(|one, next| one.session_id == next.session_id);
    let sessions: HashSet<Uuid> = parts.filter_map(<[_]>::first).map(|run| run.session_id).collect();
    let mut warnings = of_runs(warnings.iter().filter(|warning| sessions.contains(&warning.session_id)), runs);
    let known = known.iter().filter(|row| sessions.contains(&row.session_id));
    known
        .map(|row| {
            let own = warnings.remove(&row.session_id).unwrap_or_default();
            row.facts(own)
        })
        .collect()
}

/// Returns the findings about each session, without those about configurations that the runs do not have.
fn of_runs<'w>(
    warnings: impl Iterator<Item = &'w WarningRow> + Clone,
    runs: &[RunTests],
) -> HashMap<Uuid, Vec<SessionWarning>> {
    let of_configurations = warnings.clone().filter(|warning| warning.label.is_some());
    let doubted: HashSet<Uuid> = of_configurations.map(|warning| warning.session_id).collect();
    let runs = runs.iter().filter(|run| doubted.contains(&run.session_id));
    let configurations: HashSet<(Uuid, &str, &str)> =
        runs.map(|run| (run.session_id, &*run.label, &*run.size)).collect();
    let mut said: HashMap<Uuid, Vec<SessionWarning>> = HashMap::new();
    for WarningRow { session_id, label, size, warning } in warnings {
        let is_said = match (label, size) {
            (Some(label), Some(size)) => configurations.contains(&(*session_id, label.as_str(), size.as_str())),
            _ => true,
        };
        if is_said {
            said.entry(*session_id).or_default().push(warning.clone());
        }
    }
    said
}

impl SessionRow {
    fn facts(&self, warnings: Vec<SessionWarning>) -> SessionFacts {
        let row = self.clone();
        SessionFacts {
            session_id: row.session_id,
            started_at: row.started_at,
            dbdyno_version: row.dbdyno_version,
            debug_build: row.debug_build,
            command_line: row.command_line,
            file_system: row.file_system,
            disk_model: row.disk_model,
            conditions: SessionConditions {
                mount_options: row.mount_options,
                fsync_ns: row.fsync_ns,
                sync_least_ns: row.sync_least_ns,
                syncs_believed: row.syncs_believed,
                sync_doubt: row.sync_doubt,
                cpu_governor: row.cpu_governor,
                clock_source: row.clock_source,
                build_profile: row.build_profile,
                build_flags: row.build_flags,
                limits: row.cpus_allowed.map(|cpus| Limits {
                    cpus,
                    cpu_quota: row.cpu_quota,
                    memory_bytes: row.memory_max_bytes,
                }),
                preloaded: row.preloaded,
                allocator: row.allocator,
            },
            warnings,
            adds_to: row.adds_to,
            // Edited details may hold anything.
            looks: row.looks.and_then(|looks| serde_json::from_str(&looks).ok()),
            host: SessionHost {
                host_id: row.host_id,
                name: row.name,
                cpu_model: row.cpu_model,
                cores: row.cores,
                memory_bytes: row.memory_bytes,
                kernel: row.kernel,
                os: row.os,
                virtualisation: row.virtualisation,
            },
        }
    }
}
