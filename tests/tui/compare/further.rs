//! More rounds for undecided tests.

use super::{Journey, over};
use crate::{
    compare::fixture::{Bench, spec},
    support::Place,
};
use dbdyno::{
    compare::AnotherLook,
    engines::Registry,
    session::{FurtherRounds, verdicts},
    store::Store,
    tui::{
        Message, Response,
        keys::KeyPress,
        screens::{PlannedRounds, ScreenResponse, compare},
    },
};
use std::time::Duration;

/// A place with a session of three rounds, which are too few. One of its two engines takes twice as long as the other.
fn three_rounds() -> Place {
    let place = Place::new();
    let engines =
        ["--engine", "null:clock=simulated,latency_ns=1000", "--engine", "null:clock=simulated,latency_ns=2000"];
    place.ok(&[&["run", "--suite", "kv", "--size", "1000", "--repeat", "3", "--test", "2", "--quiet"], &engines[..]]
        .concat());
    place
}

/// The pair of that session, on Compare.
fn pair(place: Place) -> Journey {
    let mut journey = Journey::begin_in(place, 200, 60);
    journey.keys("4").key(KeyPress::Enter).shows("need >= 6 runs").shows("+ more rounds");
    journey
}

/// The undecided tests of the only session in a place.
fn undecided(place: &Place) -> AnotherLook {
    let session = place.value("SELECT session_id::VARCHAR FROM session");
    let sides = verdicts(&session, "", &Store::new(place.store())).unwrap().compared.sides;
    let looks = sides[0].other_looks();
    assert_eq!(looks.len(), 1, "{looks:?}");
    looks[0].clone()
}

#[test]
fn one_key_runs_as_many_more_rounds_as_decide_and_says_what_that_costs() {
    let mut journey = pair(three_rounds());
    journey.keys("+").shows("look 2 at 2 Random reads, size 1000: 6 more rounds of null");
    journey.shows("look 2 needs p below 1.25 % instead of 5 %").shows("runs   12").shows("Run for ");
    assert!(journey.started.is_empty(), "it asks first");
    journey.keys("y").shows("Race");
    let command = &journey.started[0];
    assert!(command.contains("--until-decided=2 --most 6"), "{command}");
}

#[test]
fn the_command_line_adds_the_same_rounds_and_the_session_has_them_from_then_on() {
    let place = three_rounds();
    let look = undecided(&place);
    assert_eq!((look.look, look.rounds), (2, 6));
    let (a, b) = ("session=last latency_ns=1000", "session=last latency_ns=2000");
    let table = place.ok(&["compare", "--a", a, "--b", b, "--until-decided", "--most", "6"]);
    assert!(
        table.contains("9 pairs of runs of the same round") && table.contains("latency_ns=1000 2.0x faster"),
        "{table}"
    );
    assert!(table.contains("2 looks, with rounds added in between: 2 Random reads"), "{table}");
    // The added rounds do not count as a separate session, and the test is decided.
    let again = place.ok(&["compare", "--a", a, "--b", b, "--until-decided"]);
    assert!(again.contains("9 pairs") && again.contains("latency_ns=1000 2.0x faster"), "{again}");
    assert_eq!(place.value("SELECT count(*)::VARCHAR FROM session"), "2");
    let mut journey = Journey::begin_in(place, 200, 60);
    journey.keys("4").keys("a").answer(a).keys("b").answer(b).shows("9 pairs").shows("▼ latency_ns=1000 2.0x faster");
    journey.hides("+ more rounds").keys("n").shows("2 looks");
    journey.key(KeyPress::Esc).keys("x").shows("It had 2 looks");
}

#[test]
fn fewer_rounds_than_would_decide_are_not_begun_and_that_is_said() {
    let place = three_rounds();
    let (a, b) = ("session=last latency_ns=1000", "session=last latency_ns=2000");
    let refused = place.run(&["compare", "--a", a, "--b", b, "--until-decided", "--most", "2"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stdout.contains("3 pairs"), "{}", refused.stdout);
    let says = "still undecided: 2 Random reads, size 1000: 6 more rounds would decide it in 9 of 10 cases, but --most allows 2";
    assert!(refused.stderr.contains(says), "{}", refused.stderr);
    assert_eq!(place.value("SELECT count(*)::VARCHAR FROM session"), "1");
    let unknown = place.run(&["compare", "--a", a, "--b", b, "--until-decided=Scan"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("no test of A and B has this number or name"), "{}", unknown.stderr);
}

#[test]
fn rounds_that_take_long_are_asked_about() {
    let place = three_rounds();
    let look = undecided(&place);
    let mut further =
        FurtherRounds::find(look, "dbdyno compare", &Registry::discover(), &Store::new(place.store())).unwrap();
    further.estimate.time = Duration::from_secs(3600);
    let mut journey = pair(place);
    let planned = compare::Response::Further { planned: Ok(Box::new(PlannedRounds::new(further, Vec::new()))) };
    journey.message(Message::Response(Box::new(Response::Screen(ScreenResponse::Compare(planned)))));
    journey.shows("Run for 1h").shows("look 2 needs p below 1.25 %").shows("runs   12");
    journey.keys("n");
    assert!(journey.started.is_empty(), "{:?}", journey.started);
}

#[test]
fn what_has_no_plan_says_why_no_rounds_can_be_added() {
    let mut bench = Bench::default();
    let scattered = [(100, 104), (108, 100), (98, 104), (101, 107), (103, 100), (100, 108), (99, 103)];
    bench.pairs(&spec("x"), &spec("y"), &scattered);
    let mut journey = over(&bench, 200, 60);
    journey.key(KeyPress::Enter).shows("undecided +").keys("+").shows("no rounds can be added to the session");
    assert!(journey.started.is_empty(), "{:?}", journey.started);
}
