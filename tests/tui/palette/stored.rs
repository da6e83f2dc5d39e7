//! Commands for stored results of the real program: lists, runs, sessions, files.

use super::super::{Journey, results::stored};
use dbdyno::tui::{
    Command, Message, Request,
    keys::{KeyPress, ScreenId},
};

fn begin(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(stored(), columns, rows);
    journey.keys("3").shows("Results 32 · 2 configurations");
    journey
}

#[test]
fn a_list_is_sorted_by_any_of_its_columns() {
    let mut journey = begin(80, 24);
    journey.command("sort by p99").shows("✗ `p99`: expected COLUMN, such as session, configuration");
    journey.key(KeyPress::Esc).keys("v").command("sort by p99").shows("by p99 ▲");
    journey.keys(":sort by ").shows("wall").keys("wal").key(KeyPress::Enter).shows("by wall ▲");
    journey.command("sort by latency_ns").shows("by latency_ns ▲");
    // A key does the same.
    journey.keys("S").shows("Sort by").keys("rate").key(KeyPress::Enter).shows("by rate ▼");
}

#[test]
fn runs_and_sessions_are_found_by_what_they_are_of() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = begin(columns, rows);
        journey.keys("1:open run ").shows("null[latency_ns").keys("latency_ns=2000").key(KeyPress::Enter);
        assert_eq!(journey.app.screen, ScreenId::Results);
        journey.shows("› Run ").shows("[Tests 8]").shows("null[latency_ns=2000");
        journey.command("open run zzzz").shows("✗ `zzzz`: expected RUN, such as").key(KeyPress::Esc);
        let session = journey.place().value("SELECT session_id::VARCHAR FROM session");
        journey.keys("1").command(&format!("open session {session}"));
        journey.shows("/ session=").shows("2 configurations").hides("› Run ");
    }
}

#[test]
fn what_the_store_has_is_asked_beside_the_screens() {
    let mut journey = begin(80, 24);
    journey.keys(":open run");
    let commands = journey.app.update(Message::Key(KeyPress::Char(' ')));
    assert!(matches!(commands[..], [Command::Request(Request::Palette(_))]), "{commands:?}");
    journey.shows("reading ").key(KeyPress::Enter).shows("✗ reading ");
    journey.perform(commands);
    journey.shows("null[latency_ns").key(KeyPress::Esc).hides("Commands");
}

#[test]
fn a_filter_that_is_wrong_stays_with_what_was_expected() {
    let mut journey = begin(80, 24);
    journey.command("filter engine").shows("✗ `engine`: expected KEY=VALUE").shows("Commands");
    journey.keys("=null latency_ns=2000").key(KeyPress::Enter).hides("Commands").shows("1 configuration ");
    journey.shows("/ engine=null latency_ns=2000");
}

#[test]
fn a_format_and_a_name_write_a_file_and_never_replace_one() {
    let mut journey = begin(200, 30);
    let file = |journey: &Journey, name: &str| journey.place().path(name);
    journey.keys(":export ").shows("csv dbdyno-results.csv").shows("parquet dbdyno-results.parquet");
    let name = file(&journey, "o").display().to_string();
    journey.keys(&format!("csv {name}")).shows("writes ").key(KeyPress::Enter).shows("written: ");
    assert!(std::fs::read_to_string(file(&journey, "o.csv")).unwrap().contains("latency_ns"));
    journey.command(&format!("export {name}.csv")).shows("✗ a file of this name already exists").shows("Commands");
    journey.key(KeyPress::Enter).shows("written: ").hides("Commands");
    assert!(file(&journey, "o-2.csv").exists(), "the name that was offered is free");
    journey.command(&format!("export json {name}.csv")).shows("expected a name that ends in .json for the format json");
    journey.key(KeyPress::Ctrl('u')).keys(&format!("export {name}.txt")).key(KeyPress::Enter);
    journey.shows("expected a name that ends in .csv, .json");
}

#[test]
fn every_command_fits_and_paints_ascii_where_asked() {
    let mut journey = begin(80, 24);
    journey.setup.look.ascii = true;
    for line in [
        "",
        "filter ",
        "sort by ",
        "export ",
        "compare ",
        "open run ",
        "open session ",
        "theme ",
        "view ",
        "save view ",
        "go ",
    ] {
        journey.keys(&format!(":{line}"));
        let screen = journey.screen();
        assert!(screen.is_ascii(), "{screen}");
        let foot = screen.lines().nth(22).unwrap_or_default();
        assert!(foot.trim().starts_with('+') && foot.contains("Esc close"), "{screen}");
        journey.key(KeyPress::Esc);
    }
}
