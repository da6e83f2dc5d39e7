//! Each reason not to compare is reported, and only its own flag allows the comparison.

use super::fixture::{Bench, CLEAR, Variant, doubts, spec};
use dbdyno::{
    catalog::Difference,
    compare::{Comparison, ObstacleKind, Options},
};
use dbdyno_engine::durability::Tier;

const ALL: [Difference; 7] = Difference::ALL;

fn allowing(differences: &[Difference]) -> Options {
    Options { allowed: differences.iter().copied().collect(), ..Options::default() }
}

/// Asserts that only `difference` allows comparing `a` with `b`, and that a badge then shows it.
#[track_caller]
pub(crate) fn only_allowed_by(difference: Difference, bench: &Bench, says: &str) {
    let stored = bench.stored();
    let compared = |allowed: &[Difference]| stored.compared("engine=x", "engine=y", &allowing(allowed));
    let others: Vec<Difference> = ALL.into_iter().filter(|other| *other != difference).collect();
    for allowed in [&[][..], &others] {
        let found = compared(allowed);
        let against = |line: &dbdyno::compare::Line| line.obstacles.iter().any(|one| one.message.contains(says));
        assert!(found.lines.iter().all(|line| line.found.is_none()), "{allowed:?}: {found:?}");
        let sizes = difference == Difference::Sizes;
        assert!(sizes || found.lines.iter().all(against), "{:?}", found.lines[0].obstacles);
    }
    let found = compared(&[difference]);
    let line = &found.lines[0];
    assert!(line.found.is_some(), "{:?}", line.obstacles);
    let badge = &line.obstacles[0];
    assert!(badge.allowed && badge.kind == ObstacleKind::Differ(difference), "{badge:?}");
    assert!(badge.message.contains(says), "{badge:?}");
}

#[test]
fn tiers() {
    let mut bench = Bench::default();
    bench.pairs(&Variant { tier: Tier::Consistent, ..spec("x") }, &spec("y"), &CLEAR);
    only_allowed_by(Difference::Tiers, &bench, "A is tier 2 consistent, B is tier 3 power-safe");
}

#[test]
fn a_tier_that_is_unknown_is_equal_to_none() {
    for known in [Tier::Unsafe, Tier::PowerSafe] {
        let mut bench = Bench::default();
        bench.pairs(&Variant { tier: Tier::Unknown, ..spec("x") }, &Variant { tier: known, ..spec("y") }, &CLEAR);
        let says = format!("commits may not be equally durable: A is tier unknown, B is tier {known}");
        only_allowed_by(Difference::Tiers, &bench, &says);
    }
}

#[test]
fn tiers_that_are_unknown_on_both_sides_are_compared_with_a_warning() {
    let mut bench = Bench::default();
    let unknown = |engine| Variant { tier: Tier::Unknown, ..spec(engine) };
    bench.pairs(&unknown("x"), &unknown("y"), &CLEAR);
    let found = bench.compared("engine=x", "engine=y", &Options::default());
    assert!(found.lines[0].found.is_some(), "{:?}", found.lines[0].obstacles);
    let says = "durability is unknown: x, y may not be equally durable";
    assert!(doubts(&found).iter().any(|warning| warning == says), "{:?}", doubts(&found));
    let stored = bench.stored();
    assert!(stored.compared("tier=unknown engine=x", "tier! engine=y", &Options::default()).lines[0].found.is_some());
    assert!(
        stored
            .compared("tier>=0 engine=x", "engine=y", &Options::default())
            .lines
            .iter()
            .all(|line| line.found.is_none())
    );
}

#[test]
fn hosts() {
    let mut bench = Bench::default();
    let (here, there) = (bench.session("here"), bench.session("there"));
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&here, round, &spec("x"), &[a * 1000]);
        bench.run(&there, round, &spec("y"), &[b * 1000]);
    }
    only_allowed_by(Difference::Hosts, &bench, "hosts or disks differ: A ran on here");
}

#[test]
fn disks_of_one_host() {
    let mut bench = Bench::default();
    let (disk, memory) = (bench.session("here"), bench.session("here"));
    bench.batch.sessions[1].file_system = Some("tmpfs".to_owned());
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&disk, round, &spec("x"), &[a * 1000]);
        bench.run(&memory, round, &spec("y"), &[b * 1000]);
    }
    only_allowed_by(Difference::Hosts, &bench, "tmpfs");
}

#[test]
fn sizes() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &Variant { size: "2000", ..spec("y") }, &CLEAR);
    only_allowed_by(Difference::Sizes, &bench, "A ran at 1000, B at 2000");
    let apart = bench.compared("engine=x", "engine=y", &Options::default());
    let kinds: Vec<ObstacleKind> = apart.lines.iter().map(|line| line.obstacles[0].kind).collect();
    assert_eq!(kinds, [ObstacleKind::OneSide, ObstacleKind::OneSide]);
}

#[test]
fn suites() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &Variant { suite: "other", ..spec("y") }, &CLEAR);
    only_allowed_by(Difference::Suites, &bench, "A ran kv, B ran other");
}

#[test]
fn different_work_under_one_name() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &Variant { operations: 500, ..spec("y") }, &CLEAR);
    only_allowed_by(Difference::Suites, &bench, "A did 1,000 operations, B did 500 operations");
}

#[test]
fn suite_options() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &Variant { suite_options: vec![("bulk_batch", "100")], ..spec("y") }, &CLEAR);
    only_allowed_by(Difference::SuiteOptions, &bench, "bulk_batch is all in A, 100 in B");
}

/// Asserts that these runs are not compared, even if everything is allowed.
#[track_caller]
fn never(bench: &Bench, a: &str, b: &str, kind: ObstacleKind, says: &str) -> Comparison {
    let found = bench.compared(a, b, &allowing(&ALL));
    let line = &found.lines[0];
    assert!(line.found.is_none());
    let obstacle = line.obstacles.iter().find(|one| one.kind == kind).unwrap();
    assert!(!obstacle.allowed && obstacle.message.contains(says), "{obstacle:?}");
    found
}

#[test]
fn failed_verification_is_never_compared() {
    let mut bench = Bench::default();
    bench.pairs(&Variant { agrees: Some(false), ..spec("x") }, &spec("y"), &CLEAR);
    let says = "8 of 8 runs of A gave answers that differ from other engines";
    never(&bench, "engine=x", "engine=y", ObstacleKind::FailedVerification, says);
}

#[test]
fn answers_that_differ_at_the_same_seed_are_never_compared() {
    let mut bench = Bench::default();
    bench.pairs(&Variant { answer: |_| Some("else".to_owned()), ..spec("x") }, &spec("y"), &CLEAR);
    let says = "different answers to the same inputs, in 8 of 8 runs";
    never(&bench, "engine=x", "engine=y", ObstacleKind::FailedVerification, says);
}

#[test]
fn answers_to_other_inputs_may_differ_and_missing_ones_are_said() {
    let mut bench = Bench::default();
    let silent = Variant { answer: |_| None, agrees: None, ..spec("x") };
    bench.pairs(&silent, &spec("y"), &CLEAR);
    let found = bench.compared("engine=x", "engine=y", &Options::default());
    assert!(found.lines[0].found.is_some());
    let badge = &found.lines[0].obstacles[0];
    assert!(badge.allowed && badge.kind == ObstacleKind::NotVerified, "{badge:?}");
    assert_eq!(badge.message, "not verified: answers of A were not checked against anything");
}

#[test]
fn a_sweep_is_no_configuration_and_the_message_tells_how_to_narrow_it() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for value in ["full", "off"] {
            bench.run(&session, round, &Variant { options: vec![("sync", value)], ..spec("x") }, &[a * 1000]);
        }
        bench.run(&session, round, &spec("y"), &[b * 1000]);
    }
    let says = "A has 2 configurations, which differ in sync (full | off): narrow A, for example with sync=full";
    let found = never(&bench, "engine=x", "engine=y", ObstacleKind::SeveralConfigurations, says);
    assert!(found.lines[0].a.is_none(), "the median of a mixture is no figure");
    let narrowed = bench.compared("engine=x sync=full", "engine=y", &Options::default());
    assert!(narrowed.lines[0].found.is_some());
}

#[test]
fn several_engines_on_a_side_are_told_by_their_engine_alone() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &Variant { version: "2", options: vec![("cache", "1")], ..spec("y") }, &CLEAR);
    bench.pairs(&spec("z"), &spec("z"), &CLEAR);
    let says = "A has 2 configurations, which differ in engine (x | y): narrow A, for example with engine=x";
    never(&bench, "engine=x|y", "engine=z", ObstacleKind::SeveralConfigurations, says);
}

#[test]
fn a_run_is_not_compared_with_itself() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    never(&bench, "engine=x", "size=1000 engine=x", ObstacleKind::SharedRuns, "8 runs are in both A and B");
}

#[test]
fn a_time_of_zero_has_no_ratio() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &[(0, 10), (0, 10), (0, 10), (1, 10), (1, 10), (1, 10)]);
    never(&bench, "engine=x", "engine=y", ObstacleKind::NoRatio, "no ratio: ");
}

#[test]
fn memory_limits() {
    let mut bench = Bench::default();
    bench.pairs(&Variant { memory_limit: Some(64 << 20), ..spec("x") }, &spec("y"), &CLEAR);
    only_allowed_by(Difference::Memory, &bench, "A had 64.0 MiB, B had no limit");
}

#[test]
fn cold_and_warm_starts() {
    let mut bench = Bench::default();
    bench.pairs(&Variant { cold: true, ..spec("x") }, &spec("y"), &CLEAR);
    only_allowed_by(Difference::Caches, &bench, "tests of A began cold, of B warm");
}
