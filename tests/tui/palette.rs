//! Typed commands, each kind tested from the keys to the painted screen.

mod stored;

use super::Journey;
use crate::compare::fixture::{Bench, CLEAR, spec};
use dbdyno::{
    store::Store,
    tui::keys::{KeyPress, ScreenId},
};
use ratatui::style::Color;

/// Three engines in one session, with two tests: A takes about a third of the time of the others.
fn engines(columns: u16, rows: u16) -> Journey {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&session, round, &spec("x"), &[a * 1000, a * 1000]);
        for other in ["y", "z"] {
            bench.run(&session, round, &spec(other), &[b * 1000, b * 1017]);
        }
    }
    let place = crate::support::Place::new();
    Store::new(place.store()).write(&bench.batch).unwrap();
    Journey::begin_in(place, columns, rows)
}

impl Journey {
    /// Types a whole command and runs it.
    pub(super) fn command(&mut self, line: &str) -> &mut Self {
        self.keys(&format!(":{line}")).key(KeyPress::Enter)
    }

    /// The background colour of the current screen's tab, in this column.
    fn tab(&self, at: u16) -> Color {
        self.painted()[(at, 0)].bg
    }
}

/// The background colour of the tab in a built-in theme.
fn behind(journey: &Journey, theme: &str) -> Color {
    let theme = journey.setup.catalog.theme(theme).unwrap();
    match theme.ink(dbdyno::catalog::Role::Tab).bg {
        Some(dbdyno::catalog::Colour::Rgb(red, green, blue)) => Color::Rgb(red, green, blue),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_theme_is_seen_while_the_cursor_is_on_it_and_esc_puts_the_former_one_back() {
    let mut journey = Journey::begin(80, 24);
    let (dark, light) = (behind(&journey, "dark"), behind(&journey, "light"));
    assert_ne!(dark, light);
    journey.keys(":theme ").shows("For light terminals");
    assert_eq!(journey.tab(0), dark, "the cursor begins at the one in use");
    journey.key(KeyPress::Down);
    assert_eq!(journey.tab(0), light);
    journey.key(KeyPress::Up);
    assert_eq!(journey.tab(0), dark);
    journey.keys("light");
    assert_eq!(journey.tab(0), light);
    journey.key(KeyPress::Esc).hides("Commands");
    assert_eq!(journey.tab(0), dark);
    journey.command("theme light").shows("`dbdyno --theme light` starts with it");
    assert_eq!(journey.tab(0), light);
    // The previous theme is now the chosen one. Text that is not a theme keeps it.
    journey.keys(":theme zzz");
    assert_eq!(journey.tab(0), light);
    journey.key(KeyPress::Enter).shows("✗ `zzz`: expected THEME, such as colour-blind, dark, light, sixteen");
    journey.key(KeyPress::Ctrl('u')).keys("theme dark");
    assert_eq!(journey.tab(0), dark);
    // Typing another command ends the preview too.
    journey.key(KeyPress::Ctrl('u')).keys("go ");
    assert_eq!(journey.tab(0), light);
}

#[test]
fn no_theme_has_colours_where_they_are_not_wanted() {
    let mut journey = Journey::begin(80, 24);
    journey.setup.look.colour = false;
    journey.keys(":theme light");
    assert!(journey.painted().content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
}

#[test]
fn commands_are_found_by_some_letters_completed_and_entered() {
    let mut journey = Journey::begin(80, 24);
    journey.keys(":").shows("Commands").shows("load preset").shows("PRESET: load a preset");
    journey.keys("lopre").key(KeyPress::Tab).shows(": load preset ");
    journey.key(KeyPress::Ctrl('u')).keys("opensess").key(KeyPress::Enter).shows(": open session ");
    journey.key(KeyPress::Ctrl('u')).keys("go").key(KeyPress::Enter).shows(": go ").shows("torture");
    journey.keys("cla").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Claims);
    journey.command("go nowhere").shows("✗ `nowhere`: expected SCREEN, such as bench, live, results");
    journey.key(KeyPress::Esc).command("zzzz").shows("✗ `zzzz`: expected a command, such as").key(KeyPress::Esc);
    // On a screen without a list there is no sort command.
    journey.keys(":sort").hides("sort by ").key(KeyPress::Esc).hides("Commands");
    journey.keys(":go").click("SCREEN: ").shows(": go ").click("results  3");
    assert_eq!(journey.app.screen, ScreenId::Results);
}

#[test]
fn a_preset_is_put_onto_bench_from_any_screen() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("6").command("load preset quick");
    assert_eq!(journey.app.screen, ScreenId::Bench);
    journey.shows("quick: ").shows("preset quick");
    journey.command("load preset zzz").shows("✗ `zzz`: expected PRESET, such as");
}

#[test]
fn two_selections_are_compared_and_one_stands_beside_its_session() {
    let mut journey = engines(80, 24);
    // What the row has no room for stands below the list.
    journey.keys(":compar").shows("all configurations of its").shows("│ sessions");
    journey.key(KeyPress::Esc).keys(":compare ").shows("session=last").shows("x with y").shows("more below");
    journey.keys("x with y").shows("A engine=x · B engine=y").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Compare);
    journey.shows("‹table›").shows("A  engine=x").shows("B  engine=y").shows("x 3.0x faster");
    journey.command("compare label=y test=2 with x test=2").shows("A  label=y test=2").shows("1 of 1");
    journey.command("compare session=last").shows("‹matrix›").shows("reference   x");
    journey.command("compare z").shows("‹matrix›").shows("reference   z").key(KeyPress::Esc).shows("C all");
    // The cursor can choose a pair too.
    journey.keys(":compare ").key(KeyPress::Down).key(KeyPress::Down).key(KeyPress::Enter).shows("‹table›");
    journey.keys(":compare tier=3 with ").shows("tier=3 with x").key(KeyPress::Down).key(KeyPress::Tab);
    journey.shows("A tier=3 · B engine=").key(KeyPress::Esc);
}

#[test]
fn a_selection_that_does_not_parse_stays_with_what_was_expected() {
    let mut journey = engines(80, 24);
    journey.command("compare tier>=high with y").shows("✗ `tier>=high`: expected a number").shows("Commands");
    journey
        .key(KeyPress::Ctrl('u'))
        .keys("compare x with")
        .key(KeyPress::Enter)
        .shows("✗ ``: expected an engine such as");
    assert_eq!(journey.app.screen, ScreenId::Bench);
}

#[test]
fn a_filter_is_seen_while_it_is_typed_and_esc_puts_the_former_one_back() {
    let mut journey = engines(80, 24);
    journey.command("compare x with y").shows("1 Writes").shows("2 Random reads");
    journey
        .keys(":filter reads")
        .shows("2 Random reads")
        .hides("1 Writes")
        .shows("words of a name, or KEY=VALUE with test");
    journey.key(KeyPress::Esc).shows("1 Writes");
    journey.command("filter writes").shows("1 Writes").hides("2 Random reads");
    journey.keys(":filter ").shows("2 Random reads").key(KeyPress::Esc).hides("2 Random reads");
}

#[test]
fn what_a_key_asks_is_answered_in_a_line() {
    let mut journey = engines(120, 40);
    journey.command("compare x with y").keys(":metric ").shows("operations a second");
    journey.keys("rate").key(KeyPress::Enter).hides("Commands").shows("operations a second");
    let mut journey = engines(120, 40);
    journey.keys("3").command("group by engine").shows("3 groups").command("tag nightly").shows("tagged nightly");
    journey.command("group by zzz").shows("✗ `zzz`: expected KEY, such as not grouped, engine");
}
