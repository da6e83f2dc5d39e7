//! The Claims screen.

use super::Journey;
use crate::{
    compare::fixture::{Bench, Variant, spec},
    support::Place,
};
use dbdyno::{
    store::Store,
    tui::keys::{KeyPress, ScreenId},
};
use std::fs;

/// Claims that x takes half the time of y in its first test.
const CLAIMS: &str = r#"
title = "A store against another"
source = "a blog, yesterday"
setup = "a laptop"
caveats = ["One sample.", "The author sells x."]

[[comparison]]
title = "x against y"
suite = "kv"
preset = "kv-equal-tier"
a = "engine=x"
b = "engine=y"
a_name = "X\u001b[31m"
b_name = "Y"
claim = [
  { test = "1", name = "writes", ratio = 0.55, a = "232K/s", b = "128K/s" },
  { test = "2", name = "reads", ratio = 0.9 },
  { test = "3", name = "scan", ratio = 2.0 },
  { test = "4", name = "updates", faster = "a" },
  { test = "99", name = "unheard of", ratio = 0.5 },
]

[[comparison]]
title = "x against z"
suite = "kv"
a = "engine=x"
b = "engine=z"
a_name = "X"
b_name = "Z"
claim = [{ test = "1", name = "writes against z", ratio = 0.5 }]
"#;

pub(super) fn journey(columns: u16, rows: u16) -> Journey {
    let place = Place::new();
    fs::create_dir_all(place.path("config/claims")).unwrap();
    fs::write(place.path("config/claims/a-blog.toml"), CLAIMS).unwrap();
    let mut bench = Bench::default();
    let session = bench.session("here");
    for round in 0..6_u64 {
        // The fourth test has no consistent direction.
        let noise = if round % 2 == 0 { 500 } else { 2000 };
        let [x, y] = [1000 + round, 2000 + round * 3].map(|time| time * 1000);
        bench.run(&session, round as u32, &spec("x"), &[x, x, x, noise * 1000]);
        bench.run(&session, round as u32, &Variant { ..spec("y") }, &[y, y, y, 1_000_000]);
    }
    Store::new(place.store()).write(&bench.batch).unwrap();
    let mut journey = Journey::begin_in(place, columns, rows);
    journey.keys("6");
    journey
}

#[test]
fn a_publication_is_opened_and_each_verdict_has_its_sign() {
    let mut journey = journey(80, 24);
    journey.shows("a-blog").shows("6 claims").shows("! The author sells x.").key(KeyPress::Enter);
    journey.shows("! One sample.").shows("X\\u{1b}[31m 6 runs").shows("Y 6 runs");
    journey.shows("0.55x").shows("✓ agrees").shows("~ direction only").shows("✗ not reproduced");
    journey.shows("? undecided").shows("· not measured yet");
    journey.shows("✓ 1 agrees").shows("~ 1 direction only").shows("✗ 1 not reproduced").shows("· 2 not measured yet");
    journey.key(KeyPress::Esc).shows("lumosql");
}

#[test]
fn a_verdict_is_explained_and_leads_to_the_comparison_behind_it() {
    let mut journey = journey(120, 40);
    journey
        .key(KeyPress::Enter)
        .shows("232K/s / 128K/s")
        .keys("x")
        .shows("published: 0.55x")
        .shows("is inside the published range");
    journey
        .shows("6 of A `engine=x source!`")
        .shows("dbdyno compare --a 'engine=x source!' --b 'engine=y source!'")
        .key(KeyPress::Esc);
    journey.key(KeyPress::Enter).shows("6 pairs of runs of the same round");
    assert_eq!(journey.app.screen, ScreenId::Compare);
}

#[test]
fn the_preset_that_measures_a_claim_is_loaded_where_there_is_one() {
    let mut journey = journey(80, 24);
    journey.key(KeyPress::Enter).key(KeyPress::End).keys("m").shows("no preset measures it").shows("engine=z");
    journey.key(KeyPress::Home).keys("m").shows("preset kv-equal-tier");
    assert_eq!(journey.app.screen, ScreenId::Bench);
}

#[test]
fn claims_are_narrowed_noted_and_exported() {
    let mut journey = journey(80, 24);
    journey.keys("n").shows("a blog, yesterday: a laptop").key(KeyPress::Esc).key(KeyPress::Enter);
    journey
        .keys("/")
        .keys("against z")
        .key(KeyPress::Enter)
        .shows("writes against z")
        .hides("unheard of")
        .key(KeyPress::Esc);
    journey.shows("unheard of");
    for (name, says) in [("claims.txt", "1 agrees"), ("claims.json", "\"reproduction\": \"direction_only\"")] {
        let path = journey.place().path(name);
        journey.keys("e").key(KeyPress::Ctrl('u')).keys(path.to_str().unwrap()).key(KeyPress::Enter);
        assert!(fs::read_to_string(&path).unwrap().contains(says), "{name}");
    }
    let path = journey.place().path("claims.txt");
    journey
        .keys("e")
        .key(KeyPress::Ctrl('u'))
        .keys(path.to_str().unwrap())
        .key(KeyPress::Enter)
        .shows("already exists");
    journey.keys("e").key(KeyPress::Ctrl('u')).keys("claims.doc").key(KeyPress::Enter).shows("ends in .txt, .md, .csv");
}

#[test]
fn nothing_measured_is_said_for_every_claim() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("6").shows("crossdb").key(KeyPress::Enter).shows("✓ 0 agrees").shows("· 4 not measured yet");
    journey.keys("x").shows("the store does not have runs of both sides");
}
