//! Exports for benchmark trackers, in the form that these programs read.

mod otava;

use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::{Done, Place, has_tool},
};
use dbdyno::{metric::Metric, store::Store};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// Times of a run's two tests, µs.
const TIMES: [u64; 7] = [1000, 1010, 1020, 1030, 1040, 1050, 1060];
const RANDOM_READS: &str = "kv/size=1000/lmdb/02 Random reads";

/// Two sessions: lmdb in both, and redb only in the second. One test of 1000 operations takes about 1 ms, another twice that. The first
/// session is a tenth faster.
fn bench() -> Bench {
    let mut bench = Bench::default();
    for at in 0..2 {
        let session = bench.session("here");
        for (round, time) in (0..).zip(TIMES) {
            let time = if at == 0 { time * 900 } else { time * 1000 };
            bench.run(&session, round, &spec("lmdb"), &[time, 2 * time]);
            if at == 1 {
                bench.run(&session, round, &spec("redb"), &[3 * time, 4 * time]);
            }
        }
    }
    bench
}

fn place(bench: &Bench) -> Place {
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    place
}

fn export(place: &Place, format: &str, more: &[&str]) -> (Done, String) {
    let out = place.path("out.file");
    let _ = fs::remove_file(&out);
    let done = place.run(&[&["export", "--format", format, "--out", out.to_str().unwrap()], more].concat());
    (done, fs::read_to_string(&out).unwrap_or_default())
}

#[track_caller]
fn exported(place: &Place, format: &str, more: &[&str]) -> (String, String) {
    let (done, text) = export(place, format, more);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    (text, done.stderr)
}

#[track_caller]
fn refused(place: &Place, format: &str, more: &[&str], said: &str) {
    let (done, text) = export(place, format, more);
    assert_eq!((done.code, text.as_str()), (Some(2), ""), "{}", done.stderr);
    assert!(done.stderr.contains(said), "{}", done.stderr);
}

/// Validates documents with a schema of tests/trackers. Each line is a document, or the whole text is one.
#[track_caller]
fn is_as_said(schema: &str, documents: &str, by_line: bool) {
    if !has_tool("python3", &["-c", "import jsonschema"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("documents");
    fs::write(&file, documents).unwrap();
    let check = "import json, sys, jsonschema; schema = json.load(open(sys.argv[1])); \
        jsonschema.Draft202012Validator.check_schema(schema); text = open(sys.argv[2]).read(); \
        [jsonschema.Draft202012Validator(schema).validate(json.loads(one)) \
         for one in (text.splitlines() if sys.argv[3] == 'true' else [text])]";
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trackers/{schema}.schema.json"));
    let mut python = Command::new("python3");
    python.args(["-c", check]).arg(schema).arg(&file).arg(by_line.to_string());
    let out = python.output().unwrap();
    assert!(out.status.success(), "{}\n{documents}", String::from_utf8_lossy(&out.stderr));
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn bencher_has_each_benchmark_once() {
    let place = place(&bench());
    let (text, said) = exported(&place, "bmf", &["--metric", "wall,rate"]);
    is_as_said("bmf", &text, false);
    let bmf = json(&text);
    assert_eq!(bmf.as_object().unwrap().len(), 4, "{text}");
    // 2.06 ms for a thousand operations. Of seven values, the smallest and the largest are the 98.4 % interval of the median.
    let latency = &bmf[RANDOM_READS]["latency"];
    assert_eq!([&latency["value"], &latency["lower_value"], &latency["upper_value"]], [2060.0, 2000.0, 2120.0]);
    let rate = bmf[RANDOM_READS]["throughput"]["value"].as_f64().unwrap();
    assert!((rate - 1e9 / 2060.0).abs() < 1e-6, "{rate}");
    assert!(
        said.contains("4 figures of 1 session") && said.contains("2 benchmarks of older sessions left out"),
        "{said}"
    );
    let (text, _) = exported(&place, "bmf", &["session=previous"]);
    assert_eq!(json(&text)[RANDOM_READS]["latency"]["value"], 1854.0);
}

#[test]
fn what_has_no_interval_and_what_is_not_known_is_left_out() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    bench.run(&session, 0, &spec("lmdb"), &[1_000_000]);
    bench.run(&session, 1, &Variant { agrees: Some(false), ..spec("lmdb") }, &[1]);
    bench.run(&session, 0, &Variant { label: "lmdb#2".to_owned(), ..spec("lmdb") }, &[1]);
    bench.run(&session, 0, &Variant { cold: true, memory_limit: Some(1 << 20), ..spec("lmdb") }, &[2_000_000]);
    // A cold test is compared by the sum of its opening and its own time.
    let cold = &mut bench.batch.results.last_mut().unwrap().figures;
    cold.set(Metric::Start, Some(4096));
    cold.set(Metric::Open, Some(500_000));
    let place = place(&bench);
    let (text, _) = exported(&place, "bmf", &["--metric", "wall,p99"]);
    let expected = r#"{"kv/size=1000/lmdb/01 Writes": {"latency": {"value": 1000.0}},
        "kv/size=1000/lmdb/cache=cold/memory=1048576/01 Writes": {"latency": {"value": 2500.0}}}"#;
    assert_eq!(json(&text), json(expected), "wrong answers, twins and unknown figures are not there");
    let (text, _) = exported(&place, "github-action-benchmark", &["cache=warm"]);
    assert!(json(&text)[0].get("range").is_none(), "{text}");
    refused(&place, "bmf", &["--metric", "p99"], "no figure of a finished test");
    refused(&place, "bmf", &["engine=nothing"], "no figure of a finished test");
}

#[test]
fn the_github_action_has_one_direction_a_file() {
    let place = place(&bench());
    let (text, said) = exported(&place, "github-action-benchmark", &["engine=lmdb"]);
    is_as_said("github-action-benchmark", &text, false);
    assert!(said.contains("`tool` is customSmallerIsBetter"), "{said}");
    let entry = &json(&text)[1];
    assert_eq!(entry["name"], format!("{RANDOM_READS}/ns-per-op"));
    assert_eq!((&entry["unit"], &entry["value"]), (&Value::from("ns/op"), &Value::from(2060.0)));
    assert_eq!(entry["range"], "± 60");
    let extra = entry["extra"].as_str().unwrap();
    assert!(extra.starts_with("median of runs: 7\n98.4 % interval: 2000 to 2120 ns/op\nengine: lmdb 1.0\n"), "{extra}");
    let (text, said) = exported(&place, "github-action-benchmark", &["--metric", "rate"]);
    let (twice, _) = exported(&place, "github-action-benchmark", &["--metric", "rate,rate"]);
    assert_eq!(twice, text);
    assert!(said.contains("`tool` is customBiggerIsBetter") && json(&text)[0]["unit"] == "ops/s", "{said}");
    refused(&place, "github-action-benchmark", &["--metric", "wall,rate"], "less is better for wall_ns, more for rate");
}

#[test]
fn codspeed_has_the_statistics_of_its_own_integrations() {
    let place = place(&bench());
    let (text, _) = exported(&place, "codspeed", &["engine=lmdb"]);
    is_as_said("codspeed", &text, false);
    let results = json(&text);
    let benchmark = &results["benchmarks"][1];
    assert_eq!(benchmark["uri"], format!("dbdyno::{RANDOM_READS}"));
    let stats = |name: &str| benchmark["stats"][name].as_f64().unwrap();
    let expected = [
        ("min_ns", 2000.0),
        ("q1_ns", 2020.0),
        ("median_ns", 2060.0),
        ("q3_ns", 2100.0),
        ("max_ns", 2120.0),
        ("mean_ns", 2060.0),
        // Python's statistics.stdev of 2000, 2020 ... 2120.
        ("stdev_ns", 43.204_937_989_385_73),
        ("rounds", 7.0),
        ("iter_per_round", 1000.0),
        // Seconds of all rounds together.
        ("total_time", 0.01442),
        ("iqr_outlier_rounds", 0.0),
    ];
    for (name, value) in expected {
        assert!((stats(name) - value).abs() < 1e-9, "{name}: {} and not {value}", stats(name));
    }
    refused(&place, "codspeed", &["--metric", "p99"], "codspeed does not support p99");
}

#[test]
fn conbench_has_every_value_of_every_session() {
    let place = place(&bench());
    let (text, _) = exported(&place, "conbench", &["engine=lmdb", "--metric", "wall,rate"]);
    is_as_said("conbench", &text, true);
    let lines: Vec<Value> = text.lines().map(json).collect();
    assert_eq!(lines.len(), 2 * 2 * 2, "two sessions, tests and metrics");
    let first = &lines[0];
    assert_eq!(first["stats"]["data"].as_array().unwrap().len(), TIMES.len());
    assert_eq!((&first["stats"]["data"][0], &first["stats"]["iterations"]), (&900.0.into(), &1000.into()));
    assert_eq!((&first["stats"]["unit"], &lines[1]["stats"]["unit"]), (&"ns".into(), &"i/s".into()));
    assert_eq!((&first["tags"]["name"], &first["tags"]["metric"]), (&"01 Writes".into(), &"ns-per-op".into()));
    assert_eq!((&first["info"]["host"], &first["info"]["engine_version"]), (&"here".into(), &"1.0".into()));
    assert_eq!(first["timestamp"], "2027-01-15T08:00:00Z");
    refused(&place, "conbench", &["--metric", "syncs"], "conbench does not support syncs");
}

#[test]
fn conbenchs_own_client_takes_a_line() {
    if !has_tool("python3", &["-c", "import benchadapt"]) {
        return;
    }
    let place = place(&bench());
    let (text, _) = exported(&place, "conbench", &[]);
    let file = place.path("lines");
    fs::write(&file, text).unwrap();
    let check = "import json, sys, warnings, benchadapt; warnings.simplefilter('error')
for line in open(sys.argv[1]):
    told = json.loads(line)
    made = benchadapt.BenchmarkResult(**told).to_publishable_dict()
    assert all(made[key] == told[key] for key in told), made
    assert made['machine_info'] and made['github']['commit'] == 'c0ffee', made
    print(made['tags']['name'])";
    let mut python = Command::new("python3");
    python.args(["-c", check]).arg(&file).env("CONBENCH_PROJECT_COMMIT", "c0ffee");
    let out = Done::of(python.env("CONBENCH_PROJECT_REPOSITORY", "https://github.com/a/b").output().unwrap());
    assert_eq!((out.code, out.stdout.lines().count()), (Some(0), 6), "{}", out.stderr);
}

#[test]
fn nyrkio_is_told_what_was_measured_or_nothing() {
    let bench = bench();
    let place = place(&bench);
    refused(&place, "nyrkio", &[], "have no key `git_commit`, or several: `dbdyno key session=");
    for (at, session) in bench.batch.sessions.iter().enumerate() {
        let of = format!("session={}", session.session_id);
        let commit = format!("git_commit=c0ffee{at}");
        let keys = ["--set", &commit, "--set", "branch=main", "--set", "git_repo=https://github.com/a/b"];
        place.ok(&[&["key", &of][..], &keys].concat());
    }
    let (text, _) = exported(&place, "nyrkio", &["--metric", "wall,rate"]);
    is_as_said("nyrkio", &text, false);
    let points = json(&text);
    let metrics = |at: usize| points[at]["metrics"].as_array().unwrap().len();
    assert_eq!((points.as_array().unwrap().len(), metrics(0), metrics(1)), (2, 4, 8));
    assert_eq!(
        (&points[0]["timestamp"], &points[1]["attributes"]["git_commit"]),
        (&1_800_000_000.into(), &"c0ffee1".into())
    );
    let metric = &points[0]["metrics"][3];
    assert_eq!((&metric["unit"], &metric["direction"]), (&"ops/s".into(), &"higher_is_better".into()));
    // A session whose runs belong to two commits belongs to neither.
    place.ok(&["key", &format!("run={}", bench.batch.runs[0].run_id), "--set", "git_commit=other"]);
    refused(&place, "nyrkio", &[], "have no key `git_commit`, or several");
}

#[test]
fn a_series_over_time_is_of_one_host() {
    let mut bench = bench();
    let session = bench.session("there");
    bench.run(&session, 0, &spec("lmdb"), &[1_000_000]);
    let place = place(&bench);
    place.ok(&["key", "--all", "--set", "git_commit=c0ffee", "--set", "branch=main", "--set", "git_repo=a"]);
    for format in ["otava", "nyrkio"] {
        refused(&place, format, &[], "follows one machine per file");
    }
    exported(&place, "otava", &["host=there"]);
    exported(&place, "bmf", &[]);
}

#[test]
fn metrics_without_a_direction_and_formats_with_all_columns_take_none() {
    let place = place(&bench());
    refused(&place, "bmf", &["--metric", "operations"], "for operations (operations), neither less nor more is better");
    refused(
        &place,
        "csv",
        &["--metric", "wall"],
        "--metric does not apply to csv, which has every figure: leave it out",
    );
    let done = place.run(&["compare", "--a", "engine=lmdb", "--b", "engine=redb", "--format", "nyrkio"]);
    assert!(done.code == Some(2) && done.stderr.contains("bmf, github-action-benchmark"), "{}", done.stderr);
    let several = ["compare", "--reference", "engine=lmdb session=last", "--format", "bmf"];
    let done = place.run(&several);
    assert!(done.code == Some(2) && done.stderr.contains("bmf is not supported here"), "{}", done.stderr);
}

#[test]
fn a_comparison_is_its_ratios() {
    let place = place(&bench());
    let compare = ["compare", "--a", "session=last engine=lmdb", "--b", "session=last engine=redb", "--format"];
    let bmf = place.ok(&[&compare[..], &["bmf"]].concat());
    is_as_said("bmf", &bmf, false);
    let name = "session=last engine=lmdb against session=last engine=redb/size=1000/02 Random reads";
    let ratio = &json(&bmf)[name]["ns-per-op-ratio"];
    assert!((ratio["value"].as_f64().unwrap() - 0.5).abs() < 1e-9, "{bmf}");
    assert!(ratio["lower_value"].as_f64().unwrap() <= 0.5 && ratio["upper_value"].as_f64().unwrap() >= 0.5, "{bmf}");
    let out = place.path("ratios.json");
    place.ok(&[&compare[..], &["github-action-benchmark", "--out", out.to_str().unwrap()]].concat());
    let entries = fs::read_to_string(&out).unwrap();
    is_as_said("github-action-benchmark", &entries, false);
    let entry = &json(&entries)[1];
    assert_eq!((&entry["unit"], entry["name"].as_str()), (&"A/B".into(), Some(&*format!("{name}/ns-per-op"))));
    let done = place.run(&[&compare[..], &["bmf", "--metric", "operations"]].concat());
    assert!(done.code == Some(2) && done.stderr.contains("neither less nor more is better"), "{}", done.stderr);
}

#[test]
fn sessions_in_several_parts_are_all_read_in_order() {
    // More runs than are read at once, and a session that spans two reads and is still complete.
    let mut bench = Bench::default();
    for at in 0..25 {
        let session = bench.session("here");
        for round in 0..100 {
            bench.run(&session, round, &spec("lmdb"), &[1_000_000 + 1000 * at]);
        }
    }
    let place = place(&bench);
    let (text, _) = exported(&place, "conbench", &[]);
    let data: Vec<Value> = text.lines().map(|line| json(line)["stats"]["data"].clone()).collect();
    assert_eq!(data.len(), 25);
    for (at, data) in data.iter().enumerate() {
        let data = data.as_array().unwrap();
        assert!(data.len() == 100 && data.iter().all(|value| *value == 1000.0 + at as f64), "session {at}");
    }
}
