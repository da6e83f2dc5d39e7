//! The data of comparisons: the runs of a selection with their finished tests, and the sessions to which they belong.

mod chosen;
mod runs;
mod sessions;

use super::{
    super::{Blob, ReadWatch, Selection, SessionRecord, Store, StoreError, schema::TESTS},
    rows,
};
use chosen::{MOST_SIDES, SelectedTests};
use dbdyno_engine::durability::Tier;
use dbdyno_foundation::{
    host::{Limits, is_system_allocator},
    metric::Metric,
};
use dbdyno_workload::histogram::from_bytes;
use duckdb::Connection;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};
use uuid::Uuid;

/// Whether the latencies of tests are read, which make up most of the stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latencies {
    /// Latencies are read.
    Read,
    /// Latencies are not needed.
    Left,
}

/// The runs of a selection.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectedRuns {
    /// The runs, each with its finished tests that the selection includes.
    pub runs: Vec<RunTests>,
    /// The sessions of these runs.
    pub sessions: Vec<SessionFacts>,
    /// The A/A runs of these sessions: configurations that ran twice in a round, with their twins.
    pub twins: Vec<RunTests>,
}

/// One execution of a configuration. Data that many runs have in common is shared.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTests {
    pub run_id: Uuid,
    pub session_id: Uuid,
    /// Place in the session, from 0.
    pub ordinal: u32,
    /// Round, from 0; runs of one session and round had the same inputs.
    pub round: u32,
    /// Seed of its inputs; none: the program that ran it did not record one.
    pub seed: Option<u64>,
    /// How it ended: `done`, `failed`, `cancelled` or `running`.
    pub status: Arc<str>,
    /// The engine with the options that distinguish it from others of its session.
    pub label: Arc<str>,
    /// The label of the configuration that this repeats, for an A/A comparison.
    pub twin_of: Option<Arc<str>>,
    pub size: Arc<str>,
    pub configuration: Arc<RunConfiguration>,
    /// Options of engine and suite as they were asked for (in force, if that is not recorded): the user's choice, not what an engine made
    /// of it. Also the limits of the run: `memory_limit_bytes`, and `cache` for one with cold starts.
    pub asked: Arc<BTreeMap<String, String>>,
    /// The engine's highest memory peak, bytes; none if the worker's own needs are unknown.
    pub peak_memory_bytes: Option<u64>,
    /// Finished tests.
    pub tests: Vec<ComparedTest>,
}

/// The data of a finished test that comparisons need.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedTest {
    /// Number in its suite.
    pub test: u32,
    /// The test's name; for an actor's share, followed by the actor's name.
    pub name: Arc<str>,
    /// The actor whose share of the test this is; none: the whole test.
    pub actor: Option<Arc<str>>,
    /// The requested metric, in its unit, as [`Figures::compared`](dbdyno_foundation::metric::Figures::compared) has it; none: not
    /// measured.
    pub value: Option<f64>,
    /// Whether it ended after a set time: the value of a metric that adds up is then that of one operation.
    pub timed: bool,
    /// Whether it took turns in slices with the tests of other runs.
    pub sliced: bool,
    pub operations: Option<u64>,
    /// A hash of the answers' checksum and rows; none: no checksum is the same for all engines.
    pub answer: Option<u64>,
    /// Whether its answers can be checked: by a checksum, or by invariants that hold in any order of threads. For an actor's part, see
    /// its test.
    pub is_verified: bool,
    /// Whether the answers equal those of the other engines; none: not compared.
    pub agrees: Option<bool>,
    /// Latencies of single operations, HdrHistogram V2 compressed; none: not recorded, or not requested.
    pub latencies: Option<Arc<Blob>>,
}

/// A configuration without its size: two runs of one configuration differ by chance alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunConfiguration {
    pub engine: String,
    /// Version of the engine's library.
    pub version: String,
    /// Durability tier, 0 to 3; none: not recorded.
    pub tier: Option<u8>,
    /// The latest verdict on the tier from kills and simulated power losses; none: never tested.
    pub tier_evidence: Option<String>,
    /// The engine's options in force (as asked for, if they cannot be read back).
    pub options: BTreeMap<String, String>,
    pub suite: String,
    pub suite_options: BTreeMap<String, String>,
    /// Memory limit of its runs, bytes; none: without a limit.
    pub memory_limit: Option<u64>,
    /// Whether tests began with the existing caches (`warm`), or after dropping every cache that can be dropped (`cold`).
    pub cache: String,
    /// How the engine's library was built and from which source, its parts separated by commas; none: not reported.
    #[serde(default)]
    pub build: Option<String>,
    /// The highest tier that holds on the machine, if syncs reach no disk there; none: nothing speaks against any tier.
    #[serde(default)]
    pub tier_cap: Option<u8>,
}

/// A linter's finding about a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SessionWarning {
    pub linter: String,
    /// The problem of a configuration; none: it is about the session.
    pub matter: Option<String>,
    pub message: String,
}

/// Where and how a session's runs were made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionFacts {
    pub session_id: Uuid,
    /// Start, UTC.
    pub started_at: String,
    pub dbdyno_version: String,
    /// Whether dbdyno was built without optimisation.
    pub debug_build: bool,
    /// The command that started it.
    pub command_line: String,
    pub host: SessionHost,
    /// File system of the folder with the databases.
    pub file_system: Option<String>,
    pub disk_model: Option<String>,
    /// The conditions on its machine, as far as they are known.
    #[serde(default)]
    pub conditions: SessionConditions,
    /// The linters' findings about the session.
    pub warnings: Vec<SessionWarning>,
    /// The session to which this one adds rounds, because a result was undecided there; none: an independent session.
    #[serde(default)]
    pub adds_to: Option<Uuid>,
    /// The first rounds of its later looks, if it went on until all was decided; none: its number of rounds was fixed.
    #[serde(default)]
    pub looks: Option<Vec<u32>>,
}

/// Conditions that may differ between sessions on one machine and disk, and on which times depend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionConditions {
    pub mount_options: Option<String>,
    /// Median of small synced writes in the work folder, ns.
    pub fsync_ns: Option<u64>,
    /// The shortest of them, ns: other work makes a sync longer, never shorter.
    pub sync_least_ns: Option<u64>,
    /// Whether syncs there reach a disk; none: not examined.
    pub syncs_believed: Option<bool>,
    /// Why syncs are not believed to reach a disk.
    pub sync_doubt: Option<String>,
    pub cpu_governor: Option<String>,
    /// The kernel's time source.
    pub clock_source: Option<String>,
    /// The Cargo profile with which dbdyno was built.
    pub build_profile: Option<String>,
    /// Compiler, target and flags with which dbdyno was built.
    pub build_flags: Option<String>,
    /// The limits set by control groups; none: unknown.
    pub limits: Option<Limits>,
    /// Libraries that are preloaded before those of programs.
    pub preloaded: Option<String>,
    /// File of the library whose `malloc` was called; none: unknown, and so are the preloaded libraries.
    pub allocator: Option<String>,
}

/// A machine, as sessions recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHost {
    /// Stable identifier.
    pub host_id: String,
    pub name: String,
    pub cpu_model: Option<String>,
    /// Logical cores.
    pub cores: Option<u32>,
    /// Installed memory, bytes.
    pub memory_bytes: Option<u64>,
    pub kernel: String,
    /// Operating system.
    pub os: Option<String>,
    /// The hypervisor or container that virtualises it.
    pub virtualisation: Option<String>,
}

impl SessionFacts {
    /// Describes the place within which times can be compared: one machine, one kind of disk.
    pub fn place(&self) -> String {
        let disk = [&self.file_system, &self.disk_model];
        let disk: Vec<&str> = disk.into_iter().flatten().map(String::as_str).collect();
        // Two machines may share a name: the beginning of the identifier distinguishes them.
        let id: String = self.host.host_id.chars().take(8).collect();
        format!(
            "{} {id} ({})",
            self.host.name,
            if disk.is_empty() { "disk unknown".to_owned() } else { disk.join(", ") }
        )
    }
}

impl SessionConditions {
    /// Describes each difference from a dedicated machine, for a host with this number of cores.
    pub fn in_words(&self, cores: Option<u32>) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(limits) = &self.limits {
            let fewer = cores.filter(|cores| limits.cpus < *cores);
            words.extend(fewer.map(|cores| format!("{} of {cores} CPUs to run on", limits.cpus)));
            words.extend(Some(limits.to_string()).filter(|limits| !limits.is_empty()));
        }
        if self.syncs_believed == Some(false) {
            words.push("syncs reach no disk".to_owned());
        }
        let allocator = self.allocator.as_deref().filter(|file| !is_system_allocator(file));
        words.extend(allocator.map(|file| format!("malloc from {file}")));
        words.extend(self.preloaded.as_ref().map(|libraries| format!("preloaded: {libraries}")));
        words
    }
}

impl From<&SessionRecord> for SessionConditions {
    fn from(session: &SessionRecord) -> Self {
        let session = session.clone();
        Self {
            mount_options: session.mount_options,
            fsync_ns: session.fsync_ns,
            sync_least_ns: session.sync_least_ns,
            syncs_believed: session.syncs_believed,
            sync_doubt: session.sync_doubt,
            cpu_governor: session.cpu_governor,
            clock_source: session.clock_source,
            build_profile: session.build_profile,
            build_flags: session.build_flags,
            limits: session.cpus_allowed.map(|cpus| Limits {
                cpus,
                cpu_quota: session.cpu_quota,
                memory_bytes: session.memory_max_bytes,
            }),
            preloaded: session.preloaded,
            allocator: session.allocator,
        }
    }
}

/// The note on a tier if syncs reach no disk.
pub const NOT_UPHELD: &str = "asked, not upheld: syncs reach no disk";

/// Returns a tier with its name, or that it is unknown.
pub fn tier_words(tier: Option<u8>) -> String {
    let named = |tier: u8| Tier::try_from(tier).map_or_else(|_| tier.to_string(), |tier| tier.to_string());
    tier.map_or_else(|| "unknown".to_owned(), named)
}

impl RunConfiguration {
    /// Returns the tier with the verdict on it.
    pub fn tier_words(&self) -> String {
        match &self.tier_evidence {
            Some(verdict) if self.is_tier_upheld() => format!("{} ({verdict})", tier_words(self.tier)),
            _ => self.durability(),
        }
    }

    /// Returns the tier, and whether it is upheld on its machine: `3 power-safe (asked, not upheld: syncs reach no disk)`.
    pub fn durability(&self) -> String {
        let tier = tier_words(self.tier);
        if self.is_tier_upheld() { tier } else { format!("{tier} ({NOT_UPHELD})") }
    }

    fn is_tier_upheld(&self) -> bool {
        self.tier_cap.is_none_or(|cap| self.tier.is_none_or(|tier| tier <= cap))
    }

    /// Returns everything that defines the configuration, by the words of selections.
    pub fn facts(&self) -> BTreeMap<&str, String> {
        let options =
            self.suite_options.iter().chain(&self.options).map(|(name, value)| (name.as_str(), value.clone()));
        let named =
            [("engine", &self.engine), ("version", &self.version), ("suite", &self.suite), ("cache", &self.cache)];
        options
            .chain(named.map(|(word, value)| (word, value.clone())))
            .chain(self.memory_limit.map(|limit| ("memory_limit_bytes", limit.to_string())))
            .chain([("tier", self.tier.map_or_else(|| "unknown".to_owned(), |tier| tier.to_string()))])
            .collect()
    }
}

/// Whether any run of the store is a twin: most stores have none.
const HAS_TWINS: &str = "SELECT EXISTS (FROM run WHERE twin_of IS NOT NULL)";

impl Store {
    /// Returns for each selection its runs with the finished tests that it includes, with their values of a metric. For a named session,
    /// this includes the rounds that were added to it.
    ///
    /// # Errors
    /// The store cannot be opened or read, or a row cannot be read.
    pub fn selected_runs(
        &self,
        selections: &[&Selection],
        metric: Metric,
        latencies: Latencies,
    ) -> Result<Vec<SelectedRuns>, StoreError> {
        if !self.exists() {
            return Ok(selections.iter().map(|_| SelectedRuns::default()).collect());
        }
        let selections: Vec<Selection> = selections.iter().map(|selection| selection.with_added_rounds()).collect();
        let selections: Vec<&Selection> = selections.iter().collect();
        self.reading(|connection| {
            let read = |selections| selected(connection, selections, (metric, latencies), self.watch.as_ref());
            let parts: Vec<Vec<SelectedRuns>> = selections.chunks(MOST_SIDES).map(read).collect::<Result<_, _>>()?;
            Ok(parts.into_iter().flatten().collect())
        })
    }

    /// Returns the metrics for which a selection has a finished test with a value.
    ///
    /// # Errors
    /// The store cannot be opened or read.
    pub fn metrics(&self, selection: &Selection) -> Result<Vec<Metric>, StoreError> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let counts: Vec<String> =
            Metric::ALL.iter().map(|metric| format!("count({})", metric.compared_sql())).collect();
        self.reading(|connection| {
            let keys = SelectedTests::of(connection, &[selection])?.keys();
            let sql = format!("SELECT [{}]::VARCHAR FROM {TESTS} t JOIN {keys}", counts.join(", "));
            let counted: Vec<(String,)> = rows(connection, &sql, &[])?;
            let unread = |error| StoreError::Query { message: format!("a stored row cannot be read: {error}") };
            let counts: Vec<u64> =
                counted.first().map_or(Ok(Vec::new()), |(text,)| serde_json::from_str(text)).map_err(unread)?;
            Ok(Metric::ALL
                .iter()
                .copied()
                .zip(counts)
                .filter(|(_, count)| *count > 0)
                .map(|(metric, _)| metric)
                .collect())
        })
    }
}

/// Reads at most [`MOST_SIDES`] selections at once, so that large tables are read once for all of them.
fn selected(
    connection: &Connection,
    selections: &[&Selection],
    (metric, latencies): (Metric, Latencies),
    watch: Option<&ReadWatch>,
) -> Result<Vec<SelectedRuns>, StoreError> {
    let chosen = SelectedTests::of(connection, selections)?;
    let sides = runs::read(connection, (chosen, selections.len()), (metric, latencies), watch)?;
    let sessions = sessions::read(connection, &sides)?;
    let all: BTreeSet<Uuid> = sessions.iter().flatten().map(|session| session.session_id).collect();
    let has_twins: bool = connection.query_row(HAS_TWINS, [], |row| row.get(0)).map_err(wrong)?;
    let mut twins = Vec::new();
    if has_twins && !all.is_empty() {
        let chosen = SelectedTests::twins(connection, all.into_iter())?;
        // The latencies of twins are never used.
        twins = runs::read(connection, (chosen, 1), (metric, Latencies::Left), None)?.concat();
    }
    let with_twins = |(runs, sessions): (Vec<RunTests>, Vec<SessionFacts>)| {
        let of: HashSet<Uuid> = sessions.iter().map(|session| session.session_id).collect();
        let twins = twins.iter().filter(|run| of.contains(&run.session_id)).cloned().collect();
        SelectedRuns { runs, sessions, twins }
    };
    Ok(sides.into_iter().zip(sessions).map(with_twins).collect())
}

fn wrong(error: duckdb::Error) -> StoreError {
    StoreError::Query { message: error.to_string() }
}

impl RunTests {
    /// Whether the answers of one of its tests could be checked.
    pub fn is_verified(&self, test: &ComparedTest) -> bool {
        test.is_verified || self.tests.iter().any(|one| one.test == test.test && one.is_verified)
    }
}

impl ComparedTest {
    /// Returns the latencies of single operations, ns; `None` if there are none that can be read.
    pub fn histogram(&self) -> Option<Histogram<u64>> {
        from_bytes(&self.latencies.as_ref()?.0).ok()
    }
}
