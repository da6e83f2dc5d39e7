//! Stored results: imports, copies, selections, annotations, migrations. The tests use the library and the program itself.

mod exports;
mod lists;
mod lumosql;
mod lumosql_doubts;
mod lumosql_published;
mod lumosql_text;
mod manage;
mod merge;
mod migration;
mod pages;
mod strangers;

use dbdyno::{
    metric::{Figures, Metric},
    store::{
        ActorRecord, ActorSlotRecord, Batch, Blob, ChoiceRecord, CounterRecord, EvidenceRecord, ExplainedRecord,
        HarnessRecord, HostRecord, OptionRecord, QueryPlanRecord, ReadingRecord, RunRecord, SessionRecord, SliceRecord,
        SpentRecord, Status, Store, TestRecord, TimelineRecord, TrialRecord, WarningRecord,
    },
};
use dbdyno_engine::durability::Tier;
use duckdb::Connection;
use jiff::Timestamp;
use std::{fs, path::Path, process::Command, sync::OnceLock};

/// The output and exit code of the program.
struct Answer {
    code: i32,
    out: String,
    err: String,
}

impl Answer {
    #[track_caller]
    fn good(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }

    /// Asserts that the command failed with this exit code, and returns its error.
    #[track_caller]
    fn refused(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }
}

/// Runs the program on a store.
fn dbdyno(store: &Path, arguments: &[&str]) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_dbdyno"))
        .args(["--store", store.to_str().unwrap()])
        .args(arguments)
        .env_remove("DBDYNO_STORE")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// Returns the rows of a query, as CSV without the header.
#[track_caller]
fn sql(store: &Path, query: &str) -> Vec<String> {
    dbdyno(store, &["sql", query, "--format", "csv"]).good().lines().skip(1).map(str::to_owned).collect()
}

/// Compares two stores row by row, in every table except those that belong to one store only. Returns the number of rows of each table.
#[track_caller]
fn assert_equal(one: &Path, other: &Path) -> Vec<(String, u64)> {
    let connection = Connection::open_in_memory().unwrap();
    for (name, path) in [("one", one), ("other", other)] {
        connection.execute(&format!("ATTACH ? AS {name} (READ_ONLY)"), [path.to_str().unwrap()]).unwrap();
    }
    let mut statement = connection
        .prepare(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'one' AND table_name NOT IN ('schema_version', 'journal')",
        )
        .unwrap();
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(tables.len(), 23);
    let count = |sql: String| connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64;
    let compare = |table: String| {
        let differing = count(format!(
            "SELECT count(*) FROM ((FROM one.{table} EXCEPT ALL FROM other.{table})
                                   UNION ALL (FROM other.{table} EXCEPT ALL FROM one.{table}))"
        ));
        assert_eq!(differing, 0, "{table}");
        let rows = count(format!("SELECT count(*) FROM one.{table}"));
        (table, rows)
    };
    tables.into_iter().map(compare).collect()
}

fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

/// The figures of a test, most of them different.
fn figures(wall_ns: u64) -> Figures {
    [
        (Metric::Wall, wall_ns),
        (Metric::User, 5),
        (Metric::System, 6),
        (Metric::Operations, 1000),
        (Metric::Rows, 1000),
        (Metric::P50, 900),
        (Metric::Read, 1),
        (Metric::Written, 2),
        (Metric::VoluntarySwitches, 3),
        (Metric::InvoluntarySwitches, 4),
        (Metric::Syncs, 5),
        (Metric::PeakMemory, 6),
        (Metric::Database, 7),
        (Metric::Side, 8),
    ]
    .into_iter()
    .fold(Figures::default(), |figures, (metric, value)| figures.with(metric, value))
}

/// A session with one run of two tests, with every table filled. The host and the suite have these names.
fn session(number: u32, host: &str, suite: &str) -> Batch {
    let (session_id, run_id) = (uuid(number * 1000), uuid(number * 1000 + 1));
    let at = |second: i64| Timestamp::from_second(1_700_000_000 + i64::from(number) * 1000 + second).unwrap();
    let text = |text: &str| text.to_owned();
    let result = |test: u32| TestRecord {
        run_id: run_id.clone(),
        test,
        test_name: format!("test, \"{test}\""),
        finished_at: Some(at(10 + i64::from(test))),
        figures: figures(1_000_000 * u64::from(test) + u64::from(number)),
        verification: (test == 1).then(|| text("abc")),
        agrees: (test == 1).then_some(true),
        operations_per_sample: Some(1),
        histogram: Some(Blob(vec![0, 255, 39, 10])),
        failure: None,
    };
    Batch {
        choices: vec![choice(number, host)],
        slots: vec![ActorSlotRecord {
            run_id: run_id.clone(),
            test: 1,
            actor: text("it's a reader"),
            at_ns: 1_000_000_000,
            duration_ns: 1_000_000_000,
            operations: 7,
            busy: 1,
            backlog: Some(2),
            held: None,
            p99_ns: Some(3),
            histogram: Some(Blob(vec![1, 0, 39])),
        }],
        readings: vec![ReadingRecord {
            run_id: run_id.clone(),
            test: 1,
            at_ns: 1_000_000_000,
            name: text("database_bytes"),
            value: u64::MAX,
        }],
        slices: vec![SliceRecord {
            run_id: run_id.clone(),
            test: 1,
            slice: 0,
            slices: 1,
            operations: 7,
            wall_ns: u64::MAX,
        }],
        counters: vec![CounterRecord { run_id: run_id.clone(), test: 1, name: text("cache_misses"), value: u64::MAX }],
        plans: vec![QueryPlanRecord {
            run_id: run_id.clone(),
            test: 1,
            statement: text("SELECT ?"),
            plan: text("SCAN t"),
        }],
        explained: vec![ExplainedRecord {
            run_id: run_id.clone(),
            test: 1,
            wall_ns: u64::MAX,
            operations: 9,
            part_user_ns: Some(1),
            part_kernel_ns: Some(2),
            part_sync_ns: Some(3),
            part_sleep_ns: Some(4),
            part_queue_ns: Some(5),
            part_rest_ns: Some(6),
            stacks: Some(text("main;step 7")),
        }],
        spent: vec![SpentRecord {
            run_id: run_id.clone(),
            test: 1,
            kind: text("read"),
            calls: Some(2),
            cpu_ns: u64::MAX,
            wait_ns: 3,
        }],
        hosts: vec![HostRecord {
            host_id: text(host),
            name: format!("{host} name"),
            cpu_model: Some(text("AMD EPYC 7763")),
            cores: Some(4),
            memory_bytes: Some(u64::MAX),
            kernel: text("6.1"),
            architecture: text("x86_64"),
            virtualisation: None,
            os: Some(text("Linux")),
        }],
        sessions: vec![SessionRecord {
            session_id: session_id.clone(),
            host_id: text(host),
            started_at: at(0),
            finished_at: Some(at(100)),
            status: Status::Done,
            dbdyno_version: text("0.1.0"),
            debug_build: false,
            build_profile: Some(text("release")),
            build_flags: Some(text("opt-level=3")),
            command_line: text("dbdyno run 'x'"),
            preset: None,
            suite: text(suite),
            seed: u64::MAX,
            rounds: 1,
            planned_runs: 1,
            kernel: Some(text("6.1")),
            work_folder: text("/work"),
            file_system: Some(text("ext4")),
            mount_options: None,
            device: None,
            disk_model: Some(text("NVMe")),
            fsync_ns: Some(1_000),
            cpu_governor: None,
            clock_source: None,
            load_1: Some(0.1),
            details: text("{\"a\": 1}"),
            owner: None,
            plan: None,
            source: None,
            source_file: None,
            syncs_believed: Some(false),
            sync_least_ns: Some(900),
            sync_doubt: Some(text("databases are in memory (tmpfs)")),
            cpus_allowed: Some(2),
            cpu_quota: Some(0.2),
            memory_max_bytes: Some(1 << 29),
            preloaded: Some(text("libjemalloc.so.2")),
            allocator: Some(text("libjemalloc.so.2")),
        }],
        runs: vec![RunRecord {
            run_id: run_id.clone(),
            session_id: session_id.clone(),
            ordinal: 0,
            round: 0,
            started_at: at(1),
            finished_at: Some(at(99)),
            status: Status::Done,
            failure: None,
            engine: text("lmdb"),
            engine_version: text("0.9.33"),
            label: text("lmdb"),
            suite: text(suite),
            size: text("1000"),
            seed: 7,
            tier: Tier::PowerSafe,
            tier_reason: text("default"),
            open_ns: Some(1),
            cpu: None,
            steal_share: Some(0.1),
            busy_share: None,
            others_cpus: None,
            psi_cpu_share: None,
            psi_io_share: None,
            psi_memory_share: None,
            context_switches: Some(1),
            other_run_waited: false,
            log: Some(text("line\nline")),
            engine_build: Some("THREADSAFE=1, DEFAULT_SYNCHRONOUS=2".to_owned()),
            engine_source: Some(text("2026-01-01 00:00:00 0123456789")),
            clock: Some(text("counter")),
            memory_limit_bytes: Some(64 << 20),
            data_bytes: Some(1 << 27),
            cache: Some(text("cold")),
            twin_of: None,
            failure_kind: None,
            tier_evidence: None,
            throttled_periods: Some(3),
            throttled_ns: Some(7_000),
        }],
        options: [("engine", "sync", Some("on")), ("suite", "mixed", None)]
            .map(|(scope, name, in_force)| OptionRecord {
                run_id: run_id.clone(),
                scope: text(scope),
                name: text(name),
                asked: Some(text("on")),
                in_force: in_force.map(text),
                assumed: Some(false),
            })
            .into(),
        keys: Vec::new(),
        trials: vec![trial(number, &session_id)],
        evidence: vec![evidence(number, host)],
        results: vec![result(1), result(2)],
        actors: Vec::new(),
        timelines: vec![TimelineRecord {
            run_id: run_id.clone(),
            test: 1,
            at_ns: 100,
            duration_ns: 100,
            operations: 10,
            p99_ns: None,
            histogram: Some(Blob(vec![1, 2])),
        }],
        harness: vec![HarnessRecord {
            session_id: session_id.clone(),
            size: text("1000"),
            engine: text("null"),
            test: 1,
            ns_per_operation: 12.5,
        }],
        warnings: vec![
            WarningRecord {
                warning_id: uuid(number * 1000 + 2),
                session_id: session_id.clone(),
                run_id: None,
                test: None,
                linter: text("noisy host"),
                matter: None,
                message: text("loud"),
            },
            WarningRecord {
                warning_id: uuid(number * 1000 + 3),
                session_id,
                run_id: Some(run_id),
                test: Some(1),
                linter: text("harness-bound"),
                matter: Some(text("fast")),
                message: text("fast: here"),
            },
        ],
    }
}

/// A choice without an answer.
fn choice(number: u32, host: &str) -> ChoiceRecord {
    ChoiceRecord {
        choice_id: uuid(number * 1000 + 9),
        host_id: host.to_owned(),
        begun_at: Timestamp::from_second(1_700_000_000 + i64::from(number)).unwrap(),
        suite: "kv".to_owned(),
        state: "running".to_owned(),
        question: "{}".to_owned(),
        steps: "[]".to_owned(),
        answer: None,
        command_line: "dbdyno choose".to_owned(),
    }
}

/// An actor of the second test of a [`session`].
fn actor(number: u32) -> ActorRecord {
    let text = |text: &str| text.to_owned();
    ActorRecord {
        run_id: uuid(number * 1000 + 1),
        test: 2,
        actor: text("writers"),
        test_name: text("test, \"2\" · writers"),
        finished_at: Some("2026-01-01T00:00:00.5Z".parse().unwrap()),
        threads: Some(2),
        arrival_rate: Some(1_000),
        arrival_gaps: Some(text("even")),
        figures: figures(2_000_000),
        verification: None,
        agrees: Some(true),
        operations_per_sample: Some(1),
        histogram: Some(Blob(vec![0, 255, 39, 10])),
        response_histogram: Some(Blob(vec![1])),
        failure: None,
        plan: Some(text("SCAN t\nUSE TEMP B-TREE FOR ORDER BY")),
    }
}

/// Evidence of a tier, found on a host.
fn evidence(number: u32, host: &str) -> EvidenceRecord {
    let text = |text: &str| text.to_owned();
    EvidenceRecord {
        evidence_id: uuid(number * 1000 + 5),
        host_id: text(host),
        tried_at: "2026-01-01T00:00:00.5Z".parse().unwrap(),
        engine: text("lmdb"),
        engine_version: text("0.9.33"),
        choice: text("lmdb:sync=on"),
        options: text("{\"sync\":\"on\"}"),
        tier: Tier::PowerSafe,
        tier_reason: text("waits"),
        kills: 20,
        images: 200,
        route: Some(text("writes")),
        whole: 199,
        earlier: 1,
        broken: 0,
        strict_names: Some(false),
        mutants: 2,
        mutants_caught: 2,
        verdict: text("contradicted"),
        reason: Some(text("a commit is missing")),
        image: Some(text("kept/image")),
        seed: u64::MAX,
        command_line: text("dbdyno torture lmdb"),
    }
}

/// A trial that a session belongs to.
fn trial(number: u32, session_id: &str) -> TrialRecord {
    let text = |text: &str| text.to_owned();
    TrialRecord {
        trial_id: uuid(number * 1000 + 4),
        session_id: Some(text(session_id)),
        ledger: text("lmdb-kv"),
        parent_id: None,
        tried_at: "2026-01-01T00:00:00.5Z".parse().unwrap(),
        kind: text("what-if"),
        engine: text("lmdb"),
        engine_version: text("0.9.33"),
        suite: text("kv"),
        suite_options: text("{}"),
        size: text("1000"),
        tests: text("[1]"),
        base: text("{\"sync\":\"on\"}"),
        change: text("{\"sync\":\"off\"}"),
        tier_before: Tier::PowerSafe,
        tier_after: Tier::ProcessSafe,
        tier_reason_before: text("waits"),
        tier_reason_after: text("does not"),
        risks: text("[]"),
        seed: u64::MAX,
        rounds: 8,
        looks: 1,
        changes: 1,
        state: text("tried"),
        reason: None,
        effects: text("[]"),
        overall: None,
        price: None,
        accepted: false,
        command_line: text("dbdyno tune"),
    }
}

/// Updates the manifest entry of a copy's file to its current content.
fn list_as_it_is(copy: &Path, file: &Path) {
    let manifest = copy.join("dbdyno.json");
    let mut listed: serde_json::Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let content = fs::read(file).unwrap();
    listed["files"][file.strip_prefix(copy).unwrap().to_str().unwrap()] =
        serde_json::json!({ "bytes": content.len(), "blake3": blake3::hash(&content).to_hex().as_str() });
    fs::write(manifest, listed.to_string()).unwrap();
}

/// A store with two sessions of different hosts and suites, with tags, a note, and a key. It is made once, and each test has a copy.
pub(crate) fn filled(folder: &Path) -> Store {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    copied(&FILE, folder, fill)
}

/// Returns a copy of a store, which is made if it is not there yet.
fn copied(file: &OnceLock<Vec<u8>>, folder: &Path, make: impl FnOnce(&Store)) -> Store {
    let store = Store::new(folder.join("filled.duckdb"));
    let bytes = file.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let made = Store::new(folder.path().join("filled.duckdb"));
        made.prepare().unwrap();
        make(&made);
        fs::read(made.path()).unwrap()
    });
    fs::write(store.path(), bytes).unwrap();
    // Preparing the store would have created it.
    fs::write(folder.join("filled.duckdb.lock"), "").unwrap();
    store
}

fn fill(store: &Store) {
    store.write(&session(1, "a b/c=ö", "kv")).unwrap();
    store.write(&session(2, "host2", "a/b '\"x")).unwrap();
    dbdyno(store.path(), &["tag", "--all", "--add", "first|second"]).good();
    dbdyno(store.path(), &["note", "suite=kv", "--text", "seen\nby hand"]).good();
    dbdyno(store.path(), &["key", "suite=kv", "--set", "owner=a=b"]).good();
    let connection = Connection::open(store.path()).unwrap();
    connection.execute_batch("INSERT INTO result_key SELECT run_id, test, 'misses', '17' FROM result").unwrap();
    connection.close().unwrap();
}
