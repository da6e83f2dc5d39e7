//! Messages on the bottom line, and files whose names are taken.

use super::{Journey, results::stored};
use dbdyno::tui::{
    Message, Response,
    keys::KeyPress,
    screens::{ScreenResponse, results},
};

fn say(journey: &mut Journey, text: &str) {
    let said = results::Response::Changed(Err(text.to_owned()));
    journey.message(Message::Response(Box::new(Response::Screen(ScreenResponse::Results(said)))));
}

#[test]
fn a_long_message_takes_more_rows_and_is_kept() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("M").shows("No messages yet").key(KeyPress::Esc);
    let long = format!("it {} finally.", "is a long story ".repeat(12));
    say(&mut journey, &long);
    journey.shows("✗ it is a long story").shows("finally.").shows("Enter run");
    say(&mut journey, &format!("{} THEEND", "and then there was more of it ".repeat(40)));
    journey.shows("M shows all").hides("THEEND").shows("Enter run");
    journey
        .time(20_000)
        .key(KeyPress::Esc)
        .keys("M")
        .shows("Messages")
        .key(KeyPress::End)
        .shows("THEEND")
        .shows("finally.");
    journey.keys("M").hides("Messages").shows("leave").hides("and then");
    // A message stays until the next key.
    say(&mut journey, "it failed");
    journey.time(200_000).shows("✗ it failed").key(KeyPress::Esc).hides("it failed");
    journey.keys("uZ").shows("! nothing is running to detach from").keys("y").shows("✓ copied: ");
    say(&mut journey, "it failed");
    journey.at_once(&[KeyPress::Down]).shows("✗ it failed").key(KeyPress::Enter).hides("it failed");
    say(&mut journey, "it failed while the session runs");
    journey.shows("✗ it failed while").keys("1").hides("it failed");
}

#[test]
fn a_file_that_is_there_is_asked_for_again_with_a_name_that_is_free() {
    let mut journey = Journey::begin_in(stored(), 120, 40);
    let path = journey.place().path("mine.csv");
    std::fs::write(&path, "mine").unwrap();
    journey.keys("3").keys("e").key(KeyPress::Ctrl('u')).keys(path.to_str().unwrap()).key(KeyPress::Enter);
    journey.shows("Export all results").shows("already exists").shows("mine-2.csv");
    journey.key(KeyPress::Enter).shows("written: ").hides("Export all results");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    let written = std::fs::read_to_string(journey.place().path("mine-2.csv")).unwrap();
    assert_eq!(written.lines().count(), 33);
    journey.keys("e").key(KeyPress::Ctrl('u')).keys("results.exe").key(KeyPress::Enter);
    journey.shows("expected a name that ends in").shows("results.exe").key(KeyPress::Esc).hides("results.exe");
}

#[test]
fn the_name_that_is_offered_first_is_free() {
    let free = |journey: &mut Journey, free: &str| {
        let offered = Response::FreeName { asked: "dbdyno-plan.txt".to_owned(), free: free.to_owned() };
        journey.message(Message::Response(Box::new(offered)));
    };
    let mut journey = Journey::begin(80, 24);
    journey.keys("e").shows("dbdyno-plan.txt");
    free(&mut journey, "dbdyno-plan-2.txt");
    journey.shows("dbdyno-plan-2.txt");
    journey.keys("x");
    free(&mut journey, "dbdyno-plan-3.txt");
    journey.shows("dbdyno-plan-2.txtx");
}
