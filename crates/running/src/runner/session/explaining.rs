//! Explaining rounds: the runs of the first rounds are repeated, to find out what their time goes to. A repetition has the engine, options
//! and seed of its run, but is slower. What it finds is stored with the run, and its times are results of nothing.

use super::RunningSession;
use crate::runner::{
    RunnerEvent,
    run::{StartedWorker, start_worker},
    sent::Sent,
};
use dbdyno_catalog::bench::PlannedRun;
use dbdyno_engine::protocol::{Event, MOST_STACKS, TestDone};
use dbdyno_foundation::base::{identifier::identifier, units};
use dbdyno_store::{Batch, ExplainedRecord, RunRecord, SpentRecord, Status};
use std::sync::Arc;
use tokio::time::timeout;

/// Why a run that was asked to stop is not explained.
const STOPPED: &str = "the session was stopped";
/// The longest text of a test's stacks that is stored, bytes.
const MOST_TEXT: usize = 1 << 20;

impl RunningSession<'_> {
    /// Remembers a run that is repeated at the end of the session.
    pub(super) fn remember_to_explain(&mut self, run: &RunRecord) {
        if run.round < self.launch.why && run.status == Status::Done {
            self.to_explain.push((run.ordinal, run.run_id.clone()));
        }
    }

    /// Repeats the runs that are to be explained.
    pub(super) async fn explain_runs(&mut self) {
        let plan = Arc::clone(&self.plan);
        let runs = std::mem::take(&mut self.to_explain);
        let of = runs.len() as u32;
        for (run, (ordinal, run_id)) in (1..).zip(runs) {
            let Some(planned) = plan.runs.get(ordinal as usize).copied() else { continue };
            self.paused().await;
            if self.is_stopped() || self.unkept.is_some() {
                break;
            }
            let configuration = &plan.configurations[planned.configuration];
            let label = units::plain(&configuration.label);
            self.tell(RunnerEvent::Explaining { run, of, label: label.clone(), size: configuration.size.to_string() });
            match self.repeat(planned, &run_id).await {
                Ok(batch) if batch.explained.is_empty() => {
                    let text = format!("{label} is not explained: its worker does not tell what its time goes to");
                    self.tell(RunnerEvent::Note { text });
                }
                Ok(batch) => drop(self.keep(batch).await),
                Err(reason) => self.tell(RunnerEvent::Note { text: format!("{label} is not explained: {reason}") }),
            }
        }
    }

    /// Repeats a run, and returns what it found.
    async fn repeat(&mut self, planned: PlannedRun, run_id: &str) -> Result<Batch, String> {
        let plan = Arc::clone(&self.plan);
        let configuration = &plan.configurations[planned.configuration];
        let Some(_lock) = self.measurement_lock().await else { return Err(STOPPED.to_owned()) };
        let _measuring = self.control.measuring().await;
        let StartedWorker { mut worker, deadline, folder: _folder, .. } =
            start_worker(self, configuration, identifier(), &planned, true, None)?;
        let mut found = Batch::default();
        let listening = async {
            loop {
                let Sent { event, .. } = worker.next().await?;
                match event {
                    Event::TestDone(done) => {
                        add(&mut found, run_id, &done);
                        worker.go_on();
                    }
                    Event::Opened { .. } => worker.go_on(),
                    Event::Done => return Ok(()),
                    Event::Failed { message, .. } => return Err(message),
                    _ => {}
                }
            }
        };
        let result = tokio::select! {
            result = timeout(deadline, listening) => {
                result.unwrap_or_else(|_| Err(format!("its deadline of {} has passed", units::clock(deadline))))
            }
            () = self.control.stopped() => Err(STOPPED.to_owned()),
        };
        worker.end(self.control.hurried()).await;
        result.map(|()| found)
    }
}

/// Adds what a repetition found out about a test.
fn add(found: &mut Batch, run_id: &str, done: &TestDone) {
    let Some(explained) = &done.explained else { return };
    let part = |name| done.counters.get(name);
    let stacks: Vec<String> = explained
        .stacks
        .iter()
        .take(MOST_STACKS)
        .map(|(stack, samples)| format!("{} {samples}", units::plain(stack)))
        .scan(0, |bytes, line| {
            *bytes += line.len() + 1;
            (*bytes <= MOST_TEXT).then_some(line)
        })
        .collect();
    found.explained.push(ExplainedRecord {
        run_id: run_id.to_owned(),
        test: done.test,
        wall_ns: done.wall_ns,
        operations: done.operations,
        part_user_ns: part("part_user_ns"),
        part_kernel_ns: part("part_kernel_ns"),
        part_sync_ns: part("part_sync_ns"),
        part_sleep_ns: part("part_sleep_ns"),
        part_queue_ns: part("part_queue_ns"),
        part_rest_ns: part("part_rest_ns"),
        stacks: (!stacks.is_empty()).then(|| stacks.join("\n")),
    });
    let cpu_ns = [part("part_user_ns"), part("part_kernel_ns")].into_iter().flatten().fold(0, u64::saturating_add);
    found.spent.extend(explained.spent.iter().map(|(kind, spent)| SpentRecord {
        run_id: run_id.to_owned(),
        test: done.test,
        kind: kind.word().to_owned(),
        calls: spent.calls,
        // It is a part of what the run's own parts have.
        cpu_ns: spent.cpu_ns.min(cpu_ns),
        wait_ns: spent.wait_ns.min(part("part_rest_ns").unwrap_or(0)),
    }));
}
