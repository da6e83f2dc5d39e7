//! Which runs of a round take turns, in which tests, and on which CPU.

use super::session::RunningSession;
use dbdyno_catalog::bench::{BenchPlan, MOST_IN_TURNS, PlannedRun};
use dbdyno_engine::{
    protocol::{CacheStart, SliceTerms, SuiteJob},
    suite::{KvLoad, SqlLoad, TransactionScope},
};
use dbdyno_foundation::host::quietest_cpu;
use std::collections::{BTreeSet, VecDeque};

/// The measured time of a slice, ns: at least fifty times the cost of passing the turn.
const SLICE_NS: u64 = 10_000_000;

/// How the workers of a round share the machine.
#[derive(Debug, Clone)]
pub(in crate::runner) struct Sharing {
    pub(in crate::runner) terms: SliceTerms,
    /// How many take turns.
    pub(in crate::runner) workers: u32,
    /// The CPU of all of them: each on a CPU of its own would have that CPU's noise.
    pub(in crate::runner) cpu: u32,
}

/// Takes the runs that take turns with a run out of those that wait. They are of its round, and work on the same inputs.
pub(super) fn partners(plan: &BenchPlan, first: PlannedRun, waiting: &mut VecDeque<PlannedRun>) -> Vec<PlannedRun> {
    let of = |run: &PlannedRun| {
        let one = &plan.configurations[run.configuration];
        (run.round, one.size, format!("{:?}", one.suite_settings))
    };
    let is_partner = |run: &PlannedRun| of(run) == of(&first);
    let mut found = vec![first];
    waiting.retain(|run| {
        let goes_along = found.len() < MOST_IN_TURNS && is_partner(run);
        if goes_along {
            found.push(*run);
        }
        !goes_along
    });
    found
}

/// Returns how these runs share the machine; `None` if they have nothing to take turns in.
pub(super) fn sharing(session: &RunningSession<'_>, runs: &[PlannedRun]) -> Option<Sharing> {
    let plan = &session.plan;
    let conditions = plan.conditions;
    if runs.len() < 2 || conditions.cache != CacheStart::Warm || conditions.memory_limit.is_some() {
        return None;
    }
    let tests: BTreeSet<u32> = runs.iter().flat_map(|run| sliced(&plan.job_of(run))).collect();
    let tests = &tests - &session.in_one_go;
    let cpu = session.launch.cpu.or_else(quietest_cpu)?;
    let terms = SliceTerms { ns: SLICE_NS, tests };
    (!terms.tests.is_empty()).then_some(Sharing { terms, workers: runs.len() as u32, cpu })
}

/// Returns the tests that can be cut into slices: of one thread, measured, and not a load in one transaction, which leaves its work to the
/// end.
fn sliced(job: &SuiteJob) -> Vec<u32> {
    match job {
        SuiteJob::Kv(suite) => suite
            .tests
            .iter()
            .filter(|test| match &test.load {
                KvLoad::Alone(alone) => test.measured && alone.work.transaction != TransactionScope::One,
                KvLoad::Actors(_) | KvLoad::Compaction(_) => false,
            })
            .map(|test| test.number)
            .collect(),
        SuiteJob::Sql(suite) => suite
            .tests
            .iter()
            .filter(|test| test.measured && matches!(test.load, SqlLoad::Alone { .. }))
            .map(|test| test.number)
            .collect(),
    }
}
