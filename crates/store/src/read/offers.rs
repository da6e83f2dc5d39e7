//! Suggestions of configurations to compare, for users who have not chosen yet.

use super::super::{Store, StoreError, select::literal};
use serde::Deserialize;

/// A measured configuration, by its label.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Offer {
    /// Its label in its session.
    pub label: String,
    pub suite: String,
    /// Its session; none: over all sessions.
    pub session: Option<String>,
    pub runs: u64,
    /// Sizes, separated by spaces.
    pub sizes: String,
    /// Durability tiers, separated by spaces.
    pub tiers: String,
}

impl Offer {
    /// Returns the selection of this configuration. The label comes last, because it may contain the beginning of another term.
    pub fn selection(&self) -> String {
        // Name the session by a prefix that no other session can have: the millisecond of its start.
        let session = self.session.as_ref().map(|id| format!("session={} ", id.chars().take(13).collect::<String>()));
        format!("suite={} {}label={}", literal(&self.suite), session.unwrap_or_default(), literal(&self.label))
    }
}

/// SQL for the configurations of the last session that has two or more.
const LAST: &str = "
    WITH last AS (
        SELECT session_id FROM run WHERE status <> 'invalid' GROUP BY session_id
        HAVING count(DISTINCT label) > 1 ORDER BY max(started_at) DESC NULLS LAST, session_id DESC LIMIT 1
    ), picked AS (SELECT r.*, r.session_id::VARCHAR AS whose FROM run r JOIN last USING (session_id))";

/// SQL for the configurations of the suite that was run last, in all sessions.
const ALL: &str = "
    WITH last AS (SELECT suite FROM run ORDER BY started_at DESC NULLS LAST LIMIT 1),
    picked AS (SELECT r.*, NULL::VARCHAR AS whose FROM run r JOIN last USING (suite))";

/// Most runs first; with equal counts, those that ran earlier in their session first.
const OFFERS: &str = "
    SELECT label, suite, whose AS session, count(*) AS runs, array_to_string(list_sort(list(DISTINCT size)), ' ') AS sizes,
           coalesce(array_to_string(list_sort(list(DISTINCT tier)), ' '), '') AS tiers
    FROM picked WHERE run_id IN (SELECT run_id FROM result)
    GROUP BY label, suite, whose ORDER BY runs DESC, min(ordinal), label";

impl Store {
    /// Returns the configurations of the last session with several. If every session has only one, returns those of all sessions.
    ///
    /// # Errors
    /// The store cannot be opened or read.
    pub fn offers(&self) -> Result<Vec<Offer>, StoreError> {
        let last: Vec<Offer> = self.rows(&format!("{LAST} {OFFERS}"), &[])?;
        if last.is_empty() { self.rows(&format!("{ALL} {OFFERS}"), &[]) } else { Ok(last) }
    }
}
