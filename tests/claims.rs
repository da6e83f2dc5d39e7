//! Published figures beside measured ones: what `dbdyno claims` and a preset that names a claims file say.

use crate::{
    compare::fixture::{Bench, CLEAR, Variant, spec},
    support::Place,
};
use dbdyno::store::Store;
use std::fs;

/// Claims about an engine that takes 1 µs an operation and one that takes 2: time A / time B is 0.5.
const CLAIMS: &str = r#"
title = "A store against another"
source = "a blog, yesterday"
setup = "a laptop"
caveats = ["One sample."]

[[comparison]]
title = "fast against slow"
suite = "kv"
preset = "claimed"
a = "engine=null latency_ns=1000"
b = "engine=null latency_ns=2000"
a_name = "Fast\u001b[31m"
b_name = "Slow"
claim = [
  { test = "1", name = "writes", ratio = 0.55, a = "232K/s", b = "128K/s" },
  { test = "Random reads", name = "reads", ratio = 0.9 },
  { test = "3", name = "scan", ratio = 0.1, range = [0.05, 0.49] },
  { test = "4", name = "updates", ratio = 2.0 },
  { test = "5", name = "deletes", faster = "a" },
  { test = "6", name = "exists", faster = "b" },
  { test = "99", name = "unheard of", ratio = 0.5 },
]

[[comparison]]
title = "never run"
suite = "kv"
a = "engine=null latency_ns=7"
b = "engine=null latency_ns=2000"
a_name = "X"
b_name = "Y"
claim = [{ test = "1", name = "writes", ratio = 0.5 }]
"#;

const PRESET: &str = r#"
title = "what the blog did"
suite = "kv"
sizes = [1000]
repeats = 6
claims = "blog"

[[engine]]
name = "null"
options = { clock = "simulated", latency_ns = [1000, 2000] }
"#;

fn place() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("config/claims")).unwrap();
    fs::write(place.path("config/claims/blog.toml"), CLAIMS).unwrap();
    fs::write(place.path("config/presets/claimed.toml"), PRESET).unwrap();
    place
}

/// The verdict of each claim.
fn verdicts(json: &str) -> Vec<(String, String)> {
    let table: serde_json::Value = serde_json::from_str(json).unwrap();
    let rows = table["comparisons"].as_array().unwrap().iter().flat_map(|one| one["rows"].as_array().unwrap());
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    rows.map(|row| (text(&row["name"]), text(&row["reproduction"]))).collect()
}

#[test]
fn nothing_is_judged_before_anything_is_measured() {
    let place = place();
    let json = place.ok(&["claims", "blog", "--format", "json"]);
    assert!(verdicts(&json).iter().all(|(_, verdict)| verdict == "not_measured"), "{json}");
    let table = place.ok(&["claims", "blog"]);
    assert!(table.contains("8 not measured yet") && table.contains("the preset `claimed` measures it"), "{table}");
    assert!(table.contains("!  One sample."), "caveats come first: {table}");
    assert!(!table.contains('\u{1b}'), "escape sequences of a file do not reach the terminal");
}

#[test]
fn a_preset_that_names_claims_ends_with_the_published_column() {
    let place = place();
    let out = place.ok(&["--preset", "claimed", "--quiet"]);
    assert!(out.contains("published") && out.contains("0.55x (232K/s / 128K/s)"), "{out}");
    assert!(out.contains("0.50x [0.50, 0.50]"), "{out}");
    let found = verdicts(&place.ok(&["claims", "blog", "--format", "json"]));
    let expected = [
        ("writes", "agrees"),
        ("reads", "direction_only"),
        ("scan", "direction_only"),
        ("updates", "not_reproduced"),
        ("deletes", "agrees"),
        ("exists", "not_reproduced"),
        ("unheard of", "not_measured"),
        ("writes", "not_measured"),
    ];
    assert_eq!(found, expected.map(|(name, verdict)| (name.to_owned(), verdict.to_owned())));
}

#[test]
fn too_few_runs_are_undecided() {
    let place = place();
    place.ok(&["--preset", "claimed", "--quiet", "--repeat", "5"]);
    let found = verdicts(&place.ok(&["claims", "blog", "--format", "json"]));
    assert_eq!(found[0], ("writes".to_owned(), "undecided".to_owned()));
}

#[test]
fn the_published_benchmarks_are_listed() {
    let place = place();
    let list = place.ok(&["claims"]);
    for name in ["blog", "crossdb", "drivers", "lumosql", "pragma", "snkv"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}: {list}");
    }
    let presets = place.ok(&["list", "presets"]);
    for name in ["blog", "crossdb", "drivers", "lumosql", "pragma", "snkv"] {
        for sent in place.ok(&["claims", name]).split("`dbdyno --preset ").skip(1) {
            let preset = sent.split('`').next().unwrap();
            assert!(presets.lines().any(|line| line.starts_with(preset)), "{name} sends to `{preset}`: {presets}");
        }
    }
    let done = place.run(&["claims", "nobody"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("no claims file `nobody`") && done.stderr.contains("lumosql"), "{}", done.stderr);
    let table = place.ok(&["claims", "lumosql"]);
    assert!(table.contains("0.08x [0.06, 0.15]") && table.contains("not measured yet"), "{table}");
}

#[test]
fn a_preset_with_a_missing_claims_file_runs_nothing() {
    let place = place();
    fs::remove_file(place.path("config/claims/blog.toml")).unwrap();
    assert_eq!(place.run(&["--preset", "claimed"]).code, Some(2));
    assert!(!place.store().exists());
}

/// Claims whose sides have other names among imported runs.
const IMPORTED: &str = r#"
title = "A store against another"
source = "a blog, yesterday"
setup = "a laptop"

[[comparison]]
title = "x against y"
suite = "kv"
a = "engine=x"
b = "engine=y"
imported = { a = "engine=x-of-theirs", b = "engine=y" }
a_name = "X"
b_name = "Y"
claim = [{ test = "1", name = "writes", ratio = 0.33 }]
"#;

#[test]
fn imported_runs_never_count_as_measured_here() {
    let place = place();
    fs::write(place.path("config/claims/theirs.toml"), IMPORTED).unwrap();
    let judged = || {
        let json = place.ok(&["claims", "theirs", "--format", "json"]);
        let table: serde_json::Value = serde_json::from_str(&json).unwrap();
        let one = |comparison: &serde_json::Value| {
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            (text(&comparison["origin"]), text(&comparison["rows"][0]["reproduction"]))
        };
        table["comparisons"].as_array().unwrap().iter().map(one).collect::<Vec<_>>()
    };
    let pair = |origin: &str, verdict: &str| (origin.to_owned(), verdict.to_owned());
    // Theirs agree with the claim, and none was measured here.
    let mut bench = Bench::default();
    bench.pairs(&spec("x-of-theirs"), &spec("y"), &CLEAR);
    for session in &mut bench.batch.sessions {
        session.source = Some("lumosql".to_owned());
    }
    Store::new(place.store()).write(&bench.batch).unwrap();
    assert_eq!(judged(), [pair("measured", "not_measured"), pair("imported", "agrees")]);
    let table = place.ok(&["claims", "theirs"]);
    assert!(table.contains("x against y, by imported runs") && table.contains("8 runs imported"), "{table}");
    assert!(table.contains("1 not measured yet. Ratios"), "the summary counts what was measured: {table}");
    // Measured here, x is slower.
    let mut bench = Bench::default();
    bench.pairs(&spec("y"), &spec("x"), &CLEAR);
    Store::new(place.store()).write(&bench.batch).unwrap();
    assert_eq!(judged(), [pair("measured", "not_reproduced"), pair("imported", "agrees")]);
}

#[test]
fn a_size_that_was_run_once_takes_no_answer_from_the_others() {
    let place = place();
    fs::write(place.path("config/claims/theirs.toml"), IMPORTED).unwrap();
    let mut bench = Bench::default();
    let session = bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    for engine in ["x", "y"] {
        bench.run(&session, 0, &Variant { size: "2000", ..spec(engine) }, &[1_000_000]);
    }
    Store::new(place.store()).write(&bench.batch).unwrap();
    assert_eq!(verdicts(&place.ok(&["claims", "theirs", "--format", "json"]))[0].1, "agrees");
}
