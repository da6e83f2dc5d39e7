//! Loading on the Compare screen: its messages, its progress, and how to cancel it.

use super::{Journey, over, pairs};
use dbdyno::tui::{
    Command, Message, Request, Response,
    keys::KeyPress,
    screens::{ScreenRequest, compare},
};
use dbdyno_engine::durability::Tier;

/// Returns the requests that a key causes, without responding to them.
fn asked(journey: &mut Journey, key: KeyPress) -> Vec<Command> {
    journey.app.update(Message::Key(key))
}

fn request(commands: Vec<Command>) -> Request {
    let request = commands.into_iter().find_map(|command| match command {
        Command::Request(request) => Some(request),
        _ => None,
    });
    request.expect("something is requested")
}

#[test]
fn figures_of_other_sides_are_not_shown_while_new_ones_are_read() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter).shows("▼ x 3.0x faster");
    let commands = asked(&mut journey, KeyPress::Char('s'));
    journey.hides("3.0x faster").hides("1 Writes").shows("reading");
    // The old figures cannot be explained, copied or exported either.
    journey.keys("x").hides("Hodges-Lehmann").keys("e").shows("there is no comparison to export");
    journey.perform(commands);
    journey.shows("▲ x 3.0x faster").hides("reading");
}

#[test]
fn a_long_reading_says_how_far_it_is_and_that_it_goes_on() {
    let mut journey = over(&pairs(&["1000", "20000"], Tier::PowerSafe), 80, 24);
    let request = request(asked(&mut journey, KeyPress::Enter));
    journey.time(3_200).shows("3.20 s").shows("Esc cancels").hides("results read");
    let before = journey.screen();
    // The response is complete, but has not reached the screen yet.
    let response = dbdyno::tui::respond(request, &journey.setup);
    journey.time(3_450).shows("64 results read");
    let moved = |screen: &str| screen.lines().find(|line| line.contains("[")).map(|line| line.find('=')).unwrap();
    assert_ne!(moved(&before), moved(&journey.screen()), "a sign moves");
    journey.message(Message::Response(Box::new(response)));
    journey.shows("3.0x faster").hides("results read");
}

#[test]
fn a_reading_that_is_given_up_leaves_what_was_there() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter).shows("▼ x 3.0x faster");
    let commands = asked(&mut journey, KeyPress::Char('s'));
    journey.key(KeyPress::Esc).shows("▼ x 3.0x faster").hides("reading").shows("cancelled");
    let Request::Screen(ScreenRequest::Compare(compare::Request::Compare { watch, .. })) = request(commands) else {
        panic!("a comparison is requested")
    };
    assert!(watch.is_given_up(), "the store is told");
    assert!(journey.setup.store.watched(&watch).offers().is_err(), "and reads nothing more for it");
}

#[test]
fn what_comes_after_it_was_given_up_is_dropped() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter);
    let late = request(asked(&mut journey, KeyPress::Char('s')));
    let response: Response = dbdyno::tui::respond(late, &journey.setup);
    journey.key(KeyPress::Esc).shows("▼ x 3.0x faster").message(Message::Response(Box::new(response)));
    journey.shows("▼ x 3.0x faster").keys("s").shows("▲ x 3.0x faster");
}

#[test]
fn the_first_sides_can_be_typed_anew_when_their_reading_is_given_up() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.keys("a").answer("engine=x").keys("b").key(KeyPress::Ctrl('u')).keys("engine=");
    journey.keys("y size=1000");
    asked(&mut journey, KeyPress::Enter);
    journey.shows("reading").key(KeyPress::Esc).shows("Configurations of the last session").shows("engine=y size=1000");
    journey.keys("b").answer("engine=y").shows("x 3.0x faster");
}
