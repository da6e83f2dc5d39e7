//! The Compare screen.

mod further;
mod hints;
mod matrix;
mod reading;
mod sweep;
mod truths;

use super::Journey;
use crate::{
    compare::fixture::{Bench, CLEAR, Variant, spec},
    support::Place,
};
use dbdyno::{
    store::Store,
    tui::{
        Command, Message, Request, Response,
        keys::{KeyPress, ScreenId},
        screens::{ScreenRequest, ScreenResponse, compare},
    },
};
use dbdyno_engine::durability::Tier;

/// A journey on the Compare screen over stored rows.
fn over(bench: &Bench, columns: u16, rows: u16) -> Journey {
    let place = Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    let mut journey = Journey::begin_in(place, columns, rows);
    journey.keys("4");
    journey
}

/// Two engines at these sizes, in pairs in which A takes about a third of B's time. In the first test, B also takes 1, 2, 3 ... times as
/// long at the first, second, third ... size.
fn pairs(sizes: &[&'static str], tier_of_b: Tier) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for (factor, &size) in (1..).zip(sizes) {
            bench.run(&session, round, &Variant { size, ..spec("x") }, &[a * 1000, b * 1017]);
            let y = Variant { size, tier: tier_of_b, ..spec("y") };
            bench.run(&session, round, &y, &[b * 1000 * factor, b * 1000]);
        }
    }
    bench
}

impl Journey {
    /// Answers an open prompt with this text.
    pub(super) fn answer(&mut self, text: &str) -> &mut Self {
        self.key(KeyPress::Ctrl('u')).keys(text).key(KeyPress::Enter)
    }
}

#[test]
fn two_engines_of_a_real_session_are_compared_with_one_key() {
    let place = Place::new();
    let engines =
        ["--engine", "null:clock=simulated,latency_ns=1000", "--engine", "null:clock=simulated,latency_ns=2000"];
    place.ok(&[&["run", "--suite", "kv", "--size", "1000", "--repeat", "6", "--test", "2", "--quiet"], &engines[..]]
        .concat());
    let mut journey = Journey::begin_in(place, 80, 24);
    journey.keys("4").shows("Configurations of the last session").shows("against").shows("6 runs each");
    journey.key(KeyPress::Enter).shows("n 6 pairs").shows("2 Random reads").shows("0.50");
    journey.shows("2.0x faster").shows("< 1 >");
    journey.keys("s").shows("2.00").shows("▲").shows("2.0x faster");
}

#[test]
fn nothing_stored_says_where_to_begin() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("4").shows("Nothing is measured yet: press 1 for the Bench screen").shows("a types a selection");
    journey.keys("b").answer("engine=y").shows("press a to choose side A");
    journey.keys("a").answer("engine=x").shows("A `engine=x` matches no stored result");
}

#[test]
fn a_wrong_selection_stays_in_the_prompt_and_a_misspelt_one_is_said() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.keys("a").answer("lmdb fast").shows("`lmdb fast`: expected KEY=VALUE").shows("Side A");
    journey.answer("engine=x colour=red").keys("b").answer("engine=y");
    journey
        .shows("A `engine=x colour=red` matches no stored result")
        .shows("no stored run has an option or key `colour`");
    journey.keys("a").answer("engine=x").shows("x 3.0x faster");
    journey.key(KeyPress::Esc).shows("Configurations of the last session").key(KeyPress::Esc).shows("x 3.0x faster");
}

#[test]
fn a_narrow_table_is_whole_and_a_wide_one_has_more_columns() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter);
    for text in ["8 runs", "x (1.0, tier 3 power-safe)", "1 Writes", "x/y", "x < 1 > y", "▼ x 3.0x faster", "n 8 pairs"]
    {
        journey.shows(text);
    }
    journey.shows("2 Random reads").shows("▲ y 1.02x faster").shows("geometric mean (2)").shows("1 of 2");
    let screen = journey.screen();
    // The status bar has its own ellipsis.
    let cut = screen.lines().skip(1).any(|line| line.chars().count() > 80 || line.contains('…'));
    assert!(!cut, "{screen}");
    journey.message(Message::Resized(200, 60));
    let wide = journey.screen();
    let header = wide.lines().find(|line| line.contains("x/y")).unwrap();
    let order: Vec<Option<usize>> =
        [" x ", " y ", "x/y", "x < 1 > y", "95 %", " n ", "verdict"].iter().map(|name| header.find(name)).collect();
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{header}");
}

#[test]
fn unequal_tiers_are_compared_only_when_allowed_and_under_a_badge() {
    let mut journey = over(&pairs(&["1000"], Tier::ProcessSafe), 80, 24);
    journey.shows("! tiers 3 and 1").key(KeyPress::Enter);
    journey.shows("! tiers differ: o compares anyway").shows("· not comparable [1]").hides("faster");
    journey.shows("commits are not equally durable: A is tier 3 power-safe").shows("o compares anyway");
    journey.hides("--allow").keys("x").shows("o compares anyway").hides("--allow").key(KeyPress::Esc);
    journey.keys("o").shows("! compared although tiers differ").shows("▼ x 3.0x faster [1]");
    journey.keys("o").shows("! tiers differ: o compares anyway").shows("· not comparable [1]");
    journey.keys("O").shows("tiers: what a commit survives").shows("in 2 of 2 tests").keys(" ").key(KeyPress::Enter);
    journey.shows("! compared although tiers differ").shows("▼ x 3.0x faster [1]");
    journey.keys("a").answer("engine=x size=1000").shows("· not comparable [1]");
}

#[test]
fn each_size_is_a_point_and_their_median_a_diamond() {
    let mut journey = over(&pairs(&["1000", "20000", "300000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter).shows("3 sizes").keys("v").shows("‹sizes›");
    // B takes 1, 2 and 3 times as long as at the first size. The times of A are the same.
    let row = |journey: &Journey, down: usize| {
        let screen = journey.screen();
        screen.lines().skip_while(|line| !line.contains("│1 Writes")).nth(down).unwrap().to_owned()
    };
    let words = |text: String| text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(row(&journey, 0)), "1 Writes 0.33 ▼ 0.16 ▼ 0.11 ▼ 0.16 [0.11, 0.33]");
    let intervals = words(row(&journey, 1));
    assert_eq!(intervals.matches('-').count(), 3, "an interval a size: {intervals}");
    journey.shows("x/y: median of sizes 0.16, least 0.11, most 0.33 · 3▼").shows("● 0.33 ▼");
    // The table shows the same intervals.
    journey.message(Message::Resized(200, 60));
    journey.keys("vvvv").shows("‹table›");
    for interval in intervals.split(' ') {
        journey.shows(interval);
    }
    journey.message(Message::Resized(80, 24));
    journey.keys("v").shows("‹sizes›");
    let screen = journey.screen();
    assert_eq!(screen.matches('●').count(), 3, "a point a size:\n{screen}");
    assert_eq!(screen.matches('◆').count(), 1, "one median:\n{screen}");
    journey.keys("x").shows("1 Writes over sizes").shows("size 20000: 0.16");
}

#[test]
fn histograms_lie_over_each_other_with_quantiles_below() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter).hides("sizes").keys("v").shows("‹latencies›").shows("% of operations").shows("p99");
    let screen = journey.screen();
    let row = |side: &str| screen.lines().find(|line| line.contains(&format!("{side}   "))).unwrap().to_owned();
    assert!(row(" A").contains("1.00 µs") && row(" B").contains("3.03 µs"), "medians of all operations:\n{screen}");
    assert!(screen.contains(" 1 µs ") && screen.contains(" 2 µs "), "the axis has labels:\n{screen}");
    let dots = |text: &str| text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
    assert!(dots(&screen) > 20, "both sides are curves:\n{screen}");
    let label = screen.lines().find(|line| line.contains("% of operations")).unwrap();
    assert_eq!(dots(label), 0, "the label covers no curve:\n{screen}");
    journey.keys("x").shows("8,000 operations of 8 runs timed");
}

#[test]
fn what_was_not_timed_one_by_one_says_so() {
    let mut bench = Bench::default();
    bench.pairs(&Variant { timed: false, ..spec("x") }, &spec("y"), &CLEAR);
    let mut journey = over(&bench, 80, 24);
    journey.key(KeyPress::Enter).keys("v").shows("single operations of A were not");
}

#[test]
fn a_pivot_is_spread_over_keys_that_are_chosen() {
    let mut journey = over(&pairs(&["1000", "20000"], Tier::PowerSafe), 80, 24);
    journey
        .key(KeyPress::Enter)
        .keys("vvv")
        .shows("test \\ size")
        .shows("1000")
        .shows("20000")
        .shows("0.33 ▼")
        .shows("0.16 ▼");
    journey.key(KeyPress::Right).shows("1 Writes · 20000: 0.16 [0.16-0.1");
    journey.keys("p").shows("Rows of the pivot").keys("sync").key(KeyPress::Enter);
    journey.shows("Rows are sync. Columns").keys("test").key(KeyPress::Enter).shows("sync \\ test").shows("full");
    journey.keys("x").shows("geometric mean of the ratios of 2 lines").shows("95 % interval");
}

#[test]
fn a_mean_in_the_pivot_is_that_of_the_table() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 120, 40);
    journey.key(KeyPress::Enter).shows("geometric mean (2)");
    let screen = journey.screen();
    let mean = screen.lines().find(|line| line.contains("geometric mean (2)")).unwrap();
    let words: Vec<&str> = mean.split_whitespace().collect();
    let (ratio, interval) = (words[3], words[4]);
    assert!(interval.contains('-'), "{mean}");
    journey.keys("p").keys("sync").key(KeyPress::Enter).keys("size").key(KeyPress::Enter).shows("sync \\ size");
    journey
        .shows(&format!("{ratio} g"))
        .shows(&format!("full · 1000: {ratio} [{interval}], geometric mean of 2 lines"));
}

/// The times of x grow by n^1.04, those of y by n^1.31. At the smallest size, x also has a `threads` option that speeds it up until 4.
fn growing() -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    let about =
        |ns: f64, round: u32, at: usize| (ns * (1.0 + 0.001 * f64::from((round * 7 + at as u32 * 13) % 11))) as u64;
    for round in 0..6 {
        for (at, size) in ["1000", "3000", "10000", "30000"].into_iter().enumerate() {
            let n: f64 = size.parse().unwrap();
            let [x, y] = [1.04, 1.31].map(|power| about(1e3 * n.powf(power), round, at));
            bench.run(&session, round, &Variant { size, ..spec("x") }, &[x, x]);
            bench.run(&session, round, &Variant { size, ..spec("y") }, &[y, y]);
        }
        for (at, value) in ["1", "2", "4", "8", "16"].into_iter().enumerate() {
            let threads: f64 = value.parse().unwrap();
            let time = about(1e9 / threads.min(4.0).powf(0.93), round, at);
            let suite_options = vec![("threads", value)];
            bench.run(&session, round, &Variant { suite_options, size: "500", ..spec("x") }, &[time]);
        }
    }
    bench
}

#[test]
fn growth_is_told_in_words_and_drawn_on_a_small_screen() {
    let mut journey = over(&growing(), 80, 24);
    journey.keys("a").answer("engine=x size>=1000").keys("b").answer("engine=y").keys("g").shows("‹scaling›");
    journey.shows("1 Writes · size").shows("n^1.04").shows("n^1.31").shows("1 of 2");
    journey.shows("● A  time n^1.04 (1.0").shows("○ B  time n^1.31 (1.3").shows("30000");
    let screen = journey.screen();
    assert!(screen.matches('●').count() >= 4 && screen.matches('○').count() >= 3, "a point a size and side:\n{screen}");
    assert!(!screen.lines().skip(1).any(|line| line.chars().count() > 80), "{screen}");
    journey.keys("x").shows("1 Writes along size").shows("slopes of 6 rounds").key(KeyPress::Esc);
    journey.keys("j").shows("2 of 2").keys("/").keys("reads").key(KeyPress::Enter).shows("1 of 1").hides("1 Writes");
    journey.key(KeyPress::Esc).keys("Y").shows("in the clipboard");
    let path = journey.place().path("out.md");
    journey.keys("e").shows("its ending selects the format").answer(path.to_str().unwrap());
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("| 1 Writes | A | time n^1.04 (") && written.contains("--scaling"), "{written}");
    journey.keys("e").answer("out.csv").shows("expected a name that ends in");
}

#[test]
fn a_knee_is_where_more_threads_do_not_pay() {
    let mut journey = over(&growing(), 80, 24);
    journey.keys("a").answer("engine=x size=500").keys("b").answer("engine=y size=1000").keys("g");
    journey.shows("threads^0.93 to 4, flat").shows("to 4, flat beyond").shows("! A: the host has 2 cores");
    let mut nothing = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    nothing.key(KeyPress::Enter).keys("g").shows("neither side has several sizes").keys("x").keys("e");
}

#[test]
fn a_number_is_explained_with_its_runs_and_sql_that_fetches_them() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 120, 60);
    journey.key(KeyPress::Enter).keys("x").shows("1 Writes · size 1000").shows("Hodges-Lehmann estimate");
    journey.shows("p 0.008 (Wilcoxon").shows("after Benjamini and Hochberg over 2 tests").shows("confidence reached 9");
    journey.key(KeyPress::Esc).keys("Y").shows("in the clipboard");
    let copied = journey.others.iter().find(|effect| effect.starts_with("Copy(")).unwrap();
    let sql = copied.trim_start_matches("Copy(\"").trim_end_matches("\")").replace("\\n", "\n");
    let rows = journey.place().rows(&sql);
    assert_eq!(rows.len(), 16, "eight runs a side");
    let mut of_x: Vec<f64> = rows.iter().filter(|row| row[1] == "x").map(|row| row[3].parse().unwrap()).collect();
    of_x.sort_by(f64::total_cmp);
    assert_eq!(of_x, [0.985, 0.99, 1.0, 1.001, 1.005, 1.01, 1.015, 1.02]);
}

#[test]
fn a_click_chooses_and_a_second_one_explains() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.click("against").shows("1 of 2").click("2 Random reads").shows("2 of 2").click("2 Random reads");
    journey.shows("2 Random reads · size 1000").key(KeyPress::Esc).keys("vv").click("0.33");
    journey.shows("1 Writes · 1000");
}

#[test]
fn tests_are_narrowed_by_name() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey
        .key(KeyPress::Enter)
        .keys("/")
        .keys("RANDOM")
        .key(KeyPress::Enter)
        .shows("/RANDOM")
        .shows("2 Random reads")
        .hides("1 Writes");
    journey.hides("geometric mean").key(KeyPress::Esc).shows("1 Writes");
}

#[test]
fn an_export_has_the_format_of_its_ending_and_overwrites_nothing() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.key(KeyPress::Enter);
    for (ending, says) in [
        ("md", "| x | y | verdict"),
        ("csv", "test,"),
        ("json", "\"run_ids\""),
        ("html", "<!doctype html>"),
        ("txt", "x 3.0x faster"),
        ("bench", "Benchmark01Writes/size=1000"),
        ("parquet", "PAR1"),
    ] {
        let path = journey.place().path(&format!("out.{ending}"));
        journey.keys("e").answer(path.to_str().unwrap());
        let written = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        assert!(written.to_lowercase().contains(&says.to_lowercase()), "{ending}: {written}");
    }
    let path = journey.place().path("out.md");
    let before = std::fs::read_to_string(&path).unwrap();
    assert!(before.contains("dbdyno compare --a 'suite=kv session="), "it carries the command: {before}");
    journey.keys("s").keys("e").answer(path.to_str().unwrap()).shows("already exists");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    journey.keys("e").answer("out.exe").shows("expected a name that ends in");
}

#[test]
fn text_from_a_store_is_painted_harmlessly() {
    let mut bench = Bench::default();
    let label = "y\u{1b}]0;evil\u{7}\u{1b}[2J|*\\".to_owned();
    bench.pairs(&spec("x"), &Variant { label, ..spec("y") }, &CLEAR);
    for result in &mut bench.batch.results {
        result.test_name = "Wri\u{9b}31mtes".to_owned();
    }
    let mut journey = over(&bench, 120, 40);
    journey.shows("y\\u{1b}]0;evil").key(KeyPress::Enter).shows("x 3.0x faster");
    for key in "vvvvgvxn".chars() {
        journey.key(KeyPress::Char(key));
        let screen = journey.screen();
        assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen}");
    }
}

#[test]
fn answers_to_older_questions_are_dropped_and_new_results_are_read() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    journey.keys("a").answer("engine=x").keys("b").answer("engine=y").shows("8 runs");
    let old = compare::Response::Compared { ticket: 1, found: Err("an old answer".to_owned()) };
    journey.message(Message::Response(Box::new(Response::Screen(ScreenResponse::Compare(old)))));
    journey.hides("an old answer");
    Store::new(journey.place().store()).write(&pairs(&["1000"], Tier::PowerSafe).batch).unwrap();
    journey.shows("8 runs").key(KeyPress::Ctrl('r')).shows("16 runs").shows("16 pairs");
}

#[test]
fn what_is_read_is_said_until_the_answer_comes() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    let commands = journey.app.update(Message::Key(KeyPress::Enter));
    let [Command::Request(Request::Screen(ScreenRequest::Compare(request)))] = &commands[..] else {
        panic!("{commands:?}")
    };
    assert!(matches!(request, compare::Request::Compare { .. }), "{request:?}");
    journey.shows("reading…");
    assert_eq!(journey.app.screen, ScreenId::Compare);
}

#[test]
fn latencies_are_read_when_they_are_looked_at() {
    let mut journey = over(&pairs(&["1000"], Tier::PowerSafe), 80, 24);
    let asked = |commands: &[Command]| format!("{commands:?}");
    let commands = journey.app.update(Message::Key(KeyPress::Enter));
    assert!(asked(&commands).contains("latencies: Left"), "{commands:?}");
    journey.perform(commands);
    let commands = journey.app.update(Message::Key(KeyPress::Char('v')));
    assert!(asked(&commands).contains("latencies: Read"), "{commands:?}");
    journey.shows("reading…");
    journey.perform(commands);
    journey.hides("reading…").shows("p99");
    // Other views do not need the latencies read again.
    let commands = journey.app.update(Message::Key(KeyPress::Char('v')));
    assert!(!asked(&commands).contains("latencies:"), "{commands:?}");
}
