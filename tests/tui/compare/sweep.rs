//! A sweep ends in an answer.

use super::{Journey, over};
use crate::compare::fixture::{Bench, Variant, spec};
use dbdyno::tui::{Message, keys::KeyPress};
use dbdyno_engine::durability::Tier;

/// A grid of `sync` and `cache` in eight rounds. `sync=off` is three times as fast as `full`. A cache of 9 is ten percent faster than a
/// cache of 1, and a cache of 3 is faster by less than the noise.
fn grid(options: &[&'static str]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        for (sync, tier, of_sync) in [("full", Tier::PowerSafe, 3), ("off", Tier::ProcessSafe, 1)] {
            for (cache, of_cache) in [("1", 1000), ("3", 993), ("9", 900)] {
                let all = [("cache", cache), ("sync", sync), ("mode", "a")];
                let options = all.into_iter().filter(|(name, _)| options.contains(name)).collect();
                let label = format!("x[sync={sync},cache={cache}]");
                let variant = Variant { options, label, tier, ..spec("x") };
                let about = |step: u64| of_sync * of_cache * (1_000 + u64::from(round) * step % 7);
                bench.run(&session, round, &variant, &[about(3), about(2)]);
            }
        }
    }
    bench
}

fn lines(journey: &Journey, part: &str) -> Vec<String> {
    journey.screen().lines().filter(|line| line.contains(part)).map(str::to_owned).collect()
}

#[test]
fn configurations_are_ranked_within_tiers_beside_the_first() {
    let mut journey = over(&grid(&["cache", "sync", "mode"]), 80, 24);
    journey.keys("C").shows("‹matrix›").keys("v").shows("‹sweep›").shows("6 configurations of cache x sync");
    journey.shows("ranked by ‹all tests, geometric mean · size 1000›").shows("tier 3 power-safe · 3 configurations");
    journey.shows("! another tier than the base").shows("the base");
    let ranked = lines(&journey, " sync=");
    assert_eq!(ranked.len(), 6, "{}", journey.screen());
    for (line, (what, ratio)) in ranked.iter().zip([
        ("cache=9 sync=full", "0.90"),
        ("cache=3 sync=full", "0.99"),
        ("cache=1 sync=full", "1.00"),
        ("cache=9 sync=off", "0.30"),
        ("cache=3 sync=off", "0.33"),
        ("cache=1 sync=off", "0.33"),
    ]) {
        assert!(line.contains(what) && line.contains(ratio), "{what} {ratio}: {line}");
    }
    // A single test has verdicts.
    journey.keys("l").shows("ranked by ‹1 Writes · size 1000›").shows("0.90 ▼").shows("0.30 ▼").shows("0.99 =");
    let screen = journey.screen();
    assert!(!screen.lines().skip(1).any(|line| line.chars().count() > 80), "{screen}");
}

#[test]
fn two_options_make_a_map_and_each_has_its_share() {
    let mut journey = over(&grid(&["cache", "sync", "mode"]), 80, 24);
    journey.keys("C").keys("v").shows("cache \\ sync").shows("█ 0.30").shows("share of the variance");
    let shares = lines(&journey, "%  sync");
    assert!(shares.len() == 1 && shares[0].contains("99 %"), "{}", journey.screen());
    journey.keys("n").shows("99 % of the variance").key(KeyPress::Esc);
    journey.message(Message::Resized(120, 40));
    journey.shows("cache \\ sync").shows("interactions and noise");
    let mut engines = Bench::default();
    let session = engines.session("here");
    for round in 0..6 {
        for (engine, time) in [("x", 1_000_000), ("y", 2_000_000), ("z", 3_000_000)] {
            engines.run(&session, round, &spec(engine), &[time + u64::from(round)]);
        }
    }
    let mut no_sweep = over(&engines, 80, 24);
    no_sweep.keys("C").hides("sweep").keys("v").shows("‹table›");
}

#[test]
fn any_pair_of_a_sweep_is_one_key_away() {
    let mut journey = over(&grid(&["cache", "sync", "mode"]), 80, 24);
    journey.keys("C").keys("vl").key(KeyPress::End).key(KeyPress::Enter).shows("‹table›");
    journey.shows("! compared although tiers differ").shows("x[sync=off,cache=1]").shows("3.0x faster [1]");
    journey
        .key(KeyPress::Esc)
        .shows("‹sweep›")
        .keys("C")
        .shows("‹matrix›")
        .shows("tiers are apart: o compares across them")
        .keys("v")
        .shows("‹sweep›");
    journey
        .key(KeyPress::Home)
        .keys("x")
        .shows("A is x[sync=full,cache=9], B is x[sync=full,cache=1]")
        .key(KeyPress::Esc);
    let path = journey.place().path("out.csv");
    journey.keys("e").answer(path.to_str().unwrap());
    assert!(std::fs::read_to_string(&path).unwrap().lines().count() > 10);
    // Without a sweep there is no such view.
    journey.keys("v").shows("‹table›");
}
