//! One run at one rate, and whether it kept its promises.

use super::promise::{Promise, Promises};
use crate::runner::ChosenRun;
use dbdyno_foundation::metric::Metric;
use dbdyno_store::{ActorRecord, Status};
use dbdyno_workload::histogram::{from_bytes, supported_quantile};
use hdrhistogram::Histogram;
use serde::Serialize;

/// The result of a run at a rate.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RateProbe {
    pub run_id: String,
    /// Operations a second that were due. 0: each operation is due when the previous one is done.
    pub rate: u64,
    pub operations: u64,
    /// Operations including those that were given up and those that were not begun in time.
    pub due: u64,
    /// Operations a second that were completed.
    pub achieved: f64,
    /// Response times, ns, if enough operations are beyond them: the median, the 99th and the 99.9th percentile.
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub p999_ns: Option<u64>,
    /// Share of the threads' time that was spent in the engine.
    pub busy: f64,
    /// Each promised quantile with its measured value, ns. None: it is beyond all completed operations.
    pub quantiles: Vec<Quantile>,
    /// The broken promises. Empty if all were kept.
    pub broken: Vec<Broken>,
}

/// A promised quantile with its measured value, ns. None: it is beyond all completed operations.
pub type Quantile = (Promise, Option<u64>);

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Broken {
    Response {
        promise: Promise,
        found_ns: Option<u64>,
    },
    Failures {
        failures: u64,
        of: u64,
    },
    /// More operations were left over than a temporary queue leaves.
    FellBehind {
        operations: u64,
        due: u64,
    },
}

/// A backlog is growing if it exceeds this share of the due operations and also [`QUEUED`] operations.
const BEHIND: f64 = 0.01;
const QUEUED: u64 = 10;

impl RateProbe {
    /// Reads the result for an actor of a test from a run.
    ///
    /// # Errors
    /// The reason why the run has no result: it failed, or its answers were wrong.
    pub(super) fn of(
        chosen: &ChosenRun,
        (test, actor): (u32, &str),
        rate: u64,
        promises: &Promises,
    ) -> Result<Self, String> {
        if chosen.run.status != Status::Done {
            return Err(chosen.run.failure.clone().unwrap_or_else(|| format!("it was {}", chosen.run.status.word())));
        }
        if let Some(wrong) = chosen.results.iter().find(|result| result.agrees == Some(false)) {
            let said = wrong.verification.clone().unwrap_or_default();
            return Err(format!("its answers are wrong: {said}"));
        }
        let of_actor = |record: &&ActorRecord| record.test == test && record.actor == actor;
        let record =
            chosen.actors.iter().find(of_actor).ok_or_else(|| format!("it has no results of actor `{actor}`"))?;
        Self::measured(record, rate, promises)
    }

    fn measured(record: &ActorRecord, rate: u64, promises: &Promises) -> Result<Self, String> {
        let figure = |metric: Metric| record.figures.get(metric).unwrap_or(0);
        let (operations, failures, backlog) =
            (figure(Metric::Operations), figure(Metric::Failures), figure(Metric::Backlog));
        let due = operations + failures + backlog;
        let times = record.latencies().ok_or_else(|| "it has no response times".to_owned())?;
        let service = record.histogram.as_ref().and_then(|blob| from_bytes(&blob.0).ok());
        let threads_ns = figure(Metric::Wall) as f64 * f64::from(record.threads.unwrap_or(1));
        let busy_ns = service.as_ref().map_or(0.0, |service| service.mean() * service.len() as f64);
        let quantiles = quantiles(&times, due, promises);
        let mut broken: Vec<Broken> = quantiles
            .iter()
            .filter_map(|&(promise, found_ns)| match promise {
                Promise::Quantile { most_ns, .. } if found_ns.is_none_or(|found| found > most_ns) => {
                    Some(Broken::Response { promise, found_ns })
                }
                _ => None,
            })
            .collect();
        if failures as f64 > promises.failures() * (operations + failures) as f64 {
            broken.push(Broken::Failures { failures, of: operations + failures });
        }
        if backlog > QUEUED && backlog as f64 > due as f64 * BEHIND {
            broken.push(Broken::FellBehind { operations, due });
        }
        let short = rate > 0 && broken.is_empty() && quantiles.iter().any(|(promise, _)| !is_supported(*promise, due));
        if short {
            return Err(format!("only {due} operations were due: too few for {promises}"));
        }
        Ok(Self {
            run_id: record.run_id.clone(),
            rate,
            operations,
            due,
            achieved: if threads_ns > 0.0 { operations as f64 * 1e9 / figure(Metric::Wall) as f64 } else { 0.0 },
            p50_ns: supported_quantile(&times, 0.5),
            p99_ns: supported_quantile(&times, 0.99),
            p999_ns: supported_quantile(&times, 0.999),
            busy: if threads_ns > 0.0 { (busy_ns / threads_ns).min(1.0) } else { 0.0 },
            quantiles,
            broken,
        })
    }

    /// Whether all promises were kept.
    pub fn holds(&self) -> bool {
        self.broken.is_empty()
    }
}

impl Broken {
    /// `p99`, `failures`, `backlog`.
    pub fn name(&self) -> String {
        match self {
            Self::Response { promise, .. } => promise.name(),
            Self::Failures { .. } => "failures".to_owned(),
            Self::FellBehind { .. } => "backlog".to_owned(),
        }
    }
}

/// Returns each promised quantile over all due operations. Operations given up or not begun count as longer than any that was done.
fn quantiles(times: &Histogram<u64>, due: u64, promises: &Promises) -> Vec<Quantile> {
    let found = |promise: &Promise| match promise {
        Promise::Quantile { quantile, .. } => {
            let among_done = quantile * due as f64 / times.len().max(1) as f64;
            Some((*promise, (among_done <= 1.0 && !times.is_empty()).then(|| times.value_at_quantile(among_done))))
        }
        Promise::Failures { .. } => None,
    };
    promises.iter().filter_map(found).collect()
}

fn is_supported(promise: Promise, due: u64) -> bool {
    match promise {
        Promise::Quantile { quantile, .. } => due as f64 * (1.0 - quantile) >= 10.0 - 1e-9,
        Promise::Failures { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::histogram::empty;

    #[test]
    fn what_was_not_begun_took_longer_than_all_that_was_done() {
        let promises = Promises::new(vec!["p99=1ms".parse().unwrap()]).unwrap();
        let mut times = empty();
        (1..=990).for_each(|ns| times.record(ns).unwrap());
        let found = |due| quantiles(&times, due, &promises)[0].1;
        assert_eq!([found(990), found(1_000), found(1_010)], [Some(981), Some(990), None]);
    }
}
