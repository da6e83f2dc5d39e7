//! The Live screen, told what real workers of the null engine said, and replays of what is stored.

use super::Journey;
use crate::{resume, support::Place};
use dbdyno::{
    runner::{RunnerEvent, SentHistogram},
    tui::{
        self, Message, Request,
        keys::{KeyPress, ScreenId},
        screens::{ScreenRequest, intent::Intent},
    },
};
use rustix::process::Signal;

/// Leaves only the null engine chosen, with these option values typed as sweeps.
fn null_bench(columns: u16, rows: u16, options: &[(&str, &str)]) -> Journey {
    let mut journey = Journey::begin(columns, rows);
    for entry in journey.app.screens.bench.form.entries.clone() {
        if entry.on != (entry.engine == "null") {
            journey.keys(" ");
        }
        if entry.engine == "null" {
            break;
        }
        journey.key(KeyPress::Down);
    }
    journey.key(KeyPress::Right);
    for (option, value) in options {
        journey
            .keys("/")
            .keys(option)
            .key(KeyPress::Enter)
            .keys("i")
            .key(KeyPress::Ctrl('u'))
            .keys(value)
            .key(KeyPress::Enter);
        journey.key(KeyPress::Esc);
    }
    journey
}

/// Runs what the screen started as its command line says, and tells the screen what was said, up to `until`.
fn told(journey: &mut Journey, until: impl Fn(&RunnerEvent) -> bool) {
    let command = journey.started.last().unwrap().command_line.clone();
    let words: Vec<String> = command.split(' ').map(|word| word.replace('\'', "")).collect();
    let mut arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    arguments.push("--json");
    let done = journey.place().run(&arguments);
    let mut told = 0;
    for line in done.stdout.lines() {
        // The last line is the table, which is no event.
        let Ok(mut event) = serde_json::from_str::<RunnerEvent>(line) else { continue };
        // Between processes a histogram goes as text.
        if let RunnerEvent::Worker { says, histogram, .. } = &mut event {
            *histogram = SentHistogram::of(says).unwrap();
        }
        told += 1;
        let last = until(&event);
        journey.time(told * 10);
        journey.message(Message::Runner(Box::new(event)));
        if last {
            return;
        }
    }
    assert!(told > 0, "{}", done.stderr);
}

#[test]
fn a_whole_session_is_watched_and_ends_with_its_table() {
    let mut journey = null_bench(80, 24, &[("latency_ns", "200|2000"), ("clock", "simulated")]);
    journey.shows("20 runs").key(KeyPress::Enter).shows("0/20 runs").shows("no test has begun yet");
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 6, .. }));
    journey.shows("7/20 runs").shows("▶ 7/20").shows("round 4").shows("null[latency_ns=200]");
    journey.shows("8 Bulk insert").shows("100 %").shows("mean 500 k/s").shows("p50 2.00 µs");
    journey.keys("v").shows("Median of the finished runs").shows("2.00 ms").shows("20.0 ms");
    journey.keys("v").shows("Latency of operations");
    journey.keys("3").keys("2").shows("7/20 runs");
}

#[test]
fn the_reference_is_drawn_behind_the_others() {
    let mut journey = null_bench(120, 40, &[("latency_ns", "200|2000"), ("clock", "simulated")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 1, .. }));
    journey.shows("┄ null[latency_ns=200] 5.00 M/s");
}

#[test]
fn an_engine_that_fails_is_told_and_the_session_goes_on() {
    let mut journey = null_bench(120, 40, &[("fault", "none|crash")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 2, .. }));
    journey.shows("null[fault=crash] ✗").shows("3/20 runs");
    journey.keys("w").shows("round 1, null[fault=crash]:").key(KeyPress::Esc).hides("round 1, null");
}

#[test]
fn pause_skip_and_stop_are_passed_on() {
    let mut journey = null_bench(80, 24, &[]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunStarted { .. }));
    journey.keys("s").keys("p").shows("paused");
    journey.keys("p").keys("x").hides("Stop the session?").keys("K").shows("Stop the session?").keys("y");
    let tells: Vec<&String> = journey.others.iter().filter(|effect| effect.starts_with("Tell")).collect();
    assert_eq!(tells, ["Tell(Skip(0))", "Tell(Pause)", "Tell(Resume)", "Tell(Stop)"]);
    journey.message(Message::SessionOver(Box::new(Err("no room".to_owned()))));
    journey.shows("could not be run").shows("no room");
}

#[test]
fn a_stored_run_is_replayed() {
    let mut journey = null_bench(80, 24, &[("latency_ns", "2000"), ("clock", "simulated")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |_| false);
    journey.message(Message::SessionOver(Box::new(Err("this test needs no report".to_owned()))));
    let run = journey.place().value("SELECT run_id::VARCHAR FROM run ORDER BY ordinal LIMIT 1");
    let intents = journey.app.screens.live.replay(run);
    assert_eq!(journey.app.screen, ScreenId::Live);
    for step in intents {
        if let Intent::Request(request) = step {
            let response = tui::respond(Request::Screen(ScreenRequest::Live(request)), &journey.setup);
            journey.message(Message::Response(Box::new(response)));
        }
    }
    journey.shows("Replay · null · kv 10000").shows("1 Sequential writes").shows("1x");
    journey.keys("ff").shows("100x");
    journey.time(100_000).shows("10,000 / 10,000").shows("p50 2.00 µs");
    journey.keys("]").shows("2 Random reads").key(KeyPress::Esc).hides("Replay");
}

#[test]
fn nothing_to_watch_says_how_to_get_there() {
    Journey::begin(80, 24).keys("2").shows("No session was run").shows("p there replays a run");
}

#[test]
fn a_session_that_was_interrupted_is_resumed_with_two_keys() {
    Journey::begin(80, 24).keys("2r").shows("there is nothing to resume");
    let place = Place::new();
    resume::cut_short(&place, &resume::SESSION, Signal::KILL, 40);
    let mut journey = Journey::begin_in(place, 80, 24);
    journey.keys("2r").shows("Resume the session?").shows("of 16 runs are left to do").shows("redb");
    journey.keys("n").hides("Resume the session?");
    assert!(!journey.others.iter().any(|effect| effect.starts_with("Resume(")), "{:?}", journey.others);
    journey.keys("ry");
    assert!(journey.others.iter().any(|effect| effect.starts_with("Resume(")), "{:?}", journey.others);
    assert!(journey.app.screens.live.running(), "it is watched");
}

#[test]
fn what_a_session_says_about_its_options_is_read_at_once_or_after_what_is_open() {
    let mut journey = Journey::begin(80, 24);
    let page =
        || Message::FollowUp(Box::new(("What the session says".to_owned(), vec!["synchronous 61 %".to_owned()])));
    journey.message(page());
    journey.shows("What the session says").shows("synchronous 61 %");
    journey.key(KeyPress::Esc).hides("synchronous 61 %").keys("?");
    journey.message(page());
    journey.hides("synchronous 61 %");
    journey.key(KeyPress::Esc).shows("synchronous 61 %");
}
