//! What there is to compare, for whoever has not chosen yet.

use super::super::{Store, StoreError, select::literal};
use serde::Deserialize;

/// A configuration that was measured, by its label.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Offer {
    /// Its label in its session.
    pub label: String,
    pub suite: String,
    /// Its session; none: over all sessions.
    pub session: Option<String>,
    pub runs: u64,
    /// Sizes, with spaces between.
    pub sizes: String,
    /// Durability tiers, with spaces between.
    pub tiers: String,
}

impl Offer {
    /// The selection that means it. The label comes last: it may hold what begins another term.
    pub fn selection(&self) -> String {
        // A session is named by the beginning that no other can have: the millisecond of its start.
        let session = self.session.as_ref().map(|id| format!("session={} ", id.chars().take(13).collect::<String>()));
        format!("suite={} {}label={}", literal(&self.suite), session.unwrap_or_default(), literal(&self.label))
    }
}

/// Configurations of the last session that has two or more.
const LAST: &str = "
    WITH last AS (
        SELECT session_id FROM run WHERE status <> 'invalid' GROUP BY session_id
        HAVING count(DISTINCT label) > 1 ORDER BY max(started_at) DESC NULLS LAST, session_id DESC LIMIT 1
    ), picked AS (SELECT r.*, r.session_id::VARCHAR AS whose FROM run r JOIN last USING (session_id))";

/// Configurations of the suite that was run last, whatever their sessions.
const ALL: &str = "
    WITH last AS (SELECT suite FROM run ORDER BY started_at DESC NULLS LAST LIMIT 1),
    picked AS (SELECT r.*, NULL::VARCHAR AS whose FROM run r JOIN last USING (suite))";

/// The most common first, and those that ran first before others.
const OFFERS: &str = "
    SELECT label, suite, whose AS session, count(*) AS runs, array_to_string(list_sort(list(DISTINCT size)), ' ') AS sizes,
           coalesce(array_to_string(list_sort(list(DISTINCT tier)), ' '), '') AS tiers
    FROM picked WHERE run_id IN (SELECT run_id FROM result)
    GROUP BY label, suite, whose ORDER BY runs DESC, min(ordinal), label";

impl Store {
    /// The configurations of the last session that has several; of all sessions, where each has only one.
    ///
    /// # Errors
    /// What is wrong with the store.
    pub fn offers(&self) -> Result<Vec<Offer>, StoreError> {
        let last: Vec<Offer> = self.rows(&format!("{LAST} {OFFERS}"), &[])?;
        if last.is_empty() { self.rows(&format!("{ALL} {OFFERS}"), &[]) } else { Ok(last) }
    }
}
