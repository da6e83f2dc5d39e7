//! Five sessions with a known truth. A command, its page and the screen begin with the same answer: who wins, by how much, how sure it is,
//! and what speaks against it.

use super::over;
use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::Place,
    trend,
    tui::Journey,
};
use dbdyno::{
    base::identifier::identifier,
    store::{Store, WarningRecord},
    tui::keys::KeyPress,
};
use dbdyno_engine::durability::Tier;

/// A session of ten rounds in which each engine takes its times, µs, with a noise of 2 %.
fn session(engines: &[(Variant, &[u64])]) -> Bench {
    let mut bench = Bench::default();
    let mut noise = dbdyno_workload::rng::SplitMix64::new(7);
    let session = bench.session("here");
    for round in 0..10 {
        for (variant, times) in engines {
            let times: Vec<u64> = times.iter().map(|time| time * 1000 + noise.below(time * 20)).collect();
            bench.run(&session, round, variant, &times);
        }
    }
    bench
}

fn doubt(bench: &mut Bench, linter: &str, message: &str) {
    bench.batch.warnings.push(WarningRecord {
        warning_id: identifier(),
        session_id: bench.batch.sessions[0].session_id.clone(),
        run_id: None,
        test: None,
        linter: linter.to_owned(),
        matter: None,
        message: message.to_owned(),
    });
}

/// Asserts that all three begin with these sentences, and that no other is there.
#[track_caller]
fn all_say(bench: &Bench, command: &[&str], keys: impl Fn(&mut Journey), expected: &[&str]) {
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let text = place.ok(command);
    let answer: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(answer.len(), expected.len(), "{text}");
    for (line, expected) in answer.iter().zip(expected) {
        let (begin, end) = expected.split_once("...").unwrap_or((expected, ""));
        assert!(line.starts_with(begin) && line.ends_with(end), "{line}: {expected}");
    }
    let html = place.ok(&[command, &["--format", "html"]].concat());
    let first = html.find("<p class=\"answer\">").unwrap();
    assert!(html[..first].matches("<h2>").count() == 0 && html.contains("href=\"#what-the-words-mean\""), "{html}");
    for line in &answer {
        assert!(html.contains(&format!("<p class=\"answer\">{line}</p>")), "{line}: {html}");
    }
    let mut journey = over(bench, 120, 40);
    keys(&mut journey);
    // The screen breaks long sentences.
    let words: Vec<&str> = answer[0].split(' ').take(4).collect();
    journey.shows(&words.join(" "));
}

fn matrix(journey: &mut Journey) {
    journey.keys("C");
}

fn pair(journey: &mut Journey) {
    journey.keys("4").key(KeyPress::Enter);
}

const BESIDE: [&str; 3] = ["compare", "--reference", "session=last"];
const EQUAL: &str = "Equal durability: tier 3 power-safe (commits survive a power loss).";

#[test]
fn a_clear_winner_is_named_with_its_distance_and_a_doubt() {
    let mut bench = session(&[(spec("x"), &[4000, 4000]), (spec("y"), &[1000, 1000]), (spec("z"), &[2000, 2000])]);
    doubt(&mut bench, "noisy host", "runnable threads waited for a CPU");
    let mean = "By the geometric mean, it is 2.0x faster than z (...).";
    all_say(&bench, &BESIDE, matrix, &["y is fastest in both tests.", mean, EQUAL, "1 doubt: noisy host."]);
}

#[test]
fn level_configurations_have_no_winner() {
    let bench = session(&[(spec("x"), &[1000, 1000]), (spec("y"), &[1000, 1000]), (spec("z"), &[1000, 1000])]);
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let text = place.ok(&BESIDE);
    assert!(text.contains("is the same as") && text.contains("within 3 % in both tests."), "{text}");
    assert!(!text.contains("fastest") && !text.contains("faster than"), "{text}");
}

#[test]
fn unequal_tiers_are_told_and_not_compared() {
    let weak = Variant { tier: Tier::ProcessSafe, ..spec("x") };
    let bench = session(&[(spec("y"), &[1000]), (weak, &[100])]);
    let unequal = "Unequal durability: y tier 3 power-safe (commits survive a power loss); x tier 1 process-safe \
                   (a power loss may corrupt the database).";
    all_say(&bench, &["compare", "y", "x"], pair, &["y and x are not comparable in Writes.", unequal]);
}

#[test]
fn wrong_answers_win_nothing() {
    let wrong = Variant { agrees: Some(false), answer: |_| Some("0".to_owned()), ..spec("x") };
    let bench = session(&[(spec("y"), &[1000]), (wrong, &[100])]);
    let why = "10 of 10 runs of x gave answers that differ from other engines.";
    let answer = format!("y and x are not comparable in Writes: {why}");
    all_say(&bench, &["compare", "y", "x"], pair, &[&answer, EQUAL]);
}

#[test]
fn a_regression_is_told_with_its_day_its_size_and_what_else_changed() {
    let bench = trend::sessions(Some(17));
    let slower = "Slower since 1.1 (2027-01-16) in Writes, wall time +...; x changed from 1.0 to 1.1.";
    let from_the_trend = |journey: &mut Journey| {
        journey.keys("3").keys("T").shows("1 change").key(KeyPress::Enter).shows("Slower since 2027-01-16 in Writes");
        journey.keys("4");
    };
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let text = place.ok(&["compare", "--before", "1.1", "engine=x"]);
    let (begin, end) = slower.split_once("...").unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with(begin) && first.ends_with(end) && text.contains(EQUAL), "{text}");
    from_the_trend(&mut over(&bench, 120, 40));
}
