//! `dbdyno trend`: a configuration over its sessions.

use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::Place,
};
use dbdyno::store::Store;

/// Thirty sessions of six runs of `x`, each 0.4 % slower than the previous one.
pub(crate) fn ramp() -> Bench {
    let mut bench = Bench::default();
    let mut noise = dbdyno_workload::rng::SplitMix64::new(5);
    for at in 0..30 {
        let session = bench.session("here");
        for round in 0..6 {
            bench.run(&session, round, &spec("x"), &[1_000_000 + 4_000 * at + noise.below(20_000)]);
        }
    }
    bench
}

/// Thirty sessions of six runs of `x`. From the session at `step` on, they are 5 % slower and have another version of the library.
pub(crate) fn sessions(step: Option<usize>) -> Bench {
    let mut bench = Bench::default();
    let mut noise = dbdyno_workload::rng::SplitMix64::new(3);
    for at in 0..30 {
        let session = bench.session("here");
        let stepped = step.is_some_and(|step| at >= step);
        let variant = Variant { version: if stepped { "1.1" } else { "1.0" }, ..spec("x") };
        for round in 0..6 {
            let level = if stepped { 1_050_000 } else { 1_000_000 };
            bench.run(&session, round, &variant, &[level + noise.below(20_000)]);
        }
    }
    bench
}

#[test]
fn a_step_is_told_with_its_session_size_and_version_in_every_format() {
    let place = Place::new();
    let bench = sessions(Some(17));
    Store::new(place.store()).write(&bench.batch).unwrap();
    let table = place.ok(&["trend", "engine=x"]);
    let id: String = bench.batch.sessions[17].session_id.chars().take(13).collect();
    assert!(table.contains("30 sessions") && table.contains("1 change"), "{table}");
    assert!(
        table.contains(&format!("session {id}: time +5.")) || table.contains(&format!("session {id}: time +4.9")),
        "{table}"
    );
    assert!(table.contains(", worse, p 0.001; version 1.0 before, 1.1 since"), "{table}");
    let csv = place.ok(&["trend", "engine=x", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 31);
    let changed: Vec<&str> = csv.lines().filter(|line| line.contains(",0.001,")).collect();
    assert!(changed.len() == 1 && changed[0].contains(&bench.batch.sessions[17].session_id), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&place.ok(&["trend", "engine=x", "--format", "json"])).unwrap();
    assert_eq!(json["series"][0]["changes"][0]["at"], 17);
    let html = place.ok(&["trend", "engine=x", "--format", "html"]);
    assert!(html.contains("<circle") && html.contains("1.1 since"), "{html}");
    let markdown = place.ok(&["trend", "engine=x", "--format", "markdown"]);
    assert!(markdown.contains("\n|---|--:|---|--:|---|\n") && markdown.contains("1.1 since"), "{markdown}");
    let rate = place.ok(&["trend", "engine=x", "--metric", "rate"]);
    assert!(rate.contains("operations a second -4.") && rate.contains(", worse"), "{rate}");
}

#[test]
fn a_ramp_is_one_drift_with_its_slope_in_every_format() {
    let place = Place::new();
    Store::new(place.store()).write(&ramp().batch).unwrap();
    let table = place.ok(&["trend", "engine=x"]);
    assert!(table.contains("drifting\n") && !table.contains("1 change") && !table.contains("session 0"), "{table}");
    assert!(table.contains("drifting from 1.01 ms to 1.13 ms: time +11.") && table.contains("], worse;"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&place.ok(&["trend", "engine=x", "--format", "json"])).unwrap();
    let series = &json["series"][0];
    assert_eq!(series["changes"].as_array().unwrap().len(), 0);
    let (ratio, interval) = (series["drift"]["ratio"].as_f64().unwrap(), &series["drift"]["interval"]);
    assert!((ratio - 1.115).abs() < 0.01, "{series}");
    assert!(interval["low"].as_f64().unwrap() > 1.09 && interval["high"].as_f64().unwrap() < 1.14, "{series}");
    assert_eq!(series["drift"]["better"], false);
    assert!(series["correlation"].as_f64().unwrap() < 0.7, "{series}");
    let csv = place.ok(&["trend", "engine=x", "--format", "csv"]);
    assert!(csv.lines().next().unwrap().contains(",p,drift,drift_low,drift_high,correlation,"), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.contains(&format!(",{ratio},"))), "{csv}");
    let html = place.ok(&["trend", "engine=x", "--format", "html"]);
    assert!(html.contains("drifting from 1.01 ms to 1.13 ms") && html.contains("class=\"series fit\""), "{html}");
}

#[test]
fn sessions_without_a_step_have_no_change_and_few_are_said_to_be_few() {
    let place = Place::new();
    Store::new(place.store()).write(&sessions(None).batch).unwrap();
    assert!(place.ok(&["trend", "engine=x"]).contains("no change"));
    let few = place.ok(&["trend", "engine=x", "session=last"]);
    assert!(few.contains("1 session: too few"), "{few}");
    let done = place.run(&["trend", "engine=y"]);
    assert!(done.code == Some(2) && done.stderr.contains("no result matches"), "{}", done.stderr);
}

#[test]
fn other_configurations_are_other_series() {
    let place = Place::new();
    let mut bench = sessions(None);
    let session = bench.session("here");
    bench.run(&session, 0, &Variant { options: vec![("sync", "off")], ..spec("x") }, &[1_000_000]);
    let elsewhere = bench.session("there");
    bench.run(&elsewhere, 0, &spec("x"), &[1_000_000]);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let json: serde_json::Value = serde_json::from_str(&place.ok(&["trend", "--format", "json"])).unwrap();
    let mut lengths: Vec<usize> =
        json["series"].as_array().unwrap().iter().map(|one| one["points"].as_array().unwrap().len()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 1, 30], "another option and another host are told apart");
}

#[test]
fn series_that_are_split_say_by_what() {
    let place = Place::new();
    let mut bench = sessions(None);
    // The same label with another option. In that session, all configurations had this value.
    let session = bench.session("here");
    bench.run(&session, 0, &Variant { options: vec![("sync", "off")], ..spec("x") }, &[2_000_000]);
    Store::new(place.store()).write(&bench.batch).unwrap();
    let table = place.ok(&["trend", "engine=x"]);
    for heading in ["x with sync=full · kv", "x with sync=off · kv"] {
        assert_eq!(table.lines().filter(|line| line.starts_with(heading)).count(), 1, "{heading}: {table}");
    }
    let csv = place.ok(&["trend", "engine=x", "--format", "csv"]);
    assert!(csv.lines().next().unwrap().contains(",split_by,") && csv.contains(",sync=off,"), "{csv}");
}

#[test]
fn what_changed_since_a_moment_is_said_in_one_sentence() {
    let place = Place::new();
    let bench = sessions(Some(17));
    Store::new(place.store()).write(&bench.batch).unwrap();
    place.ok(&["tag", &format!("session={}", bench.batch.sessions[17].session_id), "--add", "upgrade"]);
    let since = |when: &str, more: &[&str]| place.run(&[&["compare", "--before", when, "engine=x"], more].concat());
    // Sessions are an hour apart, and the first of them began at 8 on the day before.
    for (when, words) in
        [("2027-01-16T01:00", "2027-01-16T01:00"), ("1.1", "1.1 (2027-01-16)"), ("upgrade", "upgrade (2027-01-16)")]
    {
        let summary = since(when, &["--format", "summary"]).stdout;
        assert_eq!(summary.lines().count(), 1, "{summary}");
        let expected = format!("Slower since {words} in Writes, wall time +");
        assert!(summary.starts_with(&expected) && summary.contains("; x changed from 1.0 to 1.1."), "{summary}");
        let percent: f64 = summary[expected.len()..].split(' ').next().unwrap().parse().unwrap();
        assert!((4.0..6.0).contains(&percent), "{summary}");
    }
    let table = since("1.1", &[]).stdout;
    assert!(table.contains(" since   before  verdict\n") && table.contains("since 1.05x slower"), "{table}");
    let comment = since("1.1", &["--format", "comment"]).stdout;
    let (answer, folded) = comment.split_once("<details><summary>All figures</summary>\n\n").unwrap();
    assert!(answer.starts_with("Slower since 1.1") && !answer.contains('|'), "{comment}");
    assert!(folded.contains("| test |") && folded.trim_end().ends_with("</details>"), "{comment}");
    assert_eq!(since("1.1", &["--fail-if-slower", "3%"]).code, Some(4));
    assert_eq!(since("1.1", &["--format", "comment", "--out", place.path("pr.md").to_str().unwrap()]).code, Some(0));
    let nothing = Place::new();
    Store::new(nothing.store()).write(&sessions(None).batch).unwrap();
    let same = nothing.ok(&["compare", "--before", "2027-01-16T01:00", "engine=x", "--format", "summary"]);
    assert!(same.starts_with("No change is shown since 2027-01-16T01:00"), "{same}");
    place.refused(&["compare", "--before", "1.2", "engine=x"], &["--before: `1.2` is no day", "`1.1`", "2026-11-14"]);
    place.refused(&["compare", "--before", "1.1", "x", "y"], &["--before: expected one selection"]);
}
