//! One watched test: counts so far, latencies, throughput over time.

use dbdyno_engine::protocol::{ActorHead, ActorProgress, StatementDone, StatementProgress, TestDone};
use dbdyno_workload::histogram::{bytes_from_base64, empty, from_bytes, supported_quantile};
use hdrhistogram::Histogram;
use std::{
    cmp::Reverse,
    sync::{Arc, LazyLock},
};

/// Maximum number of slots; in longer tests, neighbouring slots are merged.
const SLOTS: usize = 2048;

/// Throughput in one interval of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// End, from the beginning of the test, ns.
    pub(crate) end_ns: u64,
    /// Length, ns.
    pub(crate) duration_ns: u64,
    /// Operations that ended in the slot.
    pub(crate) operations: u64,
}

impl Slot {
    /// Returns operations a second.
    pub(crate) fn rate(&self) -> f64 {
        self.operations as f64 * 1e9 / self.duration_ns.max(1) as f64
    }
}

/// A test in progress, finished or replayed.
#[derive(Debug, Clone)]
pub struct LiveFigures {
    pub(crate) number: u32,
    pub(crate) name: String,
    /// Whether it is measured, instead of only preparing the database.
    pub(crate) measured: bool,
    /// Operations in the whole test; none if unknown.
    pub(crate) total: Option<u64>,
    /// Operations done.
    pub(crate) done: u64,
    /// Time so far, ns.
    pub(crate) elapsed_ns: u64,
    pub(crate) finished: bool,
    /// Latencies so far, ns a sample. Shared, because a histogram takes hundreds of kilobytes and tests may take milliseconds.
    pub(crate) latencies: Arc<Histogram<u64>>,
    /// Throughput over time.
    pub(crate) slots: Vec<Slot>,
    /// Operations in one sample of the latencies, if known.
    pub(crate) per_sample: Option<u64>,
    /// Length of the test, ns, if it ends after a fixed time.
    pub(crate) time_ns: Option<u64>,
    /// The actors, if the test has several threads.
    pub(crate) actors: Vec<LiveActor>,
    /// The statements with the most time.
    pub(crate) statements: Vec<LiveStatement>,
    /// Whether these are of the run before, because nothing is known of this one.
    pub(crate) are_of_before: bool,
}

/// The executions of a statement in a run.
#[derive(Debug, Clone)]
pub struct LiveStatement {
    pub(crate) name: String,
    pub(crate) executions: u64,
    /// Of all together, ns.
    pub(crate) ns: u64,
}

impl From<&StatementDone> for LiveStatement {
    fn from(done: &StatementDone) -> Self {
        Self { name: done.name.clone(), executions: done.operations, ns: done.wall_ns }
    }
}

impl From<StatementProgress> for LiveStatement {
    fn from(said: StatementProgress) -> Self {
        Self { name: said.name, executions: said.operations, ns: said.wall_ns }
    }
}

/// The most statements that are shown.
const STATEMENTS: usize = 6;

/// The progress of an actor.
#[derive(Debug, Clone)]
pub struct LiveActor {
    pub(crate) head: ActorHead,
    /// Operations done.
    pub(crate) done: u64,
    /// Operations a second since its previous report.
    pub(crate) rate: f64,
    /// Number of times that another transaction blocked it.
    pub(crate) busy: u64,
    /// Operations that are due but not started, if operations have due times.
    pub(crate) backlog: Option<u64>,
    /// Response times if operations have due times, else service times.
    pub(crate) latencies: Histogram<u64>,
}

impl LiveActor {
    fn new(head: ActorHead) -> Self {
        Self { head, done: 0, rate: 0.0, busy: 0, backlog: None, latencies: empty() }
    }

    /// Updates the actor's progress, `ns` after the previous report.
    fn progress(&mut self, said: &ActorProgress, ns: u64) {
        self.rate = said.operations.saturating_sub(self.done) as f64 * 1e9 / ns.max(1) as f64;
        (self.done, self.busy, self.backlog) = (said.operations, said.busy, said.backlog);
        let histogram = said.histogram.as_deref().and_then(|text| from_bytes(&bytes_from_base64(text).ok()?).ok());
        if let Some(latencies) = histogram {
            // Adding cannot fail, because both have the same bounds.
            let _ = self.latencies.add(latencies);
        }
    }
}

/// Returns the latencies of a test of which none are known.
pub(super) fn no_latencies() -> Arc<Histogram<u64>> {
    static NONE: LazyLock<Arc<Histogram<u64>>> = LazyLock::new(|| Arc::new(empty()));
    Arc::clone(&NONE)
}

impl LiveFigures {
    /// Returns a test that has just begun.
    pub(crate) fn new(number: u32, name: String, measured: bool, total: Option<u64>) -> Self {
        Self {
            number,
            name,
            measured,
            total,
            done: 0,
            elapsed_ns: 0,
            finished: false,
            latencies: no_latencies(),
            slots: Vec::new(),
            per_sample: None,
            time_ns: None,
            actors: Vec::new(),
            statements: Vec::new(),
            are_of_before: false,
        }
    }

    /// Sets the statements of the run before of the same test.
    pub(crate) fn after(self, before: Option<&Self>) -> Self {
        let statements = before.map(|before| before.statements.clone());
        Self { statements: statements.unwrap_or_default(), are_of_before: true, ..self }
    }

    /// Takes the statements with the most time, of those of this run. None: the engine tells them at the end.
    pub(crate) fn take_statements(&mut self, mut all: Vec<LiveStatement>) {
        if !all.is_empty() {
            all.sort_by_key(|statement| Reverse(statement.ns));
            all.truncate(STATEMENTS);
            (self.statements, self.are_of_before) = (all, false);
        }
    }

    /// Sets the actors, and the length in ms if the test ends after a fixed time.
    pub(crate) fn with_actors(self, actors: Vec<ActorHead>, time_ms: Option<u64>) -> Self {
        let actors = actors.into_iter().map(LiveActor::new).collect();
        Self { actors, time_ns: time_ms.map(|ms| ms.saturating_mul(1_000_000)), ..self }
    }

    /// Sets the number of operations in one sample of the latencies.
    pub(crate) fn sampled(self, per_sample: Option<u64>) -> Self {
        Self { per_sample, ..self }
    }

    /// Updates the progress of the actors. Called before [`Self::progress`].
    pub(crate) fn actors_progress(&mut self, said: &[ActorProgress], elapsed_ns: u64) {
        let ns = elapsed_ns.saturating_sub(self.elapsed_ns);
        for actor in &mut self.actors {
            if let Some(said) = said.iter().find(|said| said.name == actor.head.name) {
                actor.progress(said, ns);
            }
        }
    }

    /// Updates the progress of the test.
    pub(crate) fn progress(&mut self, done: u64, elapsed_ns: u64, latencies: Option<&Histogram<u64>>) {
        if elapsed_ns > self.elapsed_ns {
            self.slots.push(Slot {
                end_ns: elapsed_ns,
                duration_ns: elapsed_ns - self.elapsed_ns,
                operations: done.saturating_sub(self.done),
            });
        }
        (self.done, self.elapsed_ns) = (done, elapsed_ns);
        if let Some(latencies) = latencies {
            // Adding cannot fail, because both have the same bounds.
            let _ = Arc::make_mut(&mut self.latencies).add(latencies);
        }
        if self.slots.len() > SLOTS {
            self.slots = self.slots.chunks(2).map(together).collect();
        }
    }

    /// Sets the figures of the finished test.
    pub(crate) fn finish(&mut self, done: &TestDone) {
        self.progress(done.operations, done.wall_ns.max(self.elapsed_ns), None);
        self.elapsed_ns = done.wall_ns;
        self.finished = true;
        self.take_statements(done.statements.iter().map(LiveStatement::from).collect());
    }

    /// Returns the progress of the test, 0 to 1; none if it is unknown.
    pub(crate) fn share(&self) -> Option<f64> {
        if self.finished {
            return Some(1.0);
        }
        if let Some(time) = self.time_ns {
            return Some((self.elapsed_ns as f64 / time.max(1) as f64).min(1.0));
        }
        let total = self.total.filter(|total| *total > 1)?;
        Some((self.done as f64 / total as f64).min(1.0))
    }

    /// Returns operations a second over the whole test.
    pub(crate) fn rate(&self) -> f64 {
        self.done as f64 * 1e9 / self.elapsed_ns.max(1) as f64
    }

    /// Whether each latency is of a single operation, instead of many operations.
    pub(crate) fn single(&self) -> bool {
        self.per_sample.map_or(self.latencies.len().saturating_mul(2) > self.done, |operations| operations == 1)
    }

    /// Returns a quantile of single operations in these latencies, ns, if enough of them are beyond it.
    pub(crate) fn quantile(&self, latencies: &Histogram<u64>, quantile: f64) -> Option<u64> {
        if self.single() { supported_quantile(latencies, quantile) } else { None }
    }

    /// Returns the expected length of the whole test, ns, or the time so far if it is unknown; for the time axis.
    pub(crate) fn expected_ns(&self) -> u64 {
        match self.share() {
            Some(share) if share > 0.02 => (self.elapsed_ns as f64 / share) as u64,
            _ => self.elapsed_ns,
        }
    }
}

fn together(pair: &[Slot]) -> Slot {
    Slot {
        end_ns: pair.last().map_or(0, |slot| slot.end_ns),
        duration_ns: pair.iter().map(|slot| slot.duration_ns).sum(),
        operations: pair.iter().map(|slot| slot.operations).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_stay_bounded_and_lose_no_operation() {
        let mut figures = LiveFigures::new(1, String::new(), true, None);
        for step in 1..=10_000_u64 {
            figures.progress(step * 3, step * 1_000, None);
        }
        assert!(figures.slots.len() <= SLOTS);
        assert_eq!(figures.slots.iter().map(|slot| slot.operations).sum::<u64>(), 30_000);
        assert_eq!(figures.slots.last().unwrap().end_ns, 10_000_000);
    }

    #[test]
    fn a_single_statement_has_no_share() {
        let mut figures = LiveFigures::new(1, String::new(), true, Some(1));
        figures.progress(0, 5_000, None);
        assert_eq!(figures.share(), None);
    }
}
