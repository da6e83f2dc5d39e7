//! The records that a run stores while it goes on.

use super::{RunInProgress, StopReason, followed::Turns};
use crate::runner::{RunnerEvent, in_force::differing, sent::SentHistogram, session::RunningSession};
use dbdyno_catalog::bench::Configuration;
use dbdyno_engine::{
    protocol::{ActorDone, ActorProgress, MOST_PLANS, PlannedQuery, StatementDone, SuiteJob, TestDone},
    suite::{Arrival, KvLoad, KvTest, SqlLoad},
};
use dbdyno_foundation::{
    host::NoiseSample,
    metric::{Figures, Metric},
};
use dbdyno_store::{
    ActorRecord, Batch, Blob, CounterRecord, FailureKind, KeyRecord, OptionRecord, QueryPlanRecord, TestRecord,
    TimelineRecord,
};
use dbdyno_workload::histogram::supported_quantile;
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};

/// The most counters of an engine's own that are accepted with a test.
const MOST_COUNTERS: usize = 64;

impl RunInProgress {
    /// Stores the worker's stderr, and the notice about progress events that were left out.
    pub(super) fn log(&mut self, session: &RunningSession<'_>, mut log: String, left_out: Option<String>) {
        if let Some(left_out) = left_out {
            if !log.is_empty() && !log.ends_with('\n') {
                log.push('\n');
            }
            log.push_str(&left_out);
            session.tell(RunnerEvent::Note { text: format!("{}: {left_out}", self.run.label) });
        }
        self.run.log = (!log.is_empty()).then_some(log);
    }

    /// Stores that the run begins, and reports it.
    pub(super) async fn announce(&mut self, session: &mut RunningSession<'_>, configuration: &Configuration) {
        let suite = &session.plan.job_of(&self.planned);
        self.run.started_at = Timestamp::now();
        self.names = suite.tests().iter().map(|test| (test.number, test.name.to_owned())).collect();
        self.arrivals = arrivals(suite);
        self.has_uncertain_rows = has_uncertain_rows(suite);
        self.turns = Turns::of(suite);
        let of = |scope: &str, name: &str, value: &str| OptionRecord {
            run_id: self.run.run_id.clone(),
            scope: scope.to_owned(),
            name: name.to_owned(),
            asked: Some(value.to_owned()),
            in_force: None,
            assumed: Some(false),
        };
        let options = configuration.settings.iter().map(|(name, value)| of("engine", name, value));
        let of_suite = configuration.suite_settings.iter().map(|(name, value)| of("suite", name, value));
        let key = |(key, value): (&String, &String)| KeyRecord {
            run_id: self.run.run_id.clone(),
            key: key.clone(),
            value: value.clone(),
        };
        let batch = Batch {
            runs: vec![self.run.clone()],
            options: options.chain(of_suite).collect(),
            keys: session.launch.keys.iter().map(key).collect(),
            ..Batch::default()
        };
        session.keep(batch).await;
        session.tell(RunnerEvent::RunStarted {
            ordinal: self.planned.ordinal,
            round: self.run.round,
            run_id: self.run.run_id.clone(),
            label: self.run.label.clone(),
            size: self.run.size.clone(),
            tests: suite.tests().len(),
        });
    }

    pub(super) async fn opened(
        &mut self,
        session: &mut RunningSession<'_>,
        configuration: &Configuration,
        in_force: &BTreeMap<String, String>,
    ) -> Result<(), StopReason> {
        let options = in_force
            .iter()
            .map(|(name, value)| OptionRecord {
                run_id: self.run.run_id.clone(),
                scope: "engine".to_owned(),
                name: name.clone(),
                asked: configuration.settings.get(name).map(str::to_owned),
                in_force: Some(value.clone()),
                assumed: Some(false),
            })
            .collect();
        session.keep(Batch { runs: vec![self.run.clone()], options, ..Batch::default() }).await;
        let differing = differing(&configuration.engine.description, &configuration.settings, in_force);
        if differing.is_empty() || session.launch.allow_differing_options {
            return Ok(());
        }
        Err(StopReason::Failed(
            FailureKind::OptionsDiffer,
            format!(
                "options in force differ from the requested ones: {} (allow differing options to run it anyway)",
                differing.join("; ")
            ),
        ))
    }

    /// Adds one slot of the timeline.
    pub(super) fn slot(&mut self, test: u32, operations: u64, elapsed_ns: u64, histogram: Option<&SentHistogram>) {
        let (operations_before, elapsed_before) = self.last_progress;
        self.last_progress = (operations, elapsed_ns);
        self.timeline.push(TimelineRecord {
            run_id: self.run.run_id.clone(),
            test,
            at_ns: elapsed_ns,
            duration_ns: elapsed_ns.saturating_sub(elapsed_before),
            operations: operations.saturating_sub(operations_before),
            p99_ns: histogram.and_then(|sent| supported_quantile(&sent.samples, 0.99)),
            histogram: histogram.map(|sent| Blob(sent.bytes.clone())),
        });
    }

    pub(super) async fn test_done(
        &mut self,
        session: &mut RunningSession<'_>,
        done: &TestDone,
        histogram: Option<&SentHistogram>,
    ) -> Result<(), StopReason> {
        if !done.measured {
            return Ok(());
        }
        let mut figures = self.certain(Figures::from_test_done(done, histogram.map(|sent| &*sent.samples)));
        self.slices.end(done.operations, done.wall_ns);
        figures.set(Metric::Returning, self.slices.returning_ns());
        let result = TestRecord {
            run_id: self.run.run_id.clone(),
            test: done.test,
            test_name: self.names.get(&done.test).cloned().unwrap_or_default(),
            finished_at: Some(Timestamp::now()),
            figures,
            verification: done.verification.clone(),
            agrees: None,
            operations_per_sample: Some(done.operations_per_sample),
            histogram: histogram.map(|sent| Blob(sent.bytes.clone())),
            failure: None,
        };
        self.results.push(result.clone());
        let actors = done.actors.iter().map(|actor| self.actor(&result, actor));
        let statements = done.statements.iter().map(|statement| statement_record(&result, statement));
        let actors = actors.chain(statements).collect::<Result<Vec<_>, _>>()?;
        self.actors.extend(actors.iter().cloned());
        let timelines = std::mem::take(&mut self.timeline);
        let (slots, readings) = self.followed.take();
        let slices = self.slices.take(&result.run_id, done.test);
        let counters = done.counters.own().take(MOST_COUNTERS).map(|(name, value)| CounterRecord {
            run_id: result.run_id.clone(),
            test: done.test,
            name: name.to_owned(),
            value,
        });
        let counters = counters.collect();
        let plans = query_plans(&result.run_id, done);
        let results = vec![result];
        self.keep(
            session,
            Batch { results, actors, timelines, slots, readings, slices, counters, plans, ..Batch::default() },
        )
        .await
    }

    /// Stores the figures of a second of a followed test.
    pub(super) async fn follow(
        &mut self,
        session: &mut RunningSession<'_>,
        test: u32,
        elapsed_ns: u64,
        actors: &[ActorProgress],
        readings: &BTreeMap<String, u64>,
    ) -> Result<(), StopReason> {
        self.followed.look((&self.run.run_id, test), &self.turns, elapsed_ns, actors, readings)?;
        if !self.followed.is_full() {
            return Ok(());
        }
        let (slots, readings) = self.followed.take();
        self.keep(session, Batch { slots, readings, ..Batch::default() }).await
    }

    /// Leaves out what no two runs have in common.
    fn certain(&self, mut figures: Figures) -> Figures {
        if self.has_uncertain_rows {
            figures.set(Metric::Rows, None);
        }
        figures
    }

    async fn keep(&self, session: &mut RunningSession<'_>, batch: Batch) -> Result<(), StopReason> {
        if session.keep(batch).await {
            return Ok(());
        }
        // To continue measuring while nothing can be stored would only lose more.
        Err(StopReason::Failed(
            FailureKind::Unkept,
            format!("results cannot be saved: {}", session.unkept().unwrap_or("the session was stopped")),
        ))
    }

    /// Returns the record of an actor in a test.
    fn actor(&self, of: &TestRecord, actor: &ActorDone) -> Result<ActorRecord, StopReason> {
        let read = |text: &str| {
            SentHistogram::read(text).map_err(|error| format!("the histogram of actor `{}`: {error}", actor.name))
        };
        let service = read(&actor.histogram)?;
        let response = actor.response.as_deref().map(read).transpose()?;
        let response_samples = response.as_ref().map(|sent| &*sent.samples);
        let arrival = self.arrivals.get(&(of.test, actor.name.clone()));
        Ok(ActorRecord {
            run_id: of.run_id.clone(),
            test: of.test,
            actor: actor.name.clone(),
            test_name: format!("{} · {}", of.test_name, actor.name),
            finished_at: of.finished_at,
            threads: Some(actor.threads),
            arrival_rate: arrival.map(|arrival| arrival.rate),
            arrival_gaps: arrival.map(|arrival| arrival.gaps.word().to_owned()),
            figures: self
                .certain(Figures::from_actor_done(actor, Some(&*service.samples), response_samples))
                .begun_as(&of.figures),
            verification: None,
            agrees: None,
            operations_per_sample: Some(actor.operations_per_sample),
            histogram: Some(Blob(service.bytes.clone())),
            response_histogram: response.map(|sent| Blob(sent.bytes.clone())),
            failure: None,
            plan: None,
        })
    }

    pub(super) fn note_noise(&mut self, after: &NoiseSample, own_cpu_ns: Option<u64>) {
        let Some(before) = &self.noise else { return };
        let noise = after.since(before);
        self.run.steal_share = noise.steal_share;
        self.run.busy_share = noise.busy_share;
        self.run.others_cpus = own_cpu_ns.and_then(|own| noise.others_cpus(own));
        self.run.psi_cpu_share = noise.psi_cpu_share;
        self.run.psi_io_share = noise.psi_io_share;
        self.run.psi_memory_share = noise.psi_memory_share;
        self.run.context_switches = noise.context_switches;
        self.run.throttled_periods = noise.throttled_periods;
        self.run.throttled_ns = noise.throttled_ns;
    }
}

/// Whether the rows of a test depend on the order of its threads, although its verification value does not.
fn has_uncertain_rows(suite: &SuiteJob) -> bool {
    let SuiteJob::Sql(suite) = suite else { return false };
    suite.tests.iter().any(|test| matches!(&test.load, SqlLoad::Replay { replay } if replay.has_writing_threads()))
}

/// Returns when the operations of actors are due, by test and actor.
fn arrivals(suite: &SuiteJob) -> HashMap<(u32, String), Arrival> {
    let SuiteJob::Kv(suite) = suite else { return HashMap::new() };
    let of_test = |test: &KvTest| -> Vec<((u32, String), Arrival)> {
        let KvLoad::Actors(load) = &test.load else { return Vec::new() };
        load.actors.iter().filter_map(|actor| Some(((test.number, actor.name.clone()), actor.arrival?))).collect()
    };
    suite.tests.iter().flat_map(of_test).collect()
}

/// The most that is kept of a statement's plan, characters.
const PLAN_CHARS: usize = 4_000;

/// Returns the plans of a test's statements, each statement once.
fn query_plans(run_id: &str, done: &TestDone) -> Vec<QueryPlanRecord> {
    let of_statement = |query: &PlannedQuery| {
        let statement: String = query.statement.chars().take(PLAN_CHARS).map(plain).collect();
        Some((statement, plan(&query.plan)?))
    };
    let plans: BTreeMap<String, String> = done.plans.iter().take(MOST_PLANS).filter_map(of_statement).collect();
    let record = |(statement, plan)| QueryPlanRecord { run_id: run_id.to_owned(), test: done.test, statement, plan };
    plans.into_iter().map(record).collect()
}

/// Returns a plan as it is stored. Engines are not trusted to be brief.
fn plan(steps: &[String]) -> Option<String> {
    let clean = |step: &String| step.chars().take(PLAN_CHARS).map(plain).collect::<String>();
    let text = steps.iter().take(PLAN_CHARS).map(clean).collect::<Vec<_>>().join("\n");
    (!text.trim().is_empty()).then(|| text.chars().take(PLAN_CHARS).collect())
}

/// Returns a space in place of a control character.
fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// Returns the record of the steps of a test that have one name: a part of the test, like an actor's.
fn statement_record(of: &TestRecord, statement: &StatementDone) -> Result<ActorRecord, StopReason> {
    let times = SentHistogram::read(&statement.histogram)
        .map_err(|error| format!("the histogram of statement `{}`: {error}", statement.name))?;
    let mut figures = Figures::from_statement_done(statement, Some(&times.samples));
    // A statement is in slices if its test is.
    figures.set(Metric::Away, of.figure(Metric::Away));
    Ok(ActorRecord {
        run_id: of.run_id.clone(),
        test: of.test,
        actor: statement.name.clone(),
        test_name: format!("{} · {}", of.test_name, statement.name),
        finished_at: of.finished_at,
        threads: None,
        arrival_rate: None,
        arrival_gaps: None,
        figures,
        verification: statement.verification.clone(),
        agrees: None,
        operations_per_sample: Some(1),
        histogram: Some(Blob(times.bytes.clone())),
        response_histogram: None,
        failure: None,
        plan: plan(&statement.plan),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(statement: &str, plan: &[&str]) -> PlannedQuery {
        PlannedQuery { statement: statement.to_owned(), plan: plan.iter().map(|step| (*step).to_owned()).collect() }
    }

    #[test]
    fn plans_are_cut_and_have_no_control_characters() {
        let long = "é".repeat(1 << 20);
        let mut plans = vec![
            planned("SELECT\n\u{1b}[31m1", &["SCAN\u{7} t", "two\nlines"]),
            planned(&long, &[&long, "more"]),
            planned("INSERT", &[]),
            planned("DELETE", &["", "\n"]),
        ];
        plans.extend((0..1_000).map(|number| planned(&format!("more {number:04}"), &["SCAN t"])));
        let found = query_plans("r", &TestDone { test: 3, plans, ..TestDone::default() });
        assert_eq!(found.len(), MOST_PLANS - 2, "statements beyond the first 16, and empty plans, are left out");
        let of = |start: &str| found.iter().find(|plan| plan.statement.starts_with(start)).unwrap();
        let select = of("SELECT");
        assert_eq!((select.statement.as_str(), select.plan.as_str()), ("SELECT  [31m1", "SCAN  t\ntwo lines"));
        let cut = of("é");
        assert_eq!((cut.statement.chars().count(), cut.plan.chars().count()), (PLAN_CHARS, PLAN_CHARS));
        assert_eq!(found.iter().filter(|plan| plan.statement.starts_with("more")).count(), 12);
    }
}
