//! Why the sides of a line differ: the difference of their times as differences of what the time went to.
//!
//! A side's time is its figure, the median of its runs. It is divided like the runs in the middle half of its times, so that neither an
//! outlier nor chance in one run decides. The parts of a side add up to its time, and the differences of the parts to the difference of
//! the times.

use super::{
    explained::{ExplainedSide, Moved, Repetitions},
    model::{Comparison, Figure, Line, SideName},
    plans::{StatementPlans, differing, planned_by, plans_of},
};
use dbdyno_foundation::metric::Metric;
use dbdyno_stats::{Verdict, median};
use dbdyno_store::{ExplainedRun, SplitRun, Store, StoreError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// The most runs that are read unless all reasons are requested. The lines that differ most come first.
const MOST_RUNS: usize = 20_000;
/// The CPU time of a side's runs from which its division means something, ns: the kernel divides by the ticks of a timer.
const LEAST_DIVIDED_NS: u64 = 200_000_000;
/// Standard errors that a part must differ by, to be named.
const NAMED_ERRORS: f64 = 2.0;
/// The share of the whole difference that a part must have, to be named.
const NAMED_SHARE: f64 = 0.02;
/// The standard error of a median divided by the standard error of a mean, for normal values.
const MEDIAN_ERROR: f64 = 1.2533;
/// The standard deviation divided by the median distance from the median, for normal values.
const DEVIATION: f64 = 1.4826;

/// What the time of threads goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimePart {
    /// On a CPU; too short to be divided.
    Cpu,
    /// On a CPU, in user mode.
    User,
    /// On a CPU, in the kernel, outside sync calls.
    Kernel,
    /// In sync calls.
    Sync,
    /// Asleep: pauses before another attempt, for example.
    Sleep,
    /// In calls that read files, as repetitions tell.
    Read,
    /// In calls that write files or change their size, as repetitions tell.
    Write,
    /// In locks and in waits for other threads, as repetitions tell.
    Lock,
    /// In page faults that wait for a read, as repetitions tell.
    Fault,
    /// Ready, and waiting for a CPU.
    Queue,
    /// Other waiting. Unless repetitions tell it apart, it includes that for reads, locks and page faults.
    Rest,
}

/// The reason why the sides of a line differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The side that needs more time.
    pub slower: SideName,
    /// How much more, ns; of an operation, if the figures are.
    pub more_ns: f64,
    pub per_operation: bool,
    pub a: SplitTime,
    pub b: SplitTime,
    /// What differs by more than its noise, the largest first.
    pub differences: Vec<PartDifference>,
    /// Statements that the sides run by different plans.
    pub plans: Vec<PlanDifference>,
    /// All plans of the sides, by statement.
    pub planned: Vec<StatementPlans>,
}

/// A statement whose rows the sides find in different ways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDifference {
    pub statement: String,
    /// A's plan, a step a line.
    pub a: String,
    pub b: String,
}

/// A side's time, with the counts that explain it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitTime {
    pub total_ns: f64,
    /// Parts of it, ns.
    pub parts: BTreeMap<TimePart, f64>,
    /// Medians of a run, or of an operation, if the figures are of operations.
    pub counts: PartCounts,
    /// The same of what the engine itself counted, by name.
    pub counters: BTreeMap<String, f64>,
    /// Facts from repetitions; none: a side was not repeated.
    pub explained: Option<ExplainedSide>,
}

/// Counts behind the parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PartCounts {
    pub operations: Option<f64>,
    pub syncs: Option<f64>,
    pub minor_faults: Option<f64>,
    pub major_faults: Option<f64>,
    pub read_bytes: Option<f64>,
    pub busy: Option<f64>,
}

/// How much more of a part the slower side needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartDifference {
    pub part: TimePart,
    /// Below 0: it needs less, ns.
    pub more_ns: f64,
    /// The standard error of this difference, ns.
    pub noise_ns: f64,
}

impl Comparison {
    /// Finds the reasons of its lines that are faster or slower, as far as their runs tell. `all`: of every line, however many runs have
    /// to be read.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn explain(&mut self, store: &Store, all: bool) -> Result<(), StoreError> {
        self.all_reasons = all;
        if !matches!(self.metric, Metric::Wall | Metric::Rate) {
            return Ok(());
        }
        let metric = self.metric;
        let mut lines: Vec<&mut Line> = self.lines.iter_mut().filter(|line| is_explained(line)).collect();
        lines.sort_by(|one, next| next.effect().total_cmp(&one.effect()));
        let runs = |line: &Line| line.a.iter().chain(&line.b).map(|figure| figure.run_ids.len()).sum::<usize>();
        let mut left = MOST_RUNS;
        lines.retain(|line| {
            let fits = runs(line) <= left;
            left -= if fits { runs(line) } else { 0 };
            all || fits
        });
        let figures = lines.iter().flat_map(|line| line.a.iter().chain(&line.b));
        let wanted: BTreeSet<Uuid> = figures.flat_map(|figure| figure.run_ids.iter().copied()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let wanted: Vec<Uuid> = wanted.into_iter().collect();
        let _open_once = store.read_together();
        let found = store.split_runs(&wanted)?;
        let planned = store.planned_statements(&wanted)?;
        let explained = store.explained_runs(&wanted)?;
        let explained: HashMap<(Uuid, u32), ExplainedRun> =
            explained.into_iter().map(|run| ((run.run_id, run.test), run)).collect();
        let found: HashMap<(Uuid, u32), SplitRun> =
            found.into_iter().map(|run| ((run.run_id, run.test), run)).collect();
        for line in lines {
            line.reason = Reason::of(line, metric, &found, &explained);
            if let Some(reason) = &mut line.reason {
                let [a, b] = [&line.a, &line.b].map(|side| plans_of(side.as_ref(), line.test, &planned));
                reason.plans = differing(&a, &b, reason.slower);
                reason.planned = planned_by(&a, &b);
            }
        }
        Ok(())
    }

    /// Returns the lines that have a reason.
    pub fn explained(&self) -> impl Iterator<Item = (&Line, &Reason)> {
        self.lines.iter().filter_map(|line| Some((line, line.reason.as_ref()?)))
    }
}

impl Line {
    /// How far its ratio is from 1, in logarithms; below 0 if there is none.
    pub fn effect(&self) -> f64 {
        self.found.as_ref().map_or(-1.0, |found| found.ratio.ln().abs())
    }
}

fn is_explained(line: &Line) -> bool {
    let is_decided =
        line.found.as_ref().is_some_and(|found| matches!(found.verdict, Verdict::Faster | Verdict::Slower));
    // Parts of a test have no threads of their own whose time is divided.
    is_decided && line.actor.is_none()
}

impl Reason {
    fn of(
        line: &Line,
        metric: Metric,
        found: &HashMap<(Uuid, u32), SplitRun>,
        explained: &HashMap<(Uuid, u32), ExplainedRun>,
    ) -> Option<Self> {
        let (a, b) = (line.a.as_ref()?, line.b.as_ref()?);
        let repeated = |figure| Repetitions::of(figure, line.test, explained);
        // Sides that are divided in different ways cannot be compared.
        let [repeated_a, repeated_b] = match (repeated(a), repeated(b)) {
            (Some(a), Some(b)) => [Some(a), Some(b)],
            _ => [None, None],
        };
        let is_told = |repeated: &Option<Repetitions<'_>>| repeated.as_ref().is_some_and(Repetitions::tells_parts);
        let has_more_parts = is_told(&repeated_a) && is_told(&repeated_b);
        let [runs_a, runs_b] = [a, b].map(|figure| runs_of(figure, line.test, found));
        let (runs_a, runs_b) = (runs_a?, runs_b?);
        let is_divided = [&runs_a, &runs_b]
            .into_iter()
            .all(|runs| runs.iter().map(|run| run.user_ns + run.kernel_ns).sum::<u64>() >= LEAST_DIVIDED_NS);
        let per_operation = metric == Metric::Rate || a.per_operation;
        let [a, b] = [(a, runs_a, repeated_a), (b, runs_b, repeated_b)].map(|(figure, runs, repeated)| {
            let time = |value: f64| if metric == Metric::Rate { 1e9 / value } else { value };
            SideRuns { total_ns: time(figure.median), runs, is_divided, per_operation, repeated, has_more_parts }
        });
        let more_ns = a.total_ns - b.total_ns;
        let slower = if more_ns > 0.0 { SideName::A } else { SideName::B };
        // A verdict is on all runs. Where their medians are the other way round, no reason fits it.
        let verdict = if slower == SideName::A { Verdict::Slower } else { Verdict::Faster };
        if line.found.as_ref().is_none_or(|found| found.verdict != verdict) {
            return None;
        }
        let (split_a, split_b) = (a.split(), b.split());
        let difference = |(part, of_a): (&TimePart, &f64)| {
            let more_ns = (of_a - split_b.parts.get(part)?) * more_ns.signum();
            let noise_ns = a.error(*part).hypot(b.error(*part));
            Some(PartDifference { part: *part, more_ns, noise_ns })
        };
        let mut differences: Vec<PartDifference> = split_a.parts.iter().filter_map(difference).collect();
        let is_shown =
            |of: &PartDifference| of.more_ns.abs() > (NAMED_ERRORS * of.noise_ns).max(NAMED_SHARE * more_ns.abs());
        differences.retain(is_shown);
        differences.sort_by(|one, next| next.more_ns.abs().total_cmp(&one.more_ns.abs()));
        Some(Self {
            slower,
            more_ns: more_ns.abs(),
            per_operation,
            a: split_a,
            b: split_b,
            differences,
            plans: Vec::new(),
            planned: Vec::new(),
        })
    }

    /// Returns the times of the slower side and of the other one.
    pub fn sides(&self) -> (&SplitTime, &SplitTime) {
        match self.slower {
            SideName::A => (&self.a, &self.b),
            SideName::B => (&self.b, &self.a),
        }
    }

    /// Returns the part that explains more than half of the difference, if there is one.
    pub fn main(&self) -> Option<PartDifference> {
        self.differences.iter().copied().find(|difference| difference.more_ns > self.more_ns / 2.0)
    }
}

/// Returns the runs of a figure, in its order. None if not all of them tell what their time went to.
fn runs_of<'r>(figure: &Figure, test: u32, found: &'r HashMap<(Uuid, u32), SplitRun>) -> Option<Vec<&'r SplitRun>> {
    let runs: Option<Vec<&SplitRun>> = figure.run_ids.iter().map(|run| found.get(&(*run, test))).collect();
    runs.filter(|runs| !runs.is_empty() && runs.iter().all(|run| run.total_ns() > 0))
}

/// The runs of a side of a line.
struct SideRuns<'r> {
    /// The figure, ns.
    total_ns: f64,
    runs: Vec<&'r SplitRun>,
    /// Whether its CPU time is long enough to be divided.
    is_divided: bool,
    per_operation: bool,
    repeated: Option<Repetitions<'r>>,
    /// Whether repetitions divide the times of both sides further.
    has_more_parts: bool,
}

impl SideRuns<'_> {
    fn parts(&self) -> &'static [TimePart] {
        use TimePart::{Cpu, Kernel, Queue, Rest, Sleep, Sync, User};
        match self.is_divided {
            true => &[User, Kernel, Sync, Sleep, Queue, Rest],
            false => &[Cpu, Sync, Sleep, Queue, Rest],
        }
    }

    /// Returns the runs in the middle half of their times.
    fn middle(&self) -> Vec<&SplitRun> {
        let mut runs = self.runs.clone();
        runs.sort_by(|one, next| self.time(one).total_cmp(&self.time(next)));
        let outside = runs.len() / 4;
        runs[outside..runs.len() - outside].to_vec()
    }

    /// Returns the run's time as the figure has it, ns.
    fn time(&self, run: &SplitRun) -> f64 {
        match run.operations.filter(|_| self.per_operation) {
            Some(operations) => run.wall_ns as f64 / operations as f64,
            None => run.wall_ns as f64,
        }
    }

    fn split(&self) -> SplitTime {
        let middle = self.middle();
        let mean = |part: TimePart| middle.iter().map(|run| part.share(run)).sum::<f64>() / middle.len() as f64;
        let counted = |count: &dyn Fn(&SplitRun) -> Option<u64>| {
            let of = |run: &&SplitRun| {
                let each = run.operations.filter(|_| self.per_operation).unwrap_or(1);
                Some(count(run)? as f64 / each as f64)
            };
            let values: Option<Vec<f64>> = self.runs.iter().map(of).collect();
            median(&values?).ok()
        };
        let names = self.runs.first().map(|run| run.counters.keys()).into_iter().flatten();
        let own = |name: &String| Some((name.clone(), counted(&|run| run.counters.get(name).copied())?));
        let mut parts: BTreeMap<TimePart, f64> =
            self.parts().iter().map(|part| (*part, mean(*part) * self.total_ns)).collect();
        let cpu_ns: f64 = TimePart::ON_CPU.iter().filter_map(|part| parts.get(part)).sum();
        for moved in self.moved() {
            move_parts(&mut parts, moved, cpu_ns, mean(TimePart::Rest) * self.total_ns);
        }
        SplitTime {
            total_ns: self.total_ns,
            parts,
            explained: self.repeated.as_ref().map(|all| all.side(cpu_ns, &self.runs, self.per_operation)),
            counts: PartCounts {
                operations: counted(&|run| run.operations),
                syncs: counted(&|run| run.syncs),
                minor_faults: counted(&|run| run.minor_faults),
                major_faults: counted(&|run| run.major_faults),
                read_bytes: counted(&|run| run.read_bytes),
                busy: counted(&|run| run.busy),
            },
            counters: names.filter_map(own).collect(),
        }
    }

    fn moved(&self) -> Vec<Moved> {
        self.repeated.as_ref().filter(|_| self.has_more_parts).map(Repetitions::moved).unwrap_or_default()
    }

    /// Returns the standard error of a part, ns.
    fn error(&self, part: TimePart) -> f64 {
        let moved = self.moved();
        let (all_cpu, rest) = (self.middle_of(TimePart::Cpu), self.middle_of(TimePart::Rest));
        let gains = moved.iter().filter(|moved| moved.to == part);
        // A time that is moved out of a part is equally uncertain there.
        let losses = moved.iter().filter(|_| TimePart::ON_CPU.contains(&part) || part == TimePart::Rest);
        let of_moved = |moved: &Moved| moved.error(all_cpu * moved.of_cpu + rest * moved.of_rest);
        gains.chain(losses).map(of_moved).fold(self.own_error(part), f64::hypot)
    }

    /// Returns the median of a part, ns.
    fn middle_of(&self, part: TimePart) -> f64 {
        let values: Vec<f64> = self.runs.iter().map(|run| part.share(run) * self.time(run)).collect();
        median(&values).unwrap_or(0.0)
    }

    /// Returns the standard error of a part of the runs, ns.
    fn own_error(&self, part: TimePart) -> f64 {
        let values: Vec<f64> = self.runs.iter().map(|run| part.share(run) * self.time(run)).collect();
        let Ok(middle) = median(&values) else { return f64::INFINITY };
        let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        let spread = median(&distances).map_or(f64::INFINITY, |distance| DEVIATION * distance);
        MEDIAN_ERROR * spread / (values.len() as f64).sqrt()
    }
}

/// Moves what repetitions tell apart from the CPU time and the rest to a finer part.
fn move_parts(parts: &mut BTreeMap<TimePart, f64>, moved: Moved, cpu_ns: f64, rest_ns: f64) {
    let mut taken = 0.0;
    let mut take = |from: TimePart, ns: f64| {
        let Some(left) = parts.get_mut(&from) else { return };
        let ns = ns.min(*left);
        *left -= ns;
        taken += ns;
    };
    // Calls spend their time in the kernel.
    take(TimePart::Cpu, cpu_ns * moved.of_cpu);
    take(TimePart::Kernel, cpu_ns * moved.of_cpu);
    take(TimePart::Rest, rest_ns * moved.of_rest);
    *parts.entry(moved.to).or_default() += taken;
}

impl TimePart {
    /// The parts on a CPU. Of `Cpu` and the others a time has one or the other.
    const ON_CPU: [Self; 3] = [Self::Cpu, Self::User, Self::Kernel];

    /// Returns the part of a run's time that is this, from 0 to 1.
    fn share(self, run: &SplitRun) -> f64 {
        let ns = match self {
            Self::Cpu => run.user_ns + run.kernel_ns,
            Self::User => run.user_ns,
            Self::Kernel => run.kernel_ns,
            Self::Sync => run.sync_ns,
            Self::Sleep => run.sleep_ns,
            Self::Queue => run.queue_ns,
            Self::Rest => run.rest_ns,
            // Only repetitions tell.
            Self::Read | Self::Write | Self::Lock | Self::Fault => 0,
        };
        ns as f64 / run.total_ns() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{JudgedRatio, NoiseBasis, NoiseFloor};

    fn figure(run: u128, median: f64) -> Figure {
        Figure {
            label: String::new(),
            tier: None,
            median,
            interval: None,
            values: vec![median],
            run_ids: vec![Uuid::from_u128(run)],
            left_out: 0,
            operations: 1,
            per_operation: false,
            sliced: 0,
            latency: None,
        }
    }

    fn line(a: f64, b: f64, verdict: Verdict) -> Line {
        let found = JudgedRatio {
            verdict,
            ratio: a / b,
            median_ratio: a / b,
            interval: None,
            paired: true,
            exact: false,
            sessions: None,
            p: None,
            p_adjusted: None,
        };
        Line {
            part: BTreeMap::new(),
            size: "1".to_owned(),
            test: 1,
            name: "test".to_owned(),
            actor: None,
            a: Some(figure(1, a)),
            b: Some(figure(2, b)),
            obstacles: Vec::new(),
            noise_floor: NoiseFloor { value: 0.01, basis: NoiseBasis::Assumed },
            looks: 1,
            found: Some(found),
            reason: None,
        }
    }

    fn found() -> HashMap<(Uuid, u32), SplitRun> {
        let run = |number: u128, sync_ns: u64| SplitRun {
            run_id: Uuid::from_u128(number),
            test: 1,
            wall_ns: 1_000 + sync_ns,
            user_ns: 1_000,
            kernel_ns: 0,
            sync_ns,
            sleep_ns: 0,
            queue_ns: 0,
            rest_ns: 0,
            operations: None,
            syncs: None,
            minor_faults: None,
            major_faults: None,
            read_bytes: None,
            busy: None,
            counters: BTreeMap::new(),
        };
        [run(1, 3_000), run(2, 0)].into_iter().map(|run| ((run.run_id, run.test), run)).collect()
    }

    #[test]
    fn the_parts_of_both_sides_add_up_to_their_times() {
        let reason =
            Reason::of(&line(4_000.0, 1_000.0, Verdict::Slower), Metric::Wall, &found(), &HashMap::new()).unwrap();
        assert_eq!((reason.slower, reason.more_ns), (SideName::A, 3_000.0));
        assert_eq!(reason.a.parts.values().sum::<f64>(), 4_000.0);
        assert_eq!(reason.main().map(|main| (main.part, main.more_ns)), Some((TimePart::Sync, 3_000.0)));
    }

    #[test]
    fn medians_that_contradict_the_verdict_have_no_reason() {
        assert_eq!(Reason::of(&line(4_000.0, 1_000.0, Verdict::Faster), Metric::Wall, &found(), &HashMap::new()), None);
    }
}
