//! What RocksDB counts whether or not it is asked: its sequence numbers, and two reports in words. Its statistics and its perf context
//! have hits and misses of the block cache, but every read increments some of their numbers, and takes longer. So both stay off.

use super::database::RocksDatabase;
use dbdyno_engine::counters::EngineCounters;
use std::collections::BTreeMap;

const KEYS_WRITTEN: &str = "keys_written";
const LOG_SYNCS: &str = "log_syncs";
const WRITE_STALLS: &str = "write_stall_ns";
const FLUSHES: &str = "flushes";
const COMPACTIONS: &str = "compactions";

/// Returns the meaning of each counter, by name.
pub(super) fn described() -> BTreeMap<String, String> {
    let counters = [
        (KEYS_WRITTEN, "puts and removals that commits wrote, which are the sequence numbers given"),
        (LOG_SYNCS, "syncs of the write-ahead log; one may serve several commits"),
        (
            WRITE_STALLS,
            "time that writes were slowed down or stopped because flushes and compactions fell behind, in steps of 1 ms",
        ),
        (FLUSHES, "memtables written to the disk as a table, alone or several as one"),
        (COMPACTIONS, "compactions that were finished"),
    ];
    counters.map(|(name, about)| (name.to_owned(), about.to_owned())).into()
}

impl RocksDatabase {
    /// Returns what RocksDB counted since the database was opened. Numbers that this version does not report are missing.
    pub(super) fn counters(&self) -> EngineCounters {
        let of_database = self.told(c"rocksdb.dbstats").unwrap_or_default();
        let of_tables = self.told(c"rocksdb.cfstats-no-file-histogram").unwrap_or_default();
        let counters = [
            (KEYS_WRITTEN, self.last_sequence_number()),
            (LOG_SYNCS, log_syncs(&of_database)),
            (WRITE_STALLS, write_stall_ns(&of_database)),
            (FLUSHES, jobs(&of_tables, &["High"])),
            (COMPACTIONS, jobs(&of_tables, &["Low", "Bottom"])),
        ];
        EngineCounters::of_database(counters.into_iter().filter_map(|(name, value)| Some((name, value?))))
    }
}

/// Reads `Cumulative WAL: 50K writes, 20 syncs, ...`. Numbers below 10,000 and of syncs are exact, others are not.
fn log_syncs(report: &str) -> Option<u64> {
    let line = report.lines().find_map(|line| line.strip_prefix("Cumulative WAL:"))?;
    line.split(", ").find_map(|part| part.strip_suffix(" syncs"))?.parse().ok()
}

/// Reads `Cumulative stall: 00:00:0.292 H:M:S, 25.7 percent`.
fn write_stall_ns(report: &str) -> Option<u64> {
    let line = report.lines().find_map(|line| line.strip_prefix("Cumulative stall:"))?;
    let mut parts = line.trim().strip_suffix(" percent")?.split(" H:M:S").next()?.split(':');
    let (hours, minutes): (u64, u64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let (seconds, ms) = parts.next()?.split_once('.')?;
    let (seconds, ms): (u64, u64) = (seconds.parse().ok()?, ms.parse().ok()?);
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + ms * 1_000_000)
}

/// Adds up the jobs of priorities in the table that begins with `Priority`. RocksDB flushes with the high one.
fn jobs(report: &str, priorities: &[&str]) -> Option<u64> {
    let mut lines = report.lines().skip_while(|line| !line.starts_with("Priority"));
    let columns: Vec<&str> = lines.next()?.split_whitespace().collect();
    // Counted from the right, because sizes are two words.
    let place = columns.iter().rev().position(|column| *column == "Comp(cnt)")?;
    let rows = lines.skip(1).take_while(|line| !line.trim().is_empty());
    let mut sum = 0;
    for row in rows.filter(|row| row.split_whitespace().next().is_some_and(|first| priorities.contains(&first))) {
        sum += row.split_whitespace().rev().nth(place)?.parse::<u64>().ok()?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of RocksDB 7.8.
    const DATABASE: &str = "\n** DB Stats **\nUptime(secs): 1.1 total, 1.1 interval\nCumulative writes: 50K writes, 50K keys\n\
        Cumulative WAL: 50K writes, 12345 syncs, 2500.00 writes per sync, written: 0.01 GB, 5.50 MB/s\n\
        Cumulative stall: 01:02:3.040 H:M:S, 25.7 percent\nInterval WAL: 50K writes, 20 syncs, 2500.00 writes per sync\n";
    const TABLES: &str = "\n** Compaction Stats [default] **\n\
        Level    Files   Size     Score Comp(sec) Comp(cnt) Avg(sec) KeyIn\n\
        -----------------------------------------------------------------\n  \
        L0      7/4   178.33 KB   0.8      0.28        29    0.010       0\n\n\
        ** Compaction Stats [default] **\n\
        Priority    Files   Size     Score Comp(sec) Comp(cnt) Avg(sec) KeyIn\n\
        --------------------------------------------------------------------\n \
        Low      0/0    0.00 KB   0.0      0.30         5    0.060    108K\n\
        High      0/0    0.00 KB   0.0      0.28        27    0.010       0\n\nBlob file count: 0\n";

    #[test]
    fn reports_in_words_have_exact_numbers() {
        assert_eq!(log_syncs(DATABASE), Some(12_345));
        assert_eq!(write_stall_ns(DATABASE), Some(3_723_040_000_000));
        assert_eq!(jobs(TABLES, &["High"]), Some(27));
        assert_eq!(jobs(TABLES, &["Low", "Bottom"]), Some(5));
    }

    #[test]
    fn other_reports_have_no_numbers() {
        for report in ["", "Cumulative WAL: many", "Cumulative stall: none", "Priority\n---\nHigh 1\n"] {
            assert_eq!(
                (log_syncs(report), write_stall_ns(report), jobs(report, &["High"])),
                (None, None, None),
                "{report}"
            );
        }
    }
}
