//! The figures that are known while a session runs: those of the finished rounds.

use super::samples::{Sample, Samples, TestPart};
use crate::runner::RunnerEvent;
use dbdyno_catalog::bench::BenchPlan;
use dbdyno_engine::protocol::Event;
use dbdyno_foundation::metric::Figures;
use dbdyno_store::Status;
use std::collections::BTreeMap;

/// Follows a session and keeps the measurements of its finished runs.
#[derive(Debug)]
pub struct LiveSamples<'p> {
    plan: &'p BenchPlan,
    /// The measurements of the runs under way, by their place in the session.
    under_way: BTreeMap<u32, Vec<(TestPart, Sample)>>,
    ended: BTreeMap<u32, usize>,
    samples: Samples,
}

impl<'p> LiveSamples<'p> {
    /// Starts without any event. `samples`: the measurements of earlier sessions with the same variants.
    pub fn new(plan: &'p BenchPlan, samples: Samples) -> Self {
        Self { plan, under_way: BTreeMap::new(), ended: BTreeMap::new(), samples }
    }

    /// Returns the measurements of finished runs: configuration `i` of the plan is variant `i`.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Adds an event of the session. Returns the number of finished rounds if the event finishes a round.
    pub fn hear(&mut self, event: &RunnerEvent) -> Option<u32> {
        match event {
            RunnerEvent::Worker { ordinal, says: Event::TestDone(done), .. } if done.measured => {
                let whole = Figures::from_test_done(done, None);
                let actors = done.actors.iter().map(|actor| {
                    (Some(actor.name.clone()), Figures::from_actor_done(actor, None, None).begun_as(&whole))
                });
                let statements = done
                    .statements
                    .iter()
                    .map(|statement| (Some(statement.name.clone()), Figures::from_statement_done(statement, None)));
                let measured = std::iter::once((None, whole)).chain(actors).chain(statements);
                let samples =
                    measured.filter_map(|(part, figures)| Some(((done.test, part), Sample::new(figures, None)?)));
                self.under_way.entry(*ordinal).or_default().extend(samples);
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
                // The session under way has no name here yet. Its rounds only have to differ from earlier ones.
                self.samples.add(planned.configuration, (String::new(), planned.round), test, sample);
            }
        }
        let ended = self.ended.entry(planned.round).or_default();
        *ended += 1;
        (*ended == self.plan.configurations.len()).then_some(planned.round + 1)
    }
}
