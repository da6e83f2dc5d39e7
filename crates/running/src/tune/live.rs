//! What is known while a session runs: figures of the rounds that are finished.

use super::samples::{Sample, Samples};
use crate::runner::RunnerEvent;
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_engine::protocol::Event;
use dbdyno_foundation::metric::Figures;
use dbdyno_store::Status;
use std::collections::BTreeMap;

/// Listens to a session and keeps what its finished runs measured.
#[derive(Debug)]
pub struct LiveSamples<'p> {
    plan: &'p BenchPlan,
    /// What the run under way has measured, by its place in the session.
    under_way: BTreeMap<u32, Vec<(u32, Sample)>>,
    ended: BTreeMap<u32, usize>,
    samples: Samples,
}

impl<'p> LiveSamples<'p> {
    /// Nothing heard yet. `samples`: what earlier sessions of the same variants measured.
    pub fn new(plan: &'p BenchPlan, samples: Samples) -> Self {
        Self { plan, under_way: BTreeMap::new(), ended: BTreeMap::new(), samples }
    }

    /// What finished runs measured: configuration `i` of the plan is variant `i`.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Takes in what the session tells. The number of finished rounds when one has just been finished.
    pub fn hear(&mut self, event: &RunnerEvent) -> Option<u32> {
        match event {
            RunnerEvent::Worker { ordinal, says: Event::TestDone(done), .. } if done.measured => {
                let sample = Sample::new(Figures::from_test_done(done, None), None);
                self.under_way.entry(*ordinal).or_default().extend(sample.map(|sample| (done.test, sample)));
                None
            }
            RunnerEvent::RunEnded { ordinal, status, failure } => self.ended(*ordinal, *status, failure.as_deref()),
            _ => None,
        }
    }

    fn ended(&mut self, ordinal: u32, status: Status, failure: Option<&str>) -> Option<u32> {
        let planned = self.plan.runs.get(ordinal as usize)?;
        let measured = self.under_way.remove(&ordinal).unwrap_or_default();
        if let Some(failure) = failure {
            self.samples.fail(planned.configuration, failure.to_owned());
        }
        if status == Status::Done {
            for (test, sample) in measured {
                // The session under way is known by no name yet; its rounds only have to differ from earlier ones.
                self.samples.add(planned.configuration, (String::new(), planned.round), test, sample);
            }
        }
        let ended = self.ended.entry(planned.round).or_default();
        *ended += 1;
        (*ended == self.plan.configurations.len()).then_some(planned.round + 1)
    }
}
