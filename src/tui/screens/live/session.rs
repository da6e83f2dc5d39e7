//! The session in progress, as its runner reports it.

use super::{
    LiveFigures, LiveStatement, Phase, RunState, WatchedConfiguration, WatchedRun,
    gathered::Gathered,
    shown::{LastTest, SentLatencies, ShownTest},
    standing::{Standing, Standings},
    usage::Usage,
};
use dbdyno_engine::protocol::{self, TestDone};
use dbdyno_running::runner::{
    OutlinedConfiguration, OutlinedRun, RunnerEvent, SentHistogram, SessionOutline, waiting_for_lock,
};
use dbdyno_stats::{Verdict, median};
use dbdyno_store::{ReadWatch, Status, WarningRecord};
use std::{collections::BTreeMap, time::Duration};

/// The result of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastSession {
    /// UUID of the session.
    pub session_id: String,
    pub suite: String,
    pub status: Status,
    /// Number of runs in its plan.
    pub planned: usize,
    /// Number of successful runs.
    pub done: usize,
}

/// A session, as far as its runner has reported it.
#[derive(Debug, Clone)]
pub struct WatchedSession {
    /// UUID of the session, once it is known.
    pub(crate) id: Option<String>,
    /// The plan of the session.
    pub(super) outline: SessionOutline,
    /// The session to which it adds rounds; none: an independent session.
    pub(super) adds_to: Option<String>,
    pub(crate) suite: String,
    pub(crate) configurations: Vec<WatchedConfiguration>,
    /// Names of the tests, by number.
    pub(crate) tests: BTreeMap<u32, String>,
    /// The runs in order.
    pub(crate) runs: Vec<WatchedRun>,
    pub(crate) phase: Phase,
    /// The current run, or the last one.
    pub(crate) current: Option<usize>,
    /// The current test, or the last one.
    pub(crate) figures: Option<LiveFigures>,
    /// The tests of other runs that take turns with the current one, by their places.
    aside: BTreeMap<usize, LiveFigures>,
    /// The resources of its worker.
    pub(super) usage: Usage,
    /// The test that the single view shows.
    pub(super) shown: Option<ShownTest>,
    /// The last finished test of each configuration, by number.
    pub(super) last: BTreeMap<(usize, u32), LastTest>,
    /// Latencies of finished tests by configuration and test.
    pub(super) sent: BTreeMap<(usize, u32), SentLatencies>,
    /// The measurements so far.
    pub(crate) gathered: Gathered,
    /// The configurations compared with the first, by the runs that have ended.
    pub(crate) standings: Standings,
    /// When they may be asked for again, since the start of the program.
    pub(super) compared_again: Duration,
    pub(crate) rounds: u32,
    /// Lines for the user: notes of the runner, failures.
    pub(crate) notes: Vec<String>,
    /// The warnings of linters.
    pub(crate) warnings: Vec<WarningRecord>,
    /// Time at which watching began, since the start of the program.
    pub(super) begun: Duration,
    /// Time that the session had run before watching began.
    pub(super) earlier: Duration,
    /// Total time of the session, once it has ended.
    ended: Option<Duration>,
    /// Start of the current run, since the start of the session.
    run_begun: Duration,
    expected_run: Duration,
    took: BTreeMap<usize, Vec<f64>>,
    /// The runs that failed, by their places.
    pub(super) failed: Vec<usize>,
    /// The watch of the reading of the usual times. It tells which program holds the store, for which the session waits too.
    pub(super) watch: ReadWatch,
    /// Median times of earlier sessions by engine, size and test, ns.
    pub(super) usual: BTreeMap<(String, String, u32), f64>,
}

impl WatchedSession {
    /// Returns a session that begins now.
    pub(crate) fn new(outline: SessionOutline, now: Duration) -> Self {
        let configuration = |one: &OutlinedConfiguration| WatchedConfiguration {
            label: one.label.clone(),
            engine: one.engine.clone(),
            size: one.size,
            twin: one.twin_of.is_some(),
        };
        let gathered = Gathered::new(&outline);
        Self {
            id: None,
            adds_to: outline.adds_to.clone(),
            suite: outline.suite.clone(),
            configurations: outline.configurations.iter().map(configuration).collect(),
            tests: outline.tests.iter().map(|test| (test.number, test.name.clone())).collect(),
            runs: outline.runs.iter().map(WatchedRun::waiting).collect(),
            rounds: outline.rounds,
            expected_run: Duration::from_millis(outline.expected_run_ms),
            outline,
            watch: ReadWatch::endless(),
            phase: Phase::Starting,
            current: None,
            figures: None,
            aside: BTreeMap::new(),
            usage: Usage::default(),
            shown: None,
            last: BTreeMap::new(),
            sent: BTreeMap::new(),
            gathered,
            standings: Standings::default(),
            compared_again: now,
            notes: Vec::new(),
            warnings: Vec::new(),
            begun: now,
            earlier: Duration::ZERO,
            ended: None,
            run_begun: Duration::ZERO,
            took: BTreeMap::new(),
            failed: Vec::new(),
            usual: BTreeMap::new(),
        }
    }

    /// Whether the session is in progress.
    pub(crate) fn running(&self) -> bool {
        self.ended.is_none()
    }

    /// Returns the time that the session has taken so far, or in total.
    pub(crate) fn took(&self, now: Duration) -> Duration {
        self.ended.unwrap_or_else(|| now.saturating_sub(self.begun) + self.earlier)
    }

    /// Sets the session's clock: the events that follow happened at this time since it began.
    pub(super) fn told_at(&mut self, at: Duration, now: Duration) {
        self.earlier += at.saturating_sub(self.took(now));
    }

    /// Returns the number of runs that ended with one of these statuses.
    pub(crate) fn ended_as(&self, is_meant: impl Fn(Status) -> bool) -> usize {
        self.runs.iter().filter(|run| matches!(run.state, RunState::Ended(status, _) if is_meant(status))).count()
    }

    /// Returns the number of completed runs, without those that failed or were cancelled.
    pub(crate) fn finished(&self) -> usize {
        self.ended_as(|status| status == Status::Done)
    }

    /// Returns the index of the run in progress.
    pub(crate) fn run_under_way(&self) -> Option<usize> {
        self.current.filter(|&at| self.running() && self.runs.get(at).is_some_and(|run| run.state == RunState::Running))
    }

    /// Returns the number of failed runs of the configuration with the most failures.
    pub(crate) fn most_failed(&self) -> usize {
        let mut failed = vec![0; self.configurations.len()];
        for run in self.failed.iter().filter_map(|&at| self.runs.get(at)) {
            if let Some(count) = failed.get_mut(run.configuration) {
                *count += 1;
            }
        }
        failed.into_iter().max().unwrap_or(0)
    }

    /// Returns the configuration of the current or last run.
    pub(crate) fn configuration(&self) -> Option<(usize, &WatchedConfiguration)> {
        let run = self.runs.get(self.current?)?;
        Some((run.configuration, self.configurations.get(run.configuration)?))
    }

    /// Handles an event of the runner.
    pub(crate) fn runner(&mut self, event: RunnerEvent, now: Duration) {
        match event {
            RunnerEvent::Note { text } => self.notes.push(text),
            RunnerEvent::SessionStarted { session_id, .. } => {
                self.gathered.begin(&session_id);
                self.id = Some(session_id);
            }
            RunnerEvent::Calibrating => self.phase = Phase::Calibrating,
            RunnerEvent::WaitingForLock { holder } => self.phase = Phase::Waiting(waiting_for_lock(holder.as_deref())),
            RunnerEvent::RoundsAdded { runs, rounds, from } => self.add_rounds(runs, rounds, from),
            RunnerEvent::Explaining { run, of, .. } => self.phase = Phase::Explaining { run, of },
            RunnerEvent::Paused => self.phase = Phase::Paused,
            RunnerEvent::Resumed => self.phase = Phase::Running,
            RunnerEvent::RunStarted { ordinal, run_id, .. } => {
                let at = ordinal as usize;
                if let Some((before, figures)) = self.run_under_way().zip(self.figures.take()) {
                    self.aside.insert(before, figures);
                }
                self.gathered.begin_run(ordinal, &run_id);
                if let Some(run) = self.runs.get_mut(at) {
                    run.state = RunState::Running;
                    self.current = Some(at);
                }
                if self.phase != Phase::Paused {
                    self.phase = Phase::Running;
                }
                self.run_begun = self.took(now);
                self.usage = Usage::default();
            }
            RunnerEvent::Worker { ordinal, says } => {
                self.turn_to(ordinal);
                self.worker(says);
            }
            RunnerEvent::Uses { uses, .. } => {
                self.usage.look(self.figures.as_ref().map_or(0, |figures| figures.elapsed_ns), uses);
            }
            RunnerEvent::RunEnded { ordinal, status, failure } => {
                self.run_ended(ordinal as usize, status, failure, now)
            }
            RunnerEvent::WrongAnswers { answers } => self.gathered.wrong(&answers),
            RunnerEvent::Warning(warning) => self.warnings.push(warning),
            RunnerEvent::SessionEnded { status, unmerged, unkept, .. } => {
                self.phase = Phase::Over(status);
                self.notes.extend(unmerged.iter().map(|reason| format!("results are in the journal: {reason}")));
                self.notes.extend(unkept.iter().map(|reason| format!("results could not be saved: {reason}")));
            }
            // The session was created from this event.
            RunnerEvent::Planned { .. } => {}
        }
        self.look(now);
    }

    /// Adds the runs of rounds that a look found necessary.
    fn add_rounds(&mut self, runs: Vec<OutlinedRun>, rounds: u32, from: u32) {
        self.rounds = rounds;
        self.runs.extend(runs.iter().map(WatchedRun::waiting));
        self.gathered.add_rounds(&runs, from);
    }

    /// Makes a run the current one: runs that take turns report in any order.
    fn turn_to(&mut self, ordinal: u32) {
        let at = ordinal as usize;
        let Some(before) = self.current.replace(at).filter(|before| *before != at) else { return };
        let own = self.aside.remove(&at);
        self.aside.extend(std::mem::replace(&mut self.figures, own).map(|figures| (before, figures)));
        self.gathered.turn_to(ordinal);
    }

    fn worker(&mut self, event: protocol::Event) {
        match event {
            protocol::Event::TestStarted {
                test,
                name,
                measured,
                operations,
                operations_per_sample,
                time_ms,
                actors,
            } => {
                let figures = LiveFigures::new(test, name, measured, operations).sampled(operations_per_sample);
                let before = self.configuration().and_then(|(at, _)| self.last.get(&(at, test)));
                let figures = figures.with_actors(actors, time_ms).after(before.map(|last| &last.figures));
                self.figures = Some(figures);
                self.usage.begin_test();
            }
            protocol::Event::Progress {
                test, operations, total, elapsed_ns, actors, statements, histogram, ..
            } => {
                let latencies = histogram.and_then(|text| SentHistogram::read(&text).ok());
                if let Some(figures) = self.figures.as_mut().filter(|figures| figures.number == test) {
                    figures.actors_progress(&actors, elapsed_ns);
                    figures.take_statements(statements.into_iter().map(LiveStatement::from).collect());
                    figures.total = total.or(figures.total);
                    figures.progress(operations, elapsed_ns, latencies.as_ref().map(|sent| &*sent.samples));
                }
            }
            protocol::Event::TestDone(done) => self.test_done(&done),
            protocol::Event::Opened { version, in_force, .. } => self.gathered.opened(version, in_force),
            protocol::Event::Done
            | protocol::Event::Failed { .. }
            | protocol::Event::Turn { .. }
            | protocol::Event::Committed { .. }
            | protocol::Event::Recovered { .. } => {}
        }
    }

    fn test_done(&mut self, done: &TestDone) {
        let (Some(run), Some((configuration, _))) = (self.current, self.configuration()) else { return };
        let Some(figures) = &mut self.figures else { return };
        figures.finish(done);
        self.usage.finish(done);
        if !done.measured {
            return;
        }
        self.gathered.test_done(&figures.name, done);
        self.keep_last(configuration);
        self.take_latencies(run, done.test, &done.histogram);
    }

    fn run_ended(&mut self, at: usize, status: Status, failure: Option<String>, now: Duration) {
        let took = self.took(now);
        let Some(run) = self.runs.get_mut(at) else { return };
        if status == Status::Done {
            let took = took.saturating_sub(self.run_begun).as_secs_f64();
            self.took.entry(run.configuration).or_default().push(took);
        }
        if let (Status::Failed, Some(failure)) = (status, &failure) {
            let label = self.configurations.get(run.configuration).map_or("?", |one| one.label.as_str());
            self.notes.push(format!("round {}, {label}: {failure}", run.round + 1));
        }
        if status == Status::Failed {
            self.failed.push(at);
        }
        run.state = RunState::Ended(status, failure);
        self.aside.remove(&at);
    }

    /// Records that the session has ended, or could not be run.
    pub(crate) fn over(&mut self, outcome: Result<(), String>, now: Duration) {
        self.ended = Some(self.took(now));
        match (outcome, &self.phase) {
            (Err(reason), _) => self.phase = Phase::Failed(reason),
            (Ok(()), Phase::Over(_)) => {}
            (Ok(()), _) => self.phase = Phase::Over(Status::Cancelled),
        }
    }

    /// Returns the result of the session; none while it is in progress, or if it never began.
    pub(crate) fn last(&self) -> Option<LastSession> {
        let status = match self.phase {
            Phase::Over(status) => status,
            _ => return None,
        };
        Some(LastSession {
            session_id: self.id.clone()?,
            suite: self.suite.clone(),
            status,
            planned: self.runs.len(),
            done: self.finished(),
        })
    }

    /// Returns the estimated time left.
    pub(crate) fn left(&self, now: Duration) -> Duration {
        let usual = |configuration: usize| {
            let took = self.took.get(&configuration);
            took.and_then(|took| median(took).ok()).unwrap_or(self.expected_run.as_secs_f64())
        };
        // One median for each configuration and not for each run: this is asked for with every frame.
        let usual: Vec<f64> = (0..self.configurations.len()).map(usual).collect();
        let usual = |run: &WatchedRun| usual.get(run.configuration).copied().unwrap_or_default();
        let mut left: f64 = self.runs.iter().filter(|run| run.state == RunState::Waiting).map(usual).sum();
        if let Some(run) = self.runs.iter().find(|run| run.state == RunState::Running) {
            left += (usual(run) - self.took(now).saturating_sub(self.run_begun).as_secs_f64()).max(0.0);
        }
        Duration::from_secs_f64(left)
    }

    /// Returns the usual time of a test, ns: from this session's runs, else from earlier ones.
    pub(crate) fn usual_ns(&self, configuration: usize, test: u32) -> Option<f64> {
        let measured = self.configurations.get(configuration)?;
        let here: Vec<f64> = self.gathered.times(configuration, test).iter().map(|time| time.ns).collect();
        let earlier = || self.usual.get(&(measured.engine.clone(), measured.size.to_string(), test)).copied();
        median(&here).ok().or_else(earlier)
    }

    /// Returns selections of the second and the first configuration of the first size; as in the race, the first is the reference.
    pub(crate) fn sides(&self) -> Option<(String, String)> {
        let id = self.compared_session()?;
        let first = self.configurations.first()?;
        let of_size = self.configurations.iter().filter(|one| one.size == first.size);
        let mut others = of_size.filter(|one| !one.twin);
        let mut side = || others.next().map(|one| selection(id, one));
        let first = side()?;
        Some((side()?, first))
    }
}

impl WatchedSession {
    /// Returns the session in which its runs are compared: its own, or the one to which it adds rounds.
    pub(super) fn compared_session(&self) -> Option<&str> {
        self.adds_to.as_deref().or(self.id.as_deref())
    }

    /// Whether the session has ended and left a verdict undecided.
    pub(super) fn has_undecided(&self) -> bool {
        let open = |standing: &Standing| {
            let Standing::Judged(found) = standing else { return false };
            matches!(found.verdict, Verdict::Undecided { .. } | Verdict::TooFew { .. })
        };
        !self.running() && self.compared_session().is_some() && self.standings.tests.values().any(open)
    }
}

/// Returns the terms that select a configuration of a session, at all its sizes.
fn selection(session: &str, measured: &WatchedConfiguration) -> String {
    // The label may name the backend below the library, between the engine's name and the options.
    let options = measured.label.strip_prefix(&measured.engine).and_then(|rest| rest.split_once('['));
    let options = options.map_or("", |(_, options)| options).trim_end_matches(']').replace(',', " ");
    format!("session={session} engine={} {options}", measured.engine).trim_end().to_owned()
}
