//! Unfinished sessions, and how a process takes them over.

use super::{ActorRecord, HarnessRecord, RunRecord, SessionRecord, Store, StoreError, TestRecord, error::Doing};
use duckdb::params;

/// Sessions of a host that can be resumed.
const LEFT: &str = "status IN ('interrupted', 'cancelled') AND plan IS NOT NULL AND host_id IN (?, ?)";

/// An unfinished session with its records.
#[derive(Debug, Clone)]
pub struct LeftSession {
    pub session: SessionRecord,
    /// Its runs, in order.
    pub runs: Vec<RunRecord>,
    pub results: Vec<TestRecord>,
    /// The records of the actors of tests with several threads.
    pub actors: Vec<ActorRecord>,
    /// The harness's costs, if they were measured.
    pub harness: Vec<HarnessRecord>,
}

impl Store {
    /// Whether there is an unfinished session of this host, by either of its identifiers, that can be resumed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn has_left_session(&self, [id, former]: &[String; 2]) -> Result<bool, StoreError> {
        let found: Vec<(bool,)> = self.rows(&format!("SELECT EXISTS (FROM session WHERE {LEFT})"), &[id, former])?;
        Ok(found == [(true,)])
    }

    /// Returns the session whose identifier begins with `id`, or without `id` the last unfinished session of this host that can be
    /// resumed. `None` if there is none.
    ///
    /// # Errors
    /// Several sessions match, or the store cannot be read.
    pub fn left_session(
        &self,
        id: Option<&str>,
        [host_id, former]: &[String; 2],
    ) -> Result<Option<LeftSession>, StoreError> {
        let mut sessions: Vec<SessionRecord> = match id {
            Some(id) => self.records("starts_with(session_id::VARCHAR, lower(?))", "started_at", &[&id])?,
            None => self.records(LEFT, "started_at", &[host_id, former])?,
        };
        if id.is_some() && sessions.len() > 1 {
            let message = format!("{} sessions begin with these characters: give more characters", sessions.len());
            return Err(StoreError::Query { message });
        }
        let Some(session) = sessions.pop() else { return Ok(None) };
        let id = session.session_id.clone();
        let of_runs = "run_id IN (SELECT run_id FROM run WHERE session_id = ?)";
        Ok(Some(LeftSession {
            session,
            runs: self.records("session_id = ?", "ordinal", &[&id])?,
            results: self.records(of_runs, "finished_at", &[&id])?,
            actors: self.records(of_runs, "finished_at", &[&id])?,
            harness: self.records("session_id = ?", "test", &[&id])?,
        }))
    }

    /// Returns the UUID of the latest session of a host with all of these configurations, each as `LABEL SIZE`. A host has two
    /// identifiers: its own, and a former one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn latest_session_with(
        &self,
        suite: &str,
        [host_id, former]: &[String; 2],
        configurations: &[String],
    ) -> Result<Option<String>, StoreError> {
        let wanted = serde_json::to_string(configurations).unwrap_or_default();
        let sql = "SELECT s.session_id::VARCHAR FROM session s
             WHERE s.source IS NULL AND s.status = 'done' AND s.suite = ? AND s.host_id::VARCHAR IN (?, ?)
             AND (SELECT count(DISTINCT r.label || ' ' || r.size) FROM run r WHERE r.session_id = s.session_id
                  AND list_contains(system.main.from_json(?, '[\"VARCHAR\"]'), r.label || ' ' || r.size)) = ?
             ORDER BY s.started_at DESC LIMIT 1";
        let count = configurations.len() as u64;
        let found: Vec<(String,)> = self.rows(sql, &[&suite, host_id, former, &wanted, &count])?;
        Ok(found.into_iter().next().map(|(session,)| session))
    }

    /// Makes this process the owner of a session that no process runs any more, and returns whether it did. Deletes the findings of an
    /// earlier end, because the next end looks for them again.
    ///
    /// # Errors
    /// A store that cannot be opened or written.
    pub fn claim(&self, session: &SessionRecord) -> Result<bool, StoreError> {
        self.writing(|connection| {
            let mut claim = || -> duckdb::Result<bool> {
                let transaction = connection.transaction()?;
                let claimed = transaction.execute(
                    "UPDATE session SET status = 'running', owner = ?, finished_at = NULL
                     WHERE session_id = ? AND status IN ('interrupted', 'cancelled')",
                    params![session.owner, session.session_id],
                )?;
                if claimed == 1 {
                    transaction.execute("DELETE FROM warning WHERE session_id = ?", [&session.session_id])?;
                }
                transaction.commit()?;
                Ok(claimed == 1)
            };
            claim().doing(self.path())
        })
    }
}
