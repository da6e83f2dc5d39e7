//! What the time of tests went to.

use super::super::{Store, StoreError};
use dbdyno_engine::protocol::{SpentKind, SpentTime};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// The time of a test in one run: the parts of its threads' time, ns, and counts that explain them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SplitRun {
    pub run_id: Uuid,
    /// Number in its suite.
    pub test: u32,
    pub wall_ns: u64,
    /// On a CPU, in user mode and in the kernel.
    pub user_ns: u64,
    pub kernel_ns: u64,
    /// In sync calls.
    pub sync_ns: u64,
    /// Asleep.
    pub sleep_ns: u64,
    /// Ready, and waiting for a CPU.
    pub queue_ns: u64,
    /// Other waiting.
    pub rest_ns: u64,
    /// Operations; none: they were not counted.
    pub operations: Option<u64>,
    /// None: the machine does not count them; so for the other counts.
    pub syncs: Option<u64>,
    pub minor_faults: Option<u64>,
    pub major_faults: Option<u64>,
    /// Bytes read from the disk.
    pub read_bytes: Option<u64>,
    /// How often another transaction was in the way.
    pub busy: Option<u64>,
    /// What the engine itself counted, by name.
    #[serde(skip)]
    pub counters: BTreeMap<String, u64>,
}

/// What an engine counted in a test.
#[derive(Debug, Deserialize)]
struct CountedTest {
    run_id: Uuid,
    test: u32,
    name: String,
    value: u64,
}

const COUNTED: &str = "SELECT run_id::VARCHAR AS run_id, test, name, value FROM engine_counter
    WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID)";

const SPLIT: &str = "
    SELECT run_id::VARCHAR AS run_id, test, wall_ns, part_user_ns AS user_ns, part_kernel_ns AS kernel_ns,
           part_sync_ns AS sync_ns, part_sleep_ns AS sleep_ns, part_queue_ns AS queue_ns, part_rest_ns AS rest_ns,
           nullif(operations, 0) AS operations, syncs, minor_faults, major_faults, read_bytes, busy
    FROM result WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID) AND part_rest_ns IS NOT NULL";

/// A test that was repeated to find out what its time goes to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ExplainedRun {
    /// The run that was repeated.
    pub run_id: Uuid,
    /// Number in its suite.
    pub test: u32,
    /// The time of the repetition, ns.
    pub wall_ns: u64,
    pub operations: u64,
    /// Its time on a CPU outside sync calls, ns; none: the worker does not tell.
    pub cpu_ns: Option<u64>,
    /// Its other waiting, ns.
    pub rest_ns: Option<u64>,
    /// Sampled call stacks, one a line: functions from the outermost, separated by `;`, and the number of samples.
    pub stacks: Option<String>,
    /// The time of calls and waits by their kind.
    #[serde(skip)]
    pub spent: BTreeMap<SpentKind, SpentTime>,
}

#[derive(Debug, Deserialize)]
struct SpentRow {
    run_id: Uuid,
    test: u32,
    kind: SpentKind,
    #[serde(flatten)]
    spent: SpentTime,
}

const EXPLAINED: &str =
    "SELECT run_id::VARCHAR AS run_id, test, wall_ns, operations, part_user_ns + part_kernel_ns AS cpu_ns,
        part_rest_ns AS rest_ns, stacks
    FROM explained_test WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID)";

const SPENT: &str = "SELECT run_id::VARCHAR AS run_id, test, kind, calls, cpu_ns, wait_ns FROM explained_spent
    WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID)";

/// How the engine finds the rows of a statement, in one run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PlannedStatement {
    pub run_id: Uuid,
    pub engine: String,
    /// The test's number in its suite.
    pub test: u32,
    /// Its name, or its text if it has none.
    pub statement: String,
    /// A step a line.
    pub plan: String,
}

const PLANNED: &str = "
    SELECT run_id::VARCHAR AS run_id, engine, test, statement, plan
    FROM (SELECT run_id, test, actor AS statement, plan FROM actor_result WHERE plan IS NOT NULL
          UNION ALL SELECT run_id, test, statement, plan FROM query_plan) JOIN run USING (run_id)
    WHERE run_id IN (SELECT unnest(string_split(?, ' '))::UUID) ORDER BY test, statement";

impl SplitRun {
    /// Returns the time of all threads, ns: the sum of the parts.
    pub fn total_ns(&self) -> u64 {
        self.user_ns + self.kernel_ns + self.sync_ns + self.sleep_ns + self.queue_ns + self.rest_ns
    }
}

impl Store {
    /// Returns the plans of statements in these runs, by test and statement.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn planned_statements(&self, run_ids: &[Uuid]) -> Result<Vec<PlannedStatement>, StoreError> {
        let ids: Vec<String> = run_ids.iter().map(Uuid::to_string).collect();
        if ids.is_empty() { Ok(Vec::new()) } else { self.rows(PLANNED, &[&ids.join(" ")]) }
    }

    /// Returns what repetitions found out about the tests of these runs.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn explained_runs(&self, run_ids: &[Uuid]) -> Result<Vec<ExplainedRun>, StoreError> {
        let ids: Vec<String> = run_ids.iter().map(Uuid::to_string).collect();
        let ids = ids.join(" ");
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut runs: Vec<ExplainedRun> = self.rows(EXPLAINED, &[&ids])?;
        if runs.is_empty() {
            return Ok(runs);
        }
        let mut spent: HashMap<(Uuid, u32), BTreeMap<SpentKind, SpentTime>> = HashMap::new();
        for SpentRow { run_id, test, kind, spent: time } in self.rows(SPENT, &[&ids])? {
            spent.entry((run_id, test)).or_default().insert(kind, time);
        }
        for run in &mut runs {
            run.spent = spent.remove(&(run.run_id, run.test)).unwrap_or_default();
        }
        Ok(runs)
    }

    /// Returns what the time of the tests of these runs went to. Tests whose engine or machine does not tell are left out.
    ///
    /// # Errors
    /// A store that cannot be opened or read.
    pub fn split_runs(&self, run_ids: &[Uuid]) -> Result<Vec<SplitRun>, StoreError> {
        if run_ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<String> = run_ids.iter().map(Uuid::to_string).collect();
        let ids = ids.join(" ");
        let mut runs: Vec<SplitRun> = self.rows(SPLIT, &[&ids])?;
        let mut counted: HashMap<(Uuid, u32), BTreeMap<String, u64>> = HashMap::new();
        for CountedTest { run_id, test, name, value } in self.rows(COUNTED, &[&ids])? {
            counted.entry((run_id, test)).or_default().insert(name, value);
        }
        for run in &mut runs {
            run.counters = counted.remove(&(run.run_id, run.test)).unwrap_or_default();
        }
        Ok(runs)
    }
}
