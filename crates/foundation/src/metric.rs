//! Every figure of a run's test in one list: its name, its unit, which direction is better, whether it varies by chance, how it is read
//! from a worker's event or derived from others, and its column in the store.
//!
//! Records, views, listings, comparisons and screens read this list. A new figure needs an entry here, a migration that adds its column,
//! and a counter of this name that workers send ([`TestDone`]).

mod figures;

pub use figures::Figures;

use crate::base::units;
use dbdyno_engine::protocol::TestDone;
use dbdyno_stats::{NoAnswer, median};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Time,
    Bytes,
    Count,
    /// Operations a second.
    Rate,
    /// Parts per million of a whole.
    Share,
}

/// The better one of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    Less,
    More,
    /// Neither: it describes the work done, not its performance.
    Neither,
}

/// Whether two runs with the same inputs have the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variability {
    /// Always the same: one run shows as much as many.
    Exact,
    /// Varies by chance.
    Noisy,
}

/// The source of a figure.
#[derive(Debug, Clone, Copy)]
enum MetricSource {
    /// A worker's event.
    Event(fn(&TestDone) -> Option<u64>),
    /// This quantile of the latencies of single operations, if there are enough of them.
    Latency(f64),
    /// This quantile of the times from when operations were due, if they have due times.
    Response(f64),
    /// Number of latencies.
    Samples,
    /// Derived from other figures: from those of a test, and in SQL from its row `t` of the table `result`.
    Made { of: fn(&Figures) -> Option<f64>, sql: &'static str },
}

#[derive(Debug, Clone, Copy)]
struct MetricFacts {
    name: &'static str,
    title: &'static str,
    unit: Unit,
    better: Better,
    variability: Variability,
    source: MetricSource,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $metric:ident: $name:literal, $title:literal, $unit:ident, $better:ident, $variability:ident, $source:expr;)*) => {
        /// A figure of a run's test.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Metric {
            $($(#[$doc])* $metric,)*
        }

        impl Metric {
            /// All of them, in the order of listings.
            pub const ALL: &'static [Self] = &[$(Self::$metric),*];

            fn facts(self) -> MetricFacts {
                use MetricSource::{Event, Latency, Made, Response, Samples};
                match self {
                    $(Self::$metric => MetricFacts {
                        name: $name,
                        title: $title,
                        unit: Unit::$unit,
                        better: Better::$better,
                        variability: Variability::$variability,
                        source: $source,
                    },)*
                }
            }
        }
    };
}

metrics! {
    /// From the test's beginning to its end.
    Wall: "wall_ns", "wall time", Time, Less, Noisy, Event(|done| Some(done.wall_ns));
    /// CPU time in user mode and in the kernel.
    Cpu: "cpu_ns", "CPU time", Time, Less, Noisy, Made {
        of: |figures| Some((figures.get(Metric::User)? + figures.get(Metric::System)?) as f64),
        sql: "t.user_ns + t.system_ns",
    };
    Operations: "operations", "operations", Count, Neither, Exact, Event(|done| Some(done.operations));
    /// Rows read, found, written or removed.
    Rows: "rows", "rows", Count, Neither, Exact, Event(|done| Some(done.rows));
    /// Operations over wall time.
    Rate: "rate", "operations a second", Rate, More, Noisy, Made {
        of: |figures| {
            let wall = figures.get(Metric::Wall).filter(|wall| *wall > 0)?;
            Some(figures.get(Metric::Operations)? as f64 * 1e9 / wall as f64)
        },
        sql: "CASE WHEN t.wall_ns > 0 THEN t.operations * 1e9 / t.wall_ns END",
    };
    /// Median latency of an operation.
    P50: "p50_ns", "p50", Time, Less, Noisy, Latency(0.5);
    /// 90th percentile.
    P90: "p90_ns", "p90", Time, Less, Noisy, Latency(0.9);
    /// 99th percentile.
    P99: "p99_ns", "p99", Time, Less, Noisy, Latency(0.99);
    /// 99.9th percentile.
    P999: "p999_ns", "p99.9", Time, Less, Noisy, Latency(0.999);
    /// Measured latencies. Not all fast operations are timed, so that clock reads take little of the time.
    Samples: "samples", "latency samples", Count, Neither, Noisy, Samples;
    /// Median time from when an operation was due to its end.
    ResponseP50: "response_p50_ns", "response p50", Time, Less, Noisy, Response(0.5);
    /// 90th percentile.
    ResponseP90: "response_p90_ns", "response p90", Time, Less, Noisy, Response(0.9);
    /// 99th percentile.
    ResponseP99: "response_p99_ns", "response p99", Time, Less, Noisy, Response(0.99);
    /// 99.9th percentile.
    ResponseP999: "response_p999_ns", "response p99.9", Time, Less, Noisy, Response(0.999);
    /// Operations that were due but not begun when the test ended.
    Backlog: "backlog", "backlog", Count, Less, Noisy, Event(|done| done.counters.get("backlog"));
    /// Operations that were abandoned after other transactions had blocked them for long.
    Failures: "failures", "failures", Count, Less, Noisy, Event(|done| done.counters.get("failures"));
    /// How often another transaction blocked an operation.
    Busy: "busy", "busy answers", Count, Less, Noisy, Event(|done| done.counters.get("busy"));
    /// How often a blocked operation was retried.
    Retries: "retries", "retries", Count, Less, Noisy, Event(|done| done.counters.get("retries"));
    /// The longest time of a timed operation.
    LongestWait: "longest_wait_ns", "longest wait", Time, Less, Noisy, Event(|done| done.counters.get("longest_wait_ns"));
    /// Jain's index over the operations of an actor's threads: 1 if all did the same number, 1/n if one of n did all.
    Fairness: "fairness_ppm", "fairness", Share, More, Noisy, Event(|done| done.counters.get("fairness_ppm"));
    /// Database with side files, after the test.
    Database: "database_bytes", "disk", Bytes, Less, Exact, Event(|done| Some(done.database_bytes));
    /// Logs, journals and locks next to the database, after the test.
    Side: "side_bytes", "side files", Bytes, Less, Exact, Event(|done| Some(done.side_bytes));
    Syncs: "syncs", "syncs", Count, Less, Exact, Event(|done| done.counters.get("syncs"));
    /// Bytes sent to the storage layer.
    Written: "written_bytes", "written", Bytes, Less, Noisy, Event(|done| done.counters.get("written_bytes"));
    /// Bytes fetched from the storage layer.
    Read: "read_bytes", "read", Bytes, Less, Noisy, Event(|done| done.counters.get("read_bytes"));
    /// Peak of the worker's resident memory.
    PeakMemory: "peak_rss_bytes", "peak process memory", Bytes, Less, Noisy, Event(|done| Some(done.peak_rss_bytes));
    /// Resident memory of the worker before it opened anything: its own needs, independent of the engine.
    FloorMemory: "floor_rss_bytes", "memory before opening", Bytes, Neither, Noisy, Event(|done| done.counters.get("floor_rss_bytes"));
    /// The engine's highest memory use: the peak above the worker's own needs.
    EngineMemory: "engine_memory_bytes", "peak memory", Bytes, Less, Noisy, Made {
        of: |figures| {
            let (peak, floor) = (figures.get(Metric::PeakMemory)?, figures.get(Metric::FloorMemory)?);
            Some(peak.saturating_sub(floor) as f64)
        },
        sql: "CASE WHEN t.floor_rss_bytes IS NOT NULL THEN t.peak_rss_bytes - least(t.floor_rss_bytes, t.peak_rss_bytes) END",
    };
    /// CPU time in user mode.
    User: "user_ns", "user time", Time, Less, Noisy, Event(|done| done.counters.get("user_ns"));
    /// CPU time in the kernel.
    System: "system_ns", "system time", Time, Less, Noisy, Event(|done| done.counters.get("system_ns"));
    /// Context switches while waiting.
    VoluntarySwitches: "voluntary_switches", "voluntary switches", Count, Less, Noisy,
        Event(|done| done.counters.get("voluntary_switches"));
    /// Involuntary context switches.
    InvoluntarySwitches: "involuntary_switches", "involuntary switches", Count, Less, Noisy,
        Event(|done| done.counters.get("involuntary_switches"));
    /// Page faults without a read.
    MinorFaults: "minor_faults", "minor page faults", Count, Less, Noisy, Event(|done| done.counters.get("minor_faults"));
    /// Page faults with a read.
    MajorFaults: "major_faults", "major page faults", Count, Less, Noisy, Event(|done| done.counters.get("major_faults"));
    /// Of the time of the measured threads: on a CPU in user mode.
    PartUser: "part_user_ns", "in user mode", Time, Less, Noisy, Event(|done| done.counters.get("part_user_ns"));
    /// On a CPU in the kernel.
    PartKernel: "part_kernel_ns", "in the kernel", Time, Less, Noisy, Event(|done| done.counters.get("part_kernel_ns"));
    PartSync: "part_sync_ns", "in syncs", Time, Less, Noisy, Event(|done| done.counters.get("part_sync_ns"));
    /// Asleep in pauses, such as those of a busy handler.
    PartSleep: "part_sleep_ns", "asleep", Time, Less, Noisy, Event(|done| done.counters.get("part_sleep_ns"));
    /// Ready, and waiting for a CPU.
    PartQueue: "part_queue_ns", "waiting for a CPU", Time, Less, Noisy, Event(|done| done.counters.get("part_queue_ns"));
    /// Other waiting: for reads, locks and page faults.
    PartRest: "part_rest_ns", "other waiting", Time, Less, Noisy, Event(|done| done.counters.get("part_rest_ns"));
    /// How long other workers had their turns; none if the test was measured in one go.
    Away: "away_ns", "others' turns", Time, Neither, Noisy, Event(|done| done.counters.get("away_ns"));
    /// CPU time of the worker's process meanwhile.
    AwayCpu: "away_cpu_ns", "CPU time in others' turns", Time, Less, Noisy, Event(|done| done.counters.get("away_cpu_ns"));
    /// How much longer the test took because others' turns came between its slices. The runner finds it by the slices; none if there are
    /// too few.
    Returning: "returning_ns", "return from others' turns", Time, Less, Noisy, Event(|_| None);
    /// Bytes of the database that could not be dropped from memory before a test with a cold start.
    Resident: "resident_bytes", "resident before opening", Bytes, Neither, Noisy, Event(|done| done.counters.get("resident_bytes"));
    /// Bytes of the database at the beginning of a test with a cold start.
    Start: "start_bytes", "database at the start", Bytes, Neither, Noisy, Event(|done| done.counters.get("start_bytes"));
    /// The share of the database that could not be dropped from memory before a test with a cold start.
    ResidentShare: "resident_ppm", "resident share before opening", Share, Neither, Noisy, Made {
        of: |figures| {
            let start = figures.get(Metric::Start).filter(|start| *start > 0)?;
            Some(figures.get(Metric::Resident)? as f64 * 1e6 / start as f64)
        },
        sql: "CASE WHEN t.start_bytes > 0 THEN t.resident_bytes * 1e6 / t.start_bytes END",
    };
    /// Bytes of the database's files in memory when the timer of such a test began, after opening.
    OpenedResident: "opened_resident_bytes", "resident after opening", Bytes, Neither, Noisy,
        Event(|done| done.counters.get("opened_resident_bytes"));
    /// The share of the database in memory when the timer began. Opening may create or enlarge files, so the share is limited to 1.
    OpenedShare: "opened_resident_ppm", "resident share after opening", Share, Neither, Noisy, Made {
        of: |figures| {
            let start = figures.get(Metric::Start).filter(|start| *start > 0)?;
            Some((figures.get(Metric::OpenedResident)? as f64 * 1e6 / start as f64).min(1e6))
        },
        sql: "CASE WHEN t.start_bytes > 0 AND t.opened_resident_bytes IS NOT NULL THEN least(t.opened_resident_bytes * 1e6 / t.start_bytes, 1e6) END",
    };
    /// Opening the database plus the test, for a cold start. An engine may read its database in either, so only their sum can be
    /// compared.
    OpenAndTest: "open_test_ns", "open + test", Time, Less, Noisy, Made {
        of: |figures| figures.get(Metric::Start).and(figures.unit_ns()).map(|ns| ns as f64),
        sql: "CASE WHEN t.start_bytes IS NOT NULL THEN t.wall_ns + t.open_ns END",
    };
    /// Instructions in user mode, if the machine counts them for a process.
    Instructions: "instructions", "instructions", Count, Less, Noisy, Event(|done| done.counters.get("instructions"));
    /// The time after which the test ended; none if it ended after its operations.
    Limit: "limit_ns", "time limit", Time, Neither, Exact, Event(|done| done.counters.get("limit_ns"));
    /// Opening the database before the test; none if it was already open.
    Open: "open_ns", "open", Time, Less, Noisy, Event(|done| done.counters.get("open_ns"));
    OpenSyncs: "open_syncs", "open syncs", Count, Less, Exact, Event(|done| done.counters.get("open_syncs"));
    OpenWritten: "open_written_bytes", "open written", Bytes, Less, Noisy,
        Event(|done| done.counters.get("open_written_bytes"));
    OpenRead: "open_read_bytes", "open read", Bytes, Less, Noisy, Event(|done| done.counters.get("open_read_bytes"));
    /// The work of the engine's own threads after the test, until they are idle.
    Settle: "settle_ns", "settle", Time, Less, Noisy, Event(|done| done.counters.get("settle_ns"));
    SettleSyncs: "settle_syncs", "settle syncs", Count, Less, Exact, Event(|done| done.counters.get("settle_syncs"));
    SettleWritten: "settle_written_bytes", "settle written", Bytes, Less, Noisy,
        Event(|done| done.counters.get("settle_written_bytes"));
    /// Closing the database after the test; none if it stayed open.
    Close: "close_ns", "close", Time, Less, Noisy, Event(|done| done.counters.get("close_ns"));
    CloseSyncs: "close_syncs", "close syncs", Count, Less, Exact, Event(|done| done.counters.get("close_syncs"));
    CloseWritten: "close_written_bytes", "close written", Bytes, Less, Noisy,
        Event(|done| done.counters.get("close_written_bytes"));
    /// Opening, settling and closing: the work for the test outside of its timer.
    Outside: "outside_ns", "outside the timer", Time, Less, Noisy, Made {
        of: |figures| figures.outside([Metric::Open, Metric::Settle, Metric::Close]),
        sql: "CASE WHEN t.settle_ns IS NOT NULL THEN coalesce(t.open_ns, 0) + coalesce(t.settle_ns, 0) + coalesce(t.close_ns, 0) END",
    };
    OutsideSyncs: "outside_syncs", "outside syncs", Count, Less, Exact, Made {
        of: |figures| figures.outside([Metric::OpenSyncs, Metric::SettleSyncs, Metric::CloseSyncs]),
        sql: "CASE WHEN t.settle_syncs IS NOT NULL THEN coalesce(t.open_syncs, 0) + coalesce(t.settle_syncs, 0) + coalesce(t.close_syncs, 0) END",
    };
    OutsideWritten: "outside_written_bytes", "outside written", Bytes, Less, Noisy, Made {
        of: |figures| figures.outside([Metric::OpenWritten, Metric::SettleWritten, Metric::CloseWritten]),
        sql: "CASE WHEN t.settle_written_bytes IS NOT NULL THEN coalesce(t.open_written_bytes, 0) + coalesce(t.settle_written_bytes, 0) + coalesce(t.close_written_bytes, 0) END",
    };
    /// The test plus the work for it outside of its timer.
    Total: "total_ns", "total time", Time, Less, Noisy, Made {
        of: |figures| Some(figures.value(Metric::Wall)? + figures.value(Metric::Outside)?),
        sql: "CASE WHEN t.settle_ns IS NOT NULL THEN t.wall_ns + coalesce(t.open_ns, 0) + t.settle_ns + coalesce(t.close_ns, 0) END",
    };
}

impl Metric {
    /// Returns its column in the store, which is also its name in files.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns its name in a sentence or above a column.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// Returns the unit of its values.
    pub fn unit(self) -> Unit {
        self.facts().unit
    }

    pub fn better(self) -> Better {
        self.facts().better
    }

    /// Returns whether it varies by chance.
    pub fn variability(self) -> Variability {
        self.facts().variability
    }

    /// Returns the word for the better one of two values in a sentence: `A 1.4x faster`, `A 2.0x less`.
    pub fn comparative(self) -> &'static str {
        match (self.unit(), self.better()) {
            (Unit::Time | Unit::Rate, _) => "faster",
            (_, Better::More) => "more",
            (_, Better::Less | Better::Neither) => "less",
        }
    }

    /// Whether it is a quantile of latencies or response times.
    pub fn is_quantile(self) -> bool {
        matches!(self.facts().source, MetricSource::Latency(_) | MetricSource::Response(_))
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.name() == name)
    }

    /// Returns the metrics with a column in the table of results; the others are derived from these.
    pub fn stored() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|metric| !matches!(metric.facts().source, MetricSource::Made { .. }))
    }

    /// Returns SQL for its value in a row `t` of the table `result`.
    pub fn sql(self) -> String {
        match self.facts().source {
            MetricSource::Made { sql, .. } => sql.to_owned(),
            _ => format!("t.{}", self.name()),
        }
    }

    /// Returns SQL for the value by which runs are compared in it, the same as [`Figures::compared`].
    pub fn compared_sql(self) -> String {
        let value = match self {
            Self::Wall => UNIT_SQL.to_owned(),
            Self::Rate => format!("CASE WHEN t.wall_ns > 0 THEN t.operations * 1e9 / ({UNIT_SQL}) END"),
            metric => metric.sql(),
        };
        if !self.adds_up() {
            return value;
        }
        format!("CASE WHEN t.limit_ns IS NULL THEN {value} WHEN t.operations > 0 THEN ({value}) / t.operations END")
    }

    /// Returns the median of some values, which is the same estimate for a time and its rate. The median of rates is computed from their
    /// reciprocals, so that it equals the rate of the median time.
    ///
    /// # Errors
    /// No value, or a value that is not finite.
    pub fn median(self, values: &[f64]) -> Result<f64, NoAnswer> {
        if self.unit() != Unit::Rate || values.iter().any(|rate| *rate <= 0.0) {
            return median(values);
        }
        let each: Vec<f64> = values.iter().map(|rate| 1.0 / rate).collect();
        median(&each).map(|each| 1.0 / each)
    }

    /// Formats a value for one operation: `2.42 µs/op`, `0.0213/op`.
    pub fn shown_per_operation(self, value: f64) -> String {
        let digits = |value: f64| {
            let whole = if value > 0.0 { value.log10().floor() as i32 } else { 0 };
            format!("{value:.*}", usize::try_from(2 - whole).unwrap_or(0).min(9))
        };
        match self.unit() {
            Unit::Count => format!("{}/op", digits(value)),
            Unit::Bytes if value < 1024.0 => format!("{} B/op", digits(value)),
            _ => format!("{}/op", self.shown(value)),
        }
    }

    /// Formats a value with three digits and the unit.
    pub fn shown(self, value: f64) -> String {
        match self.unit() {
            Unit::Time => units::duration(value),
            Unit::Bytes => units::bytes(value.round() as u64),
            Unit::Count => units::count(value.round() as u64),
            Unit::Rate => units::rate(value),
            Unit::Share => format!("{:.1} %", value / 1e4),
        }
    }
}

impl Default for Metric {
    /// Returns the metric that is compared by default.
    fn default() -> Self {
        Self::Wall
    }
}

/// [`Figures::unit_ns`] of a row `t` of the table `result`.
const UNIT_SQL: &str = "CASE WHEN t.start_bytes IS NULL THEN t.wall_ns ELSE t.wall_ns + t.open_ns END";

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| de::Error::custom(format!("unknown metric `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_titles_are_each_one_figures() {
        for (at, metric) in Metric::ALL.iter().enumerate() {
            assert_eq!(*metric as usize, at);
            assert_eq!(Metric::named(metric.name()), Some(*metric));
            assert_eq!(Metric::ALL.iter().filter(|other| other.title() == metric.title()).count(), 1);
        }
    }

    #[test]
    fn values_are_shown_in_their_units() {
        assert_eq!(Metric::Wall.shown(12_149_000.0), "12.1 ms");
        assert_eq!(Metric::EngineMemory.shown(1_048_576.0), "1.00 MiB");
        assert_eq!(Metric::Syncs.shown(10_000.0), "10,000");
        assert_eq!(Metric::Rate.shown(826_400.0), "826 k/s");
        assert_eq!(Metric::Wall.shown_per_operation(2_420.0), "2.42 µs/op");
        assert_eq!(Metric::Busy.shown_per_operation(0.021_26), "0.0213/op");
        assert_eq!(Metric::Syncs.shown_per_operation(0.0), "0.00/op");
        assert_eq!(Metric::Written.shown_per_operation(35.24), "35.2 B/op");
    }

    #[test]
    fn the_median_of_rates_is_that_of_their_times() {
        // For 1,000 operations that took 1 and 3 ms, the median time is 2 ms: 500,000 a second.
        assert_eq!(Metric::Wall.median(&[1e6, 3e6]), Ok(2e6));
        assert_eq!(Metric::Rate.median(&[1e6, 1e6 / 3.0]), Ok(5e5));
        assert_eq!(Metric::Rate.median(&[0.0, 2.0]), Ok(1.0));
    }
}
