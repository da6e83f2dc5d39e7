//! Choices among real engines on real files.

use crate::{
    resume::cut_short,
    support::{Place, csv_records},
};
use rustix::process::Signal;
use serde_json::Value;

/// A choice that is soon over.
const SHORT: [&str; 12] = [
    "choose",
    "--suite",
    "kv",
    "--test",
    "Random reads",
    "--size",
    "1000",
    "--budget",
    "20s",
    "--seed",
    "5",
    "--without=fjall,duckdb,rocksdb,snkv,crossdb,sqlite-lib",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SHORT[..], more].concat()
}

fn events(said: &str) -> Vec<Value> {
    said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'e>(events: &'e [Value], word: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == word).collect()
}

#[test]
fn an_engine_is_chosen_with_the_evidence_and_the_reasons_why_others_were_not() {
    let place = Place::new();
    let events = events(&place.ok(&with(&["--tier", "2", "--engine", "sqlite,lmdb,redb", "--json"])));
    let choice = &of(&events, "choice_ended")[0]["choice"];
    assert!(["one", "level"].contains(&choice["verdict"].as_str().unwrap()), "{choice}");
    let engines = choice["engines"].as_array().unwrap();
    assert_eq!(engines.len(), 3);
    assert_eq!(engines[0]["state"]["state"], "first");
    for engine in engines.iter().filter(|engine| !engine["behind"].is_null()) {
        let found = &engine["behind"]["found"];
        let (low, high) = (found["interval"]["low"].as_f64().unwrap(), found["interval"]["high"].as_f64().unwrap());
        assert!(low <= found["ratio"].as_f64().unwrap() && found["ratio"].as_f64().unwrap() <= high);
        assert!(engine["tier"].as_u64().unwrap() >= 2);
    }
    // Nothing below the tier was even measured.
    assert_eq!(place.value("SELECT count(*) FROM results WHERE tier < 2"), "0");
    let not = choice["not_considered"].as_array().unwrap();
    let reason = |name: &str| not.iter().find(|one| one["engine"] == name).unwrap()["reason"].as_str().unwrap();
    assert_eq!(reason("null"), "stores nothing, and measures dbdyno's own loop");
    assert_eq!(reason("fjall"), "not asked for");
    // The confirmation has seeds of its own.
    let id = choice["choice_id"].as_str().unwrap();
    let rounds = choice["confirmed_rounds"].as_u64().unwrap();
    // The confirmation is the last session, or the last few if it was measured again.
    let last = format!(
        "SELECT count(DISTINCT round) FROM results WHERE keys['choice'] = '{id}' GROUP BY session_id ORDER BY session_id DESC"
    );
    let mut sum = 0;
    let mut so_far = place.rows(&last).into_iter().map(|row| {
        sum += row[0].parse::<u64>().unwrap();
        sum
    });
    assert_eq!(so_far.find(|sum| *sum >= rounds), Some(rounds));
    let shown = place.ok(&["choose", "--show"]);
    for part in
        ["Take ", "Tier ", "not considered:", "null: stores nothing", "how sure:", "all intervals together hold"]
    {
        assert!(part == "Take " && shown.contains("are level") || shown.contains(part), "{part}:\n{shown}");
    }
    let records = csv_records(&place.ok(&["choose", "--show", "last", "--format", "csv"]));
    assert_eq!(records[1][2], "first");
    assert!(records.iter().any(|record| record[0] == "null" && record[2] == "not considered"), "{records:?}");
    let engine = place.ok(&["choose", "--show", "--as", "engine"]);
    let words = engine.lines().last().unwrap();
    assert!(words.starts_with(engines[0]["engine"].as_str().unwrap()), "{engine}");
}

#[test]
fn what_the_constraints_exclude_is_named_with_its_reason() {
    let place = Place::new();
    let done = place.run(&with(&["--engine", "sqlite,lmdb", "--licence", "MIT", "--language", "rust"]));
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("No engine here meets the constraints"), "{}", done.stdout);
    assert!(done.stdout.contains("sqlite: the licence is blessing AND MIT"), "{}", done.stdout);
    let done = place.run(&with(&["--engine", "lmdb", "--language", "go"]));
    assert!(done.stdout.contains("lmdb: for programs in c, rust, not go"), "{}", done.stdout);
    let done = place.run(&with(&["--engine", "lmdb", "--memory-limit", "1KiB"]));
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(
        done.stdout.contains("lmdb: it used ") && done.stdout.contains("of memory, more than the limit"),
        "{}",
        done.stdout
    );
    for (arguments, parts) in [
        (&["choose"][..], &["expected a workload: --suite NAME, --workload LINE, --sql FILE"][..]),
        (&["choose", "--suite", "kv", "--engine", "lmbd"], &["--engine lmbd: unknown engine", "lmdb"]),
        (&["choose", "--suite", "kv", "--slo", "p99=5ms", "--rate", "100"], &["--slo: expected one test"]),
        (&["choose", "--suite", "kv", "--set", "sqlite.journal_mode=wal"], &["expected an option of the suite kv"]),
        (&["choose", "--show"], &["there is no store"]),
        (&["choose", "--resume"], &["no choice was interrupted"]),
    ] {
        Place::new().refused(arguments, parts);
    }
}

#[test]
fn a_choice_that_was_killed_goes_on_with_the_sessions_that_it_has() {
    let place = Place::new();
    let command = with(&["--tier", "3", "--engine", "lmdb,redb", "--json"]);
    let said = cut_short(&place, &command, Signal::KILL, 400);
    let begun: Value = serde_json::from_str(&said[0]).unwrap();
    let id = begun["choice_id"].as_str().unwrap();
    let steps = "SELECT coalesce(json_array_length(steps), 0) FROM choice";
    let kept: usize = place.value(steps).parse().unwrap();
    assert!(kept > 0, "it was killed before its first session had ended");
    let sessions = "SELECT string_agg(session_id, ' ' ORDER BY started_at) FROM session WHERE status = 'done'";
    let before = place.value(sessions);
    place.refused(&["choose", "--show"], &["has no answer yet", id]);
    let events = events(&place.ok(&["choose", "--resume", "--json"]));
    assert_eq!(of(&events, "choice_started")[0]["choice_id"], id);
    let choice = &of(&events, "choice_ended")[0]["choice"];
    assert!(["one", "level"].contains(&choice["verdict"].as_str().unwrap()), "{choice}");
    // The sessions of before are among those that led to the answer, and none of them was run again.
    let after: Vec<String> = place.value(sessions).split(' ').map(str::to_owned).collect();
    assert_eq!(after[..before.split(' ').count()].join(" "), before);
    let led = "SELECT string_agg(step.session_id, ' ') FROM (SELECT unnest(from_json(steps, '[{\"session_id\": \"VARCHAR\"}]')) AS step FROM choice)";
    let led: Vec<String> = place.value(led).split(' ').map(str::to_owned).collect();
    assert!(led.starts_with(&before.split(' ').take(kept).map(str::to_owned).collect::<Vec<_>>()), "{led:?}");
    assert_eq!(place.value("SELECT state FROM choice"), "answered");
    assert!(place.ok(&["choose", "--show", &id[..8]]).contains("how sure:"));
}
