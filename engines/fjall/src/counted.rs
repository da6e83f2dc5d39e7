//! What fjall counts without its feature `metrics`, whose numbers all threads that read increment in one place.

use dbdyno_engine::counters::EngineCounters;
use fjall::{AbstractTree, SingleWriterTxDatabase, SingleWriterTxKeyspace};
use std::collections::BTreeMap;

const MEMTABLES_FILLED: &str = "memtables_filled";
const TABLES_WRITTEN: &str = "tables_written";
const COMPACTIONS: &str = "compactions";
const COMPACTION_TIME: &str = "compaction_ns";

/// Returns the meaning of each counter, by name.
pub(crate) fn described() -> BTreeMap<String, String> {
    let counters = [
        (MEMTABLES_FILLED, "memtables that were full, and were replaced with new ones"),
        (TABLES_WRITTEN, "tables that flushes of memtables and compactions wrote to the disk"),
        (COMPACTIONS, "compactions that background threads finished, including those that found nothing to do"),
        (COMPACTION_TIME, "time of these compactions, including a pause of 1 ms after each"),
    ];
    counters.map(|(name, about)| (name.to_owned(), about.to_owned())).into()
}

/// Returns what fjall counted since the database was opened.
pub(crate) fn counters(database: &SingleWriterTxDatabase, keyspaces: &[SingleWriterTxKeyspace]) -> EngineCounters {
    let (database, trees) = (database.inner(), keyspaces.iter().map(|keyspace| &keyspace.inner().tree));
    EngineCounters::of_database([
        // Both have numbers that are not used twice, from 0.
        (MEMTABLES_FILLED, trees.clone().map(|tree| tree.active_memtable().id()).sum()),
        (TABLES_WRITTEN, trees.map(AbstractTree::next_table_id).sum()),
        (COMPACTIONS, database.compactions_completed() as u64),
        (COMPACTION_TIME, u64::try_from(database.time_compacting().as_nanos()).unwrap_or(u64::MAX)),
    ])
}
