//! Every preset answers a question. Its plan is real, its runs are simulated, and its last table is checked.

use crate::support::Place;
use dbdyno::{
    bench::{BenchPlan, Configuration, PlannedRun, Preset, ReadyMade},
    catalog::{Catalog, UserFolders},
    compare::{ComparedGroups, Comparison, Options, Side},
    engines::Registry,
    session::{SessionComparisons, verdicts_of},
    stats::{Verdict, rounds_needed},
    store::{ComparedTest, RunConfiguration, RunTests},
};
use dbdyno_engine::{protocol::SuiteJob, suite::KvLoad};
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeSet, sync::Arc};
use uuid::Uuid;

/// The tests that end after a time limit.
fn timed(plan: &BenchPlan, configuration: &Configuration) -> BTreeSet<u32> {
    let SuiteJob::Kv(suite) = plan.job(configuration) else { return BTreeSet::new() };
    let is_timed = |load: &KvLoad| matches!(load, KvLoad::Actors(actors) if actors.time_ms.is_some());
    suite.tests.iter().filter(|test| is_timed(&test.load)).map(|test| test.number).collect()
}

/// Simulates the runs of a plan. Each configuration takes 1.5 times as long as the previous one, with noise of 1 %.
fn side(plan: &BenchPlan) -> Side {
    let mut rng = SplitMix64::new(1);
    let configurations: Vec<Arc<RunConfiguration>> =
        plan.configurations.iter().map(|one| configured(plan, one)).collect();
    let labels: Vec<&str> = plan.configurations.iter().map(|one| one.label.as_str()).collect();
    let run = |planned: &PlannedRun| {
        let one = &plan.configurations[planned.configuration];
        let place = labels.iter().position(|label| *label == one.label).unwrap();
        let timed = timed(plan, one);
        let mut time = || 1e6 * (1.0 + 0.5 * place as f64) * (0.99 + 0.02 * (rng.next_u64() as f64 / u64::MAX as f64));
        let measured = plan.suite.tests().filter(|test| plan.pick.has(test.number));
        RunTests {
            run_id: Uuid::from_u128(u128::from(planned.ordinal) + 1),
            session_id: Uuid::from_u128(1 << 64),
            ordinal: planned.ordinal,
            round: planned.round,
            seed: Some(planned.seed),
            status: "done".into(),
            label: one.label.as_str().into(),
            twin_of: None,
            size: one.size.to_string().into(),
            configuration: Arc::clone(&configurations[planned.configuration]),
            asked: Arc::new(one.settings.to_map().into_iter().chain(one.suite_settings.to_map()).collect()),
            peak_memory_bytes: None,
            tests: measured
                .map(|test| ComparedTest {
                    test: test.number,
                    name: test.name.as_str().into(),
                    actor: None,
                    value: Some(time()),
                    timed: timed.contains(&test.number),
                    sliced: false,
                    operations: Some(if timed.contains(&test.number) { u64::from(planned.ordinal) + 1 } else { 1000 }),
                    answer: None,
                    is_verified: true,
                    agrees: None,
                    latencies: None,
                })
                .collect(),
        }
    };
    Side { runs: plan.runs.iter().map(run).collect(), ..Side::default() }
}

fn configured(plan: &BenchPlan, one: &Configuration) -> Arc<RunConfiguration> {
    Arc::new(RunConfiguration {
        engine: one.engine_name().to_owned(),
        version: one.engine.description.version.clone(),
        tier: one.tier.number(),
        tier_evidence: None,
        options: one.settings.to_map(),
        suite: plan.suite.name.clone(),
        suite_options: one.suite_settings.to_map(),
        memory_limit: plan.conditions.memory_limit,
        cache: "warm".to_owned(),
        build: None,
        tier_cap: None,
    })
}

/// Returns the plan of a preset, or the reason why it cannot run here.
fn planned(catalog: &Catalog, registry: &Registry, preset: &Preset) -> Result<BenchPlan, String> {
    let suite = catalog.suite(&preset.spec.suite).unwrap();
    let mut plan = BenchPlan::new(&preset.spec, suite, registry).map_err(|error| error.to_string())?;
    plan.probe().map_err(|error| error.to_string())?;
    Ok(plan)
}

/// Returns the verdicts of a plan's last table.
fn verdicts(plan: &BenchPlan) -> SessionComparisons {
    let mut side = side(plan);
    dbdyno::compare::as_rates([&mut side]);
    let options = Options { allowed: plan.closing.allow.clone(), ..Options::default() };
    verdicts_of(&side, &plan.closing, &options)
}

fn is_decided(side: &Comparison) -> bool {
    let decided = |verdict: Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    !side.lines.is_empty()
        && side.lines.iter().all(|line| line.found.as_ref().is_some_and(|found| decided(found.verdict)))
}

#[test]
fn every_preset_has_as_many_rounds_as_its_tests_need_and_its_last_table_answers() {
    let catalog = Catalog::new(UserFolders { root: "no such folder".into() });
    let registry = Registry::discover();
    let (mut checked, mut missing) = (0, Vec::new());
    for name in catalog.preset_names() {
        let ReadyMade::Bench(preset) = ReadyMade::find(&catalog, &name).unwrap() else { continue };
        let plan = match planned(&catalog, &registry, &preset) {
            Ok(plan) => plan,
            Err(reason) => {
                missing.push(format!("not checked: {name}: {reason}"));
                continue;
            }
        };
        let tests = plan.suite.tests().filter(|test| plan.pick.has(test.number)).count();
        // For a sweep, the effects of options are the answer. For a single engine, drift is.
        if preset.spec.effects || preset.spec.engines.len() == 1 && plan.configurations.len() == 1 {
            continue;
        }
        // What a look leaves undecided gets more.
        let rounds = plan.until_decided.unwrap_or_default().max(plan.rounds) as usize;
        assert!(rounds >= rounds_needed(tests), "{name}: {rounds} rounds of {tests} tests");
        if plan.configurations.iter().map(|one| &one.label).collect::<BTreeSet<_>>().len() == 1 {
            missing.push(format!("not checked: {name}: only {} is here", plan.configurations[0].label));
            continue;
        }
        let SessionComparisons { compared: ComparedGroups { sides, .. }, alone, .. } = verdicts(&plan);
        assert!(!sides.is_empty(), "{name} compares nothing: {alone:?}");
        for side in &sides {
            let lines: Vec<_> = side.lines.iter().map(|line| (&line.name, &line.found, &line.obstacles)).collect();
            assert!(is_decided(side), "{name}: {} against {}: {lines:?}", side.a.selection, side.b.selection);
        }
        checked += 1;
    }
    missing.iter().for_each(|line| eprintln!("{line}"));
    assert!(checked >= 15, "{checked} presets were checked; {missing:?}");
}

#[test]
fn the_reference_and_what_is_allowed_are_those_of_the_preset() {
    let catalog = Catalog::new(UserFolders { root: "no such folder".into() });
    let preset = Preset::find(&catalog, "pragma-quick").unwrap();
    let plan = planned(&catalog, &Registry::discover(), &preset).unwrap();
    let SessionComparisons { compared: ComparedGroups { sides, .. }, alone, .. } = verdicts(&plan);
    assert!(sides.len() == 3 && alone.is_empty());
    assert!(sides.iter().all(|side| side.b.selection.contains("journal_mode=truncate,synchronous=full")));
    let badges = |side: &Comparison| side.lines[0].obstacles.iter().filter(|found| found.allowed).count();
    assert_eq!(sides.iter().map(badges).sum::<usize>(), 2, "those of NORMAL are of another tier");
}

#[test]
fn a_bench_of_timed_tests_ends_in_verdicts_on_rates() {
    let place = Place::new();
    let preset = ["--preset", "contention-quick", "--size", "1000", "--test", "1,3", "--repeat", "6", "--quiet"];
    let said = place.ok(&preset);
    assert!(!said.contains("not comparable") && said.contains("\noperations a second, more is better\n"), "{said}");
    let again = place.ok(&["compare", "--reference", "session=last"]);
    assert!(again.contains("operations a second, more is better"), "{again}");
}

#[test]
fn a_bench_says_what_its_reference_is() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--size", "100", "--test", "1", "--repeat", "1", "--quiet"];
    let engines = ["--engine", "sqlite:synchronous=off|normal", "--engine", "lmdb:sync=nosync"];
    let of = |more: &[&str]| place.run(&[&run[..], &engines, more].concat());
    let said = of(&["--reference", "lmdb", "--allow", "tiers"]).stdout;
    assert!(said.contains("sqlite[synchronous=off]"), "{said}");
    assert!(said.contains("sqlite[synchronous=normal]"), "{said}");
    let later = place.ok(&["compare", "--reference", "session=last"]);
    assert!(
        later.contains("against lmdb") && later.contains("Too few rounds to say which one is fastest"),
        "a session keeps what it was asked for: {later}"
    );
    for (reference, part) in [
        ("redb", "this bench has no engine `redb`: expected lmdb or sqlite"),
        ("sqlite:synchronous=full", "no configuration is `sqlite:synchronous=full`: "),
        ("sqlite:synchronous=off|full", "several values of synchronous"),
    ] {
        let done = of(&["--reference", reference]);
        assert!(done.code == Some(2) && done.stderr.contains(part), "{reference}: {}", done.stderr);
    }
    let done = of(&["--allow", "tier"]);
    assert!(done.stderr.contains("unknown difference `tier`: did you mean `tiers`?"), "{}", done.stderr);
}

/// Returns the error text after the path of a preset.
fn refused(preset: &str) -> String {
    let place = Place::new();
    let path = place.path("config/presets/mine.toml");
    std::fs::write(&path, preset).unwrap();
    let done = place.run(&["--preset", "mine", "--dry-run"]);
    assert_eq!(done.code, Some(2), "{preset}: {}{}", done.stdout, done.stderr);
    let (_, behind) = done.stderr.split_once(&format!("{}:", path.display())).expect(&done.stderr);
    behind.to_owned()
}

#[test]
fn a_preset_that_is_refused_is_refused_with_file_and_line() {
    let preset = |suite: &str, more: &str, engine: &str, options: &str| {
        format!(
            "title = \"t\"\nsuite = \"{suite}\"\n{more}\n[[engine]]\nname = \"{engine}\"\noptions = {{ {options} }}\n"
        )
    };
    for (text, line) in [
        (preset("nosuch", "", "null", ""), 2),
        (preset("kv", "tests = [\"Nothing like it\"]", "null", ""), 3),
        (preset("kv", "sizes = [\"1,2\"]", "null", ""), 3),
        (preset("kv", "suite_options = { nosuch = 1 }", "null", ""), 3),
        (preset("kv", "suite_options = { value_bytes = \"many\" }", "null", ""), 3),
        (preset("kv", "", "nosuch", ""), 5),
        (preset("kv", "", "sqlite", "nosuch = 1"), 6),
        (preset("kv", "", "sqlite", "journal_mode = \"nosuch\""), 6),
        (preset("kv", "repeats = 0", "null", ""), 3),
        (preset("kv", "sizes = [10", "null", ""), 4),
    ] {
        let behind = refused(&text);
        assert!(behind.starts_with(&format!("{line}:")), "{line} of {text}\n{behind}");
    }
}
