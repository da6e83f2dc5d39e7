//! The user's own workload on the Bench screen.

use super::Journey;
use dbdyno::{
    catalog::Workload,
    tui::keys::{KeyPress, ScreenId},
};

/// The chosen row of the user's own workload on a screen this wide.
fn chosen(columns: u16) -> &'static str {
    if columns < 130 { "▸ My workload" } else { "▸ How fast is my workload?" }
}

/// Goes to the fields of the user's own workload.
fn fields(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin(columns, rows);
    let chosen = chosen(columns);
    journey.key(KeyPress::Left).key(KeyPress::Home).shows("About My workload").hides(chosen);
    journey.key(KeyPress::Enter).shows(chosen).keys(" ").shows("Options · My workload");
    journey
}

/// Shows the field of this name alone, under the cursor.
fn find(journey: &mut Journey, field: &str) {
    journey.key(KeyPress::Esc).keys("/").keys(field).key(KeyPress::Enter).key(KeyPress::Home);
}

fn type_value(journey: &mut Journey, field: &str, value: &str) {
    find(journey, field);
    journey.keys("i").key(KeyPress::Ctrl('u')).keys(value).key(KeyPress::Enter);
}

/// Returns the workload of the command that was started.
fn started(journey: &Journey) -> Workload {
    let [command] = &journey.started[..] else { panic!("{:?}", journey.started) };
    let words = command.split(' ').skip_while(|word| *word != "--workload").nth(1);
    let line = words.unwrap_or_else(|| panic!("{command}")).trim_matches('\'');
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn a_workload_is_described_in_the_form_and_run() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = fields(columns, rows);
        journey.shows("100,000 rows: random keys of 16 bytes and values of").shows("90 % reads");
        find(&mut journey, "threads");
        journey.keys(" ").shows("2 threads for 5 seconds").keys("  ").shows("8 threads");
        journey.key(KeyPress::Backspace).shows("4 threads");
        type_value(&mut journey, "value", "lognormal:200:4000");
        type_value(&mut journey, "rows", "2k");
        journey.shows("2,000 rows").shows("[x] 2,000").keys("y").shows("run --workload");
        journey.key(KeyPress::Enter);
        assert_eq!(journey.app.screen, ScreenId::Live);
        let line = "rows=2k,read=90,update=10,value=lognormal:200:4000,threads=4";
        assert_eq!(Ok(started(&journey)), line.parse(), "the form and the line are one workload");
        assert!(!journey.started[0].contains("--size"), "the line says it: {}", journey.started[0]);
        journey.keys("1").shows(chosen(columns)).shows("read90-");
    }
}

#[test]
fn every_field_is_a_row_and_each_of_its_examples_can_be_chosen() {
    let mut journey = fields(200, 60);
    for field in dbdyno::catalog::FIELDS {
        journey.shows(field.name);
        for value in field.values {
            assert_eq!(field.check(value), Ok(()), "{} = {value}", field.name);
        }
    }
    for (at, field) in dbdyno::catalog::FIELDS.iter().enumerate() {
        for _ in 0..at {
            journey.key(KeyPress::Down);
        }
        journey.shows(field.meaning).keys(" ").keys("d").key(KeyPress::Home);
    }
    // The fields of the beginning that are not those of a silent line.
    type_value(&mut journey, "read", "1");
    journey.key(KeyPress::Enter);
    assert_eq!(Ok(started(&journey)), "read=1".parse());
}

#[test]
fn fields_that_contradict_each_other_say_what_is_expected() {
    let mut journey = fields(120, 40);
    find(&mut journey, "readers");
    journey.keys(" ").shows("✗ My workload: expected both readers and writers");
    journey.key(KeyPress::Enter);
    assert!(journey.started.is_empty());
    find(&mut journey, "writers");
    journey.keys(" ").shows("1 reading thread and 1");
    type_value(&mut journey, "rows", "many");
    journey.shows("rows = many: expected a whole number").key(KeyPress::Esc);
    type_value(&mut journey, "prefix", "a,b");
    journey.shows("a value without commas").key(KeyPress::Esc).shows("1 reading thread and 1");
}

#[test]
fn engines_that_cannot_run_it_are_marked_with_the_reason() {
    let mut journey = fields(120, 40);
    find(&mut journey, "threads");
    journey.hides("log       cannot").keys(" ").shows("[ ] log                   cannot");
    journey.click("[ ] log").shows("It cannot run My workload: it works with one thread");
    journey.keys(" ").shows("log cannot run My workload").key(KeyPress::Esc).hides("[x] log");
    find(&mut journey, "");
    journey
        .key(KeyPress::Left)
        .key(KeyPress::Down)
        .key(KeyPress::Down)
        .key(KeyPress::Down)
        .key(KeyPress::Down)
        .key(KeyPress::Down)
        .keys(" ")
        .shows("▸ kv")
        .hides("log                   cannot");
}

#[test]
fn moving_to_a_suite_and_back_keeps_the_fields() {
    let mut journey = fields(120, 40);
    type_value(&mut journey, "rows", "3k");
    journey.key(KeyPress::Left).key(KeyPress::Left);
    for _ in 0..5 {
        journey.key(KeyPress::Down);
    }
    journey.shows("▸ My workload").shows("3,000 rows").keys(" ").shows("▸ kv").hides("3,000 rows");
    for _ in 0..5 {
        journey.key(KeyPress::Up);
    }
    journey.keys(" ").shows("▸ My workload").shows("3,000 rows").shows("[x] 3,000");
}

#[test]
fn a_described_bench_is_saved_as_a_preset_of_its_suite() {
    let mut journey = fields(120, 40);
    type_value(&mut journey, "memory", "64MiB");
    type_value(&mut journey, "data", "0.5x");
    journey.shows("Rows with 0.5 times as many bytes as the memory limit of 64MiB").keys("S").keys("mine");
    journey.key(KeyPress::Enter).shows("`dbdyno --preset mine`").shows("read90-update");
    let preset = std::fs::read_to_string(journey.place().path("config/presets/mine.toml")).unwrap();
    let suites: Vec<_> = std::fs::read_dir(journey.place().path("config/suites")).unwrap().collect();
    let [Ok(suite)] = &suites[..] else { panic!("{suites:?}") };
    let name = suite.path().file_stem().unwrap().to_str().unwrap().to_owned();
    assert!(preset.contains(&format!("suite = \"{name}\"")) && preset.contains("64MiB"), "{preset}");
    journey.key(KeyPress::Enter);
    assert_eq!(journey.started, ["dbdyno --preset mine"]);
}
