//! Sides with several configurations: dbdyno compares configurations with equal values in the options that both have.

use super::fixture::{Bench, CLEAR, Variant, doubts, spec};
use crate::support::Place;
use dbdyno::{
    catalog::Difference,
    compare::{Comparison, Gate, ObstacleKind, OpenReason, Options, Part, Several, compare, gate},
    store::Store,
};
use dbdyno_engine::durability::Tier;
use std::collections::BTreeSet;

fn matched() -> Options {
    Options { several: Several::Matched, ..Options::default() }
}

fn with(engine: &'static str, options: &[(&'static str, &'static str)]) -> Variant {
    Variant { label: format!("{engine} {options:?}"), options: options.to_vec(), ..spec(engine) }
}

/// A session of eight rounds of these runs, each with its time in µs. The times vary slightly between rounds.
fn session(bench: &mut Bench, runs: &[(Variant, u64)]) -> String {
    let session = bench.session("here");
    for (round, (noise, other)) in (0..).zip(CLEAR) {
        for (at, (variant, time)) in runs.iter().enumerate() {
            let noise = if at % 2 == 0 { noise } else { 1000 + other % 20 };
            bench.run(&session, round, variant, &[time * noise]);
        }
    }
    session
}

/// The part and the ratio of each line.
fn found(comparison: &Comparison) -> Vec<(String, f64)> {
    let part = |part: &Part| part.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    let ratio = |found: f64| (found * 10.0).round() / 10.0;
    let lines = comparison.lines.iter();
    lines
        .map(|line| {
            (format!("{} {}", part(&line.part), line.size), line.found.as_ref().map_or(0.0, |found| ratio(found.ratio)))
        })
        .collect()
}

fn rowsums(bench: &mut Bench) {
    let sized = |engine, rowsum, size| Variant { size, ..with(engine, &[("rowsum", rowsum)]) };
    for (size, factor) in [("1000", 1), ("2000", 2)] {
        session(
            bench,
            &[
                (sized("x", "off", size), 100 * factor),
                (sized("y", "off", size), 200 * factor),
                (sized("x", "on", size), 300),
                (sized("y", "on", size), 100),
            ],
        );
    }
}

#[test]
fn configurations_that_agree_in_what_both_sides_have_are_compared_in_blocks() {
    let mut bench = Bench::default();
    rowsums(&mut bench);
    let comparison = bench.compared("engine=x", "engine=y", &Options { by_size: true, ..matched() });
    let expected =
        [("rowsum=off 1000", 0.5), ("rowsum=off 2000", 0.5), ("rowsum=on 1000", 3.0), ("rowsum=on 2000", 3.0)];
    assert_eq!(found(&comparison), expected.map(|(part, ratio)| (part.to_owned(), ratio)));
    assert!(comparison.unmatched.is_empty());
    let by_size = comparison.by_size.unwrap();
    assert_eq!(by_size.iter().map(|test| test.sizes.len()).collect::<Vec<_>>(), [2, 2], "a row a block");
    // sqrt(0.5 * 3): each line counts once.
    let overall = comparison.overall.unwrap();
    assert_eq!(overall.lines, 4);
    assert!((overall.ratio / 1.5_f64.sqrt() - 1.0).abs() < 0.02, "{overall:?}");
    // The two sizes ran in two sessions, so no round has all lines.
    assert_eq!(overall.interval, None);
    let withheld = bench.compared("engine=x", "engine=y", &Options::default());
    assert!(withheld.lines.iter().all(|line| line.obstacles[0].kind == ObstacleKind::SeveralConfigurations));
}

#[test]
fn the_mean_of_all_lines_has_an_interval_where_rounds_have_them_all() {
    let mut bench = Bench::default();
    let of = |engine, rowsum| with(engine, &[("rowsum", rowsum)]);
    session(&mut bench, &[(of("x", "off"), 100), (of("y", "off"), 200), (of("x", "on"), 300), (of("y", "on"), 100)]);
    let overall = bench.compared("engine=x", "engine=y", &matched()).overall.unwrap();
    let interval = overall.interval.unwrap();
    assert!(interval.low < 1.5_f64.sqrt() && interval.high > 1.5_f64.sqrt() * 0.98, "{overall:?}");
    let one = bench.compared("engine=x rowsum=on", "engine=y rowsum=on", &matched());
    assert_eq!(one.overall, None, "that of the only size says it already");
}

#[test]
fn an_option_that_one_side_alone_has_parts_that_side() {
    let mut bench = Bench::default();
    let runs = [
        (with("x", &[("sync", "full")]), 100),
        (with("y", &[("durable", "yes")]), 200),
        (with("x", &[("sync", "off")]), 50),
    ];
    session(&mut bench, &runs);
    let comparison = bench.compared("engine=x", "engine=y", &matched());
    assert_eq!(found(&comparison), [("sync=full 1000".to_owned(), 0.5), ("sync=off 1000".to_owned(), 0.2)]);
    let turned = bench.compared("engine=y", "engine=x", &matched());
    assert_eq!(found(&turned), [("sync=full 1000".to_owned(), 2.0), ("sync=off 1000".to_owned(), 4.0)]);
}

#[test]
fn values_that_only_differ_between_the_sides_are_what_is_compared() {
    let mut bench = Bench::default();
    let of = |sync, cache| with("x", &[("sync", sync), ("cache_size", cache)]);
    let runs = [(of("full", "1"), 100), (of("off", "1"), 50), (of("full", "2"), 200), (of("off", "2"), 50)];
    session(&mut bench, &runs);
    let comparison = bench.compared("sync=full", "sync=off", &matched());
    assert_eq!(found(&comparison), [("cache_size=1 1000".to_owned(), 2.0), ("cache_size=2 1000".to_owned(), 4.0)]);
}

#[test]
fn what_has_no_partner_is_one_line_that_names_the_option() {
    let mut bench = Bench::default();
    let of = |engine, cache| with(engine, &[("cache_size", cache)]);
    let runs =
        [(of("x", "1"), 100), (of("y", "2"), 100), (of("x", "2"), 200), (of("y", "3"), 100), (of("x", "4"), 100)];
    session(&mut bench, &runs);
    let comparison = bench.compared("engine=x", "engine=y", &matched());
    assert_eq!(found(&comparison), [("cache_size=2 1000".to_owned(), 2.0)]);
    assert_eq!(
        comparison.unmatched,
        ["only A has cache_size=1 | 4 (16 runs), B has 2 | 3", "only B has cache_size=3 (8 runs), A has 1 | 2 | 4"]
    );
    let Gate::Slower(_) = gate(&comparison, 0.05) else { panic!("cache_size=2 is slower") };
    let faster = bench.compared("engine=y", "engine=x", &matched());
    let Gate::Undecided(open) = gate(&faster, 0.05) else { panic!("what was not compared is not passed") };
    assert_eq!(open.iter().map(|test| test.reason).collect::<BTreeSet<_>>(), BTreeSet::from([OpenReason::OneSide]));
}

#[test]
fn a_size_that_one_side_alone_has_is_said_once() {
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    let session = bench.session("here");
    bench.run(&session, 0, &Variant { size: "5000", ..spec("x") }, &[1, 2, 3]);
    let comparison = bench.compared("engine=x", "engine=y", &matched());
    let messages: BTreeSet<&str> =
        comparison.lines.iter().flat_map(|line| &line.obstacles).map(|obstacle| obstacle.message.as_str()).collect();
    assert_eq!(messages, BTreeSet::from(["only A has size 5000"]));
}

#[test]
fn engines_of_both_sides_are_matched_although_their_versions_moved() {
    let mut bench = Bench::default();
    let of = |engine, version, mode| Variant { version, ..with(engine, &[("mode", mode)]) };
    let then = session(&mut bench, &[(of("x", "1", "a"), 100), (of("x", "1", "b"), 200), (of("y", "7", "a"), 300)]);
    let now = session(&mut bench, &[(of("x", "2", "a"), 50), (of("x", "2", "b"), 200), (of("y", "7", "a"), 900)]);
    let comparison = bench.compared(&format!("session={now}"), &format!("session={then}"), &matched());
    let expected = [("engine=x mode=a 1000", 0.5), ("engine=x mode=b 1000", 1.0), ("engine=y mode=a 1000", 3.0)];
    assert_eq!(found(&comparison), expected.map(|(part, ratio)| (part.to_owned(), ratio)));
}

#[test]
fn what_follows_from_the_size_parts_nothing() {
    let mut bench = Bench::default();
    let of = |size, map| Variant { size, ..with("x", &[("map_size", map)]) };
    session(&mut bench, &[(of("1000", "10"), 100), (spec("y"), 200)]);
    session(&mut bench, &[(of("2000", "20"), 100), (Variant { size: "2000", ..spec("y") }, 200)]);
    let comparison = bench.compared("engine=x", "engine=y", &matched());
    assert_eq!(found(&comparison), [(" 1000".to_owned(), 0.5), (" 2000".to_owned(), 0.5)]);
}

#[test]
fn pooled_values_are_one_line_that_says_so() {
    let mut bench = Bench::default();
    rowsums(&mut bench);
    let pooled = |name: &str| Options { pooled: BTreeSet::from([name.to_owned()]), ..matched() };
    let comparison = bench.compared("engine=x size=1000", "engine=y size=1000", &pooled("rowsum"));
    assert_eq!(comparison.lines.len(), 1);
    let line = &comparison.lines[0];
    let (a, found) = (line.a.as_ref().unwrap(), line.found.as_ref().unwrap());
    assert_eq!((a.values.len(), found.paired), (16, true), "off beside off, on beside on");
    let says = "runs are pooled despite different rowsum (off | on)";
    assert!(doubts(&comparison).iter().any(|warning| warning == says), "{:?}", doubts(&comparison));

    let mut bench = Bench::default();
    let runs = [
        (with("x", &[("sync", "full")]), 100),
        (with("y", &[("durable", "yes")]), 200),
        (with("x", &[("sync", "off")]), 50),
    ];
    session(&mut bench, &runs);
    let comparison = bench.compared("engine=x", "engine=y", &pooled("sync"));
    let line = &comparison.lines[0];
    let (a, b) = (line.a.as_ref().unwrap(), line.b.as_ref().unwrap());
    assert_eq!((a.values.len(), b.values.len()), (16, 8), "a pair would leave out half of them");
    assert!(!line.found.as_ref().unwrap().paired);
}

#[test]
fn a_tier_that_differs_is_no_reason_to_leave_a_configuration_out() {
    let mut bench = Bench::default();
    let of = |sync, tier| Variant { tier, ..with("x", &[("sync", sync)]) };
    let runs = [
        (of("full", Tier::PowerSafe), 100),
        (with("y", &[("durable", "yes")]), 200),
        (of("off", Tier::ProcessSafe), 50),
    ];
    session(&mut bench, &runs);
    let comparison = bench.compared("engine=x", "engine=y", &matched());
    assert_eq!(found(&comparison), [("sync=full 1000".to_owned(), 0.5), ("sync=off 1000".to_owned(), 0.0)]);
    let kind = &comparison.lines[1].obstacles[0].kind;
    assert_eq!(*kind, ObstacleKind::Differ(Difference::Tiers), "which can be allowed");
    let allowed = BTreeSet::from([Difference::Tiers]);
    let pooled = Options { allowed, pooled: BTreeSet::from(["sync".to_owned()]), ..matched() };
    assert_eq!(bench.compared("engine=x", "engine=y", &pooled).lines.len(), 1);
}

#[test]
fn many_that_cannot_agree_on_either_side_are_not_all_compared_with_all() {
    let mut bench = Bench::default();
    let here = bench.session("here");
    const CACHES: [&str; 20] =
        ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"];
    for (at, cache) in CACHES.into_iter().enumerate() {
        bench.run(&here, 0, &with(if at % 2 == 0 { "x" } else { "y" }, &[("cache_size", cache)]), &[1000]);
    }
    let stored = bench.stored();
    let (a, b) = (stored.side("engine=x"), stored.side("engine=y"));
    let comparison = compare(&a, &b, &matched());
    assert_eq!(comparison.lines.len(), 1);
    assert!(comparison.lines[0].found.is_none());
}

#[test]
fn the_command_matches_pools_and_says_what_the_sides_have_in_common_once() {
    let place = Place::new();
    let mut bench = Bench::default();
    rowsums(&mut bench);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let text = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y"]);
    for says in ["size 1000 · rowsum=off", "size 2000 · rowsum=on", "over sizes:", "geometric mean of all 4 lines"] {
        assert!(text.contains(says), "{says} in\n{text}");
    }
    assert_eq!(text.matches("bulk_batch=all").count(), 1, "{text}");
    assert!(text.contains("A x | x on kv") || text.contains("rowsum=off|on"), "{text}");
    let pooled = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y", "--pool", "rowsum"]);
    assert!(pooled.contains("!  runs are pooled despite different rowsum (off | on)"), "{pooled}");
    let percent = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y", "--percent"]);
    assert!(percent.contains("x to y") && percent.contains("-50 %") && percent.contains("x faster"), "{percent}");
    assert!(!percent.contains("x 2.0x faster"), "{percent}");
    let markdown = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y", "--percent", "--format", "markdown"]);
    assert!(markdown.contains("-50 %"), "{markdown}");
    let several = place.ok(&["compare", "--reference", "engine=y rowsum=on", "--with", "engine=x", "--percent"]);
    for rowsum in ["off", "on"] {
        assert!(several.contains(&format!("label=x [(\"rowsum\", \"{rowsum}\")]")), "each of x beside it: {several}");
    }
}

#[test]
fn options_of_a_side_with_several_engines_are_those_of_each_engine() {
    let place = Place::new();
    let mut bench = Bench::default();
    let runs = [("x", "sync"), ("y", "journal"), ("z", "flush")]
        .map(|(engine, option)| (with(engine, &[(option, "full")]), 100));
    session(&mut bench, &runs);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let text = place.ok(&["compare", "--a", "engine=x", "--b", "engine=y|z"]);
    let line =
        |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} in\n{text}"));
    assert!(line("B y ").contains("journal=full") && !line("B y ").contains("flush"), "{text}");
    assert!(line("B z ").contains("flush=full") && !text.contains("=none"), "{text}");
}
