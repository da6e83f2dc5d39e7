//! The Tune screen: a change tried, told by real trials of the null engine, and the ledger.

use super::Journey;
use dbdyno::tui::{
    self, Message, Request, Response,
    keys::KeyPress,
    screens::{ScreenRequest, ScreenResponse, tune},
};

#[test]
fn a_change_is_chosen_and_what_it_costs_is_told_before_it_is_tried() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("5").shows("Base · sqlite · kv 10000").shows("8 rounds").shows("nothing was tried yet");
    journey.key(KeyPress::Enter).shows("nothing is changed");
    journey
        .time(60_000)
        .key(KeyPress::Down)
        .key(KeyPress::Backspace)
        .shows("full → normal")
        .shows("tier 2 consistent")
        .key(KeyPress::Backspace)
        .shows("full → off")
        .shows("tier 2 consistent → 1");
    journey.keys("d").hides("→");
    for _ in 0..7 {
        journey.key(KeyPress::Down);
    }
    journey.keys("i").shows("What if wal_autocheckpoint were").key(KeyPress::Ctrl('u')).keys("50").key(KeyPress::Enter);
    journey.shows("cannot differ: there is no log");
    journey.key(KeyPress::Enter).shows("not run: it cannot differ");
    assert!(journey.others.is_empty(), "nothing was run: {:?}", journey.others);
}

#[test]
fn a_trial_ends_with_a_verdict_a_price_and_a_line_of_the_ledger() {
    let mut journey = Journey::begin(120, 40);
    let arguments =
        ["tune", "try", "--engine", "null:clock=simulated,latency_ns=2000", "--suite", "kv", "--size", "1000"];
    let what_if = ["--test", "2", "null.latency_ns=1000", "--name", "null-kv", "--quiet"];
    journey.place().ok(&[&arguments[..], &what_if[..]].concat());
    journey
        .keys("5")
        .keys("p")
        .shows("Change the base")
        .keys("engine")
        .key(KeyPress::Enter)
        .keys("null")
        .key(KeyPress::Enter);
    journey.shows("Base · null").shows("Ledger · null-kv").shows("latency_ns: 2000 -> 1000").shows("2.0x faster");
    journey.keys("e").shows("Export the ledger").key(KeyPress::Ctrl('u'));
    let path = journey.place().path("ledger.md").display().to_string();
    journey.keys(&path).key(KeyPress::Enter).shows("written");
    assert!(std::fs::read_to_string(path).unwrap().contains("latency"));
}

#[test]
fn an_accepted_change_becomes_part_of_the_base() {
    let mut journey = Journey::begin(120, 40);
    let arguments =
        ["tune", "try", "--engine", "null:clock=simulated,latency_ns=2000", "--suite", "kv", "--size", "1000"];
    let what_if = ["--test", "2", "null.latency_ns=1000", "--name", "null-kv", "--json"];
    let told = journey.place().ok(&[&arguments[..], &what_if[..]].concat());
    journey.keys("5").keys("p").keys("engine").key(KeyPress::Enter).keys("null").key(KeyPress::Enter);
    let trial = journey.app.screens.tune.ledger.as_ref().unwrap().entries[0].trial.clone();
    assert!(told.contains(&trial.trial_id), "the ledger has the trial that was told");
    journey.app.screens.tune.event(dbdyno::tune::TuneEvent::TrialEnded { trial: Box::new(trial) });
    journey.shows("What if latency_ns=1000").shows("2.0x faster").shows("as before").shows("peak memory");
    journey.keys("A").shows("latency_ns=1000 is now part of the base").shows("✓ latency_ns");
    journey.keys("y").shows("Copy the answer as").keys("preset").key(KeyPress::Enter);
    assert!(journey.others.iter().any(|effect| effect.contains("latency_ns")), "{:?}", journey.others);
}

#[test]
fn nothing_else_is_started_while_a_trial_runs() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("5").key(KeyPress::Down).key(KeyPress::Backspace).key(KeyPress::Enter);
    assert!(journey.others.iter().any(|effect| effect.starts_with("Try")), "the trial is started");
    journey.keys("1").key(KeyPress::Enter).shows("a trial is running");
    assert!(journey.started.is_empty());
    journey
        .keys("q")
        .shows("Leave?")
        .keys("n")
        .keys("5x")
        .hides("Stop the trial?")
        .keys("K")
        .shows("Stop the trial?")
        .keys("y");
    assert!(journey.others.iter().any(|effect| effect.contains("Stop")));
    journey.message(Message::TuneOver(Err("the disk is full".to_owned())));
    journey.shows("the disk is full");
}

#[test]
fn a_ledger_that_cannot_be_read_is_said() {
    let mut journey = Journey::begin(80, 24);
    std::fs::write(journey.place().store(), "no database").unwrap();
    let response =
        tui::respond(Request::Screen(ScreenRequest::Tune(tune::Request::Ledger("x".to_owned()))), &journey.setup);
    let Response::Screen(ScreenResponse::Tune(_)) = &response else { panic!("another response") };
    journey.message(Message::Response(Box::new(response)));
    journey.shows("✗");
}
