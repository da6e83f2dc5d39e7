//! The sessions of the chosen runs.

use super::{RunTests, SessionFacts, SessionHost};
use crate::store::{StoreError, read::rows};
use duckdb::Connection;
use serde::Deserialize;
use std::collections::HashSet;
use uuid::Uuid;

const SESSIONS: &str = "
    SELECT s.session_id::VARCHAR AS session_id, coalesce(strftime(s.started_at, '%Y-%m-%dT%H:%M:%SZ'), 'unknown') AS started_at,
           coalesce(s.dbdyno_version, 'none (' || s.source || ')', 'unknown') AS dbdyno_version,
           coalesce(s.debug_build, false) AS debug_build, coalesce(s.command_line, '') AS command_line,
           s.file_system, s.disk_model, s.host_id::VARCHAR AS host_id, coalesce(h.name, '?') AS name, h.cpu_model,
           h.cores::UINTEGER AS cores, h.memory_bytes::UBIGINT AS memory_bytes, coalesce(s.kernel, h.kernel, '?') AS kernel,
           h.os, h.virtualisation
    FROM session s LEFT JOIN host h USING (host_id)
    WHERE s.session_id IN (SELECT session_id FROM chosen_run)
    ORDER BY s.started_at";

/// What linters said of the sessions; what is about one configuration names one of its runs.
const WARNINGS: &str = "
    SELECT w.session_id::VARCHAR AS session_id, about.label, about.size, w.linter || ': ' || w.message AS message
    FROM warning w LEFT JOIN run about ON about.run_id = w.run_id
    WHERE w.session_id IN (SELECT session_id FROM chosen_run) AND (w.run_id IS NULL OR about.run_id IS NOT NULL)
    ORDER BY w.linter, w.message";

#[derive(Debug, Deserialize)]
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
}

#[derive(Debug, Deserialize)]
struct WarningRow {
    session_id: Uuid,
    /// The configuration that it is about, with its size; none: the session.
    label: Option<String>,
    size: Option<String>,
    message: String,
}

/// The sessions of the chosen runs, the first first.
#[derive(Debug)]
pub(super) struct Sessions {
    rows: Vec<SessionRow>,
    warnings: Vec<WarningRow>,
}

impl Sessions {
    pub(super) fn read(connection: &Connection) -> Result<Self, StoreError> {
        Ok(Self { rows: rows(connection, SESSIONS, &[])?, warnings: rows(connection, WARNINGS, &[])? })
    }

    /// The sessions of some runs, each with what linters said of it or of the configurations of those runs.
    pub(super) fn of(&self, runs: &[RunTests]) -> Vec<SessionFacts> {
        // Runs of one session mostly follow each other.
        let parts = runs.chunk_by(|one, next| one.session_id == next.session_id);
        let sessions: HashSet<Uuid> = parts.filter_map(<[_]>::first).map(|run| run.session_id).collect();
        let of_configurations = self.warnings.iter().filter(|warning| warning.label.is_some());
        let doubted: HashSet<Uuid> = of_configurations.map(|warning| warning.session_id).collect();
        let runs = runs.iter().filter(|run| doubted.contains(&run.session_id));
        let configurations: HashSet<(Uuid, &str, &str)> =
            runs.map(|run| (run.session_id, &*run.label, &*run.size)).collect();
        let is_said = |warning: &WarningRow| match (&warning.label, &warning.size) {
            (Some(label), Some(size)) => configurations.contains(&(warning.session_id, label, size)),
            _ => true,
        };
        let mut said: Vec<&WarningRow> =
            self.warnings.iter().filter(|warning| sessions.contains(&warning.session_id) && is_said(warning)).collect();
        said.sort_by_key(|warning| warning.session_id);
        let facts = |row: &SessionRow| {
            let from = said.partition_point(|warning| warning.session_id < row.session_id);
            let own = said[from..].iter().take_while(|warning| warning.session_id == row.session_id);
            row.facts(own.map(|warning| warning.message.clone()).collect())
        };
        self.rows.iter().filter(|row| sessions.contains(&row.session_id)).map(facts).collect()
    }
}

impl SessionRow {
    fn facts(&self, warnings: Vec<String>) -> SessionFacts {
        SessionFacts {
            session_id: self.session_id,
            started_at: self.started_at.clone(),
            dbdyno_version: self.dbdyno_version.clone(),
            debug_build: self.debug_build,
            command_line: self.command_line.clone(),
            file_system: self.file_system.clone(),
            disk_model: self.disk_model.clone(),
            warnings,
            host: SessionHost {
                host_id: self.host_id.clone(),
                name: self.name.clone(),
                cpu_model: self.cpu_model.clone(),
                cores: self.cores,
                memory_bytes: self.memory_bytes,
                kernel: self.kernel.clone(),
                os: self.os.clone(),
                virtualisation: self.virtualisation.clone(),
            },
        }
    }
}
