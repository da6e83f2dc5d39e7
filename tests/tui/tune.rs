//! The Tune screen: trials of a change, shown with the events of real trials of the null engine, and the ledger.

use super::Journey;
use crate::support::Place;
use dbdyno::{
    tui::{
        self, Message, Request, Response,
        keys::KeyPress,
        screens::{ScreenRequest, ScreenResponse, tune},
    },
    tune::{Trial, TrialState, TuneEvent},
};
use dbdyno_running::{jobs::JobKind, watching::JobEvent};

/// Arguments of trials of the engine that does nothing, in simulated time.
const NULL: [&str; 6] =
    ["--engine", "null:clock=simulated,latency_ns=2000,noise_percent=2", "--suite", "kv", "--size", "1000"];

/// Tries a change of the null engine with the command line.
fn try_null(place: &Place, change: &str, more: &[&str]) -> String {
    let words = ["--test", "2", change, "--seed", "7", "--quiet"];
    place.ok(&[&["tune", "try"], &NULL[..], &words, more].concat())
}

/// A journey at the Tune screen of a place with trials.
fn at_tune(place: Place, columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(place, columns, rows);
    journey.keys("5");
    journey
}

fn trials(journey: &Journey) -> Vec<Trial> {
    let ledger = journey.app.screens.tune.ledger.as_ref().unwrap();
    ledger.entries.iter().map(|entry| entry.trial.clone()).collect()
}

/// The text that was last copied to the clipboard.
fn copied(journey: &Journey) -> String {
    let copied = journey.others.iter().rfind(|other| other.starts_with("Copy("));
    copied.expect("something was copied").replace("\\n", "\n").replace("\\\"", "\"")
}

#[test]
fn a_change_is_chosen_and_what_it_costs_is_told_before_it_is_tried() {
    let mut journey = Journey::begin(80, 24);
    // An empty notebook begins with the options that the bench gives the engine.
    journey.keys("5").shows("Base · sqlite · kv 10000").shows("8 rounds").shows("there are no trials yet");
    journey.shows("journal_mode       wal ✓").shows("cache_size         -65536 ✓");
    journey.key(KeyPress::Enter).shows("nothing is changed");
    journey
        .time(60_000)
        .key(KeyPress::Down)
        .key(KeyPress::Backspace)
        .shows("full → normal")
        .shows("tier 3 power-safe → 2")
        .key(KeyPress::Backspace)
        .shows("full → off")
        .shows("tier 3 power-safe → 1");
    journey.keys("d").hides("→");
    journey.keys("p").keys("options of the base").key(KeyPress::Enter).shows("empty for the defaults");
    journey.key(KeyPress::Ctrl('u')).key(KeyPress::Enter).shows("journal_mode       delete").shows("tier 2 consistent");
    for _ in 0..7 {
        journey.key(KeyPress::Down);
    }
    journey.keys("i").shows("What if wal_autocheckpoint were").key(KeyPress::Ctrl('u')).keys("50").key(KeyPress::Enter);
    journey.shows("cannot differ: there is no log");
    journey.key(KeyPress::Enter).shows("not run: it cannot differ");
    assert!(journey.started.is_empty(), "nothing was run: {:?}", journey.started);
}

#[test]
fn the_notebook_opens_where_it_was_left() {
    let place = Place::new();
    let tried = try_null(&place, "null.latency_ns=500", &["--name", "mine", "--accept"]);
    assert!(tried.contains("accepted"), "{tried}");
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = Journey::begin_in(Place::new(), columns, rows);
        journey.setup.store = dbdyno::store::Store::new(place.store());
        journey.keys("5").shows("Base · null · kv 1000").shows("Ledger · mine").shows("500 ✓");
        journey.shows("on Random reads, 8 rounds").keys("l").shows("4.0x faster");
        journey.key(KeyPress::Enter).shows("repeat it with").key(KeyPress::End).shows("--rounds").key(KeyPress::Esc);
    }
    let mut journey = at_tune(place, 120, 40);
    journey.keys("p").keys("options of the base").key(KeyPress::Enter).shows("latency_ns=500").key(KeyPress::Esc);
    // The next trial starts from that base.
    journey.key(KeyPress::End).keys("i").key(KeyPress::Esc);
}

#[test]
fn a_trial_ends_with_a_verdict_a_price_and_a_line_of_the_ledger() {
    let mut journey = Journey::begin(120, 40);
    try_null(journey.place(), "null.latency_ns=1000", &["--name", "null-kv"]);
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
    try_null(journey.place(), "null.latency_ns=1000", &[]);
    journey.keys("5");
    let trial = trials(&journey).remove(0);
    journey.app.screens.tune.event(TuneEvent::TrialEnded { trial: Box::new(trial) });
    journey
        .shows("What if latency_ns=1000 · 2 Random reads")
        .shows("2.0x faster")
        .shows("as before")
        .shows("peak memory");
    journey.shows("ratio: of paired runs, not of the medians");
    journey.keys("A").shows("latency_ns=1000 is now part of the base").shows("▸ latency_ns");
    journey.keys("y").shows("Copy the answer as").shows("the accepted base").keys("preset").key(KeyPress::Enter);
    journey.shows("copied: the accepted base, with latency_ns=1000 last");
    assert!(copied(&journey).contains("latency_ns"), "{:?}", journey.others);
}

#[test]
fn what_is_not_decided_is_no_answer_and_its_command_repeats_it_exactly() {
    let place = Place::new();
    try_null(&place, "null.latency_ns=500", &["--accept"]);
    // This trial changes only the seed. So few rounds cannot decide anything.
    place.ok(&["tune", "try", "--from", "last", "null.noise_seed=9", "--rounds", "6", "--quiet"]);
    let mut journey = at_tune(place, 120, 40);
    let undecided = trials(&journey).into_iter().find(|trial| !trial.accepted).unwrap();
    journey.app.screens.tune.event(TuneEvent::TrialEnded { trial: Box::new(undecided.clone()) });
    let ratio = undecided.effects[0].found.as_ref().unwrap().ratio;
    journey.shows(&format!("ratio {ratio:.2}"));
    journey.keys("y").shows("pragma of the base").hides("pragma of the trial").shows("repeats the trial");
    journey.keys("pragma").key(KeyPress::Enter);
    let answer = copied(&journey);
    assert!(answer.contains("latency_ns=500") && !answer.contains("noise_seed=9"), "{answer}");
    // It can be read too, for a terminal without a clipboard.
    journey.shows("copied: the accepted base").shows("latency_ns=500").key(KeyPress::Esc);
    journey.keys("y").keys("command").key(KeyPress::Enter).shows("copied: the command that repeats the trial");
    let command = copied(&journey);
    for part in [
        "dbdyno tune try --engine null:clock=simulated,latency_ns=500,noise_percent=2",
        "--suite kv --size 1000 --test 2",
        "--rounds 6 noise_seed=9",
        "--name null-kv",
    ] {
        assert!(command.contains(part), "{part} is missing: {command}");
    }
    // The copied command runs.
    let words: Vec<String> =
        command["Copy(\"dbdyno ".len()..].trim_end_matches("\")").split(' ').map(str::to_owned).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["--quiet"]).collect();
    let again = journey.place().ok(&words);
    assert!(again.contains("noise_seed"), "{again}");
    assert_eq!(
        journey.place().value("SELECT count(DISTINCT base::VARCHAR || change::VARCHAR || rounds) FROM trial"),
        "2"
    );
}

#[test]
fn an_undecided_trial_shows_its_ratio_with_its_interval() {
    let place = Place::new();
    try_null(&place, "null.latency_ns=1980", &[]);
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = Journey::begin_in(Place::new(), columns, rows);
        journey.setup.store = dbdyno::store::Store::new(place.store());
        journey.keys("5");
        let mut trial = trials(&journey).remove(0);
        let found = trial.effects[0].found.as_mut().unwrap();
        found.verdict = dbdyno::stats::Verdict::Undecided { more_rounds: Some(12) };
        let interval = found.interval.unwrap();
        let (ratio, ends) = (format!("{:.2}", found.ratio), format!("{:.2}-{:.2}", interval.low, interval.high));
        journey.app.screens.tune.event(TuneEvent::TrialEnded { trial: Box::new(trial) });
        let screen = journey.screen();
        assert!(screen.contains(&format!("ratio {ratio}")), "{ratio}:\n{screen}");
        assert!(screen.contains(&ends), "{ends}:\n{screen}");
        journey.shows("undecided, about 12");
    }
}

#[test]
fn a_small_panel_keeps_what_changed_and_counts_what_it_hides() {
    let place = Place::new();
    let of_sqlite = ["--engine", "sqlite", "--suite", "kv", "--test", "1", "--size", "1000", "--rounds", "2"];
    place.ok(&[&["tune", "try", "synchronous=off", "--quiet"], &of_sqlite[..]].concat());
    let mut journey = at_tune(place, 80, 24);
    journey.keys("l").shows("synchronous=off · 1 Sequential writes").shows("durability tier 2 consistent -> 1");
    // The last figures of the price, and those that stayed as they were by name.
    journey.shows("│syncs 4 -> 0").shows("outside the timer ").shows("as before: ").hides("more below: Enter");
    journey.shows("· synchronous=off").shows("tier 2→1");
    let mut trial = trials(&journey).remove(0);
    trial.risks = ["no network file systems", "every process shares its memory", "no readers while it writes"]
        .map(str::to_owned)
        .to_vec();
    journey.keys("h");
    journey.app.screens.tune.event(TuneEvent::TrialEnded { trial: Box::new(trial) });
    journey.shows("│syncs 4 -> 0").shows(" more below: Enter in the ledger").hides("as before: ");
}

#[test]
fn a_trial_and_its_row_of_the_ledger_name_the_tests_that_were_measured() {
    let place = Place::new();
    try_null(&place, "null.latency_ns=1000", &[]);
    place.ok(&[&["tune", "try"], &NULL[..], &["null.latency_ns=500", "--seed", "7", "--quiet"]].concat());
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut journey = Journey::begin_in(Place::new(), columns, rows);
        journey.setup.store = dbdyno::store::Store::new(place.store());
        journey.keys("5l").shows("What if latency_ns=500 · 8 tests");
        journey.keys("k").shows("What if latency_ns=1000 · 2 Random reads").hides("→");
        let screen = journey.screen();
        let row = screen.lines().rev().find(|line| line.contains("· latency_ns") && line.contains("2.0x faster"));
        let row = row.unwrap_or_else(|| panic!("{screen}"));
        assert!(columns == 80 || row.contains("test 2") || row.contains("2 Random reads"), "{screen}");
    }
}

#[test]
fn a_stopped_trial_is_not_accepted() {
    let place = Place::new();
    try_null(&place, "null.latency_ns=1000", &[]);
    let mut journey = at_tune(place, 120, 40);
    let stopped = Trial { state: TrialState::Stopped, ..trials(&journey).remove(0) };
    journey.message(Message::JobBegan { is_own: true, kind: JobKind::Tune });
    journey.told(JobEvent::Tune(Box::new(TuneEvent::TrialEnded { trial: Box::new(stopped) })));
    journey.message(Message::JobOver(Ok(())));
    journey.shows("was stopped, and decides nothing").hides("A accepts").shows("until it ended, which decides nothing");
    journey.keys("A").shows("was stopped before its last round").hides("Make latency_ns");
    journey.time(60_000).hides("A accept");
    assert_eq!(journey.place().value("SELECT count(*) FROM trial WHERE accepted"), "0");
}

#[test]
fn nothing_else_is_started_while_a_trial_runs() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("5").key(KeyPress::Down).key(KeyPress::Backspace).key(KeyPress::Enter);
    assert_eq!(journey.started.len(), 1, "the trial is started");
    journey.keys("1").key(KeyPress::Enter).shows("a trial is running");
    assert_eq!(journey.started.len(), 1);
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
    journey.message(Message::JobOver(Err("the disk is full".to_owned())));
    journey.shows("the disk is full");
}

#[test]
fn a_trial_that_takes_long_is_asked_about_and_no_key_typed_ahead_starts_one() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("5").key(KeyPress::Down).key(KeyPress::Backspace);
    journey.keys("p").keys("rounds").at_once(&[KeyPress::Enter, KeyPress::Ctrl('u')]).keys("1000");
    journey.at_once(&[KeyPress::Enter, KeyPress::Enter]).hides("Rounds");
    journey.keys("p").keys("size").key(KeyPress::Enter).key(KeyPress::Ctrl('u')).keys("100k").key(KeyPress::Enter);
    assert!(journey.started.is_empty(), "nothing was started: {:?}", journey.started);
    journey.key(KeyPress::Enter).shows("Start 2,000 runs?").shows("time   about").key(KeyPress::Enter);
    assert!(journey.started.is_empty(), "Enter is not yes");
    journey.key(KeyPress::Enter).keys("y");
    assert!(journey.started[0].starts_with("dbdyno tune try"));
}

#[test]
fn rows_of_the_ledger_are_opened_compared_and_made_the_base() {
    let place = Place::new();
    try_null(&place, "null.latency_ns=1000", &[]);
    try_null(&place, "null.latency_ns=1500", &["--accept"]);
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = Journey::begin_in(Place::new(), columns, rows);
        journey.setup.store = dbdyno::store::Store::new(place.store());
        journey.keys("5l").shows("2 of 2").shows("What if latency_ns=1500 · 2 Random reads");
        journey.keys("k").shows("1 of 2").shows("What if latency_ns=1000 · 2 Random reads").shows("2.0x faster");
        journey.key(KeyPress::Enter).shows("Trial of latency_ns=1000").shows("2 Random reads").shows("look 1");
        journey.key(KeyPress::Esc).keys("h").key(KeyPress::Enter).shows("nothing is changed");
    }
    let mut journey = at_tune(place, 120, 40);
    journey.keys("lk").keys("A").shows("latency_ns=1000 is now part of the base").shows("▸ latency_ns: 2000 -> 1000");
    let accepted = "SELECT count(*) FROM trial WHERE accepted";
    assert_eq!(journey.place().value(accepted), "2");
    // Returns to the other base, which was accepted before.
    journey.keys("jA").shows("the base is now the result of latency_ns=1500").shows("▸ latency_ns: 2000 -> 1500");
    journey.keys("m");
    let more = journey.started.last().unwrap();
    assert!(more.starts_with("dbdyno tune more"), "{more}");
}

#[test]
fn several_values_are_tried_each_in_a_trial() {
    let mut journey = Journey::begin(120, 40);
    journey.keys("5").key(KeyPress::Down).keys("s").shows("Try each of these for synchronous").shows("in the base");
    journey.key(KeyPress::Enter);
    let command = journey.started.last().unwrap();
    assert!(command.contains("synchronous=off synchronous=normal"), "{command}");
}

/// Sends the output of a tuning command to the screen.
fn told(journey: &mut Journey, said: &str, until: impl Fn(&serde_json::Value) -> bool) {
    for line in said.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(event) = event(&value) else { continue };
        journey.told(JobEvent::Tune(Box::new(event)));
        if until(&value) {
            return;
        }
    }
}

/// An event as the program prints it. Events of sessions are left out.
fn event(value: &serde_json::Value) -> Option<TuneEvent> {
    let part = |name: &str| value[name].clone();
    let number = |name: &str| value[name].as_u64().unwrap();
    Some(match value["event"].as_str()? {
        "search_started" => TuneEvent::SearchStarted {
            search_id: part("search_id").as_str()?.to_owned(),
            tier: serde_json::from_value(part("tier")).unwrap(),
            candidates: number("candidates") as usize,
            budget_ms: number("budget_ms"),
        },
        "standing" => TuneEvent::Standing {
            tried: number("tried") as usize,
            alive: number("alive") as usize,
            best: None,
            leaders: serde_json::from_value(part("leaders")).unwrap(),
            left_ms: number("left_ms"),
        },
        "trial_started" => TuneEvent::TrialStarted {
            trial: serde_json::from_value(part("trial")).unwrap(),
            rounds: number("rounds") as u32,
            before: number("before") as u32,
        },
        "trial_ended" => TuneEvent::TrialEnded { trial: serde_json::from_value(part("trial")).unwrap() },
        "search_ended" => TuneEvent::SearchEnded { found: serde_json::from_value(part("found")).unwrap() },
        _ => return None,
    })
}

const SEARCH: [&str; 8] = ["tune", "search", "--tier", "0", "--budget", "10m", "--rounds", "6"];

#[test]
fn a_search_is_started_watched_and_ends_with_its_answer() {
    let base = ["--engine", "null:clock=simulated,noise_percent=2", "--suite", "kv", "--test", "2", "--size", "1000"];
    let said = Place::new().ok(&[&SEARCH[..], &base, &["--seed", "3", "--quiet", "--json"]].concat());
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let place = Place::new();
        try_null(&place, "null.latency_ns=1000", &["--accept"]);
        let mut journey = at_tune(place, columns, rows);
        journey.keys("f").shows("Search for the fastest settings").shows("0 unsafe or more");
        journey.keys("budget").key(KeyPress::Enter).key(KeyPress::Ctrl('u')).keys("x").key(KeyPress::Enter);
        journey.shows("expected a number with ms, s, m or h").key(KeyPress::Backspace).keys("10m").key(KeyPress::Enter);
        journey.shows("10m00s").keys("rounds").key(KeyPress::Enter).keys("6").key(KeyPress::Enter);
        journey.key(KeyPress::Enter).shows("Search for 10m00s?").keys("y");
        let start = journey.started.last().unwrap().clone();
        assert!(start.starts_with("dbdyno tune search --engine null:"), "{start}");
        assert!(start.contains("--tier 0 --budget 10m --rounds 6"), "{start}");
        told(&mut journey, &said, |value| value["event"] == "search_started");
        journey.shows("‹search› · tier 0 unsafe or more");
        journey.keys("1").key(KeyPress::Enter).shows("a search is running").keys("5");
        journey.keys("K").shows("Stop the search?").keys("n");

        told(&mut journey, &said, |value| value["event"] == "trial_started");
        journey.shows("rung rounds  ratio  setting").shows("latency_ns=800").shows("confirming latency_ns=800");
        told(&mut journey, &said, |_| false);
        journey.message(Message::JobOver(Ok(())));
        journey.shows("latency_ns=800: 0.80").shows(" 1.25x").shows("the race flatters its winners");
        // The names of the views leave a narrow pane only room for the number of the test.
        let title = if columns > 80 { "What if latency_ns=800 · 2 Random reads" } else { "latency_ns=800 · test 2" };
        journey.keys("v").shows(title).keys("v").shows("rung rounds");
        journey.click("trial").shows(title).click("search").shows("rung rounds");
    }
}

#[test]
fn statements_of_the_users_own_are_the_workload() {
    let mut journey = Journey::begin(120, 40);
    let path = |name: &str| journey.place().path(name).display().to_string();
    let (sql, database) = (path("mine.sql"), path("mine.db"));
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        .unwrap();
    std::fs::write(&sql, "SELECT nothing FROM t;").unwrap();
    let choose = |journey: &mut Journey| {
        journey.keys("p").keys("own SQL").key(KeyPress::Enter).shows("Your own statements").key(KeyPress::Ctrl('u'));
        journey.keys(&sql).key(KeyPress::Enter).shows("Their database").key(KeyPress::Ctrl('u')).keys(&database);
        journey.key(KeyPress::Enter).shows("Time a statement").shows("1m").key(KeyPress::Enter);
    };
    journey.keys("5");
    choose(&mut journey);
    journey.shows("The workload cannot be tuned").shows("mine.sql:1").shows("nothing").key(KeyPress::Esc);
    std::fs::write(&sql, "SELECT a FROM t;\n").unwrap();
    choose(&mut journey);
    journey.shows("Base · sqlite · sql-mine-").shows("Ledger · sqlite-sql-mine-");
    journey.key(KeyPress::Down).key(KeyPress::Backspace).key(KeyPress::Enter);
    let command = journey.started.last().unwrap();
    assert!(command.contains(&format!("--sql {sql} --database {database} --size 1")), "{command}");
    assert!(!command.contains("--suite") && !command.contains("--test"), "{command}");
}

#[test]
fn which_option_matters_is_charted_and_exported() {
    let place = Place::new();
    try_null(&place, "null.latency_ns=1000", &["null.latency_ns=4000"]);
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = Journey::begin_in(Place::new(), columns, rows);
        journey.setup.store = dbdyno::store::Store::new(place.store());
        journey.keys("5E").shows("Effects in / ledger=null-kv").key(KeyPress::Enter);
        journey.shows("‹effects› · null on kv at 1000").shows("latency_ns").shows("2000 against 1000").shows("◆");
        journey.key(KeyPress::End).shows("ranking").key(KeyPress::Home);
        journey.keys("e").shows("Export the effects").key(KeyPress::Ctrl('u'));
        let file = journey.place().path("effects.json").display().to_string();
        journey.keys(&file).key(KeyPress::Enter).shows("written");
        assert!(std::fs::read_to_string(file).unwrap().contains("\"factors\""));
        journey.key(KeyPress::Esc).hides("‹effects› ·").keys("v").shows("‹effects› ·").key(KeyPress::Esc);
        journey.keys("E").key(KeyPress::Ctrl('u')).keys("engine=nothing").key(KeyPress::Enter).shows("✗");
    }
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
