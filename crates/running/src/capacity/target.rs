//! The engines and the actor of a capacity search, and its terms.

use super::{promise::Promises, search::RateBounds};
use dbdyno_catalog::{
    GAPS, MOST_RATE, OFFERED_RATE, Pace, SECONDS, Suite, WARM_UP,
    bench::{BenchPlan, Configuration, EngineChoice, PlanError, Spec},
    engines::{HARNESS_ENGINE, Registry},
};
use dbdyno_engine::{
    protocol::SuiteJob,
    settings::Settings,
    size::Size,
    suite::{Gaps, KvActor, KvActors, KvLoad, Operation, Work},
};
use dbdyno_workload::rng::SplitMix64;
use std::collections::BTreeMap;

/// The terms of a search for a rate.
#[derive(Debug, Clone)]
pub struct CapacityTerms {
    pub promises: Promises,
    pub gaps: Gaps,
    /// How long a probe is measured, s. Longer if its quantiles need more operations.
    pub seconds: u64,
    pub warm_up: u64,
    /// The lowest rate to try, and the highest, operations a second.
    pub from: Option<u64>,
    pub to: Option<u64>,
    /// How close the rate that holds and the one that breaks must be, as a share.
    pub precision: f64,
    /// The rounds. Each gives one figure for each engine.
    pub rounds: u32,
}

/// The engines whose rate is searched for, on one actor of one test.
#[derive(Debug, Clone)]
pub struct RateTarget {
    /// The compared configurations, which wait for no rate. The first is the reference for the others.
    pub plan: BenchPlan,
    pub pace: Pace,
    pub terms: CapacityTerms,
    /// The configuration that measures the harness.
    pub(super) null: Configuration,
    /// The engine that does nothing, on the same test. It limits the rate that can be offered.
    pub(super) generator: Configuration,
}

/// How long a run that waits for no rate is measured, s. Its only purpose is to find where to begin.
const CLOSED_SECONDS: u64 = 2;
/// The longest time that a probe may be extended to, s.
const LONGEST: u64 = 60;

impl RateTarget {
    /// # Errors
    /// A part of the request does not exist or is not possible.
    pub fn new(
        suite: Suite,
        actor: Option<&str>,
        spec: Spec,
        terms: CapacityTerms,
        registry: &Registry,
    ) -> Result<Self, PlanError> {
        let refused = |why: String| Err(PlanError::Request(why));
        let picked = suite.pick(&spec.tests).map_err(PlanError::Request)?;
        let [test] = picked.0.iter().copied().collect::<Vec<_>>()[..] else {
            return refused("--test: expected one test, to find its highest rate".to_owned());
        };
        let suite = suite.paced(test, actor).map_err(PlanError::Request)?;
        let Some(pace) = suite.pace().cloned() else { return refused("the suite has no rate".to_owned()) };
        let size = spec.sizes.first().or(suite.default_sizes.first()).copied().unwrap_or_else(|| Size::one(1));
        let spec = Spec { sizes: vec![size], rounds: terms.rounds, ..spec };
        let mut plan = BenchPlan::new(&spec, suite.clone(), registry)?;
        plan.probe()?;
        let null = plan.harness(registry)?;
        let nothing = EngineChoice { name: HARNESS_ENGINE.to_owned(), ..EngineChoice::default() };
        let mut generators = BenchPlan::new(&Spec { engines: vec![nothing], ..spec }, suite, registry)?.configurations;
        let Some(generator) = generators.pop() else { return refused("the engine `null` is missing".to_owned()) };
        let target = Self { plan, pace, terms, null, generator };
        for configuration in &target.plan.configurations {
            if target.actor(configuration).is_none_or(|actor| actor.threads == 0) {
                return refused(format!(
                    "actor `{}` has no threads: set the option for its number of threads",
                    target.pace.actor
                ));
            }
        }
        let (from, lowest) = (target.terms.from.unwrap_or(target.lowest()), target.lowest());
        if from < lowest {
            return refused(format!(
                "--from {from}: {} needs {} operations, which take longer than {} s below {lowest}/s: give {lowest} or more, or --seconds",
                target.terms.promises,
                target.terms.promises.operations(),
                target.longest(),
            ));
        }
        if target.terms.to.is_some_and(|to| to < from) {
            return refused(format!("--to: expected {from} or more, the lowest rate that is tried"));
        }
        Ok(target)
    }

    /// Returns the rates that can be tried if `offered` operations a second can be offered.
    pub(super) fn bounds(&self, offered: u64) -> RateBounds {
        let lowest = self.terms.from.unwrap_or(self.lowest());
        let highest = self.terms.to.unwrap_or(MOST_RATE).min(offered).max(lowest);
        RateBounds { lowest, highest }
    }

    /// Returns the lowest rate at which a probe has the operations it needs.
    fn lowest(&self) -> u64 {
        self.terms.promises.operations().div_ceil(self.longest()).max(1)
    }

    fn longest(&self) -> u64 {
        self.terms.seconds.max(LONGEST)
    }

    /// Returns how long a probe at a rate is measured, s.
    pub fn seconds(&self, rate: u64) -> u64 {
        self.terms.promises.operations().div_ceil(rate.max(1)).clamp(self.terms.seconds, self.longest())
    }

    /// Returns a configuration at a rate. 0: each operation is due when the previous one is done.
    ///
    /// # Errors
    /// The suite does not accept the rate.
    pub(super) fn at(&self, configuration: &Configuration, rate: u64) -> Result<Configuration, PlanError> {
        let mut options: BTreeMap<String, String> = configuration.suite_settings.to_map();
        let seconds = if rate == 0 { self.terms.seconds.min(CLOSED_SECONDS) } else { self.seconds(rate) };
        options.extend([
            (OFFERED_RATE.to_owned(), rate.to_string()),
            (GAPS.to_owned(), self.terms.gaps.word().to_owned()),
            (SECONDS.to_owned(), seconds.to_string()),
            (WARM_UP.to_owned(), self.terms.warm_up.to_string()),
        ]);
        let suite_settings: Settings = self.plan.suite.settings(&options)?;
        let label = if rate == 0 { configuration.label.clone() } else { format!("{}@{rate}", configuration.label) };
        Ok(Configuration { suite_settings, label, ..configuration.clone() })
    }

    /// Whether some of the test's actors work with accounts.
    pub(super) fn is_of_accounts(&self) -> bool {
        let works = |work: &Work| {
            matches!(work.operation, Operation::Transfer { .. } | Operation::Audit { .. } | Operation::Hold)
        };
        let load = self.plan.configurations.first().and_then(|configuration| self.load(configuration));
        load.is_some_and(|load| load.actors.iter().flat_map(|actor| &actor.work.work).any(works))
    }

    /// Returns the actor as the worker of a configuration receives it.
    pub fn actor(&self, configuration: &Configuration) -> Option<KvActor> {
        self.load(configuration)?.actors.into_iter().find(|actor| actor.name == self.pace.actor)
    }

    fn load(&self, configuration: &Configuration) -> Option<KvActors> {
        let SuiteJob::Kv(suite) = self.plan.job(configuration) else { return None };
        let test = suite.tests.into_iter().find(|test| test.number == self.pace.test)?;
        match test.load {
            KvLoad::Actors(load) => Some(load),
            KvLoad::Alone(_) | KvLoad::Compaction(_) => None,
        }
    }

    /// Returns the seed of the probes of a round. Round 0 is the first search, in which each probe has a seed of its own.
    pub(super) fn seed(&self, round: u32, probe: u32) -> u64 {
        SplitMix64::stream(self.plan.seed, u64::from(round) << 32 | u64::from(probe)).next_u64()
    }
}
