//! A recording on the Bench screen: chosen, described, and run.

use super::{Journey, copying::copied};
use dbdyno::tui::keys::{KeyPress, ScreenId};
use std::fs;

const CALLS: &str = "time,connection,sql,parameters,duration
0.000,shop,CREATE TABLE item(id INTEGER PRIMARY KEY),[],0.001
0.010,shop,INSERT INTO item VALUES (?),[1],0.001
0.020,web,SELECT id FROM item,[],0.004
";

#[test]
fn a_recording_is_described_and_one_key_from_its_replay() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut journey = Journey::begin(columns, rows);
        let place = journey.place();
        let (csv, recording) = (place.path("calls.csv"), place.path("calls.rec").display().to_string());
        fs::write(&csv, CALLS).unwrap();
        place.ok(&["record", "import", csv.to_str().unwrap(), "--out", &recording]);
        journey.key(KeyPress::Left).key(KeyPress::Home).key(KeyPress::Down).key(KeyPress::Down).shows("▸ Recorded");
        journey.shows("✗ Recorded: no recording is chosen");
        journey.keys(" ").shows("Options · Recorded").shows("recording none").shows("database  none");
        let wrong = journey.place().path("nowhere.rec").display().to_string();
        journey.keys(" ").keys(&wrong).key(KeyPress::Enter).shows("✗ Recorded:").shows("nowhere.rec");
        journey.keys(" ").key(KeyPress::Ctrl('u')).keys(&recording).key(KeyPress::Enter);
        // What is replayed, and where the time went.
        journey.shows("3 calls of the imported calls in 3 transactions, recorded in 24.0 ms");
        journey.shows("67 % of the time is one statement").shows("SELECT id FROM item");
        journey.key(KeyPress::Enter).hides("✗ Recorded:").shows("speed");
        for other in ["lmdb", "redb"] {
            journey.click(&format!("[x] {other}")).keys(" ").shows(&format!("[ ] {other}"));
        }
        journey.keys("y").shows("copied: ");
        let command = copied(&journey);
        assert!(command.starts_with(&format!("dbdyno run --recording {recording} --engine sqlite")), "{command}");
        journey.key(KeyPress::Enter);
        assert_eq!(journey.app.screen, ScreenId::Live);
        assert_eq!(journey.started, [command]);
    }
}
