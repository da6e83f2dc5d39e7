//! The output of engine programs: descriptions, answers about files, events, histograms.

use super::{Verdict, harness::Target, holds, same, samples, text};
use crate::support::Place;
use dbdyno::{engines::Registry, runner::SentHistogram};
use dbdyno_engine::{
    describe::{Description, OptionKind, Probed},
    protocol::{ActorDone, ActorHead, ActorProgress, Event, Job, StatementProgress, TestDone},
    settings::Settings,
};
use dbdyno_workload::histogram::{bytes_from_base64, empty, from_bytes, to_base64, to_bytes};
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt::Debug, fs};

/// Checks that a value reads back the same after it is written.
fn written<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Verdict {
    let json = serde_json::to_string(value).map_err(|error| error.to_string())?;
    let again: T = serde_json::from_str(&json).map_err(|error| format!("{error}: {json:.500}"))?;
    same("written", value, &again)
}

fn description(input: &[u8]) -> Verdict {
    if let Ok(probed) = serde_json::from_slice::<Probed>(input) {
        written(&probed)?;
    }
    let Ok(found) = serde_json::from_slice::<Description>(input) else { return Ok(()) };
    written(&found)?;
    let Ok(settings) = Settings::resolve(&found, &BTreeMap::new()) else { return Ok(()) };
    let (_, reason) = found.tier(&settings);
    let _ = (reason.len(), found.conflict(&settings), found.files(&settings));
    for option in &found.options {
        // However a value is spelled, its canonical spelling does not change.
        for value in [option.default.as_str(), "1", "64MiB", "on", "own"] {
            if let Ok(canonical) = option.kind.canonical(value) {
                let again = option.kind.canonical(&canonical);
                // If two words differ only in case, only the first is accepted.
                let is_word = matches!(option.kind, OptionKind::Choice { .. } | OptionKind::Size { .. });
                holds(is_word || again.as_ref() == Ok(&canonical), || format!("{canonical:?} becomes {again:?}"))?;
            }
        }
    }
    Ok(())
}

/// One event of each kind.
fn all_events() -> Vec<Event> {
    let mut histogram = empty();
    (0..100).for_each(|ns| histogram.saturating_record(ns * ns * 1000));
    let histogram = to_base64(&histogram);
    let name = "reader".to_owned();
    let actor = ActorDone {
        name: name.clone(),
        threads: 2,
        wall_ns: 7,
        operations: 100,
        operations_per_sample: 1,
        histogram: histogram.clone(),
        response: Some(histogram.clone()),
        ..ActorDone::default()
    };
    let mut done = TestDone {
        test: 1,
        measured: true,
        wall_ns: 5_000_000,
        operations: 100,
        rows: 100,
        verification: Some("3:abc".to_owned()),
        operations_per_sample: 1,
        histogram: histogram.clone(),
        actors: vec![actor],
        ..TestDone::default()
    };
    done.counters.set("user_ns", Some(80_000_000));
    let progress = ActorProgress { name: name.clone(), histogram: Some(histogram.clone()), ..ActorProgress::default() };
    vec![
        Event::Opened {
            version: "1".to_owned(),
            build: vec!["THREADSAFE=1".to_owned()],
            source: None,
            in_force: BTreeMap::from([("sync".to_owned(), "on".to_owned())]),
            open_ns: 1,
            clock: Some("counter".to_owned()),
        },
        Event::TestStarted {
            test: 1,
            name: name.clone(),
            measured: true,
            operations: Some(100),
            operations_per_sample: Some(1),
            time_ms: None,
            actors: vec![ActorHead { name, threads: 2, rate: Some(7) }],
        },
        Event::Progress {
            test: 1,
            operations: 50,
            total: Some(100),
            elapsed_ns: 5,
            histogram: Some(histogram),
            actors: vec![progress],
            statements: vec![StatementProgress { name: "s".to_owned(), operations: 3, wall_ns: 9 }],
            readings: BTreeMap::from([("rss_bytes".to_owned(), 4096)]),
        },
        Event::TestDone(Box::new(done)),
        Event::Failed { test: Some(1), message: "disk on fire".to_owned(), database_usable: false },
        Event::Done,
    ]
}

fn event(input: &[u8]) -> Verdict {
    // Jobs that a worker reads are JSON of the same depth.
    drop(serde_json::from_slice::<Job>(input));
    let Ok(event) = serde_json::from_slice::<Event>(input) else { return Ok(()) };
    written(&event)?;
    if let Err(error) = SentHistogram::of(&event) {
        holds(error.starts_with("the histogram of test"), || error.clone())?;
    }
    Ok(())
}

/// Checks the bytes of a histogram, compressed or not, or its base64.
fn histogram(input: &[u8]) -> Verdict {
    let read = |bytes: &[u8]| match from_bytes(bytes) {
        Ok(found) => same("written", &from_bytes(&to_bytes(&found)).as_ref(), &Ok(&found)),
        Err(error) => holds(error.len() < 1000, || error.clone()),
    };
    read(input)?;
    bytes_from_base64(&text(input)).map_or(Ok(()), |bytes| read(&bytes))
}

#[test]
fn descriptions() {
    let all = Registry::built_in().engines.into_iter().map(|engine| serde_json::to_vec(&*engine.description).unwrap());
    Target::new("descriptions", 2000).fuzz(&all.collect::<Vec<_>>(), description);
}

#[test]
fn events() {
    let all: Vec<Vec<u8>> = all_events().iter().map(|event| serde_json::to_vec(event).unwrap()).collect();
    Target::new("events", 3000).fuzz(&all, event);
}

#[test]
fn histograms() {
    let mut one = empty();
    (0..1000).for_each(|ns| one.saturating_record(ns * ns * 10));
    // The uncompressed form comes from the library's other writer.
    let mut plain = Vec::new();
    let mut writer = hdrhistogram::serialization::V2Serializer::new();
    hdrhistogram::serialization::Serializer::serialize(&mut writer, &one, &mut plain).unwrap();
    let all = [to_bytes(&one), plain, to_base64(&one).into_bytes()];
    Target::new("histograms", 5000).fuzz(&all, histogram);
}

/// A program that prints `describe` as its description, and `events` as its answer to a job.
fn babbler(place: &Place, describe: &[u8], events: &[u8]) {
    fs::write(place.path("describe.json"), describe).unwrap();
    fs::write(place.path("events.jsonl"), events).unwrap();
    let (describe, events) = (place.path("describe.json"), place.path("events.jsonl"));
    place.engine(
        "odd",
        &format!(
            "if [ \"$1\" = describe ]; then cat '{}'; exit; fi\nread -r job\ncat '{}'\n",
            describe.display(),
            events.display()
        ),
    );
}

/// Checks that a run of the program succeeds or fails without printing anything that a terminal would execute.
fn spoken(place: &Place, arguments: &[&str]) -> Verdict {
    let done = place.run(arguments);
    let is_plain = |text: &str| !text.chars().any(|c| c.is_control() && c != '\n');
    holds(matches!(done.code, Some(0..=2)), || format!("it ended with {:?}: {}", done.code, done.stderr))?;
    holds(!done.stderr.contains("panicked"), || done.stderr.clone())?;
    holds(is_plain(&done.stderr) && is_plain(&done.stdout), || format!("{:?} {:?}", done.stderr, done.stdout))
}

const DESCRIBED: &str = r#"{"protocol":1,"name":"odd","about":"a script","version":"1","suites":["kv"],"options":[]}"#;

#[test]
fn described_by_programs() {
    let place = Place::new();
    Target::new("described-by-programs", 10).fuzz(&samples([DESCRIBED]), |input| {
        babbler(&place, input, b"");
        spoken(&place, &["list", "engines"])
    });
}

#[test]
fn workers() {
    let place = Place::new();
    let events: Vec<String> = all_events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    let run = ["run", "--suite", "kv", "--engine", "odd", "--size", "100", "--test", "1", "--repeat", "1", "--quiet"];
    Target::new("workers", 5).fuzz(&samples([events.join("\n")]), |input| {
        babbler(&place, DESCRIBED.as_bytes(), input);
        spoken(&place, &[&run[..], &["--silence", "500ms"]].concat())
    });
}
