//! Stores in which every time is known.

use dbdyno::{
    base::identifier::identifier,
    compare::{Comparison, Options, Side, compare, load, with_repeats},
    metric::{Figures, Metric},
    report::{
        comparison::text,
        doubts::doubt_messages,
        format::{Format, WriteError},
        sheet::{ReportStyle, TableStyle},
    },
    store::{
        Batch, Blob, HostRecord, Latencies, OptionRecord, RunRecord, Selection, SessionRecord, Status, Store,
        TestRecord,
    },
};
use dbdyno_engine::durability::Tier;
use dbdyno_workload::histogram::{empty, to_bytes};
use jiff::{SignedDuration, Timestamp};
use std::{fs, path::PathBuf, sync::OnceLock};
use tempfile::TempDir;

/// The configuration of a run, and facts about its tests. Each test changes the fields that it is about.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) engine: &'static str,
    pub(crate) version: &'static str,
    pub(crate) label: String,
    pub(crate) tier: Tier,
    pub(crate) options: Vec<(&'static str, &'static str)>,
    pub(crate) suite: &'static str,
    pub(crate) suite_options: Vec<(&'static str, &'static str)>,
    pub(crate) size: &'static str,
    pub(crate) operations: u64,
    pub(crate) memory_limit: Option<u64>,
    /// Whether tests began cold.
    pub(crate) cold: bool,
    pub(crate) agrees: Option<bool>,
    /// Whether each operation is timed.
    pub(crate) timed: bool,
    /// Returns the answer at a seed.
    pub(crate) answer: fn(u64) -> Option<String>,
}

/// Returns the doubts about a comparison, in sentences.
pub(crate) fn doubts(comparison: &Comparison) -> Vec<String> {
    doubt_messages(&comparison.doubts)
}

/// The usual run of an engine.
pub(crate) fn spec(engine: &'static str) -> Variant {
    Variant {
        engine,
        version: "1.0",
        label: engine.to_owned(),
        tier: Tier::PowerSafe,
        options: vec![("sync", "full")],
        suite: "kv",
        suite_options: vec![("bulk_batch", "all")],
        size: "1000",
        operations: 1000,
        memory_limit: None,
        cold: false,
        agrees: Some(true),
        timed: true,
        answer: |seed| Some(format!("{seed:x}")),
    }
}

/// Rows that become a store.
#[derive(Debug, Default)]
pub(crate) struct Bench {
    pub(crate) batch: Batch,
}

impl Bench {
    /// Adds a session on a host. The host's name is its identifier too.
    pub(crate) fn session(&mut self, host: &str) -> String {
        let at = Timestamp::from_second(1_800_000_000 + 3600 * self.batch.sessions.len() as i64).unwrap();
        let session_id = identifier();
        self.batch.hosts.push(HostRecord {
            host_id: host.to_owned(),
            name: host.to_owned(),
            cpu_model: Some("A CPU".to_owned()),
            cores: Some(2),
            memory_bytes: Some(1 << 33),
            kernel: "6.1".to_owned(),
            architecture: "x86_64".to_owned(),
            virtualisation: None,
            os: Some("Linux".to_owned()),
        });
        self.batch.sessions.push(SessionRecord {
            session_id: session_id.clone(),
            host_id: host.to_owned(),
            started_at: at,
            finished_at: Some(at),
            status: Status::Done,
            dbdyno_version: "0.1.0".to_owned(),
            debug_build: false,
            build_profile: None,
            build_flags: None,
            command_line: "dbdyno run".to_owned(),
            preset: None,
            suite: "kv".to_owned(),
            seed: 1,
            rounds: 1,
            planned_runs: 1,
            kernel: Some("6.1".to_owned()),
            work_folder: "work".to_owned(),
            file_system: Some("ext4".to_owned()),
            mount_options: None,
            device: None,
            disk_model: None,
            fsync_ns: None,
            cpu_governor: None,
            clock_source: None,
            load_1: None,
            details: "{}".to_owned(),
            owner: None,
            plan: None,
            source: None,
            source_file: None,
            syncs_believed: None,
            sync_least_ns: None,
            sync_doubt: None,
            cpus_allowed: None,
            cpu_quota: None,
            memory_max_bytes: None,
            preloaded: None,
            allocator: None,
        });
        session_id
    }

    /// Adds a run with tests numbered from 1 that took these times, in ns. Runs of one round have the same seed.
    pub(crate) fn run(&mut self, session: &str, round: u32, spec: &Variant, times: &[u64]) {
        let ordinal = self.batch.runs.len() as u32;
        let sessions = self.batch.sessions.iter().position(|one| one.session_id == session).unwrap();
        let at = self.batch.sessions[sessions].started_at + SignedDuration::from_secs(i64::from(ordinal));
        let seed = 1000 * sessions as u64 + u64::from(round);
        let run_id = identifier();
        let option = |scope: &str, (name, value): &(&str, &str)| OptionRecord {
            run_id: run_id.clone(),
            scope: scope.to_owned(),
            name: (*name).to_owned(),
            asked: Some((*value).to_owned()),
            in_force: None,
            assumed: None,
        };
        self.batch.options.extend(spec.options.iter().map(|one| option("engine", one)));
        self.batch.options.extend(spec.suite_options.iter().map(|one| option("suite", one)));
        for (test, &wall_ns) in (1..).zip(times) {
            self.batch.results.push(TestRecord {
                run_id: run_id.clone(),
                test,
                test_name: ["Writes", "Random reads", "Scan", "Updates", "Deletes", "Mixed", "Bulk", "Checks"]
                    [test as usize - 1]
                    .to_owned(),
                finished_at: Some(at),
                figures: Figures::default()
                    .with(Metric::Wall, wall_ns)
                    .with(Metric::Operations, spec.operations)
                    .with(Metric::Rows, 1000),
                verification: (spec.answer)(seed),
                agrees: spec.agrees,
                operations_per_sample: Some(if spec.timed { 1 } else { 100 }),
                histogram: Some(Blob(if spec.timed { histogram(wall_ns, spec.operations) } else { Vec::new() })),
                failure: None,
            });
        }
        self.batch.runs.push(RunRecord {
            run_id,
            session_id: session.to_owned(),
            ordinal,
            round,
            started_at: at,
            finished_at: Some(at),
            status: Status::Done,
            failure: None,
            engine: spec.engine.to_owned(),
            engine_version: spec.version.to_owned(),
            label: spec.label.clone(),
            suite: spec.suite.to_owned(),
            size: spec.size.to_owned(),
            seed,
            tier: spec.tier,
            tier_reason: "so".to_owned(),
            open_ns: None,
            cpu: None,
            steal_share: None,
            busy_share: None,
            others_cpus: None,
            psi_cpu_share: None,
            psi_io_share: None,
            psi_memory_share: None,
            context_switches: None,
            other_run_waited: false,
            log: None,
            engine_build: None,
            engine_source: None,
            clock: None,
            memory_limit_bytes: spec.memory_limit,
            data_bytes: None,
            cache: Some(if spec.cold { "cold" } else { "warm" }.to_owned()),
            twin_of: spec.label.strip_suffix("#2").map(str::to_owned),
            failure_kind: None,
            tier_evidence: None,
            throttled_periods: None,
            throttled_ns: None,
        });
    }

    /// Adds a session in which A and B ran one test, paired. Times in µs.
    pub(crate) fn pairs(&mut self, a: &Variant, b: &Variant, times: &[(u64, u64)]) -> String {
        let session = self.session("here");
        for (round, &(of_a, of_b)) in (0..).zip(times) {
            self.run(&session, round, a, &[of_a * 1000]);
            self.run(&session, round, b, &[of_b * 1000]);
        }
        session
    }

    /// A store with these rows.
    pub(crate) fn stored(&self) -> Stored {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("results.duckdb"));
        fs::write(store.path(), empty_store()).unwrap();
        store.write(&self.batch).unwrap();
        Stored { folder, store }
    }

    /// Stores the rows, loads both sides and compares them.
    pub(crate) fn compared(&self, a: &str, b: &str, options: &Options) -> Comparison {
        self.stored().compared(a, b, options)
    }
}

/// The file of a store without rows. Creating it costs a quarter of most comparisons.
fn empty_store() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("results.duckdb"));
        store.prepare().unwrap();
        fs::read(store.path()).unwrap()
    })
}

/// A histogram of operations that all took the same time.
fn histogram(wall_ns: u64, operations: u64) -> Vec<u8> {
    let mut histogram = empty();
    histogram.saturating_record_n(wall_ns / operations, operations);
    to_bytes(&histogram)
}

/// A store in a folder that is removed with it.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
}

impl Stored {
    pub(crate) fn side(&self, text: &str) -> Side {
        self.side_of(text, Metric::Wall)
    }

    pub(crate) fn side_of(&self, text: &str, metric: Metric) -> Side {
        load(&self.store, text, &Selection::parse_line(text).unwrap(), metric, Latencies::Read).unwrap()
    }

    pub(crate) fn compared(&self, a: &str, b: &str, options: &Options) -> Comparison {
        self.compared_in(Metric::Wall, a, b, options)
    }

    pub(crate) fn compared_in(&self, metric: Metric, a: &str, b: &str, options: &Options) -> Comparison {
        let _open_once = self.store.read_together();
        let (a, b) = (self.side_of(a, metric), self.side_of(b, metric));
        let [a, b] = with_repeats(&self.store, [&a, &b]).unwrap();
        compare(&a, &b, options)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Eight pairs in which A takes about a third of B's time.
pub(crate) const CLEAR: [(u64, u64); 8] =
    [(1000, 3100), (1010, 3050), (990, 2980), (1020, 3001), (1005, 3120), (985, 3033), (1015, 3070), (1001, 2999)];

/// A comparison as text.
pub(super) fn table(comparison: &Comparison, style: TableStyle) -> String {
    text(comparison, Format::Table, ReportStyle { table: style, ..ReportStyle::FILE }).unwrap()
}

pub(super) fn markdown(comparison: &Comparison) -> String {
    text(comparison, Format::Markdown, ReportStyle::FILE).unwrap()
}

pub(super) fn html(comparison: &Comparison) -> Result<String, WriteError> {
    text(comparison, Format::Html, ReportStyle::FILE)
}
