//! What earlier runs took, for estimates.

use crate::{
    plan::{Configuration, History},
    store::Store,
};
use std::{collections::HashMap, time::Duration};

/// Median run times read from a store.
#[derive(Debug, Clone, Default)]
pub struct StoreHistory(HashMap<(String, String, String, u8), Duration>);

impl StoreHistory {
    /// Reads all of them at once; a store that cannot be read has no history.
    pub fn read(store: &Store) -> Self {
        if !store.exists() {
            return Self::default();
        }
        let rows = store.query(
            "SELECT engine, suite, size, tier, median(date_diff('microsecond', started_at, finished_at))::BIGINT
             FROM run WHERE status = 'done' AND finished_at IS NOT NULL GROUP BY ALL",
            &[],
        );
        let entry = |row: Vec<Option<String>>| {
            let columns: [Option<String>; 5] = row.try_into().ok()?;
            let [Some(engine), Some(suite), Some(size), Some(tier), Some(micros)] = columns else { return None };
            Some(((engine, suite, size, tier.parse().ok()?), Duration::from_micros(micros.parse().ok()?)))
        };
        Self(rows.map(|rows| rows.rows.into_iter().filter_map(entry).collect()).unwrap_or_default())
    }
}

impl History for StoreHistory {
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
