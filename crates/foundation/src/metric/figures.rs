//! The figures of one test of a run.

use super::{Metric, MetricSource};
use dbdyno_engine::protocol::{ActorDone, StatementDone, TestDone};
use dbdyno_workload::histogram::supported_quantile;
use hdrhistogram::Histogram;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor},
    ser::SerializeMap,
};
use std::fmt;

/// The figures of one test of a run; unknown figures are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures([Option<u64>; Metric::ALL.len()]);

impl Default for Figures {
    fn default() -> Self {
        Self([None; Metric::ALL.len()])
    }
}

impl Figures {
    /// Reads what a worker reported about a finished test; `latencies` are those of its samples, if they are requested.
    pub fn from_test_done(done: &TestDone, latencies: Option<&Histogram<u64>>) -> Self {
        Self::read(done, latencies, None)
    }

    /// Reads what a worker reported about an actor of a finished test, with its service and response times.
    pub fn from_actor_done(
        actor: &ActorDone,
        service: Option<&Histogram<u64>>,
        response: Option<&Histogram<u64>>,
    ) -> Self {
        let ActorDone { wall_ns, operations, rows, operations_per_sample, .. } = *actor;
        let counters = actor.counters.clone();
        let as_test = TestDone { wall_ns, operations, rows, operations_per_sample, counters, ..TestDone::default() };
        let mut figures = Self::read(&as_test, service, response);
        // These belong to all actors together.
        for metric in [Metric::Database, Metric::Side, Metric::PeakMemory] {
            figures.set(metric, None);
        }
        figures
    }

    /// Returns the figures of the steps of a test that have one name.
    pub fn from_statement_done(statement: &StatementDone, times: Option<&Histogram<u64>>) -> Self {
        let StatementDone { wall_ns, operations, rows, .. } = *statement;
        let as_test = TestDone { wall_ns, operations, rows, operations_per_sample: 1, ..TestDone::default() };
        let mut figures = Self::read(&as_test, times, None);
        for metric in [Metric::Database, Metric::Side, Metric::PeakMemory] {
            figures.set(metric, None);
        }
        figures.set(Metric::Failures, Some(statement.failures).filter(|failures| *failures > 0));
        figures
    }

    fn read(done: &TestDone, latencies: Option<&Histogram<u64>>, response: Option<&Histogram<u64>>) -> Self {
        // A sample of several operations shows nothing about the quantiles of single ones.
        let single = latencies.filter(|_| done.operations_per_sample == 1);
        let mut figures = Self::default();
        for metric in Metric::stored() {
            let value = match metric.facts().source {
                MetricSource::Event(read) => read(done),
                MetricSource::Latency(quantile) => single.and_then(|all| supported_quantile(all, quantile)),
                MetricSource::Response(quantile) => response.and_then(|all| supported_quantile(all, quantile)),
                MetricSource::Samples => latencies.map(Histogram::len),
                MetricSource::Made { .. } => None,
            };
            figures.set(metric, value);
        }
        figures
    }

    /// Returns a figure as it is stored; `None` for figures that are derived from others.
    pub fn get(&self, metric: Metric) -> Option<u64> {
        self.0[metric as usize]
    }

    /// Returns any figure in its unit, including those derived from others.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        match metric.facts().source {
            MetricSource::Made { of, .. } => of(self),
            _ => self.get(metric).map(|value| value as f64),
        }
    }

    /// Whether the test ended after a set time, so that its runs differ in their number of operations.
    pub fn is_timed(&self) -> bool {
        self.get(Metric::Limit).is_some()
    }

    /// Returns the time that is compared, ns: the test's time. For a cold start it includes opening the database, because an engine may
    /// read in either. `None` for a cold test whose opening was not measured.
    pub fn unit_ns(&self) -> Option<u64> {
        let wall = self.get(Metric::Wall)?;
        match self.get(Metric::Start) {
            Some(_) => Some(wall.saturating_add(self.get(Metric::Open)?)),
            None => Some(wall),
        }
    }

    /// Returns the engine's peak of memory, bytes. If the worker does not report its own needs, returns the peak of its process.
    pub fn memory_bytes(&self) -> Option<u64> {
        let engine = self.value(Metric::EngineMemory).map(|bytes| bytes as u64);
        engine.or(self.get(Metric::PeakMemory))
    }

    /// Returns the time of the work for a test outside of the compared time, ns.
    pub fn outside_unit_ns(&self) -> Option<f64> {
        Some(self.value(Metric::Total)? - self.unit_ns()? as f64)
    }

    /// Returns the value by which runs are compared in a metric. If the test ended after a set time, a value that adds up is divided by
    /// the operations; times and rates cover the [unit](Self::unit_ns).
    pub fn compared(&self, metric: Metric) -> Option<f64> {
        let unit = || self.unit_ns().map(|ns| ns as f64);
        let value = match metric {
            Metric::Wall => unit()?,
            Metric::Rate => self.get(Metric::Operations)? as f64 * 1e9 / unit().filter(|ns| *ns > 0.0)?,
            metric => self.value(metric)?,
        };
        if !metric.adds_up() || !self.is_timed() {
            return Some(value);
        }
        let operations = self.get(Metric::Operations).filter(|operations| *operations > 0)?;
        Some(value / operations as f64)
    }

    /// Sums these metrics, as far as they are known; `None` if not even the settling of the engine was observed.
    pub(super) fn outside(&self, metrics: [Metric; 3]) -> Option<f64> {
        let [open, settle, close] = metrics.map(|metric| self.get(metric));
        Some((open.unwrap_or(0) + settle? + close.unwrap_or(0)) as f64)
    }

    pub fn set(&mut self, metric: Metric, value: Option<u64>) {
        self.0[metric as usize] = value;
    }

    /// Returns an actor's figures and the figures of the test's beginning, which all actors share.
    #[must_use]
    pub fn begun_as(mut self, test: &Self) -> Self {
        [Metric::Start, Metric::Open].into_iter().for_each(|metric| self.set(metric, test.get(metric)));
        self
    }

    /// Returns the figures with one more.
    #[must_use]
    pub fn with(mut self, metric: Metric, value: u64) -> Self {
        self.set(metric, Some(value));
        self
    }
}

impl Metric {
    /// Whether it adds up over the operations of a test: a run with more operations has a larger value.
    pub fn adds_up(self) -> bool {
        use Metric::{
            Busy, Cpu, Failures, Instructions, InvoluntarySwitches, MajorFaults, MinorFaults, OpenAndTest, PartKernel,
            PartQueue, PartRest, PartSleep, PartSync, PartUser, Read, Retries, Rows, Syncs, System, Total, User,
            VoluntarySwitches, Wall, Written,
        };
        matches!(
            self,
            Wall | Cpu
                | User
                | System
                | Total
                | OpenAndTest
                | Rows
                | Failures
                | Busy
                | Retries
                | Syncs
                | Written
                | Read
                | VoluntarySwitches
                | InvoluntarySwitches
                | MinorFaults
                | MajorFaults
                | Instructions
                | PartUser
                | PartKernel
                | PartSync
                | PartSleep
                | PartQueue
                | PartRest
        )
    }
}

/// Writes fields by their names.
impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for metric in Metric::stored() {
            map.serialize_entry(metric.name(), &self.get(metric))?;
        }
        map.end()
    }
}

/// Reads fields by their names, and ignores those that are not figures.
impl<'de> Deserialize<'de> for Figures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FiguresVisitor;

        impl<'de> Visitor<'de> for FiguresVisitor {
            type Value = Figures;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the figures of a test")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Figures, A::Error> {
                let mut figures = Figures::default();
                while let Some(name) = map.next_key::<String>()? {
                    match Metric::stored().find(|metric| metric.name() == name) {
                        Some(metric) => figures.set(metric, map.next_value()?),
                        None => drop(map.next_value::<de::IgnoredAny>()?),
                    }
                }
                Ok(figures)
            }
        }

        deserializer.deserialize_map(FiguresVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::histogram::empty;

    #[test]
    fn figures_are_read_from_an_event_and_survive_json() {
        let mut done =
            TestDone { wall_ns: 2_000_000_000, operations: 10, operations_per_sample: 1, ..TestDone::default() };
        for (name, value) in [("user_ns", 300), ("system_ns", 200), ("syncs", 7)] {
            done.counters.set(name, Some(value));
        }
        let mut latencies = empty();
        (0..100).for_each(|ns| latencies.saturating_record(ns));
        let figures = Figures::from_test_done(&done, Some(&latencies));
        assert_eq!(figures.get(Metric::Syncs), Some(7));
        assert_eq!(figures.value(Metric::Cpu), Some(500.0));
        assert_eq!(figures.value(Metric::Rate), Some(5.0));
        assert_eq!(figures.get(Metric::P50), Some(49));
        assert_eq!(figures.get(Metric::P99), None, "one sample lies beyond it");
        let text = serde_json::to_string(&figures).unwrap();
        assert_eq!(serde_json::from_str::<Figures>(&text).unwrap(), figures);
        done.operations_per_sample = 100;
        assert_eq!(Figures::from_test_done(&done, Some(&latencies)).get(Metric::P50), None);
    }

    #[test]
    fn the_memory_of_an_engine_is_what_is_above_the_workers_own() {
        let figures = Figures::default().with(Metric::PeakMemory, 23 << 20);
        assert_eq!(figures.value(Metric::EngineMemory), None, "what the worker needs itself is not known");
        let of = |floor: u64| figures.with(Metric::FloorMemory, floor).value(Metric::EngineMemory);
        assert_eq!((of(22 << 20), of(24 << 20)), (Some(f64::from(1 << 20)), Some(0.0)));
    }

    #[test]
    fn what_is_compared_of_a_cold_test_is_opening_and_the_test() {
        let warm = Figures::default().with(Metric::Wall, 300).with(Metric::Operations, 10).with(Metric::Open, 700);
        let cold = warm.with(Metric::Start, 4096);
        assert_eq!((warm.compared(Metric::Wall), cold.compared(Metric::Wall)), (Some(300.0), Some(1000.0)));
        assert_eq!(cold.compared(Metric::Rate), Some(1e7));
        assert_eq!((warm.value(Metric::OpenAndTest), cold.value(Metric::OpenAndTest)), (None, Some(1000.0)));
        let timed = cold.with(Metric::Limit, 300);
        assert_eq!(timed.compared(Metric::Wall), Some(100.0), "of an operation");
        assert_eq!(timed.compared(Metric::OpenAndTest), Some(100.0));
        let mut unopened = cold;
        unopened.set(Metric::Open, None);
        assert_eq!((unopened.compared(Metric::Wall), unopened.compared(Metric::Rate)), (None, None));
    }
}
