//! The terminal UI started anywhere: `dbdyno tui`.

use super::{Journey, results::stored, terminal::Terminal};
use crate::support::Place;
use dbdyno::tui::{keys::ScreenId, launch::Opening};
use std::{rc::Rc, thread, time::Duration};

#[test]
fn every_screen_can_be_the_first() {
    for screen in ScreenId::ALL {
        let mut journey = Journey::begin(80, 24);
        let commands = journey.app.show(Opening::Screen(screen));
        journey.perform(commands);
        assert_eq!(journey.app.screen, screen);
    }
}

#[test]
fn a_pair_results_and_a_session_are_opened() {
    let show = |opening: Opening| {
        let mut journey = Journey::begin_in(stored(), 80, 24);
        let commands = journey.app.show(opening);
        journey.perform(commands);
        journey
    };
    let text = str::to_owned;
    let pair = Opening::Pair { a: text("latency_ns=200"), b: text("latency_ns=2000") };
    show(pair).shows("‹table›").shows("A  latency_ns=200").shows("B  latency_ns=2000").shows("Random reads");
    let beside = Opening::Beside { reference: text("session=last") };
    show(beside).shows("‹matrix›").shows("reference   null[latency_ns=200");
    let filtered = Opening::Results { selection: text("latency_ns=2000") };
    show(filtered).shows("/ latency_ns=2000").shows("1 configuration ");
    let misspelt = Opening::Results { selection: text("latency=2000") };
    show(misspelt).shows("Results 0");
}

#[test]
fn the_program_opens_a_pair_in_a_terminal() {
    let sides = ["tui", "--screen", "compare", "--a", "latency_ns=200", "--b", "latency_ns=2000", "--theme", "light"];
    let mut terminal = Terminal::start_in(Rc::new(stored()), &sides, (80, 24));
    terminal.shows("‹table›");
    terminal.shows("Random reads");
    terminal.press(":go results\r");
    terminal.shows("2 configurations");
    terminal.press("q");
    terminal.ends_with(0);
}

#[test]
fn who_leaves_while_the_store_is_read_leaves_in_order() {
    let place = Rc::new(stored());
    for wait in (0..200).step_by(25).map(Duration::from_millis) {
        let sides = ["tui", "--screen", "compare", "--session", "last"];
        let mut terminal = Terminal::start_in(Rc::clone(&place), &sides, (80, 24));
        terminal.shows("Compare");
        terminal.press(":go results\r");
        // Results reads the store for some of this time.
        thread::sleep(wait);
        terminal.press("q");
        terminal.ends_with(0);
    }
}

#[test]
fn what_cannot_be_shown_is_said_before_the_screen_opens() {
    let place = Place::new();
    for (arguments, error) in [
        (&["--screen", "charts"][..], "[possible values: bench, live, results, compare, tune, claims, torture]"),
        (&["--a", "engine=x", "--b", "engine=y"], "--a engine=x: expected --screen compare with it"),
        (&["--screen", "compare", "--a", "lmdb fast", "--b", "engine=y"], "--a `lmdb fast`: expected KEY=VALUE"),
        (&["--screen", "results", "--filter", "size<=big"], "--filter `size<=big`: expected"),
        (&["--screen", "results"], "the terminal UI needs a terminal"),
    ] {
        let done = place.run(&[&["tui"], arguments].concat());
        assert_eq!(done.code, Some(2), "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(error), "{arguments:?}: {}", done.stderr);
    }
    let help = place.ok(&["tui", "--help"]);
    for flag in ["--screen", "--a", "--b", "--reference", "--session", "--filter", "--theme"] {
        assert!(help.contains(flag), "{help}");
    }
}
