//! Repetitions of a side's runs: they divide the side's CPU time and other waiting further.

use super::{model::Figure, reason::TimePart};
use dbdyno_engine::protocol::SpentKind;
use dbdyno_stats::median;
use dbdyno_store::{ExplainedRun, SplitRun};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// About the longest time between two looks at a thread, ns: each look sees it once.
const LOOK_NS: f64 = 1e6;
/// The shortest time that is divided, ns: a shorter one has too few looks.
const LEAST_NS: f64 = 5.0 * LOOK_NS;

/// Facts about a side's time from repetitions, in addition to its parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplainedSide {
    /// How many runs were repeated.
    pub repetitions: usize,
    /// The time of a repetition divided by that of its run, the median; none: unknown.
    pub slow_down: Option<f64>,
    /// Calls by the part that their time is, of a run, or of an operation, if the figures are of operations.
    pub calls: BTreeMap<TimePart, f64>,
    /// Sampled call stacks of threads on a CPU: functions from the outermost, separated by `;`, with the numbers of samples.
    #[serde(skip)]
    pub stacks: BTreeMap<String, u64>,
    /// The CPU time of one sample, ns of the side's time.
    pub sample_ns: f64,
}

/// The repetitions of a side's runs, together.
pub(super) struct Repetitions<'e> {
    runs: Vec<&'e ExplainedRun>,
    cpu_ns: f64,
    rest_ns: f64,
}

/// Shares of the CPU time and of other waiting that are moved to a part, and the number of looks that saw them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    pub(super) to: TimePart,
    pub(super) of_cpu: f64,
    pub(super) of_rest: f64,
    looks: f64,
}

impl<'e> Repetitions<'e> {
    /// Finds the repetitions of a side's runs. None: there are none, or their workers do not divide their time.
    pub(super) fn of(figure: &Figure, test: u32, found: &'e HashMap<(Uuid, u32), ExplainedRun>) -> Option<Self> {
        let runs: Vec<&ExplainedRun> = figure.run_ids.iter().filter_map(|run| found.get(&(*run, test))).collect();
        let sum =
            |of: fn(&ExplainedRun) -> Option<u64>| runs.iter().map(|run| Some(of(run)? as f64)).sum::<Option<f64>>();
        let (cpu_ns, rest_ns) = (sum(|run| run.cpu_ns)?, sum(|run| run.rest_ns)?);
        (!runs.is_empty()).then_some(Self { runs, cpu_ns, rest_ns })
    }

    /// Whether they have the time of reads, writes, locks and page faults, and not only call stacks.
    pub(super) fn tells_parts(&self) -> bool {
        self.runs.iter().any(|run| !run.spent.is_empty())
    }

    /// Returns what belongs to finer parts.
    pub(super) fn moved(&self) -> Vec<Moved> {
        let share = |ns: f64, of: f64| if of >= LEAST_NS { (ns / of).min(1.0) } else { 0.0 };
        let of_kind = |kind: SpentKind| {
            let spent = self.runs.iter().filter_map(|run| run.spent.get(&kind));
            let (cpu_ns, wait_ns) =
                spent.fold((0.0, 0.0), |(cpu, wait), time| (cpu + time.cpu_ns as f64, wait + time.wait_ns as f64));
            let (of_cpu, of_rest) = (share(cpu_ns, self.cpu_ns), share(wait_ns, self.rest_ns));
            Moved { to: TimePart::of(kind), of_cpu, of_rest, looks: (cpu_ns + wait_ns) / LOOK_NS }
        };
        SpentKind::ALL.into_iter().map(of_kind).collect()
    }

    /// Returns what else the repetitions tell. `cpu_ns`: the side's CPU time. `runs`: its runs.
    pub(super) fn side(&self, cpu_ns: f64, runs: &[&SplitRun], per_operation: bool) -> ExplainedSide {
        let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
        for line in self.runs.iter().filter_map(|run| run.stacks.as_deref()).flat_map(str::lines) {
            if let Some((stack, samples)) = line.rsplit_once(' ').and_then(|(stack, n)| Some((stack, n.parse().ok()?)))
            {
                let so_far: &mut u64 = stacks.entry(stack.to_owned()).or_default();
                *so_far = so_far.saturating_add(samples);
            }
        }
        let samples = stacks.values().fold(0, |all: u64, samples| all.saturating_add(*samples));
        let slow_downs: Vec<f64> = self.runs.iter().filter_map(|explained| slow_down(explained, runs)).collect();
        let calls = |kind: SpentKind| {
            let all: Vec<f64> = self.runs.iter().filter_map(|run| calls(run, kind, per_operation)).collect();
            (!all.is_empty()).then(|| (TimePart::of(kind), all.iter().sum::<f64>() / self.runs.len() as f64))
        };
        ExplainedSide {
            repetitions: self.runs.len(),
            slow_down: median(&slow_downs).ok(),
            calls: SpentKind::ALL.into_iter().filter_map(calls).collect(),
            stacks,
            sample_ns: if samples > 0 { cpu_ns / samples as f64 } else { 0.0 },
        }
    }
}

impl Moved {
    /// The standard error of a moved time, ns, from the number of its looks.
    pub(super) fn error(&self, ns: f64) -> f64 {
        ns / self.looks.max(1.0).sqrt()
    }
}

/// Returns how many times as long a repetition took as its run, by the time of an operation.
fn slow_down(explained: &ExplainedRun, runs: &[&SplitRun]) -> Option<f64> {
    let run = runs.iter().find(|run| run.run_id == explained.run_id)?;
    let each =
        |wall_ns: u64, operations: Option<u64>| wall_ns as f64 / operations.filter(|all| *all > 0).unwrap_or(1) as f64;
    let operations = (explained.operations > 0).then_some(explained.operations).filter(|_| run.operations.is_some());
    let ratio =
        each(explained.wall_ns, operations) / each(run.wall_ns, run.operations.filter(|_| operations.is_some()));
    ratio.is_finite().then_some(ratio)
}

fn calls(run: &ExplainedRun, kind: SpentKind, per_operation: bool) -> Option<f64> {
    let calls = run.spent.get(&kind)?.calls? as f64;
    Some(if per_operation && run.operations > 0 { calls / run.operations as f64 } else { calls })
}

impl TimePart {
    fn of(kind: SpentKind) -> Self {
        match kind {
            SpentKind::Read => Self::Read,
            SpentKind::Write => Self::Write,
            SpentKind::Lock => Self::Lock,
            SpentKind::Fault => Self::Fault,
            SpentKind::Sync => Self::Sync,
            SpentKind::Sleep => Self::Sleep,
        }
    }
}
