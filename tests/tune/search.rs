//! `dbdyno tune search`.

use super::what_if::NULL;
use crate::support::Place;
use serde_json::Value;

fn search<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["tune", "search"], arguments, &NULL, &["--quiet"]].concat()
}

fn events(stdout: &str, word: &str) -> Vec<Value> {
    let events = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["event"] == word).collect()
}

#[test]
fn the_fastest_setting_is_found_and_confirmed_on_fresh_seeds() {
    let place = Place::new();
    let said =
        place
            .ok(&[&search(&["--tier", "0", "--budget", "10m", "--rounds", "6", "--seed", "3"])[..], &["--json"]]
                .concat());
    let found = events(&said, "search_ended").remove(0)["found"].take();
    let trial = &found["confirmed"];
    assert_eq!(trial["change"]["latency_ns"], "800", "of 800 and 1250 against 1000");
    assert_eq!(trial["effects"][0]["found"]["verdict"]["word"], "faster");
    let ratio = trial["effects"][0]["found"]["ratio"].as_f64().unwrap();
    assert!((ratio - 0.8).abs() < 0.01, "{ratio}");
    assert_eq!(found["tried"].as_array().unwrap().len(), 2);
    // The search took the only change out of the winner, and that was slower.
    let taken_out = found["taken_out"].as_array().unwrap();
    assert!(taken_out.len() == 1 && taken_out[0]["option"] == "latency_ns", "{taken_out:?}");
    assert_eq!((&taken_out[0]["dropped"], &taken_out[0]["instead"]), (&Value::from(false), &Value::from("1000")));
    assert_eq!(taken_out[0]["effect"]["found"]["verdict"]["word"], "slower");
    assert_eq!(events(&said, "taken_out")[0]["what"], taken_out[0]);
    // The reported figure comes only from runs that were not used to choose.
    let id = trial["trial_id"].as_str().unwrap();
    let pairs = trial["effects"][0]["pairs"].as_u64().unwrap();
    let counted = format!("SELECT count(DISTINCT round) FROM results WHERE keys['trial'] = '{id}'");
    assert_eq!(place.value(&counted), pairs.to_string());
    let shared = "SELECT count(*) FROM (SELECT seed FROM results WHERE keys['search'] IS NOT NULL
                  INTERSECT SELECT seed FROM results WHERE keys['trial'] IS NOT NULL)";
    assert_eq!(place.value(shared), "0");
    let refused = place.run(&["tune", "more", "--quiet"]);
    assert!(refused.stderr.contains("a search is confirmed only once"), "{}", refused.stderr);
}

#[test]
fn what_takes_too_much_memory_is_dropped_with_the_reason() {
    let place = Place::new();
    let limit = ["--tier", "0", "--budget", "10m", "--memory-limit", "64KiB"];
    let said = place.ok(&search(&limit));
    assert!(said.contains("no setting was found that is faster"), "{said}");
    assert!(said.contains("latency_ns=800: it used") && said.contains("the limit of 64"), "{said}");
    assert_eq!(place.value("SELECT count(*) FROM trial"), "0");
}

#[test]
fn a_budget_without_time_for_a_confirmation_is_refused_with_one_that_has() {
    let place = Place::new();
    let done = place.run(&search(&["--tier", "0", "--budget", "1ms"]));
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("confirmation: set"), "{}", done.stderr);
}

#[test]
fn a_tier_that_no_setting_has_is_refused() {
    let place = Place::new();
    let done = place.run(&search(&["--tier", "3"]));
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("no setting to try that reaches tier 3"), "{}", done.stderr);
}
