//! Durations of earlier runs, for estimates.

use crate::{Store, StoreError, WarningRecord};
use dbdyno_catalog::bench::{Configuration, RunTimeHistory};
use std::{collections::HashMap, time::Duration};

/// Median run times read from a store.
#[derive(Debug, Clone, Default)]
pub struct StoreHistory(HashMap<(String, String, String, Option<u8>), Duration>);

impl StoreHistory {
    /// Reads all of them at once; a store that cannot be read has no history.
    pub fn read(store: &Store) -> Self {
        Self::try_read(store).unwrap_or_default()
    }

    /// Reads all of them at once.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn try_read(store: &Store) -> Result<Self, StoreError> {
        let sql = r#"WITH measured AS (
                 -- Rounds from the second look on have some of the tests only.
                 SELECT session_id,
                        coalesce(TRY_CAST(regexp_extract(details, '"looks":\[([0-9]+)', 1) AS UINTEGER), 4294967295) AS whole
                 FROM session WHERE source IS NULL
             ), own AS (
                 SELECT session_id, round, engine, suite, size, tier, started_at, finished_at,
                        date_diff('microsecond', started_at, finished_at) AS took
                 FROM run JOIN measured USING (session_id)
                 WHERE status = 'done' AND finished_at IS NOT NULL AND round < whole
                 -- Probes of a capacity take as long as they were told to.
                 AND run_id NOT IN (SELECT run_id FROM run_key WHERE key = 'capacity')
             -- Runs of a round that take turns share its time.
             ), rounds AS (
                 SELECT session_id, round, date_diff('microsecond', min(started_at), max(finished_at)) / greatest(sum(took), 1) AS share
                 FROM own GROUP BY ALL
             )
             SELECT engine, suite, size, tier, median(took * least(share, 1))::BIGINT
             FROM own JOIN rounds USING (session_id, round) GROUP BY ALL"#;
        let rows: Vec<(String, String, String, Option<u8>, i64)> = store.rows(sql, &[])?;
        let entry = |(engine, suite, size, tier, micros): (_, _, _, _, i64)| {
            Some(((engine, suite, size, tier), Duration::from_micros(micros.try_into().ok()?)))
        };
        Ok(Self(rows.into_iter().filter_map(entry).collect()))
    }
}

impl Store {
    /// Returns the warnings about the newest session that was measured with dbdyno.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn newest_warnings(&self) -> Result<Vec<WarningRecord>, StoreError> {
        let sql = "SELECT CAST(warning_id AS VARCHAR) AS warning_id, CAST(session_id AS VARCHAR) AS session_id,
                CAST(run_id AS VARCHAR) AS run_id, test, linter, message, matter
             FROM warning WHERE session_id = (SELECT session_id FROM session WHERE source IS NULL ORDER BY started_at DESC LIMIT 1)
             ORDER BY linter, matter, message";
        self.rows(sql, &[])
    }
}

impl RunTimeHistory for StoreHistory {
    fn run_time(&self, configuration: &Configuration, suite: &str) -> Option<Duration> {
        let key = (
            configuration.engine_name().to_owned(),
            suite.to_owned(),
            configuration.size.to_string(),
            configuration.tier.number(),
        );
        self.0.get(&key).copied()
    }
}
