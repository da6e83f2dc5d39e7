//! The Bench screen and the frame around it.

use super::Journey;
use crate::support::Place;
use dbdyno::tui::{
    Message,
    keys::{KeyPress, ScreenId},
};

#[test]
fn the_first_screen_of_an_empty_store_can_be_run_with_one_key() {
    let mut journey = Journey::begin(80, 24);
    journey.shows("▸ kv").shows("[x] sqlite").shows("30 runs").shows("(a guess)").shows("Enter run");
    journey.key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Live, "it shows what it started");
    assert_eq!(journey.started, ["dbdyno --preset quick"], "the command does the same without a screen");
}

#[test]
fn the_first_bench_runs_its_engines_at_one_tier() {
    let mut journey = Journey::begin(120, 40);
    journey.shows("30 runs").shows("tier 3 power-safe").hides("unequal tiers");
    journey.key(KeyPress::Right).keys("d").shows("tier 2 consistent").shows("unequal tiers");
}

#[test]
fn what_takes_long_is_told_and_asked_about_before_it_is_started() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = Journey::begin(columns, rows);
        journey
            .key(KeyPress::Left)
            .key(KeyPress::Left)
            .keys("i")
            .shows("until all is decided")
            .key(KeyPress::Ctrl('u'));
        journey.keys("10000").key(KeyPress::Enter).shows("30,000 runs");
        journey.key(KeyPress::Enter).shows("Start 30,000 runs?").shows("time   about").shows("disk   up to");
        journey.key(KeyPress::Enter).hides("Start 30,000 runs?");
        assert!(journey.started.is_empty(), "Enter is not yes");
        journey.key(KeyPress::Enter).keys("y");
        assert_eq!(journey.started.len(), 1);
        assert_eq!(journey.app.screen, ScreenId::Live);
    }
}

#[test]
fn a_key_typed_for_a_dialog_starts_no_bench() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("t").shows("Tests to measure").at_once(&[KeyPress::Enter, KeyPress::Enter]).hides("Tests to measure");
    assert!(journey.started.is_empty(), "the second Enter was typed ahead");
    // A key that is held down repeats.
    journey.keys("?");
    journey.at_once(&[KeyPress::Enter; 20]).hides("Keys of Bench");
    assert!(journey.started.is_empty() && journey.app.screen == ScreenId::Bench);
    // A key that starts nothing takes effect immediately.
    journey.keys("?").at_once(&[KeyPress::Esc, KeyPress::Char(' ')]).shows("20 runs").keys(" ");
    journey.key(KeyPress::Enter);
    assert_eq!(journey.started.len(), 1, "an Enter of its own is taken");
}

#[test]
fn one_of_something_is_one() {
    let mut journey = Journey::begin(120, 40);
    for entry in journey.app.screens.bench.form.entries.clone() {
        if entry.on && entry.engine != "sqlite" {
            journey.keys(" ");
        }
        journey.key(KeyPress::Down);
    }
    journey.keys("i").key(KeyPress::Ctrl('u')).keys("1").key(KeyPress::Enter);
    journey.shows("Plan: 1 run ·").shows("1 configuration x 1 round, 8 tests each");
}

#[test]
fn a_sweep_multiplies_the_plan_and_names_the_unequal_tiers() {
    let mut journey = Journey::begin(120, 40);
    journey.key(KeyPress::Right).key(KeyPress::Down).shows("synchronous");
    journey.keys("s").shows("Values of synchronous").shows("tier 1 process-safe");
    journey.key(KeyPress::Up).key(KeyPress::Up).keys(" ").key(KeyPress::Enter);
    journey.shows("2 values").shows("40 runs").shows("unequal tiers");
    journey.keys("d").shows("30 runs").hides("2 values");
}

#[test]
fn a_sweep_that_cannot_make_a_difference_is_flagged() {
    let mut journey = Journey::begin(120, 40);
    journey
        .key(KeyPress::Right)
        .keys("d")
        .keys("/")
        .keys("wal_auto")
        .key(KeyPress::Enter)
        .keys("i")
        .key(KeyPress::Ctrl('u'));
    journey.keys("50|1000").key(KeyPress::Enter).shows("not run, it cannot differ: there is no log");
}

#[test]
fn a_typed_value_is_refused_with_what_was_expected() {
    let mut journey = Journey::begin(120, 40);
    journey.key(KeyPress::Right);
    for _ in 0..4 {
        journey.key(KeyPress::Down);
    }
    journey.keys("i").shows("mmap_size").keys("x").key(KeyPress::Enter);
    journey.shows("expected a size from 0 to");
    journey.key(KeyPress::Ctrl('u')).keys("0|8000").key(KeyPress::Enter).shows("[0] [8000]").shows("40 runs");
}

#[test]
fn a_bench_is_saved_as_a_preset_and_loaded_again() {
    let mut journey = Journey::begin(120, 40);
    journey.keys(" ").shows("20 runs");
    journey.keys("S").keys("two words").key(KeyPress::Enter).shows("expected a name of letters");
    journey.key(KeyPress::Ctrl('u')).keys("mine").key(KeyPress::Enter).shows("`dbdyno --preset mine`");
    assert!(journey.place().path("config/presets/mine.toml").exists());
    journey
        .keys(" ")
        .shows("30 runs")
        .keys("p")
        .keys("mine")
        .key(KeyPress::Enter)
        .shows("preset mine")
        .shows("20 runs");
    journey.keys("S").keys("mine").key(KeyPress::Enter).shows("Replace your preset mine?").keys("y");
    journey.shows("saved");
}

#[test]
fn tests_sizes_and_rounds_are_chosen() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("t").shows("2 Random reads").key(KeyPress::Down).keys(" ").key(KeyPress::Enter).shows("7 tests");
    journey.click("100,000").shows("[x] 100,000").shows("60 runs");
    journey.key(KeyPress::Right).shows("‹10›").key(KeyPress::Up).shows("‹11›").shows("66 runs");
    journey.keys("a").shows("+ A/A");
}

#[test]
fn rounds_go_on_until_all_is_decided() {
    let mut journey = Journey::delivered_in(Place::new(), 80, 24);
    journey.shows("‹8+10›").shows("24 runs").shows("then more rounds of what is undecided, for at most");
    journey.key(KeyPress::Left).key(KeyPress::Left).keys("i").key(KeyPress::Ctrl('u')).keys("12+").key(KeyPress::Enter);
    journey.shows("‹12+›").shows("36 runs").keys("i").key(KeyPress::Ctrl('u')).keys("8+x").key(KeyPress::Enter);
    journey.shows("`8+x`: expected a whole number from 1 to 10000").key(KeyPress::Esc).keys("u").shows("‹8+10›");
    journey.key(KeyPress::Enter);
    assert_eq!(journey.started, ["dbdyno --preset quick"]);
    assert!(journey.place().ok(&["--preset", "quick", "--dry-run"]).contains("for at most"));
}

#[test]
fn the_noise_of_an_earlier_session_tells_when_all_will_be_decided() {
    let place = Place::new();
    let preset = "title = \"Turns\"\nsuite = \"kv\"\nsizes = [100]\ntests = [\"Random reads\"]\nrepeats = 2\nuntil_decided = 20\n";
    let engine = |turns| format!("[[engine]]\nname = \"null\"\noptions = {{ spins = \"{turns}\" }}\n");
    let path = place.path("config").join("presets/quick.toml");
    std::fs::write(path, [preset, &engine(100), &engine(3000)].concat()).unwrap();
    let expects = "by the noise of the last such session";
    place.ok(&["--preset", "quick"]);
    let mut journey = Journey::delivered_in(place, 200, 60);
    journey.shows("‹2+20›").shows("for at most").time(1_000).hides(expects).time(2_000).shows(expects);
    // Other choices are another bench. Those from before have their forecast again.
    journey.click("] sqlite").click("] sqlite").time(3_000).time(4_000).hides(expects);
    journey.keys("u").time(5_000).time(6_000).shows(expects);
}

#[test]
fn a_terminal_that_is_too_small_says_what_is_needed() {
    let mut journey = Journey::begin(59, 18);
    journey.shows("dbdyno needs 60 x 18").shows("this is 59 x 18").shows("q leaves");
    // The effect of a key could not be seen, so it has none.
    journey.key(KeyPress::Enter).keys("?2").at_once(&[KeyPress::Enter]);
    assert!(journey.started.is_empty() && journey.app.screen == ScreenId::Bench);
    journey.message(Message::Resized(10, 1));
    journey.shows("dbdyno");
    journey.message(Message::Resized(80, 24));
    journey.shows("What to measure").hides("Keys of Bench").key(KeyPress::Enter).shows("Race");
    journey.message(Message::Resized(40, 10));
    journey.shows("▶ 0/30").keys("q").shows("Stop the job and leave?").keys("nq").keys("Z");
    assert_eq!(journey.others, ["Detach"]);
    journey.keys("q");
    assert!(!journey.left, "it asks while a session runs");
}

#[test]
fn every_screen_is_reached_by_number_tab_palette_and_click() {
    let mut journey = Journey::begin(80, 24);
    for screen in ScreenId::tabs() {
        journey.keys(&screen.number().to_string());
        assert_eq!(journey.app.screen, screen);
    }
    journey.key(KeyPress::Tab);
    assert_eq!(journey.app.screen, ScreenId::Bench, "Tab goes around");
    journey.keys(":").shows("Commands").keys("figures next to your own").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Claims);
    journey.click("3 Results");
    assert_eq!(journey.app.screen, ScreenId::Results);
}

#[test]
fn help_names_every_key_of_the_screen() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("?").shows("Keys of Bench").shows("Enter").shows("run this bench");
    journey
        .key(KeyPress::End)
        .shows("leave, quit (asks while a session runs)")
        .shows("keys.toml")
        .key(KeyPress::Esc)
        .hides("Keys of Bench");
}

#[test]
fn leaving_asks_while_a_session_runs() {
    let mut journey = Journey::begin(80, 24);
    journey.key(KeyPress::Enter).keys("q").shows("A session is running. Leave?");
    journey.keys("n");
    assert!(!journey.left);
    journey.keys("qy").shows("leaving as soon as the job has stopped");
    assert!(journey.others.iter().any(|effect| effect.contains("Stop")), "the session is told to stop");
    journey.message(Message::JobOver(Err("it was stopped".to_owned())));
    assert!(journey.left);
}

#[test]
fn the_terminal_is_left_only_while_something_goes_on() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("Z").shows("nothing is running to detach from: q leaves");
    assert!(!journey.left && journey.others.is_empty(), "{:?}", journey.others);
    journey.key(KeyPress::Enter).keys("q").shows("Z leaves and keeps it running").keys("nZ");
    assert_eq!(journey.others, ["Detach"]);
    journey.keys("qZ").hides("Leave?");
    assert_eq!(journey.others, ["Detach", "Detach"]);
    assert!(!journey.left);
    journey.keys("q").key(KeyPress::Ctrl('c')).shows("leaving as soon as the job has stopped");
}

#[test]
fn a_small_terminal_shows_one_pane_at_a_time_and_the_plan() {
    for (columns, rows) in [(60, 18), (79, 24), (80, 22), (200, 18)] {
        let mut journey = Journey::begin(columns, rows);
        journey.shows("What  ‹Engines›  Options").shows("[x] sqlite").shows("Plan: 30 runs").hides("┌").hides("zoom");
        journey.key(KeyPress::Right).shows("‹Options›").shows("synchronous").hides("[x] sqlite");
        journey
            .keys("z")
            .shows("‹Options›")
            .hides("┌")
            .click("Sizes")
            .shows("[x] 10,000")
            .key(KeyPress::Down)
            .keys(" ");
        journey.shows("60 runs");
        for number in "1234567".chars() {
            journey.key(KeyPress::Char(number)).hides("┌").hides("│").shows("q leave");
        }
        // A dialog has its frame.
        journey.keys("1?").shows("Keys of Bench").shows("┌");
    }
}

#[test]
fn moving_changes_nothing_and_what_was_chosen_is_undone() {
    let mut journey = Journey::begin(120, 40);
    journey.click("100,000").shows("60 runs").keys("t").key(KeyPress::Down).keys(" ").key(KeyPress::Enter);
    journey.shows("7 tests each").click("ycsb").shows("About ycsb").shows("values of 1,000").shows("7 tests each");
    journey.key(KeyPress::Up).key(KeyPress::Up).shows("60 runs").shows("7 tests each").shows("▸ kv");
    journey.shows("Enter choose").key(KeyPress::Enter).shows("▸ redb-bench").hides("60 runs");
    assert!(journey.started.is_empty(), "Enter has chosen");
    journey.keys("u").shows("✓ undone: kv").shows("▸ kv").shows("60 runs").shows("7 tests each");
    journey
        .keys("u")
        .shows("✓ undone: tests")
        .shows("8 tests each")
        .keys("u")
        .shows("✓ undone: sizes")
        .shows("30 runs")
        .keys("u")
        .shows("! nothing was changed");
    // Fields of the user's own workload come back too.
    journey.click("My workload").key(KeyPress::Enter).keys(" ").shows("rows").keys(" ").keys("u").keys("u");
    journey.shows("▸ kv");
}

#[test]
fn a_wide_bench_begins_with_questions_and_one_of_them_leads_to_tune() {
    let mut journey = Journey::begin(200, 60);
    journey
        .shows("What do you want to know?")
        .shows("How fast is my workload?")
        .shows("About kv")
        .shows("2 Random reads");
    journey.click("What if an option were different?").shows("About What if?").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Tune);
    // The question is about the engine and the options in view.
    journey.shows("Base · sqlite · kv").shows("journal_mode       wal ✓").shows("cache_size         -65536 ✓");
    let mut journey = Journey::begin(80, 24);
    journey.shows("What to measure").shows("My workload").shows("What if?");
}

#[test]
fn a_first_start_says_what_three_keys_do_until_something_is_measured() {
    for (columns, rows) in [(80, 23), (120, 40)] {
        let mut journey = Journey::begin(columns, rows);
        journey.shows("Enter  runs this bench and shows it live").shows("4      compares the results");
        journey
            .shows("?      lists the keys of the screen")
            .key(KeyPress::Enter)
            .keys("1")
            .hides("compares the results");
        let mut journey = Journey::begin_in(super::results::stored(), columns, rows);
        journey.hides("compares the results").keys("1").hides("compares the results");
    }
}

#[test]
fn the_warnings_of_the_newest_session_are_counted_after_a_restart() {
    let mut journey = Journey::begin_in(super::results::stored(), 120, 40);
    let warnings = journey.place().value("SELECT count(DISTINCT linter)::VARCHAR FROM warning");
    assert_ne!(warnings, "0", "the session has warnings");
    journey.hides(" 0 warnings").keys("w").shows("Warnings about the newest session").shows("! too few repeats:");
}

#[test]
fn ascii_paints_nothing_else() {
    let mut journey = Journey::begin(120, 40);
    journey.setup.look.ascii = true;
    for number in "1234567".chars() {
        journey.key(KeyPress::Char(number));
        assert!(journey.screen().is_ascii(), "{}", journey.screen());
    }
}
