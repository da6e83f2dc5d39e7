//! Sessions that add rounds to another session, for a pair of its configurations and a test that were undecided.

use super::{KeyRecord, RunRecord, SessionRecord, Store, StoreError};

/// The key of runs that were added to another session: its value is that session's identifier.
pub const ADDS_TO: &str = "adds_to";

/// A run with the session that it belongs to. For an added run, this is the session that it was added to.
#[derive(Debug, Clone)]
pub struct OriginOfRun {
    pub run: RunRecord,
    pub session: SessionRecord,
}

impl Store {
    /// Returns the origin of a run, or `None` if the run is not stored.
    ///
    /// # Errors
    /// The store cannot be opened or read.
    pub fn origin_of_run(&self, run_id: &str) -> Result<Option<OriginOfRun>, StoreError> {
        let Some(run) = self.records::<RunRecord>("run_id = ?", "ordinal", &[&run_id])?.pop() else { return Ok(None) };
        let added: Vec<KeyRecord> = self.records("run_id = ? AND key = ?", "key", &[&run_id, &ADDS_TO])?;
        let session_id = added.into_iter().next().map_or_else(|| run.session_id.clone(), |key| key.value);
        let session = self.records::<SessionRecord>("session_id::VARCHAR = ?", "started_at", &[&session_id])?.pop();
        Ok(session.map(|session| OriginOfRun { run, session }))
    }
}
