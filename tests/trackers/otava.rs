//! Apache Otava's analysis of its export.

use super::{bench, exported, json, place};
use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::{Done, csv_records, has_tool},
};
use std::{fs, process::Command};

/// Thirty sessions of lmdb. They are a fifth slower from the twelfth on, and fast again from the twentieth.
fn steps() -> Bench {
    let mut bench = Bench::default();
    let mut noise = dbdyno_workload::rng::SplitMix64::new(5);
    for at in 0..30 {
        let session = bench.session("here");
        for round in 0..3 {
            let level = if (12..20).contains(&at) { 1_200_000 } else { 1_000_000 };
            bench.run(&session, round, &spec("lmdb"), &[level + noise.below(500), 500_000 + noise.below(500)]);
        }
    }
    bench
}

#[test]
fn otava_finds_a_step_with_its_direction() {
    let place = place(&steps());
    let (csv, yaml) = (place.path("otava.csv"), place.path("otava.yaml"));
    let metrics = ["--metric", "wall,rate"];
    for (format, file) in [("otava", &csv), ("otava-config", &yaml)] {
        place.ok(&[&["export", "--format", format, "--out", file.to_str().unwrap()][..], &metrics].concat());
    }
    let rows = csv_records(&fs::read_to_string(&csv).unwrap());
    assert_eq!(rows.len(), 31);
    assert_eq!(rows[0][..5], ["time", "session", "commit", "versions", "kv/size=1000/lmdb/01 Writes/ns-per-op"]);
    assert_eq!((rows[1][0].as_str(), rows[1][3].as_str()), ("2027-01-15T08:00:00Z", "lmdb 1.0"));
    if !has_tool("python3", &["-c", "import otava"]) {
        return;
    }
    let otava = |output: &str| {
        let mut python = Command::new("python3");
        python.args(["-m", "otava.main", "analyze", "kv/size=1000/lmdb", "--output", output]);
        python.args(["--since", "2027-01-01", "--until", "2028-01-01"]).env("OTAVA_CONFIG", &yaml);
        let done = Done::of(python.output().unwrap());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        done.stdout
    };
    let found = otava("json");
    let found = json(found.trim());
    let groups = found["kv/size=1000/lmdb"].as_array().unwrap();
    let places: Vec<u64> = groups.iter().map(|group| group["changes"][0]["index"].as_u64().unwrap()).collect();
    assert_eq!(places, [12, 20], "{found}");
    assert_eq!(groups[0]["attributes"]["session"].as_str().unwrap(), rows[13][1]);
    let mut moved: Vec<&str> =
        groups[0]["changes"].as_array().unwrap().iter().map(|change| change["metric"].as_str().unwrap()).collect();
    moved.sort_unstable();
    assert_eq!(moved, ["01 Writes/ns-per-op", "01 Writes/ops-per-s"]);
    // A longer time and a lower rate both count as worse, so the regression is the step to slower runs.
    let regressions = otava("regressions_only");
    assert!(regressions.contains("( +20.0%)") && regressions.contains("( -16.7%)"), "{regressions}");
    assert_eq!(regressions.matches("-->").count(), 2, "{regressions}");
}

#[test]
fn hostile_names_stay_names() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    let hostile = "x\u{1b}[31m\n  y: *z,\"'\\,=1|";
    let label = Variant { label: hostile.to_owned(), suite: "=cmd", version: "@SUM(1)", ..spec("x") };
    bench.run(&session, 0, &label, &[1_000_000]);
    let place = place(&bench);
    for format in ["bmf", "codspeed", "github-action-benchmark", "conbench"] {
        let (text, _) = exported(&place, format, &[]);
        assert!(json(&text).to_string().contains("[31m") && !text.contains('\u{1b}'), "{text}");
    }
    let (csv, yaml) = (exported(&place, "otava", &[]).0, exported(&place, "otava-config", &[]).0);
    let rows = csv_records(&csv);
    assert!(rows.len() == 2 && rows[0].len() == 5 && rows[0][4].starts_with("'=cmd/size=1000/x"), "{csv}");
    if !has_tool("python3", &["-c", "import ruamel.yaml"]) {
        return;
    }
    let (file, read) = (
        place.path("otava.yaml"),
        "import json, sys; from ruamel.yaml import YAML
test, = YAML(typ='safe').load(open(sys.argv[1]))['tests'].values()
metric, = test['metrics'].values()
print(json.dumps([test['file'], metric['column']]))",
    );
    fs::write(&file, yaml).unwrap();
    let out = Done::of(Command::new("python3").args(["-c", read]).arg(&file).output().unwrap());
    let read = json(&out.stdout);
    assert!(read[0].as_str().unwrap().ends_with("out.csv"), "{read}");
    assert_eq!(read[1], rows[0][4], "the column is found under its escaped name");
}

#[test]
fn otavas_rows_are_whole_and_what_is_left_out_is_told() {
    let place = place(&bench());
    let (text, said) = exported(&place, "otava", &[]);
    let rows = csv_records(&text);
    assert_eq!((rows.len(), rows[0].len()), (2, 4 + 4), "{text}");
    assert!(said.contains("1 session left out, because they lack a figure of the newest session"), "{said}");
    place.ok(&["key", "session=last", "--set", "branch=main", "--set", "git_commit=c0ffee"]);
    let (text, said) = exported(&place, "otava", &["engine=lmdb"]);
    let rows = csv_records(&text);
    assert_eq!((rows.len(), rows[0][4].as_str()), (3, "branch"), "{text}");
    assert_eq!((rows[1][2].as_str(), rows[2][2].as_str(), rows[2][4].as_str()), ("", "c0ffee", "main"));
    assert!(!said.contains("left out"), "{said}");
}
