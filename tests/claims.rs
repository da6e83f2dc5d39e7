//! Published figures compared with measured ones: the output of `dbdyno claims` and of a preset that names a claims file.

use crate::{
    compare::fixture::{Bench, CLEAR, Variant, spec},
    support::Place,
};
use dbdyno::{
    bench::{BenchPlan, ReadyMade},
    catalog::{Catalog, ClaimedRatio, UserFolders},
    claims::{JudgedSizes, MeasuredRatio, Reproduction, judge},
    engines::{Engine, Registry},
    metric::{Figures, Metric},
    stats::paired_ratio,
    store::{Store, TestRecord},
};
use dbdyno_engine::{describe::OptionSpec, durability::Tier, settings::Settings};
use dbdyno_workload::rng::SplitMix64;
use std::{fs, sync::Arc};

/// Claims about two engines that take 1 µs and 2 µs per operation: time A / time B is 0.5.
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
    assert!(table.contains("8 not measured yet") && table.contains("`dbdyno --preset claimed` measures it"), "{table}");
    assert!(table.contains("!  One sample."), "caveats come first: {table}");
    assert!(table.contains("never run · A X (0 runs here)"), "all that was published is shown: {table}");
    let csv = place.ok(&["claims", "blog", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 1 + verdicts(&json).len(), "a row for each claim: {csv}");
    assert!(csv.starts_with("claims,comparison,origin,") && csv.contains(",not measured yet,"), "{csv}");
    let markdown = place.ok(&["claims", "blog", "--format", "markdown"]);
    assert!(markdown.contains("| test | published | measured | verdict |\n|---|--:|--:|---|\n"), "{markdown}");
    let file = place.path("claims.html");
    place.ok(&["claims", "blog", "--format", "html", "--out", file.to_str().unwrap()]);
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.contains("never run · A X (0 runs here)") && page.trim_end().ends_with("</html>"), "{page}");
    assert!(!table.contains('\u{1b}'), "escape sequences of a file do not reach the terminal");
}

#[test]
fn a_preset_that_names_claims_ends_with_the_published_column() {
    let place = place();
    let out = place.ok(&["--preset", "claimed", "--quiet"]);
    assert!(out.contains("published") && out.contains("0.55x (232K/s / 128K/s)"), "{out}");
    assert!(out.contains("0.50x [0.50, 0.50]"), "{out}");
    let open = "not measured yet\n  never run: no preset measures it; it is judged by runs that match A `engine=null";
    assert!(out.contains(open) && !out.contains("A X (0 runs here)"), "{out}");
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
            let preset = sent.split(['`', ' ']).next().unwrap();
            assert!(presets.lines().any(|line| line.starts_with(preset)), "{name} sends to `{preset}`: {presets}");
        }
    }
    let done = place.run(&["claims", "nobody"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("unknown claims file `nobody`") && done.stderr.contains("lumosql"), "{}", done.stderr);
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

/// Claims whose sides have other names in imported runs.
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
    // The imported runs agree with the claim, and no run was measured here.
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
    // In the runs measured here, x is slower.
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

/// All engines that presets name. Engines that are separate programs are replaced by copies of similar built-in engines.
fn every_engine() -> Registry {
    let mut registry = Registry::built_in();
    let drivers = ["mattn", "modernc", "ncruces", "glebarez", "zombiezen", "crawshaw", "eaton", "bvinc", "sqinn"];
    let outside = drivers.map(|driver| (format!("go-{driver}"), "sqlite"));
    for (name, like) in outside.into_iter().chain([("lmdb1".to_owned(), "lmdb")]) {
        let like = registry.get(like).unwrap().clone();
        let mut description = (*like.description).clone();
        if name == "lmdb1" {
            let choices = ["off", "chacha20poly1305"];
            description.options.push(OptionSpec::choice("encrypt", &choices, "off", "of every page"));
            description.options.push(OptionSpec::bool("checksum", "off", "of every page"));
        }
        description.name = name;
        registry.engines.push(Engine { description: Arc::new(description), launch: like.launch });
    }
    registry
}

/// Adds the runs of a preset's plan. The time of a configuration depends only on its label.
fn planned(bench: &mut Bench, plan: &BenchPlan) {
    let leaked = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    let options = |settings: &Settings| settings.iter().map(|(name, value)| (leaked(name), leaked(value))).collect();
    let session = bench.session("here");
    for run in &plan.runs {
        let configuration = &plan.configurations[run.configuration];
        let variant = Variant {
            label: configuration.label.clone(),
            // An unavailable library has no known tier.
            tier: if configuration.tier == Tier::Unknown { Tier::Consistent } else { configuration.tier },
            options: options(&configuration.settings),
            suite: leaked(&plan.suite.name),
            suite_options: options(&configuration.suite_settings),
            size: leaked(&configuration.size.to_string()),
            ..spec(leaked(configuration.engine_name()))
        };
        bench.run(&session, run.round, &variant, &[]);
        let run_id = bench.batch.runs.last().unwrap().run_id.clone();
        let weight = variant.label.bytes().map(u64::from).sum::<u64>();
        for test in plan.suite.tests().filter(|test| plan.pick.has(test.number)) {
            bench.batch.results.push(TestRecord {
                run_id: run_id.clone(),
                test: test.number,
                test_name: test.name.to_owned(),
                finished_at: None,
                figures: Figures::default()
                    .with(Metric::Wall, 1_000_000 + 1000 * weight + u64::from(run.round))
                    .with(Metric::Operations, 1000),
                verification: None,
                agrees: Some(true),
                operations_per_sample: None,
                histogram: None,
                failure: None,
            });
        }
    }
}

#[test]
fn a_store_with_the_runs_of_every_preset_has_every_claim_judged() {
    let place = Place::new();
    let catalog = Catalog::new(UserFolders { root: place.path("config") });
    let registry = every_engine();
    let mut bench = Bench::default();
    for name in catalog.preset_names() {
        let ReadyMade::Bench(preset) = ReadyMade::find(&catalog, &name).unwrap() else { continue };
        let suite = catalog.suite(&preset.spec.suite).unwrap();
        planned(&mut bench, &BenchPlan::new(&preset.spec, suite, &registry).unwrap());
    }
    Store::new(place.store()).write(&bench.batch).unwrap();
    for name in catalog.claims_names() {
        let table: serde_json::Value = serde_json::from_str(&place.ok(&["claims", &name, "--format", "json"])).unwrap();
        for comparison in table["comparisons"].as_array().unwrap() {
            for row in comparison["rows"].as_array().unwrap() {
                let title = format!("{name}, {}, {}: {row}", comparison["title"], row["name"]);
                assert!(row["obstacle"].is_null(), "{title}");
            }
            if comparison["preset"].is_string() {
                assert_ne!(comparison["runs"][0], 0, "{name}, {}: its preset ran", comparison["title"]);
            }
        }
    }
    // LumoSQL's presets have SQLite, LMDB and LMDB 1.0 in several settings each. The claims are judged by the published settings.
    let text = place.ok(&["claims", "lumosql"]);
    assert!(!text.contains("undecided:") && text.contains("; others match too: "), "{text}");
}

#[test]
fn a_selection_that_cannot_be_read_is_said_in_its_rows_and_the_others_are_judged() {
    let place = place();
    let broken = CLAIMS.replace("engine=null latency_ns=7\"", "tier>=high\"");
    fs::write(place.path("config/claims/blog.toml"), broken).unwrap();
    let out = place.ok(&["--preset", "claimed", "--quiet"]);
    assert!(out.contains("? undecided: `tier>=high`: expected"), "{out}");
    let found = verdicts(&place.ok(&["claims", "blog", "--format", "json"]));
    assert_eq!((found[0].1.as_str(), found[7].1.as_str()), ("agrees", "undecided"));
}

#[test]
fn sizes_that_were_not_published_show_the_direction_only() {
    let place = place();
    let sized = CLAIMS.replacen("suite = \"kv\"", "suite = \"kv\"\nsizes = [5000]", 1);
    fs::write(place.path("config/claims/blog.toml"), sized).unwrap();
    let out = place.ok(&["--preset", "claimed", "--quiet"]);
    let said = "measured at size 1000, published at 5000: only the direction can be judged";
    assert!(out.contains(said) && out.contains("`dbdyno --preset claimed --size 5000` measures it"), "{out}");
    let found = verdicts(&place.ok(&["claims", "blog", "--format", "json"]));
    let of = |name: &str| found.iter().find(|(known, _)| known == name).unwrap().1.clone();
    assert_eq!(
        [of("writes"), of("updates"), of("deletes")],
        ["direction_only", "opposite_elsewhere", "direction_only"]
    );
    // Once a published size is measured, the other sizes are shown but not judged.
    place.ok(&["--preset", "claimed", "--quiet", "--size", "5000"]);
    let text = place.ok(&["claims", "blog"]);
    assert!(text.contains("published at size 5000; also measured at 1000, which is not judged"), "{text}");
    assert!(text.contains("0.55x (232K/s / 128K/s)") && text.contains("✓ agrees"), "{text}");
}

#[test]
fn of_several_configurations_the_claim_is_judged_by_those_that_are_alike() {
    let place = place();
    fs::write(place.path("config/claims/theirs.toml"), IMPORTED).unwrap();
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    // A newer session, in which y has another value of an option that the claim does not name. It differs from the value of x.
    bench.pairs(&spec("x"), &Variant { options: vec![("sync", "off")], ..spec("y") }, &[(1000, 500); 8]);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let table: serde_json::Value = serde_json::from_str(&place.ok(&["claims", "theirs", "--format", "json"])).unwrap();
    let comparison = &table["comparisons"][0];
    assert_eq!(comparison["rows"][0]["reproduction"], "agrees", "{comparison}");
    assert_eq!(comparison["selections"][1], "engine=y source! sync=full");
    assert_eq!((&comparison["others"][0], &comparison["others"][1]), (&0.into(), &1.into()));
    let text = place.ok(&["claims", "theirs"]);
    assert!(text.contains("others match too: 0 configurations of A, 1 configuration of B"), "{text}");
}

/// A normal random number, from twelve uniform ones.
fn normal(rng: &mut SplitMix64) -> f64 {
    (0..12).map(|_| rng.below(1 << 32) as f64 / (1_u64 << 32) as f64).sum::<f64>() - 6.0
}

#[test]
fn noise_does_not_win_agreement_with_a_claim() {
    // The published ratio is 0.5, and the true ratio is 1. The pairs scatter by 5 % to a factor of 3.
    for deviation in [0.05, 0.3, 0.6, 1.1] {
        let mut rng = SplitMix64::new(77);
        let (mut agrees, mut undecided) = (0, 0);
        for _ in 0..1000 {
            let a: Vec<f64> = (0..8).map(|_| (deviation * normal(&mut rng)).exp()).collect();
            let found = paired_ratio(&a, &[1.0; 8]).unwrap();
            let measured = MeasuredRatio { ratio: found.ratio, interval: Some((found.low, found.high)) };
            let claimed = ClaimedRatio::Figure { ratio: 0.5, range: Some((0.4, 0.6)) };
            match judge(claimed, Some(measured), JudgedSizes::Published) {
                Reproduction::Agrees => agrees += 1,
                Reproduction::Undecided => undecided += 1,
                _ => {}
            }
        }
        assert!(agrees <= 10, "{agrees} of 1000 agree, noise {deviation}");
        assert!(deviation < 1.0 || undecided > 600, "{undecided} of 1000 are undecided, noise {deviation}");
    }
}
