//! An export and its import keep everything that a comparison uses.

use super::dbdyno;
use dbdyno::{
    base::csv::Cells,
    catalog::{Catalog, UserFolders},
    compare::{Side, load},
    metric::{Figures, Metric},
    report::{format::Format, results},
    store::{
        Batch, HostRecord, KeyRecord, Latencies, OptionRecord, RunRecord, Selection, SessionRecord, Status, Store,
        TestRecord, WarningRecord,
    },
};
use dbdyno_engine::durability::Tier;
use jiff::Timestamp;
use proptest::{
    collection::vec,
    option,
    prelude::*,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use std::{fs, path::Path};

const ODD: &[&str] =
    &["a", "NULL", "null", "-1", "=1+1", "'x", "1.50", "true", "é\u{1f600}", "a,b", "a\"b", "a\nb", "{}", "[1]"];

/// Texts that a file format may mistake for something else. No text is empty, because CSV cannot represent an empty text.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(ODD).prop_map(str::to_owned),
        "[a-z]{1,4}",
        "[ -~]{1,8}".prop_map(|text| format!("x{text}")),
    ]
}

/// An option: its scope, requested value, value in force, and whether it is assumed.
type AnyOption = (bool, String, Option<String>, Option<String>, bool);

fn options() -> impl Strategy<Value = Vec<AnyOption>> {
    // There are few names, so that engine and suite share some.
    let name = proptest::sample::select(&["sync", "batch", "odd name", "="][..]).prop_map(str::to_owned);
    let values = (option::of(text()), option::of(text()));
    let values = values.prop_filter("an option has a value", |(asked, in_force)| asked.is_some() || in_force.is_some());
    let option = (any::<bool>(), name, values, proptest::bool::weighted(0.1));
    let option = option.prop_map(|(engine, name, (asked, in_force), assumed)| (engine, name, asked, in_force, assumed));
    vec(option, 0..6)
}

#[derive(Debug, Clone)]
struct AnyRun {
    /// The number of the engine. `session` is the number of the session.
    engine: u8,
    session: u8,
    round: u32,
    size: String,
    label: String,
    is_twin: bool,
    seed: u64,
    tier: Tier,
    tier_evidence: Option<String>,
    options: Vec<AnyOption>,
    memory_limit: Option<u64>,
    is_cold: bool,
    key: Option<String>,
    tests: Vec<AnyTest>,
}

/// Wall time, verification, whether it agrees, and peak of memory.
type AnyTest = (u64, Option<String>, Option<bool>, Option<u64>);

fn run() -> impl Strategy<Value = AnyRun> {
    let test = (1..u64::MAX, option::of(text()), option::of(any::<bool>()), option::of(1..1_000_000_u64));
    let tier = proptest::sample::select(&[Tier::PowerSafe, Tier::Consistent, Tier::Unsafe, Tier::Unknown][..]);
    let what = (0..3_u8, 0..2_u8, 0..3_u32, "[1-9][0-9]{0,3}(,[1-9])?", text(), proptest::bool::weighted(0.2));
    let how = (
        any::<u64>(),
        tier,
        option::of(text()),
        options(),
        option::of(any::<u64>()),
        any::<bool>(),
        option::of(text()),
    );
    (what, how, vec(test, 1..3)).prop_map(|(what, how, tests)| {
        let (engine, session, round, size, label, is_twin) = what;
        let (seed, tier, tier_evidence, options, memory_limit, is_cold, key) = how;
        AnyRun {
            engine,
            session,
            round,
            size,
            label,
            is_twin,
            seed,
            tier,
            tier_evidence,
            options,
            memory_limit,
            is_cold,
            key,
            tests,
        }
    })
}

/// Session facts: host, command line, file system, disk, operating system, warnings.
type AnySession = (bool, String, Option<String>, Option<String>, Option<String>, Vec<(String, bool)>);

fn session() -> impl Strategy<Value = AnySession> {
    (
        any::<bool>(),
        text(),
        option::of(text()),
        option::of(text()),
        option::of(text()),
        vec((text(), any::<bool>()), 0..3),
    )
}

fn id(kind: u32, number: usize) -> String {
    format!("00000000-0000-4000-8000-{kind:04x}{number:08x}")
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn batch(sessions: &[AnySession], runs: &[AnyRun]) -> Batch {
    let mut batch = Batch::default();
    for (number, (second_host, command, file_system, disk, os, warnings)) in sessions.iter().enumerate() {
        let host = if *second_host { "b" } else { "a" };
        let with_runs: Vec<usize> = (0..runs.len()).filter(|at| usize::from(runs[*at].session) == number).collect();
        batch.hosts.push(HostRecord {
            host_id: host.to_owned(),
            name: format!("name of {host}"),
            cpu_model: Some("A CPU, \"fast\"".to_owned()),
            cores: Some(2),
            memory_bytes: Some(u64::MAX),
            kernel: "6.1".to_owned(),
            architecture: "x86_64".to_owned(),
            virtualisation: Some("kvm".to_owned()),
            os: (host == "a").then(|| "Linux".to_owned()),
        });
        batch.sessions.push(SessionRecord {
            session_id: id(1, number),
            host_id: host.to_owned(),
            started_at: at(1000 * number as i64),
            finished_at: None,
            status: Status::Done,
            dbdyno_version: "0.1.0".to_owned(),
            debug_build: number == 1,
            build_profile: os.clone(),
            build_flags: file_system.clone(),
            command_line: command.clone(),
            preset: os.clone(),
            suite: "kv".to_owned(),
            seed: 1,
            rounds: 3,
            planned_runs: 3,
            kernel: file_system.clone(),
            work_folder: "work".to_owned(),
            file_system: file_system.clone(),
            mount_options: file_system.clone(),
            device: None,
            disk_model: disk.clone(),
            fsync_ns: Some(3_000_000 + number as u64),
            cpu_governor: os.clone(),
            clock_source: disk.clone(),
            load_1: None,
            details: "{}".to_owned(),
            owner: None,
            plan: None,
            source: None,
            source_file: None,
            syncs_believed: Some(number == 0),
            sync_least_ns: Some(1_000 + number as u64),
            sync_doubt: (number == 1).then(|| "a reason".to_owned()),
            cpus_allowed: Some(2),
            cpu_quota: (number == 1).then_some(0.2),
            memory_max_bytes: (number == 1).then_some(1 << 30),
            preloaded: disk.clone(),
            allocator: os.clone(),
        });
        for (at, (message, of_run)) in warnings.iter().enumerate() {
            batch.warnings.push(WarningRecord {
                warning_id: id(2, 10 * number + at),
                session_id: id(1, number),
                run_id: with_runs.first().filter(|_| *of_run).map(|run| id(3, *run)),
                test: None,
                linter: "noisy host".to_owned(),
                matter: None,
                message: message.clone(),
            });
        }
    }
    for (number, run) in runs.iter().enumerate() {
        push(&mut batch, number, run);
    }
    batch
}

fn push(batch: &mut Batch, number: usize, run: &AnyRun) {
    let run_id = id(3, number);
    batch.runs.push(RunRecord {
        run_id: run_id.clone(),
        session_id: id(1, run.session.into()),
        ordinal: number as u32,
        round: run.round,
        started_at: at(1000 * i64::from(run.session) + number as i64),
        finished_at: None,
        status: Status::Done,
        failure: None,
        engine: ["sqlite", "lmdb", "x"][usize::from(run.engine)].to_owned(),
        engine_version: "1.0".to_owned(),
        label: run.label.clone(),
        suite: "kv".to_owned(),
        size: run.size.clone(),
        seed: run.seed,
        tier: run.tier,
        tier_reason: "so".to_owned(),
        open_ns: None,
        cpu: None,
        steal_share: None,
        busy_share: None,
        psi_cpu_share: None,
        psi_io_share: None,
        psi_memory_share: None,
        context_switches: None,
        other_run_waited: false,
        log: None,
        others_cpus: None,
        throttled_ns: None,
        throttled_periods: None,
        engine_build: Some(format!("NAME={}", run.label)),
        engine_source: None,
        clock: None,
        memory_limit_bytes: run.memory_limit,
        data_bytes: None,
        cache: run.is_cold.then(|| "cold".to_owned()),
        twin_of: run.is_twin.then(|| "of".to_owned()),
        failure_kind: None,
        tier_evidence: run.tier_evidence.clone(),
    });
    let mut known = Vec::new();
    for (of_engine, name, asked, in_force, assumed) in &run.options {
        let scope = if *of_engine { "engine" } else { "suite" };
        if !known.contains(&(scope, name)) {
            known.push((scope, name));
            batch.options.push(OptionRecord {
                run_id: run_id.clone(),
                scope: scope.to_owned(),
                name: name.clone(),
                asked: asked.clone(),
                in_force: in_force.clone(),
                assumed: Some(*assumed),
            });
        }
    }
    let key = |value: &String| KeyRecord { run_id: run_id.clone(), key: "owner".to_owned(), value: value.clone() };
    batch.keys.extend(run.key.iter().map(key));
    for (test, (wall, verification, agrees, peak)) in (1..).zip(&run.tests) {
        let figures = Figures::default().with(Metric::Wall, *wall).with(Metric::Operations, 1000);
        batch.results.push(TestRecord {
            run_id: run_id.clone(),
            test,
            test_name: format!("test, \"{test}\""),
            figures: peak.map_or(figures, |peak| figures.with(Metric::PeakMemory, peak)),
            verification: verification.clone(),
            agrees: *agrees,
            ..TestRecord::default()
        });
    }
}

fn side(store: &Store) -> Side {
    load(store, "", &Selection::default(), Metric::Wall, Latencies::Left).unwrap()
}

#[test]
fn nothing_that_a_comparison_looks_at_is_lost_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { cases: 6, ..ProptestConfig::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let stores = ((session(), session()), vec(run(), 4..9));
    let done = runner.run(&stores, |((one, other), runs)| {
        let (native, file) = (folder.path().join("native.duckdb"), folder.path().join("file"));
        let _ = fs::remove_file(&native);
        let store = Store::new(&native);
        store.write(&batch(&[one, other], &runs)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let expected = side(&store);
        let catalog = Catalog::new(UserFolders { root: folder.path().into() });
        for format in [Format::Csv, Format::Json, Format::Parquet] {
            let _ = fs::remove_file(&file);
            let shape = (format, Cells::Escaped);
            results::write(&store, &Selection::default(), shape, "dbdyno export", &catalog, &file).unwrap();
            prop_assert_eq!(&imported(folder.path(), &file)?, &expected, "{:?}", format);
        }
        Ok(())
    });
    done.unwrap();
}

/// Imports a file into an empty store and returns the side from it.
fn imported(folder: &Path, file: &Path) -> Result<Side, TestCaseError> {
    let back = folder.join("back.duckdb");
    let _ = fs::remove_file(&back);
    let store = Store::new(&back);
    store.import(file).map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(side(&store))
}

/// A store with one run, and the error of its import after a value is changed.
#[test]
fn numbers_are_whole_and_rows_of_one_run_agree() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::filled(folder.path());
    let back = folder.path().join("back.duckdb");
    let file = folder.path().join("listing.json");
    let listing: serde_json::Value =
        serde_json::from_str(&dbdyno(store.path(), &["results", "--columns", "all", "--format", "json"]).good())
            .unwrap();
    let refused = |row: usize, column: &str, value: serde_json::Value| {
        let mut changed = listing.clone();
        changed[row][column] = value;
        fs::write(&file, changed.to_string()).unwrap();
        dbdyno(&back, &["import", file.to_str().unwrap()]).refused(2)
    };
    for value in [serde_json::json!(1.5), "0x10".into(), "1e3".into(), (-1).into(), " 5".into(), "5.0".into()] {
        let said = refused(1, "wall_ns", value.clone());
        let expected = "row 2, column wall_ns: expected a whole number (0 to 18446744073709551615), found";
        assert!(said.contains(expected) && said.contains("(0 to 18446744073709551615)"), "{value}: {said}");
    }
    assert!(refused(0, "tier", 256.into()).contains("column tier: expected a whole number (0 to 255), found `256`"));
    assert!(refused(0, "round", "2147483648".into()).contains("column round: expected a whole number"));
    // The first two rows are tests of one run.
    assert_eq!(listing[0]["run_id"], listing[1]["run_id"]);
    let said = refused(1, "engine", "other".into());
    let expected =
        "row 1 and row 2 contradict each other: they belong to the same run, but engine is `lmdb`, then `other`";
    assert!(said.contains(expected), "{said}");
    let test = listing[0]["test"].clone();
    let mut twice = listing.clone();
    twice[1] = listing[0].clone();
    twice[1]["wall_ns"] = 17.into();
    fs::write(&file, twice.to_string()).unwrap();
    let said = dbdyno(&back, &["import", file.to_str().unwrap()]).refused(2);
    assert!(
        said.contains("row 1 and row 2") && said.contains("the same run and test, but wall_ns is"),
        "{test}: {said}"
    );
    // For CSV the error names the lines too, because a name in the file contains a line break.
    let csv = folder.path().join("listing.csv");
    let text = dbdyno(store.path(), &["results", "--columns", "all", "--format", "csv"]).good();
    fs::write(&csv, text.replacen(",lmdb,", ",other,", 1)).unwrap();
    let said = dbdyno(&back, &["import", csv.to_str().unwrap()]).refused(2);
    assert!(said.contains("line 2: row 1 and line 3: row 2 contradict each other"), "{said}");
    assert_eq!(super::sql(&back, "SELECT count(*) FROM run"), ["0"]);
}

#[test]
fn files_of_version_0_2_are_still_taken() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::filled(folder.path());
    let (json, back) = (folder.path().join("old.json"), folder.path().join("back.duckdb"));
    let listing = dbdyno(store.path(), &["results", "--columns", "all", "--format", "json"]).good();
    let mut rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&listing).unwrap();
    for row in &mut rows {
        for added in ["ordinal", "twin_of", "option_details", "verified", "session_facts"] {
            row.remove(added).unwrap();
        }
    }
    fs::write(&json, serde_json::json!(rows).to_string()).unwrap();
    let said = dbdyno(&back, &["import", json.to_str().unwrap()]).good();
    assert!(said.contains("results 4 new"), "{said}");
    let options = "SELECT DISTINCT scope, name, in_force FROM run_option ORDER BY ALL";
    assert_eq!(super::sql(&back, options), ["engine,mixed,on", "engine,sync,on"], "scopes are not told in such a file");
}
