//! The Choose screen: from the second entry of Bench to the settings of the engine to take, with the events of a real choice.

use super::Journey;
use crate::support::Place;
use dbdyno::{
    choose::ChooseEvent,
    tui::{
        Message,
        keys::{KeyPress, ScreenId},
    },
};
use dbdyno_running::watching::JobEvent;

/// A journey at the Choose screen of a place, with the workload that Bench has.
fn at_choose(place: Place, columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(place, columns, rows);
    journey.click("  Help me choose").shows("Lets all engines compete").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Choose);
    journey
}

/// Replaces the text of a prompt, and accepts it.
fn typed<'j>(journey: &'j mut Journey, text: &str) -> &'j mut Journey {
    journey.key(KeyPress::Ctrl('u')).keys(text).key(KeyPress::Enter)
}

/// Runs the command that the screen started, and returns its events.
fn events(journey: &mut Journey) -> Vec<ChooseEvent> {
    let command = journey.started.pop().unwrap();
    let words: Vec<String> = command.split(' ').map(|word| word.replace('\'', "")).collect();
    let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).chain(["--json"]).collect();
    let done = journey.place().run(&arguments);
    done.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn an_engine_is_chosen_in_four_questions_and_its_settings_are_copied() {
    let mut journey = at_choose(Place::new(), 80, 24);
    journey.shows("Workload").shows("kv").shows("A commit must survive").shows("10m").shows("Choose");
    // What a commit must survive: a list.
    journey.key(KeyPress::Down).key(KeyPress::Enter).shows("What must a commit survive?").keys("consistent");
    journey.key(KeyPress::Enter).shows("tier 2 consistent");
    journey.key(KeyPress::Down).key(KeyPress::Enter);
    typed(&mut journey, "much").shows("expected bytes").key(KeyPress::Ctrl('u')).keys("512MiB").key(KeyPress::Enter);
    journey.shows("512MiB").key(KeyPress::Down).key(KeyPress::Enter);
    typed(&mut journey, "8s")
        .shows("8s")
        .key(KeyPress::Down)
        .key(KeyPress::Enter)
        .keys("only these")
        .key(KeyPress::Enter);
    typed(&mut journey, "lmbd")
        .shows("lmdb")
        .key(KeyPress::Ctrl('u'))
        .keys("sqlite, lmdb, duckdb")
        .key(KeyPress::Enter);
    journey.shows("only these engines sqlite,lmdb,duckdb");
    // The tests that count are those of the suite that is chosen from the list.
    journey.keys("kkkk").key(KeyPress::Enter).shows("My SQL statements").keys("kv").key(KeyPress::Enter);
    journey.shows("Tests that count").keys("   ").key(KeyPress::Esc);
    journey.keys("jjjjj").shows("Enter start").key(KeyPress::Enter).shows("starting");
    let asked = journey.started.last().unwrap();
    for words in
        ["dbdyno choose --suite kv", "--tier 2", "--memory-limit 512MiB", "--budget 8s", "--engine sqlite,lmdb,duckdb"]
    {
        assert!(asked.contains(words), "{words} in {asked}");
    }

    let all = events(&mut journey);
    assert!(all.iter().any(|event| matches!(event, ChooseEvent::Leaderboard { .. })));
    let mut has_led = false;
    for event in all {
        let standing = matches!(event, ChooseEvent::Leaderboard { .. });
        let ends = matches!(event, ChooseEvent::ChoiceEnded { .. });
        journey.told(JobEvent::Choose(Box::new(event)));
        if standing && !has_led {
            has_led = true;
            journey.shows("leads").shows("left").shows("not considered").shows("K stop");
            journey
                .keys("1")
                .click("My workload")
                .key(KeyPress::Enter)
                .key(KeyPress::Enter)
                .shows("engines compete: H shows it")
                .hides("y yes");
            journey.keys("H").shows("leads");
        }
        if ends {
            journey.message(Message::JobOver(Ok(())));
        }
    }
    journey.shows("Answer").shows("first").shows("tier").hides("K stop").shows("x evidence").shows("n report");
    journey.keys("n").shows("Take").key(KeyPress::End).shows("how sure").key(KeyPress::Esc);
    journey.keys("y").shows("Copy the settings of").key(KeyPress::Enter).shows("copied: the settings of");
    assert!(journey.others.iter().any(|other| other.starts_with("Copy(") && other.contains("choose --show")));
    journey.key(KeyPress::Esc);
    let file = journey.place().path("choice.md");
    journey.keys("e");
    typed(&mut journey, file.to_str().unwrap()).shows("written:");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("not considered") && text.contains("| engine"), "{text}");
    journey.keys("x");
    assert_eq!(journey.app.screen, ScreenId::Results);
    journey.shows("choice=");
}

#[test]
fn the_last_answer_and_an_interrupted_choice_wait_for_whoever_comes_back() {
    let place = Place::new();
    place.ok(&[
        "choose",
        "--suite",
        "kv",
        "--test",
        "Random reads",
        "--size",
        "1000",
        "--tier",
        "2",
        "--budget",
        "5s",
        "--engine",
        "sqlite,lmdb",
        "--seed",
        "3",
        "--quiet",
    ]);
    let mut journey = at_choose(place, 120, 40);
    journey
        .shows("Answer")
        .shows("For kv at size 1000.")
        .key(KeyPress::Right)
        .shows("Enter details")
        .key(KeyPress::Enter);
    journey.shows("settings tried; the best").key(KeyPress::Esc).key(KeyPress::Esc).shows("More constraints");
}

#[test]
fn a_choice_without_a_workload_says_what_it_needs() {
    let mut journey = Journey::begin(80, 24);
    // No SQL file is chosen on Bench yet.
    journey.click("My SQL").key(KeyPress::Enter).click("  Help me choose").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Choose);
    journey.shows("which? Enter lists them").keys("jjjjj").shows("needs a workload").key(KeyPress::Enter);
    journey.shows("choose a workload first");
    assert!(journey.started.is_empty());
    journey.keys("kkkkk").key(KeyPress::Enter).key(KeyPress::Enter).shows("FIELD=VALUE");
    typed(&mut journey, "reads=90")
        .shows("read")
        .key(KeyPress::Ctrl('u'))
        .keys("rows=1k,read=100")
        .key(KeyPress::Enter);
    journey.shows("rows=1000,read=100").keys("y");
    assert!(journey.others.iter().any(|other| other.contains("choose --workload")), "{:?}", journey.others);
}

#[test]
fn the_palette_and_a_key_lead_to_the_questions_with_the_workload_of_bench() {
    for keys in [&["H"][..], &["3", ":", "help me"]] {
        let mut journey = Journey::begin(80, 24);
        keys.iter().for_each(|keys| {
            journey.keys(keys);
        });
        if journey.app.screen != ScreenId::Choose {
            journey.shows("help me choose").key(KeyPress::Enter);
        }
        assert_eq!(journey.app.screen, ScreenId::Choose);
        journey.shows("kv at 10000").key(KeyPress::Esc);
    }
}
