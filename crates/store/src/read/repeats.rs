//! Results of configurations in other sessions: the only measure of how far sessions differ.

use super::super::{Store, StoreError};
use dbdyno_foundation::metric::Metric;
use serde::Deserialize;
use uuid::Uuid;

/// A test of a configuration in one session.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RepeatedTest {
    /// Identifies the configuration, independent of its label.
    pub configuration: String,
    pub session_id: Uuid,
    pub suite: String,
    pub size: String,
    pub test: u32,
    /// Median of its values in the session, in the metric's unit.
    pub median: f64,
}

/// `given` has runs of the chosen configurations. Times that statistics exclude are excluded here too: those of failed tests, of wrong
/// answers, and of repeated runs.
const REPEATS: &str = "
    WITH given AS (SELECT unnest(string_split(?, ' '))::UUID AS run_id),
    kind AS (
        SELECT r.run_id, r.session_id, r.suite, r.size, r.status, {
            'engine': r.engine, 'version': r.engine_version, 'suite': r.suite, 'tier': r.tier, 'size': r.size,
            'memory': r.memory_limit_bytes, 'cache': coalesce(r.cache, 'warm'),
            'host': s.host_id, 'file_system': s.file_system, 'disk': s.disk_model
        }::VARCHAR AS kind
        FROM run r JOIN session s USING (session_id)
        -- What is cheap to compare comes first: most runs of a store are of something else.
        WHERE (r.engine, r.suite, r.size) IN (SELECT (engine, suite, size) FROM run WHERE run_id IN (FROM given))
    ),
    alike AS (SELECT * FROM kind WHERE kind IN (SELECT kind FROM kind WHERE run_id IN (FROM given))),
    options AS (
        SELECT run_id, list({'s': scope, 'n': name, 'v': coalesce(in_force, asked)} ORDER BY scope, name)::VARCHAR AS options
        FROM run_option WHERE run_id IN (SELECT run_id FROM alike) AND coalesce(in_force, asked) IS NOT NULL
        GROUP BY run_id
    ),
    configured AS (SELECT a.*, md5(a.kind || coalesce(o.options, '')) AS configuration FROM alike a LEFT JOIN options o USING (run_id))
    SELECT c.configuration, c.session_id::VARCHAR AS session_id, c.suite, c.size, t.test, median({value})::DOUBLE AS median
    FROM configured c JOIN result t USING (run_id)
    WHERE c.configuration IN (SELECT configuration FROM configured WHERE run_id IN (FROM given))
    AND c.status NOT IN ('invalid', 'superseded') AND {value} > 0 AND t.failure IS NULL AND t.agrees IS NOT false
    GROUP BY ALL ORDER BY ALL";

impl Store {
    /// Returns what a session recorded without a column of its own, as JSON. `None` if there is no such session, or if it was imported.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn session_details(&self, session_id: &str) -> Result<Option<String>, StoreError> {
        if !self.exists() {
            return Ok(None);
        }
        let sql = "SELECT details::VARCHAR FROM session WHERE session_id = ?::UUID";
        let found: Vec<(Option<String>,)> = self.rows(sql, &[&session_id])?;
        Ok(found.into_iter().next().and_then(|(details,)| details))
    }

    /// Whether any session was imported.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn has_imported_sessions(&self) -> Result<bool, StoreError> {
        let found: Vec<(bool,)> = self.rows("SELECT true FROM session WHERE source IS NOT NULL LIMIT 1", &[])?;
        Ok(!found.is_empty())
    }

    /// Returns the values of a metric for the configurations of these runs, in every session of the same host and disk, including the
    /// runs' own sessions.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn repeats(&self, run_ids: &[Uuid], metric: Metric) -> Result<Vec<RepeatedTest>, StoreError> {
        if run_ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = REPEATS.replace("{value}", &format!("({})", metric.compared_sql()));
        let ids: Vec<String> = run_ids.iter().map(Uuid::to_string).collect();
        self.rows(&sql, &[&ids.join(" ")])
    }
}
