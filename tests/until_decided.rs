//! `dbdyno run --until-decided`: after its rounds, a session looks at its comparisons and adds rounds of what is undecided.

use crate::{resume::cut_short, support::Place};
use rustix::process::Signal;

/// Two rounds decide nothing, so the first look always adds some. One configuration takes thirty times as long as the first, so few rounds
/// decide that; the last is like the first.
const SESSION: [&str; 14] = [
    "run",
    "--suite",
    "kv",
    "--size",
    "100",
    "--test",
    "Random reads",
    "--engine",
    "null:spins=100|3000|101",
    "--seed",
    "7",
    "--repeat",
    "2",
    "--until-decided=60",
];

/// The rounds of each configuration, by its spins.
const ROUNDS: &str = "SELECT options['spins']::INTEGER AS turns, count(*), max(round) + 1 FROM results WHERE status = 'ok' GROUP BY ALL ORDER BY ALL";

/// The first rounds of the later looks.
fn looks(place: &Place) -> Vec<u32> {
    let text = place.value("SELECT details::JSON->>'looks' FROM session");
    serde_json::from_str(&text).unwrap()
}

fn check_ended(place: &Place) {
    let session =
        "SELECT s.status, min(s.rounds) = max(r.round) + 1, min(s.planned_runs) = count(*), count(DISTINCT r.ordinal) = count(*)
                   FROM session s JOIN run r USING (session_id) WHERE r.status = 'done' GROUP BY ALL";
    assert_eq!(place.rows(session), [["done", "true", "true", "true"]]);
    let looks = looks(place);
    assert_eq!(looks[0], 2);
    let all: u32 = place.value("SELECT rounds FROM session").parse().unwrap();
    assert!(all > 2, "{looks:?}");
    // A configuration is measured up to a look, which decides it, and the reference as long as anything is undecided.
    let rounds = place.rows(ROUNDS);
    let ends: Vec<String> = looks[1..].iter().chain([&all]).map(u32::to_string).collect();
    assert!(rounds.iter().all(|row| row[1] == row[2] && ends.contains(&row[2])), "{looks:?}: {rounds:?}");
    assert_eq!((rounds.len(), &rounds[0][2]), (3, &all.to_string()), "{looks:?}: {rounds:?}");
}

#[test]
fn rounds_go_to_what_is_undecided_and_each_look_costs_its_share() {
    let place = Place::new();
    let done = place.run(&SESSION);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    check_ended(&place);
    assert!(done.stderr.contains("then more rounds of what is undecided, for at most "), "{}", done.stderr);
    assert!(done.stderr.contains("look 1 after 2 rounds: 2 of 2 comparisons are undecided; "), "{}", done.stderr);
    assert!(done.stderr.contains(" of Random reads (3 configurations), about "), "{}", done.stderr);
    let compared = place.ok(&["compare", "spins=3000", "spins=100", "--format", "json"]);
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    let line = &compared["lines"][0];
    let rounds = line["a"]["values"].as_array().unwrap().len() as u32;
    let expected = 1 + looks(&place).iter().filter(|first| **first < rounds).count();
    assert_eq!(line["looks"], expected, "{rounds} rounds, {:?}", looks(&place));
    assert_eq!(line["b"]["values"].as_array().unwrap().len() as u32, rounds);
    assert_eq!(line["b"]["left_out"], 0, "later rounds of the reference are for other comparisons");
    let confidence = line["found"]["interval"]["confidence"].as_f64().unwrap();
    assert!(confidence >= 1.0 - 0.05 / 2_f64.powi(expected as i32), "{confidence}");
    // The noise of that session says what another takes.
    let plan = place.ok(&[&SESSION[..], &["--dry-run"]].concat());
    assert!(plan.contains(" in all, by the noise of the last such session"), "{plan}");
}

#[test]
fn a_session_that_was_killed_between_looks_goes_on_with_what_was_undecided() {
    let place = Place::new();
    let json = [&SESSION[..], &["--json"]].concat();
    // In the first rounds, in those of the second look, and wherever it is after some more.
    for lines in [30, 120, 60] {
        let command: Vec<&str> = if lines == 30 { json.clone() } else { vec!["resume", "--json"] };
        if lines == 30 || place.value("SELECT any_value(status) FROM session") == "interrupted" {
            cut_short(&place, &command, Signal::KILL, lines);
            place.run(&["results", "--count"]);
        }
    }
    if place.value("SELECT any_value(status) FROM session") == "interrupted" {
        place.ok(&["resume", "--quiet"]);
    }
    check_ended(&place);
}

#[test]
fn a_session_with_fixed_rounds_has_no_looks() {
    let place = Place::new();
    place.ok(&[
        "run",
        "--suite",
        "kv",
        "--size",
        "100",
        "--test",
        "Random reads",
        "--engine",
        "null",
        "--repeat",
        "2",
        "--quiet",
    ]);
    assert_eq!(place.value("SELECT details::JSON->>'looks' IS NULL FROM session"), "true");
    let wrong = place.run(&["run", "--suite", "kv", "--engine", "null", "--until-decided=0"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("--until-decided"), "{}", wrong.stderr);
}
