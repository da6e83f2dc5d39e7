//! Tests that are followed over time: their stored seconds, and the report on them.

use crate::support::Place;
use dbdyno::{
    soak::{NoDrift, Soak},
    stats::{Drift, NoAnswer, drift},
    store::{ActorSlotRecord, Blob, FollowedTest, ReadingRecord},
};
use dbdyno_workload::{
    histogram::{empty, to_bytes},
    rng::SplitMix64,
};
use serde::Deserialize;
use std::fs;

#[derive(Deserialize)]
struct DriftRow {
    places: Vec<f64>,
    figures: Vec<f64>,
    drift: [f64; 3],
}

#[test]
fn drifts_agree_with_scipy() {
    let path = format!("{}/crates/stats/tests/tables/drift.json", env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<DriftRow> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(rows.len(), 18);
    for DriftRow { places, figures, drift: [change, low, high] } in rows {
        let found = drift(&places, &figures).unwrap();
        for (got, want) in [(found.change, change), (found.low, low), (found.high, high)] {
            assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "got {got}, want {want}");
        }
    }
    assert_eq!(drift(&[0.5; 5], &[1.0; 5]).unwrap_err(), NoAnswer::TooFew { have: 5, need: 6 });
}

/// One second of an actor with this many operations of this latency, in ns. One operation in fifty takes a hundred times as long.
fn slot(actor: &str, second: u64, operations: u64, latency: f64) -> ActorSlotRecord {
    let mut latencies = empty();
    latencies.record_n(latency as u64, operations - operations / 50).unwrap();
    latencies.record_n((latency * 100.0) as u64, operations / 50).unwrap();
    ActorSlotRecord {
        run_id: String::new(),
        test: 1,
        actor: actor.to_owned(),
        at_ns: (second + 1) * 1_000_000_000,
        duration_ns: 1_000_000_000,
        operations,
        busy: 0,
        backlog: Some(0),
        held: None,
        p99_ns: None,
        histogram: Some(Blob(to_bytes(&latencies))),
    }
}

/// A normal random number, from twelve uniform ones.
fn normal(rng: &mut SplitMix64) -> f64 {
    (0..12).map(|_| rng.below(1 << 32) as f64 / (1_u64 << 32) as f64).sum::<f64>() - 6.0
}

/// Ten minutes in which each second depends on the previous ones, and latencies grow by `change` in total.
fn ten_minutes(change: f64, rng: &mut SplitMix64) -> FollowedTest {
    let mut state = 0.0;
    let mut second = |second: u64| {
        state = 0.8 * state + 0.1 * normal(rng);
        let drift = (second as f64 / 600.0) * (1.0 + change).ln();
        slot("writer", second, 1_000, (10_000.0 * (state + drift).exp()).round())
    };
    FollowedTest { slots: (0..600).map(&mut second).collect(), ..FollowedTest::default() }
}

#[test]
fn seconds_that_know_of_each_other_do_not_make_the_interval_too_narrow() {
    let mut rng = SplitMix64::new(13);
    for change in [0.0, 0.5] {
        let drifts: Vec<Drift> =
            (0..120).map(|_| Soak::new(&ten_minutes(change, &mut rng)).actors[0].drift.unwrap()).collect();
        let held = drifts.iter().filter(|drift| drift.low <= change && change <= drift.high).count();
        assert!((107..=119).contains(&held), "{held} of 120 intervals hold a change of {change}");
        if change > 0.0 {
            let shown = drifts.iter().filter(|drift| drift.low > 0.0).count();
            assert!(shown > 100, "{shown} of 120 are shown to rise");
        }
    }
}

#[test]
fn stalls_and_space_are_told_apart_from_noise() {
    let mut slots: Vec<ActorSlotRecord> = (0..120)
        .map(|second| slot("writer", second, if (40..43).contains(&second) || second == 90 { 60 } else { 1_000 }, 1e4))
        .collect();
    slots.extend((20..30).map(|second| ActorSlotRecord {
        held: Some(1),
        histogram: None,
        ..slot("holder", second, 0, 1e4)
    }));
    let reading = |second: u64, name: &str, value: u64| ReadingRecord {
        run_id: String::new(),
        test: 1,
        at_ns: (second + 1) * 1_000_000_000,
        name: name.to_owned(),
        value,
    };
    // While the snapshot is held, the log grows by a MiB a second. Then it is emptied. The database keeps its size.
    let log = |second: u64| if (20..30).contains(&second) { (second - 19) << 20 } else { 4096 };
    let database = |second: u64| (10 << 20) + if second < 20 { 0 } else { 5 << 20 };
    let mut readings: Vec<ReadingRecord> = Vec::new();
    for second in 0..120 {
        readings.push(reading(second, "side_bytes", log(second)));
        readings.push(reading(second, "database_bytes", log(second) + database(second)));
    }
    let soak = Soak::new(&FollowedTest { slots, readings, ..FollowedTest::default() });
    let writer = &soak.actors[0];
    let stalls: Vec<(u64, u64)> =
        writer.stalls.iter().map(|stall| (stall.from_ns / 1_000_000_000, stall.duration_ns / 1_000_000_000)).collect();
    assert_eq!(stalls, [(40, 3), (90, 1)]);
    assert_eq!((soak.actors.len(), writer.seconds, writer.median), (1, 120, 1_000.0));
    let [held] = &soak.held[..] else { panic!("{:?}", soak.held) };
    assert_eq!((held.from_ns, held.until_ns), (20_000_000_000, 30_000_000_000));
    let (all, side) = (held.all.unwrap(), held.side.unwrap());
    assert_eq!((side.before, side.most, side.after), (4096, 10 << 20, 4096));
    assert!(side.grew() && side.came_back());
    assert!(all.grew() && !all.came_back(), "{all:?}");
    let short = FollowedTest {
        slots: (0..5).map(|second| slot("writer", second, 100, 1e4)).collect(),
        ..FollowedTest::default()
    };
    assert_eq!(Soak::new(&short).actors[0].drift, Err(NoDrift::TooShort));
}

#[test]
fn a_held_snapshot_keeps_sqlites_log_and_that_is_stored_and_said() {
    let place = Place::new();
    let done = place.ok(&[
        "run",
        "--suite",
        "soak",
        "--engine",
        "sqlite:journal_mode=wal,synchronous=off",
        "--size",
        "1000",
        "--repeat",
        "1",
        "--set",
        "soak.seconds=10",
        "--test",
        "2",
        "--quiet",
    ]);
    for said in [
        "2 Steady load · sqlite",
        "second by second for",
        "snapshot held from 0:0",
        "too short to show a drift of its p99",
    ] {
        assert!(done.contains(said), "{said}: {done}");
    }
    assert_eq!(place.value("SELECT verification FROM results WHERE actor IS NULL AND test = 2"), "invariants:held");
    let slots = place.rows(
        "SELECT actor, count(*) BETWEEN 8 AND 10, sum(operations) > 500 FROM actor_slot WHERE actor IN ('writer', 'readers') GROUP BY ALL ORDER BY 1",
    );
    assert_eq!(slots, [["readers", "true", "true"], ["writer", "true", "true"]]);
    // A checkpoint must not overwrite the pages that a snapshot needs. While the snapshot is held, more than 500 frames of the log are not
    // checkpointed; before it, fewer than 100.
    let frames = place.rows(
        "WITH log AS (PIVOT reading ON name IN ('log_frames', 'checkpointed_frames') USING first(value) GROUP BY at_ns)
         SELECT max(log_frames - checkpointed_frames) FILTER (at_ns < 2e9) < 100,
                max(log_frames - checkpointed_frames) FILTER (at_ns BETWEEN 3e9 AND 4.8e9) > 500 FROM log",
    );
    assert_eq!(frames, [["true", "true"]]);
    let bytes = "SELECT count(DISTINCT name) FROM reading WHERE name IN ('database_bytes', 'side_bytes', 'rss_bytes', 'written_bytes')";
    assert_eq!(place.value(bytes), "4");
}

#[test]
fn the_space_that_a_held_snapshot_costs_is_part_of_the_plan() {
    let place = Place::new();
    let plan = |seconds: &str| {
        let set = format!("soak.seconds={seconds}");
        let run = ["run", "--suite", "soak", "--engine", "lmdb", "--repeat", "1", "--dry-run", "--set", &set];
        place.ok(&run)
    };
    // Held for 180 s and for 90 s, with 1,000 and 2,000 transactions a second.
    assert!(plan("600").contains("up to 9.6"), "{}", plan("600"));
    assert!(plan("10").contains(" MiB on disk"), "{}", plan("10"));
}

#[test]
fn an_engine_whose_snapshot_moves_is_caught() {
    let place = Place::new();
    let suite = include_str!("../suites/soak.toml")
        .replace("name = \"soak\"", "name = \"moves\"")
        .replace("seconds = \"seconds\"", "seconds = 1");
    fs::write(place.path("config/suites/moves.toml"), suite).unwrap();
    let done = place.run(&[
        "run",
        "--suite",
        "moves",
        "--engine",
        "null:answers=torn",
        "--size",
        "1000",
        "--repeat",
        "1",
        "--quiet",
    ]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let found = place.value("SELECT verification FROM results WHERE test = 2 AND actor IS NULL");
    assert!(
        found.starts_with("invariants:a held snapshot had") || found.starts_with("invariants:an audit found"),
        "{found}"
    );
}
