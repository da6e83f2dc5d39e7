//! The ledger: a tree of trials, stored with the results.

use super::what_if::tune_try;
use crate::support::{Place, asked};
use dbdyno::store::Store;
use serde_json::Value;

fn ledger(place: &Place) -> Vec<Value> {
    let text = place.ok(&["tune", "ledger", "--format", "json"]);
    let mut value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["name"], "null-kv");
    std::mem::take(value["entries"].as_array_mut().unwrap())
}

#[test]
fn what_is_accepted_is_the_base_of_what_follows() {
    let place = Place::new();
    place.ok(&tune_try(&["latency_ns=1100", "latency_ns=900", "--accept", "--seed", "7"]));
    place.ok(&["tune", "try", "--from", "last", "latency_ns=800", "--quiet", "--seed", "8"]);
    place.ok(&tune_try(&["latency_ns=950", "--seed", "9"]));
    let entries = ledger(&place);
    let seen: Vec<(u64, &str, &str, bool)> = entries
        .iter()
        .map(|entry| {
            let trial = &entry["trial"];
            let values = (trial["base"]["latency_ns"].as_str(), trial["change"]["latency_ns"].as_str());
            (entry["depth"].as_u64().unwrap(), values.0.unwrap(), values.1.unwrap(), trial["accepted"] == true)
        })
        .collect();
    let expected =
        [(0, "1000", "1100", false), (0, "1000", "900", true), (1, "900", "800", false), (0, "1000", "950", false)];
    assert_eq!(seen, expected, "a trial stands under the one it comes from");
    assert_eq!(entries[2]["trial"]["parent_id"], entries[1]["trial"]["trial_id"]);
    assert_eq!(entries[2]["trial"]["base"]["noise_percent"], "2", "the rest of the base comes along");
}

#[test]
fn a_change_is_accepted_by_its_identifier_and_only_then_a_base() {
    let place = Place::new();
    place.ok(&tune_try(&["latency_ns=900", "--seed", "7"]));
    let id = place.value("SELECT trial_id FROM trial");
    let refused = place.run(&["tune", "try", "--from", &id[..13], "latency_ns=800", "--quiet"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("was not accepted"), "{}", refused.stderr);
    let said = place.ok(&["tune", "accept", &id[..13]]);
    assert!(said.contains("latency_ns=900 is now the base"), "{said}");
    assert_eq!(place.value("SELECT accepted FROM trial"), "true");
}

#[test]
fn the_ledger_is_written_as_text_markdown_csv_and_to_a_file() {
    let place = Place::new();
    place.ok(&tune_try(&["latency_ns=900", "latency_ns=1000", "--seed", "7"]));
    let table = place.ok(&["tune", "ledger", "null-kv"]);
    assert!(table.contains("1.11x faster") && table.contains("not run: it cannot differ"), "{table}");
    let markdown = place.ok(&["tune", "ledger", "--format", "markdown"]);
    assert!(markdown.contains("| 2 Random reads | 0.90 |") && markdown.contains("dbdyno tune ledger"), "{markdown}");
    let page = place.ok(&["tune", "ledger", "--format", "html"]);
    assert!(page.contains("<h1>ledger null-kv</h1>") && page.contains("1.11x faster"), "{page}");
    let file = place.path("ledger.csv");
    place.ok(&["tune", "ledger", "--format", "csv", "--out", file.to_str().unwrap()]);
    let csv = std::fs::read_to_string(file).unwrap();
    assert!(csv.starts_with("trial_id,parent_id,depth,"), "{csv}");
    assert_eq!(csv.lines().count(), 3, "a line a trial and test: {csv}");
    let unknown = place.run(&["tune", "ledger", "other"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("expected null-kv"), "{}", unknown.stderr);
}

#[test]
fn trials_are_copied_and_deleted_with_their_runs() {
    let place = Place::new();
    place.ok(&tune_try(&["latency_ns=900", "--seed", "7"]));
    place.ok(&["tune", "accept"]);
    let copy = place.path("copy.duckdb");
    place.ok(&["copy", "tune=what-if", "--to", copy.to_str().unwrap()]);
    let trials = asked(&Store::new(&copy), "SELECT ledger, accepted FROM trial").unwrap();
    assert_eq!(trials, [[Some("null-kv".to_owned()), Some("true".to_owned())]]);
    place.ok(&["delete", "tune=what-if", "--yes"]);
    assert_eq!(place.value("SELECT count(*) FROM trial"), "0");
    place.ok(&["import", copy.to_str().unwrap()]);
    assert_eq!(place.value("SELECT count(*) FROM trial"), "1");
}
