//! The Live screen, fed with the events of real workers of the null engine, and replays of stored sessions.

use super::Journey;
use crate::{resume, support::Place};
use dbdyno::{
    catalog::{Colour, Role},
    runner::RunnerEvent,
    store::Status,
    tui::{
        self, Message, Request, Response,
        keys::{KeyPress, ScreenId},
        screens::{ScreenRequest, ScreenResponse, intent::Intent, live},
    },
};
use dbdyno_engine::protocol::{Event, TestDone};
use dbdyno_running::watching::JobEvent;
use ratatui::style::Color;
use rustix::process::Signal;

/// Chooses only the null engine, with these option values typed as sweeps.
pub(super) fn null_bench(columns: u16, rows: u16, options: &[(&str, &str)]) -> Journey {
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

/// Runs the command that the screen started, and sends its events to the screen until `until` returns true, as if each run took two seconds.
pub(super) fn told(journey: &mut Journey, until: impl Fn(&RunnerEvent) -> bool) {
    told_of_runs(journey, 2_000, until);
}

/// The same with runs of so many milliseconds.
fn told_of_runs(journey: &mut Journey, of_run: u64, until: impl Fn(&RunnerEvent) -> bool) {
    let command = journey.started.last().unwrap().clone();
    let words: Vec<String> = command.split(' ').map(|word| word.replace('\'', "")).collect();
    let mut arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    arguments.push("--json");
    let done = journey.place().run(&arguments);
    let (mut told, mut passed) = (0, 0);
    for line in done.stdout.lines() {
        // The last line is the table, which is not an event.
        let Ok(event) = serde_json::from_str::<RunnerEvent>(line) else { continue };
        told += 1;
        let last = until(&event);
        passed += if matches!(event, RunnerEvent::RunEnded { .. }) { of_run } else { 10 };
        journey.time(passed);
        journey.told(JobEvent::Session(Box::new(event)));
        if last {
            return;
        }
    }
    assert!(told > 0, "{}", done.stderr);
}

/// Whether a run's worker begins this test.
fn begins(event: &RunnerEvent, run: u32, number: u32) -> bool {
    matches!(event, RunnerEvent::Worker { ordinal, says: Event::TestStarted { test, .. }, .. } if (*ordinal, *test) == (run, number))
}

/// The rows of the race that belong to tests, without title and legend.
fn race(journey: &Journey) -> String {
    let screen = journey.screen();
    let lines: Vec<&str> = screen.lines().skip_while(|line| !line.contains("Race")).skip(2).collect();
    lines[..lines.len() - 2].join("\n")
}

pub(super) const TWO_SPEEDS: [(&str, &str); 2] = [("latency_ns", "200|2000"), ("clock", "simulated")];

#[test]
fn a_whole_session_is_watched_as_a_race_and_test_by_test() {
    let mut journey = null_bench(80, 24, &TWO_SPEEDS);
    journey.shows("20 runs").key(KeyPress::Enter).shows("0/20 runs").shows("no test has begun yet");
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 6, .. }));
    journey.shows("7/20 runs").shows("▶ 7/20").shows("round 4/10").shows("null[latency_ns=2000]").shows("size 10000");
    journey.shows("1 Sequential writes").shows("2.00 ms n3").shows("20.0 ms n4").shows("8 Bulk insert");
    journey.shows("null[200] leads in 8 of 8 tests, no verdict yet").shows("size 10000");
    // The single test shows all configurations, and follows the session until the user chooses a test.
    journey.time(100_000).keys("v").shows("8 Bulk insert · size 10000").shows("Latency, log · share of operations");
    let figures = |journey: &Journey, name: &str| {
        let screen = journey.screen();
        let line =
            screen.lines().rev().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{screen}")).to_owned();
        line.replace('│', " ").split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    journey.keys("[[[[[[").shows("2 Random reads · size 10000 · chosen: Esc follows again");
    let (fast, slow) = (figures(&journey, "latency_ns=200]"), figures(&journey, "latency_ns=2000]"));
    let [fast_figures, slow_figures] = [&fast, &slow].map(|words| words[3..].join(" "));
    assert!(fast_figures.starts_with("- 5.00 M/s reference 200 ns"), "{fast_figures}");
    assert!(slow_figures.starts_with("- 500 k/s 10.0 … 2.00 µs"), "{slow_figures}");
    // Chance decides which configuration comes first in the fourth round.
    assert_eq!([&fast, &slow].map(|words| words[2].parse::<u32>().unwrap()).iter().sum::<u32>(), 7);
    journey.key(KeyPress::Esc).hides("chosen").key(KeyPress::Esc).shows("Race");
    journey.click("single test").shows("┌ Figures").click("race").shows("Race").keys("3").keys("2").shows("7/20 runs");
    // The end of the session leaves the view, and nothing is to be followed any more.
    journey.keys("v]").shows("chosen: Esc follows again");
    told(&mut journey, |event| matches!(event, RunnerEvent::SessionEnded { .. }));
    journey.message(Message::JobOver(Ok(())));
    journey.shows("the session is over").shows("‹single test›").hides("Esc follows").keys("v").shows("Race");
    journey.shows("null[200] led in 8 of 8 tests, with a verdict in 8");
}

#[test]
fn the_race_says_that_its_ratios_are_not_those_of_its_medians() {
    let in_legend = "ratio to null[200], of paired runs, not of the medians: ";
    for (columns, rows, there, not_there) in
        [(80, 24, "│ ratio: paired runs", in_legend), (120, 40, in_legend, "ratio: paired runs")]
    {
        let mut journey = null_bench(columns, rows, &TWO_SPEEDS);
        journey.key(KeyPress::Enter);
        told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 6, .. }));
        journey.shows(there).hides(not_there).shows("… too few ");
    }
}

#[test]
fn the_runs_of_rounds_that_a_session_adds_are_followed() {
    let mut journey = null_bench(120, 40, &[("spins", "10|300")]);
    journey
        .key(KeyPress::Right)
        .key(KeyPress::Right)
        .keys("i")
        .key(KeyPress::Ctrl('u'))
        .keys("2+40")
        .key(KeyPress::Enter);
    journey.shows("‹2+40›").key(KeyPress::Enter).shows("0/4 runs");
    told(&mut journey, |event| matches!(event, RunnerEvent::RoundsAdded { .. }));
    journey.hides("/4 runs").hides("round 2/2").shows("▶ 4/").shows("Race · round 2/").shows(" to go");
}

/// Whether a run's worker reports what its statements did so far.
fn tells_of_statements(event: &RunnerEvent, run: u32) -> bool {
    matches!(event, RunnerEvent::Worker { ordinal, says: Event::Progress { statements, .. }, .. } if *ordinal == run && !statements.is_empty())
}

#[test]
fn a_replay_shows_its_statements_as_they_come() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = null_bench(columns, rows, &[]);
        journey.key(KeyPress::Enter);
        let path = |name: &str| journey.place().path(name).display().to_string();
        let (trace, recording) = (path("calls.csv"), path("calls.rec"));
        let calls = "0,a,CREATE TABLE t(a),[]\n0.1,a,INSERT INTO t VALUES (?),[1]\n0.2,b,SELECT a FROM t,[]\n0.9,b,SELECT 1,[]\n";
        std::fs::write(&trace, format!("time,connection,sql,parameters\n{calls}")).unwrap();
        journey.place().ok(&["record", "import", &trace, "--out", &recording]);
        journey.started.push(format!("dbdyno replay {recording} --engine sqlite --repeat 1 --speed 1"));
        told(&mut journey, |event| tells_of_statements(event, 0));
        journey.keys("v").shows("statements of this run").shows("CREATE TABLE t").shows("0/1 runs");
        told(&mut journey, |_| false);
        journey.shows("1/1 runs").shows("statements of this run").shows("INSERT INTO t VALUES (?)");
    }
}

#[test]
fn only_a_verdict_makes_a_winner() {
    let mut journey = null_bench(80, 24, &TWO_SPEEDS);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 1, .. }));
    let early = race(&journey);
    assert!(early.contains("2.00 ms n1") && early.contains("10.0 …"), "what is known is shown with n: {early}");
    assert!(!early.contains(['✓', '▼', '▲']), "one round decides nothing: {early}");
    let mut journey = null_bench(80, 24, &TWO_SPEEDS);
    journey.key(KeyPress::Enter);
    told(&mut journey, |_| false);
    let late = race(&journey);
    assert!(late.contains("n10") && late.contains("✓ fastest") && late.contains("10.0 10.0-10.0 ▲"), "{late}");
}

#[test]
fn the_race_says_what_compare_says_of_the_same_session() {
    let mut journey = null_bench(200, 60, &[("answers", "none|wrong")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |_| false);
    let session = journey.place().value("SELECT session_id::VARCHAR FROM session");
    let compared = journey.place().ok(&["compare", "--ratio", "--reference", &format!("session={session}")]);
    let race = race(&journey);
    let mut intervals = 0;
    for line in compared.lines() {
        let name: String = line.chars().take(12).collect();
        let is_test = name.starts_with(|c: char| c.is_ascii_digit());
        let Some(row) = race.lines().find(|row| is_test && row.contains(name.trim())) else { continue };
        let is_interval = |word: &&str| word.split_once('-').is_some_and(|(low, _)| low.parse::<f64>().is_ok());
        for interval in line.split_whitespace().filter(is_interval) {
            // In a narrow cell, a ratio that needs many more rounds stands without its interval.
            let says_more = row.contains("?+") && line.contains("?+");
            assert!(row.contains(interval) || says_more, "{line} is not {row}");
            intervals += 1;
        }
        for sign in ["▼", "▲"] {
            assert_eq!(line.contains(sign), row.contains(sign), "{line} is not {row}");
        }
        assert_eq!(line.contains("n/c"), row.contains("✗ wrong answers"), "{line} is not {row}");
    }
    assert_eq!(intervals, 6, "two tests have known answers, which one side does not give: {compared}\n{race}");
}

#[test]
fn wrong_answers_and_failures_are_told_in_the_race() {
    let mut journey = null_bench(120, 40, &[("answers", "torn|wrong")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 1, .. }));
    assert!(race(&journey).contains("✗ answers differ"), "{}", journey.screen());
    let mut journey = null_bench(120, 40, &[("fault", "none|crash"), ("fault_session", "2")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 2, .. }));
    journey.shows("null[fault=crash] ✗").shows("1/20 runs, 2 failed").shows("✗ failed").shows("n0✗2");
    journey.keys("w").shows("round 1, null[fault=crash]:").key(KeyPress::Esc).hides("round 1, null");
}

#[test]
fn a_run_that_was_given_up_is_not_finished() {
    let mut journey = null_bench(80, 24, &[]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunStarted { .. }));
    let ended = RunnerEvent::RunEnded { ordinal: 0, status: Status::Cancelled, failure: None };
    journey.told(JobEvent::Session(Box::new(ended)));
    journey.shows("0/10 runs, 1 stopped");
}

#[test]
fn configurations_and_tests_that_do_not_fit_are_scrolled_to() {
    let mut journey = null_bench(80, 24, &[("latency_ns", "1|2|3|4|5|6"), ("clock", "simulated")]);
    journey.click("100,000").shows("[x] 100,000");
    journey.key(KeyPress::Enter).shows("size 10000").shows("h l 1-3 of 6").shows("null[1]").hides("null[4]");
    journey.keys("lll").shows("h l 4-6 of 6").shows("null[6]").hides("null[3]");
    journey.keys("hhh").shows("null[1]").shows("1 Sequential writes").hides("size 100000");
    journey.key(KeyPress::End).shows("size 100000").hides("h l 4-6").keys("kkkkkkkkkkkkkkkk").shows("size 10000 ");
}

#[test]
fn a_short_test_stays_in_view_until_it_can_be_read_and_shows_later_runs_meanwhile() {
    let mut journey = null_bench(80, 24, &TWO_SPEEDS);
    journey.key(KeyPress::Enter).keys("v");
    told(&mut journey, |event| begins(event, 0, 3));
    journey.shows("1 Sequential writes").shows("under way: 3 Sequential scan · null[latency_ns=200]");
    journey.shows("Operations/s from 0, run by run").shows("2 null[latency_ns=2000]");
    let runs = |journey: &Journey, name: &str| {
        let screen = journey.screen();
        let line =
            screen.lines().rev().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{screen}")).to_owned();
        line.split(name).nth(1).and_then(|rest| rest.split_whitespace().next()).map(str::to_owned).unwrap()
    };
    assert_eq!((runs(&journey, "latency_ns=200]"), runs(&journey, "latency_ns=2000]")), ("1".into(), "0".into()));
    let ended = |event: &RunnerEvent| matches!(event, RunnerEvent::RunEnded { ordinal: 3, .. });
    told_of_runs(&mut journey, 10, ended);
    journey.shows("1 Sequential writes");
    assert_eq!((runs(&journey, "latency_ns=200]"), runs(&journey, "latency_ns=2000]")), ("2".into(), "2".into()));
    journey.time(10_000).hides("1 Sequential writes");
}

#[test]
fn what_nobody_looked_at_is_not_told_as_nothing() {
    let mut journey = null_bench(160, 40, &[]);
    journey.key(KeyPress::Enter).keys("v");
    told(&mut journey, |event| begins(event, 0, 1));
    let figure = |journey: &Journey, title: &str| {
        let screen = journey.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let head = lines.iter().position(|line| line.contains(" p50 ")).unwrap_or_else(|| panic!("{screen}"));
        let end = lines[head].find(title).unwrap_or_else(|| panic!("{screen}")) + title.len();
        let columns = lines[head][..end].chars().count();
        let cell: String = lines[head + 1].chars().take(columns).collect();
        cell.rsplit("  ").next().unwrap().trim().to_owned()
    };
    assert_eq!(["reads", "writes", "switches"].map(|title| figure(&journey, title)), ["-", "-", "-"]);
    let mut done = TestDone { test: 1, measured: true, wall_ns: 20_000_000, ..TestDone::default() };
    done.counters.set("read_bytes", Some(1 << 20));
    done.counters.set("voluntary_switches", Some(5));
    let says = Event::TestDone(Box::new(done));
    journey.told(JobEvent::Session(Box::new(RunnerEvent::Worker { ordinal: 0, says })));
    let read = ["reads", "writes", "switches"].map(|title| figure(&journey, title));
    assert_eq!(read, ["50.0 MiB/s", "-", "250 /s"], "{}", journey.screen());
}

#[test]
fn curves_have_a_number_and_a_colour_of_their_configuration() {
    let mut journey = null_bench(120, 40, &TWO_SPEEDS);
    journey.key(KeyPress::Enter).keys("v");
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 1, .. }));
    journey.time(100_000).shows("1 null[latency_ns=200]").shows("2 null[latency_ns=2000]");
    let buffer = journey.painted();
    for (symbol, role) in [("1", Role::Series1), ("2", Role::Series2)] {
        let colour = journey.setup.look.theme.ink(role).fg.unwrap();
        let Colour::Rgb(red, green, blue) = colour else { panic!("{colour:?}") };
        let of_colour = |symbols: &dyn Fn(&str) -> bool| {
            let cells = buffer.content.iter().filter(|cell| symbols(cell.symbol()));
            cells.filter(|cell| cell.fg == Color::Rgb(red, green, blue)).count()
        };
        assert!(of_colour(&|cell| cell == symbol) >= 2, "the number is in the chart and in the table");
        assert!(of_colour(&|cell| ('\u{2801}'..='\u{28ff}').contains(&cell.chars().next().unwrap())) > 5, "{role:?}");
    }
}

#[test]
fn pause_skip_and_stop_are_passed_on_and_offered_while_there_is_something_to_stop() {
    let mut journey = null_bench(80, 24, &[]);
    journey.keys("2").hides("p pause").hides("K stop").hides("v view").hides("r resume").keys("1");
    journey.key(KeyPress::Enter).shows("p pause").hides("s skip").hides("r resume");
    told(&mut journey, |event| matches!(event, RunnerEvent::RunStarted { .. }));
    journey.shows("s skip").keys("s").shows("Cancel the run under way?").shows("round 1, null").keys("n");
    assert!(!journey.others.iter().any(|effect| effect.starts_with("Tell")), "{:?}", journey.others);
    journey.keys("sy").keys("p").shows("paused");
    journey.keys("p").keys("x").hides("Stop the session?").keys("K").shows("Stop the session?").keys("y");
    let tells: Vec<&String> = journey.others.iter().filter(|effect| effect.starts_with("Tell")).collect();
    assert_eq!(tells, ["Tell(Skip(0))", "Tell(Pause)", "Tell(Resume)", "Tell(Stop)"]);
    journey.message(Message::JobOver(Err("no room".to_owned())));
    journey.shows("could not be run").shows("no room");
    journey.time(100_000).hides("p pause").hides("s skip").hides("K stop").hides("r resume").shows("v view");
}

#[test]
fn a_run_that_ended_while_it_was_asked_about_is_not_given_up() {
    let mut journey = null_bench(80, 24, &[]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |event| matches!(event, RunnerEvent::RunStarted { .. }));
    journey.keys("s");
    let ended = RunnerEvent::RunEnded { ordinal: 0, status: Status::Done, failure: None };
    journey.told(JobEvent::Session(Box::new(ended)));
    journey.keys("y").shows("nothing was cancelled");
    assert!(!journey.others.iter().any(|effect| effect.starts_with("Tell")), "{:?}", journey.others);
}

#[test]
fn a_stored_run_is_replayed() {
    let mut journey = null_bench(80, 24, &[("latency_ns", "2000"), ("clock", "simulated")]);
    journey.key(KeyPress::Enter);
    told(&mut journey, |_| false);
    journey.message(Message::JobOver(Ok(())));
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
    journey.at_once(&[KeyPress::Char('f'), KeyPress::Char('f')]).shows("100x");
    journey.time(100_000).shows("10,000 / 10,000").shows("p50 2.00 µs");
    journey.at_once(&[KeyPress::Char(']')]).shows("2 Random reads").key(KeyPress::Esc).hides("Replay");
}

#[test]
fn nothing_to_watch_says_how_to_get_there() {
    Journey::begin(80, 24).keys("2").shows("No session has run").shows("p there replays a run");
}

#[test]
fn a_session_that_was_interrupted_is_resumed_with_two_keys() {
    Journey::begin(80, 24).keys("2").hides("r resume").keys("r").shows("there is nothing to resume");
    let place = Place::new();
    resume::cut_short(&place, &resume::SESSION, Signal::KILL, 40);
    let mut journey = Journey::begin_in(place, 80, 24);
    journey
        .keys("2")
        .shows("r resume")
        .keys("r")
        .shows("Resume the session?")
        .shows("of 16 runs are left to do")
        .shows("redb");
    journey.keys("n").hides("Resume the session?");
    assert!(journey.started.is_empty(), "{:?}", journey.started);
    journey.keys("ry");
    assert!(journey.started[0].starts_with("dbdyno resume "), "{:?}", journey.started);
    assert!(journey.app.screens.live.running(), "it is watched");
}

#[test]
fn the_race_of_a_resumed_session_has_the_rounds_before_it() {
    let place = Place::new();
    let command =
        ["run", "--suite", "kv", "--engine", "null:latency_ns=200|2000,clock=simulated", "--size", "500", "--json"];
    resume::cut_short(&place, &command, Signal::KILL, 50);
    let mut journey = Journey::begin_in(place, 80, 24);
    journey.keys("2r").shows("Resume the session?").keys("y");
    told(&mut journey, |event| matches!(event, RunnerEvent::SessionStarted { .. }));
    let race = race(&journey);
    // The store contains later runs by now too, but the screen has received no event of them.
    assert!(race.contains("µs n6") && race.contains("10.0 10.0-10.0"), "{race}");
}

#[test]
fn what_a_session_says_about_its_options_is_read_at_once_or_after_what_is_open() {
    let mut journey = Journey::begin(80, 24);
    let page = || {
        let follow_up = Some(("Findings of the session".to_owned(), vec!["synchronous 61 %".to_owned()]));
        let ended = live::Response::Ended { session: String::new(), runs: Vec::new(), follow_up };
        Message::Response(Box::new(Response::Screen(ScreenResponse::Live(ended))))
    };
    journey.message(page());
    journey.shows("Findings of the session").shows("synchronous 61 %");
    journey.key(KeyPress::Esc).hides("synchronous 61 %").keys("?");
    journey.message(page());
    journey.hides("synchronous 61 %");
    journey.key(KeyPress::Esc).shows("synchronous 61 %");
}

#[test]
fn once_the_session_is_over_more_rounds_are_added_to_what_is_undecided() {
    let mut journey = null_bench(200, 60, &[("latency_ns", "1000|2000"), ("clock", "simulated")]);
    journey.key(KeyPress::Enter).hides("+ more rounds");
    // The screen has seen two rounds, which are too few. The store has all rounds, and nothing is undecided any more.
    told(&mut journey, |event| matches!(event, RunnerEvent::RunEnded { ordinal: 3, .. }));
    journey.hides("+ more rounds");
    journey.message(Message::JobOver(Err("it was killed".to_owned())));
    journey.time(100_000).shows("+ more rounds").keys("+").shows("more rounds would not decide any undecided test");
}
