//! All configurations of a session compared with one reference.

use super::{Journey, over};
use crate::compare::fixture::{Bench, Variant, spec};
use dbdyno::tui::{Message, keys::KeyPress};
use dbdyno_engine::durability::Tier;

/// A session of ten rounds with two tests: `x` and `z` take 1 ms, `y` 3 ms, and each further one 1 ms more.
fn session(names: &[&'static str]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..10 {
        for (at, &name) in (0_u64..).zip(names) {
            let base = [1, 3, 1].get(at as usize).map_or(at, |ms| *ms) * 1_000_000;
            let about = |step: u64| base + (round * (step + at)) % 7 * base / 1000;
            bench.run(&session, round as u32, &spec(name), &[about(3), about(2)]);
        }
    }
    bench
}

/// The cells of a row, as words.
fn row(journey: &Journey, name: &str) -> String {
    let screen = journey.screen();
    let line = screen.lines().find(|line| line.contains(&format!("│{name}"))).unwrap_or_else(|| panic!("{screen}"));
    line.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn marks_on_a_session_of_three_lead_to_the_matrix_and_enter_to_the_pair() {
    let mut journey = over(&session(&["x", "y", "z"]), 80, 24);
    journey.keys("3").keys("g").keys("label").key(KeyPress::Enter);
    journey.keys("a").key(KeyPress::Down).keys("b").keys("c");
    journey.shows("‹matrix›").shows("reference   x (1.0, tier 3 power-safe)").shows("10 runs");
    let of_test = row(&journey, "2 Random reads");
    assert_eq!(of_test, "2 Random reads 1.00 ms 3.01 ms 3.00 ▲ 1.00 ms 1.00 =");
    journey.shows("geometric mean").shows("is the same as").shows("faster than y (2.998-3.002)").shows("x 3.0x faster");
    // The pair shows the same ratio and interval, and the cursor is on the same test.
    let cells: Vec<&str> = of_test.split(' ').collect();
    assert_eq!(cells[7], "3.00");
    let screen = journey.keys("j").screen();
    let (_, found) = screen.split_once("y/x 3.00 [").unwrap();
    let interval = found.split(']').next().unwrap();
    journey.key(KeyPress::Enter).shows("‹table›").shows("label=y").shows("2 of 2");
    journey.shows(&format!("y/x 3.00 [{interval}]")).shows("▲ x 3.0x faster");
    journey.key(KeyPress::Esc).shows("‹matrix›").shows("2 of 2");
    journey.keys("l").shows("z 1.00 ms · x 1.00 ms").key(KeyPress::Enter).shows("label=z").shows("= same within 3 %");
    journey.keys("s").shows("label=x").key(KeyPress::Esc).shows("‹matrix›");
    // A key leads from a pair to the matrix too.
    journey.key(KeyPress::Esc).shows("C all").key(KeyPress::Enter).shows("Compare  ‹table›").keys("C");
    journey.shows("‹matrix›").shows("reference");
}

#[test]
fn another_reference_is_chosen_under_the_cursor() {
    let mut journey = over(&session(&["x", "y", "z"]), 80, 24);
    journey.keys("C").shows("reference   x").keys("r").shows("reference   y");
    let of_test = row(&journey, "1 Writes");
    assert_eq!(of_test, "1 Writes 3.01 ms 1.00 ms 0.33 ▼ 1.00 ms 0.33 ▼");
    // The cursor is on the previous reference, so the same key leads back.
    journey.shows("x 1.00 ms · y 3.01 ms").keys("r").shows("reference   x").keys("s").shows("reference   y");
}

#[test]
fn more_configurations_than_fit_are_shown_sideways() {
    let mut journey = over(&session(&["x", "y", "z", "p", "q", "r", "s"]), 80, 24);
    journey.keys("C").shows("1 of 6 configurations against the reference: h and l show the others").shows("3.00 ▲");
    journey.hides("6.00 ▲").keys("lllll").shows("6 of 6 configurations").shows("6.00 ▲").shows("s 6.0");
    assert!(!journey.screen().lines().skip(1).any(|line| line.chars().count() > 80), "{}", journey.screen());
    journey.keys("l").shows("6 of 6").keys("h").shows("5 of 6");
    journey.message(Message::Resized(200, 60));
    journey.hides("h and l show").shows("3.00 ▲").shows("6.00 ▲").shows("3.01 ms");
}

#[test]
fn the_matrix_is_explained_copied_filtered_and_exported() {
    let mut journey = over(&session(&["x", "y", "z"]), 120, 40);
    journey.keys("C").keys("x").shows("A is y, B is x").shows("Hodges-Lehmann").key(KeyPress::Esc);
    journey.keys("y").shows("copied: the answer and the tables, as Markdown");
    let copied = journey.others.iter().find(|effect| effect.starts_with("Copy(")).unwrap();
    assert!(copied.contains("in both tests.") && copied.contains("| 1 Writes |"), "{copied}");
    journey
        .keys("Y")
        .shows("in the clipboard")
        .keys("n")
        .shows("x is the same as z within 3 % in both tests.")
        .key(KeyPress::Esc);
    journey.keys("/").keys("reads").key(KeyPress::Enter).shows("2 Random reads").hides("1 Writes");
    journey
        .key(KeyPress::Esc)
        .shows("1 Writes")
        .keys("m")
        .shows("Figure to compare")
        .keys("operations")
        .key(KeyPress::Enter);
    journey.shows("‹matrix›").shows("figure");
    let path = journey.place().path("out.md");
    journey.keys("e").shows("its ending selects the format").answer(path.to_str().unwrap());
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("| test | size | x | y |") && written.contains("dbdyno compare --reference"), "{written}");
    journey.keys("e").answer("out.bench").shows("expected a name that ends in");
}

#[test]
fn groups_of_configurations_are_matched_and_no_matrix() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..8 {
        for (engine, base) in [("x", 1_000_000), ("y", 3_000_000)] {
            for (value, factor) in [("full", 2), ("off", 1)] {
                let options = vec![("sync", value)];
                let variant = Variant { options, label: format!("{engine}[sync={value}]"), ..spec(engine) };
                let time = factor * (base + u64::from(round) * base / 1000);
                bench.run(&session, round, &variant, &[time]);
            }
        }
    }
    let mut journey = over(&bench, 120, 40);
    journey.keys("3").keys("g").keys("engine").key(KeyPress::Enter);
    journey.keys("a").key(KeyPress::Down).keys("b").keys("c").shows("‹table›").hides("‹matrix›");
    journey.shows("sync=full").shows("sync=off").shows("3.0x faster");
}

#[test]
fn labels_from_a_store_are_painted_harmlessly() {
    let mut bench = session(&["x", "y", "z"]);
    for run in &mut bench.batch.runs {
        run.label = format!("{}\u{1b}]0;evil\u{7}|*\\", run.label);
    }
    let mut journey = over(&bench, 120, 40);
    for key in "Mlvvvnx".chars() {
        journey.key(KeyPress::Char(key));
        let screen = journey.screen();
        assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen}");
    }
}

/// A session with five configurations: `x` and `y` are power-safe, `p` and `q` survive a kill, `u` does not.
fn of_three_tiers(names: &[(&'static str, Tier)]) -> Bench {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..10 {
        for (at, &(name, tier)) in (1_u64..).zip(names) {
            let base = at * 1_000_000;
            let about = |step: u64| base + (round * (step + at)) % 7 * base / 1000;
            bench.run(&session, round as u32, &Variant { tier, ..spec(name) }, &[about(3), about(2)]);
        }
    }
    bench
}

#[test]
fn equals_have_verdicts_and_what_has_no_equal_shows_its_times() {
    let (safe, killed) = (Tier::PowerSafe, Tier::ProcessSafe);
    for (columns, rows) in [(80, 23), (120, 40)] {
        // The first configuration has no equal, and the others have verdicts nevertheless.
        let bench = of_three_tiers(&[("u", Tier::Unsafe), ("x", safe), ("y", safe)]);
        let mut journey = over(&bench, columns, rows);
        journey.keys("C").shows("reference   x").shows("x is faster than y in 2 of 2 tests, 1.50x").hides("n/c");
        journey.shows("no other is as durable as u: o compares anyway");
        let of_test = row(&journey, "1 Writes");
        assert!(of_test.starts_with("1 Writes 2.01 ms") && of_test.contains("1.00 ms 0.50 T0"), "{of_test}");
        journey.keys("l").shows("T1 another tier").keys("r").shows("! no other is as durable as u");
        journey.keys("o").shows("compared although tiers differ: o undoes").hides("T0").keys("o").shows("0.50 T0");
    }
    // Two groups have a reference each.
    let bench = of_three_tiers(&[("x", safe), ("y", safe), ("p", killed), ("q", killed)]);
    let mut journey = over(&bench, 120, 40);
    journey.keys("C").shows("references  x (1.0, tier 3 power-safe); p (1.0, tier 1 process-safe)");
    journey.shows("tiers are apart: o compares across them").hides("T1");
    let of_test = row(&journey, "1 Writes");
    assert!(of_test.starts_with("1 Writes 1.00 ms 2.01 ms 2.00 ▲"), "{of_test}");
    assert!(of_test.contains("3.01 ms 4.00 ms 1.33 ▲"), "{of_test}");
    journey.keys("l").shows("q 4.00 ms · p 3.01 ms").key(KeyPress::Enter).shows("A  ").shows("label=p");
    journey.key(KeyPress::Esc).keys("r").shows("references  q").keys("o").shows("reference   q").hides("references");
}
