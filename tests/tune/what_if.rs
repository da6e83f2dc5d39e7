//! `dbdyno tune try`, from the command to the stored rows.

use crate::support::Place;
use serde_json::Value;

/// Arguments that tune the engine that does nothing, in simulated time.
pub(super) const NULL: [&str; 8] =
    ["--engine", "null:clock=simulated,noise_percent=2", "--suite", "kv", "--test", "2", "--size", "1000"];

pub(super) fn tune_try<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["tune", "try"], arguments, &NULL, &["--quiet"]].concat()
}

/// The trials in the events that report their end.
fn ended(stdout: &str) -> Vec<Value> {
    let events = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["event"] == "trial_ended").map(|mut event| event["trial"].take()).collect()
}

#[test]
fn a_change_that_takes_nine_tenths_of_the_time_is_faster_by_a_ninth() {
    let place = Place::new();
    let said = place.ok(&tune_try(&["null.latency_ns=900", "--seed", "7"]));
    assert!(said.contains("latency_ns: 1000 -> 900") && said.contains("1.11x faster"), "{said}");
    assert!(said.contains("8 rounds, look 1: p is multiplied by 2"), "{said}");
    assert!(said.contains("tier 0 unsafe, as before"), "{said}");
    // Sixteen runs of one session, which users can select and compare.
    let keys = "keys['tune'], options['latency_ns'], count(*), count(DISTINCT round), count(DISTINCT session_id)";
    let rows = place.rows(&format!("SELECT {keys} FROM results GROUP BY ALL ORDER BY 2"));
    assert_eq!(rows, [["what-if", "1000", "8", "8", "1"], ["what-if", "900", "8", "8", "1"]]);
    let compared = place.ok(&["compare", "--a", "tune=what-if latency_ns=900", "--b", "tune=what-if latency_ns=1000"]);
    assert!(compared.contains("latency_ns=900 1.11x faster"), "{compared}");
}

#[test]
fn a_change_that_does_nothing_is_the_same() {
    let place = Place::new();
    let said = place.ok(&tune_try(&["null.noise_seed=2", "--seed", "7"]));
    assert!(said.contains("same within 3 %"), "{said}");
}

#[test]
fn the_interval_narrows_round_by_round_and_every_round_is_told() {
    let place = Place::new();
    let events = place.ok(&[&tune_try(&["latency_ns=900", "--rounds", "9", "--seed", "7"])[..], &["--json"]].concat());
    let rounds: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "round")
        .collect();
    let numbers: Vec<u64> = rounds.iter().map(|event| event["round"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=9).collect::<Vec<_>>());
    // Seven pairs are the fewest that reach 97.5 %: 1 - 2 / 2^7.
    assert!(rounds[5]["effects"][0]["found"]["interval"].is_null());
    assert_eq!(rounds[6]["effects"][0]["found"]["interval"]["confidence"], 1.0 - 2.0 / 128.0);
    assert!(rounds.iter().all(|event| event["of"] == 9));
}

#[test]
fn an_extended_trial_has_twice_the_rounds_and_pays_for_having_been_looked_at() {
    let place = Place::new();
    place.ok(&tune_try(&["latency_ns=990", "--seed", "7"]));
    let first = place.ok(&["tune", "ledger", "--format", "json"]);
    let events = place.ok(&["tune", "more", "--json"]);
    let trial = ended(&events).remove(0);
    assert_eq!((&trial["rounds"], &trial["looks"]), (&Value::from(16), &Value::from(2)));
    let found = &trial["effects"][0]["found"];
    assert_eq!(trial["effects"][0]["pairs"], 16);
    let (p, adjusted) = (found["p"].as_f64().unwrap(), found["p_adjusted"].as_f64().unwrap());
    assert!((adjusted - 4.0 * p).abs() < 1e-12, "{p} {adjusted}");
    assert!(found["interval"]["confidence"].as_f64().unwrap() >= 1.0 - 0.05 / 4.0);
    assert!(first.contains(trial["trial_id"].as_str().unwrap()), "it is the same trial");
    // The inputs differ from those of the first look.
    assert_eq!(place.value("SELECT count(DISTINCT seed) FROM run"), "16");
    assert_eq!(place.value("SELECT count(*) FROM trial"), "1");
}

#[test]
fn a_change_that_cannot_matter_is_flagged_and_not_run() {
    let place = Place::new();
    let base = ["--engine", "sqlite:journal_mode=wal,transaction=immediate", "--suite", "kv", "--quiet"];
    let changes = ["transaction=exclusive", "journal_mode=wal"];
    let said = place.ok(&[&["tune", "try"], &changes[..], &base].concat());
    assert!(said.contains("BEGIN EXCLUSIVE is BEGIN IMMEDIATE in WAL mode"), "{said}");
    assert!(said.contains("the base has these values already"), "{said}");
    assert_eq!(place.value("SELECT count(*) FROM run"), "0");
    let refused = place.run(&["tune", "more", "--quiet"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("cannot be extended"), "{}", refused.stderr);
}

#[test]
fn the_price_of_a_change_is_shown_before_and_after() {
    let place = Place::new();
    let change = ["synchronous=off", "--engine", "sqlite", "--suite", "kv", "--test", "1"];
    let said = place.ok(&[&["tune", "try"], &change[..], &["--size", "2000", "--rounds", "2", "--quiet"]].concat());
    assert!(said.contains("tier 2 consistent -> 1 process-safe: nothing waits for the disk"), "{said}");
    assert!(said.contains("need >= 7 rounds"), "{said}");
    // Two commits of a rollback journal. Each syncs the journal, its header, the file and the folder.
    let price = |figure: &str| said.lines().find_map(|line| line.strip_prefix(figure)).map(str::trim);
    assert_eq!(price("syncs "), Some("8 -> 0"), "{said}");
    assert!(price("outside syncs ").is_some_and(|syncs| syncs.ends_with("-> 0")), "{said}");
}

#[test]
fn a_change_whose_runs_fail_is_told_with_the_reason() {
    let place = Place::new();
    let done = place.run(&tune_try(&["fault=fail"]));
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.contains("failed: test 1: requested by the option fault=fail"), "{}", done.stdout);
}

#[test]
fn mistakes_are_refused_before_anything_is_run() {
    let place = Place::new();
    let cases: [(&[&str], &str); 9] = [
        (&tune_try(&["latency_ns=900", "--tier", "2"]), "unexpected argument '--tier'"),
        (&["tune", "accept", "--effects", "engine=null"], "unexpected argument '--effects'"),
        (&["tune"], "Usage: dbdyno tune"),
        (&["tune", "--ledger"], "unexpected argument '--ledger'"),
        (&tune_try(&["sqlite.cache_size=5"]), "an option of the tuned engine, null"),
        (&tune_try(&["latency_ns=fast"]), "expected a whole number"),
        (&tune_try(&["latency_ns=900", "--set", "kv.nothing=1"]), "unknown option `nothing` of suite `kv`"),
        (&["tune", "try", "x=1", "--engine", "null:latency_ns=1|2", "--suite", "kv"], "several values"),
        (&["tune", "more", "--quiet"], "there are no trials yet"),
    ];
    for (arguments, expected) in cases {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(2), "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(expected), "{arguments:?}: {}", done.stderr);
    }
    assert_eq!(place.value("SELECT count(*) FROM run"), "0");
}
