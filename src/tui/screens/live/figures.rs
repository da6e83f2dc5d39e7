//! One test as it is watched: counts so far, latencies, throughput over time.

use dbdyno_engine::protocol::{ActorHead, ActorProgress, TestDone};
use dbdyno_workload::histogram::{bytes_from_base64, empty, from_bytes, supported_quantile};
use hdrhistogram::Histogram;

/// Slots that are kept; of a longer test, neighbours are put together.
const SLOTS: usize = 2048;

/// Throughput in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// Its end, from the beginning of the test, ns.
    pub(crate) end_ns: u64,
    /// Its length, ns.
    pub(crate) duration_ns: u64,
    /// Operations that ended in it.
    pub(crate) operations: u64,
}

impl Slot {
    /// Operations a second.
    pub(crate) fn rate(&self) -> f64 {
        self.operations as f64 * 1e9 / self.duration_ns.max(1) as f64
    }
}

/// A test under way, finished or replayed.
#[derive(Debug, Clone)]
pub struct LiveFigures {
    pub(crate) number: u32,
    pub(crate) name: String,
    /// Whether it is measured, or only prepares the database.
    pub(crate) measured: bool,
    /// Operations it will do; none where that is not known.
    pub(crate) total: Option<u64>,
    /// Operations done.
    pub(crate) done: u64,
    /// Time so far, ns.
    pub(crate) elapsed_ns: u64,
    pub(crate) finished: bool,
    /// Latencies so far, ns a sample.
    pub(crate) latencies: Histogram<u64>,
    /// Throughput over time.
    pub(crate) slots: Vec<Slot>,
    /// Operations in one sample of the latencies, where that is told.
    pub(crate) per_sample: Option<u64>,
    /// How long it will take, ns, where it ends with the time.
    pub(crate) time_ns: Option<u64>,
    /// The actors, where it has several threads.
    pub(crate) actors: Vec<LiveActor>,
}

/// What an actor does.
#[derive(Debug, Clone)]
pub struct LiveActor {
    pub(crate) head: ActorHead,
    /// Operations done.
    pub(crate) done: u64,
    /// Operations a second since the last that was said of it.
    pub(crate) rate: f64,
    /// How often another transaction was in its way.
    pub(crate) busy: u64,
    /// Operations that are due and not begun, where they are due at times.
    pub(crate) backlog: Option<u64>,
    /// Response times where operations are due at times, else service times.
    pub(crate) latencies: Histogram<u64>,
}

impl LiveActor {
    fn new(head: ActorHead) -> Self {
        Self { head, done: 0, rate: 0.0, busy: 0, backlog: None, latencies: empty() }
    }

    /// It has come this far, `ns` after the last time.
    fn progress(&mut self, said: &ActorProgress, ns: u64) {
        self.rate = said.operations.saturating_sub(self.done) as f64 * 1e9 / ns.max(1) as f64;
        (self.done, self.busy, self.backlog) = (said.operations, said.busy, said.backlog);
        let histogram = said.histogram.as_deref().and_then(|text| from_bytes(&bytes_from_base64(text).ok()?).ok());
        if let Some(latencies) = histogram {
            // Both have the same bounds.
            let _ = self.latencies.add(latencies);
        }
    }
}

impl LiveFigures {
    /// A test that begins.
    pub(crate) fn new(number: u32, name: String, measured: bool, total: Option<u64>) -> Self {
        Self {
            number,
            name,
            measured,
            total,
            done: 0,
            elapsed_ns: 0,
            finished: false,
            latencies: empty(),
            slots: Vec::new(),
            per_sample: None,
            time_ns: None,
            actors: Vec::new(),
        }
    }

    /// It has these actors, and ends after so many ms, where it ends with the time.
    pub(crate) fn with_actors(self, actors: Vec<ActorHead>, time_ms: Option<u64>) -> Self {
        let actors = actors.into_iter().map(LiveActor::new).collect();
        Self { actors, time_ns: time_ms.map(|ms| ms.saturating_mul(1_000_000)), ..self }
    }

    /// So many operations are one sample of its latencies.
    pub(crate) fn sampled(self, per_sample: Option<u64>) -> Self {
        Self { per_sample, ..self }
    }

    /// Its actors have come this far. Called before [`Self::progress`].
    pub(crate) fn actors_progress(&mut self, said: &[ActorProgress], elapsed_ns: u64) {
        let ns = elapsed_ns.saturating_sub(self.elapsed_ns);
        for actor in &mut self.actors {
            if let Some(said) = said.iter().find(|said| said.name == actor.head.name) {
                actor.progress(said, ns);
            }
        }
    }

    /// It has come this far.
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
            // Both have the same bounds.
            let _ = self.latencies.add(latencies);
        }
        if self.slots.len() > SLOTS {
            self.slots = self.slots.chunks(2).map(together).collect();
        }
    }

    /// It is finished.
    pub(crate) fn finish(&mut self, done: &TestDone, latencies: Option<Histogram<u64>>) {
        self.progress(done.operations, done.wall_ns.max(self.elapsed_ns), None);
        self.elapsed_ns = done.wall_ns;
        self.finished = true;
        if let Some(latencies) = latencies {
            self.latencies = latencies;
        }
    }

    /// How far it has come, 0 to 1; none where that cannot be told.
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

    /// Operations a second over the whole test.
    pub(crate) fn rate(&self) -> f64 {
        self.done as f64 * 1e9 / self.elapsed_ns.max(1) as f64
    }

    /// Whether latencies are of single operations, and not of stretches of many.
    pub(crate) fn single(&self) -> bool {
        self.per_sample.map_or(self.latencies.len().saturating_mul(2) > self.done, |operations| operations == 1)
    }

    /// A quantile of single operations in these latencies of it, where enough of them lie beyond it, ns.
    pub(crate) fn quantile(&self, latencies: &Histogram<u64>, quantile: f64) -> Option<u64> {
        if self.single() { supported_quantile(latencies, quantile) } else { None }
    }

    /// The whole test's length as far as it can be told, ns: for the time axis.
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
