//! `dbdyno tune answer`: the result of tuning, in a form that applications use.

use crate::support::Place;
use rusqlite::Connection;

/// Two trials of SQLite. The first is the base of the second.
fn tuned() -> Place {
    let place = Place::new();
    let measure = ["--test", "1", "--size", "1000", "--rounds", "1", "--quiet"];
    let base = ["--engine", "sqlite:temp_store=memory", "--suite", "kv", "journal_mode=wal"];
    place.ok(&[&["tune", "try"], &base[..], &measure].concat());
    place.ok(&["tune", "accept"]);
    let next = ["--from", "last", "transaction=immediate", "--rounds", "1", "--quiet"];
    place.ok(&[&["tune", "try"], &next[..]].concat());
    place
}

#[test]
fn the_statements_set_what_was_measured_and_carry_their_evidence() {
    let place = tuned();
    let text = place.ok(&["tune", "answer", "last"]);
    let connection = Connection::open(place.path("mine.db")).unwrap();
    connection.execute_batch(&text).unwrap();
    let pragma = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), rusqlite::types::Value::from("wal".to_owned()));
    assert_eq!(pragma("temp_store"), rusqlite::types::Value::from(2));
    assert!(text.contains("-- no statement sets transaction=immediate: begin write transactions with BEGIN"), "{text}");
    for evidence in [
        "journal_mode: delete -> wal; tier 2 consistent -> 3 power-safe, which is more: every commit waits",
        "Sequential writes: need >= 7 rounds",
        "transaction: deferred -> immediate",
        "Durability: tier 3 power-safe",
        "Risk of journal_mode=wal: a -wal and a -shm file",
    ] {
        assert!(text.contains(evidence), "{evidence}: {text}");
    }
}

#[test]
fn the_rust_has_the_statements_and_the_engine_can_be_given_to_run() {
    let place = tuned();
    let rust = place.ok(&["tune", "answer", "last", "--format", "rust"]);
    assert!(
        rust.contains(
            "connection.execute_batch(\n    \"PRAGMA temp_store = memory;\n     PRAGMA journal_mode = wal;\",\n)?;"
        ),
        "{rust}"
    );
    let engine = place.ok(&["tune", "answer", "last", "--format", "engine"]);
    let engine = engine.lines().last().unwrap();
    assert_eq!(engine, "sqlite:temp_store=memory,journal_mode=wal,transaction=immediate");
    let plan = place.ok(&["run", "--suite", "kv", "--engine", engine, "--dry-run", "--quiet"]);
    assert!(plan.contains("tier 3 power-safe"), "{plan}");
}

#[test]
fn the_preset_can_be_run_and_measures_base_and_tuned_side_by_side() {
    let place = tuned();
    let file = place.path("config/presets/mine.toml");
    place.ok(&["tune", "answer", "last", "--format", "preset", "--out", file.to_str().unwrap()]);
    let plan = place.ok(&["--preset", "mine", "--dry-run", "--quiet"]);
    assert!(plan.contains("2 configurations x 10 rounds = 20 runs"), "{plan}");
    assert!(plan.contains("sqlite[journal_mode=delete,transaction=deferred]"), "{plan}");
    assert!(plan.contains("sqlite[journal_mode=wal,transaction=immediate]"), "{plan}");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("tests = [1]") && text.contains("sizes = [\"1000\"]"), "{text}");
    // The options of the base are in both.
    assert_eq!(text.matches("\"temp_store\" = \"memory\"").count(), 2, "{text}");
}

#[test]
fn without_a_trial_the_answer_is_what_was_accepted_or_gained_most() {
    let place = tuned();
    let accepted = place.ok(&["tune", "answer"]);
    assert!(accepted.contains("PRAGMA journal_mode = wal;") && !accepted.contains("transaction"), "{accepted}");
    // One round shows nothing.
    let place = Place::new();
    let measure = ["--test", "1", "--size", "1000", "--rounds", "1", "--quiet"];
    place.ok(&[&["tune", "try", "--engine", "sqlite", "--suite", "kv", "journal_mode=wal"], &measure[..]].concat());
    place.refused(&["tune", "answer"], &["no trial in the ledger", "shows a gain", "tune answer last"]);
    let last = place.ok(&["tune", "answer", "last"]);
    assert!(last.contains("This trial shows no gain."), "{last}");
}
