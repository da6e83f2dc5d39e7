//! The Torture screen.

use super::Journey;
use crate::{compare::fixture::Bench, support::Place};
use dbdyno::{
    store::{EvidenceRecord, Store},
    torture::{SeriesEvent, TortureProgress, TortureTerms},
    tui::{
        Message,
        keys::{KeyPress, ScreenId},
    },
};
use dbdyno_engine::durability::Tier;
use dbdyno_running::watching::JobEvent;
use jiff::Timestamp;

fn evidence(
    host_id: &str,
    number: u8,
    choice: &str,
    tier: Tier,
    verdict: &str,
    reason: Option<&str>,
) -> EvidenceRecord {
    let image = (verdict == "contradicted").then(|| "/srv/images/image-1".to_owned());
    EvidenceRecord {
        evidence_id: format!("00000000-0000-0000-0000-0000000000{number:02}"),
        host_id: host_id.to_owned(),
        tried_at: Timestamp::from_second(1_700_000_000 - i64::from(number)).unwrap(),
        engine: choice.split(':').next().unwrap().to_owned(),
        engine_version: "1.2.3".to_owned(),
        choice: choice.to_owned(),
        options: "{}".to_owned(),
        tier,
        tier_reason: "because of\u{1b}[31m its options".to_owned(),
        kills: 17,
        images: 234,
        route: Some("mount".to_owned()),
        whole: 100,
        earlier: 10,
        broken: 7,
        strict_names: Some(true),
        mutants: 4,
        mutants_caught: 3,
        verdict: verdict.to_owned(),
        reason: reason.map(str::to_owned),
        image,
        seed: 1,
        command_line: format!("dbdyno torture {choice} --seed 1"),
    }
}

/// A store with three verdicts.
fn journey(columns: u16, rows: u16) -> Journey {
    let place = Place::new();
    let store = Store::new(place.store());
    store.prepare().unwrap();
    let mut bench = Bench::default();
    bench.session("here");
    let host = bench.batch.hosts[0].clone();
    for evidence in [
        evidence(&host.host_id, 1, "lmdb", Tier::PowerSafe, "evidenced", None),
        evidence(
            &host.host_id,
            2,
            "liar:sync=on",
            Tier::PowerSafe,
            "contradicted",
            Some("3 of 9 acknowledged commits survived"),
        ),
        evidence(&host.host_id, 3, "null", Tier::Unknown, "not evidenced", Some("its tier is unknown")),
    ] {
        store.keep_evidence(host.clone(), evidence).unwrap();
    }
    let mut journey = Journey::begin_in(place, columns, rows);
    journey.keys("7");
    journey
}

#[test]
fn verdicts_have_their_signs_and_all_about_the_one_under_the_cursor_is_below() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = journey(columns, rows);
        journey.shows("✓ evidenced").shows("✗ contradicted").shows("? not evidenced").shows("3 power-safe");
        journey
            .hides("3/4…")
            .shows("3/4")
            .shows("17 kills of a committing worker")
            .shows("because of\\u{1b}[31m its options");
        journey.keys("j").shows("contradicted: 3 of 9 acknowledged commits survived");
        journey
            .key(KeyPress::Enter)
            .shows("234 images of power losses")
            .shows("keeps its name: 100 whole, 10 without the");
        journey.shows("3 of 4 mutants caught").shows("/srv/images/image-1").key(KeyPress::Esc);
        journey.click("null").shows("its tier is unknown");
    }
}

#[test]
fn what_shows_a_verdict_is_copied_filtered_and_exported() {
    let mut journey = journey(80, 24);
    journey.keys("jy");
    assert!(journey.others.iter().any(|other| other.contains("torture liar:sync=on --image /srv/images/image-1")));
    journey.keys("/contra").key(KeyPress::Enter).shows("liar").hides("lmdb").key(KeyPress::Esc).shows("lmdb");
    let file = journey.place().path("found.csv");
    journey.keys("e");
    for _ in 0.."dbdyno-evidence.csv".len() {
        journey.key(KeyPress::Backspace);
    }
    journey.keys(file.to_str().unwrap()).key(KeyPress::Enter).shows("written:");
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("liar:sync=on") && text.contains("contradicted"), "{text}");
}

#[test]
fn an_engine_is_chosen_watched_and_stopped() {
    let mut journey = Journey::begin(80, 24);
    journey
        .keys("7")
        .shows("Does an engine keep what its tier promises?")
        .hides("K stop")
        .hides("R again")
        .keys("+")
        .shows("Torture an engine")
        .keys("lmdb")
        .key(KeyPress::Enter);
    journey.shows("options after a colon").shows("sync").keys(":sync=never").key(KeyPress::Enter);
    journey.shows("✗").shows("never");
    for _ in 0.."never".len() {
        journey.key(KeyPress::Backspace);
    }
    assert!(journey.started.is_empty());
    journey.keys("nosync|full").key(KeyPress::Enter).shows("starting");
    let asked = journey.started.pop().unwrap();
    assert!(asked.contains("dbdyno torture 'lmdb:sync=nosync|full' --kills 20 --power 200 --mutants 100"), "{asked}");

    let choices = ["nosync", "full"].map(|sync| format!("lmdb:sync={sync}")).to_vec();
    let started = SeriesEvent::SeriesStarted { choices, terms: TortureTerms::default() };
    let waits = TortureProgress::Waiting { holder: Some("dbdyno run kv (process 4711)".to_owned()) };
    for event in [started, SeriesEvent::Began { at: 0 }, SeriesEvent::Step { step: waits }] {
        journey.told(JobEvent::Torture(Box::new(event)));
    }
    journey.shows("waiting for another session's run to end: dbdyno run kv (process 4711)");
    journey.told(JobEvent::Torture(Box::new(SeriesEvent::Step { step: TortureProgress::Kill { done: 5 } })));
    journey.shows("Torturing lmdb:sync=nosync · 1 of 2").shows("killed 5 of 20").shows("▶ 1/2").shows("K stop");
    journey.keys("1").key(KeyPress::Enter).shows("an engine is being tortured: 7 shows it");
    assert!(journey.started.is_empty(), "nothing is measured beside it");
    journey.keys("q").shows("An engine is being tortured. Leave?").keys("n").keys("7");

    for event in [SeriesEvent::Failed { reason: "it does not open".to_owned() }, SeriesEvent::Began { at: 1 }] {
        journey.told(JobEvent::Torture(Box::new(event)));
    }
    journey.shows("✗ lmdb:sync=nosync: it does not open").shows("2 of 2").keys("K").shows("Stop?").keys("y");
    assert!(journey.others.iter().any(|other| other.contains("Stop")));
    journey.message(Message::JobOver(Ok(())));
    journey.shows("1 failed").hides("Torturing").keys("1");
    assert_eq!(journey.app.screen, ScreenId::Bench);
}

#[test]
fn how_much_is_tried_is_asked_in_three_numbers() {
    let mut journey = journey(80, 24);
    journey.keys("i").shows("20 200 100");
    for _ in 0.."20 200 100".len() {
        journey.key(KeyPress::Backspace);
    }
    journey.keys("1 2").key(KeyPress::Enter).shows("expected three whole numbers").keys(" 3").key(KeyPress::Enter);
    journey.keys("R").shows("Torturing").shows("starting");
    let asked = journey.started.pop().unwrap();
    assert!(asked.contains("--kills 1 --power 2 --mutants 3"), "{asked}");
}

#[test]
fn a_configuration_that_is_no_more_there_is_not_tortured_again() {
    let mut journey = journey(80, 24);
    journey.keys("jR").shows("liar");
    assert!(journey.started.is_empty(), "{:?}", journey.started);
}
