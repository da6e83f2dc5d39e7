//! The session's measurements so far, in the form of stored runs, so that the same functions compare both.

use dbdyno_catalog::bench::ClosingComparison;
use dbdyno_comparing::compare::Side;
use dbdyno_engine::protocol::{CacheStart, INVARIANTS, TestDone};
use dbdyno_foundation::metric::{Figures, Metric};
use dbdyno_running::runner::{OutlinedConfiguration, OutlinedRun, SessionOutline, WrongAnswer};
use dbdyno_store::{ComparedTest, RunConfiguration, RunTests};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};
use uuid::Uuid;

/// The time of a test in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunTime {
    /// Index of the run in the session.
    pub(crate) ordinal: u32,
    /// From the test's start to its end, ns.
    pub(crate) ns: f64,
    pub(crate) operations: u64,
    /// Whether other engines gave different answers.
    pub(crate) wrong: bool,
}

impl RunTime {
    /// Returns the time, or operations a second.
    pub(crate) fn value(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Rate => self.operations as f64 * 1e9 / self.ns.max(1.0),
            _ => self.ns,
        }
    }
}

/// A configuration at a size, with the properties that its runs share.
#[derive(Debug, Clone)]
struct SizedConfiguration {
    label: Arc<str>,
    size: Arc<str>,
    twin_of: Option<Arc<str>>,
    asked: Arc<BTreeMap<String, String>>,
    configuration: Arc<RunConfiguration>,
}

/// The finished tests of a session.
#[derive(Debug, Clone)]
pub struct Gathered {
    /// The session's identifier; nil before the session begins.
    session: Uuid,
    /// The number of the look that this session is for an undecided verdict; none: an independent session.
    pub(super) first_look: Option<u32>,
    /// The settings for comparing the configurations at the end of the session.
    pub(super) closing: ClosingComparison,
    measured: Vec<SizedConfiguration>,
    planned: Vec<OutlinedRun>,
    /// The first rounds of its later looks, if it goes on until all is decided.
    looks: Option<Vec<u32>>,
    runs: Vec<RunTests>,
    times: BTreeMap<(usize, u32), Vec<RunTime>>,
    /// Whether a test ended after a fixed time.
    timed: bool,
}

impl Gathered {
    /// Returns the measurements of a session that has none yet.
    pub(super) fn new(outline: &SessionOutline) -> Self {
        Self {
            session: Uuid::nil(),
            first_look: outline.look,
            closing: outline.closing.clone(),
            measured: outline.configurations.iter().map(|one| SizedConfiguration::new(outline, one)).collect(),
            planned: outline.runs.clone(),
            looks: outline.looks.clone(),
            runs: Vec::new(),
            times: BTreeMap::new(),
            timed: false,
        }
    }

    pub(super) fn session(&self) -> Uuid {
        self.session
    }

    /// Whether these are measurements of the session with this UUID.
    pub(super) fn is_of(&self, session: &str) -> bool {
        Uuid::try_parse(session).is_ok_and(|id| id == self.session)
    }

    /// Returns the metric of the session's table; [`as_rates`](dbdyno_comparing::compare::as_rates) gives the reason.
    pub(crate) fn metric(&self) -> Metric {
        if self.timed { Metric::Rate } else { Metric::Wall }
    }

    /// Returns the times of a configuration's test, in the order of its runs.
    pub(crate) fn times(&self, configuration: usize, test: u32) -> &[RunTime] {
        self.times.get(&(configuration, test)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn begin(&mut self, session: &str) {
        self.session = Uuid::try_parse(session).unwrap_or_default();
    }

    pub(super) fn begin_run(&mut self, ordinal: u32, run: &str) {
        if let Some(run) = self.run(ordinal, Uuid::try_parse(run).unwrap_or_default()) {
            self.runs.push(run);
        }
    }

    pub(super) fn add_rounds(&mut self, runs: &[OutlinedRun], from: u32) {
        self.planned.extend(runs);
        self.looks.iter_mut().for_each(|looks| looks.push(from));
    }

    /// Makes a run the last one, to which tests are added: runs that take turns report in any order.
    pub(super) fn turn_to(&mut self, ordinal: u32) {
        if let Some(at) = self.runs.iter().rposition(|run| run.ordinal == ordinal) {
            self.runs[at..].rotate_left(1);
        }
    }

    /// Returns a run without tests; none if the run is not in the plan.
    fn run(&self, ordinal: u32, run_id: Uuid) -> Option<RunTests> {
        let planned = self.planned.get(ordinal as usize)?;
        let SizedConfiguration { label, size, twin_of, asked, configuration } =
            self.measured.get(planned.configuration)?.clone();
        Some(RunTests {
            run_id,
            session_id: self.session,
            ordinal,
            round: planned.round,
            seed: Some(planned.seed),
            status: "done".into(),
            label,
            twin_of,
            size,
            configuration,
            asked,
            peak_memory_bytes: None,
            tests: Vec::new(),
        })
    }

    /// Records that the current run has opened its database, with these options in force.
    pub(super) fn opened(&mut self, version: String, in_force: BTreeMap<String, String>) {
        let Some(run) = self.runs.last() else { return };
        let mut configuration = RunConfiguration { version, ..RunConfiguration::clone(&run.configuration) };
        configuration.options.extend(in_force);
        self.configure(configuration);
    }

    /// Sets the configuration of the last run. Equal configurations share one value, so that they need not be compared.
    fn configure(&mut self, configuration: RunConfiguration) {
        let Some(run) = self.runs.last_mut() else { return };
        let planned = self.planned.get(run.ordinal as usize);
        let Some(measured) = planned.and_then(|planned| self.measured.get_mut(planned.configuration)) else { return };
        if configuration != *measured.configuration {
            measured.configuration = Arc::new(configuration);
        }
        run.configuration = Arc::clone(&measured.configuration);
    }

    /// Records a finished test of the current run.
    pub(super) fn test_done(&mut self, name: &str, done: &TestDone) {
        let Some(ordinal) = self.runs.last().map(|run| run.ordinal).filter(|_| done.measured) else { return };
        let figures = Figures::from_test_done(done, None);
        let whole = compared(done.test, name, None, &figures, done.verification.as_deref(), None);
        let of_actor = |actor: &dbdyno_engine::protocol::ActorDone| {
            let figures = Figures::from_actor_done(actor, None, None).begun_as(&figures);
            compared(done.test, &format!("{name} · {}", actor.name), Some(&actor.name), &figures, None, None)
        };
        let parts: Vec<ComparedTest> = done.actors.iter().map(of_actor).collect();
        self.add(ordinal, whole, parts);
    }

    /// Adds a test to the last run.
    fn add(&mut self, ordinal: u32, whole: ComparedTest, parts: Vec<ComparedTest>) {
        let Some(planned) = self.planned.get(ordinal as usize) else { return };
        self.timed |= whole.timed;
        if let Some(value) = whole.value {
            let operations = whole.operations.unwrap_or(1);
            let ns = if whole.timed { value * operations as f64 } else { value };
            let time = RunTime { ordinal, ns, operations, wrong: whole.agrees == Some(false) };
            self.times.entry((planned.configuration, whole.test)).or_default().push(time);
        }
        if let Some(run) = self.runs.last_mut() {
            run.tests.push(whole);
            run.tests.extend(parts);
        }
    }

    /// Marks answers that differ from other engines' answers.
    pub(super) fn wrong(&mut self, answers: &[WrongAnswer]) {
        for WrongAnswer { ordinal, test } in answers {
            let runs = self.runs.iter_mut().filter(|run| run.ordinal == *ordinal);
            // If a test's answer is wrong, all its actors are marked too.
            for result in runs.flat_map(|run| &mut run.tests).filter(|result| result.test == *test) {
                result.agrees = Some(false);
            }
            let times = self.times.iter_mut().filter(|((_, of), _)| of == test).flat_map(|(_, times)| times);
            times.filter(|time| time.ordinal == *ordinal).for_each(|time| time.wrong = true);
        }
    }

    /// Adds runs that had finished before the session was resumed.
    pub(super) fn earlier(&mut self, stored: Vec<RunTests>) {
        let mut later = std::mem::take(&mut self.runs);
        let is_new = |stored: &RunTests| later.iter().all(|run| run.ordinal != stored.ordinal);
        for stored in stored.into_iter().filter(|run| &*run.status == "done" && is_new(run)) {
            let Some(run) = self.run(stored.ordinal, stored.run_id) else { continue };
            self.runs.push(run);
            // Findings about the tier or the library do not make it a different configuration.
            let known = RunConfiguration::clone(&stored.configuration);
            self.configure(RunConfiguration { tier_evidence: None, build: None, tier_cap: None, ..known });
            // The name of an actor's part begins with its test's name, so parts come after their test.
            for tests in stored.tests.chunk_by(|one, next| one.test == next.test) {
                if let Some((whole, parts)) = tests.split_first() {
                    self.add(stored.ordinal, whole.clone(), parts.to_vec());
                }
            }
        }
        self.runs.append(&mut later);
        self.times.values_mut().for_each(|times| times.sort_by_key(|time| time.ordinal));
    }

    /// Replaces the measurements by the stored runs after the session ends. These include the runs from before it was resumed, and mark
    /// wrong answers.
    pub(super) fn settle(&mut self, stored: Vec<RunTests>) {
        if stored.is_empty() {
            return;
        }
        self.runs.clear();
        self.times.clear();
        self.earlier(stored);
    }

    /// Returns all runs with a finished test, as a side of a comparison.
    pub(super) fn side(&self) -> Side {
        let runs: Vec<RunTests> = self.runs.iter().filter(|run| !run.tests.is_empty()).cloned().collect();
        let doubled: BTreeSet<(&str, &str)> =
            runs.iter().filter_map(|run| Some((&*run.size, run.twin_of.as_deref()?))).collect();
        let is_twin = |run: &&RunTests| run.twin_of.is_some() || doubled.contains(&(&*run.size, &*run.label));
        let twins = runs.iter().filter(is_twin).cloned().collect();
        let looks = self.looks.clone().map(|looks| (self.session, looks)).into_iter().collect();
        Side { selection: format!("session={}", self.session), twins, runs, looks, ..Side::default() }
    }

    /// Returns the index of a run's configuration in the race; none if the run is not of this session.
    pub(super) fn configuration(&self, run: &RunTests) -> Option<usize> {
        self.planned.get(run.ordinal as usize).map(|planned| planned.configuration)
    }
}

impl SizedConfiguration {
    fn new(outline: &SessionOutline, one: &OutlinedConfiguration) -> Self {
        let OutlinedConfiguration { options, suite_options, .. } = one;
        let SessionOutline { memory_limit, cache, .. } = outline;
        let limits = memory_limit.map(|limit| ("memory_limit_bytes".to_owned(), limit.to_string()));
        let cold = (*cache == CacheStart::Cold).then(|| ("cache".to_owned(), cache.word().to_owned()));
        let asked = limits.into_iter().chain(cold).chain(suite_options.clone()).chain(options.clone()).collect();
        let configuration = RunConfiguration {
            engine: one.engine.clone(),
            version: one.version.clone(),
            tier: one.tier.number(),
            tier_evidence: None,
            options: options.clone(),
            suite: outline.suite.clone(),
            suite_options: suite_options.clone(),
            memory_limit: *memory_limit,
            cache: cache.word().to_owned(),
            build: None,
            tier_cap: None,
        };
        Self {
            label: one.label.as_str().into(),
            size: one.size.to_string().into(),
            twin_of: one.twin_of.as_deref().map(Into::into),
            asked: Arc::new(asked),
            configuration: Arc::new(configuration),
        }
    }
}

fn compared(
    test: u32,
    name: &str,
    actor: Option<&str>,
    figures: &Figures,
    verification: Option<&str>,
    agrees: Option<bool>,
) -> ComparedTest {
    let hash = |answers: &str| {
        let mut hasher = DefaultHasher::new();
        (answers, figures.get(Metric::Rows)).hash(&mut hasher);
        hasher.finish()
    };
    let is_checksum = |answers: &&str| !answers.starts_with(INVARIANTS);
    ComparedTest {
        test,
        name: name.into(),
        actor: actor.map(Into::into),
        value: figures.compared(Metric::Wall),
        timed: figures.is_timed(),
        sliced: figures.get(Metric::Away).is_some(),
        operations: figures.get(Metric::Operations),
        answer: verification.filter(is_checksum).map(hash),
        is_verified: verification.is_some() || agrees.is_some(),
        agrees,
        latencies: None,
    }
}
