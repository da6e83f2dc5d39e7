//! The figures of a followed test, second by second.

use crate::runner::sent::SentHistogram;
use dbdyno_engine::{
    protocol::{ActorProgress, SuiteJob},
    suite::{During, KvActor, KvActors, KvLoad},
};
use dbdyno_store::{ActorSlotRecord, Blob, ReadingRecord};
use dbdyno_workload::histogram::{empty, supported_quantile, to_bytes};
use hdrhistogram::Histogram;
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

/// How many seconds are stored at a time. A long test that is killed has lost no more than these.
const SLOTS_AT_A_TIME: usize = 60;
/// The most readings that are accepted from a worker at one moment.
const MOST_READINGS: usize = 32;

/// The times at which actors that do not take part in the whole test do take part, ns from the beginning of their test.
#[derive(Default)]
pub(super) struct Turns(HashMap<(u32, String), Range<u64>>);

impl Turns {
    pub(super) fn of(suite: &SuiteJob) -> Self {
        let SuiteJob::Kv(suite) = suite else { return Self::default() };
        let turns = |(test, load): (u32, &KvActors)| -> Vec<((u32, String), Range<u64>)> {
            let at = |ms: u64| (load.warm_up_ms + ms) * 1_000_000;
            let turn = |during: During| at(during.from_ms)..at(during.until_ms);
            let of_actor = |actor: &KvActor| Some(((test, actor.name.clone()), turn(actor.during?)));
            load.actors.iter().filter_map(of_actor).collect()
        };
        let loads = suite.tests.iter().filter_map(|test| match &test.load {
            KvLoad::Actors(load) => Some((test.number, load)),
            KvLoad::Alone(_) | KvLoad::Compaction(_) => None,
        });
        Self(loads.flat_map(turns).collect())
    }

    /// Whether an actor takes part in the whole of a slot.
    fn covers(&self, test: u32, actor: &str, slot: &Range<u64>) -> bool {
        self.0.get(&(test, actor.to_owned())).is_none_or(|turn| turn.start <= slot.start && slot.end <= turn.end)
    }
}

/// The seconds that are not stored yet, and the one under way.
#[derive(Default)]
pub(super) struct UnstoredSeconds {
    slots: Vec<ActorSlotRecord>,
    readings: Vec<ReadingRecord>,
    seconds: usize,
    slot_began_ns: u64,
    actors: BTreeMap<String, SinceSlotBegan>,
}

/// The figures of an actor since the slot began.
struct SinceSlotBegan {
    operations_before: u64,
    busy_before: u64,
    latencies: Histogram<u64>,
}

impl Default for SinceSlotBegan {
    fn default() -> Self {
        Self { operations_before: 0, busy_before: 0, latencies: empty() }
    }
}

impl UnstoredSeconds {
    /// Adds a worker's progress in a run's test. A slot ends when the progress has readings.
    ///
    /// # Errors
    /// A histogram cannot be read.
    pub(super) fn look(
        &mut self,
        (run_id, test): (&str, u32),
        turns: &Turns,
        at_ns: u64,
        actors: &[ActorProgress],
        readings: &BTreeMap<String, u64>,
    ) -> Result<(), String> {
        for actor in actors {
            let since = self.actors.entry(actor.name.clone()).or_default();
            // The count restarted after the actor's warm-up.
            since.operations_before = since.operations_before.min(actor.operations);
            since.busy_before = since.busy_before.min(actor.busy);
            if let Some(text) = &actor.histogram {
                let unread = |error: String| format!("a histogram of actor `{}` under way: {error}", actor.name);
                let latest = SentHistogram::read(text).map_err(unread)?;
                since.latencies.add(&*latest.samples).map_err(|error| unread(error.to_string()))?;
            }
        }
        if readings.is_empty() {
            return Ok(());
        }
        self.seconds += 1;
        let slot = self.slot_began_ns..at_ns.max(self.slot_began_ns);
        self.slot_began_ns = slot.end;
        for actor in actors {
            let since = self.actors.entry(actor.name.clone()).or_default();
            let latencies = std::mem::replace(&mut since.latencies, empty());
            let is_empty = latencies.is_empty();
            let before = (since.operations_before, since.busy_before);
            (since.operations_before, since.busy_before) = (actor.operations, actor.busy);
            if !turns.covers(test, &actor.name, &slot) {
                continue;
            }
            self.slots.push(ActorSlotRecord {
                run_id: run_id.to_owned(),
                test,
                actor: actor.name.clone(),
                at_ns,
                duration_ns: slot.end - slot.start,
                operations: actor.operations - before.0,
                busy: actor.busy - before.1,
                backlog: actor.backlog,
                held: actor.held,
                p99_ns: supported_quantile(&latencies, 0.99),
                histogram: (!is_empty).then(|| Blob(to_bytes(&latencies))),
            });
        }
        self.readings.extend(readings.iter().take(MOST_READINGS).map(|(name, value)| ReadingRecord {
            run_id: run_id.to_owned(),
            test,
            at_ns,
            name: name.clone(),
            value: *value,
        }));
        Ok(())
    }

    /// Whether there is enough to store.
    pub(super) fn is_full(&self) -> bool {
        self.seconds >= SLOTS_AT_A_TIME
    }

    /// Takes the figures that are not stored yet.
    pub(super) fn take(&mut self) -> (Vec<ActorSlotRecord>, Vec<ReadingRecord>) {
        self.seconds = 0;
        (std::mem::take(&mut self.slots), std::mem::take(&mut self.readings))
    }
}
