//! A recording on the screens Bench and Tune of the real program: chosen, described, and run.

use super::terminal::Terminal;
use crate::support::Place;
use std::{fs, rc::Rc};

const CALLS: &str = "time,connection,sql,parameters,duration
0.000,shop,CREATE TABLE item(id INTEGER PRIMARY KEY),[],0.001
0.010,shop,INSERT INTO item VALUES (?),[1],0.001
0.020,web,SELECT id FROM item,[],0.004
";

#[test]
fn a_recording_is_described_and_one_key_from_its_replay() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let place = Rc::new(Place::new());
        let (csv, recording) = (place.path("calls.csv"), place.path("calls.rec").display().to_string());
        fs::write(&csv, CALLS).unwrap();
        place.ok(&["record", "import", csv.to_str().unwrap(), "--out", &recording]);
        let mut terminal = Terminal::start_in(Rc::clone(&place), &[], (columns, rows));
        terminal.shows("What to measure");
        // Left, Home, three times Down, and Space.
        terminal.press("\u{1b}[D\u{1b}[H\u{1b}[B\u{1b}[B\u{1b}[B ");
        terminal.shows("▸ Recorded");
        terminal.shows("✗ Recorded: no recording is chosen");
        terminal.press(" ");
        terminal.shows("Options · Recorded");
        terminal.press(" ");
        terminal.shows("dbdyno record");
        terminal.press("nowhere.rec\r");
        terminal.shows("nowhere.rec:");
        terminal.press_in_time(" ");
        terminal.press(&format!("\u{15}{recording}\r"));
        // What is replayed, and where the time went.
        terminal.shows("3 calls of the imported calls in 3 transactions");
        terminal.shows("67 % of the time is one statement");
        // Its page is one key away from the replay, on the engines that can do it.
        terminal.press_in_time("\r");
        terminal.wait("the plan", |contents| contents.contains("Plan: 8 runs") && !contents.contains("✗ Recorded"));
        terminal.press_in_time("\r");
        terminal.wait("its end", |contents| contents.contains("8/8 runs") && contents.contains("done"));
        assert_eq!(place.rows("SELECT count(*), min(verified) FROM results WHERE actor IS NULL"), [["8", "yes"]]);
    }
}

#[test]
fn a_recording_is_tuned() {
    let place = Rc::new(Place::new());
    let (csv, recording) = (place.path("calls.csv"), place.path("calls.rec").display().to_string());
    fs::write(&csv, CALLS).unwrap();
    place.ok(&["record", "import", csv.to_str().unwrap(), "--out", &recording]);
    // Of keys that were there before, the recording itself is the second test, and the one to tune.
    let (trace, keys) = (place.path("trace.csv"), place.path("trace.rec").display().to_string());
    fs::write(&trace, "0,a,1,9,1,get,0\n1,b,1,9,1,set,0\n").unwrap();
    place.ok(&["record", "import", trace.to_str().unwrap(), "--out", &keys]);
    let mut terminal = Terminal::start_in(Rc::clone(&place), &["tui", "--screen", "tune"], (120, 40));
    terminal.shows("Ledger · sqlite-");
    let asked = [
        ("nowhere.rec", "nowhere.rec:"),
        (&recording, "Base · sqlite · recorded-calls-"),
        (&keys, "on trace, 8 rounds"),
    ];
    for (folder, found) in asked {
        terminal.press_in_time("p");
        terminal.shows("Change the base");
        terminal.press("recording");
        terminal.press_in_time("\r");
        terminal.shows("A recording");
        terminal.press_in_time(&format!("\u{15}{folder}\r"));
        terminal.shows(found);
        terminal.press_in_time("\u{1b}");
        terminal.wait("no dialog", |contents| !contents.contains("Esc close"));
    }
}
